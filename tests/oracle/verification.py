"""No pack leaves uncounted: shed what is over, offer the room that is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .passes import improve
from .room import Estimated, OfRendering
from .scan import Scan

if TYPE_CHECKING:
    from .room import Room
    from .selection import Selection

LAST = 1_000_000
"""The number of the pass that offers what the rendering leaves: later than all others."""


def verify(selection: Selection) -> int | None:
    """Count the rendering and mend the selection; None if required rows alone are over."""
    pricing = selection.pricing
    if not pricing.recounts:
        return pricing.count(selection.shown)
    if pricing.options.counter.opaque:
        return _verify_sparingly(selection)
    return _verify_each(selection)


def _offer(selection: Selection, room: Room) -> bool:
    """Improve forms, then offer what is out, in the order of the passes; nothing is cut anew."""
    improved = improve(selection, room)
    preferred = Scan(selection, room, "preferred", LAST, cutting=False).run()
    optional = Scan(selection, room, "optional", LAST + 1, cutting=False).run()
    return improved or preferred or optional


def _verify_each(selection: Selection) -> int | None:
    """Recount after every step, as engine tokenizers allow."""
    pricing, options = selection.pricing, selection.pricing.options
    while not options.fits(pricing.count(selection.shown)):
        if not selection.drop_last():
            return None
    room = OfRendering(pricing)
    while _offer(selection, room):
        pass
    return pricing.count(selection.shown)


def _verify_sparingly(selection: Selection) -> int | None:
    """Recount few times: shed in growing steps, offer one batch."""
    pricing, options = selection.pricing, selection.pricing.options
    count = pricing.count(selection.shown)
    rate = (count, pricing.sum(selection.shown))
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
    bare = selection.bare
    floor = pricing.count(bare)
    if not selection.taken or not options.fits(floor):
        return None
    rate = (0, 0)
    before = 0
    while not options.fits(count):
        counted, summed = count - floor, pricing.sum(selection.shown) - pricing.sum(bare)
        rate = (counted, summed)
        room = options.available - floor if options.available is not None else 0
        keep = room * summed // counted if counted > 0 else summed
        shed = 0
        while shed < max(1, 2 * before) or (
            pricing.sum(selection.shown) - pricing.sum(bare) > keep
        ):
            gone = selection.drop_last()
            if not gone:
                break
            shed += len(gone)
        if shed == 0:
            return None
        before = shed
        count = pricing.count(selection.shown)
    return count, rate


def _offer_batch(selection: Selection, count: int, rate: tuple[int, int]) -> int:
    """Offer the room that is left to one batch; return the count."""
    pricing, options = selection.pricing, selection.pricing.options
    room = Estimated(pricing, (options.available or 0) - count, rate)
    room.start(selection.shown)
    taken, chosen = list(selection.taken), dict(selection.chosen)
    if not _offer(selection, room):
        return count
    with_batch = pricing.count(selection.shown)
    if options.fits(with_batch):
        return with_batch
    selection.taken, selection.chosen = taken, chosen
    return count
