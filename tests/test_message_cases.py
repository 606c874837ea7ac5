"""Message lists that trimmers in daily use got wrong, by their id: judged, repaired."""

from __future__ import annotations

import pytest

from support.cases import CASES, messages_of, sequence
from support.talk import repaired, validated, written
from valid import FORMATS, problems, refused

JUDGED = sorted(
    name
    for name, case in CASES.items()
    if case["input"].get("format") in FORMATS
    and {"messages", "items", "contents", "messages_gen"} & set(case["input"])
)
WRONG = {
    "C08": {"dangling_call"},
    "C16": {"dangling_call", "duplicate_result", "orphan_result"},
    "C24": {"no_follower"},
    "C45": {"arguments_not_string"},
}
"""What is wrong with the inputs of the cases; with all others nothing is."""


@pytest.mark.parametrize("name", JUDGED)
def test_what_is_wrong_with_the_input_of_a_case(name: str) -> None:
    """The library and the slow judge say the same, and it is what the case is about."""
    given = CASES[name]["input"]
    messages = messages_of(given)
    found = problems(messages, given["format"])
    assert {one.rule for one in found if one.severity == "refused"} == WRONG.get(name, set())
    assert validated(messages, given["format"]) == [tuple(one) for one in found]


@pytest.mark.parametrize("name", [name for name in JUDGED if name not in WRONG])
def test_a_case_that_is_valid_is_not_repaired(name: str) -> None:
    """Every byte stays, with whatever fields a provider or a proxy has put there."""
    given = CASES[name]["input"]
    messages = messages_of(given)
    found = repaired(messages, given["format"])
    assert written(found.messages) == written(messages)
    assert found.repairs == []


def test_c08_a_call_that_may_wait_is_not_repaired() -> None:
    """C08: with ``allow_pending`` the confirmation that nobody gave yet stays, until given up."""
    messages = messages_of(CASES["C08"]["input"])
    found = repaired(messages, "openai-chat", allow_pending=True)
    assert (found.messages, found.repairs) == (messages, [])
    given_up = repaired(messages, "openai-chat", allow_pending=True, abandoned=["confirm1"])
    assert [record["id"] for record in given_up.repairs] == ["confirm1"]
    # The empty text beside the call says nothing; whether a message of it stays is no matter here.
    assert refused(given_up.messages, "openai-chat") == []


def test_c16_a_poisoned_history_is_repaired_and_says_how() -> None:
    """C16: three faults, three records, and a list that a provider takes."""
    case = CASES["C16"]
    messages = messages_of(case["input"])
    found = repaired(messages, "openai-chat")
    said = [(record["id"], record["kind"]) for record in found.repairs]
    assert sorted(said) == sorted((one["id"], one["kind"]) for one in case["expected"]["repairs"])
    assert refused(found.messages, "openai-chat") == []
    assert repaired(found.messages, "openai-chat").repairs == []


def test_c24_reasoning_without_a_follower_goes() -> None:
    """C24: the reasoning is dropped, the words around it stay."""
    case = CASES["C24"]
    messages = messages_of(case["input"])
    found = repaired(messages, "openai-responses")
    dropped = case["expected"]["must_drop"]
    assert found.messages == [one for row, one in enumerate(messages) if row not in dropped]
    assert [record["row"] for record in found.repairs] == dropped


def test_c27_thinking_goes_with_a_call_of_its_message() -> None:
    """C27: where the result of a call was lost, the call and the thinking beside it go."""
    messages = messages_of(CASES["C27"]["input"])
    found = repaired(messages[:2] + messages[3:], "anthropic")
    text = {"role": "assistant", "content": [messages[1]["content"][2]]}
    assert found.messages == [messages[0], text, *messages[3:]]


def test_the_notation_of_growing_conversations() -> None:
    """A sequence grows by its turns, and what it grows to is valid."""
    named = list(sequence({"turns": [["u1", "call1", "res1"], ["u2"]]}))
    assert [len(one) for one in named] == [3, 4]
    assert named[1][:3] == named[0]
    assert refused(named[1], "openai-chat") == []
    numbered = list(sequence({"turns": 30}))
    assert [len(one) for one in numbered] == list(range(1, 31))
    assert [one["role"] for one in numbered[2]] == ["user", "assistant", "user"]
