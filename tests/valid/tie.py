"""Which output answers which call of the Responses API."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .item import STREAMS, Item

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .problem import Findings


@dataclass
class _Known:
    """The calls of one type and id, read so far."""

    calls: list[Item] = field(default_factory=list)
    answered: bool = False
    closed: bool = False


class Ties:
    """Calls and outputs, matched by type and id, or by place where a search has no id."""

    def __init__(self, items: Sequence[Item]) -> None:
        self.call_of: dict[int, Item] = {}
        """The call of each output that answers one, by position."""
        self._problems: list[tuple[int, str, str]] = []
        self._known: dict[tuple[str, str], _Known] = {}
        self._unanswered: list[Item] = []
        for item in items:
            if item.key is not None and item.what == "call":
                self._add_call(item, item.key)
            elif item.key is not None and item.what == "output":
                self._add_output(item, item.key)
        for known in self._known.values():
            if known.calls and not known.answered:
                self._unanswered.append(known.calls[0])
        self._match_anonymous(items)

    def judge(self, found: Findings) -> None:
        """Note what does not match."""
        for position, path, rule in self._problems:
            found.refuse(position, path, rule)

    def open_calls(self) -> list[Item]:
        """Return the calls that have no output."""
        return self._unanswered

    def _add_call(self, item: Item, key: str) -> None:
        """An id names one call of its type; the later one is refused.

        Of calls with one id none dangles if one of them is answered: then they are merely one
        too many. Otherwise the first of them dangles.
        """
        known = self._known.setdefault((item.kind, key), _Known())
        if known.calls:
            self._problems.append((item.position, item.key_path, "duplicate_call"))
        known.calls.append(item)
        known.closed = False

    def _add_output(self, item: Item, key: str) -> None:
        """An output belongs to the call of its id before it, has its owner, and comes in order.

        One without a call before it is an orphan. One of another owner does not answer, nor does
        one whose status no stream has. What comes behind the last output is one too many.
        """
        known = self._known.get((item.kind, key))
        if known is None:
            self._problems.append((item.position, item.key_path, "orphan_result"))
            return
        call = known.calls[-1]
        if item.owner is not None and item.owner != call.owner:
            self._problems.append((item.position, "caller", "wrong_owner"))
        elif not _has_status(item):
            self._problems.append((item.position, "status", "bad_status"))
        elif known.closed:
            self._problems.append((item.position, item.key_path, "duplicate_result"))
        else:
            known.answered = True
            known.closed = is_last(item)
            self.call_of[item.position] = call

    def _match_anonymous(self, items: Sequence[Item]) -> None:
        """A search without an id takes the nearest later output that is left, from the right.

        It takes outputs of a stream up to the last one, and none of another owner.
        """
        outputs = [item for item in items if item.what == "output" and item.anonymous]
        for item in outputs:
            if not _has_status(item):
                self._problems.append((item.position, "status", "bad_status"))
        left = [item for item in outputs if _has_status(item)]
        for call in reversed([item for item in items if item.what == "call" and item.anonymous]):
            taken = []
            for output in left:
                if output.position < call.position or output.owner not in (None, call.owner):
                    continue
                taken.append(output)
                if is_last(output):
                    break
            for output in taken:
                left.remove(output)
                self.call_of[output.position] = call
            if not taken:
                self._unanswered.append(call)
        for output in left:
            self._problems.append((output.position, output.key_path, "orphan_result"))


def _has_status(item: Item) -> bool:
    """Tell whether a stream has outputs of such a status; without a stream any will do."""
    if item.kind not in STREAMS:
        return True
    status = item.status
    known = STREAMS[item.kind][0] | STREAMS[item.kind][1]
    return (status is None or isinstance(status, str)) and status in known


def is_last(item: Item) -> bool:
    """Tell whether no output of the call may follow."""
    return item.kind not in STREAMS or item.status in STREAMS[item.kind][1]
