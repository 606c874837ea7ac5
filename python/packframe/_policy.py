"""Rules that may refuse an item for a boundary."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from packframe._core import Boundary, Item
else:
    Protocol = object  # typing is slow to import


class Policy(Protocol):
    """A rule that may refuse an item for a boundary: any object with `id` and `evaluate` is one.

    >>> import packframe as pf
    >>> class NoDrafts(pf.Policy):
    ...     id = "no-drafts"
    ...     def evaluate(self, item, boundary):
    ...         return "is a draft" if (item.metadata or {}).get("draft") else None
    >>> frame = pf.Frame([pf.Item("a", metadata={"draft": True}), pf.Item("b")])
    >>> pack = frame.pack(100, policies=[NoDrafts()])
    >>> [(decision.row, decision.reason) for decision in pack.dropped()]
    [(0, 'policy:no-drafts')]
    """

    @property
    def id(self) -> str:
        """Its name, which stands in reasons as `policy:<id>`."""
        raise AttributeError

    def evaluate(self, item: Item, boundary: Boundary) -> str | None:
        """Return why the item is refused, or None to admit it."""
        raise NotImplementedError
