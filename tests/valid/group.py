"""Rows of a valid list that live or die together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import anthropic, chat, gemini
from .item import Item, read_all
from .tie import Ties
from .turn import Turn, turns

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Links = list[tuple[int, int]]
"""Pairs of rows that cannot be parted."""


def groups(messages: Sequence[Any], format: str) -> list[list[int]]:
    """Return the connected components of the rows of a valid list, by their first row."""
    return components(len(messages), LINKS[format](messages))


def components(number: int, links: Links) -> list[list[int]]:
    """Join rows that links connect; a row without links is a group of its own."""
    home = list(range(number))
    for one, other in links:
        old, new = home[max(one, other)], home[min(one, other)]
        old, new = max(old, new), min(old, new)
        home = [new if row == old else row for row in home]
    found: dict[int, list[int]] = {}
    for row in range(number):
        found.setdefault(home[row], []).append(row)
    return sorted(found.values())


def _chat_links(messages: Sequence[Any]) -> Links:
    """Results stand right behind the message with their calls."""
    links: Links = []
    head = 0
    for row, message in enumerate(messages):
        if message["role"] in chat.RESULTS:
            links.append((head, row))
        else:
            head = row
    return links


def _anthropic_links(messages: Sequence[Any]) -> Links:
    """A result is tied to the call of the turn before, one of the server to that of its turn."""
    every = turns(messages, anthropic.side_of, anthropic.places_of)
    links: Links = []
    for before, turn in zip([Turn(None), *every], every, strict=False):
        made = {
            place.block["id"]: place.position
            for place in [*before.places, *turn.places]
            if anthropic.is_call(place.block)
        }
        for place in turn.places:
            name = place.block.get("tool_use_id")
            if name in made:
                links.append((made[name], place.position))
    return links


def _gemini_links(messages: Sequence[Any]) -> Links:
    """A result is tied to the call of the turn before that it answers."""
    every = turns(messages, gemini.side_of, gemini.places_of)
    links: Links = []
    for before, turn in zip([Turn(None), *every], every, strict=False):
        taken = gemini.matched(before, turn)
        calls = gemini.calls_of(before)
        links += [(calls[index].position, place.position) for index, place in taken.items()]
    return links


def _responses_links(messages: Sequence[Any]) -> Links:
    """Outputs are tied to calls, children to programs, reasoning to the run behind it."""
    items = read_all(messages)
    links = [(call.position, row) for row, call in Ties(items).call_of.items()]
    calls = [one for one in items if one.what == "call" and one.kind == "program"]
    programs = {one.key: one.position for one in reversed(calls) if one.key is not None}
    for one in items:
        if one.owner in programs and one.position > programs[one.owner]:
            links.append((programs[one.owner], one.position))
        if one.what == "reasoning":
            links += [(one.position, row) for row in run_behind(items, one.position)]
    return links


def run_behind(items: list[Item], row: int) -> list[int]:
    """Return the rows of the run that the model made right behind reasoning."""
    run: list[int] = []
    for later in items[row + 1 :]:
        if not (later.made or (later.what == "reasoning" and not run)):
            break
        run.append(later.position)
    return run


LINKS: dict[str, Callable[[Sequence[Any]], Links]] = {
    "openai-chat": _chat_links,
    "openai-responses": _responses_links,
    "anthropic": _anthropic_links,
    "gemini": _gemini_links,
}
