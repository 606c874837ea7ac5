"""Sections as data: what they hold, and what they refuse."""

from __future__ import annotations

import copy
import math
import pickle
from typing import TYPE_CHECKING, Any

import pytest

import packframe as pf

if TYPE_CHECKING:
    from collections.abc import Iterator

RULES = ("truncate", "lowest_score", "cut_then_stop", "oldest", "newest", "all_or_nothing")
CUTTING = ("truncate", "cut_then_stop")


def test_defaults_are_those_of_the_specification() -> None:
    """A section with nothing but a name has the documented defaults."""
    section = pf.Section("s")
    assert (section.name, section.items, section.priority) == ("s", (), 0.0)
    assert (section.min_tokens, section.max_tokens, section.max_share) == (0, None, None)
    assert (section.drop, section.required) == ("truncate", None)
    assert (section.separator, section.header) == ("\n", None)


def test_fields_come_back_as_given() -> None:
    """Every field of a section can be read."""
    section = pf.Section(
        "s\x00",
        ["a"],
        priority=-2,
        min_tokens=3,
        max_tokens=3,
        max_share=0.25,
        drop="all_or_nothing",
        required=False,
        separator="",
        header="",
    )
    assert (section.name, section.priority) == ("s\x00", -2.0)
    assert (section.min_tokens, section.max_tokens, section.max_share) == (3, 3, 0.25)
    assert (section.drop, section.required) == ("all_or_nothing", False)
    assert (section.separator, section.header) == ("", "")


@pytest.mark.parametrize("drop", [*RULES, "mine", "Truncate"])
def test_a_bare_content_may_be_cut_where_the_rule_cuts(drop: str) -> None:
    """A content becomes an optional item, which may be cut under a rule that cuts."""
    message = pf.Message({"role": "assistant", "content": "x"})
    section = pf.Section("s", ["a", pf.Json([1]), pf.Item("b"), message], drop=drop)
    assert section.drop == drop
    least = 1 if drop in CUTTING else None
    assert section.items == (
        pf.Item("a", section="s", cut_to=least),
        pf.Item(pf.Json([1]), section="s", cut_to=least),
        pf.Item("b", section="s"),
        pf.Item(message, section="s", cut_to=least),
    )


@pytest.mark.parametrize(
    "alone", ["a text", "", pf.Json({"a": 1}), pf.Reference("kb://1"), pf.Item("x", score=2)]
)
def test_a_content_alone_is_one_item(alone: Any) -> None:
    """A text is one item, not the list of its letters; so is a content object and an item."""
    assert pf.Section("s", alone) == pf.Section("s", [alone])
    assert len(pf.Section("s", alone).items) == 1


def test_items_come_from_any_iterable_and_keep_their_fields() -> None:
    """Items are read once, in order, and get the section's name and nothing else."""
    items = [pf.Item("a", id="x", score=2, requires=["y"], cut_to=9), pf.Item("b", section="s")]
    section = pf.Section("s", iter(items))
    assert section.items == (items[0].replace(section="s"), items[1])
    assert pf.Section("s", dict.fromkeys(items).keys()) == section
    assert pf.Section("s", pf.Frame(items)) == section

    def failing() -> Iterator[str]:
        yield "a"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        pf.Section("s", failing())


@pytest.mark.parametrize("item", [{"content": "a"}, {}, b"a", 7, None, ["a"], ("a",)], ids=repr)
def test_what_is_no_item_names_its_row(item: Any) -> None:
    """A bare dict or another value in a section is an error with its row and a remedy."""
    with pytest.raises(pf.InvalidItem) as caught:
        pf.Section("s", ["fine", item])
    assert (caught.value.row, caught.value.field) == (1, "content")
    assert caught.value.suggestion


@pytest.mark.parametrize("items", [{"content": "a"}, {}, b"a"], ids=repr)
def test_a_bare_dict_is_no_list_of_items(items: Any) -> None:
    """A dict or bytes in the place of the items is an error, not a list of its parts."""
    with pytest.raises(pf.InvalidItem) as caught:
        pf.Section("s", items)
    assert caught.value.field == "content"


def test_an_item_of_another_section_is_refused() -> None:
    """An item that names another section is an error that names both."""
    with pytest.raises(pf.InvalidItem) as caught:
        pf.Section("s", ["a", pf.Item("b", section="t")])
    assert (caught.value.row, caught.value.field) == (1, "section")
    assert "'s'" in str(caught.value)
    assert "'t'" in str(caught.value)


