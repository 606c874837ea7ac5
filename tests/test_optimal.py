"""Optimal selection: nothing is worth more, and what is not proved is bounded."""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING, Any

import pytest

import packframe as pf
from best import Instance, best, random_instance, solve

if TYPE_CHECKING:
    from collections.abc import Iterator

EXHAUSTIVE = int(os.environ.get("PACKFRAME_OPTIMAL_EXHAUSTIVE", "400"))
SOLVED = int(os.environ.get("PACKFRAME_OPTIMAL_SOLVED", "600"))


def packed(instance: Instance) -> tuple[Instance, pf.Pack] | None:
    """Return the optimal pack and the instance with the floors that were held; None if none is."""
    try:
        pack = instance.pack(selection="optimal")
    except (pf.BudgetExceeded, pf.InvalidItem):
        return None
    floors = {record["name"]: record["floor"] for record in pack.manifest.sections}
    return dataclasses.replace(instance, floors=floors), pack


def instances(count: int, most: int) -> Iterator[tuple[int, Instance, pf.Pack]]:
    """Yield instances that have a pack."""
    for seed in range(count):
        found = packed(random_instance(seed, most))
        if found is not None:
            yield seed, *found


def test_no_choice_of_all_is_worth_more() -> None:
    """The value, the groups and the tokens of a pack are those of the best of all packs."""
    count = 0
    for seed, instance, pack in instances(EXHAUSTIVE, 5):
        count += 1
        assert instance.vector(pack) in best(instance), f"seed {seed}"
        assert pack.manifest.optimal["proved"], f"seed {seed}"
    assert count > EXHAUSTIVE / 2


def test_an_independent_solver_finds_the_same() -> None:
    """HiGHS, on the same integers, finds the same value, groups and tokens."""
    count = 0
    for seed, instance, pack in instances(SOLVED, 14):
        solved = solve(instance)
        assert solved is not None, f"seed {seed}"
        own = instance.vector(pack)
        record = pack.manifest.optimal
        assert record["proved"], f"seed {seed}"
        assert record["value"] == (own[0] + own[1]) / 2**20
        tokens = {record["name"]: record["tokens"] for record in pack.manifest.sections}
        if any(tokens[name] < floor for name, floor in instance.floors.items()):
            # What was held and could not be used went to the others.
            assert own[:3] >= solved[:3], f"seed {seed}"
        elif any(instance.floors.values()):
            # Groups that came in behind may have filled a section up to its floor.
            assert own[:3] >= solved[:3], f"seed {seed}"
            count += own == solved
        else:
            assert own == solved, f"seed {seed}"
            count += 1
    assert count > SOLVED / 3
