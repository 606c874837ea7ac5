"""Texts, and what each of their characters is seen with.

The model is described in `crates/packframe-tokens/src/approximate/mod.rs`; this is its slow twin,
over many texts at once.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

import packframe as pf

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

Array = np.ndarray[Any, Any]

OTHER = 128
"""The row of pairs for a character that stands first or behind one beyond ASCII."""

ROWS = [*range(0x80 >> 6, 0x10000 >> 6), *range(0x1F000 >> 6, 0x1FC00 >> 6)]
"""Blocks of 64 code points that have a row; one more row, the last, stands for all others."""

LETTERS = [
    *range(0xC0 >> 6, 0x250 >> 6),
    *range(0x400 >> 6, 0x530 >> 6),
    *range(0x1E00 >> 6, 0x1F00 >> 6),
]
"""Blocks of letters beyond ASCII that are looked at in windows: Latin and Cyrillic."""

RUN = 129
"""The row of pairs for a character behind two of white space."""

HEIGHT = 130
"""Rows of pairs."""

BITS = 20
"""The logarithm of the number of bits that tell familiar windows."""

PIECE = 4096
BLOCK = 16384

CODE_POINTS = 0x110000
SPACE = np.zeros(OTHER + 1, bool)
SPACE[[0x09, 0x0A, 0x0D, 0x20]] = True

CLASS = np.zeros(HEIGHT, np.int64)
"""The class of the character before, for windows that are not familiar."""
for _code in range(128):
    _c = chr(_code)
    CLASS[_code] = (
        1 if _c.islower() else 2 if _c.isupper() else 3 if _c.isdigit() else
        4 if _c in " \t\r\n" else 5 if _c in ".,:;!?" else 6 if _c in "\"'()[]{}<>`" else
        7 if _code < 32 or _code == 127 else 0
    )  # fmt: skip
CLASS[OTHER] = 8
CLASS[RUN] = 4
CLASSES = 9

ROW_OF = np.full(CODE_POINTS >> 6, len(ROWS))
ROW_OF[ROWS] = np.arange(len(ROWS))
LETTER_ROW = np.full(CODE_POINTS >> 6, -1)
LETTER_ROW[LETTERS] = np.arange(len(LETTERS))

O200K = pf.profiles.openai("o200k_base")
CL100K = pf.profiles.openai("cl100k_base")


def log(*words: object) -> None:
    """Say what was done, behind the seconds of CPU time so far."""
    print(f"{time.process_time():7.1f} s", *words, file=sys.stderr, flush=True)


def most(texts: list[str]) -> Array:
    """Count with the encoding that counts more."""
    counts = (np.array(e.count_batch(texts), float) for e in (O200K, CL100K))
    return np.asarray(np.maximum(*counts))


def shifted(values: Array, by: int, filler: int) -> Array:
    """Return what stands so many places before."""
    return np.concatenate([np.full(by, filler), values])[: len(values)]


@dataclass
class Seen:
    """The characters of some texts, one behind the other, and the text that each belongs to."""

    code: Array
    text: Array
    pair: Array
    """Of an ASCII character: its place in the table of pairs."""
    ascii: Array
    letter: Array
    """Whether it is of LETTERS."""
    window: Array
    """The key of its window; -1 for a character that has none."""

    @classmethod
    def of(cls, texts: list[str]) -> Seen:
        """Look at each character of some texts."""
        lengths = [len(text) for text in texts]
        code = np.frombuffer("".join(texts).encode("utf-32-le"), "<u4").astype(np.int64)
        text = np.repeat(np.arange(len(texts)), lengths)
        is_ascii = code < 128
        letter = LETTER_ROW[code >> 6] >= 0
        narrow = np.where(is_ascii, code, OTHER)
        first = [shifted(narrow, by, OTHER) for by in (1, 2, 3)]
        for by, before in enumerate(first, 1):
            before[shifted(text, by, -1) != text] = OTHER
        one, two, three = first
        behind = two
        end = (one == OTHER) | SPACE[one]
        two = np.where(end, OTHER, two)
        three = np.where((two == OTHER) | SPACE[two], OTHER, three)
        # White space behind anything but white space costs the same: that makes a seam.
        row = np.where(SPACE[narrow] & ~SPACE[one], OTHER, one)
        row = np.where(SPACE[one] & SPACE[behind], RUN, row)
        key = np.zeros(len(code), np.int64)
        for before in (three, two, one, narrow):
            key = (key << 8) | np.where(before == OTHER, 0, before)
        wide = np.where(letter, code, 0)
        left = np.where(shifted(text, 1, -1) == text, shifted(wide, 1, 0), 0)
        far = np.where((left > 0) & (shifted(text, 2, -1) == text), shifted(wide, 2, 0), 0)
        wide_key = (1 << 42) | (far << 28) | (left << 14) | code
        window = np.where(
            is_ascii, np.where(SPACE[narrow], -1, key), np.where(letter, wide_key, -1)
        )
        pair = np.where(is_ascii, row * 128 + code, 0)
        return cls(code, text, pair, is_ascii, letter, window)


def place_of(window: Array) -> Array:
    """Return the bit of each window."""
    product = window.astype(np.uint64) * np.uint64(0x9E37_79B9_7F4A_7C15)
    return np.asarray(product >> np.uint64(64 - BITS), np.int64)


@dataclass
class Texts:
    """Texts, what they count, and where they come from."""

    texts: list[str] = field(default_factory=list)
    origin: list[str] = field(default_factory=list)
    held_out: list[bool] = field(default_factory=list)

    def counted(self) -> tuple[Array, Array]:
        """Count them with both encodings."""
        return tuple(np.array(e.count_batch(self.texts), float) for e in (O200K, CL100K))  # type: ignore[return-value]


def cut(data: bytes, start: int, length: int) -> str:
    """Return a part of a text, less what is cut in two at its ends."""
    return data[start : start + length].decode(errors="ignore")


def pieces(folder: Path, length: int, limit: int, starts: Iterable[int] = (0,)) -> Texts:
    """Cut each corpus into pieces that lie in one block."""
    found = Texts()
    for path in sorted(folder.glob("*.txt")):
        data = path.read_bytes()[:limit]
        for start in starts:
            for at in range(start, len(data) - length + 1, length):
                if at // BLOCK == (at + length - 1) // BLOCK:
                    found.texts.append(cut(data, at, length))
                    found.origin.append(path.stem)
                    found.held_out.append(at // BLOCK % 2 == 1 or path.stem.startswith("unseen_"))
    return found


WIDELY_READ = ("ar", "de", "es", "fr", "hi", "it", "ja", "ko", "pt_BR", "ru", "zh_CN")
"""Languages that count twice."""


def weight_of(origin: str) -> float:
    """Return what a corpus matters: most of what is counted is English, code and data."""
    kind, _, language = origin.partition("_")
    if kind in {"prose", "man", "doc"}:
        return 6.0
    if kind in {"lang", "help", "faq"}:
        return 2.0 if language in WIDELY_READ else 1.0
    return 3.0
