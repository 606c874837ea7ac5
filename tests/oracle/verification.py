"""No pack leaves uncounted: shed what is over, offer the room that is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .selection import Selection


def verify(selection: Selection) -> int | None:
    """Count the rendering and mend the selection; None if required rows alone are over."""
    pricing = selection.pricing
    if not pricing.recounts:
        return pricing.count(selection.rows)
    if pricing.options.counter.opaque:
        return _verify_sparingly(selection)
    return _verify_each(selection)


def _verify_each(selection: Selection) -> int | None:
    """Recount after every step, as engine tokenizers allow."""
    pricing, options = selection.pricing, selection.pricing.options
    while not options.fits(pricing.count(selection.rows)):
        if selection.drop_last() is None:
            return None
    more = True
    while more:
        more = False
        for group in selection.offered:
            if options.fits(pricing.count(selection.rows_with(group))):
                selection.taken.append(group)
                more = True
    return pricing.count(selection.rows)


def _verify_sparingly(selection: Selection) -> int | None:
    """Recount few times: shed in growing steps, offer one batch."""
    pricing, options = selection.pricing, selection.pricing.options
    count = pricing.count(selection.rows)
    before = 0
    while not options.fits(count):
        saved = shed = 0
        while saved < options.over(count) or shed < max(1, 2 * before):
            group = selection.drop_last()
            if group is None:
                break
            saved += pricing.added(group)
            shed += 1
        if shed == 0:
            return None
        before = shed
        count = pricing.count(selection.rows)
    if options.available is None:
        return count
    room = options.available - count
    rows = selection.rows
    batch = []
    for group in selection.offered:
        added = pricing.sum([*rows, *group.rows]) - pricing.sum(rows)
        if added <= room:
            room -= added
            rows += group.rows
            batch.append(group)
    if batch and options.fits(pricing.count(rows)):
        selection.taken += batch
        count = pricing.count(rows)
    return count
