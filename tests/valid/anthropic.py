"""Anthropic messages: each tool_use is answered in the next user turn, results first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .block import is_block, is_name
from .model import takes_prefill
from .turn import Place, Turn, is_live, turns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .problem import Findings

SIDES = {"user": "user", "assistant": "model"}
BLOCKS = {
    "text": "$text",
    "image": "source",
    "document": "source",
    "thinking": "$thinking",
    "redacted_thinking": "$data",
}
SERVER_CALLS = ("server_tool_use", "mcp_tool_use")
CALLS = ("tool_use", *SERVER_CALLS)


def judge(messages: Sequence[Any], found: Findings, model: str | None) -> None:
    """Judge each message alone, then the turns, then who speaks first and last."""
    for position, message in enumerate(messages):
        if not isinstance(message, dict):
            found.refuse(position, "", "malformed_block")
        elif side_of(message) is None:
            found.refuse(position, "role", "unknown_role")
        else:
            _judge_content(found, messages, position)
    every = turns(messages, side_of, places_of)
    seen: set[str] = set()
    around = [Turn(None), *every, Turn(None)]
    for index, turn in enumerate(every):
        before, behind = around[index], around[index + 2]
        live = is_live(every, index, is_result)
        _judge_calls(found, turn, behind, seen, live=live)
        _judge_results(found, turn, before)
        _judge_server(found, turn, live=live)
    if side_of(messages[0]) == "model":
        # The API begins with the user.
        found.refuse(0, "role", "first_role")
    last = len(messages) - 1
    waits = any(found.is_pending(position) for position in every[-1].positions)
    if side_of(messages[last]) == "model" and not takes_prefill(model) and not waits:
        # An answer that is begun for the model is refused by models without prefill. A call that
        # waits begins no answer; it is pending.
        found.refuse(last, "role", "last_role")


def side_of(message: Any) -> str | None:
    """Return who speaks: ``user``, ``model``, or nobody known."""
    role = message.get("role") if isinstance(message, dict) else None
    return SIDES.get(role) if isinstance(role, str) else None


def places_of(position: int, message: dict[str, Any]) -> list[Place]:
    """Return the blocks of a message; a string is a block of text."""
    content = message.get("content")
    if isinstance(content, str):
        return [Place(position, "content", {"type": "text", "text": content})]
    if not isinstance(content, list):
        return []
    return [Place(position, f"content[{i}]", block) for i, block in enumerate(content)]


def kind_of(block: Any) -> str:
    """Return the type of a block, or nothing."""
    kind = block.get("type") if isinstance(block, dict) else None
    return kind if isinstance(kind, str) else ""


def is_result(block: Any) -> bool:
    """Tell whether a block is the result of a tool_use."""
    return kind_of(block) == "tool_result"


def _is_server_result(block: Any) -> bool:
    """Every result of a server's tool has a type of its own that ends the same way."""
    return kind_of(block).endswith("_tool_result")


def _judge_content(found: Findings, messages: Sequence[Any], position: int) -> None:
    """Every message has content that is not empty; only the last one, the assistant's, may be.

    A text without anything but white space is empty to this API. That rule comes from its errors
    ("text content blocks must contain non-whitespace text") and is in no reference.
    """
    message = messages[position]
    content = message.get("content")
    may_be_empty = position == len(messages) - 1 and message["role"] == "assistant"
    if content is None:
        found.refuse(position, "content", "missing_content")
    elif isinstance(content, str):
        if not content.strip() and not (may_be_empty and content == ""):
            found.refuse(position, "content", "empty_content")
    elif isinstance(content, list):
        if not content and not may_be_empty:
            found.refuse(position, "content", "empty_content")
        for index, block in enumerate(content):
            _judge_block(found, position, f"content[{index}]", block, message["role"])
    else:
        found.refuse(position, "content", "malformed_block")


def _judge_block(found: Findings, position: int, path: str, block: Any, role: str) -> None:
    """A block has a type and what the type needs; thinking is signed, a text says something.

    Calls are the assistant's. A call without id, name or an object as input is no call. A result
    without the id of its call answers nothing.
    """
    kind = kind_of(block)
    if not is_block(block, BLOCKS) or (
        kind == "thinking" and not isinstance(block.get("signature"), str)
    ):
        found.refuse(position, path, "malformed_block")
    elif kind == "text" and not block["text"].strip():
        found.refuse(position, path, "empty_content")
    elif kind in CALLS:
        if role != "assistant":
            found.refuse(position, path, "call_in_wrong_role")
        elif not is_call(block):
            found.refuse(position, path, "malformed_call")
    elif is_result(block) or _is_server_result(block):
        if not is_name(block.get("tool_use_id")):
            found.refuse(position, f"{path}.tool_use_id", "malformed_call")
        if kind == "tool_result":
            _judge_inside(found, position, path, block.get("content"))


