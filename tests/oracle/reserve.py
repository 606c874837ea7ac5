"""Room for what has to be kept, and what is said if there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .group import Group
    from .pricing import Pricing


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
    shown = pricing.shown(order)
    needed = pricing.sum(shown)
    join = pricing.count(shown) - needed if counted else None
    costs: list[dict[str, Any]] = []
    charged: list[int] = []
    exceeded_at = None
    for position, row in enumerate(order):
        cumulative = pricing.sum(pricing.shown(order[: position + 1]))
        cost = pricing.whole[row].cost
        costs.append(
            {
                "row": row,
                "id": ids[row],
                "tokens": cost.tokens,
                "cumulative": cumulative,
                "accuracy": cost.accuracy,
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


def section_shortage(pricing: Pricing, groups: Sequence[Group], name: str | None) -> Shortage:
    """Return what an error says of required rows over the cap of their section."""
    order = required_rows(groups)
    charged: list[int] = []
    for position, row in enumerate(order):
        if name in pricing.over_caps(pricing.shown(order[: position + 1])):
            break
        charged.append(row)
    return Shortage(
        attributes={
            "section": name,
            "needed": pricing.tokens_in(name, pricing.shown(order)),
            "allocated": pricing.cap(name),
        },
        charged=tuple(charged),
    )
