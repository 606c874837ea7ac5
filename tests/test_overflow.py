"""Required items that do not fit: cut, replaced, demoted, in sequence."""

from __future__ import annotations

from typing import Any

import pytest

import packframe as pf

TEN = "one two three four five six seven eight nine ten"


def words(text: str) -> int:
    """Count words; the marker is part of the last."""
    return len(text.split())


def required(content: Any, **fields: Any) -> pf.Item:
    """Make a required item."""
    return pf.Item(content, retention="required", **fields)


def pack(items: list[pf.Item], budget: int, overflow: pf.Overflow) -> pf.Pack:
    """Pack by words."""
    return pf.Frame(items).pack(budget, token_profile=words, overflow=overflow, separator="\n")


def test_a_required_item_is_cut_as_far_as_it_has_to_be() -> None:
    """The others are whole, and the manifest has the cut."""
    packed = pack([required("the question"), required(TEN, cut_to=2)], 7, pf.Overflow.truncate())
    assert packed.text == "the question\none two three four five…"
    (record,) = packed.manifest.to_dict()["truncations"]
    assert (record["row"], record["tokens_before"], record["tokens"]) == (1, 10, 5)
    assert (record["keep"], record["at"], record["marker"]) == ("head", "word", "…")
    assert not packed.complete


def test_the_lowest_priority_is_cut_first_then_the_newest() -> None:
    """Priority decides; between equals the one made last."""
    old, new = "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"
    items = [
        required(TEN, cut_to=1, priority=1, id="high"),
        required(TEN, cut_to=1, created_at=old, id="old"),
        required(TEN, cut_to=1, created_at=new, id="new"),
    ]
    packed = pack(items, 28, pf.Overflow.truncate())
    assert [record["id"] for record in packed.manifest.to_dict()["truncations"]] == ["new"]
    packed = pack(items, 17, pf.Overflow.truncate())
    cut = {record["id"]: record["tokens"] for record in packed.manifest.to_dict()["truncations"]}
    assert cut == {"new": 1, "old": 6}


def test_a_cut_is_not_below_what_the_item_allows() -> None:
    """Where that is not enough, packing fails and says what cutting saved."""
    with pytest.raises(pf.BudgetExceeded) as caught:
        pack([required(TEN, cut_to=8)], 5, pf.Overflow.truncate())
    assert caught.value.strategies == [{"strategy": "truncate", "saves": 2}]
    assert caught.value.required_tokens == 8


def test_keep_at_and_marker_are_the_callers() -> None:
    """As in `TokenProfile.truncate`."""
    overflow = pf.Overflow.truncate(keep="ends", marker=" [...] ")
    packed = pack([required(TEN, cut_to=2)], 5, overflow)
    assert packed.text == "one two [...] nine ten"


def test_json_is_cut_by_elements() -> None:
    """It stays JSON and gets no marker."""
    packed = pack([required(pf.Json(["a b", "c d", "e f"]), cut_to=1)], 3, pf.Overflow.truncate())
    assert packed.text == '["a b","c d"]'


def test_an_item_of_which_nothing_is_left_is_excluded() -> None:
    """It is required, and yet the caller asked for the cut: the record says so."""
    profile = pf.profiles.custom("letters", len, exact=True)
    items = [required("question"), required("internationalisation", cut_to=1, priority=-1)]
    packed = pf.Frame(items).pack(
        9, token_profile=profile, overflow=pf.Overflow.truncate(), separator="", render="text"
    )
    assert packed.text == "question"
    assert [decision.reason for decision in packed.dropped()] == ["empty"]


def test_an_alternative_stands_in_for_a_required_item() -> None:
    """The best that makes all fit; the substitution is in the manifest."""
    item = required(TEN, alternatives=["a b c d e f", "a b c", "a"])
    packed = pack([required("the question"), item], 6, pf.Overflow.substitute())
    assert packed.text == "the question\na b c"
    (record,) = packed.manifest.to_dict()["substitutions"]
    assert (record["row"], record["alternative"], record["value"]) == (1, 1, 0.25)


