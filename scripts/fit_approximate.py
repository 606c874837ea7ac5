"""Fit the weights of `pf.profiles.approximate()` and measure both variants.

    python scripts/fit_approximate.py TEXTS [--out WEIGHTS] [--table TABLE] [--seed N]

TEXTS is a folder of UTF-8 files, one corpus each (`scripts/gather_texts.py` makes one). Each file
is cut into blocks of 16 kB: the weights are fitted on every other block, and every figure is of
the blocks in between. A file whose name begins with `unseen_` is measured only. Same texts, same
weights: nothing here is random but the hostile strings, which are seeded.

Needs numpy, scipy and packframe, whose exact encodings say what is right. Takes some minutes and
about 4 GB.

What is fitted is described where it is used, in
`crates/packframe-tokens/src/approximate/mod.rs`; `LAYOUT` below is the layout of the file.
"""

from __future__ import annotations

import argparse
import random
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.optimize
import scipy.sparse

import hostile_texts
from approximate_texts import (
    BITS,
    BLOCK,
    CL100K,
    CLASS,
    CLASSES,
    CODE_POINTS,
    HEIGHT,
    LETTER_ROW,
    LETTERS,
    O200K,
    OTHER,
    PIECE,
    ROWS,
    RUN,
    Array,
    Seen,
    Texts,
    cut,
    log,
    most,
    pieces,
    place_of,
    weight_of,
)
from approximate_weights import Weights, coarse, of_corpora, of_hostile, rows_of, tied, units

FAMILIAR = 33_000
"""Windows that count as familiar: more of them cost the wheel more than they gain."""

CAP = 1.055
"""How far above `o200k_base` the estimate aims at most, where `cl100k_base` counts more."""

FLOOR = 1.0
"""What a familiar window costs at least, in shares of what it costs on average."""

PART = 0.15
"""What hostile strings matter where the average is fitted."""

USUAL = np.full((9, 9), 0.6)
USUAL[1, 1] = USUAL[2, 1] = USUAL[2, 2] = 0.1
USUAL[3, 3] = 0.33
USUAL[:, 4] = 0.05
USUAL[4, 4] = 0.2

PRICE = 0.1
"""What a text costs that stays under, in units of what all are over by."""

KINDS = (
    "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789", " ", "\t", "\r\n",
    ".,:;!?", "()[]{}<>", "\"'`", "-_=*#~", "/\\|",
)  # fmt: skip
"""Characters that go up together; the others, and what is no character, are kinds of their own."""

KIND = np.full(HEIGHT, len(KINDS))
for _number, _kind in enumerate(KINDS):
    KIND[[ord(_c) for _c in _kind]] = _number
KIND[OTHER], KIND[RUN] = len(KINDS) + 1, len(KINDS) + 2
PAIR_GROUP = (KIND[:, None] * (len(KINDS) + 3) + KIND[:128]).ravel()

COMMON = 5e-5
"""Windows that so many tokens of the corpora have stay familiar whatever they are repeated for."""

MARGIN_CORPUS = 0.05
MARGIN_HOSTILE = 0.02
RARE = 1.35
"""The same of one that no text has."""

FREE = np.zeros(CODE_POINTS, bool)
"""Characters that may cost less than alone: Hangul, of which common words are one token, and the
lines of boxes, which run."""
FREE[0xAC00:0xD7A4] = FREE[0x2500:0x25A0] = True

SURE = 1.08
"""What a character beyond ASCII costs, in shares of what it costs alone."""


def alone() -> Array:
    """Count each code point alone, with both encodings."""
    points = [chr(c) if not 0xD800 <= c < 0xE000 else "" for c in range(CODE_POINTS)]
    return np.array([e.count_batch(points) for e in (O200K, CL100K)], float)


def matrix(rows: Array, columns: Array, shape: tuple[int, int]) -> Any:
    """Return how often each feature is in each text."""
    ones = np.ones(len(rows), np.float64)
    return scipy.sparse.csr_matrix((ones, (rows, columns)), shape=shape)


