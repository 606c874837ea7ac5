"""Tables of a run of `bench_sections.py`.

`python benches/section_table.py [file]` prints the last run of a file, by default the newest.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pack_record


class Target(NamedTuple):
    """What is asked of a row."""

    row: str
    counter: str
    least: int
    most: int
    times: float


MANY = 10**9
TARGETS = (
    Target("first pack", "cl100k_base", 1_000, MANY, 50),
    Target("another budget", "cl100k_base", 1_000, MANY, 200),
    Target("first pack", "cl100k_base", 10, 10, 15),
    Target("another budget", "cl100k_base", 10, 10, 15),
    Target("first pack", "heuristic", 10, 10, 15),
    Target("another budget", "heuristic", 10, 10, 15),
)


def show_start(run: dict[str, Any]) -> None:
    """Print where and when, and the head of the table of times."""
    load = run["load_before"][0]
    print(f"{run['date']}, {run['processor']}, {run['cores']} cores, load {load:.1f}")
    print(f"Python {run['python']}, {run['versions']}, revision {run['revision']}")
    print(f"{run['note']}\n")
    print("| n | counter | row | packframe ms | peer ms | ratio, CPU | ratio, wall |")
    print("|---:|---|---|---:|---:|---:|---:|", flush=True)


def show_rows(rows: list[dict[str, Any]]) -> None:
    """Print rows of the table that `show_start` began."""
    for row in rows:
        print(
            f"| {row['n']:,} | {row['counter']} | {row['row']} | {row['ours_cpu_ms']:,.3f} "
            f"| {row['peer_cpu_ms']:,.3f} | {row['ratio_cpu']:,.1f} | {row['ratio_wall']:,.1f} |",
            flush=True,
        )


def show_rest(run: dict[str, Any]) -> None:
    """Print who was over the budget, the scaling, and the targets."""
    print("\n| n | counter | texts | library | packs | over | fullest, of its budget | kept |")
    print("|---:|---|---|---|---:|---:|---:|---:|")
    for cell in run["ceilings"]:
        for name in ("packframe", "promptbudget"):
            one = cell[name]
            texts = cell.get("texts", "of all kinds")
            print(
                f"| {cell['n']:,} | {cell['counter']} | {texts} | {name} | {one['packs']} "
                f"| {one['over']} | {one['fullest']:.1%} | {one['kept']:,} |"
            )
    print(
        "\n| n | counter | first pack, ns an item | again, ns an item | kept | peak MB | texts MB |"
    )
    print("|---:|---|---:|---:|---:|---:|---:|")
    for row in run["scale"]:
        print(
            f"| {row['n']:,} | {row['counter']} | {row['first_ns_an_item']:,} "
            f"| {row['again_ns_an_item']:,} | {row['kept']:,} "
            f"| {row['bytes_at_the_peak'] / 1e6:,.0f} | {row['n'] * 200 / 1e6:,.1f} |"
        )
    print("\n| target | asked | measured | met |\n|---|---:|---:|---|")
    for row in run["rows"]:
        for target in TARGETS:
            if (row["row"], row["counter"]) != target[:2]:
                continue
            if target.least <= row["n"] <= target.most:
                reached = row["ratio_cpu"]
                met = "yes" if reached >= target.times else "NO"
                what = f"{row['row']}, {row['counter']}, n = {row['n']:,}"
                print(f"| {what} | {target.times:.0f}× | {reached:,.1f}× | {met} |")


def main(names: list[str]) -> None:
    """Print the last run of a file."""
    path = Path(names[0]) if names else max(pack_record.RECORD.glob("*.sections.jsonl"))
    run = json.loads(path.read_text(encoding="utf-8").splitlines()[-1])
    show_start(run)
    show_rows(run["rows"])
    show_rest(run)


if __name__ == "__main__":
    main(sys.argv[1:])
