"""What has to hold of every pack, checked on the slow packer, which judges the fast one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import event, given

from oracle import OracleFailure
from support import properties
from support.everything import Everything, busy, everything
from support.examples import EXAMPLES, examples
from support.properties import Packed

if TYPE_CHECKING:
    from collections.abc import Callable

PROPERTIES: list[Callable[[Packed], None]] = [
    properties.a_pack_is_never_over,
    properties.each_row_has_one_decision,
    properties.contracts_hold,
    properties.cuts_are_what_an_item_allows,
    properties.what_is_out_for_budget_would_be_over,
    properties.floors_are_kept,
    properties.preferred_come_first,
]


def check(plan: Everything) -> list[str]:
    """Pack and check; return what happened."""
    try:
        packed = Packed(plan)
    except OracleFailure as failure:
        return [f"raises {failure.name}"]
    for holds in PROPERTIES:
        holds(packed)
    return [
        *(record["form"] for record in packed.selected.values()),
        *(record["why"] for record in packed.selected.values()),
        *(record["reason"] for record in packed.excluded.values()),
    ]


@examples(300)
@given(plan=everything())
def test_properties_hold_where_everything_is_drawn(plan: Everything) -> None:
    """Each property holds of packs in which every feature may meet every other."""
    for name in check(plan):
        event(name)


SEEN = {
    "whole",
    "alternative",
    "cut",
    "floor",
    "score",
    "required",
    "pinned",
    "budget",
    "section_cap",
    "stopped",
    "exclusive",
    "requirement_missing",
    "join_cost",
    "quarantined",
    "raises BudgetExceeded",
    "raises SectionOverflow",
    "raises FloorsExceedBudget",
}
"""What busy packs show, all of it."""


def check_seed(seed: int) -> list[str]:
    """Check a busy pack; name it where a property does not hold."""
    try:
        return check(busy(seed))
    except AssertionError:
        pytest.fail(f"seed {seed}: {busy(seed)}")


def test_properties_hold_of_busy_packs() -> None:
    """Each property holds of packs that use most features at once, and all outcomes are seen."""
    seen: set[str] = set()
    for seed in range(max(400, EXAMPLES)):
        seen |= set(check_seed(seed))
    assert seen >= SEEN
