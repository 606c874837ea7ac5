"""Print what the search for secrets takes at an external boundary, as JSON.

    python benches/secret_rates.py

Frames of one kind of text, 200 bytes an item, all of which fits. What the boundary costs is the
CPU time of a first pack for an external boundary over that of one for an internal boundary, on
frames of their own whose contents nobody has searched or counted; the two take turns. The search
is that of all rules; `redact` takes out what it finds.
"""

from __future__ import annotations

import gc
import json
import random
import sys
import time
from statistics import median
from typing import TYPE_CHECKING, Any

from pack_items import ITEM_BYTES, Corpus

import packframe as pf

if TYPE_CHECKING:
    from collections.abc import Callable

ITEMS = 10_000
ROUNDS = 7
OUTSIDE = pf.Boundary.external("benchmark")
REDACTED = pf.Boundary.external("benchmark", secrets="redact")
INSIDE = pf.Boundary.internal("benchmark")


def windows(text: str) -> list[str]:
    """Return items cut from a text at places from a seed."""
    source = random.Random(5)
    last = len(text) - ITEM_BYTES
    return [text[at : at + ITEM_BYTES] for at in (source.randrange(last) for _ in range(ITEMS))]


def settings() -> list[str]:
    """Return lines of settings, half of which hold a password: what the rules look at longest."""
    source = random.Random(6)
    names = (
        "DB_PASSWORD",
        "api_key",
        "timeout",
        "user",
        "client_secret",
        "retries",
        "host",
        "path",
    )
    lines = []
    for number in range(ITEMS):
        made = [f"{source.choice(names)}={source.getrandbits(64):x}" for _ in range(8)]
        lines.append(f"# service {number}\n" + "\n".join(made))
    return lines


def texts(corpus: Corpus) -> dict[str, list[str]]:
    """Return items of each kind of text."""
    source = random.Random(8)
    noise = "".join(source.choices("ABCDEFGHabcdefgh0123456789+/=_-", k=400_000))
    return {
        "mixed": [row.text for row in corpus.rows(ITEMS, 9)],
        "English": windows(corpus.prose),
        "code": windows(corpus.code),
        "languages": windows("\n".join(corpus.languages)),
        "settings": settings(),
        "base64": windows(noise),
    }


def timed(call: Callable[[], pf.Pack]) -> tuple[float, pf.Pack]:
    """Return the CPU seconds of a call, and what it made."""
    gc.collect()
    start = time.process_time()
    made = call()
    return time.process_time() - start, made


def measure() -> dict[str, Any]:
    """Return the record."""
    rows = []
    for name, items in texts(Corpus()).items():
        size = sum(len(text.encode()) for text in items)
        took: dict[str, list[float]] = {}
        refused = 0
        for _ in range(ROUNDS):
            for way, boundary in (("inside", INSIDE), ("outside", OUTSIDE), ("redact", REDACTED)):
                frame = pf.Frame(items)
                seconds, pack = timed(lambda: frame.pack(None, boundary=boundary))  # noqa: B023
                took.setdefault(way, []).append(seconds)
                if way == "outside":
                    refused = len(items) - len(pack.rows)
        inside = median(took["inside"])
        search = {way: median(took[way]) - inside for way in ("outside", "redact")}
        rows.append(
            {
                "row": name,
                "items": len(items),
                "bytes": size,
                "refused": refused,
                "inside_ns_an_item": round(inside / len(items) * 1e9),
                **{
                    f"{way}_ns_an_item": round(extra / len(items) * 1e9)
                    for way, extra in search.items()
                },
                "search_mb_a_second": round(size / 1e6 / max(search["outside"], 1e-9), 1),
            }
        )
    return {"rounds": ROUNDS, "rows": rows}


if __name__ == "__main__":
    print(json.dumps(measure(), indent=None if sys.argv[1:] else 1))
