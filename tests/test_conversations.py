"""Repair and conversion as a user meets them: the reference's runs, cases, finals, records."""

from __future__ import annotations

from typing import Any

import pytest

import packframe as pf
from support import reference
from support.cases import CASES, messages_of
from valid import refused

RUNS = reference.runs()
UNSATISFIABLE = {"final tool result none in hist", "anon client across boundary"}
"""Finals with a result whose call is nowhere, or that names none: nothing but an error is right."""
REPAIRS = [name for name, case in CASES.items() if case["input"]["op"] == "repair"]
USER: dict[str, Any] = {"role": "user", "content": "q"}
CALL: dict[str, Any] = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"n":1}'}}
    ],
}
RESULT: dict[str, Any] = {"role": "tool", "tool_call_id": "a", "content": "r"}


@pytest.mark.parametrize("run", RUNS, ids=[run.title for run in RUNS])
def test_what_the_reference_keeps_is_kept(run: reference.Run) -> None:
    """Every row that the reference keeps where all fits is kept, and nothing refused is left."""
    history, final = reference.build(run)
    if run.title in UNSATISFIABLE:
        with pytest.raises(pf.InvalidMessages) as caught:
            pf.repair_messages(history, format=run.format, final=final)
        assert caught.value.problems[0]["position"] >= len(history)
        return
    repaired = pf.repair_messages(history, format=run.format, final=final)
    kept = set() if run.raises else set(reference.kept_rows(run))
    assert kept <= set(repaired.origins)
    assert set(range(len(history), len(history) + len(final))) <= set(repaired.origins)
    assert refused(repaired.messages, run.format) == []


@pytest.mark.parametrize("name", REPAIRS)
def test_a_case_is_repaired(name: str) -> None:
    """The histories that others sent on broken: valid, with a record of each change, for good."""
    given, expected = CASES[name]["input"], CASES[name]["expected"]
    messages = messages_of(given)
    repaired = pf.repair_messages(messages, format=given["format"])
    assert refused(repaired.messages, given["format"]) == []
    records = [{"id": one["id"], "kind": one["kind"]} for one in repaired.repairs]
    assert records == expected.get("repairs", records)
    gone = {one["row"] for one in repaired.repairs}
    assert gone >= set(expected.get("must_drop", ()))
    assert not set(repaired.origins) & set(expected.get("must_drop", ()))
    again = pf.repair_messages(repaired.messages, format=given["format"])
    assert (again.messages, again.repairs) == (repaired.messages, [])


def test_origins_and_changes_are_told() -> None:
    """A moved message keeps its origin, a written one has none, a cut one is changed."""
    two = CALL | {"tool_calls": [*CALL["tool_calls"], {"id": "b", "type": "function"}]}
    repaired = pf.repair_messages([two, USER, RESULT], format="openai-chat")
    assert repaired.messages == [CALL, RESULT, USER]
    assert (repaired.origins, repaired.changed) == ((0, 2, 1), (True, False, False))
    written = pf.repair_messages([CALL, USER], format="openai-chat", repair="placeholder")
    assert (written.origins, written.changed) == ((0, None, 1), (False, True, False))
    assert written.repairs == [
        {"row": 0, "path": "tool_calls[0]", "kind": "written_result", "id": "a", "to_row": 0}
    ]


def test_what_waits_is_told() -> None:
    """A call at the end stays, and is a problem that is pending."""
    repaired = pf.repair_messages([USER, CALL], format="openai-chat")
    assert repaired.problems == (
        pf.MessageProblem(
            position=1, path="tool_calls[0]", rule="pending_call", severity="pending"
        ),
    )


def test_the_final_is_not_cut() -> None:
    """What would be taken out of it is an error with its position in the whole list."""
    with pytest.raises(pf.InvalidMessages) as caught:
        pf.repair_messages([USER], format="openai-chat", final=[CALL, USER])
    assert caught.value.problems == [
        {"position": 1, "path": "tool_calls[0]", "rule": "dangling_call", "id": "a"}
    ]


@pytest.mark.parametrize(
    ("options", "option"),
    [
        ({"format": "openai"}, "format"),
        ({"format": 7}, "format"),
        ({"repair": "mend"}, "repair"),
        ({"abandoned": "a"}, "abandoned"),
        ({"abandoned": [7]}, "abandoned"),
        ({"final": USER}, "final"),
        ({"model": 7}, "model"),
    ],
    ids=str,
)
def test_an_option_that_makes_no_sense_is_named(options: dict[str, Any], option: str) -> None:
    """The error names the option, and its value."""
    with pytest.raises(pf.InvalidOption) as caught:
        pf.repair_messages([USER], **{"format": "openai-chat", **options})
    assert caught.value.option == option


def test_a_conversion_keeps_numbers_and_notes_what_it_leaves() -> None:
    """Arguments are carried over as they are written; thinking is noted."""
    messages = [USER, CALL | {"reasoning_content": "hm"}, RESULT]
    converted = pf.convert_messages(messages, "openai-chat", "anthropic")
    assert converted.messages[1]["content"] == [
        {"type": "tool_use", "id": "a", "name": "f", "input": {"n": 1}}
    ]
    assert converted.notes == (
        pf.ConversionNote(position=1, path="reasoning_content", kind="thinking"),
    )
    back = pf.convert_messages(converted.messages, "anthropic", "openai-chat")
    assert back.messages == [USER, CALL, RESULT]
    assert messages[1]["reasoning_content"] == "hm"


def test_what_cannot_be_converted_is_named() -> None:
    """The error has position and path."""
    audio = {"type": "input_audio", "input_audio": {"data": "", "format": "wav"}}
    messages = [USER, {"role": "user", "content": [audio]}]
    with pytest.raises(pf.InvalidMessages) as caught:
        pf.convert_messages(messages, "openai-chat", "gemini")
    assert caught.value.problems == [
        {"position": 1, "path": "content[0]", "rule": "not_convertible", "id": None}
    ]


@pytest.mark.parametrize("bad", [None, [], "x", {}, {"role": "user"}, {"role": 7}], ids=str)
@pytest.mark.parametrize("source", ["openai-chat", "openai-responses", "anthropic", "gemini"])
@pytest.mark.parametrize("target", ["openai-chat", "openai-responses", "anthropic", "gemini"])
def test_odd_messages_convert_or_are_refused(bad: Any, source: str, target: str) -> None:
    """Nothing but a typed error comes of what is no message."""
    try:
        converted = pf.convert_messages([bad], source, target)
    except pf.InvalidMessages as error:
        problems = error.problems
    else:
        problems = []
        assert source == target or converted.messages == []
    assert all(one["position"] == 0 for one in problems)
