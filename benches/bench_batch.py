"""Time what stands around counting: a call, a text of a batch, a row of a column, a second thread.

Costs are what is left when counting is taken away: the texts of the first table are empty, so that
there is nothing to count. All is CPU time, the best of rounds, but for the column "wall".
`--no-record` only prints.
"""

from __future__ import annotations

import gc
import multiprocessing
import sys
import time
from typing import TYPE_CHECKING, Any

import pack_record
import pyarrow as pa
from pack_items import Corpus

import packframe as pf

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 9
CALLS = 200_000
ROWS = 100_000


def best(call: Callable[[], Any], rounds: int = ROUNDS) -> tuple[float, float]:
    """Return the least CPU seconds and the least wall seconds of a call."""
    found = []
    for _ in range(rounds):
        gc.collect()
        wall, cpu = time.perf_counter(), time.process_time()
        call()
        found.append((time.process_time() - cpu, time.perf_counter() - wall))
    return min(cpu for cpu, _ in found), min(wall for _, wall in found)


def calls(profile: pf.TokenProfile) -> dict[str, float]:
    """Return the nanoseconds of one call, the loop around it taken away."""

    def loop(text: str) -> None:
        count = profile.count
        for _ in range(CALLS):
            count(text)

    def empty() -> None:
        for _ in range(CALLS):
            pass

    around, _ = best(empty)
    return {
        f"count({text!r})": (best(lambda text=text: loop(text))[0] - around) / CALLS * 1e9  # type: ignore[misc]
        for text in ("", "hello")
    }


def texts(profile: pf.TokenProfile) -> dict[str, float]:
    """Return the nanoseconds of one empty text in each form of a batch."""
    batch = [""] * ROWS
    kept, column, views = tuple(batch), pa.array(batch), pa.array(batch, pa.string_view())
    forms: dict[str, Callable[[], Any]] = {
        "list": lambda: profile.count_batch(batch),
        "tuple": lambda: profile.count_batch(kept),
        "generator": lambda: profile.count_batch(text for text in batch),
        "utf8": lambda: profile.count_arrow(column),
        "utf8_view": lambda: profile.count_arrow(views),
    }
    return {form: best(call)[0] / ROWS * 1e9 for form, call in forms.items()}


def columns(profile: pf.TokenProfile, rows: list[str]) -> dict[str, float]:
    """Return the nanoseconds of a row of 200 bytes, in a column and by way of Python strings."""
    column = pa.array(rows)
    by_column, _ = best(lambda: profile.count_arrow(column, threads=1))
    by_list, _ = best(lambda: pa.array(profile.count_batch(column.to_pylist(), threads=1)))
    return {
        "count_arrow": by_column / len(rows) * 1e9,
        "by way of a list": by_list / len(rows) * 1e9,
    }


def child(pipe: Any, rows: list[str]) -> None:
    """Count when told to, and tell the CPU seconds."""
    profile = pf.profiles.openai("o200k_base")
    profile.count_batch(rows, threads=1)
    while pipe.recv():
        start = time.process_time()
        profile.count_batch(rows, threads=1)
        pipe.send(time.process_time() - start)


def threads(profile: pf.TokenProfile, rows: list[str]) -> dict[str, float]:
    """Return what two threads reach of two processes that count a half each, interleaved."""
    context = multiprocessing.get_context("fork")
    pipes = []
    for half in (rows[::2], rows[1::2]):
        ours, theirs = context.Pipe()
        context.Process(target=child, args=(theirs, half), daemon=True).start()
        pipes.append(ours)

    def processes() -> float:
        for pipe in pipes:
            pipe.send("count")
        return sum(float(pipe.recv()) for pipe in pipes)

    processes()
    own: list[tuple[float, float]] = []
    other: list[tuple[float, float]] = []
    for _ in range(ROUNDS):
        own.append(best(lambda: profile.count_batch(rows, threads=2), 1))
        start = time.perf_counter()
        cpu = processes()
        other.append((cpu, time.perf_counter() - start))
    for pipe in pipes:
        pipe.send("")
    cpu, wall = (min(side) for side in zip(*other, strict=True))
    own_cpu, own_wall = (min(side) for side in zip(*own, strict=True))
    return {"CPU": cpu / own_cpu, "wall": wall / own_wall}


def main() -> None:
    """Print the tables, and record them."""
    run = pack_record.start({"packframe": pf.__version__, "pyarrow": pa.__version__}, "batches")
    rows = [row.text for row in Corpus().rows(40_000, 7)]
    profile = pf.profiles.openai("o200k_base")
    profile.count_batch(rows)
    tables = {
        "ns a call": calls(profile),
        "ns an empty text, in a batch": texts(profile),
        "ns a row of 200 bytes": columns(profile, rows),
        "two threads over two processes": threads(profile, rows),
    }
    run["batches"] = tables
    for title, table in tables.items():
        print(f"| {title} | |\n|---|---:|")
        for name, value in table.items():
            print(f"| {name} | {value:,.2f} |")
        print()
    pack_record.finish(run)
    if "--no-record" not in sys.argv:
        print("recorded in", pack_record.append(run, "batch"))


if __name__ == "__main__":
    main()
