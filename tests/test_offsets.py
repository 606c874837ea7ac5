"""Where the parts of a text start: in bytes, and in the tokens that end there or before."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING
from unicodedata import is_normalized

import pytest

import packframe as pf
from support.examples import EXAMPLES, SEED
from support.hostile import hostile
from support.judges import OPENAI, TRAINED, judge

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKS = EXAMPLES or 150
REFUSALS = (pf.BudgetExceeded, pf.SectionOverflow, pf.InvalidItem)
# The last one composes characters.
NAMES = (*OPENAI, TRAINED, "deepseek-v3", "qwen-2.5")
# The library counts the first; where texts of the second may be cut is not known.
OPAQUE = ("minilm", "claude-2")


def packs(name: str, profile: pf.TokenProfile) -> Iterator[pf.Pack]:
    """Return packs of hostile texts, with and without a budget, of whole frames and of parts."""
    seed = SEED if EXAMPLES else 0
    for number in range(PACKS):
        case = hostile(f"{seed} offsets {name} {number}")
        if case.arguments["render"] != "text":
            continue
        frame = case.frame()
        budget: int | None = None
        for _ in range(2):
            try:
                pack = case.pack(frame, budget, profile)
            except REFUSALS:
                break
            yield pack
            budget = case.arguments["reserve"] + int(case.share * pack.total_tokens) + 5


@pytest.mark.parametrize("name", NAMES)
def test_offsets_are_those_of_the_text_encoded_whole(name: str) -> None:
    """Each part starts at its bytes, behind as many tokens as end there when all is encoded."""
    profile = judge(name).profile
    parts = inside = 0
    for pack in packs(name, profile):
        text = pack.text.encode()
        ends = profile.token_offsets(pack.text)
        assert len(ends) == pack.total_tokens
        for record in pack.manifest.selected:
            start = record["offset_bytes"]
            shown = pack.items[record["position"]].content
            if isinstance(shown, str):
                label = f"{record['role']}: " if pack.manifest.labels else ""
                assert text[start:].startswith(f"{label}{shown}".encode())
            before = record["offset_tokens"]
            if name != "qwen-2.5" or is_normalized("NFC", pack.text):
                assert before == bisect_right(ends, start), (name, record["id"])
            assert 0 <= before <= len(ends)
            parts += 1
            inside += start > 0 and start not in ends
        in_order = sorted(pack.manifest.selected, key=lambda record: record["position"])
        found = [record["offset_tokens"] for record in in_order]
        assert found == sorted(found)
    # Starts inside a token are what makes it hard.
    assert parts > PACKS * 4
    assert inside > PACKS / 10


def test_offsets_stay_where_contents_were_packed_before() -> None:
    """What is kept on a content from one text is right in another, with another separator."""
    profile = pf.profiles.openai("cl100k_base")
    frame = pf.Frame([" a b", "c\n", "\n d", "", "x" * 9, " ", "e  f 12", "345 'll"])
    for separator in ("", " ", "\n\n", "12", "'"):
        for labels in (False, True):
            pack = frame.pack(
                None, token_profile=profile, render="text", separator=separator, labels=labels
            )
            ends = profile.token_offsets(pack.text)
            starts = [record["offset_bytes"] for record in pack.manifest.selected]
            expected = [bisect_right(ends, start) for start in starts]
            found = [record["offset_tokens"] for record in pack.manifest.selected]
            assert found == expected


@pytest.mark.parametrize("name", ["", *OPAQUE])
def test_offsets_are_none_where_no_token_has_an_end(name: str) -> None:
    """A counter without ids or without seams says where parts start in bytes only."""
    frame = pf.Frame(["one", "two"])
    profile = judge(name).profile if name else pf.profiles.approximate()
    pack = frame.pack(None, token_profile=profile, render="text")
    keys = ("offset_bytes", "offset_tokens", "offset_tokens_accuracy")
    found = [tuple(record[key] for key in keys) for record in pack.manifest.selected]
    assert found == [(0, None, None), (3 + len(pack.manifest.separator), None, None)]
