"""Gather texts from a Debian machine, one corpus a file, for `fit_approximate.py`.

    python scripts/gather_texts.py FOLDER [--unpacked DIRECTORY]

Takes what the machine has: manual pages, READMEs, the books of a Rust toolchain, code by the
ending of its files, and messages of programs in every language that has enough of them. With
`--unpacked`, also the prose of Debian packages that `dpkg-deb -x` unpacked there, each in a folder
of its own: `libreoffice-help-*`, `debian-faq-*`, `debian-handbook`, `fortunes`. A corpus of a
machine that lacks something is smaller or missing; the tables in the guide say what there was.
"""

from __future__ import annotations

import argparse
import gettext
import gzip
import html
import random
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LIMIT = 3_000_000
"""Bytes of one corpus."""

SMALLEST = 40_000
"""Bytes that a corpus needs to say anything."""

LONGEST = 300_000
"""Bytes of one file: a larger one is data."""

CODE = {
    "py": ("/usr/lib/python3*", "*.py"),
    "c": ("/usr/include", "*.h"),
    "pl": ("/usr/share/perl", "*.p[lm]"),
    "js": ("/usr", "*.js"),
    "css": ("/usr", "*.css"),
    "php": ("/usr", "*.php"),
    "xml": ("/usr", "*.xml"),
    "yaml": ("/usr", "*.yaml"),
    "md": ("/usr", "*.md"),
    "rst": ("/usr", "*.rst"),
    "sql": ("/usr", "*.sql"),
    "sh": ("/usr", "*.sh"),
    "toml": ("/usr", "*.toml"),
    "minjs": ("/usr", "*.min.js"),
}
"""Where code is, by the name of its corpus."""


def read(path: Path) -> str:
    """Return a text, or nothing where it is none."""
    try:
        data = path.read_bytes()
        if path.suffix == ".gz":
            data = gzip.decompress(data)
        return data.decode()
    except (OSError, EOFError, UnicodeDecodeError):
        return ""


def prose(page: str) -> str:
    """Return the text of a page of HTML."""
    page = re.sub(r"(?s)<(script|style|nav|head)\b.*?</\1>", "", page)
    return re.sub(r"\n\s*\n+", "\n\n", html.unescape(re.sub(r"<[^>]+>", "", page)))


def manual(page: str) -> str:
    """Return the text of a manual page."""
    lines = (line for line in page.split("\n") if not line.startswith(("'", '.\\"')))
    plain = (
        re.sub(r"\\f[A-Z(]|\\&|\\/|\\,", "", re.sub(r"^\.[A-Za-z]+ ?", "", line)) for line in lines
    )
    return "\n".join(plain).replace("\\-", "-").replace("\\(aq", "'").replace("\\e", "\\")


def messages(language: Path) -> Iterator[str]:
    """Yield the translated messages of all programs, in a seeded order."""
    found: list[str] = []
    for path in sorted(language.glob("LC_MESSAGES/*.mo")):
        try:
            with path.open("rb") as file:
                catalog = gettext.GNUTranslations(file)
        except (OSError, ValueError, IndexError):  # some catalogs are broken
            continue
        known = getattr(catalog, "_catalog", {})
        pairs = ((key[0] if isinstance(key, tuple) else key, text) for key, text in known.items())
        found += [text for key, text in pairs if key and text != key and len(text) > 20]
    random.Random(str(language.name)).shuffle(found)
    yield from found


def files(top: Path, pattern: str) -> list[Path]:
    """Return the files below a folder, in a seeded order."""
    paths = [
        path
        for path in sorted(top.rglob(pattern))
        if path.is_file() and path.stat().st_size < LONGEST
    ]
    random.Random(f"{top}{pattern}").shuffle(paths)
    return paths


class Gatherer:
    """Writes corpora into a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def write(self, name: str, parts: Iterable[str]) -> None:
        """Write one corpus, if it is large enough."""
        taken, size = [], 0
        for part in parts:
            data = part.encode(errors="ignore")
            if data:
                taken.append(data)
                size += len(data) + 1
            if size > LIMIT:
                break
        if size >= SMALLEST:
            (self.folder / f"{name}.txt").write_bytes(b"\n".join(taken))
            print(f"{name}: {size}")

    def machine(self) -> None:
        """Write what each machine has."""
        share = Path("/usr/share")
        pages = [page for section in "1578" for page in files(share / f"man/man{section}", "*.gz")]
        self.write("man_en", (manual(read(page)) for page in pages))
        self.write("doc_en", (read(path) for path in files(share / "doc", "README*")))
        books = sorted(Path.home().glob(".rustup/toolchains/*/share/doc/rust/html"))
        for top in books[:1]:
            chapters = [
                path
                for book in ("book", "reference", "nomicon", "cargo", "rustc")
                for path in files(top / book, "*.html")
            ]
            self.write("prose_en", (prose(read(path)) for path in chapters))
            self.write("code_html", (read(path)[:40_000] for path in chapters))
        crates = Path.home() / ".cargo/registry/src"
        self.write("code_rs", (read(path) for path in files(crates, "*.rs")))
        self.write("json", (read(path) for path in files(crates, "*.json")))
        for name, (tops, pattern) in CODE.items():
            places = sorted(Path("/").glob(tops.lstrip("/")))
            found = (path for place in places for path in files(place, pattern))
            kept = (path for path in found if name == "minjs" or not path.match("*.min.*"))
            self.write(f"code_{name}", map(read, kept))
        self.write("code_log", map(read, files(Path("/var/log"), "*.log")))
        for language in sorted((share / "locale").iterdir()):
            pages = sorted((share / "man" / language.name).glob("man*/*.gz"))
            self.write(
                f"lang_{language.name}",
                [*messages(language), *(manual(read(page)) for page in pages)],
            )

    def unpacked(self, top: Path) -> None:
        """Write the prose of packages."""
        for package in sorted(top.iterdir()):
            name = package.name.removeprefix("x_")
            if name.startswith("libreoffice-help-"):
                corpus = "help_" + name.removeprefix("libreoffice-help-").replace("-", "_")
            elif name.startswith("debian-faq-"):
                corpus = "faq_" + name.removeprefix("debian-faq-").replace("-", "_")
            elif name == "debian-handbook":
                corpus = "prose_handbook"
            elif name == "fortunes":
                quotes = package / "usr/share/games/fortunes"
                self.write(
                    "prose_fortunes", (read(path) for path in files(quotes, "*") if not path.suffix)
                )
                continue
            else:
                continue
            self.write(corpus, (prose(read(path)) for path in files(package, "*.html*")))


def main() -> int:
    """Gather."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="where the corpora go")
    parser.add_argument("--unpacked", type=Path, help="folder of unpacked Debian packages")
    arguments = parser.parse_args()
    gatherer = Gatherer(arguments.folder)
    gatherer.machine()
    if arguments.unpacked:
        gatherer.unpacked(arguments.unpacked)
    return 0


if __name__ == "__main__":
    sys.exit(main())
