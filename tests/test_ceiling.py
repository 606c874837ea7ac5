"""The ceiling, recounted by tiktoken and tokenizers on what is rendered, over hostile packs.

`scripts/prove_ceiling.py` does the same to a hundred thousand packs, with more tokenizers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from support.examples import EXAMPLES, SEED
from support.hostile import hostile
from support.judges import OPENAI, TRAINED, judge

if TYPE_CHECKING:
    from support.recount import Judge

PACKS = EXAMPLES or 120
# Small files: one with seams worked out, one without, one WordPiece that the library counts.
NAMES = (*OPENAI, TRAINED, "deepseek-chat", "claude-2", "minilm")


def tried(own: Judge, cases: int) -> list[str]:
    """Pack the cases of a judge and return the faults."""
    seed = SEED if EXAMPLES else 0
    return [
        fault
        for number in range(cases)
        for fault in own.try_out(hostile(f"{seed} {own.name} {number}"))
    ]


@pytest.mark.parametrize("name", NAMES)
def test_no_pack_is_over_and_nothing_is_left_out_that_fits(name: str) -> None:
    """Budgets and caps hold as others count, and what is out for the budget would be over."""
    own = judge(name)
    assert not tried(own, PACKS)
    tally = own.tally
    assert tally["packs"] > PACKS
    kind = "sums of parts" if own.opaque else "renderings"
    assert tally[f"{kind} with what is out"] > PACKS
    # The cases are worth their name: budgets used up, counts that no sum of parts gives, cuts.
    assert tally["full to the token"] > PACKS / 10
    assert tally["sums of parts that are not the count"] > PACKS / 10
    assert tally["in cut"]
    assert tally["in alternative"]


def test_a_recount_that_differs_is_seen() -> None:
    """A judge that counts more finds packs over, one that counts less finds what was left out."""
    own = judge("cl100k_base")
    dearer = replace(own, count=lambda text: own.count(text) + 1)
    assert any("OVER" in fault for fault in tried(dearer, 20))
    cheaper = replace(own, count=lambda text: own.count(text) // 2)
    assert any("LEFT OUT" in fault for fault in tried(cheaper, 20))
