"""Long lines of requirements: chains, trees and cycles, priced without walking each again."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest

import packframe as pf
from support.everything import Everything, busy
from support.examples import EXAMPLES
from test_everything import compare

LINES = ("down", "up", "cycle", "tree", "ring and tree")


def needed(line: str, number: int, rng: random.Random) -> list[int | None]:
    """Return of each row the row that it requires."""
    if line == "down":
        return [row + 1 if row + 1 < number else None for row in range(number)]
    if line == "up":
        return [row - 1 if row else None for row in range(number)]
    if line == "cycle":
        return [(row + 1) % number for row in range(number)]
    ring = rng.randint(2, 4) if line == "ring and tree" else 0
    order = rng.sample(range(number), number)
    found: list[int | None] = [None] * number
    for place, row in enumerate(order):
        if place < ring:
            found[row] = order[(place + 1) % min(ring, number)]
        elif place:
            found[row] = order[rng.randrange(place)]
    return found


def lined(seed: int) -> Everything:
    """Return a busy pack whose rows require each other in lines, with a bond more now and then."""
    rng = random.Random(f"lines {seed}")
    plan = busy(seed, most=24)
    number = len(plan.records)
    needs = needed(LINES[seed % len(LINES)], number, rng)
    loose, common = rng.choice([0, 0.1, 0.3]), rng.choice([0, 0, 0.1])
    for row, record in enumerate(plan.records):
        record.pop("requires", None)
        if rng.random() < 0.7:
            record.pop("exclusive", None)
        if record.get("retention") == "required" and rng.random() < 0.8:
            record["retention"] = "optional"
        need = needs[row]
        if need is not None and rng.random() >= loose:
            record["requires"] = [plan.records[need]["id"]]
            if rng.random() < common:
                record["requires"].append(plan.records[rng.randrange(number)]["id"])
    return plan


@pytest.mark.parametrize("part", range(4))
def test_lines_of_requirements_equal_the_oracles(part: int) -> None:
    """What is priced without walking is what walking prices, with sections, caps and forms."""
    for seed in range(part, 4 * (EXAMPLES or 60), 4):
        compare(lined(seed))


def chain(number: int, line: str) -> pf.Frame:
    """Return items of which each requires another."""
    needs = needed(line, number, random.Random(number))
    return pf.Frame(
        pf.Item(
            f"item number {row} has some words in it",
            id=str(row),
            score=1.0,
            requires=[] if need is None else [str(need)],
        )
        for row, need in enumerate(needs)
    )


@pytest.mark.parametrize("selection", ["greedy", "optimal"])
@pytest.mark.parametrize("line", LINES)
def test_long_lines_cost_what_their_length_does(line: str, selection: str) -> None:
    """Four times the chain costs far less than sixteen times as much, manifest and all."""

    def seconds(number: int) -> float:
        frame = chain(number, line)
        options: dict[str, Any] = {
            "token_profile": pf.profiles.openai("cl100k_base"),
            "render": "text",
            "selection": selection,
        }
        best = float("inf")
        for _ in range(3):
            start = time.process_time()
            pack = frame.pack(3 * number, **options)
            pack.manifest.to_json()
            best = min(best, time.process_time() - start)
        return best

    assert seconds(6_000) < 9 * max(seconds(1_500), 0.004)
