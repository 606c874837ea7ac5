"""The weights of both estimates as the library reads them, and how far off they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from approximate_texts import (
    HEIGHT,
    LETTER_ROW,
    OTHER,
    PIECE,
    ROW_OF,
    SPACE,
    Array,
    Seen,
    Texts,
    most,
    pieces,
    place_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LAYOUT = """
PAIRS * 1     approximate: units of an ASCII character (column) behind another (row)
ROWS * 64     approximate: units of the characters beyond ASCII, by row and last six bits
PAIRS * 1     conservative: the same, of a character whose window is familiar
PAIRS * 1     conservative: units of one whose window is not
ROWS * 64     conservative: units of the characters beyond ASCII, whose window is not familiar
WINDOWED * 64 conservative: units of those with a familiar window, by row of LETTERS
the rest      conservative: the familiar windows: how far to the next bit of 2^20 that is set, by
              byte; 255 goes on without setting one
"""

SCALE = 60
"""Units of one token, so that the dearest character, 4 tokens and a margin, fits in a byte."""


def rows_of(points: Array, rows: list[int], *, rest: bool) -> Array:
    """Return the values of code points by row; the rest is what most others cost."""
    table = np.concatenate([points[row << 6 : (row + 1) << 6] for row in rows])
    return (
        np.concatenate([table, np.full(64, np.median(points[0x20000:0x30000]))]) if rest else table
    )


def units(values: Array, *, up: bool) -> Array:
    """Return tokens as units: a bound is rounded up."""
    scaled = values * SCALE
    rounded = np.ceil(scaled - 1e-6) if up else np.round(scaled)
    return np.clip(rounded, 1, 255).astype(np.uint8)


def coarse(table: Array) -> Array:
    """Round to a twentieth of a token: nobody can tell, and the wheel is smaller."""
    return np.clip((table.astype(np.int64) + 1) // 3 * 3, 3, 255).astype(np.uint8)


def tied(pairs: Array, other: Array) -> Array:
    """White space behind anything else costs what it costs at the start, in each window."""
    table, first = pairs.reshape(HEIGHT, 128).copy(), other.reshape(HEIGHT, 128)
    white = np.flatnonzero(SPACE)
    rows = np.flatnonzero(~np.append(SPACE, True))
    table[:, white] = first[:, white]
    table[np.ix_(rows, white)] = first[OTHER, white]
    return np.asarray(table.ravel())


def gaps(bits: Array) -> Array:
    """Return how far it is from each bit that is set to the next, in bytes."""
    found = bytearray()
    last = -1
    for place in np.flatnonzero(bits):
        step = int(place) - last
        found += b"\xff" * (step // 255) + bytes([step % 255])
        last = int(place)
    return np.frombuffer(bytes(found), np.uint8)


@dataclass
class Weights:
    """Both variants, as they are written: bytes."""

    pairs: Array
    points: Array
    bound_pairs: Array
    bound_unfamiliar: Array
    bound_points: Array
    bound_letters: Array
    bits: Array

    def bytes(self) -> bytes:
        """Return the file."""
        parts = (self.pairs, self.points, self.bound_pairs, self.bound_unfamiliar,
                 self.bound_points, self.bound_letters, gaps(self.bits))  # fmt: skip
        return b"".join(part.tobytes() for part in parts)

    def mend(self, texts: list[str], share: float) -> int:
        """Bring repetitions to a share of their tokens; return how many texts were under it.

        Windows inside them become strange. Where white space and one more character alternate,
        there is none, so that pair goes up instead.
        """
        right = most(texts) * share
        seen = Seen.of(texts)
        place = place_of(seen.window)
        first = 0
        for round_ in range(24):
            short = right * SCALE - np.bincount(seen.text, self.units_of(seen), len(texts))
            under = short > 0
            if not round_:
                first = int(under.sum())
            if not under.any():
                break
            known = self.bits[place] & (seen.window >= 0) & under[seen.text] & seen.ascii
            # Only windows of four characters: the short ones begin every word.
            inside = known & (seen.window >= 1 << 24)
            if inside.any():
                self.bits[place[inside]] = False
                continue
            behind = known & np.append(SPACE, False)[seen.pair // 128]
            if not behind.any():
                break
            table = self.bound_pairs.astype(np.int64)
            np.maximum.at(table, seen.pair[behind], table[seen.pair[behind]] + 3)
            self.bound_pairs = np.minimum(table, 255).astype(np.uint8)
        return first

    def units_of(self, seen: Seen) -> Array:
        """Return what each character adds to the bound."""
        place = ROW_OF[seen.code >> 6] * 64 + (seen.code & 63)
        letter = np.maximum(LETTER_ROW[seen.code >> 6], 0) * 64 + (seen.code & 63)
        known = (seen.window < 0) | self.bits[place_of(seen.window)]
        pair = seen.pair
        narrow = np.where(known, self.bound_pairs[pair], self.bound_unfamiliar[pair])
        wide = np.where(
            known & seen.letter, self.bound_letters[letter], self.bound_points[place * ~seen.ascii]
        )
        return np.where(seen.ascii, narrow, wide).astype(np.int64)

    def estimate(self, texts: list[str]) -> Array:
        """Count with the estimate, as the library does."""
        seen = Seen.of(texts)
        place = ROW_OF[seen.code >> 6] * 64 + (seen.code & 63)
        total = np.where(
            seen.ascii, self.pairs[seen.pair].astype(np.int64), self.points[place * ~seen.ascii]
        )
        return np.ceil(np.bincount(seen.text, total, len(texts)) / SCALE)

    def bound(self, texts: list[str]) -> Array:
        """Count with the bound, as the library does."""
        seen = Seen.of(texts)
        return np.ceil(np.bincount(seen.text, self.units_of(seen), len(texts)) / SCALE)


def by_origin(texts: Texts) -> Iterator[tuple[str, Array]]:
    """Yield each corpus and its pieces that were held out."""
    origin, held = np.array(texts.origin), np.array(texts.held_out)
    for name in dict.fromkeys(texts.origin):
        yield name, np.flatnonzero((origin == name) & held)


def quantiles(errors: Array) -> str:
    """Return median, first and last hundredth, in per cent."""
    percent = [np.percentile(errors * 100, q) for q in (50, 1, 99)]
    return " / ".join("0" if abs(x) < 0.5 else f"{x:+.0f}" for x in percent)


HEAD = """\
| corpus | pieces | cl100k / o200k | estimate, `o200k_base` | estimate, `cl100k_base` | bound, \
`o200k_base` | bound, `cl100k_base` | bound, the larger |
|---|---|---|---|---|---|---|---|
"""


def of_corpora(weights: Weights, folder: Path, limit: int) -> str:
    """Return the table of errors on what was held out."""
    every = pieces(folder, PIECE, limit)
    kept = [i for i, held in enumerate(every.held_out) if held]
    test = Texts(
        [every.texts[i] for i in kept], [every.origin[i] for i in kept], [True] * len(kept)
    )
    exact = test.counted()
    larger = np.maximum(*exact)
    both = (weights.estimate(test.texts), weights.bound(test.texts))
    lines, far, over = [], [], []
    for name, rows in by_origin(test):
        errors = [counted[rows] / right[rows] - 1 for counted in both for right in exact]
        errors.append(both[1][rows] / larger[rows] - 1)
        ratio = np.median(exact[1][rows] / exact[0][rows])
        cells = [name, str(len(rows)), f"{ratio:.2f}", *map(quantiles, errors)]
        lines.append(f"| {' | '.join(cells)} |")
        far += [name] * (abs(float(np.median(errors[0]))) > 0.08)
        over += [name] * (float(np.median(errors[-1])) > 0.35)
    under = int((both[1] < larger).sum())
    lines += [
        "",
        f"off by more than 8 % of o200k_base: {', '.join(far) or 'none'}",
        f"over by more than 35 %: {', '.join(over) or 'none'}",
        f"pieces under the larger count: {under} of {len(larger)}",
    ]
    return HEAD + "\n".join(lines) + "\n"


def of_hostile(weights: Weights, hostile: Texts) -> str:
    """Return what the bound says of the hostile strings that were held out, by length."""
    tested = [i for i, held in enumerate(hostile.held_out) if held]
    texts = [hostile.texts[i] for i in tested]
    counted, right = weights.bound(texts), most(texts)
    lines = []
    for least, longest in ((1000, 10**9), (200, 1000), (0, 200)):
        rows = [i for i, text in enumerate(texts) if least <= len(text) < longest]
        under = [i for i in rows if counted[i] < right[i]]
        lines.append(f"hostile, {least} characters and more: {len(under)} of {len(rows)} under")
        shares = sorted((float(counted[i] / right[i] - 1), i) for i in under)
        lines += [
            f"- {hostile.origin[tested[i]]}: {share:+.1%} of {right[i]:.0f}"
            for share, i in shares[:40]
        ]
    return "\n".join(lines) + "\n"
