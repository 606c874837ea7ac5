"""Why groups that could have been kept are out of the final pack."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .group import Group
    from .selection import Selection


def reason(selection: Selection, group: Group) -> str:
    """Return ``join_cost`` where a sum of parts would have allowed the group."""
    pricing = selection.pricing
    if group in selection.shed or pricing.options.fits(pricing.sum(selection.rows_with(group))):
        return "join_cost"
    return "budget"


def shortfall(selection: Selection, group: Group) -> int:
    """Return by how much the pack with the whole group would be over."""
    pricing = selection.pricing
    rows = selection.rows_with(group)
    opaque = pricing.recounts and pricing.options.counter.opaque
    return pricing.options.over(pricing.sum(rows) if opaque else pricing.count(rows))
