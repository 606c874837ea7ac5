"""Rows of a valid list that may not be left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import anthropic, gemini
from .group import groups
from .item import read_all
from .turn import turns

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def protected(messages: Sequence[Any], format: str, waiting: Iterable[int]) -> set[int]:
    """Return the rows that have to stay, each with its group; ``waiting`` has pending calls.

    System and developer messages, the newest message in which the user says something, what
    waits, and the last message. In an open tool loop of Anthropic also each message with thinking
    since the newest word of the user.
    """
    if not messages:
        return set()
    words = [row for row, message in enumerate(messages) if _is_word(message, format)]
    wanted = {len(messages) - 1, *waiting, *words[-1:]}
    wanted |= {row for row, message in enumerate(messages) if _is_system(message)}
    if format == "anthropic" and _is_open(messages, waiting):
        since = words[-1] if words else -1
        wanted |= {row for row in range(since + 1, len(messages)) if _has_thinking(messages[row])}
    if format in {"anthropic", "gemini"}:
        wanted |= _last_step(messages, format)
    if format == "openai-responses":
        wanted |= _last_items(messages)
    return {row for group in groups(messages, format) if wanted & set(group) for row in group}


def _is_system(message: Any) -> bool:
    return message.get("role") in {"system", "developer"}


def _is_word(message: Any, format: str) -> bool:
    """Tell whether the user says something in a message, beside results."""
    if format == "gemini":
        user = gemini.side_of(message) == "user"
        return user and not all(gemini.is_result(part) for part in message["parts"])
    if message.get("role") != "user":
        return False
    places = anthropic.places_of(0, message) if format == "anthropic" else []
    return format != "anthropic" or not all(anthropic.is_result(one.block) for one in places)


def _is_open(messages: Sequence[Any], waiting: Iterable[int]) -> bool:
    """Tell whether the last thing said is a result, or a call that waits."""
    last = anthropic.places_of(0, messages[-1])
    return bool(set(waiting)) or (bool(last) and all(anthropic.is_result(p.block) for p in last))


def _has_thinking(message: Any) -> bool:
    kinds = {anthropic.kind_of(place.block) for place in anthropic.places_of(0, message)}
    return bool(kinds & {"thinking", "redacted_thinking"})


def _last_step(messages: Sequence[Any], format: str) -> set[int]:
    """Return the calls of the step that the last message answers, where it is a result."""
    module = anthropic if format == "anthropic" else gemini
    every = turns(messages, module.side_of, module.places_of)
    last = [place for place in every[-1].places if place.position == len(messages) - 1]
    if len(every) < 2 or not any(module.is_result(place.block) for place in last):
        return set()
    return {
        place.position
        for place in every[-2].places
        if module.is_call(place.block) and place.block.get("type", "tool_use") == "tool_use"
    }


def _last_items(messages: Sequence[Any]) -> set[int]:
    """Return the calls that the model made in one go with the one that the last item answers."""
    items = read_all(messages)
    last = items[-1]
    if last.what != "output":
        return set()
    group = next(one for one in groups(messages, "openai-responses") if last.position in one)
    calls = [row for row in group if items[row].what == "call"]
    own = [row for row in calls if items[row].key == last.key] or calls
    if not own:
        return set()
    made = [item.made or item.what == "reasoning" for item in items]
    first = end = own[-1]
    while first > 0 and made[first - 1]:
        first -= 1
    while end < len(items) and made[end]:
        end += 1
    return {row for row in range(first, end) if items[row].what == "call"}
