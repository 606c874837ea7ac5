"""Take out of a built wheel what differs from one machine to the next.

maturin writes the bill of materials with the folder and the time of the build and a random number.
The folder becomes `/packframe`, the time goes, and the number follows from the content.

Usage: tidy_wheel.py WHEEL
"""

from __future__ import annotations

import base64
import hashlib
import json
import sys
import uuid
import zipfile
from pathlib import Path


def tidy_sbom(text: str) -> str:
    """Return the bill of materials without traces of the machine."""
    sbom = json.loads(text.replace(Path.cwd().as_uri(), "file:///packframe"))
    sbom["metadata"].pop("timestamp", None)
    sbom.pop("serialNumber", None)
    content = json.dumps(sbom, sort_keys=True)
    sbom["serialNumber"] = uuid.uuid5(uuid.NAMESPACE_OID, content).urn
    return json.dumps(sbom, indent=2, ensure_ascii=False) + "\n"


def record_line(name: str, data: bytes) -> str:
    """Return the line of RECORD for a file."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}"


def tidy(wheel: Path) -> None:
    """Write the wheel anew, with a tidy bill of materials and the record that belongs to it."""
    with zipfile.ZipFile(wheel) as archive:
        entries = [(info, archive.read(info)) for info in archive.infolist()]
    changed = {}
    for info, data in entries:
        if "/sboms/" in info.filename and info.filename.endswith(".cyclonedx.json"):
            changed[info.filename] = tidy_sbom(data.decode()).encode()
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for info, data in entries:
            new = changed.get(info.filename, data)
            if info.filename.endswith(".dist-info/RECORD"):
                lines = data.decode().splitlines()
                named = {line.rsplit(",", 2)[0]: line for line in lines}
                named |= {name: record_line(name, value) for name, value in changed.items()}
                new = "".join(f"{line}\n" for line in named.values()).encode()
            archive.writestr(info, new, zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    tidy(Path(sys.argv[1]))
