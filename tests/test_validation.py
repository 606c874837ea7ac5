"""What ``validate_messages`` says, beside a slow judge that somebody else wrote."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support import reference
from support.examples import EXAMPLES, examples
from support.histories import FORMATS, broken_histories, sweep, valid_histories
from support.talk import pf, validated
from test_valid_itself import CASES, RUNS, TABLES
from valid import problems

MODELS = [None, "claude-opus-4-5", "claude-opus-4-6", "gpt-4o", "gemini-2.5-pro"]
SWEEP = max(EXAMPLES, 4000)


@pytest.mark.parametrize("format", FORMATS)
def test_thousands_of_histories_are_judged_the_same(format: str) -> None:
    """Valid ones and broken ones: the same problems at the same places."""
    for seed, messages in sweep(format, SWEEP, seed=0):
        model = MODELS[seed % len(MODELS)]
        expected = [tuple(one) for one in problems(messages, format, model)]
        assert validated(messages, format, model) == expected, (seed, messages)


@pytest.mark.parametrize("format", FORMATS)
@examples(150)
@given(data=st.data())
def test_drawn_histories_are_judged_the_same(format: str, data: st.DataObject) -> None:
    """The same of histories that Hypothesis can make smaller, where one differs."""
    messages = data.draw(broken_histories(format) | valid_histories(format))
    assert validated(messages, format) == [tuple(one) for one in problems(messages, format)]


@pytest.mark.parametrize(("format", "name"), CASES, ids=[" ".join(case) for case in CASES])
def test_what_was_written_by_hand_is_judged_the_same(format: str, name: str) -> None:
    """The small lists on which the judge itself is checked."""
    messages, expected = TABLES[format][name]
    assert [one[:3] for one in validated(messages, format)] == expected


@pytest.mark.parametrize("run", RUNS, ids=[run.title for run in RUNS])
def test_histories_of_the_reference_are_judged_the_same(run: reference.Run) -> None:
    """The whole request of each run, history and final."""
    history, final = reference.build(run)
    expected = [tuple(one) for one in problems(history + final, run.format)]
    assert validated(history + final, run.format) == expected


@pytest.mark.parametrize("format", FORMATS)
def test_no_messages_have_no_problem(format: str) -> None:
    """An empty list is judged, and is not wrong."""
    assert validated([], format) == []


@pytest.mark.parametrize("format", FORMATS)
def test_nothing_is_changed_by_judging(format: str) -> None:
    """The caller's lists and dicts are as they were."""
    for _, messages in sweep(format, 200, seed=9000):
        before = copy.deepcopy(messages)
        validated(messages, format)
        assert messages == before


@pytest.mark.parametrize("bad", [None, 7, "text", {}, object()], ids=repr)
def test_what_is_no_list_is_named(bad: Any) -> None:
    """A text, a dict and what has no items are an option that cannot be used."""
    with pytest.raises(pf.InvalidOption) as caught:
        pf.validate_messages(bad, format="openai-chat")
    assert caught.value.option == "messages"


def test_an_unknown_format_is_named() -> None:
    """The error names the option."""
    with pytest.raises(pf.InvalidOption) as caught:
        pf.validate_messages([], format="smoke-signals")
    assert caught.value.option == "format"


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("bad", [float("nan"), {1: 2}, {1}, b"x", "\ud800"], ids=ascii)
def test_what_is_not_json_is_an_error_with_its_path(format: str, bad: Any) -> None:
    """A value that JSON cannot hold is InvalidMessages and says where it stands."""
    with pytest.raises(pf.InvalidMessages) as caught:
        pf.validate_messages([{"role": "user", "content": "x", "more": [bad]}], format=format)
    assert caught.value.problems[0]["position"] == 0
    assert caught.value.problems[0]["path"].startswith("more")


def test_a_list_that_holds_itself_is_an_error() -> None:
    """A cyclic reference ends in a typed error, not in a crash."""
    message: dict[str, Any] = {"role": "user", "content": "x"}
    message["more"] = message
    with pytest.raises(pf.InvalidMessages):
        pf.validate_messages([message], format="openai-chat")
