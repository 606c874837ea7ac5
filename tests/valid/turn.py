"""Turns: neighbouring messages of one side, which Anthropic and Gemini read as one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(frozen=True)
class Place:
    """A block and where it stands."""

    position: int
    path: str
    block: Any


@dataclass
class Turn:
    """What one side says before the other one speaks."""

    side: str | None
    """``user`` or ``model``; None for a message of nobody known, a turn of its own."""
    positions: list[int] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)


def turns(
    messages: Sequence[Any],
    side: Callable[[Any], str | None],
    places: Callable[[int, Any], list[Place]],
) -> list[Turn]:
    """Join neighbouring messages of one side; a message of no side stands between them."""
    found: list[Turn] = []
    for position, message in enumerate(messages):
        who = side(message)
        if not found or who is None or found[-1].side != who:
            found.append(Turn(who))
        found[-1].positions.append(position)
        if who is not None:
            found[-1].places += places(position, message)
    return found


def is_live(every: list[Turn], index: int, is_result: Callable[[Any], bool]) -> bool:
    """Tell whether nothing but results follows a turn: none, or one turn of results, the last.

    A message without a block in that turn is something else, so it ends what is live.
    """
    behind = every[index + 1 :]
    if not behind:
        return True
    results = {place.position for place in behind[0].places}
    return (
        len(behind) == 1
        and behind[0].side == "user"
        and results == set(behind[0].positions)
        and all(is_result(place.block) for place in behind[0].places)
    )
