"""Time optimal packs, class by class, and measure what a greedy pack of the same items loses.

All tokens are counted before: a row is the CPU time of one whole call of `pack`, counts kept, over
instances from seeds. `--quick` takes few of each, `--sections` only the classes with sections;
`--no-record` only prints.
"""

from __future__ import annotations

import random
import sys
import time
from statistics import fmean, quantiles
from typing import Any, NamedTuple

import pack_record

import packframe as pf

SHARES = (0.5, 0.25)
PARTS = 8


class Case(NamedTuple):
    """A class of instances."""

    n: int
    budget: int
    kind: str
    alternatives: bool
    bonds: bool = False

    @property
    def name(self) -> str:
        """What it is called in the table."""
        what = "sections, `requires`, `exclusive`" if self.bonds else "plain"
        return f"{self.kind}, {'alternatives' if self.alternatives else what}"


KINDS = ("uncorrelated", "weakly correlated", "strongly correlated")
CASES = [
    Case(n, budget, kind, n == 1_000)
    for n in (1_000, 10_000)
    for budget in (8_000, 128_000)
    for kind in KINDS
]
CASES += [
    Case(n, budget, "uncorrelated", alternatives=False, bonds=True)
    for n in (1_000, 10_000)
    for budget in (8_000, 128_000)
]


def words(rng: random.Random, count: int) -> str:
    """Return a text of so many short words."""
    return " ".join(rng.choices(("one", "two", "ten", "red", "sea", "day"), k=count))


def score(rng: random.Random, kind: str, tokens: int) -> float:
    """Return a score in the way of a class: Martello and Toth's, of weights up to 500."""
    if kind == "uncorrelated":
        return rng.random()
    if kind == "weakly correlated":
        return max(1.0, tokens + rng.uniform(-50, 50)) / 600
    return (tokens + 50) / 600


def instance(case: Case, seed: int) -> tuple[pf.Frame, list[pf.Section]]:
    """Return a frame and its sections."""
    rng = random.Random(seed)
    records: list[dict[str, Any]] = []
    for at in range(case.n):
        tokens = rng.randint(20, 500)
        record: dict[str, Any] = {
            "id": str(at),
            "content": words(rng, tokens),
            "score": score(rng, case.kind, tokens),
        }
        if case.alternatives:
            record["alternatives"] = [
                {
                    "content": words(rng, max(1, round(tokens * share * rng.uniform(0.5, 1.2)))),
                    "value": share,
                }
                for share in SHARES
            ]
        if case.bonds:
            record["section"] = f"s{rng.randrange(PARTS)}" if rng.random() < 0.8 else None
            if rng.random() < 0.2:
                record["requires"] = [
                    str(rng.choice([o for o in (at - 1, at - 7) if o >= 0] or [1]))
                ]
            if rng.random() < 0.1:
                record["exclusive"] = f"k{rng.randrange(case.n // 20)}"
        records.append({key: value for key, value in record.items() if value is not None})
    if not case.bonds:
        return pf.Frame.from_records(records), []
    sections = [
        pf.Section(
            f"s{at}",
            drop="lowest_score",
            min_tokens=case.budget // 16 if at % 2 else 0,
            max_tokens=case.budget // 7 if at % 3 else None,
            header=f"Part {at}",
        )
        for at in range(PARTS)
    ]
    return pf.Frame.from_records(records), sections


def value(pack: pf.Pack, frame: pf.Frame) -> float:
    """Return the sum of scores, alternatives by their share."""
    shares = {
        record["row"]: frame[record["row"]].alternatives[record["alternative"]].value
        for record in pack.manifest.substitutions
    }
    total: float = sum(
        frame[record["row"]].score * shares.get(record["row"], 1.0)
        for record in pack.manifest.selected
    )
    return total


def measure(case: Case, count: int) -> dict[str, Any]:
    """Return the times and the quality of a class."""
    times, greedy_times, losses, gaps, proved, efforts = [], [], [], [], 0, []
    for seed in range(count):
        frame, sections = instance(case, seed)
        options: dict[str, Any] = {
            "token_profile": pf.profiles.approximate(),
            "sections": sections,
            "layout": "section" if sections else "input",
        }
        greedy = frame.pack(case.budget, **options)
        start = time.process_time()
        greedy = frame.pack(case.budget, **options)
        middle = time.process_time()
        pack = frame.pack(case.budget, selection="optimal", **options)
        times.append((time.process_time() - middle) * 1e3)
        greedy_times.append((middle - start) * 1e3)
        record = pack.manifest.optimal
        assert record is not None
        gaps.append(record["gap"])
        proved += record["proved"]
        efforts.append(record["effort"])
        losses.append(1 - value(greedy, frame) / value(pack, frame))
    marks = quantiles(times, n=20, method="inclusive")
    return {
        "row": case.name,
        "n": case.n,
        "budget": case.budget,
        "instances": count,
        "p50_cpu_ms": round(marks[9], 3),
        "p95_cpu_ms": round(marks[18], 3),
        "greedy_p50_cpu_ms": round(quantiles(greedy_times, n=20, method="inclusive")[9], 3),
        "proved": proved,
        "gap_max": max(gaps),
        "effort_max": max(efforts),
        "greedy_loss_mean": round(fmean(losses), 5),
        "greedy_loss_max": round(max(losses), 5),
    }


def show(row: dict[str, Any]) -> None:
    """Print a row of the table."""
    print(
        f"| {row['n']:,} | {row['budget']:,} | {row['row']} | {row['greedy_p50_cpu_ms']:,.1f} "
        f"| {row['p50_cpu_ms']:,.1f} | {row['p95_cpu_ms']:,.1f} "
        f"| {row['proved']} of {row['instances']} | {row['gap_max']:.4%} "
        f"| {row['greedy_loss_mean']:.1%} |",
        flush=True,
    )


def main(arguments: list[str]) -> None:
    """Measure, print, and record."""
    run = pack_record.start({"packframe": pf.__version__}, "Other builds ran on the machine.")
    print("| groups | budget | class | greedy ms | p50 ms | p95 ms | proved | gap | greedy loses |")
    print("|---:|---:|---|---:|---:|---:|---:|---:|---:|")
    run["rows"] = []
    for case in CASES:
        if "--sections" in arguments and not case.bonds:
            continue
        count = 3 if "--quick" in arguments else 40 if case.n == 1_000 else 20
        row = measure(case, count)
        show(row)
        run["rows"].append(row)
    pack_record.finish(run)
    if "--no-record" not in arguments:
        print(f"\nrecorded in {pack_record.append(run, 'optimal')}")


if __name__ == "__main__":
    main(sys.argv[1:])
