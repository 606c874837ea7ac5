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
    rate = (count, pricing.sum(selection.rows))
    if not options.fits(count):
        found = _shed_sparingly(selection, count)
        if found is None:
            return None
        count, rate = found
    if options.available is None:
        return count
    return _offer_batch(selection, count, rate)


def _shed_sparingly(selection: Selection, count: int) -> tuple[int, tuple[int, int]] | None:
    """Shed until it fits; return the count, and what was counted for what sum before."""
    pricing, options = selection.pricing, selection.pricing.options
    bare = selection.required_rows
    floor = pricing.count(bare)
    if not selection.taken or not options.fits(floor):
        return None
    rate = (0, 0)
    before = 0
    while not options.fits(count):
        counted, summed = count - floor, pricing.sum(selection.rows) - pricing.sum(bare)
        rate = (counted, summed)
        room = options.available - floor if options.available is not None else 0
        keep = room * summed // counted if counted > 0 else summed
        shed = 0
        while shed < max(1, 2 * before) or (pricing.sum(selection.rows) - pricing.sum(bare) > keep):
            if selection.drop_last() is None:
                break
            shed += 1
        if shed == 0:
            return None
        before = shed
        count = pricing.count(selection.rows)
    return count, rate


def _offer_batch(selection: Selection, count: int, rate: tuple[int, int]) -> int:
    """Offer the room that is left to one batch; return the count."""
    pricing, options = selection.pricing, selection.pricing.options
    counted, summed = rate
    room = (options.available or 0) - count
    rows = selection.rows
    batch = []
    for group in selection.offered:
        added = pricing.sum([*rows, *group.rows]) - pricing.sum(rows)
        if counted > summed > 0:
            added = -(-added * counted // summed)
        if added <= room:
            room -= added
            rows += group.rows
            batch.append(group)
    if batch and options.fits(pricing.count(rows)):
        selection.taken += batch
        count = pricing.count(rows)
    return count
