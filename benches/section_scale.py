"""Print time and memory of packing so many items in sections of all drop rules, as JSON.

    python benches/section_scale.py 1000000 cl100k_base

Six sections, one for each drop rule, with floors and caps; a third of the tokens fit. The section
that comes whole or not at all has one item in a hundred, the others have a fifth of the rest each.
The peak is that of the whole process, texts included: 200 bytes an item.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pack_items import Corpus

import packframe as pf

if TYPE_CHECKING:
    from collections.abc import Iterator

BLOCK = 1_000
DROPS = ("all_or_nothing", "oldest", "newest", "lowest_score", "truncate", "cut_then_stop")
ROUNDS = 3
TOKENS = 45
"""Tokens of an item, about."""


def items(corpus: Corpus, size: int, seed: int) -> Iterator[pf.Item]:
    """Return items one by one; their texts are released as soon as they are items."""
    for start in range(0, size, BLOCK):
        for row in corpus.rows(min(BLOCK, size - start), seed + start):
            yield pf.Item(row.text, score=row.score, cut_to=1)


def resident(key: str = "VmHWM") -> int:
    """Return resident bytes: the most so far, or with `VmRSS` those of now.

    Not from getrusage: what that says of a child begins with the memory of its parent.
    """
    status = Path("/proc/self/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith(key))
    return int(line.split()[1]) * 1024


def section(corpus: Corpus, size: int, place: int, budget: int) -> pf.Section:
    """Return one section."""
    drop = DROPS[place]
    share = (size - size // 100) // 5 if place else size // 100
    return pf.Section(
        drop,
        items(corpus, share, 10**7 * (place + 1)),
        priority=(2, 1, 0, 1, -1, 0)[place],
        min_tokens=budget // 20,
        max_tokens=None if place == 0 else budget // 3,
        drop=drop,
        required=False,
    )


def measure(size: int, counter: str) -> dict[str, Any]:
    """Return the record."""
    corpus = Corpus()
    openai = counter != "heuristic"
    profile = pf.profiles.openai(counter) if openai else pf.profiles.approximate()
    profile.count_batch([row.text for row in corpus.rows(5_000, 1)])
    budget = size * TOKENS // 3
    before = resident()
    sections = [section(corpus, size, place, budget) for place in range(len(DROPS))]
    held = resident()
    number = sum(len(one.items) for one in sections)
    gc.collect()
    took, kept, tokens = [], 0, 0
    for turn in range(ROUNDS + 1):
        start = time.process_time()
        pack = pf.pack_sections(sections, budget + 7 * turn, token_profile=profile)
        took.append(time.process_time() - start)
        kept, tokens = len(pack.rows), pack.total_tokens
        del pack
    return {
        "n": number,
        "counter": counter,
        "first_ns_an_item": round(took[0] / number * 1e9),
        "again_ns_an_item": round(sorted(took[1:])[ROUNDS // 2] / number * 1e9),
        "kept": kept,
        "tokens": tokens,
        "budget": budget,
        "bytes_before": before,
        "bytes_with_sections": held,
        "bytes_at_the_peak": resident(),
        "bytes_resident_after": resident("VmRSS"),
    }


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]), sys.argv[2])))
