"""Print what packing many frames in one call takes beside a loop of packs, as JSON.

    python benches/many_rates.py

A call packs frames of one size into a third of their tokens; each round has frames of its own, so
that none of their contents was counted (`first`), and then packs the same frames into another
budget (`again`). The loop and the batches on one and two threads take turns. CPU time says what
the batch costs, the clock on the wall what a second thread gives.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from itertools import count
from statistics import median
from typing import TYPE_CHECKING, Any

from pack_items import Corpus

import packframe as pf

if TYPE_CHECKING:
    from collections.abc import Callable

TOKENS = 45
"""Tokens of an item, about."""
ROUNDS = 9
SIZES = ((1_000, 10), (100, 100), (10, 1_000))
"""Frames a call, and items a frame."""
Packs = list[pf.Pack]


def loop(frames: list[pf.Frame], budget: int, profile: pf.TokenProfile) -> Packs:
    """Pack one after the other."""
    return [frame.pack(budget, token_profile=profile, render="text") for frame in frames]


def many(threads: int | None) -> Callable[[list[pf.Frame], int, pf.TokenProfile], Packs]:
    """Return what packs in one call, on at most so many threads."""

    def call(frames: list[pf.Frame], budget: int, profile: pf.TokenProfile) -> Packs:
        options = {"token_profile": profile, "render": "text"}
        return pf.pack_many(frames, budget, threads=threads, **options)

    return call


WAYS = {
    "loop": loop,
    "pack_many, threads=1": many(1),
    "pack_many, threads=2": many(2),
    "pack_many": many(None),
}


def timed(call: Callable[[], Packs]) -> tuple[float, float, Packs]:
    """Return CPU and wall seconds of a call, and what it made."""
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    made = call()
    return time.process_time() - cpu, time.perf_counter() - wall, made


def measure() -> dict[str, Any]:
    """Return the record."""
    corpus, seeds, rows = Corpus(), count(11), []
    profiles = {
        "approximate": pf.profiles.approximate(),
        "cl100k_base": pf.profiles.openai("cl100k_base"),
    }
    for counter, profile in profiles.items():
        profile.count_batch([row.text for row in corpus.rows(5_000, 1)])
        for number, size in SIZES:
            texts = [
                [[row.text for row in corpus.rows(size, next(seeds))] for _ in range(number)]
                for _ in range(ROUNDS)
            ]
            about = {"frames": number, "items": size, "counter": counter}
            rows += [{**about, **row} for row in compare(texts, profile)]
    return {"rounds": ROUNDS, "cores": os.cpu_count(), "rows": rows}


def compare(rounds: list[list[list[str]]], profile: pf.TokenProfile) -> list[dict[str, Any]]:
    """Return the rows of one size, of the texts of each round."""
    size = len(rounds[0][0])
    budget = size * TOKENS // 3
    took: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for turn, texts in enumerate(rounds):
        made: dict[str, list[Any]] = {}
        ways = list(WAYS)
        for name in ways[turn % len(ways) :] + ways[: turn % len(ways)]:
            frames = [pf.Frame(some) for some in texts]
            for row, room in (("first", budget), ("again", budget + 7)):
                cpu, wall, packs = timed(lambda: WAYS[name](frames, room, profile))  # noqa: B023
                took.setdefault((row, name), []).append((cpu, wall))
                made.setdefault(row, []).append([pack.rows for pack in packs])
        if any(packs != each[0] for each in made.values() for packs in each):
            raise AssertionError("a batch packs otherwise than a loop")
    number = len(rounds[0]) * size
    rows = []
    for (row, name), times in took.items():
        cpu, wall = (median(side) / number * 1e9 for side in zip(*times, strict=True))
        other = median(wall for _, wall in took[row, "loop"]) / number * 1e9
        figures = {"cpu_ns_an_item": round(cpu), "wall_ns_an_item": round(wall)}
        rows.append({"row": row, "way": name, **figures, "wall_over_loop": round(other / wall, 2)})
    return rows


if __name__ == "__main__":
    print(json.dumps(measure(), indent=None if sys.argv[1:] else 1))
