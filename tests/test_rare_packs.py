"""What random packs seldom show: looks that repeat, cuts with requirements, shed rows in a run."""

from __future__ import annotations

from typing import Any

import pytest

import packframe as pf
from oracle import Counter, Options, OracleFrame, counter, pack
from support.pairs import pair

Fates = dict[str, tuple[str, int | None]]
Record = dict[str, Any]

WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


def item(name: str, words: int, **fields: Any) -> Record:
    """Return a record of so many words."""
    return {"id": name, "content": " ".join(WORDS[:words]), **fields}


def fates(records: list[Record], budget: int, **options: Any) -> Fates:
    """Pack; return form and tokens of what is kept, reason and shortfall of what is not.

    Words are counted by packframe, too, and it has to say the same.
    """
    call = Options(budget=budget, **({"counter": counter.words()} | options))
    found = of(pack(OracleFrame.from_records(records), call).manifest)
    if "counter" not in options:
        sections = [pf.Section(**section) for section in options.get("sections", ())]
        packed = pf.Frame.from_records(records).pack(
            budget, token_profile=pair("words").profile, sections=sections, render="text"
        )
        assert of(packed.manifest.to_dict()) == found
    return found


def of(manifest: dict[str, Any]) -> Fates:
    """Return the fates that a manifest tells."""
    kept = {record["id"]: (record["form"], record["tokens"]) for record in manifest["selected"]}
    out = {record["id"]: (record["reason"], record["shortfall"]) for record in manifest["excluded"]}
    return kept | out


def test_a_look_is_repeated_when_a_requirement_was_taken() -> None:
    """With its requirement there, a preferred item takes nothing along and may be cut."""
    records = [
        item("top", 8, retention="preferred", cut_to=2, requires=["base"]),
        item("base", 3),
    ]
    assert fates(records, 6) == {"top": ("cut", 3), "base": ("whole", 3)}


def test_a_look_is_repeated_only_where_something_changed() -> None:
    """What missed because the cut of a pass was used up is not cut by its repetition."""
    elements = [" ".join(WORDS[:5]), " ".join(WORDS[:9])]
    records = [
        {"id": "first", "content": elements, "kind": "json", "cut_to": 1, "score": 0.9},
        item("second", 9, cut_to=1),
    ]
    assert fates(records, 7) == {"first": ("cut", 5), "second": ("budget", 5 + 9 - 7)}


def test_a_run_goes_on_when_a_rival_was_taken() -> None:
    """A miss whose rival is taken later is none, so the run goes past it."""
    sections = ({"name": "s", "priority": 1, "drop": "oldest"},)
    records = [
        item("old", 1, section="s"),
        item("new", 10, section="s", exclusive="k"),
        item("rival", 2, exclusive="k"),
        item("first", 4, retention="preferred"),
    ]
    assert fates(records, 11, sections=sections) == {
        "first": ("whole", 4),
        "rival": ("whole", 2),
        "new": ("exclusive", None),
        "old": ("whole", 1),
    }


def test_a_chain_goes_on_when_a_rival_was_taken() -> None:
    """A miss that closed a chain opens it when it is none any more."""
    sections = (
        {"name": "s", "priority": 2, "drop": "cut_then_stop"},
        {"name": "t", "priority": 1, "drop": "cut_then_stop"},
    )
    records = [
        item("large", 10, section="s", exclusive="k", score=1),
        item("rest", 1, section="s"),
        item("below", 1, section="t"),
        item("rival", 2, exclusive="k"),
        item("first", 4, retention="preferred"),
    ]
    assert fates(records, 11, sections=sections) == {
        "first": ("whole", 4),
        "rival": ("whole", 2),
        "large": ("exclusive", None),
        "rest": ("whole", 1),
        "below": ("whole", 1),
    }


def test_a_cut_takes_no_requirement_along() -> None:
    """An item is not cut to the room beside what it would take along, nor is that cut."""
    records = [
        item("top", 8, score=0.9, cut_to=2, requires=["base"]),
        item("other", 4, score=0.5),
        item("base", 3, score=0.1),
    ]
    assert fates(records, 6) == {
        "top": ("budget", 9),
        "other": ("whole", 4),
        "base": ("budget", 1),
    }


def test_a_replaced_item_takes_its_requirements_along() -> None:
    """An item is replaced if there is room for that and, whole, for what it requires."""
    alternatives = [{"content": "a b c d"}, {"content": "a b"}]
    records = [
        item("top", 8, score=0.9, alternatives=alternatives, requires=["base"]),
        item("base", 3, score=0.1),
    ]
    assert fates(records, 6) == {"top": ("alternative", 2), "base": ("whole", 3)}


def test_requirements_in_a_circle_are_taken_together() -> None:
    """Items that require each other are kept together or not at all."""
    records = [
        item("a", 3, requires=["b"]),
        item("b", 3, requires=["c"]),
        item("c", 3, requires=["a"]),
    ]
    assert {fate for fate, _ in fates(records, 9).values()} == {"whole"}
    assert set(fates(records, 8).values()) == {("budget", 1)}


JOINING = Counter("joining", lambda text: len(text) + 3 * text.count("yz"), opaque=False)
"""Letters, and three tokens more where y meets z."""


@pytest.mark.parametrize(
    ("drop", "old"),
    [
        ("lowest_score", ("whole", 3)),
        ("oldest", ("stopped", None)),
        ("cut_then_stop", ("stopped", None)),
    ],
)
def test_a_shed_row_ends_its_run(drop: str, old: tuple[str, int | None]) -> None:
    """What was shed is not offered again, and under an order rule nothing behind it is."""
    records = [
        {"id": "old", "content": "aaa", "section": "s", "score": 0.1},
        {"id": "shed", "content": "y", "section": "s", "score": 0.2},
        {"id": "new", "content": "z", "section": "s", "score": 0.3},
    ]
    sections = ({"name": "s", "drop": drop},)
    found = fates(records, 4, sections=sections, counter=JOINING, separator="")
    assert found["new"] == ("whole", 1)
    assert found["shed"][0] == "join_cost"
    assert found["old"] == old


def test_what_requires_a_shed_row_is_shed_with_it() -> None:
    """The row on top goes too, and what is left is offered to others but not to them."""
    records = [
        {"id": "base", "content": "z", "score": 0.1},
        {
            "id": "top",
            "content": "aa",
            "score": 0.9,
            "requires": ["base"],
            "retention": "preferred",
        },
        {"id": "first", "content": "y", "score": 1.0, "retention": "required"},
        {"id": "late", "content": "bbb", "score": 0.0, "requires": ["base"]},
        {"id": "small", "content": "ccc", "score": 0.0},
    ]
    order = [records[2], records[0], *records[1:2], *records[3:]]
    found = fates(order, 5, counter=JOINING, separator="")
    assert found == {
        "first": ("whole", 1),
        "base": ("join_cost", 3),
        "top": ("join_cost", 5),
        "late": ("requirement_missing", None),
        "small": ("whole", 3),
    }
