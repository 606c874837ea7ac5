"""Check a built wheel and sdist: what is in them, and that both work in clean environments.

Usage: check_dist.py DIRECTORY, which holds one wheel and one sdist.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path, PurePosixPath

# What a user does first; run outside the repository, so that nothing but the package is found.
TRIAL = """
import packframe as pf
frame = pf.Frame([
    pf.Item("You answer in one sentence.", role="system", retention="required"),
    pf.Item("The lamp blinks twice a second while the router starts. " * 40, score=0.2),
    pf.Item("The lamp is blue while a device is pairing.", id="lamp", score=0.9),
])
pack = frame.pack(120, reserve=20, token_profile=pf.profiles.openai("o200k_base"))
assert 0 < pack.total_tokens <= 100
assert "lamp" in [record["id"] for record in pack.manifest.to_dict()["selected"]]
assert pf.PackManifest.from_json(pack.manifest.to_json()) == pack.manifest
print("packframe", pf.__version__, "packs", pack.total_tokens, "tokens")
"""
LICENCE_FILES = ("LICENSE-MIT", "LICENSE-APACHE", "NOTICE")


class DistError(Exception):
    """A wheel or sdist is not what it should be."""


def need(ok: object, what: str) -> None:
    """Stop with a line that says what is wrong."""
    if not ok:
        raise DistError(what)


def check_sbom(text: str) -> None:
    """Check that the SBOM is CycloneDX, names what is compiled in and nothing of this machine."""
    sbom = json.loads(text)
    need(sbom["bomFormat"] == "CycloneDX", "the SBOM is not CycloneDX")
    names = {component["name"] for component in sbom["components"]}
    compiled_in = {"pyo3", "tiktoken-rs", "tokenizers"}
    need(compiled_in <= names, f"the SBOM lacks {compiled_in - names}")
    need(Path.cwd().as_uri() not in text, "the SBOM names a path of the machine it was built on")


def check_wheel(wheel: Path) -> None:
    """Check the name, the files and the metadata of the wheel."""
    need("-cp310-abi3-" in wheel.name, f"{wheel.name} is not an abi3 wheel for Python 3.10 on")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        info = next(PurePosixPath(n).parts[0] for n in names if n.endswith(".dist-info/METADATA"))
        for wanted in ("packframe/__init__.py", "packframe/py.typed", "packframe/_core.pyi"):
            need(wanted in names, f"{wheel.name} lacks {wanted}")
        need(
            any(n.startswith("packframe/_core.") and n.endswith((".so", ".pyd")) for n in names),
            f"{wheel.name} lacks the extension module",
        )
        for wanted in LICENCE_FILES:
            need(f"{info}/licenses/{wanted}" in names, f"{wheel.name} lacks {wanted}")
        foreign = [n for n in names if PurePosixPath(n).parts[0] not in {"packframe", info}]
        need(not foreign, f"{wheel.name} has files outside the package: {foreign}")
        stray = [n for n in names if "__pycache__" in n or n.endswith(".pyc")]
        need(not stray, f"{wheel.name} has compiled files: {stray}")
        sboms = [n for n in names if n.startswith(f"{info}/sboms/")]
        need(len(sboms) == 1, f"{wheel.name} has {len(sboms)} SBOMs, not one")
        check_sbom(archive.read(sboms[0]).decode())
        metadata = archive.read(f"{info}/METADATA").decode()
    need("License-Expression: MIT OR Apache-2.0" in metadata, "the metadata lacks the licence")
    need("\nRequires-Python: >=3.10\n" in metadata, "the metadata lacks the Python version")
    required = [line for line in metadata.splitlines() if line.startswith("Requires-Dist:")]
    need(all("extra ==" in line for line in required), "the wheel depends on a Python package")


def check_sdist(sdist: Path) -> None:
    """Check that the sdist has all that a build needs and what a distributor runs."""
    with tarfile.open(sdist) as archive:
        names = {str(PurePosixPath(*PurePosixPath(n).parts[1:])) for n in archive.getnames()}
    wanted = {"Cargo.toml", "Cargo.lock", "pyproject.toml", "README.md", "PKG-INFO", "Makefile"}
    wanted |= {"python/packframe/py.typed", "tests/test_house.py", "examples/support_agent.py"}
    wanted |= {f"crates/packframe-{crate}/src/lib.rs" for crate in ("tokens", "core", "python")}
    wanted |= set(LICENCE_FILES)
    need(wanted <= names, f"{sdist.name} lacks {sorted(wanted - names)}")
    stray = [n for n in names if n.startswith(("target/", ".venv/")) or n.endswith((".pyc", ".so"))]
    need(not stray, f"{sdist.name} has built files: {stray}")


def try_in_clean_environment(archive: Path, *options: str) -> None:
    """Install the archive in a new environment and run the trial there, in an empty folder."""
    with tempfile.TemporaryDirectory(prefix="packframe-") as scratch:
        home = Path(scratch, "venv")
        venv.create(home, with_pip=True)
        python = home / ("Scripts" if os.name == "nt" else "bin") / "python"
        environment = {
            k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "VIRTUAL_ENV"}
        }
        # Crates from the registry are built once; those of the sdist have another path.
        environment["CARGO_TARGET_DIR"] = str(Path("target").resolve())
        install = [str(python), "-m", "pip", "install", "--quiet", *options, str(archive.resolve())]
        subprocess.run(install, check=True, cwd=scratch, env=environment)
        subprocess.run([str(python), "-I", "-c", TRIAL], check=True, cwd=scratch, env=environment)


def main(folder: Path) -> int:
    """Check the one wheel and the one sdist in a folder."""
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    try:
        check_wheel(wheel)
        check_sdist(sdist)
    except DistError as error:
        print(f"check_dist: {error}", file=sys.stderr)
        return 1
    print(f"{wheel.name}: {wheel.stat().st_size:,} bytes")
    try_in_clean_environment(wheel, "--no-index", "--no-deps")
    print(f"{sdist.name}: {sdist.stat().st_size:,} bytes")
    try_in_clean_environment(sdist)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
