"""What is wrong at one place, and the list of all that is."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Container

RULES = frozenset(
    {
        "unknown_role",
        "missing_content",
        "empty_content",
        "malformed_block",
        "malformed_call",
        "empty_tool_calls",
        "call_in_wrong_role",
        "duplicate_call",
        "duplicate_result",
        "orphan_result",
        "result_not_first",
        "dangling_call",
        "pending_call",
        "no_follower",
        "bad_status",
        "first_role",
        "last_role",
        "unknown_program",
        "child_after_completed",
        "nested_program",
        "wrong_owner",
        "arguments_not_string",
    }
)


class Problem(NamedTuple):
    """One thing that a provider would refuse, or a call that waits."""

    position: int
    path: str
    rule: str
    severity: str


class Findings:
    """The problems found so far, and what the caller said about calls without results."""

    def __init__(self, *, allow_pending: bool, abandoned: Container[str]) -> None:
        self._allow_pending = allow_pending
        self._abandoned = abandoned
        self._found: set[Problem] = set()

    def refuse(self, position: int, path: str, rule: str) -> None:
        """Note what a provider would refuse."""
        assert rule in RULES
        self._found.add(Problem(position, path, rule, "refused"))

    def open_call(self, position: int, path: str, name: str | None, *, live: bool) -> None:
        """Note a call without its result.

        With nothing but results behind it the conversation is in the middle of that call: it is
        live state and pending. Anywhere else no result can come any more and providers refuse
        the list, unless the caller keeps such calls. An abandoned call is never pending.
        """
        if name is not None and name in self._abandoned:
            self.refuse(position, path, "dangling_call")
        elif live or self._allow_pending:
            self._found.add(Problem(position, path, "pending_call", "pending"))
        else:
            self.refuse(position, path, "dangling_call")

    def is_pending(self, position: int) -> bool:
        """Tell whether a message has a call that waits."""
        return any(one.position == position and one.severity == "pending" for one in self._found)

    def sorted(self) -> list[Problem]:
        """Return all of them in order."""
        return sorted(self._found)