@dataclass
class Problem:
    """Units per text = known + features @ weights, to be fitted to a target."""

    features: Any
    known: Array
    target: Array
    share: Array
    """What each text matters; the sum is 1."""

    def solve(
        self,
        loss: Any,
        start: Array,
        ridge: Array,
        low: Array,
        high: Array,
        rounds: int = 300,
        around: Array | None = None,
    ) -> Array:
        """Find weights; columns are scaled, or rare characters would never be learnt."""
        relative = (scipy.sparse.diags(1 / self.target) @ self.features).tocsr()
        known = self.known / self.target - 1
        importance = np.asarray(relative.multiply(relative).T @ self.share).ravel()
        scale = 1 / np.sqrt(importance + ridge + 1e-9)
        scaled = (relative @ scipy.sparse.diags(scale)).tocsr()
        back = scaled.T.tocsr()

        middle = start if around is None else around

        def objective(x: Array) -> tuple[float, Array]:
            value, slope = loss(scaled @ x + known)
            away = x * scale - middle
            return value + 0.5 * float(
                (ridge * away * away).sum()
            ), back @ slope + ridge * away * scale

        found = scipy.optimize.minimize(
            objective, np.clip(start, low, high) / scale, jac=True, method="L-BFGS-B",
            bounds=list(zip(low / scale, high / scale, strict=True)),
            options={"maxiter": rounds, "maxcor": 20, "maxfun": 2 * rounds},
        )  # fmt: skip
        return np.asarray(found.x) * scale

    def settle(self, share: Array, start: Array, ridge: Array, low: Array, high: Array) -> Array:
        """Find weights near the middle of the errors."""
        found = start
        for edge in EDGES:
            found = self.solve(near(share, edge), found, ridge, low, high, around=start)
        return found


EDGES = (1.0, 0.2, 0.05)
"""From a square loss, which is soon near, to one that a few odd texts do not pull."""


def near(share: Array, edge: float) -> Any:
    """Return the loss of an estimate: the distance, but for those nearer than the edge, squared."""

    def loss(error: Array) -> tuple[float, Array]:
        size = np.abs(error)
        value = np.where(size < edge, 0.5 * error * error / edge, size - edge / 2)
        return float((share * value).sum()), share * np.clip(error / edge, -1, 1)

    return loss


def shares(origin: list[str]) -> Array:
    """Return what each text matters: corpora are equal, but for their weight."""
    names, place, sizes = np.unique(np.array(origin), return_inverse=True, return_counts=True)
    by_name = np.array([weight_of(name) for name in names]) / sizes
    share = by_name[place]
    return np.asarray(share / share.sum())


