"""Policies and counters that do what they must not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import packframe as pf


class Refusing:
    """A policy that misbehaves."""

    id = "mine"

    def __init__(self, answer: Callable[[], Any]) -> None:
        self.answer = answer

    def evaluate(self, item: pf.Item, boundary: pf.Boundary) -> Any:
        """Answer whatever it was made for."""
        del item, boundary
        return self.answer()


def boom() -> Any:
    """Raise."""
    raise KeyError("boom")
