"""How many examples a property tries."""

from __future__ import annotations

import os

from hypothesis import settings


def examples(number: int) -> settings:
    """Return settings with a number of examples that PACKFRAME_EXAMPLES overrides."""
    return settings(max_examples=int(os.environ.get("PACKFRAME_EXAMPLES", "0")) or number)
