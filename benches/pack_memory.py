"""Print the resident bytes an item beyond its text, of one library, in a process of its own.

    python benches/pack_memory.py packframe frame 100000

`frame` keeps the frame only, `items` keeps the list of items too, `packed` packs the frame once
and drops the pack. Texts and ids are made on the way and released, so that a library pays for the
copy or the reference that it keeps; the UTF-8 bytes of the texts are taken off.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pack_items import Corpus
from pack_subjects import Cognoxium, Packframe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pack_items import Row
    from pack_subjects import Subject


def resident(settle: Callable[[], Any]) -> int:
    """Return the resident bytes of this process, with what was freed given back.

    An allocator of a library's own gives back on later calls, some time after: it gets two seconds
    and a few calls.
    """
    gc.collect()
    for _ in range(20):
        time.sleep(0.1)
        settle()
    ctypes.CDLL(None).malloc_trim(0)
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def made(subject: Subject, corpus: Corpus, count: int, seed: int) -> Iterator[Any]:
    """Return the items one by one; their rows live for a block only."""
    block = 1_000
    for start in range(0, count, block):
        rows: list[Row] = [
            row._replace(id=f"doc-{start + number}")
            for number, row in enumerate(corpus.rows(min(block, count - start), seed + start))
        ]
        yield from subject.items(rows)


def measure(name: str, what: str, count: int) -> float:
    """Return the resident bytes an item beyond its text."""
    subject = Packframe() if name == "packframe" else Cognoxium()
    corpus = Corpus()
    profile = subject.profile("approximate", "")
    warm = subject.frame(list(made(subject, corpus, 2_000, 1)))
    subject.pack(warm, 10**6, profile, "messages")
    text_bytes = 200 * count
    few = subject.items(corpus.rows(50, 2))

    def settle() -> None:
        subject.frame(few)

    before = resident(settle)
    items = made(subject, corpus, count, 10**6)
    kept = list(items) if what == "items" else items
    frame = subject.frame(kept)
    del items
    if what == "packed":
        subject.pack(frame, count * 20, profile, "messages")
    after = resident(settle)
    del kept, frame, warm
    return (after - before - text_bytes) / count


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
