"""What sections are promised, and whether there is room for that."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .section import Section
    from .selection import Selection


def promised(selection: Selection) -> dict[str, int]:
    """Return the floor of each section that asks for one: no more than it could ever have."""
    return {
        section.name: min(_limits(selection, section))
        for section in selection.pricing.options.declared
        if section.min_tokens > 0
    }


def _limits(selection: Selection, section: Section) -> list[int]:
    cap = selection.pricing.cap(section.name)
    limits = [section.min_tokens, _possible(selection, section.name)]
    return limits if cap is None else [*limits, cap]


def _possible(selection: Selection, name: str) -> int:
    """Return what a section costs with all that could stand beside the required groups."""
    shown = selection.bare
    for group in selection.free(name):
        core = selection.core(group)
        stands = selection.standing(core, cut=selection.cuts(name))
        if stands is not None:
            shown = shown | {row: stands[row] for row in group.rows}
    return selection.has(name, shown)
