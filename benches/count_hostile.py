"""Texts that a tokenizer may choke on, of any size, made here."""

from __future__ import annotations

import base64
import itertools
import random
import string
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

SEED = 11


def _random(alphabet: str, size: int) -> str:
    return "".join(random.Random(SEED).choices(alphabet, k=size))


def _repeated(unit: str, size: int) -> str:
    return unit * (size // len(unit.encode()))


def _base64(size: int) -> str:
    return base64.b64encode(random.Random(SEED).randbytes(size * 3 // 4)).decode()


def _chinese(size: int) -> str:
    generator = random.Random(SEED)
    return "".join(chr(generator.randint(0x4E00, 0x9FA5)) for _ in range(size // 3))


def _marks(size: int) -> str:
    generator = random.Random(SEED)
    return "e" + "".join(chr(generator.randint(0x300, 0x36F)) for _ in range(size // 2))


TEXTS: dict[str, Callable[[int], str]] = {
    "one letter": lambda size: "a" * size,
    "random letters": lambda size: _random(string.ascii_lowercase, size),
    "spaces": lambda size: " " * size,
    "line feeds": lambda size: "\n" * size,
    "mixed white space": lambda size: _random(" \t\n\r", size),
    "digits": lambda size: _random(string.digits, size),
    "punctuation": lambda size: _random(string.punctuation, size),
    "base64": _base64,
    "Chinese without spaces": _chinese,
    "emoji with joiners": lambda size: _repeated("\U0001f468‍\U0001f469‍\U0001f467‍\U0001f466", size),
    "combining marks": _marks,
    "apostrophes": lambda size: "'" * size,
}


def text(name: str, size: int) -> str:
    """Return a hostile text of about that many bytes."""
    return TEXTS[name](size)


def words(size: int) -> list[str]:
    """Return texts of a million bytes, made of words of 7 to 12 letters that do not come twice."""
    generator = random.Random(SEED)
    letters = bytes(ord("a") + number % 26 for number in range(256))
    found = []
    for _ in range(size // 1_000_000):
        text = generator.randbytes(1_000_000).translate(letters).decode()
        ends = itertools.accumulate(generator.choices(range(7, 13), k=len(text) // 7))
        places = [0, *(end for end in ends if end < 1_000_000)]
        found.append(" ".join(text[at:to] for at, to in itertools.pairwise(places)))
    return found
