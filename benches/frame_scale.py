"""Print what the verbs of a frame take an item, at so many items, as JSON.

    python benches/frame_scale.py 1000000

CPU time: the least of some rounds, each on a frame whose contents no verb has seen. `exact` and
`near` duplicates are one item in twenty: the same text again, or with one word more at its end.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pack_items import Corpus
from section_scale import resident

import packframe as pf

if TYPE_CHECKING:
    from collections.abc import Callable

BLOCK = 1_000
ROUNDS = {1_000: 21, 10_000: 9, 100_000: 3}
QUERY = "how does the error of a class name reach its function"


def columns(size: int) -> dict[str, list[Any]]:
    """Return the columns of a table; one row in twenty says again what the row before it says."""
    corpus = Corpus()
    found: dict[str, list[Any]] = {"content": [], "score": [], "retention": []}
    for start in range(0, size, BLOCK):
        for row in corpus.rows(min(BLOCK, size - start), 7 + start):
            place, text = len(found["content"]), row.text
            if place % 20 == 19:
                text = found["content"][-1] + (" again" if place % 40 == 39 else "")
            found["content"].append(text)
            found["score"].append(row.score)
            found["retention"].append("required" if row.required else "optional")
    return found


def verbs(size: int) -> dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]]:
    """Return, of each row, what it is made from, and what is timed."""
    table = pa.table(columns(size))
    records = table.to_pylist()

    def frame() -> pf.Frame:
        return pf.Frame.from_arrow(table)

    half = pf.col("score") < 0.5
    return {
        "from_records": (lambda: records, pf.Frame.from_records),
        "from_arrow": (lambda: table, pf.Frame.from_arrow),
        "to_arrow": (frame, lambda one: one.to_arrow()),
        "filter": (frame, lambda one: one.filter(half)),
        "sort": (frame, lambda one: one.sort("score", descending=True)),
        "rank": (frame, lambda one: one.rank(QUERY)),
        "dedupe, exact": (frame, lambda one: one.dedupe()),
        "dedupe, near": (frame, lambda one: one.dedupe(by="near")),
        "pack, approximate": (frame, lambda one: one.pack(size * 15)),
    }


def measure(size: int) -> dict[str, Any]:
    """Return the record."""
    rows = []
    for name, (make, call) in verbs(size).items():
        took, kept = [], 0
        for _ in range(ROUNDS.get(size, 1)):
            given = make()
            gc.collect()
            start = time.process_time()
            done = call(given)
            took.append(time.process_time() - start)
            kept = len(getattr(done, "rows", done))
            del done, given
        rows.append({"row": name, "ns_an_item": round(min(took) / size * 1e9), "kept": kept})
    return {"n": size, "rows": rows, "bytes_at_the_peak": resident()}


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]))))
