"""Time frames at scale, batches of packs and the search for secrets, and record the run.

`--quick` stops at 10,000 items; `--no-record` only prints. Each part runs in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pack_record
import pyarrow as pa

import packframe as pf

HERE = Path(__file__).parent
SIZES = (1_000, 10_000, 100_000, 1_000_000)


def part(name: str, *arguments: str) -> dict[str, Any]:
    """Return what a script prints."""
    command = [sys.executable, str(HERE / name), *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def show(title: list[str], rows: list[list[Any]]) -> None:
    """Print a table; the first column is words, the others are numbers where they are any."""
    print(f"\n| {' | '.join(title)} |\n|---|{'---:|' * (len(title) - 1)}")
    for row in rows:
        print("|", " | ".join(f"{one:,}" if isinstance(one, int) else str(one) for one in row), "|")


def show_all(run: dict[str, Any]) -> None:
    """Print the tables of a run."""
    print(
        f"{run['date']}, {run['processor']}, {run['cores']} cores, load {run['load_before'][0]:.1f}"
    )
    scale = run["scale"]
    names = [row["row"] for row in scale[0]["rows"]]
    figures = [[one["rows"][at]["ns_an_item"] for one in scale] for at in range(len(names))]
    show(
        ["CPU ns an item", *(f"{one['n']:,}" for one in scale)],
        [[name, *row] for name, row in zip(names, figures, strict=True)],
    )
    about = ("counter", "frames", "items", "row", "cpu_ns_an_item", "wall_ns_an_item")
    show(
        ["way", *about, "wall, over the loop"],
        [
            [row["way"], *(row[key] for key in about), row["wall_over_loop"]]
            for row in run["many"]["rows"]
        ],
    )
    keys = [key for key in run["secrets"]["rows"][0] if key != "row"]
    show(
        ["text", *keys],
        [[row["row"], *(row[key] for key in keys)] for row in run["secrets"]["rows"]],
    )


def main() -> None:
    """Run what the options choose."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="n up to 10,000")
    parser.add_argument("--no-record", action="store_true", help="print only")
    parser.add_argument("--note", default="", help="a sentence for the record")
    options = parser.parse_args()
    versions = {"packframe": pf.__version__, "pyarrow": pa.__version__}
    run = pack_record.start(versions, options.note)
    sizes = [size for size in SIZES if size <= 10_000 or not options.quick]
    run["scale"] = [part("frame_scale.py", str(size)) for size in sizes]
    run["many"] = part("many_rates.py", "line")
    run["secrets"] = part("secret_rates.py", "line")
    pack_record.finish(run)
    show_all(run)
    if not options.no_record:
        print("recorded in", pack_record.append(run, "frames"))


if __name__ == "__main__":
    main()
