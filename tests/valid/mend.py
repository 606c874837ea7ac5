"""What is left of a chat history after its repair, step by step as the specification has them.

Only messages that alone are right but for their calls can be mended: see ``can_be_mended``.
"""

from __future__ import annotations

import copy
from typing import Any

from .chat import RESULTS, is_call, is_legacy
from .judge import refused

Message = dict[str, Any]

MENDED = {
    "dangling_call",
    "duplicate_call",
    "duplicate_result",
    "empty_tool_calls",
    "malformed_call",
    "orphan_result",
}
SAID = ("content", "refusal", "audio", "tool_calls", "function_call")


def can_be_mended(messages: list[Any]) -> bool:
    """Tell whether nothing is wrong but with calls, their results, and which stands where."""
    found = refused(messages, "openai-chat")
    results = {"tool_call_id", "name"}
    return {one.rule for one in found} <= MENDED and not any(
        one.rule == "malformed_call" and one.path in results for one in found
    )


def mend(messages: list[Message]) -> list[Message]:
    """Return a repaired copy: results move, then doubles, orphans and dangling calls go."""
    steps = _steps(copy.deepcopy(messages))
    _move(steps)
    left = []
    for number, step in enumerate(steps):
        before = copy.deepcopy(step.head)
        _drop_doubles_and_orphans(step)
        _drop_calls(step, live=number == len(steps) - 1)
        if step.head is not None and (step.head == before or _says_something(step.head)):
            left.append(step.head)
        left += step.results
    return left


class _Step:
    """A message and the results right behind it; those at the beginning have none before them."""

    def __init__(self, head: Message | None) -> None:
        self.head = head
        self.results: list[Message] = []

    def calls(self) -> list[tuple[str, str]]:
        """Return role and name of the result of each call."""
        if self.head is None or self.head["role"] != "assistant":
            return []
        entries = self.head.get("tool_calls")
        calls = entries if isinstance(entries, list) else []
        found = [("tool", one["id"]) for one in calls if is_call(one)]
        if is_legacy(self.head.get("function_call")):
            found.append(("function", self.head["function_call"]["name"]))
        return found

    def open_calls(self) -> set[tuple[str, str]]:
        """Return the calls that have no result here."""
        return set(self.calls()) - {_name(result) for result in self.results}


def _name(result: Message) -> tuple[str, str]:
    role = result["role"]
    return role, result["tool_call_id" if role == "tool" else "name"]


def _steps(messages: list[Message]) -> list[_Step]:
    steps = [_Step(None)]
    for message in messages:
        if message["role"] in RESULTS:
            steps[-1].results.append(message)
        else:
            steps.append(_Step(message))
    return steps


def _move(steps: list[_Step]) -> None:
    """Move a result that no call before it accepts to the nearest open call, an earlier one first.

    It comes behind the results that are already there.
    """
    for place, step in enumerate(steps):
        seen: set[tuple[str, str]] = set()
        for result in list(step.results):
            name = _name(result)
            accepted = name in step.calls() and name not in seen
            seen.add(name)
            if accepted:
                continue
            order = [*range(place - 1, -1, -1), *range(place + 1, len(steps))]
            for other in order:
                if name in steps[other].open_calls():
                    step.results = [one for one in step.results if one is not result]
                    steps[other].results.append(result)
                    break


def _drop_doubles_and_orphans(step: _Step) -> None:
    """Later calls of an id go, and every result but the first of each call."""
    seen: set[tuple[str, str]] = set()
    kept = []
    for result in step.results:
        name = _name(result)
        if name in step.calls() and name not in seen:
            kept.append(result)
        seen.add(name)
    step.results = kept
    if step.head is None or not isinstance(step.head.get("tool_calls"), list):
        return
    ids: set[str] = set()
    entries = []
    for entry in step.head["tool_calls"]:
        if not is_call(entry) or entry["id"] not in ids:
            entries.append(entry)
        if is_call(entry):
            ids.add(entry["id"])
    step.head["tool_calls"] = entries


def _drop_calls(step: _Step, *, live: bool) -> None:
    """What is no call goes, and what has no result unless the history ends with it."""
    head = step.head
    if head is None or head["role"] != "assistant":
        return
    gone = set() if live else step.open_calls()
    entries = head.get("tool_calls")
    if entries is not None:
        entries = entries if isinstance(entries, list) else []
        entries = [one for one in entries if is_call(one) and ("tool", one["id"]) not in gone]
        head["tool_calls"] = entries
        if not entries:
            del head["tool_calls"]
    legacy = head.get("function_call")
    if legacy is not None and (not is_legacy(legacy) or ("function", legacy["name"]) in gone):
        del head["function_call"]


def _says_something(message: Message) -> bool:
    """Tell whether anything is left of a message that lost calls."""
    return any(message.get(key) for key in SAID)
