"""Texts, ids and chances of generated histories."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

WORDS = ["hello", "Oslo, 4 °C", "где заказ?", "注文", "line\nline", "{}", "<|endoftext|>", "🦊"]
ARGUMENTS = ["{}", '{"city": "Oslo"}', '{"q": "Größe", "n": [1, 2]}', "", "not json"]


def some(random: Random, chance: float) -> bool:
    """Tell whether this time it happens."""
    return random.random() < chance


def text(random: Random, *, empty: bool = False) -> str:
    """Return a text that says something, or where it may, sometimes nothing."""
    if empty and some(random, 0.05):
        return ""
    return " ".join(random.choice(WORDS) for _ in range(random.randint(1, 4)))


class Names:
    """Ids of one history; ``again`` lets a later step use the ids of an earlier one."""

    def __init__(self, random: Random, *, again: bool = False) -> None:
        self._random = random
        self._again = again
        self._given = 0

    def fresh(self, number: int) -> list[str]:
        """Return ids that differ from each other, and mostly from all that were given before."""
        start = 0 if self._again and some(self._random, 0.5) else self._given
        self._given = max(self._given, start + number)
        return [f"c{place}" for place in range(start, start + number)]

    def one(self) -> str:
        """Return one id."""
        return self.fresh(1)[0]
