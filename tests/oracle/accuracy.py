"""How sure a number is, from ``exact`` to ``approximate``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

ORDER = ("exact", "bounded", "reconstructed", "calibrated", "approximate")
"""Accuracies, weakest last."""


def weakest(accuracies: Iterable[str], default: str = "exact") -> str:
    """Return the weakest accuracy, or the default where there is none."""
    return max(accuracies, key=ORDER.index, default=default)
