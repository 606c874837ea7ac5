"""What stands beside contents is searched for secrets where contents are."""

from __future__ import annotations

from typing import Any

import pytest

import packframe as pf

# Made for the tests; nobody's.
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
OUTSIDE = pf.Boundary.external("openai")
REDACTING = pf.Boundary.external("openai", secrets="redact")
FREE = [
    None,
    pf.Boundary.internal("application"),
    pf.Boundary.external("openai", secrets="allow"),
    pf.Boundary.external("openai", without=("github_token",)),
]


@pytest.mark.parametrize("boundary", [OUTSIDE, REDACTING])
@pytest.mark.parametrize("field", ["id", "group", "section", "exclusive", "requires"])
def test_a_name_with_a_secret_is_refused_outside(field: str, boundary: pf.Boundary) -> None:
    """Names stand in manifests; the error names row, field and rule, and not the name."""
    value: Any = [TOKEN] if field == "requires" else TOKEN
    frame = pf.Frame([pf.Item("fine"), pf.Item("a", **{field: value})])
    with pytest.raises(pf.InvalidItem) as caught:
        frame.pack(99, boundary=boundary)
    assert (caught.value.row, caught.value.field) == (1, field)
    assert "github_token" in str(caught.value)
    assert TOKEN not in repr(vars(caught.value)) + str(caught.value)
    for free in FREE:
        assert frame.pack(99, boundary=free).total_tokens


@pytest.mark.parametrize("boundary", [OUTSIDE, REDACTING])
@pytest.mark.parametrize("field", ["name", "header", "separator"])
def test_a_header_or_separator_with_a_secret_is_refused_outside(
    field: str, boundary: pf.Boundary
) -> None:
    """It would be rendered and cannot be left out; the error names section and rule."""
    fields: dict[str, Any] = {"name": "facts", field: f"#{TOKEN}"}
    section = pf.Section(items=["a", "b"], **fields)
    with pytest.raises(pf.InvalidOption) as caught:
        pf.pack_sections([section], 99, boundary=boundary)
    assert caught.value.option == field
    assert field == "name" or "'facts'" in str(caught.value)
    assert "github_token" in str(caught.value)
    assert TOKEN not in repr(vars(caught.value)) + str(caught.value)
    for free in FREE:
        assert pf.pack_sections([section], 99, boundary=free).total_tokens


def test_a_separator_of_the_call_is_searched() -> None:
    """The joiner of sections is the same option."""
    with pytest.raises(pf.InvalidOption) as caught:
        pf.Frame(["a", "b"]).pack(99, separator=TOKEN, boundary=OUTSIDE)
    assert caught.value.option == "separator"
    with pytest.raises(pf.InvalidOption):
        pf.pack_sections([pf.Section("s", ["a"])], 99, joiner=TOKEN, boundary=OUTSIDE)


def test_an_empty_header_is_no_header() -> None:
    """It shows no separator, costs nothing and comes back as it was given."""
    packs = [
        pf.pack_sections([pf.Section("s", ["a", "b"], header=header)], 99) for header in ("", None)
    ]
    assert [pack.text for pack in packs] == ["a\nb", "a\nb"]
    assert len({pack.total_tokens for pack in packs}) == 1
    assert packs[0].section("s").header_tokens == 0
    assert pf.Section("s", header="").header == ""