def test_strategies_are_tried_in_order() -> None:
    """What the first leaves over is the next one's."""
    items = [
        required("the question", pinned=True),
        required(TEN, alternatives=["a b c d e"], id="replaced"),
        required(TEN, cut_to=1, id="cut"),
        required(TEN, id="demoted"),
    ]
    overflow = (
        pf.Overflow.substitute()
        | pf.Overflow.truncate()
        | pf.Overflow.demote(pf.col("id") == "demoted")
    )
    packed = pack(items, 9, overflow)
    values = packed.manifest.to_dict()
    assert [record["id"] for record in values["substitutions"]] == ["replaced"]
    assert [record["id"] for record in values["truncations"]] == ["cut"]
    assert [record["id"] for record in values["excluded"]] == ["demoted"]


def test_pinned_items_are_exempt() -> None:
    """They are neither cut nor replaced."""
    item = pf.Item(TEN, pinned=True, cut_to=1, alternatives=["a"])
    with pytest.raises(pf.BudgetExceeded):
        pack([item], 5, pf.Overflow.truncate() | pf.Overflow.substitute())


@pytest.mark.parametrize("option", ["keep", "at", "marker"])
def test_unknown_words_are_refused(option: str) -> None:
    """By the option's name."""
    options: dict[str, Any] = {option: 7 if option == "marker" else "middle"}
    with pytest.raises(pf.InvalidOption) as caught:
        pf.Overflow.truncate(**options)
    assert caught.value.option == option


def test_what_a_later_strategy_makes_room_for_is_given_back() -> None:
    """A cut is undone as far as the demotion behind it allows."""
    items = [
        required("a b c d e f g h", cut_to=1, id="document"),
        required("one two three four five six", id="old"),
    ]
    overflow = pf.Overflow.truncate() | pf.Overflow.demote(pf.col("id") == "old")
    packed = pack(items, 6, overflow)
    assert packed.text == "a b c d e f…"


def test_a_cap_is_a_reason_to_cut() -> None:
    """Strategies are tried where a section is over its cap, not only for the budget."""
    section = pf.Section("s", [required("one two three four", cut_to=1)], max_tokens=2)
    packed = pf.pack_sections([section], 10, token_profile=words, overflow=pf.Overflow.truncate())
    assert packed.text == "one two…"


def test_an_error_says_what_could_still_help() -> None:
    """Cutting and replacing that nobody asked for are named with what they could save."""
    item = required(TEN, cut_to=2, alternatives=["a b c"])
    with pytest.raises(pf.BudgetExceeded) as caught:
        pack([item], 5, pf.Overflow.error())
    assert caught.value.strategies == [
        {"strategy": "truncate", "saves": 8},
        {"strategy": "substitute", "saves": 7},
    ]


def test_a_record_in_a_list_stays_whole_or_goes() -> None:
    """JSON is cut behind elements of the outermost list, never inside one."""
    content = pf.Json({"rows": [{"id": 1, "t": "x y z"}, {"id": 2, "t": "x y z"}]})
    packed = pf.Frame([required(content, cut_to=1)]).pack(
        40, token_profile=len, overflow=pf.Overflow.truncate(), render="text"
    )
    assert packed.text == '{"rows":[{"id":1,"t":"x y z"}]}'


def test_what_a_required_item_requires_is_not_cut_away() -> None:
    """It is cut as far as it may be, or packing fails."""
    items = [
        required("internationalisation", id="base", cut_to=1),
        pf.Item("question", pinned=True, requires=["base"]),
    ]
    with pytest.raises(pf.BudgetExceeded):
        pf.Frame(items).pack(
            9, token_profile=len, overflow=pf.Overflow.truncate(), separator="", render="text"
        )
