"""How near two words are."""

from __future__ import annotations

LONGEST = 64
"""Bytes of a word that is compared at all."""


def is_near(word: str, known: str) -> bool:
    """Tell whether a word may be a slip for a known one: a third of its letters at most."""
    if len(word.encode()) > LONGEST:
        return False
    longer = max(len(word.lower().encode()), len(known.encode()))
    return 3 * edits(word.lower(), known) <= longer


def edits(one: str, two: str) -> int:
    """Return how many letters to add, drop, change or swap make one word of another."""
    last: dict[str, int] = {}
    most = len(one) + len(two)
    costs = [[most] * (len(two) + 2) for _ in range(len(one) + 2)]
    for at in range(len(one) + 1):
        costs[at + 1][1] = at
    for at in range(len(two) + 1):
        costs[1][at + 1] = at
    for row, left in enumerate(one, start=1):
        match = 0
        for column, right in enumerate(two, start=1):
            above, before = last.get(right, 0), match
            same = left == right
            if same:
                match = column
            costs[row + 1][column + 1] = min(
                costs[row][column] + (not same),
                costs[row + 1][column] + 1,
                costs[row][column + 1] + 1,
                costs[above][before] + (row - above - 1) + 1 + (column - before - 1),
            )
        last[left] = row
    return costs[-1][-1]
