"""What goes wrong with histories between one request and the next."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

WRONG: list[Any] = [None, "", "x", 5, True, [], {}, [["nested"]], [None], {"a": {"b": []}}]
ENTRIES = {
    "openai-chat": ("content", "tool_calls"),
    "openai-responses": ("content", "output"),
    "anthropic": ("content",),
    "gemini": ("parts",),
}
KEYS = (
    "approval_request_id",
    "arguments",
    "args",
    "call_id",
    "caller",
    "caller_id",
    "content",
    "data",
    "execution",
    "function",
    "functionCall",
    "functionResponse",
    "function_call",
    "id",
    "input",
    "name",
    "output",
    "parts",
    "provider_data",
    "response",
    "role",
    "signature",
    "source",
    "status",
    "text",
    "thinking",
    "tool_call_id",
    "tool_calls",
    "tool_use_id",
    "type",
)
IDS = ("id", "call_id", "tool_call_id", "tool_use_id", "approval_request_id", "caller_id")
STRAYS: dict[str, list[Any]] = {
    "openai-chat": [
        {"role": "user", "content": "stray"},
        {"role": "assistant", "content": "stray"},
        {"role": "system", "content": "stray"},
        {"role": "wizard", "content": "stray"},
        {"role": "tool", "tool_call_id": "ghost", "content": "stray"},
        {"role": "tool", "content": "stray"},
        {"role": "function", "name": "ghost", "content": "stray"},
        {"role": "assistant", "content": None},
        {"role": "assistant", "content": "s", "tool_calls": []},
        {"role": "assistant", "content": "s", "tool_calls": {"id": "a"}},
        {
            "role": "user",
            "content": "s",
            "tool_calls": [{"id": "w", "function": {"name": "n", "arguments": "{}"}}],
        },
        {"content": "no role"},
        "stray",
        None,
        [],
    ],
    "openai-responses": [
        {"role": "user", "content": "stray"},
        {"role": "assistant", "content": "stray"},
        {"role": "wizard", "content": "stray"},
        {"type": "message", "id": "msg_stray", "role": "assistant", "content": []},
        {"type": "reasoning", "id": "rs_stray", "summary": []},
        {"type": "function_call_output", "call_id": "ghost", "output": "stray"},
        {"type": "function_call_output", "output": "stray"},
        {"type": "function_call", "name": "n", "arguments": "{}"},
        {"type": "function_call", "call_id": "k", "name": "n", "arguments": {"a": 1}},
        {"type": "tool_search_call"},
        {"type": "tool_search_output", "tools": []},
        {"type": "tool_search_output", "status": "in_progress", "tools": []},
        {"type": "tool_search_call", "execution": "client"},
        {"type": "program", "call_id": "p_stray"},
        {"type": "program_output", "call_id": "p_stray"},
        {"type": "web_search_call", "caller": {"type": "program", "caller_id": "p_stray"}},
        {"type": "compaction_trigger"},
        {"type": "item_reference", "id": "ref_stray"},
        {"id": "ref_stray"},
        {"type": "hologram"},
        {"type": "teleport_call"},
        {"type": "teleport_call", "call_id": "t_stray"},
        {"type": 7},
        {},
        "stray",
        None,
    ],
    "anthropic": [
        {"role": "user", "content": "stray"},
        {"role": "user", "content": [{"type": "text", "text": "stray"}]},
        {"role": "assistant", "content": "stray"},
        {"role": "system", "content": "stray"},
        {"role": "user", "content": ""},
        {"role": "user", "content": " \n"},
        {"role": "assistant", "content": []},
        {"role": "user", "content": [{"type": "text", "text": ""}]},
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "ghost", "content": "stray"}],
        },
        {"role": "user", "content": [{"type": "tool_use", "id": "w", "name": "n", "input": {}}]},
        {"role": "assistant", "content": [{"type": "tool_result", "tool_use_id": "c0"}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "s", "name": "n"}]},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "unsigned"}]},
        {"content": "no role"},
        "stray",
        None,
    ],
    "gemini": [
        {"role": "user", "parts": [{"text": "stray"}]},
        {"role": "model", "parts": [{"text": "stray"}]},
        {"role": "wizard", "parts": [{"text": "stray"}]},
        {"role": "user", "parts": []},
        {"role": "user", "parts": [{}]},
        {"role": "user"},
        {"role": "user", "parts": [{"functionResponse": {"name": "ghost", "response": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "weather"}}]},
        {"role": "user", "parts": [{"functionCall": {"name": "weather", "args": {}}}]},
        {"role": "model", "parts": [{"functionResponse": {"name": "weather", "response": {}}}]},
        {"role": "model", "parts": [{"functionCall": {"args": {}}, "thoughtSignature": "s"}]},
        "stray",
        None,
    ],
}


def broken(format: str, messages: list[Any], random: Random, *, times: int) -> list[Any]:
    """Return a deep copy of a history, broken so many times."""
    messages = copy.deepcopy(messages)
    for _ in range(times):
        random.choice(BREAKS)(random, format, messages)
    return messages


def _drop(random: Random, format: str, messages: list[Any]) -> None:
    del format
    if messages:
        del messages[random.randrange(len(messages))]


def _double(random: Random, format: str, messages: list[Any]) -> None:
    """Put a message in a second time, often right behind itself."""
    del format
    if messages:
        at = random.randrange(len(messages))
        to = random.choice([at + 1, at + 1, random.randrange(len(messages) + 1)])
        messages.insert(to, copy.deepcopy(messages[at]))


def _swap(random: Random, format: str, messages: list[Any]) -> None:
    del format
    if len(messages) > 1:
        at = random.randrange(len(messages) - 1)
        messages[at], messages[at + 1] = messages[at + 1], messages[at]


def _move(random: Random, format: str, messages: list[Any]) -> None:
    del format
    if messages:
        moved = messages.pop(random.randrange(len(messages)))
        messages.insert(random.randrange(len(messages) + 1), moved)


def _cut(random: Random, format: str, messages: list[Any]) -> None:
    """Take off the beginning or the end, as a trimmer does that counts messages."""
    del format
    at = random.randrange(len(messages) + 1)
    messages[:] = random.choice([messages[at:], messages[:at]])


def _stray(random: Random, format: str, messages: list[Any]) -> None:
    stray = copy.deepcopy(random.choice(STRAYS[format]))
    messages.insert(random.randrange(len(messages) + 1), stray)


def _lists(format: str, messages: list[Any]) -> Iterator[list[Any]]:
    for message in messages:
        for key in ENTRIES[format] if isinstance(message, dict) else ():
            if isinstance(message.get(key), list):
                yield message[key]


def _entry(random: Random, format: str, messages: list[Any]) -> None:
    """Drop, double or swap an entry of a list in a message, or move it into another message."""
    lists = [entries for entries in _lists(format, messages) if entries]
    if not lists:
        _drop(random, format, messages)
        return
    entries = random.choice(lists)
    at = random.randrange(len(entries))
    what = random.choice(["drop", "double", "swap", "away", "stray"])
    if what == "drop":
        del entries[at]
    elif what == "double":
        entries.insert(at + 1, copy.deepcopy(entries[at]))
    elif what == "swap":
        to = random.randrange(len(entries))
        entries[at], entries[to] = entries[to], entries[at]
    elif what == "away":
        random.choice(lists).append(entries.pop(at))
    else:
        text: Any = {"text": "stray"} if format == "gemini" else {"type": "text", "text": "stray"}
        entries.insert(at, random.choice([text, text, {"type": "hologram"}, ["nested"], "bare"]))


def _dicts(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from _dicts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _dicts(inner)


def _key(random: Random, format: str, messages: list[Any]) -> None:
    """Take away a key that means something, or put a value there that does not belong."""
    places = [(one, key) for one in _dicts(messages) for key in KEYS if key in one]
    if not places:
        _stray(random, format, messages)
        return
    holder, key = random.choice(places)
    if random.random() < 0.4:
        del holder[key]
    else:
        holder[key] = copy.deepcopy(random.choice(WRONG))


def _id(random: Random, format: str, messages: list[Any]) -> None:
    """Give a call or a result the id of another one, or one that nobody has."""
    places = [
        (one, key) for one in _dicts(messages) for key in IDS if isinstance(one.get(key), str)
    ]
    if not places:
        _move(random, format, messages)
        return
    holder, key = random.choice(places)
    ids = [one[name] for one, name in places]
    holder[key] = random.choice([*ids, "nobody"])


def _status(random: Random, format: str, messages: list[Any]) -> None:
    """Give an item another status, another way of running or another caller."""
    dicts = [message for message in messages if isinstance(message, dict)]
    if format != "openai-responses" or not dicts:
        _double(random, format, messages)
        return
    item = random.choice(dicts)
    what = random.choice(["status", "status", "execution", "caller"])
    if what == "status":
        item["status"] = random.choice(["in_progress", "completed", "incomplete", "failed", None])
    elif what == "execution":
        item["execution"] = random.choice(["client", "server"])
    else:
        programs = [one["call_id"] for one in dicts if isinstance(one.get("call_id"), str)]
        item["caller"] = random.choice(
            [{"type": "program", "caller_id": random.choice([*programs, "p9"])}, {"type": "direct"}]
        )


BREAKS: list[Callable[[Random, str, list[Any]], None]] = [
    _drop,
    _double,
    _swap,
    _move,
    _cut,
    _stray,
    _stray,
    _entry,
    _entry,
    _key,
    _key,
    _id,
    _id,
    _status,
]
