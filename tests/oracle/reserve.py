"""Room for what has to be kept, and what is said if there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .cost import Pricing
    from .group import Group


@dataclass(frozen=True)
class Shortage:
    """Required rows that do not fit."""

    attributes: dict[str, Any]
    charged: tuple[int, ...]
    """Required rows that were charged before the ceiling was passed."""


def required_rows(groups: Sequence[Group]) -> list[int]:
    """Return the rows of required groups, group by group."""
    return [row for group in groups if group.required for row in group.rows]


def shortage(
    pricing: Pricing, groups: Sequence[Group], ids: Sequence[str], *, counted: bool
) -> Shortage:
    """Return what an error says; ``counted`` if the rendering was, and is over."""
    options = pricing.options
    order = required_rows(groups)
    needed = pricing.sum(order)
    join = pricing.count(sorted(order)) - needed if counted else None
    costs: list[dict[str, Any]] = []
    charged: list[int] = []
    exceeded_at = None
    for position, row in enumerate(order):
        cumulative = pricing.sum(order[: position + 1])
        costs.append(
            {
                "row": row,
                "id": ids[row],
                "tokens": pricing.costs[row].tokens,
                "cumulative": cumulative,
                "accuracy": pricing.costs[row].accuracy,
            }
        )
        if options.fits(cumulative):
            charged.append(row)
        elif exceeded_at is None:
            exceeded_at = row
    return Shortage(
        attributes={
            "budget": options.budget,
            "reserve": options.reserve,
            "available": options.available,
            "required_tokens": needed,
            "overflow_tokens": options.over(needed + (join or 0)),
            "section": None,
            "item_costs": costs,
            "exceeded_at": exceeded_at,
            "join_tokens": join,
        },
        charged=tuple(charged),
    )
