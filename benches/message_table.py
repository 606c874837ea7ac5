"""Tables of a run of `bench_messages.py`.

`python benches/message_table.py [file]` prints the last run of a file, by default the newest.
"""

from __future__ import annotations

import json
import sys
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pack_record

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

WHOLE = ("talk", "agent", "parts")
"""The families of which every conversation is one that a provider takes."""


def show_start(run: dict[str, Any]) -> None:
    """Print where and when, and the head of the table of times."""
    load = run["load_before"][0]
    print(f"{run['date']}, {run['processor']}, {run['cores']} cores, load {load:.1f}")
    print(f"Python {run['python']}, {run['versions']}, revision {run['revision']}")
    print(f"{run['note']}\n")
    own, *peers = run["versions"]
    print(f"| messages | n | budget | row | {own}, CPU ms | {', × | '.join(peers)}, × |")
    print(f"|---|---:|---:|---|{'---:|' * (len(peers) + 1)}", flush=True)


def show_rows(rows: list[dict[str, Any]], libraries: Iterable[str]) -> None:
    """Print rows of the table that `show_start` began: how many times as long the others take."""
    _, *peers = libraries
    for key, found in groupby(rows, key=lambda row: (row["kind"], row["n"], row["budget"])):
        for name, cells in groupby(found, key=lambda row: row["row"]):
            of = {cell["library"]: cell for cell in cells}
            own = next(iter(of.values()))["cpu_ms"]
            ratios = " | ".join(_ratio(of.get(peer)) for peer in peers)
            print(f"| {key[0]} | {key[1]:,} | {key[2]:,} | {name} | {own:,.2f} | {ratios} |")
    sys.stdout.flush()


def _ratio(cell: dict[str, Any] | None) -> str:
    return "–" if cell is None else f"{'> ' * cell['over_limit']}{cell['ratio_cpu']:,.1f}"


def _times(row: dict[str, Any]) -> str:
    over = "> " * row["over_limit"]
    return (
        f"| {row['library']} | {over}{row['cpu_ms']:,.2f} | {over}{row['ratio_cpu']:,.1f} "
        f"| {over}{row['ratio_wall']:,.1f} | {row['rounds']} |"
    )


def _verdict(row: dict[str, Any]) -> str:
    raised = sum(row["raised"].values())
    over = f"{row['over']:,} (by {row['over_by_at_most']:,})" if row["over"] else "0"
    used = "–" if row["budget_used"] is None else f"{row['budget_used']:.0%}"
    return (
        f"| {row['library']} | {row['conversations']:,} | {raised:,} | {row['invalid']:,} | {over} "
        f"| {row['question_lost']:,} | {row['any_of_these']:,} | {used} |"
    )


HEAD = "library | results | raised | invalid | over (at most) | question lost | any | budget used |"
RULE = "---|---:|---:|---:|---:|---:|---:|---:|"


def show_rest(run: dict[str, Any]) -> None:
    """Print the rows of their own, the verdicts, and what was asked."""
    if run["special"]:
        print("\n| row | budget | library | CPU ms | ratio, CPU | ratio, wall | rounds |")
        print("|---|---:|---|---:|---:|---:|---:|")
        for row in run["special"]:
            print(f"| {row['row']} | {row['budget']:,} {_times(row)}")
    print(f"\n| messages | n | budget | {HEAD}\n|---|---:|---:|{RULE}")
    for row in run["judged_large"]:
        if row["any_of_these"] or row["raised"]:
            print(f"| {row['kind']} | {row['n']:,} | {row['budget']:,} {_verdict(row)}")
    fine = [row for row in run["judged_large"] if not (row["any_of_these"] or row["raised"])]
    results = sum(row["conversations"] for row in fine)
    print(f"\nNothing is wrong with the other {results:,} results of these rows.")
    show_judged(run["judged"])
    every = [*run["judged_large"], *run["judged"]]
    print(f"\nThe two judges disagree on {sum(row['judges_disagree'] for row in every)} results.")
    if run["alone"]:
        print("\n| packframe alone, 10,000 messages | budget | asked | CPU ms | wall ms | met |")
        print("|---|---:|---:|---:|---:|---|")
        for row in run["alone"]:
            asked, met = "–", "–"
            if row["asked_ms"] is not None:
                asked = f"{row['asked_ms']:,.0f} ms"
                met = "yes" if row["cpu_ms"] <= row["asked_ms"] else "NO"
            print(
                f"| {row['row']} | {row['budget']:,} | {asked} | {row['cpu_ms']:,.2f} "
                f"| {row['wall_ms']:,.2f} | {met} |"
            )


def show_judged(rows: list[dict[str, Any]]) -> None:
    """Print the verdicts on short conversations: whole and broken ones, then by family."""
    libraries = list(dict.fromkeys(row["library"] for row in rows))
    families = list(dict.fromkeys(row["family"] for row in rows))
    broken = [name for name in families if name not in WHOLE]
    print(f"\n| conversations | {HEAD}\n|---|{RULE}")
    for title, names in (("whole", WHOLE), ("broken", broken)):
        for library in libraries:
            print(f"| {title} {_verdict(_sum(rows, library, names))}")
    print(f"\n| invalid, over or without the question | {' | '.join(libraries)} |")
    print(f"|---|{'---:|' * len(libraries)}")
    for family in families:
        found = [_sum(rows, library, [family])["any_of_these"] for library in libraries]
        print(f"| {family} | {' | '.join(f'{one:,}' for one in found)} |")


def _sum(rows: list[dict[str, Any]], library: str, families: Sequence[str]) -> dict[str, Any]:
    """Return the verdict on several families."""
    ours = [row for row in rows if row["library"] == library and row["family"] in families]
    keys = ("conversations", "invalid", "over", "question_lost", "any_of_these")
    used = [row["budget_used"] for row in ours if row["budget_used"] is not None]
    return {
        "library": library,
        **{key: sum(row[key] for row in ours) for key in keys},
        "raised": {
            family: sum(row["raised"].values()) for family, row in zip(families, ours, strict=True)
        },
        "over_by_at_most": max(row["over_by_at_most"] for row in ours),
        "budget_used": sum(used) / len(used) if used else None,
    }


def main(names: list[str]) -> None:
    """Print the last run of a file."""
    path = Path(names[0]) if names else max(pack_record.RECORD.glob("*.messages.jsonl"))
    run = json.loads(path.read_text(encoding="utf-8").splitlines()[-1])
    show_start(run)
    show_rows(run["rows"], run["versions"])
    show_rest(run)


if __name__ == "__main__":
    main(sys.argv[1:])
