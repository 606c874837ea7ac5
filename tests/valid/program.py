"""Programs of the Responses API: what they own, and while they live."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .tie import is_last

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .item import Item
    from .problem import Findings
    from .tie import Ties


class Programs:
    """Programs by id, each with where it begins and where its last output stands."""

    def __init__(self, items: Sequence[Item], ties: Ties) -> None:
        self._items = items
        self._ties = ties
        self._begins: dict[str, int] = {}
        self._ends: dict[str, int] = {}
        for item in items:
            if item.kind != "program" or item.key is None:
                continue
            if item.what == "call":
                self._begins.setdefault(item.key, item.position)
            elif item.position in ties.call_of and is_last(item):
                self._ends.setdefault(item.key, item.position)

    def judge(self, found: Findings) -> None:
        """An item that a program made stands in the life of the program, and is no program.

        A program lives from its own item to its completed output. An output without a caller
        belongs to the owner of its call, so it too has to come before the end.
        """
        for item in self._items:
            if item.owner is not None:
                if item.kind == "program" and item.what == "call":
                    found.refuse(item.position, "caller", "nested_program")
                elif not self._begins_before(item.owner, item):
                    found.refuse(item.position, "caller.caller_id", "unknown_program")
                elif self._ended_before(item.owner, item):
                    found.refuse(item.position, "caller.caller_id", "child_after_completed")
                continue
            call = self._ties.call_of.get(item.position)
            if (
                call is not None
                and call.owner is not None
                and self._is_child(call)
                and self._ended_before(call.owner, item)
            ):
                found.refuse(item.position, item.key_path, "child_after_completed")

    def has_child(self, program: Item) -> bool:
        """Tell whether a program made something, which stands in for its output."""
        return any(item.owner == program.key and self._is_child(item) for item in self._items)

    def may_wait(self, item: Item) -> bool:
        """Tell whether a call may stay without an output because a program made it."""
        waits = item.kind == "mcp_approval_request" or (
            item.kind == "shell_call" and item.status != "completed"
        )
        return waits and self._is_child(item)

    def _is_child(self, item: Item) -> bool:
        """Tell whether a program made an item: no output, no program, in the program's life."""
        return (
            item.owner is not None
            and item.what != "output"
            and item.kind != "program"
            and self._begins_before(item.owner, item)
            and not self._ended_before(item.owner, item)
        )

    def _begins_before(self, name: str, item: Item) -> bool:
        return name in self._begins and self._begins[name] < item.position

    def _ended_before(self, name: str, item: Item) -> bool:
        return name in self._ends and self._ends[name] < item.position