def _judge_inside(found: Findings, position: int, path: str, content: Any) -> None:
    """What a result holds is nothing, a string or a list of blocks; it may be empty."""
    if isinstance(content, list):
        for index, block in enumerate(content):
            if not is_block(block, BLOCKS):
                found.refuse(position, f"{path}.content[{index}]", "malformed_block")
    elif content is not None and not isinstance(content, str):
        found.refuse(position, f"{path}.content", "malformed_block")


def is_call(block: Any) -> bool:
    """Tell whether a block is a call, by the assistant or the server, that can be answered."""
    return (
        kind_of(block) in CALLS
        and is_name(block.get("id"))
        and is_name(block.get("name"))
        and isinstance(block.get("input"), dict)
    )


def calls_of(turn: Turn) -> dict[str, Place]:
    """Return the first tool_use of each id in a turn; the user makes no calls."""
    calls: dict[str, Place] = {}
    for place in turn.places if turn.side == "model" else []:
        if is_call(place.block) and place.block["type"] == "tool_use":
            calls.setdefault(place.block["id"], place)
    return calls


def _answers(turn: Turn) -> set[str]:
    """Return the ids that the results of a turn name; where they stand in it is another rule."""
    if turn.side != "user":
        return set()
    names = (place.block.get("tool_use_id") for place in turn.places if is_result(place.block))
    return {name for name in names if is_name(name)}


def _judge_calls(found: Findings, turn: Turn, behind: Turn, seen: set[str], *, live: bool) -> None:
    """Each call has its result in the next turn, and its id is no other call's.

    The API refuses an id that comes again anywhere in the list; the later one is named. Of two
    calls of one id in one turn the first is the one that has to be answered.
    """
    for place in turn.places if turn.side == "model" else []:
        if is_call(place.block):
            if place.block["id"] in seen:
                found.refuse(place.position, f"{place.path}.id", "duplicate_call")
            seen.add(place.block["id"])
    for name, place in calls_of(turn).items():
        if name not in _answers(behind):
            found.open_call(place.position, place.path, name, live=live)


def _judge_results(found: Findings, turn: Turn, before: Turn) -> None:
    """A result answers a call of the turn before, once, and stands before any other block.

    A result elsewhere, and one in a message of the assistant, has no call that it could answer:
    the API says so of the result, and of the call that it has none.
    """
    calls = calls_of(before) if turn.side == "user" and before.side == "model" else {}
    answered: set[str] = set()
    others = False
    for place in turn.places:
        if not is_result(place.block):
            others = True
            continue
        name = place.block.get("tool_use_id")
        if not is_name(name):
            continue
        if name not in calls:
            found.refuse(place.position, f"{place.path}.tool_use_id", "orphan_result")
        elif name in answered:
            found.refuse(place.position, f"{place.path}.tool_use_id", "duplicate_result")
        elif others:
            found.refuse(place.position, place.path, "result_not_first")
        answered.add(name)


def _judge_server(found: Findings, turn: Turn, *, live: bool) -> None:
    """What the server calls, the server answers: call and result stand in one turn, in order.

    The turn may have stopped in the middle: then nothing but results follows it (of tools that
    the server's tool calls), and behind the call stands nothing but other calls and results.
    """
    open_calls: dict[str, int] = {}
    answered: set[str] = set()
    for index, place in enumerate(turn.places):
        if is_call(place.block) and place.block["type"] in SERVER_CALLS:
            if turn.side == "model" and place.block["id"] not in answered:
                open_calls.setdefault(place.block["id"], index)
        elif _is_server_result(place.block) and not is_result(place.block):
            name = place.block.get("tool_use_id")
            if not is_name(name):
                continue
            if name in open_calls:
                del open_calls[name]
                answered.add(name)
            else:
                rule = "duplicate_result" if name in answered else "orphan_result"
                found.refuse(place.position, f"{place.path}.tool_use_id", rule)
    for name, index in open_calls.items():
        place = turn.places[index]
        behind = [later.block for later in turn.places[index + 1 :]]
        ends = all(kind_of(b) in CALLS or _is_server_result(b) for b in behind)
        found.open_call(place.position, place.path, name, live=live and ends)
