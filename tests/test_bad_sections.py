"""Sections and bonds that contradict themselves, are too many, or lie."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

import packframe as pf

if TYPE_CHECKING:
    from collections.abc import Sequence


def words(text: str) -> int:
    """Count words."""
    return len(text.split())


def pack(sections: list[pf.Section], budget: int | None = 10, **options: Any) -> pf.Pack:
    """Pack sections by words."""
    return pf.pack_sections(sections, budget, token_profile=words, **options)


def test_two_sections_of_one_name_are_refused() -> None:
    """Their items could not be told apart."""
    with pytest.raises(pf.InvalidOption, match="two sections") as caught:
        pack([pf.Section("a", ["one"]), pf.Section("a", ["two"])])
    assert (caught.value.option, caught.value.value) == ("sections", "'a'")


@pytest.mark.parametrize("drop", ["oldst", "every-second", "ALL_OR_NOTHING"])
def test_an_unknown_rule_names_the_known_ones(drop: str) -> None:
    """A section's rule is a drop rule or a strategy that was passed."""
    with pytest.raises(pf.InvalidOption) as caught:
        pack([pf.Section("a", ["one"], drop=drop)])
    assert caught.value.option == "drop"
    assert drop in caught.value.value
    assert caught.value.suggestion


def test_sections_of_a_frame_hold_no_items() -> None:
    """They would be packed by nobody."""
    with pytest.raises(pf.InvalidOption) as caught:
        pf.Frame(["a"]).pack(9, sections=[pf.Section("a", ["lost"])])
    assert caught.value.option == "sections"


@pytest.mark.parametrize("option", ["render", "layout", "separator"])
def test_what_sections_decide_is_no_option(option: str) -> None:
    """The sections say what is rendered and in which order."""
    options: dict[str, Any] = {option: "text"}
    with pytest.raises(pf.InvalidOption) as caught:
        pf.pack_sections([pf.Section("a", ["one"])], 9, **options)
    assert caught.value.option == option


def test_a_header_over_the_budget_leaves_its_section_out() -> None:
    """A header is counted, and nothing of the section is worth it."""
    packed = pack([pf.Section("a", ["one"], header="h " * 20), pf.Section("b", ["two"])])
    assert packed.text == "two"
    assert [decision.reason for decision in packed.dropped()] == ["budget"]


def test_a_header_of_required_items_over_the_budget_is_an_error() -> None:
    """What is required is not shown without it."""
    required = pf.Item("one", retention="required")
    with pytest.raises(pf.BudgetExceeded) as caught:
        pack([pf.Section("a", [required], header="h " * 20)])
    assert caught.value.required_tokens == 21


def test_floors_that_no_budget_holds_name_their_sum() -> None:
    """Each holds what its items cost, not what it asks for."""
    sections = [pf.Section(name, ["one two three four"], min_tokens=9) for name in "abc"]
    with pytest.raises(pf.FloorsExceedBudget) as caught:
        pack(sections)
    assert (caught.value.required, caught.value.available) == (12, 10)
    assert caught.value.code == "FLOORS_EXCEED_BUDGET"
    assert isinstance(caught.value, pf.BudgetExceeded)
    assert len(caught.value.partial_manifest.to_dict()["excluded"]) == 3


def test_a_section_that_must_be_there_says_what_it_needs() -> None:
    """An all-or-nothing section is required unless it says otherwise."""
    section = pf.Section("tools", ["one two", "three"], max_tokens=2, drop="all_or_nothing")
    with pytest.raises(pf.SectionOverflow) as caught:
        pack([section])
    assert caught.value.section == "tools"
    assert (caught.value.needed, caught.value.allocated) == (3, 2)
    assert caught.value.code == "SECTION_OVERFLOW"


def test_a_section_without_a_cap_is_not_told_to_raise_it() -> None:
    """Another section took the room: priority and required items are what helps."""
    capped = pf.Section("tools", ["one two three"], max_tokens=2, drop="all_or_nothing")
    with pytest.raises(pf.SectionOverflow, match="raise its cap"):
        pack([capped])
    above = pf.Section("facts", ["f " * 8], priority=1)
    for cap in (None, 9):
        starved = pf.Section("tools", ["a b c"], max_tokens=cap, drop="all_or_nothing")
        with pytest.raises(pf.SectionOverflow, match="give it a higher priority") as caught:
            pack([starved, above])
        assert (caught.value.needed, caught.value.allocated) == (3, 2)
        assert "cap" not in str(caught.value)


def test_an_unknown_requirement_is_a_decision_or_an_error() -> None:
    """An optional item stays out, a required one is refused with the nearest id."""
    records: list[dict[str, Any]] = [
        {"id": "base", "content": "one"},
        {"content": "two", "requires": ["bsae"]},
    ]
    packed = pf.Frame.from_records(records).pack(9, token_profile=words)
    assert [decision.reason for decision in packed.dropped()] == ["requirement_missing"]
    records[1]["retention"] = "required"
    with pytest.raises(pf.InvalidItem) as caught:
        pf.Frame.from_records(records).pack(9, token_profile=words)
    assert (caught.value.field, caught.value.row) == ("requires", 1)
    assert caught.value.suggestion == "base"


def test_an_alternative_longer_than_the_original_is_no_help() -> None:
    """It is tried and does not fit; nothing is replaced by more."""
    item = pf.Item("one two three", alternatives=["one two three four five six"])
    packed = pf.Frame([item]).pack(2, token_profile=words)
    assert [decision.reason for decision in packed.dropped()] == ["budget"]


