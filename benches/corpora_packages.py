"""Packages of Debian and of PyPI, fetched by their own clients and read without unpacking them."""

from __future__ import annotations

import gzip
import hashlib
import io
import re
import subprocess
import sys
import tarfile
import zipfile
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Package(NamedTuple):
    """A package file, and what it says of itself."""

    name: str
    file: Path
    kind: str

    @property
    def version(self) -> str:
        """The version, read from the file's name."""
        parts = self.file.name.split("_" if self.kind == "debian" else "-")
        return parts[1].replace("%3a", ":")

    def members(self, wanted: str) -> Iterator[tuple[str, bytes]]:
        """Yield path and content of each file whose path matches, in the order of the package."""
        pattern = re.compile(wanted)
        found = self._debian() if self.kind == "debian" else self._wheel()
        for path, read in found:
            if pattern.search(path):
                data = read()
                yield path, gzip.decompress(data) if path.endswith(".gz") else data

    def licences(self) -> str:
        """Return the short names of licences that the package states, or where to read them."""
        stated: set[str] = set()
        notes = r"/doc/[^/]+/copyright$" if self.kind == "debian" else r"dist-info/METADATA$"
        for _, data in self.members(notes):
            for line in data.decode(errors="replace").splitlines():
                match = re.match(r"License(?:-Expression)?: *(\S[^\n]{0,60})$", line)
                if match:
                    stated.add(match.group(1).strip())
        return ", ".join(sorted(stated)) if stated else "see the copyright file of the package"

    def _debian(self) -> Iterator[tuple[str, Reader]]:
        command = ["dpkg-deb", "--fsys-tarfile", str(self.file)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            stream = process.stdout
            if stream is None:
                return
            with tarfile.open(fileobj=stream, mode="r|") as archive:
                for member in archive:
                    if member.isfile():
                        yield member.name, Reader(archive, member)

    def _wheel(self) -> Iterator[tuple[str, Reader]]:
        with zipfile.ZipFile(self.file) as archive:
            for info in archive.infolist():
                if not info.is_dir():
                    yield info.filename, Reader(archive, info)


class Reader:
    """Reads one member of an archive, when asked."""

    def __init__(
        self, archive: tarfile.TarFile | zipfile.ZipFile, member: tarfile.TarInfo | zipfile.ZipInfo
    ) -> None:
        self.archive = archive
        self.member = member

    def __call__(self) -> bytes:
        """Return the content."""
        if isinstance(self.archive, zipfile.ZipFile):
            assert isinstance(self.member, zipfile.ZipInfo)
            return self.archive.read(self.member)
        assert isinstance(self.member, tarfile.TarInfo)
        file = self.archive.extractfile(self.member)
        return b"" if file is None else file.read()


def inner_zip(data: bytes, wanted: str) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of the matching files of a zip file that lies in a package."""
    pattern = re.compile(wanted)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            if pattern.search(info.filename):
                yield info.filename, archive.read(info)


def fetch(name: str, kind: str, folder: Path) -> Package | None:
    """Return a package, downloaded unless it is there already; `None` if it cannot be had."""
    folder.mkdir(parents=True, exist_ok=True)
    pattern = f"{name}_*.deb" if kind == "debian" else f"{name.replace('-', '_')}-*.whl"
    files = sorted(folder.glob(pattern))
    if not files:
        if kind == "debian":
            command = ["apt-get", "download", "-qq", name]
        else:
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", name]
        done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
        files = sorted(folder.glob(pattern))
        if not files:
            said = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            print(f"{name}: cannot be had, left out ({said})", file=sys.stderr)
            return None
    return Package(name, files[-1], kind)


def order(text: str) -> bytes:
    """Return a key that shuffles in the same way on every machine."""
    return hashlib.sha256(text.encode()).digest()