BAD: list[tuple[str, Any]] = [
    ("name", ""),
    ("name", None),
    ("name", 7),
    ("name", "\ud800"),
    ("items", 7),
    ("items", None),
    ("priority", math.nan),
    ("priority", math.inf),
    ("priority", True),
    ("priority", None),
    ("priority", "1"),
    ("min_tokens", -1),
    ("min_tokens", True),
    ("min_tokens", 1.0),
    ("min_tokens", math.nan),
    ("min_tokens", None),
    ("min_tokens", "1"),
    ("min_tokens", 2**63),
    ("min_tokens", 2**70),
    ("max_tokens", -1),
    ("max_tokens", False),
    ("max_tokens", 2.0),
    ("max_tokens", "1"),
    ("max_tokens", 2**63),
    ("max_share", -0.1),
    ("max_share", 1.01),
    ("max_share", math.nan),
    ("max_share", math.inf),
    ("max_share", True),
    ("max_share", "0.5"),
    ("drop", ""),
    ("drop", None),
    ("drop", 3),
    ("drop", "\udfff"),
    ("required", 1),
    ("required", "yes"),
    ("separator", None),
    ("separator", b"\n"),
    ("separator", "\ud800"),
    ("header", 7),
    ("header", b"#"),
    ("header", "\ud800"),
]


@pytest.mark.parametrize(("option", "value"), BAD, ids=repr)
def test_a_bad_option_is_named(option: str, value: Any) -> None:
    """An argument that makes no sense is an error that names it, and comes with a remedy."""
    arguments: dict[str, Any] = {"name": "s"} | {option: value}
    with pytest.raises(pf.InvalidOption) as caught:
        pf.Section(**arguments)
    assert caught.value.option == option
    assert caught.value.suggestion
    assert pickle.loads(pickle.dumps(caught.value)).option == option


def test_a_floor_over_its_cap_names_both() -> None:
    """A floor that its own cap forbids is an error that names section, floor and cap."""
    with pytest.raises(pf.InvalidOption) as caught:
        pf.Section("tools", min_tokens=200, max_tokens=100)
    assert caught.value.option == "min_tokens"
    for part in ("tools", "min_tokens 200", "max_tokens 100"):
        assert part in str(caught.value)
    assert pf.Section("tools", min_tokens=200, max_share=0.0).max_share == 0.0


def test_options_are_keyword_only() -> None:
    """Only name and items are positional."""
    make: Any = pf.Section
    with pytest.raises(TypeError):
        make("s", [], 3)
    with pytest.raises(TypeError):
        make("s", strategy="oldest")


CHANGES: list[dict[str, Any]] = [
    {"name": "t"},
    {"items": ["b"]},
    {"items": ["a", "a"]},
    {"priority": 1},
    {"min_tokens": 1},
    {"max_tokens": 1},
    {"max_share": 0.5},
    {"drop": "oldest"},
    {"drop": "mine"},
    {"required": False},
    {"separator": " "},
    {"header": "H"},
]


@pytest.mark.parametrize("change", CHANGES, ids=repr)
def test_sections_compare_by_value_and_pickle(change: dict[str, Any]) -> None:
    """Equal sections are equal, differ by any field, and survive pickle and copy."""
    base: dict[str, Any] = {"name": "s", "items": ["a"]}
    section = pf.Section(**base | change)
    assert section == pf.Section(**base | change)
    assert section != pf.Section(**base)
    assert section != "s"
    assert hash(section) == hash(pf.Section(**base | change))
    for again in (pickle.loads(pickle.dumps(section)), copy.copy(section), copy.deepcopy(section)):
        assert again == section


@pytest.mark.parametrize("name", ["name", "items", "priority", "drop", "new"])
def test_sections_are_frozen(name: str) -> None:
    """No attribute of a section can be set."""
    with pytest.raises((AttributeError, TypeError)):
        setattr(pf.Section("s"), name, "y")


def test_the_repr_shows_no_payload() -> None:
    """A repr shows the shape, on one line of bounded length."""
    section = pf.Section("s\n" * 500, ["MARKEDPAYLOAD"] * 3, header="MARKEDPAYLOAD", priority=2)
    assert "MARKEDPAYLOAD" not in repr(section)
    assert "3 items" in repr(section)
    assert "\n" not in repr(section)
    assert len(repr(section)) < 300