def fit_estimate(texts: Texts, target: Array, single: Array) -> tuple[Array, Array]:
    """Fit tokens by pair, and tokens by code point, to a target; single is what one costs alone.

    First a factor for each block of code points, then each code point near it: those that are
    rare follow their block.
    """
    seen = Seen.of(texts.texts)
    beyond = ~seen.ascii
    size = HEIGHT * 128
    code, at = seen.code[beyond], seen.text[beyond]
    share = shares(texts.origin)
    pair_rows, pair_columns = seen.text[seen.ascii], seen.pair[seen.ascii]
    usual = USUAL[CLASS[np.arange(size) // 128], CLASS[np.arange(size) % 128]]
    pairs = usual
    points = single.copy()
    for by_block in (True, False):
        names, column = np.unique(code >> 6 if by_block else code, return_inverse=True)
        columns = size + len(names)
        values = np.concatenate(
            [np.ones(len(pair_rows)), points[code] if by_block else np.ones(len(code))]
        )
        places = (np.concatenate([pair_rows, at]), np.concatenate([pair_columns, size + column]))
        features = scipy.sparse.csr_matrix((values, places), shape=(len(texts.texts), columns))
        first = np.ones(len(names)) if by_block else points[names]
        start = np.concatenate([pairs, first])
        low = np.concatenate([np.full(size, 0.005), first * (0.05 if by_block else 0.3)])
        high = np.concatenate([np.full(size, 2.0), first * (1.1 if by_block else 2.5)])
        ridge = np.full(columns, 1e-6)
        problem = Problem(features, np.zeros(len(texts.texts)), target, share)
        found = problem.settle(share, start, ridge, low, high)
        pairs = found[:size]
        if by_block:
            factor = np.ones(CODE_POINTS >> 6)
            factor[names] = found[size:]
            points *= factor[np.arange(CODE_POINTS) >> 6]
        else:
            points[names] = found[size:]
    return pairs, points


def familiar_windows(folder: Path, limit: int) -> Array:
    """Return the keys of the windows that written text has most of, over all corpora."""
    keys, amounts = [], []
    for path in sorted(folder.glob("*.txt")):
        if path.stem.startswith("unseen_"):
            continue
        data = path.read_bytes()[:limit]
        seen = Seen.of([cut(data, at, BLOCK) for at in range(0, len(data), 2 * BLOCK)])
        key, count = np.unique(seen.window[seen.window >= 0], return_counts=True)
        keys.append(key[count >= 3])
        amounts.append(count[count >= 3] / len(seen.window) * weight_of(path.stem))
    key, place = np.unique(np.concatenate(keys), return_inverse=True)
    amount = np.bincount(place, np.concatenate(amounts))
    best = np.lexsort((key, -amount))[:FAMILIAR]
    return np.asarray(key[best])


@dataclass
class Bound:
    """The weights of the conservative variant, in tokens."""

    pairs: Array
    unfamiliar: Array
    points: Array
    letters: Array
    """Of each code point: what it costs in a familiar window."""
    windows: Array

    def count(self, seen: Seen, size: int) -> Array:
        """Return the tokens of each text."""
        known = self.known(seen)
        units = np.where(
            seen.ascii,
            np.where(known, self.pairs[seen.pair], self.unfamiliar[seen.pair]),
            np.where(known & seen.letter, self.letters[seen.code], self.points[seen.code]),
        )
        return np.bincount(seen.text, units, size)

    def known(self, seen: Seen) -> Array:
        """Say whether each window is familiar."""
        return (seen.window < 0) | self.windows[place_of(seen.window)]


def lift(
    features: Any, known: Array, goal: Array, least: Array, weights: Array,
    low: Array, groups: Array, alone_of: Array, first: int, second: int,
) -> Array:  # fmt: skip
    """Return how far weights must go up for no text to be under; the least over, exactly.

    Weights of a group go up together, pairs by a factor and an amount, characters by a part of the
    way to their ceiling: a few hundred unknowns, so a linear program settles it.
    """

    def grouped(amounts: Array, of: Array) -> Any:
        shape = (len(amounts), int(of.max()) + 1)
        return scipy.sparse.csr_matrix((amounts, (np.arange(len(amounts)), of)), shape=shape)

    ways = [
        (slice(0, first), grouped(low[:first], groups[:first])),
        (slice(0, first), grouped(np.ones(first), groups[:first])),
        (slice(first, second), scipy.sparse.identity(second - first, format="csr")),
        (slice(second, None), grouped(-low[second:], groups[first:])),
        (slice(second, None), grouped(alone_of, groups[first:])),
    ]
    by_text = scipy.sparse.hstack([features[:, part] @ way for part, way in ways]).tocsr()
    by_text = (scipy.sparse.diags(1 / goal) @ by_text).tocsr()
    need = least - (features @ low + known) / goal
    rows = np.flatnonzero(need > 0)
    used = np.flatnonzero(np.asarray(by_text[rows].sum(0)).ravel() > 0)
    part = by_text[rows][:, used]
    most_of = np.full(by_text.shape[1], 3.0)
    blocks = ways[-1][1].shape[1]
    most_of[-2 * blocks : -blocks], most_of[-blocks:] = 1.0, 0.4
    cost = np.asarray(by_text.T @ weights).ravel()[used]
    # A text may stay under where nothing helps, at a price.
    solved = scipy.optimize.linprog(
        np.concatenate([cost, np.full(len(rows), PRICE)]),
        A_ub=-scipy.sparse.hstack([part, scipy.sparse.identity(len(rows))]).tocsr(),
        b_ub=-need[rows],
        bounds=[*((0, top) for top in most_of[used]), *[(0, None)] * len(rows)],
        method="highs",
    )
    log("lifted", len(rows), "texts by", len(used), "unknowns:", solved.message)
    up = np.zeros(by_text.shape[1])
    up[used] = solved.x[: len(used)]
    found = np.zeros(len(low))
    at = 0
    for place, way in ways:
        found[place] += way @ up[at : at + way.shape[1]]
        at += way.shape[1]
    return found


def least_of_runs(pair_cost: Array) -> Array:
    """Return what a familiar window costs at least: a run its own cost, a digit a third."""
    least = np.zeros((HEIGHT, 128))
    own = np.arange(128)
    least[own, own] = pair_cost.reshape(HEIGHT, 128)[own, own]
    white = np.flatnonzero(CLASS[:128] == 4)
    least[RUN, white] = least[white, white]
    digits = np.flatnonzero(CLASS[:128] == 3)
    least[np.ix_(digits, digits)] = 0.34
    return np.asarray(least.ravel())


def repeated_pairs() -> Array:
    """Return what a character of two that alternate costs, by pair."""
    texts = [
        chr(a) * 48 if a == b else (chr(a) + chr(b)) * 24 for a in range(128) for b in range(128)
    ]
    cost = np.full((HEIGHT, 128), 1.0)
    cost[:128] = most(texts).reshape(128, 128) / 48
    own = np.arange(128)
    runs = most([chr(code) * 480 for code in range(128)]) / 480
    cost[own, own] = np.maximum(cost[own, own], runs)
    # Three and more in turn cost more than two.
    kind = CLASS[:128]
    signs = np.isin(kind, (0, 5, 6))
    other = ~np.eye(128, dtype=bool)
    least = np.where(signs[:, None] & signs & other, 0.85, 0.0)
    least[np.isin(kind, (1, 2))[:, None] & np.isin(kind, (1, 2)) & other] = 0.6
    cost[:128] = np.maximum(cost[:128], least)
    return np.asarray(cost.ravel())


def fit_bound(
    texts: Texts, target: Array, hostile: Texts, hostile_target: Array,
    single: Array, windows: Array,
) -> Bound:  # fmt: skip
    """Fit the bound: nothing in texts or hostile under it, and texts as little over as may be."""
    bits = np.zeros(1 << BITS, bool)
    bits[place_of(windows)] = True
    ceiling = single * SURE
    seen_codes = np.unique(Seen.of(texts.texts).code)
    unseen = np.ones(CODE_POINTS, bool)
    unseen[seen_codes] = False
    length = np.where(
        np.arange(CODE_POINTS) < 0x800, 2, np.where(np.arange(CODE_POINTS) < 0x10000, 3, 4)
    )
    # A rare character may cost more beside others than alone, though not more than its bytes;
    # the space before it is then a token, too.
    ceiling[unseen] = np.minimum(single * RARE, length + 0.2)[unseen]
    pair_cost = np.minimum(repeated_pairs() * 1.06, 2.0)
    size = HEIGHT * 128
    bound = Bound(np.ones(size), pair_cost, ceiling.copy(), ceiling.copy(), bits)
    codes = seen_codes
    codes = codes[codes >= 128]
    slot = np.full(CODE_POINTS, -1)
    slot[codes] = np.arange(len(codes))
    first, second = size, size + CLASSES * CLASSES
    third = second + len(codes)
    columns = third + len(codes)
    step = (CLASS[np.arange(size) // 128] * CLASSES + CLASS[np.arange(size) % 128]).astype(np.int64)
    letters = LETTER_ROW[codes >> 6] >= 0

    def built(seen: Seen, count: int) -> tuple[Any, Array]:
        known = bound.known(seen)
        wide, strange = ~seen.ascii, seen.ascii & ~known
        fixed = np.where(wide, ceiling[seen.code], np.where(strange, pair_cost[seen.pair], 0.0))
        kinds = (
            (seen.ascii & known, seen.pair),
            (strange, first + step[seen.pair]),
            (wide & ~seen.letter & (slot[seen.code] >= 0), second + slot[seen.code]),
            (wide & seen.letter & known & (slot[seen.code] >= 0), third + slot[seen.code]),
        )
        rows = np.concatenate([seen.text[where] for where, _ in kinds])
        places = np.concatenate([column[where] for where, column in kinds])
        return matrix(rows, places, (count, columns)), np.bincount(seen.text, fixed, count)

    ridge = np.full(columns, 1e-7)
    ridge[:first] = 1e-6
    low, high, start = np.zeros(columns), np.zeros(columns), np.zeros(columns)
    low[:first], high[:first] = 0.02, 2.0
    start[:first] = USUAL[CLASS[np.arange(size) // 128], CLASS[np.arange(size) % 128]]
    high[first:second] = 1.0
    low[second:] = -0.85 * np.tile(ceiling[codes], 2)
    sure = ~FREE[codes]
    low[second:third][sure] = (single - ceiling)[codes][sure]
    low[second:third][letters] = 0
    share = shares(texts.origin)
    every = Texts(texts.texts + hostile.texts)
    seen_all = Seen.of(every.texts)
    goal = np.concatenate([target, hostile_target])
    # A count is rounded up, which helps the short.
    least = np.concatenate(
        [np.full(len(target), MARGIN_CORPUS), MARGIN_HOSTILE - 0.9 / hostile_target]
    )
    weights = np.concatenate([share * 0.98, np.full(len(hostile.texts), 0.02 / len(hostile.texts))])
    features, known = built(seen_all, len(goal))
    looked = (seen_all.window >= 0) & (seen_all.text < len(texts.texts))
    by_char = (share / target)[seen_all.text[looked]]
    usage = np.bincount(place_of(seen_all.window[looked]), by_char, 1 << BITS)
    part = np.concatenate(
        [share * (1 - PART), np.full(len(hostile.texts), PART / len(hostile.texts))]
    )
    mean = Problem(features, known, goal, part).settle(part, start, ridge, low, high)
    fixed = np.concatenate([np.zeros(second), np.tile(ceiling[codes], 2)])
    low[:first] = np.minimum(mean[:first] * FLOOR, high[:first])
    low[second:] = np.minimum((fixed + mean)[second:] * FLOOR - fixed[second:], 0)
    low[second:third][sure] = (single - ceiling)[codes][sure]
    low[second:third][letters] = 0
    low[:first] = np.maximum(low[:first], least_of_runs(pair_cost))
    blocks = np.unique(codes >> 6, return_inverse=True)[1]
    groups = np.concatenate([PAIR_GROUP, blocks, blocks + int(blocks.max()) + 1])
    for round_ in range(2):
        if round_:
            features, known = built(seen_all, len(goal))
        most_of = np.tile(ceiling[codes], 2)
        found = low + lift(
            features, known, goal, 1 + least, weights, low, groups, most_of, first, second
        )
        bound.pairs = found[:first]
        bound.unfamiliar = pair_cost + found[first:second][step]
        bound.points[codes] = ceiling[codes] + found[second:third]
        bound.letters[codes] = ceiling[codes] + found[third:]
        error = (features @ found + known) / goal - 1
        log("bound, round", round_, "over", round(float((share * error[: len(share)]).sum()), 3),
            "under", int((error * goal < -0.9).sum()), "familiar", int(bits.sum()))  # fmt: skip
        left = forget(bound, random.Random(round_), usage)
        log("still under", left, "familiar", int(bits.sum()))
    return bound


def forget(bound: Bound, rng: random.Random, usage: Array) -> int:
    """Make windows unfamiliar again that a repetition needs to be under, the rarest of each.

    Returns how many repetitions stay under, for want of a window that is rare enough.
    """
    texts = list(hostile_texts.repetitions(rng))
    right = most(texts)
    seen = Seen.of(texts)
    place = place_of(seen.window)
    order = np.lexsort((usage[place], seen.text))
    while True:
        under = bound.count(seen, len(texts)) < right
        open_ = (seen.window >= 0) & under[seen.text] & bound.known(seen) & (usage[place] < COMMON)
        used = order[open_[order]]
        if not len(used):
            return int(under.sum())
        first = np.unique(seen.text[used], return_index=True)[1]
        bound.windows[place[used[first]]] = False


def main() -> int:
    """Fit, write, report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("texts", type=Path, help="folder of UTF-8 files, one corpus each")
    parser.add_argument("--out", type=Path, help="where the weights go")
    parser.add_argument("--table", type=Path, help="where the tables of errors go")
    parser.add_argument(
        "--leave-out",
        action="store_true",
        help="learn from five sixths of the kinds of hostile strings",
    )
    parser.add_argument("--limit", type=int, default=1_500_000, help="bytes of each corpus")
    arguments = parser.parse_args()
    folder, limit = arguments.texts, arguments.limit
    single = alone()
    log("code points counted")

    train = pieces(folder, 1024, limit)
    kept = [i for i, held in enumerate(train.held_out) if not held]
    train = Texts([train.texts[i] for i in kept], [train.origin[i] for i in kept])
    o200k, cl100k = train.counted()
    target = o200k.copy()
    origin = np.array(train.origin)
    for name in dict.fromkeys(train.origin):
        rows = origin == name
        target[rows] *= min(float(np.sqrt(np.median(cl100k[rows] / o200k[rows]))), CAP)
    pairs, points = fit_estimate(train, target, single.mean(0))
    log("estimate fitted")

    long = pieces(folder, PIECE, limit, (0, PIECE // 2))
    kept = [i for i, held in enumerate(long.held_out) if not held]
    long = Texts([long.texts[i] for i in kept], [long.origin[i] for i in kept])
    hostile = Texts()
    for seed in (1, 2):
        for kind, text in hostile_texts.strings(seed, folder):
            hostile.texts.append(text)
            hostile.origin.append(kind)
            hostile.held_out.append(seed == 2)
    log(len(hostile.texts), "hostile strings")
    learn = Texts()
    for kind, text, held in zip(hostile.origin, hostile.texts, hostile.held_out, strict=True):
        if (
            not held
            and len(text) >= 1000
            and (not arguments.leave_out or zlib.crc32(kind.encode()) % 6)
        ):
            learn.texts.append(text)
            learn.origin.append(kind)
    bound = fit_bound(long, np.maximum(*long.counted()), learn, most(learn.texts),
                      single.max(0), familiar_windows(folder, limit))  # fmt: skip
    weights = Weights(
        tied(units(pairs, up=False), units(pairs, up=False)),
        coarse(units(rows_of(points, ROWS, rest=True), up=False)),
        tied(units(bound.pairs, up=True), units(bound.pairs, up=True)),
        tied(units(bound.unfamiliar, up=True), units(bound.pairs, up=True)),
        units(rows_of(bound.points, ROWS, rest=True), up=True),
        units(rows_of(bound.letters, LETTERS, rest=False), up=True), bound.windows,
    )  # fmt: skip
    log("bound fitted")
    narrow = [chr(code) for code in range(128)]
    two = [(left + right) * 24 for left in narrow for right in narrow]
    lines = [text for text in two if set(text) & set("\n\t\r") and " " not in text]
    for texts, share in ((lines, 0.97), (two, 0.8)):
        log("mended", weights.mend(texts, share), "of", len(texts))
    if arguments.out:
        arguments.out.write_bytes(weights.bytes())
    table = of_corpora(weights, folder, limit) + of_hostile(weights, hostile)
    if arguments.table:
        arguments.table.write_text(table)
    else:
        print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
