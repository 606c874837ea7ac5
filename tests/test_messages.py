"""Conversations: frames from messages, what is refused, what is tied."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import pytest
from hypothesis import given

import packframe as pf
from oracle import chat
from support.examples import examples
from support.frames import conversations

OPENAI = pf.Boundary.external("openai")


def call(*names: str, content: Any = None) -> dict[str, Any]:
    """Return an assistant message with calls."""
    function = {"name": "look", "arguments": "{}"}
    calls = [{"id": name, "type": "function", "function": function} for name in names]
    return {"role": "assistant", "content": content, "tool_calls": calls}


def result(name: str, content: Any = "r") -> dict[str, Any]:
    """Return the result of a call."""
    return {"role": "tool", "tool_call_id": name, "content": content}


def user(content: Any = "u") -> dict[str, Any]:
    """Return a user message."""
    return {"role": "user", "content": content}


SYSTEM = {"role": "system", "content": "s"}
ANSWER = {"role": "assistant", "content": "a"}


def required(messages: list[dict[str, Any]]) -> list[int]:
    """Return the rows that a frame of messages requires."""
    frame = pf.Frame.from_messages(messages)
    return [row for row, item in enumerate(frame) if item.retention == "required"]


def test_each_message_is_a_row() -> None:
    """A message is one row with its role and a score that grows with its place."""
    messages = [SYSTEM, user(), call("c"), result("c"), ANSWER]
    frame = pf.Frame.from_messages(messages)
    assert [item.kind for item in frame] == ["message"] * 5
    assert [item.role for item in frame] == ["system", "user", "assistant", "tool", "assistant"]
    assert [item.score for item in frame] == [(row + 1) / 5 for row in range(5)]
    assert [item.content.value for item in frame] == messages
    assert {item.retention for item in frame} <= {"required", "optional"}
    assert frame.to_openai_chat() == messages


def test_no_messages_make_an_empty_frame() -> None:
    """No messages, no problem."""
    assert len(pf.Frame.from_messages([])) == 0
    assert pf.Frame.from_messages(iter([])).to_openai_chat() == []


@pytest.mark.parametrize(
    ("messages", "rows"),
    [
        ([SYSTEM, user(), ANSWER, user(), ANSWER], [0, 3, 4]),
        ([user(), {"role": "developer", "content": "d"}, ANSWER], [0, 1, 2]),
        ([user(), call("c"), result("c")], [0, 1, 2]),
        ([user(), call("c"), result("c"), user()], [3]),
        ([user(), ANSWER, call("c", "d"), result("d"), result("c")], [0, 2, 3, 4]),
        ([user(), call("c")], [0, 1]),
        ([user(), ANSWER, call("c", "d"), result("d")], [0, 2, 3]),
        ([ANSWER, ANSWER], [1]),
        ([SYSTEM], [0]),
    ],
)
def test_what_must_stay_is_required(messages: list[dict[str, Any]], rows: list[int]) -> None:
    """System, the newest user message, the last message with its step, and open calls."""
    assert required(messages) == rows


@examples(200)
@given(messages=conversations())
def test_frames_of_messages_equal_the_oracles(messages: list[dict[str, Any]]) -> None:
    """Roles, scores, retentions and contents are those that the contract says."""
    before = copy.deepcopy(messages)
    frame = pf.Frame.from_messages(messages)
    for item, record in zip(frame, chat.records(messages), strict=True):
        assert (item.role, item.retention) == (record["role"], record["retention"])
        assert item.score == record["score"]
        assert item.content.value == record["content"]
        assert item.text == chat.text_of(record["content"])
    assert json.dumps(frame.to_openai_chat()) == json.dumps(messages)
    assert messages == before
    pack = frame.pack(None, boundary=OPENAI, render="messages")
    assert json.dumps(pack.to_openai_chat()) == json.dumps(messages)


@pytest.mark.parametrize(
    ("messages", "problems"),
    [
        ([user(), {"role": "bot", "content": "x"}], [(1, "unknown_role")]),
        ([{"content": "x"}], [(0, "unknown_role")]),
        ([user(), {"role": "user"}], [(1, "missing_content")]),
        ([user(None)], [(0, "missing_content")]),
        ([{"role": "assistant"}, user()], [(0, "missing_content")]),
        ([user(["text"])], [(0, "malformed_block")]),
        ([user([{"text": "no type"}])], [(0, "malformed_block")]),
        ([{"role": "assistant", "content": "x", "tool_calls": []}], [(0, "empty_tool_calls")]),
        ([{"role": "assistant", "content": "x", "tool_calls": [7]}], [(0, "malformed_call")]),
        ([user() | {"tool_calls": call("c")["tool_calls"]}], [(0, "call_in_wrong_role")]),
        ([call("c", "c"), result("c")], [(0, "duplicate_call")]),
        ([call("c"), result("c"), result("c")], [(2, "duplicate_result")]),
        ([result("c")], [(0, "orphan_result")]),
        ([user(), result("c"), user()], [(1, "orphan_result")]),
        ([call("c"), result("c"), result("d")], [(2, "orphan_result")]),
        ([call("c"), user()], [(0, "dangling_call")]),
        ([call("c", "d"), result("c"), user()], [(0, "dangling_call")]),
        ([call("c"), user(), result("c")], [(0, "dangling_call"), (2, "orphan_result")]),
        ([user({1, 2})], [(0, "not_json")]),
        ([user(), user() | {"x": float("nan")}], [(1, "not_json")]),
        ([user() | {"x": {1: 2}}], [(0, "not_json")]),
    ],
)
def test_problems_name_position_and_rule(
    messages: list[dict[str, Any]], problems: list[tuple[int, str]]
) -> None:
    """Each thing that a provider would refuse is listed with position, path and rule."""
    with pytest.raises(pf.InvalidMessages) as caught:
        pf.Frame.from_messages(messages, repair="error")
    found = caught.value.problems
    assert sorted((problem["position"], problem["rule"]) for problem in found) == problems
    assert all(isinstance(problem["path"], str) for problem in found)
    assert caught.value.code == "INVALID_MESSAGES"


@pytest.mark.parametrize(
    "message", [user(7), user({}), user(1.5), ANSWER | {"tool_calls": {}}, ANSWER | {"role": 7}]
)
def test_nonsense_in_a_message_is_refused(message: dict[str, Any]) -> None:
    """Values of types that no provider takes are problems of that message."""
    with pytest.raises(pf.InvalidMessages) as caught:
        pf.Frame.from_messages([user(), message, user()], repair="error")
    assert {problem["position"] for problem in caught.value.problems} == {1}


def test_a_result_without_an_id_is_refused() -> None:
    """A tool message has to say which call it answers."""
    messages = [call("c"), {"role": "tool", "content": "r"}, user()]
    with pytest.raises(pf.InvalidMessages) as caught:
        pf.Frame.from_messages(messages, repair="error")
    assert {problem["position"] for problem in caught.value.problems} <= {0, 1}


@pytest.mark.parametrize("messages", [[7], ["text"], [None], [["role", "user"]]], ids=repr)
def test_a_message_that_is_no_dict_is_refused(messages: Any) -> None:
    """A message is a dict; the problem is of the message as a whole."""
    with pytest.raises(pf.InvalidMessages) as caught:
        pf.Frame.from_messages(messages)
    assert caught.value.problems == [{"position": 0, "path": "", "rule": "not_a_dict", "id": None}]
    assert "message 0 (not_a_dict)" in str(caught.value)


def test_an_unknown_format_is_refused() -> None:
    """A format of a later version is an error that names it."""
    with pytest.raises(pf.InvalidOption) as caught:
        pf.Frame.from_messages([user()], format="anthropic-2")
    assert caught.value.option == "format"


def test_ids_of_calls_may_come_again_in_another_step() -> None:
    """The same call id in two steps ties each result to its own step."""
    messages = [user(), call("c"), result("c"), call("c"), result("c"), user()]
    manifest = pf.Frame.from_messages(messages).pack(1000).manifest.to_dict()
    assert [group["rows"] for group in manifest["groups"]] == [[1, 2], [3, 4]]
    assert [group["kind"] for group in manifest["groups"]] == ["chat", "chat"]


def test_calls_and_results_share_a_fate() -> None:
    """At every budget a call is in the pack with all its results or not at all."""
    messages = [SYSTEM, user(), call("c", "d"), result("d", "x " * 30), result("c"), ANSWER, user()]
    frame = pf.Frame.from_messages(messages)
    profile = pf.profiles.openai("o200k_base")
    seen = set()
    for budget in range(20, 200, 5):
        try:
            pack = frame.pack(budget, token_profile=profile, boundary=OPENAI)
        except pf.BudgetExceeded:
            continue
        rows = {record["row"] for record in pack.manifest.to_dict()["selected"]}
        assert {2, 3, 4} <= rows or not {2, 3, 4} & rows
        assert chat.ties(pack.to_openai_chat()).problems == []
        seen.add(2 in rows)
    assert seen == {True, False}


@pytest.mark.parametrize("render", ["text", "messages"])
def test_a_frame_that_would_render_invalid_is_refused(render: str) -> None:
    """A verb that tears a call from its result is found when packing."""
    frame = pf.Frame.from_messages([user(), call("c"), result("c"), user()])
    for torn, problem in (
        (frame.filter(pf.col("row") != 2), (1, "dangling_call")),
        (frame.filter(pf.col("row") != 1), (1, "orphan_result")),
        (frame.sort("row", descending=True), (1, "orphan_result")),
    ):
        with pytest.raises(pf.InvalidMessages) as caught:
            torn.pack(1000, render=render)
        problems = [(found["position"], found["rule"]) for found in caught.value.problems]
        assert problem in problems


def test_plain_rows_stand_beside_messages() -> None:
    """Plain items before and after a conversation leave its ties alone."""
    talk = pf.Frame.from_messages([user(), call("c"), result("c"), ANSWER])
    frame = pf.Frame([pf.Item("doc", role="system")]) + talk + pf.Frame(["note"])
    pack = frame.pack(1000, token_profile=pf.profiles.openai("o200k_base"), boundary=OPENAI)
    assert [group["rows"] for group in pack.manifest.to_dict()["groups"]] == [[2, 3]]
    assert pack.to_openai_chat()[0] == {"role": "system", "content": "doc"}
    assert pack.to_openai_chat()[-1] == {"role": "user", "content": "note"}


def test_a_plain_row_between_call_and_result_is_refused() -> None:
    """A provider wants results right behind their call, so nothing may stand between."""
    frame = pf.Frame.from_messages([user(), call("c"), result("c"), user()])
    parts = frame[:2] + pf.Frame(["between"]) + frame[2:]
    with pytest.raises(pf.InvalidMessages):
        parts.pack(1000)


def test_a_group_and_a_call_join_to_one() -> None:
    """A message that has a group ties its call group to that group."""
    frame = pf.Frame.from_messages([user(), call("c"), result("c"), user()])
    records = frame.to_records()
    records[2]["group"] = "g"
    records.append({"content": "attached", "group": "g"})
    pack = pf.Frame.from_records(records).pack(1000)
    assert pack.manifest.to_dict()["groups"] == [{"group": "g", "rows": [1, 2, 4], "kind": "mixed"}]


def test_tool_definitions_may_hide_in_unknown_fields() -> None:
    """A field that nobody knows is kept, counted as JSON, and warned about."""
    message = user() | {"vendor": {"a": [1, 2]}}
    pack = pf.Frame.from_messages([message]).pack(
        100, token_profile=pf.profiles.openai("o200k_base"), boundary=OPENAI
    )
    manifest = pack.manifest.to_dict()
    assert manifest["warnings"] == [{"code": "unknown_block", "row": 0}]
    assert manifest["accuracy"] == "approximate"
    assert pack.to_openai_chat() == [message]


def test_media_in_messages_is_unsupported_in_a_text() -> None:
    """A message with an image is unsupported content: left out, or an error if required."""
    image = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    messages = [user([{"type": "text", "text": "look"}, image]), user()]
    unframed = pf.profiles.approximate()
    pack = pf.Frame.from_messages(messages).pack(1000, token_profile=unframed)
    assert [record["reason"] for record in pack.manifest.to_dict()["excluded"]] == [
        "unsupported_content"
    ]
    with pytest.raises(pf.UnsupportedContent) as caught:
        pf.Frame.from_messages(messages[:1]).pack(1000, token_profile=unframed)
    assert (caught.value.row, caught.value.kind) == (0, "message")


def test_shuffled_results_keep_their_order() -> None:
    """Results of parallel calls may come in any order and stay in it."""
    names = [f"c{number}" for number in range(9)]
    order = names[:]
    random.Random(7).shuffle(order)
    messages = [user(), call(*names), *(result(name) for name in order)]
    pack = pf.Frame.from_messages(messages).pack(None, boundary=OPENAI)
    assert pack.to_openai_chat() == messages
