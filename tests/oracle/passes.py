"""The five passes of the greedy selection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .room import OfParts
from .scan import Scan

if TYPE_CHECKING:
    from .room import Room
    from .selection import Selection


def select(selection: Selection) -> None:
    """Fill a selection that holds the required groups."""
    holding = OfParts(selection, holding=True)
    Scan(selection, holding, "preferred", 1).run()
    Scan(selection, holding, "optional", 2, to_floors=True).run()
    released = OfParts(selection, holding=False)
    improve(selection, released)
    number, again = 4, False
    while True:
        preferred = Scan(selection, released, "preferred", number, only_changed=again).run()
        optional = Scan(selection, released, "optional", number + 1, only_changed=again).run()
        if not preferred and not optional:
            return
        number, again = number + 2, True


def improve(selection: Selection, room: Room) -> bool:
    """Give cut and replaced items the best form that fits, in the order of selection."""
    changed = False
    for group in selection.taken:
        row = group.place
        if row not in selection.chosen:
            continue
        before = selection.shown
        for form in selection.better(row):
            if room.allows(before | {row: form}):
                selection.reform(row, form)
                room.took(before, selection.shown)
                changed = True
                break
    return changed
