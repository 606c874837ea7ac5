"""Measure how far `pf.profiles.approximate()` is off on short texts.

    python scripts/measure_short.py TEXTS

TEXTS is a folder of UTF-8 files, one corpus each (`scripts/gather_texts.py` makes one). The short
texts are taken from the blocks that `scripts/fit_approximate.py` did not fit to: one from each
piece of 4 kB, from the first white space on where there is one near. Nothing here is random.

Prints the table of `docs/approximate-counts.md`. Needs packframe, whose exact encoding says what is
right. Takes a second.
"""

from __future__ import annotations

import re
import statistics
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import packframe as pf

if TYPE_CHECKING:
    from collections.abc import Iterator

LENGTHS = (20, 100, 1000)
"""In characters."""

PIECE = 4096
BLOCK = 16384
LIMIT = 300_000
"""Bytes of each corpus."""

NEAR = 40
"""Characters in which a white space is looked for, so that a text seldom starts inside a word."""


def starts(folder: Path) -> Iterator[str]:
    """Yield what is behind the starts of short texts, at least the longest of them."""
    for path in sorted(folder.glob("*.txt")):
        data = path.read_bytes()[:LIMIT]
        for at in range(0, len(data) - PIECE + 1, PIECE):
            if at // BLOCK % 2 == 1 or path.stem.startswith("unseen_"):
                text = data[at : at + PIECE].decode(errors="ignore")
                space = re.search(r"\s+", text[:NEAR])
                start = text[space.end() if space else 0 :]
                if len(start) >= max(LENGTHS):
                    yield start


def main() -> int:
    """Count, compare, print a table."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = list(starts(Path(sys.argv[1])))
    estimate, exact = pf.profiles.approximate(), pf.profiles.openai("o200k_base")
    print("| characters | texts | median | half are off by | one in twenty by | worst |")
    print("|---|---|---|---|---|---|")
    for length in LENGTHS:
        texts = [start[:length] for start in found]
        counts = zip(estimate.count_batch(texts), exact.count_batch(texts), strict=True)
        errors = sorted(100 * (ours / right - 1) for ours, right in counts)
        sizes = sorted(map(abs, errors))
        cells = [
            f"{length:,}",
            f"{len(texts):,}",
            f"{statistics.median(errors):+.0f}".replace("+0", "0"),
            f"{statistics.median(sizes):.0f}",
            f"{sizes[len(sizes) * 19 // 20]:.0f}",
            f"{errors[0]:+.0f} / {errors[-1]:+.0f}",
        ]
        print(f"| {' | '.join(cells)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