class Lies:
    """A strategy that answers what it is told to."""

    def __init__(self, answer: object) -> None:
        """Take the answer."""
        self.answer = answer

    def apply(
        self,
        section: pf.Section,
        items: Sequence[pf.Item],
        allocated: int | None,
        profile: pf.TokenProfile,
        separator: str,
    ) -> Any:
        """Answer."""
        del section, allocated, profile, separator
        return self.answer(items) if callable(self.answer) else self.answer


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (pf.DropResult, "more than it was allocated"),
        (lambda items: pf.DropResult(items[1:]), "is required"),
        (lambda items: pf.DropResult([items[0], items[0]]), "twice"),
        (lambda _: pf.DropResult([pf.Item("new", id="n")]), "not given"),
        (lambda items: pf.DropResult([*items[:1], "text"]), "no item"),  # type: ignore[list-item]
        (lambda items: pf.DropResult([pf.Item("other", id=items[0].id)]), "stay as it is"),
        (None, "no DropResult"),
        (7, "no DropResult"),
    ],
    ids=["over", "loses", "twice", "invents", "no-item", "changes", "none", "number"],
)
def test_a_strategy_that_lies_is_replaced_and_that_is_recorded(answer: object, fault: str) -> None:
    """The default rule decides, within the cap, and the manifest says why."""
    items: list[pf.Item | str] = [pf.Item("must", retention="required"), "a b c d", "e f", "i j"]
    section = pf.Section("s", items, drop="lies", max_tokens=6)
    packed = pack([section], strategies={"lies": Lies(answer)})
    record = packed.manifest.to_dict()["sections"][0]
    assert record["strategy"] == "lies"
    assert fault in record["strategy_fault"]
    assert "must" in packed.text
    assert record["tokens"] <= 6


def test_a_strategy_that_raises_is_a_strategy_error() -> None:
    """What it raised is chained."""

    def fail(_: object) -> object:
        message = "no idea"
        raise LookupError(message)

    with pytest.raises(pf.StrategyError) as caught:
        pack([pf.Section("s", ["a"], drop="lies")], strategies={"lies": Lies(fail)})
    assert caught.value.which == "lies"
    assert isinstance(caught.value.__cause__, LookupError)


def test_a_strategy_writes_no_secret_into_a_pack_that_goes_outside() -> None:
    """What it writes is searched like any content."""
    key = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    replace = Lies(lambda items: pf.DropResult([item.replace(content=key) for item in items]))
    packed = pack(
        [pf.Section("s", ["long text here"], drop="lies")],
        strategies={"lies": replace},
        boundary=pf.Boundary.external("x"),
    )
    assert packed.text == "long text here"
    assert "secret" in packed.manifest.to_dict()["sections"][0]["strategy_fault"]


@pytest.mark.parametrize("strategies", [1, "lies", ["lies"]])
def test_strategies_are_a_mapping(strategies: Any) -> None:
    """Anything else is refused by name."""
    with pytest.raises(pf.InvalidOption) as caught:
        pack([pf.Section("s", ["a"])], strategies=strategies)
    assert caught.value.option == "strategies"


def test_a_strategy_without_apply_is_refused() -> None:
    """Before anything is packed."""
    with pytest.raises(pf.InvalidOption) as caught:
        pack([pf.Section("s", ["a"], drop="none")], strategies={"none": object()})
    assert caught.value.option == "strategies"


def test_ten_thousand_sections_are_packed() -> None:
    """Each with its floor, its header and its rule, in time that grows with their number."""
    rules = ["truncate", "lowest_score", "cut_then_stop", "oldest", "newest", "all_or_nothing"]
    sections = [
        pf.Section(
            f"s{number}",
            [f"one {number}", "two three"],
            priority=number % 7,
            min_tokens=number % 3,
            drop=rules[number % 6],
            required=False,
            header="#",
        )
        for number in range(10_000)
    ]
    started = time.process_time()
    packed = pack(sections, 20_000)
    packed.manifest.to_dict()
    assert packed.total_tokens <= 20_000
    assert len(packed.manifest.to_dict()["sections"]) == 10_000
    assert time.process_time() - started < 60, "a hang would be told"


@pytest.mark.parametrize("shape", ["chain", "circle", "star", "all_or_nothing"])
def test_bonds_of_thousands_end(shape: str) -> None:
    """Long chains, circles and stars of requirements, and a large section in one piece."""
    number = 3_000
    records: list[dict[str, Any]] = []
    for row in range(number):
        record: dict[str, Any] = {"id": f"i{row}", "content": "one two", "score": float(row)}
        if shape == "chain" and row:
            record["requires"] = [f"i{row - 1}"]
        elif shape == "circle":
            record["requires"] = [f"i{(row + 1) % number}"]
        elif shape == "star" and row:
            record["requires"] = ["i0"]
        elif shape == "all_or_nothing":
            record["section"] = "s"
        records.append(record)
    sections = [pf.Section("s", drop="all_or_nothing", required=False)]
    packed = pf.Frame.from_records(records).pack(
        number, token_profile=words, sections=sections, render="text"
    )
    manifest = packed.manifest.to_dict()
    assert len(manifest["selected"]) + len(manifest["excluded"]) == number
    assert packed.total_tokens <= number
