"""Fit the weights of `pf.profiles.approximate()` and measure them.

    python scripts/fit_approximate.py TEXTS [--out WEIGHTS] [--table TABLE] [--limit BYTES]

TEXTS is a folder of UTF-8 files, one corpus each (`scripts/gather_texts.py` makes one). Each file
is cut into blocks of 16 kB: the weights are fitted on every other block, and every figure is of
the blocks in between. A file whose name begins with `unseen_` is measured only. Same texts, same
weights: nothing here is random.

Needs numpy, scipy and packframe, whose exact encodings say what is right. Takes some minutes and
about 3 GB.

What is fitted is described where it is used, in `crates/packframe-tokens/src/approximate/mod.rs`.
The file has a byte of units for each ASCII character (column) behind another (row), then one for
each character beyond ASCII, by row and its last six bits.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.optimize
import scipy.sparse

import packframe as pf

if TYPE_CHECKING:
    from collections.abc import Iterator

Array = Any
"""One of numpy, whose types are not among what the linters need."""

SCALE = 60
"""Units of one token, so that the dearest character, 4 tokens, fits in a byte."""

OTHER = 128
"""The row of a character that stands first or behind one beyond ASCII."""

RUN = 129
"""The row of a character behind two of white space."""

HEIGHT = 130
"""Rows of pairs."""

ROWS = [*range(0x80 >> 6, 0x10000 >> 6), *range(0x1F000 >> 6, 0x1FC00 >> 6)]
"""Blocks of 64 code points that have a row; one more row, the last, stands for all others."""

CODE_POINTS = 0x110000
PIECE = 4096
BLOCK = 16384

CAP = 1.04
"""How far above `o200k_base` the estimate aims at most, where `cl100k_base` counts more."""

EDGES = (1.0, 0.2, 0.05)
"""From a square loss, which is soon near, to one that a few odd texts do not pull."""

RIDGE = 1e-6
"""How strongly a weight that is hardly seen is held where it starts."""

SPACE = np.zeros(OTHER + 1, bool)
SPACE[[0x09, 0x0A, 0x0D, 0x20]] = True

ROW_OF = np.full(CODE_POINTS >> 6, len(ROWS))
ROW_OF[ROWS] = np.arange(len(ROWS))

WEIGHTS = {
    **dict.fromkeys(("ar", "de", "es", "fr", "hi", "it", "ja", "ko", "pt_BR", "zh_CN"), 2.0),
    "ru": 12.0,
}
"""Languages that are read more count more; Russian shares its letters with seven others."""

O200K = pf.profiles.openai("o200k_base")
CL100K = pf.profiles.openai("cl100k_base")


def log(*words: object) -> None:
    """Say what was done, behind the seconds of CPU time so far."""
    print(f"{time.process_time():7.1f} s", *words, file=sys.stderr, flush=True)


def weight_of(origin: str) -> float:
    """Return what a corpus matters: most of what is counted is English, code and data."""
    kind, _, language = origin.partition("_")
    if kind in {"prose", "man", "doc"}:
        return 6.0
    if kind in {"lang", "help", "faq"}:
        return WEIGHTS.get(language, 1.0)
    return 3.0


@dataclass
class Texts:
    """Texts, and where they come from."""

    texts: list[str] = field(default_factory=list)
    origin: list[str] = field(default_factory=list)

    def counted(self) -> tuple[Array, Array]:
        """Count them with both encodings."""
        o200k, cl100k = (np.array(e.count_batch(self.texts), float) for e in (O200K, CL100K))
        return o200k, cl100k

    def shares(self) -> Array:
        """Return what each text matters: corpora are equal, but for their weight."""
        names, place, sizes = np.unique(
            np.array(self.origin), return_inverse=True, return_counts=True
        )
        by_name = np.array([weight_of(name) for name in names]) / sizes
        share = by_name[place]
        return np.asarray(share / share.sum())


def pieces(folder: Path, length: int, limit: int, *, held_out: bool) -> Texts:
    """Cut each corpus into pieces that lie in one block, and return those held out or the rest."""
    found = Texts()
    for path in sorted(folder.glob("*.txt")):
        data = path.read_bytes()[:limit]
        for at in range(0, len(data) - length + 1, length):
            odd = at // BLOCK % 2 == 1 or path.stem.startswith("unseen_")
            if odd == held_out:
                # Less what is cut in two at the ends.
                found.texts.append(data[at : at + length].decode(errors="ignore"))
                found.origin.append(path.stem)
    return found


@dataclass
class Seen:
    """The characters of some texts, one behind the other, and the text that each belongs to."""

    code: Array
    text: Array
    pair: Array
    """Of an ASCII character: its place in the table of pairs."""
    ascii: Array

    @classmethod
    def of(cls, texts: list[str]) -> Seen:
        """Look at each character of some texts."""
        lengths = [len(text) for text in texts]
        code = np.frombuffer("".join(texts).encode("utf-32-le"), "<u4").astype(np.int64)
        text = np.repeat(np.arange(len(texts)), lengths)
        is_ascii = code < 128
        narrow = np.where(is_ascii, code, OTHER)
        one, two = (before(narrow, text, by) for by in (1, 2))
        # White space behind anything but white space costs the same: that makes a seam.
        row = np.where(SPACE[narrow] & ~SPACE[one], OTHER, one)
        row = np.where(SPACE[one] & SPACE[two], RUN, row)
        return cls(code, text, np.where(is_ascii, row * 128 + code, 0), is_ascii)


def before(narrow: Array, text: Array, by: int) -> Array:
    """Return what stands so many places before each character, in its own text."""
    moved = np.concatenate([np.full(by, OTHER), narrow])[: len(narrow)]
    owner = np.concatenate([np.full(by, -1), text])[: len(text)]
    return np.where(owner == text, moved, OTHER)


@dataclass
class Problem:
    """Tokens per text = features @ weights, to be fitted to a target."""

    features: Any
    target: Array
    share: Array
    """What each text matters; the sum is 1."""

    def settle(self, start: Array, low: Array, high: Array) -> Array:
        """Find weights near the middle of the errors."""
        found = start
        for edge in EDGES:
            found = self.solve(edge, found, start, low, high)
        return found

    def solve(self, edge: float, start: Array, around: Array, low: Array, high: Array) -> Array:
        """Find weights; columns are scaled, or rare characters would never be learnt."""
        relative = (scipy.sparse.diags(1 / self.target) @ self.features).tocsr()
        importance = np.asarray(relative.multiply(relative).T @ self.share).ravel()
        scale = 1 / np.sqrt(importance + RIDGE + 1e-9)
        scaled = (relative @ scipy.sparse.diags(scale)).tocsr()
        back = scaled.T.tocsr()

        def objective(x: Array) -> tuple[float, Array]:
            # The distance, but for errors nearer than the edge, squared.
            error = scaled @ x - 1
            size = np.abs(error)
            value = np.where(size < edge, 0.5 * error * error / edge, size - edge / 2)
            away = x * scale - around
            loss = float((self.share * value).sum()) + 0.5 * RIDGE * float((away * away).sum())
            slope = self.share * np.clip(error / edge, -1, 1)
            return loss, back @ slope + RIDGE * away * scale

        found = scipy.optimize.minimize(
            objective, np.clip(start, low, high) / scale, jac=True, method="L-BFGS-B",
            bounds=list(zip(low / scale, high / scale, strict=True)),
            options={"maxiter": 300, "maxcor": 20, "maxfun": 600},
        )  # fmt: skip
        return np.asarray(found.x) * scale


def usual() -> Array:
    """Return what a character of ASCII costs behind another, roughly: where the fit starts."""
    cost = np.full((HEIGHT, 128), 0.6)
    code = np.arange(128)
    lower, upper = (code >= 97) & (code <= 122), (code >= 65) & (code <= 90)
    digit, white = (code >= 48) & (code <= 57), SPACE[:128]
    cost[np.ix_(lower | upper, lower)] = 0.1
    cost[np.ix_(upper, upper)] = 0.1
    cost[np.ix_(digit, digit)] = 0.33
    cost[:, white] = 0.05
    cost[np.ix_(white, white)] = cost[RUN, white] = 0.2
    return cost.ravel()


def fit(texts: Texts, target: Array, alone: Array) -> tuple[Array, Array]:
    """Fit tokens by pair, and tokens by code point, to a target; alone is what one costs alone.

    First a factor for each block of code points, then each code point near it: those that are
    rare follow their block.
    """
    seen = Seen.of(texts.texts)
    code, at = seen.code[~seen.ascii], seen.text[~seen.ascii]
    rows, columns = seen.text[seen.ascii], seen.pair[seen.ascii]
    size, share = HEIGHT * 128, texts.shares()
    pairs, points = usual(), alone.copy()
    for by_block in (True, False):
        names, column = np.unique(code >> 6 if by_block else code, return_inverse=True)
        values = points[code] if by_block else np.ones(len(code))
        features = scipy.sparse.csr_matrix(
            (
                np.concatenate([np.ones(len(rows)), values]),
                (np.concatenate([rows, at]), np.concatenate([columns, size + column])),
            ),
            shape=(len(texts.texts), size + len(names)),
        )
        first = np.ones(len(names)) if by_block else points[names]
        least, most = (0.05, 1.1) if by_block else (0.3, 2.5)
        found = Problem(features, target, share).settle(
            np.concatenate([pairs, first]),
            np.concatenate([np.full(size, 0.005), first * least]),
            np.concatenate([np.full(size, 2.0), first * most]),
        )
        pairs = found[:size]
        if by_block:
            factor = np.ones(CODE_POINTS >> 6)
            factor[names] = found[size:]
            points *= factor[np.arange(CODE_POINTS) >> 6]
        else:
            points[names] = found[size:]
    return pairs, points


@dataclass
class Weights:
    """The weights as they are written: a byte each."""

    pairs: Array
    points: Array

    @classmethod
    def of(cls, pairs: Array, points: Array) -> Weights:
        """Round tokens to units: of a character beyond ASCII to three, for a smaller wheel."""
        table = np.concatenate([points[row << 6 : (row + 1) << 6] for row in ROWS])
        others = np.full(64, np.median(points[0x20000:0x30000]))
        wide = np.round(np.concatenate([table, others]) * SCALE).astype(np.int64)
        narrow = np.clip(np.round(pairs * SCALE), 1, 255).astype(np.uint8).reshape(HEIGHT, 128)
        # White space behind anything else costs what it costs at the start.
        behind = np.flatnonzero(~np.append(SPACE, True))
        white = np.flatnonzero(SPACE)
        narrow[np.ix_(behind, white)] = narrow[OTHER, white]
        return cls(narrow.ravel(), np.clip((wide + 1) // 3 * 3, 3, 255).astype(np.uint8))

    def count(self, texts: list[str]) -> Array:
        """Count as the library does."""
        seen = Seen.of(texts)
        place = (ROW_OF[seen.code >> 6] * 64 + (seen.code & 63)) * ~seen.ascii
        units = np.where(seen.ascii, self.pairs[seen.pair].astype(np.int64), self.points[place])
        return np.ceil(np.bincount(seen.text, units, len(texts)) / SCALE)

    def bytes(self) -> bytes:
        """Return the file."""
        return bytes(self.pairs.tobytes() + self.points.tobytes())


def quantiles(errors: Array) -> str:
    """Return median, first and last hundredth, in per cent."""
    percent = [np.percentile(errors * 100, q) for q in (50, 1, 99)]
    return " / ".join("0" if abs(x) < 0.5 else f"{x:+.0f}" for x in percent)


def table_of(weights: Weights, test: Texts) -> Iterator[str]:
    """Yield the table of errors on what was held out."""
    yield "| text | pieces | ratio | `o200k_base` | `cl100k_base` | bound, `o200k_base` |"
    yield "|---|---|---|---|---|---|"
    exact, counted = test.counted(), weights.count(test.texts)
    origin = np.array(test.origin)
    far: list[str] = []
    short: list[str] = []
    for name in dict.fromkeys(test.origin):
        rows = np.flatnonzero(origin == name)
        o200k, cl100k = (right[rows] for right in exact)
        errors = [counted[rows] / right - 1 for right in (o200k, cl100k)]
        bound = np.maximum(o200k, cl100k) / o200k - 1
        cells = [name, str(len(rows)), f"{np.median(cl100k / o200k):.2f}"]
        yield f"| {' | '.join([*cells, *map(quantiles, errors), quantiles(bound)])} |"
        for encoding, error in zip(("o200k", "cl100k"), errors, strict=True):
            far += [f"{name} ({encoding})"] * (abs(float(np.median(error))) > 0.08)
            short += [f"{name} ({encoding})"] * (float(np.percentile(error, 1)) < -0.25)
    yield ""
    yield f"median off by more than 8 %, {len(far)}: {', '.join(far)}"
    yield f"one in a hundred under by more than 25 %, {len(short)}: {', '.join(short)}"


def alone() -> Array:
    """Count each code point alone; return the mean of both encodings."""
    texts = [chr(c) if not 0xD800 <= c < 0xE000 else "" for c in range(CODE_POINTS)]
    return np.asarray(np.mean([e.count_batch(texts) for e in (O200K, CL100K)], axis=0))


def main() -> int:
    """Fit, write, report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("texts", type=Path, help="folder of UTF-8 files, one corpus each")
    parser.add_argument("--out", type=Path, help="where the weights go")
    parser.add_argument("--table", type=Path, help="where the table of errors goes")
    parser.add_argument("--limit", type=int, default=300_000, help="bytes of each corpus")
    arguments = parser.parse_args()

    train = pieces(arguments.texts, 1024, arguments.limit, held_out=False)
    target, cl100k = train.counted()
    ratio, origin = cl100k / target, np.array(train.origin)
    for name in dict.fromkeys(train.origin):
        rows = origin == name
        target[rows] *= min(float(np.sqrt(np.median(ratio[rows]))), CAP)
    log(len(train.texts), "pieces counted")
    weights = Weights.of(*fit(train, target, alone()))
    log("fitted")
    if arguments.out:
        arguments.out.write_bytes(weights.bytes())
    test = pieces(arguments.texts, PIECE, arguments.limit, held_out=True)
    table = "\n".join(table_of(weights, test)) + "\n"
    if arguments.table:
        arguments.table.write_text(table)
    else:
        print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
