"""Chat messages: what is valid, what belongs together, what is counted."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

Message = dict[str, Any]

ROLES = ("system", "developer", "user", "assistant", "tool")
CALL_KEYS = ("tool_calls", "function_call")


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _is_text(part: Any) -> bool:
    return (
        isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)
    )


def has_media(message: Message) -> bool:
    """Tell whether a content list has a part that is no text."""
    content = message.get("content")
    return isinstance(content, list) and not all(_is_text(part) for part in content)


def text_of(message: Message) -> str:
    """Return what a text rendering shows of a message."""
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(part["text"] for part in content if _is_text(part))
    pieces = [content] if content else []
    pieces += [_compact(message[key]) for key in CALL_KEYS if message.get(key) is not None]
    return "\n".join(pieces)


@dataclass
class Counted:
    """The texts of a message that are counted, and how."""

    exact: list[str] = field(default_factory=list)
    compact: list[str] = field(default_factory=list)
    """Values written as compact JSON, whose cost is an estimate."""
    unknown: bool = False
    """Whether one of them stands in a field that nobody knows."""
    calls: int = 0
    """Calls of tools, which are framed like messages."""


def counted(message: Message) -> Counted:
    """Return what the cost of a message is made of."""
    result = Counted()
    for key, value in message.items():
        if key == "role" or value is None:
            continue
        if key in CALL_KEYS:
            listed = value if isinstance(value, list) else [value]
            bodies = [call.get("function") or call.get("custom") or call for call in listed]
            for body in bodies:
                given = body.get("arguments", body.get("input")) or ""
                text = given if isinstance(given, str) else _compact(given)
                result.compact += [said for said in (body.get("name", ""), text) if said]
            result.calls += len(bodies)
        elif isinstance(value, str):
            result.exact.append(value)
        elif key == "content" and isinstance(value, list):
            for part in filter(_is_text, value):
                result.exact.append(part["text"])
                extra = [part[name] for name in part if name not in {"type", "text"}]
                result.compact += [_compact(found) for found in extra]
                result.unknown |= bool(extra)
        else:
            result.compact.append(_compact(value))
            result.unknown = True
    return result


@dataclass
class Ties:
    """Which rows of a sequence live and die together."""

    groups: list[list[int]] = field(default_factory=list)
    """An assistant message with its results, two rows or more."""
    pending: list[int] = field(default_factory=list)
    """Rows of calls that wait for a result at the end, with the results they have."""
    problems: list[tuple[int, str]] = field(default_factory=list)
    """Position and rule of what a provider would refuse."""


def ties(messages: Sequence[Message | None]) -> Ties:
    """Tie calls to the results that follow right away; None is a row that is no message."""
    found = Ties()
    position = 0
    while position < len(messages):
        message = messages[position]
        end = position + 1
        if _is_result(message):
            found.problems.append((position, "orphan_result"))
        elif message is not None and message.get("function_call"):
            end += _tie_by_name(found, messages, position)
        elif message is not None and message.get("tool_calls"):
            while end < len(messages) and _is_result(messages[end]):
                end += 1
            _tie(found, messages, position, end)
        position = end
    found.problems.sort()
    return found


def _tie_by_name(found: Ties, messages: Sequence[Message | None], start: int) -> bool:
    """Tie an older call to the result behind it; tell whether there is one."""
    name = (messages[start] or {})["function_call"]["name"]
    result = messages[start + 1] if start + 1 < len(messages) else None
    if result is not None and result["role"] == "function" and result["name"] == name:
        found.groups.append([start, start + 1])
        return True
    if start + 1 == len(messages):
        found.pending.append(start)
    else:
        found.problems.append((start, "dangling_call"))
    return False


def _tie(found: Ties, messages: Sequence[Message | None], start: int, end: int) -> None:
    """Tie the calls of one message to the run of results up to ``end``."""
    calls = [call["id"] for call in (messages[start] or {})["tool_calls"]]
    if len(set(calls)) < len(calls):
        found.problems.append((start, "duplicate_call"))
    answered: set[str] = set()
    rows = [start]
    for position in range(start + 1, end):
        name = str((messages[position] or {}).get("tool_call_id"))
        if name not in calls:
            found.problems.append((position, "orphan_result"))
        elif name in answered:
            found.problems.append((position, "duplicate_result"))
        else:
            answered.add(name)
            rows.append(position)
    if len(rows) > 1:
        found.groups.append(rows)
    if answered != set(calls):
        if end == len(messages):
            found.pending += rows
        else:
            found.problems.append((start, "dangling_call"))


def _is_result(message: Message | None) -> bool:
    return message is not None and message["role"] in {"tool", "function"}


def records(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Return the records that ``Frame.from_messages`` makes of valid messages."""
    found = ties(messages)
    users = [row for row, message in enumerate(messages) if message["role"] == "user"]
    last = len(messages) - 1
    required = set(users[-1:]) | set(found.pending) | ({last} if messages else set())
    for rows in found.groups:
        if last in rows:
            required |= set(rows)
    required |= {
        row for row, message in enumerate(messages) if message["role"] in {"system", "developer"}
    }
    return [
        {
            "content": message,
            "kind": "message",
            "role": "tool" if message["role"] == "function" else message["role"],
            "score": (row + 1) / len(messages),
            "retention": "required" if row in required else "optional",
        }
        for row, message in enumerate(messages)
    ]
