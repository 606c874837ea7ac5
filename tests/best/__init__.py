"""The best pack by its definition: over all choices, and by an independent solver."""

from __future__ import annotations

from .exhaustive import best
from .instance import Instance, random_instance
from .solver import solve

__all__ = ["Instance", "best", "random_instance", "solve"]
