"""Gemini contents: the calls of a turn are answered in the turn behind it, by id or by name."""

from __future__ import annotations

from types import NoneType
from typing import TYPE_CHECKING, Any, TypeGuard

from .block import is_name
from .turn import Place, Turn, is_live, turns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .problem import Findings

SIDES = {"user": "user", "function": "user", "tool": "user", "model": "model"}
"""Who speaks. A result may come as ``user``, or as ``function`` or ``tool`` in older documents."""


def judge(messages: Sequence[Any], found: Findings, model: str | None) -> None:
    """Judge each content alone, then the turns, then who speaks first."""
    del model  # no rule of contents depends on the model
    for position, message in enumerate(messages):
        if not isinstance(message, dict):
            found.refuse(position, "", "malformed_block")
        elif side_of(message) is None:
            found.refuse(position, "role", "unknown_role")
        else:
            _judge_parts(found, position, message)
    every = turns(messages, side_of, places_of)
    for index, turn in enumerate(every):
        _judge_calls(found, turn)
        before = every[index - 1] if index else Turn(None)
        _judge_answers(found, before, turn, live=is_live(every, index - 1, is_result))
    if every[-1].side == "model":
        _judge_answers(found, every[-1], Turn(None), live=True)
    if side_of(messages[0]) == "model":
        # The API begins with the user.
        found.refuse(0, "role", "first_role")


def side_of(message: Any) -> str | None:
    """Return who speaks; a content without a role is the user's, as the API reads it."""
    if not isinstance(message, dict):
        return None
    role = message.get("role")
    if role is None:
        return "user"
    return SIDES.get(role) if isinstance(role, str) else None


def places_of(position: int, message: dict[str, Any]) -> list[Place]:
    """Return the parts of a content."""
    parts = message.get("parts")
    if not isinstance(parts, list):
        return []
    return [Place(position, f"parts[{index}]", part) for index, part in enumerate(parts)]


def _judge_parts(found: Findings, position: int, message: dict[str, Any]) -> None:
    """A content has parts: a list with something in it."""
    parts = message.get("parts")
    if parts is None:
        found.refuse(position, "parts", "missing_content")
    elif not isinstance(parts, list):
        found.refuse(position, "parts", "malformed_block")
    elif not parts:
        found.refuse(position, "parts", "empty_content")
    for place in places_of(position, message):
        _judge_part(found, place, side_of(message))


def _judge_part(found: Findings, place: Place, side: str | None) -> None:
    """A part says something: a text is a string, a file an object, and the model makes the calls.

    A field that is null is no field in this API. A call without a name, with an id that is no
    string or arguments that are no object is no call. A result has a name, and its response is an
    object.
    """
    part, position, path = place.block, place.position, place.path
    if not isinstance(part, dict) or all(value is None for value in part.values()):
        found.refuse(position, path, "malformed_block")
        return
    kinds = {"text": str, "inlineData": dict, "fileData": dict}
    if any(part.get(k) is not None and not isinstance(part[k], kinds[k]) for k in kinds):
        found.refuse(position, path, "malformed_block")
    if part.get("functionCall") is not None:
        if side != "model":
            found.refuse(position, path, "call_in_wrong_role")
        elif not is_call(part):
            found.refuse(position, path, "malformed_call")
    if is_result(part):
        if not _names(part["functionResponse"]):
            found.refuse(position, f"{path}.functionResponse.name", "malformed_call")
        elif not isinstance(part["functionResponse"].get("response"), dict):
            found.refuse(position, path, "malformed_block")


def is_result(part: Any) -> bool:
    """Tell whether a part is a result."""
    return isinstance(part, dict) and part.get("functionResponse") is not None


def _names(body: Any) -> TypeGuard[dict[str, Any]]:
    """Tell whether a call or a result has a name, and an id that can be one or none."""
    return (
        isinstance(body, dict)
        and is_name(body.get("name"))
        and (body.get("id") is None or is_name(body["id"]))
    )


def is_call(part: Any) -> bool:
    """Tell whether a part is a call that can be answered."""
    call = part.get("functionCall") if isinstance(part, dict) else None
    return _names(call) and isinstance(call.get("args"), (dict, NoneType))


def _judge_calls(found: Findings, turn: Turn) -> None:
    """An id names one call of a turn; another turn may use it again."""
    seen: set[str] = set()
    for place in turn.places if turn.side == "model" else []:
        if is_call(place.block):
            name = place.block["functionCall"].get("id")
            if name in seen:
                found.refuse(place.position, f"{place.path}.functionCall.id", "duplicate_call")
            if name is not None:
                seen.add(name)


def calls_of(turn: Turn) -> list[Place]:
    """Return the calls of a turn, of those with one id the first."""
    seen: set[str] = set()
    calls = []
    for place in turn.places if turn.side == "model" else []:
        if is_call(place.block):
            name = place.block["functionCall"].get("id")
            if name is None or name not in seen:
                calls.append(place)
            if name is not None:
                seen.add(name)
    return calls


def _results(turn: Turn) -> list[Place]:
    """Return the results of a turn that have a name."""
    return [
        place
        for place in turn.places
        if is_result(place.block) and _names(place.block["functionResponse"])
    ]


def matched(before: Turn, turn: Turn) -> dict[int, Place]:
    """Match the results of a turn with the calls of the turn before, by place among the calls.

    A call and a result that both have an id belong together by it. What is left, where one of
    them has none, belongs together by name, in order.
    """
    taken: dict[int, Place] = {}
    calls = calls_of(before) if turn.side != "model" else []
    for fits in (_same_id, _same_name):
        for place in _results(turn):
            if place in taken.values():
                continue
            for index, call in enumerate(calls):
                if index not in taken and fits(call, place):
                    taken[index] = place
                    break
    return taken


def _judge_answers(found: Findings, before: Turn, turn: Turn, *, live: bool) -> None:
    """Each call has one result in the turn behind it, and each result one call.

    The API wants as many results as calls, right behind them. A result that would fit a call, had
    it not been answered, is a second one; any other is an orphan, and so is each in a content of
    the model.
    """
    calls = calls_of(before) if turn.side != "model" else []
    taken = matched(before, turn)
    for place in _results(turn):
        if place not in taken.values():
            key = "name" if place.block["functionResponse"].get("id") is None else "id"
            again = any(_same_id(call, place) or _same_name(call, place) for call in calls)
            rule = "duplicate_result" if again else "orphan_result"
            found.refuse(place.position, f"{place.path}.functionResponse.{key}", rule)
    for index, call in enumerate(calls):
        if index not in taken:
            name = call.block["functionCall"].get("id")
            found.open_call(call.position, call.path, name, live=live)


def _same_id(call: Place, result: Place) -> bool:
    name = call.block["functionCall"].get("id")
    return name is not None and name == result.block["functionResponse"].get("id")


def _same_name(call: Place, result: Place) -> bool:
    made, given = call.block["functionCall"], result.block["functionResponse"]
    both = made.get("id") is not None and given.get("id") is not None
    return not both and bool(made["name"] == given["name"])
