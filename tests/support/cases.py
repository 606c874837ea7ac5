"""The cases: their notation written out, their counters, and what they count as text."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import packframe as pf

if TYPE_CHECKING:
    from collections.abc import Iterator

Message = dict[str, Any]

_LINES = (Path(__file__).parent.parent / "data" / "cases.jsonl").read_text().splitlines()
CASES: dict[str, dict[str, Any]] = {case["id"]: case for case in map(json.loads, _LINES)}

UNCOUNTED = frozenset(
    {
        "approval_request_id",
        "call_id",
        "caller_id",
        "data",
        "id",
        "image_url",
        "role",
        "signature",
        "status",
        "thoughtSignature",
        "tool_call_id",
        "tool_use_id",
        "type",
        "url",
    }
)
"""Keys of ids, types, roles, statuses, signatures and media, which are no text."""
ONE_EACH = frozenset({"messages", "items", "contents"})
"""Counters that count one a message, whatever it is called."""


def unfold(value: Any) -> Any:
    """Write out what the notation of the cases abbreviates."""
    if isinstance(value, list):
        return [unfold(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "$repeat" in value:
        text, number = value["$repeat"]
        return text * number
    if "$concat" in value:
        return "".join(unfold(value["$concat"]))
    return {key: unfold(item) for key, item in value.items()}


def messages_of(given: dict[str, Any]) -> list[Message]:
    """Return the messages of a case's input: written out, named otherwise, or generated."""
    if "messages_gen" in given:
        rule = given["messages_gen"]
        return alternating(rule["n"], rule["text"])
    key = next(key for key in ("messages", "items", "contents") if key in given)
    messages: list[Message] = unfold(given[key])
    return messages


def alternating(number: int, text: str) -> list[Message]:
    """Return so many messages of one text, of user and assistant in turn."""
    return [{"role": ("user", "assistant")[row % 2], "content": text} for row in range(number)]


def sequence(given: dict[str, Any]) -> Iterator[list[Message]]:
    """Return the conversation of a ``pack_sequence`` after each of its turns.

    A number of turns is that many messages of user and assistant. A list names the messages of
    each turn: ``u1`` is the user's, ``call1`` a call of the assistant, ``res1`` its result.
    """
    grown: list[Message] = []
    turns = given["turns"]
    if isinstance(turns, int):
        turns = [[f"{'ua'[row % 2]}{row}"] for row in range(turns)]
    for turn in turns:
        grown = grown + [_named(name) for name in turn]
        yield grown


def _named(name: str) -> Message:
    kind = name.rstrip("0123456789")
    number = name[len(kind) :]
    if kind == "call":
        function = {"name": "lookup", "arguments": "{}"}
        call = {"id": f"k{number}", "type": "function", "function": function}
        return {"role": "assistant", "content": "", "tool_calls": [call]}
    if kind == "res":
        return {"role": "tool", "tool_call_id": f"k{number}", "content": f"result {number}"}
    return {"role": {"u": "user", "a": "assistant"}[kind], "content": name}


def characters(value: Any) -> int:
    """Count the characters of all text in a message."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, list):
        return sum(characters(item) for item in value)
    if isinstance(value, dict):
        return sum(characters(item) for key, item in value.items() if key not in UNCOUNTED)
    return 0


def tokens(counter: str, messages: list[Message]) -> int:
    """Return what the counter of a case says of messages."""
    if counter in ONE_EACH:
        return len(messages)
    more = int(counter.partition("+")[2] or 0)
    return sum(math.ceil(characters(message) / 4) + more for message in messages)


def profile(counter: str) -> pf.TokenProfile:
    """Return the counter of a case as a profile."""
    if counter in ONE_EACH:
        return pf.profiles.custom(
            counter, lambda _: 0, count_messages=len, envelope_tokens_per_item=1
        )
    return pf.profiles.custom(
        counter,
        lambda text: math.ceil(len(text) / 4),
        count_messages=lambda messages: tokens(counter, messages),
        envelope_tokens_per_item=int(counter.partition("+")[2] or 0),
    )
