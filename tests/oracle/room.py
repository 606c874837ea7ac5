"""Whether what is shown has room: as a sum of parts, as it is rendered, or by an estimate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from .pricing import Pricing
    from .selection import Selection, Shown


class Room(Protocol):
    """Says yes or no to what would be shown."""

    def allows(self, shown: Shown) -> bool:
        """Tell whether that may be shown."""

    def took(self, before: Shown, after: Shown) -> None:
        """Note that it is shown now."""


class OfParts:
    """The room of a sum of parts, with or without what floors hold."""

    def __init__(self, selection: Selection, *, holding: bool) -> None:
        """Remember whose room it is."""
        self.selection = selection
        self.holding = holding

    def allows(self, shown: Shown) -> bool:
        """Tell whether caps and ceiling hold."""
        pricing = self.selection.pricing
        held = self.selection.held(shown) if self.holding else 0
        return pricing.options.fits(pricing.sum(shown) + held) and not pricing.over_caps(shown)

    def took(self, before: Shown, after: Shown) -> None:
        """Nothing is remembered."""


class OfRendering:
    """The room that the rendering leaves; caps are held on sums of parts."""

    def __init__(self, pricing: Pricing) -> None:
        """Remember the prices."""
        self.pricing = pricing

    def allows(self, shown: Shown) -> bool:
        """Tell whether caps and ceiling hold."""
        return not self.pricing.over_caps(shown) and self.pricing.options.fits(
            self.pricing.count(shown)
        )

    def took(self, before: Shown, after: Shown) -> None:
        """Nothing is remembered."""


class Estimated:
    """Room that was counted once, filled with sums of parts at the rate seen so far."""

    def __init__(self, pricing: Pricing, room: int, rate: tuple[int, int]) -> None:
        """Remember the room and what was counted for what sum before."""
        self.pricing = pricing
        self.room = room
        self.rate = rate
        self.before: Shown = {}

    def start(self, shown: Shown) -> None:
        """Note what is shown when the batch begins."""
        self.before = shown

    def added(self, before: Shown, after: Shown) -> int:
        """Return what the counter may see of a change."""
        added = self.pricing.sum(after) - self.pricing.sum(before)
        counted, summed = self.rate
        if counted > summed > 0:
            added = -(-added * counted // summed)
        return added

    def allows(self, shown: Shown) -> bool:
        """Tell whether caps hold and the estimate fits the room."""
        return not self.pricing.over_caps(shown) and self.added(self.before, shown) <= self.room

    def took(self, before: Shown, after: Shown) -> None:
        """Use the room up."""
        self.room -= self.added(before, after)
        self.before = after
