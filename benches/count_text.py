"""Texts to count: pieces of the corpora, each given out once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

CORPORA = ("english", "code", "json", "multi", "chat")


def piece(folder: Path, corpus: str, start: int, size: int) -> list[str]:
    """Return the texts that lie at `start` bytes of a corpus, about `size` bytes in all.

    A corpus of messages gives many texts, every other one a single text that begins and ends where
    a line does and holds no white space there.
    """
    messages = corpus == "chat"
    path = folder / ("chat.jsonl" if messages else f"{corpus}.txt")
    with path.open("rb") as file:
        file.seek(start)
        if start:
            file.readline()
        data = file.read(size)
        data += file.readline()
    if messages:
        return [json.loads(line) for line in data.splitlines()]
    return [data.decode().strip()]


def length(folder: Path, corpus: str) -> int:
    """Return the bytes of a corpus."""
    path = folder / ("chat.jsonl" if corpus == "chat" else f"{corpus}.txt")
    return path.stat().st_size


def fresh(texts: list[str]) -> list[str]:
    """Return equal strings that are new objects.

    CPython keeps the UTF-8 form of a string once somebody asked for it, and no peer may find what
    another one paid for.
    """
    return [text.encode().decode() for text in texts]


def size(texts: list[str]) -> int:
    """Return how many bytes the texts have together."""
    return sum(len(text.encode()) for text in texts)
