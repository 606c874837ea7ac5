"""How many examples a property tries, and from which seed."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING, TypeVar

from hypothesis import seed, settings

if TYPE_CHECKING:
    from collections.abc import Callable

Test = TypeVar("Test", bound="Callable[..., None]")

EXAMPLES = int(os.environ.get("PACKFRAME_EXAMPLES", "0"))
"""How many examples each property tries; 0 for its own moderate number, always the same ones."""

SEED = int(os.environ.get("PACKFRAME_SEED", "0")) or random.SystemRandom().randrange(1, 2**32)
"""Where a run with PACKFRAME_EXAMPLES starts; the header of the run prints it."""


def examples(number: int) -> Callable[[Test], Test]:
    """Return settings with a number of examples that PACKFRAME_EXAMPLES overrides."""

    def decorate(test: Test) -> Test:
        tried = settings(max_examples=EXAMPLES or number)(test)
        return seed(SEED)(tried) if EXAMPLES else tried

    return decorate
