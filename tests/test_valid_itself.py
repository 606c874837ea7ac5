"""The slow judge of message lists, checked by hand, since it judges the fast one."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from support import reference
from support.histories import FORMATS, history, sweep
from support.said import (
    PART,
    TEXT,
    USER,
    assistant,
    call,
    calls,
    content,
    function_call,
    function_response,
    given,
    item,
    made_by,
    output,
    result,
    thinking,
    use,
    user,
)
from valid import RULES, groups, problems, protected, refused
from valid.mend import can_be_mended, mend

Expected = list[tuple[int, str, str]]

CHAT: dict[str, tuple[list[Any], Expected]] = {
    "nothing": ([], []),
    "results in any order": ([calls("a", "b"), result("b"), result("a"), USER], []),
    "an id in two steps": ([calls("a"), result("a"), calls("a"), result("a")], []),
    "empty text": ([USER | {"content": ""}], []),
    "null fields": ([{"role": "assistant", "content": "x", "tool_calls": None}], []),
    "waiting": ([calls("a", "b"), result("b")], [(0, "tool_calls[0]", "pending_call")]),
    "dangling": ([calls("a"), USER], [(0, "tool_calls[0]", "dangling_call")]),
    "out of place": (
        [calls("a"), USER, result("a")],
        [(0, "tool_calls[0]", "dangling_call"), (2, "tool_call_id", "orphan_result")],
    ),
    "before its call": (
        [result("a"), calls("a"), USER],
        [(0, "tool_call_id", "orphan_result"), (1, "tool_calls[0]", "dangling_call")],
    ),
    "twice": (
        [calls("a", "a"), result("a"), result("a"), result("z")],
        [
            (0, "tool_calls[1].id", "duplicate_call"),
            (2, "tool_call_id", "duplicate_result"),
            (3, "tool_call_id", "orphan_result"),
        ],
    ),
    "legacy": (
        [
            {"role": "assistant", "function_call": {"name": "f", "arguments": "{}"}},
            {"role": "function", "name": "f", "content": None},
            {"role": "function", "name": "f", "content": "r"},
        ],
        [(2, "name", "duplicate_result")],
    ),
    "contents": (
        [{"role": "user"}, USER | {"content": []}, USER | {"content": [[TEXT], {"type": "text"}]}],
        [
            (0, "content", "missing_content"),
            (1, "content", "empty_content"),
            (2, "content[0]", "malformed_block"),
            (2, "content[1]", "malformed_block"),
        ],
    ),
    "nobody": (
        [None, {"role": "wizard"}, {"content": "x"}],
        [(0, "", "malformed_block"), (1, "role", "unknown_role"), (2, "role", "unknown_role")],
    ),
    "no calls": (
        [
            {"role": "assistant", "content": None, "tool_calls": []},
            {"role": "assistant", "content": "x", "tool_calls": {}},
            {"role": "assistant", "content": "x", "tool_calls": [{"id": "a"}, calls("b")]},
            USER | {"tool_calls": calls("c")["tool_calls"]},
            {"role": "tool", "content": "x"},
        ],
        [
            (0, "tool_calls", "empty_tool_calls"),
            (1, "tool_calls", "malformed_call"),
            (2, "tool_calls[0]", "malformed_call"),
            (2, "tool_calls[1]", "malformed_call"),
            (3, "tool_calls", "call_in_wrong_role"),
            (4, "tool_call_id", "malformed_call"),
        ],
    ),
    "arguments": (
        [
            {
                "role": "assistant",
                "tool_calls": [
                    {"id": "a", "function": {"name": "f", "arguments": {"a": [1, 2]}}},
                    {"id": "b", "type": "custom", "custom": {"name": "f"}},
                ],
            },
            result("a"),
            result("b"),
        ],
        [
            (0, "tool_calls[0].function.arguments", "arguments_not_string"),
            (0, "tool_calls[1].custom.input", "arguments_not_string"),
        ],
    ),
}

ANTHROPIC: dict[str, tuple[list[Any], Expected]] = {
    "results first": ([user(), assistant(use("a")), user(given("a"), TEXT)], []),
    "neighbours are one turn": (
        [user(), assistant(use("a")), assistant(use("b")), user(given("b")), user(given("a"))],
        [],
    ),
    "a text first": (
        [user(), assistant(use("a")), user(TEXT), user(given("a"))],
        [(3, "content[0]", "result_not_first")],
    ),
    "waiting": (
        [user(), assistant(use("a"), use("b")), user(given("a"))],
        [(1, "content[1]", "pending_call")],
    ),
    "dangling beside a text": (
        [user(), assistant(use("a"), use("b")), user(given("a"), TEXT)],
        [(1, "content[1]", "dangling_call")],
    ),
    "late": (
        [user(), assistant(use("a")), user(), assistant(), user(given("a"))],
        [(1, "content[0]", "dangling_call"), (4, "content[0].tool_use_id", "orphan_result")],
    ),
    "an id again": (
        [user(), assistant(use("a")), user(given("a")), assistant(use("a")), user(given("a"))],
        [(3, "content[0].id", "duplicate_call")],
    ),
    "a second result": (
        [user(), assistant(use("a")), user(given("a"), given("a"))],
        [(2, "content[1].tool_use_id", "duplicate_result")],
    ),
    "wrong sides": (
        [user(use("a")), assistant(given("a"), TEXT)],
        [(0, "content[0]", "call_in_wrong_role"), (1, "content[0].tool_use_id", "orphan_result")],
    ),
    "the server's": (
        [user(), assistant(use("s", "server_tool_use"), given("s", "web_search_tool_result"))],
        [],
    ),
    "the server's, stopped": (
        [user(), assistant(TEXT, use("s", "server_tool_use"))],
        [(1, "content[1]", "pending_call")],
    ),
    "the server's, without": (
        [user(), assistant(use("s", "mcp_tool_use"), given("z", "mcp_tool_result")), user()],
        [(1, "content[0]", "dangling_call"), (1, "content[1].tool_use_id", "orphan_result")],
    ),
    "contents": (
        [user({"type": "text", "text": " "}), assistant([TEXT]), {"role": "user", "content": ""}],
        [
            (0, "content[0]", "empty_content"),
            (1, "content[0]", "malformed_block"),
            (2, "content", "empty_content"),
        ],
    ),
    "the last may be empty": ([user(), {"role": "assistant", "content": []}], []),
    "thinking is signed": (
        [user(), assistant({"type": "thinking", "thinking": "t"}, thinking())],
        [(1, "content[0]", "malformed_block")],
    ),
    "no calls": (
        [user(), assistant({"type": "tool_use", "name": "n", "input": {}}), user(given(""))],
        [(1, "content[0]", "malformed_call"), (2, "content[0].tool_use_id", "malformed_call")],
    ),
    "inside a result": (
        [user(), assistant(use("a")), user(given("a") | {"content": [TEXT, ["x"]]})],
        [(2, "content[0].content[1]", "malformed_block")],
    ),
    "the assistant first": ([assistant(), user()], [(0, "role", "first_role")]),
    "roles": ([{"role": "system", "content": "x"}, user()], [(0, "role", "unknown_role")]),
}

GEMINI: dict[str, tuple[list[Any], Expected]] = {
    "by name": (
        [
            content("user"),
            content("model", function_call("w"), function_call("w")),
            content("user", function_response("w"), function_response("w"), PART),
        ],
        [],
    ),
    "by id": (
        [
            content("user"),
            content("model", function_call("w", "1"), function_call("w", "2")),
            content("function", function_response("w", "2")),
            content("user", function_response("w", "1")),
        ],
        [],
    ),
    "one side without an id": (
        [
            content("user"),
            content("model", function_call("w", "1")),
            content("user", function_response("w")),
        ],
        [],
    ),
    "waiting": (
        [
            content("user"),
            content("model", function_call("w"), function_call("v")),
            content("user", function_response("w")),
        ],
        [(1, "parts[1]", "pending_call")],
    ),
    "too many": (
        [
            content("user"),
            content("model", function_call("w", "1")),
            content("user", function_response("w", "1"), function_response("w", "1")),
            content("user", function_response("z")),
        ],
        [
            (2, "parts[1].functionResponse.id", "duplicate_result"),
            (3, "parts[0].functionResponse.name", "orphan_result"),
        ],
    ),
    "an id twice": (
        [
            content("user"),
            content("model", function_call("w", "1"), function_call("w", "1")),
            content("user", function_response("w", "1")),
        ],
        [(1, "parts[1].functionCall.id", "duplicate_call")],
    ),
    "dangling": (
        [content("user"), content("model", function_call("w")), content("user")],
        [(1, "parts[0]", "dangling_call")],
    ),
    "parts": (
        [content("user", {}, {"text": 5}, ["x"]), {"role": "user"}, {"parts": []}],
        [
            (0, "parts[0]", "malformed_block"),
            (0, "parts[1]", "malformed_block"),
            (0, "parts[2]", "malformed_block"),
            (1, "parts", "missing_content"),
            (2, "parts", "empty_content"),
        ],
    ),
    "wrong sides": (
        [content("user", function_call("w")), content("model", function_response("w"))],
        [
            (0, "parts[0]", "call_in_wrong_role"),
            (1, "parts[0].functionResponse.name", "orphan_result"),
        ],
    ),
    "no calls": (
        [
            content("user"),
            content("model", {"functionCall": {"args": {}}}),
            content("user", {"functionResponse": {"response": {}}}),
            content("user", {"functionResponse": {"name": "w"}}),
        ],
        [
            (1, "parts[0]", "malformed_call"),
            (2, "parts[0].functionResponse.name", "malformed_call"),
            (3, "parts[0]", "malformed_block"),
            (3, "parts[0].functionResponse.name", "orphan_result"),
        ],
    ),
    "the model first": ([content("model")], [(0, "role", "first_role")]),
}

PROGRAM = item("program", "p", code="x")


def ended(status: str | None = "completed") -> dict[str, Any]:
    """Return the output of the program."""
    more = {} if status is None else {"status": status}
    return item("program_output", "p", result="r", **more)


def shell(status: str | None) -> dict[str, Any]:
    """Return an output of a shell."""
    return item(
        "shell_call_output", "s", output=[], **({} if status is None else {"status": status})
    )


RESPONSES: dict[str, tuple[list[Any], Expected]] = {
    "anywhere behind": ([call("a"), USER, output("a")], []),
    "kinds have ids of their own": (
        [
            call("a"),
            item("custom_tool_call", "a", name="n", input="x"),
            output("a"),
            item("custom_tool_call_output", "a", output="r"),
        ],
        [],
    ),
    "unknown kinds": ([item("teleport_call", "t"), item("teleport_call_output", "t")], []),
    "before its call": (
        [output("a"), call("a"), USER],
        [(0, "call_id", "orphan_result"), (1, "", "dangling_call")],
    ),
    "waiting": (
        [call("a"), item("reasoning"), call("b"), output("b")],
        [(0, "", "pending_call")],
    ),
    "a message ends it": (
        [call("a"), {"type": "message", "id": "m", "role": "assistant", "content": "x"}],
        [(0, "", "dangling_call")],
    ),
    "twice": (
        [call("a"), call("a"), output("a"), output("a")],
        [(1, "call_id", "duplicate_call"), (3, "call_id", "duplicate_result")],
    ),
    "an id of an item twice": (
        [item("web_search_call", id="w"), item("web_search_call", id="w"), item("mcp_call")],
        [(1, "id", "duplicate_call")],
    ),
    "a local shell by id": (
        [
            item("local_shell_call", "k", id="l"),
            {"type": "local_shell_call_output", "id": "k", "output": "r"},
        ],
        [],
    ),
    "streams": (
        [item("shell_call", "s"), shell("in_progress"), shell("incomplete"), shell("completed")],
        [(3, "call_id", "duplicate_result")],
    ),
    "a status of no stream": (
        [item("shell_call", "s"), shell("failed"), shell(None)],
        [(1, "status", "bad_status")],
    ),
    "searches without ids": (
        [
            item("tool_search_call"),
            item("tool_search_call"),
            item("tool_search_output", status="in_progress"),
            item("tool_search_output", status="completed"),
        ],
        [(0, "", "pending_call")],
    ),
    "a search by the client": (
        [
            item("tool_search_call", execution="client"),
            item("tool_search_output", execution="client"),
        ],
        [(0, "", "malformed_call"), (1, "call_id", "malformed_call")],
    ),
    "a search with an id on one side": (
        [item("tool_search_call"), item("tool_search_output", "q"), USER],
        [(0, "", "dangling_call"), (1, "call_id", "orphan_result")],
    ),
    "approval": (
        [
            {
                "type": "hosted_tool_call",
                "id": "h",
                "provider_data": {"type": "mcp_approval_request", "id": "ap"},
            },
            {"type": "mcp_approval_response", "approval_request_id": "ap"},
            {"type": "mcp_approval_response", "approval_request_id": "h"},
        ],
        [(2, "approval_request_id", "orphan_result")],
    ),
    "reasoning": (
        [item("reasoning"), item("reasoning"), call("a"), item("reasoning"), output("a")],
        [(3, "", "no_follower")],
    ),
    "no followers": (
        [
            item("reasoning"),
            item("hologram"),
            item("reasoning"),
            {"role": "assistant", "content": "x"},
            item("reasoning"),
        ],
        [(0, "", "no_follower"), (2, "", "no_follower"), (4, "", "no_follower")],
    ),
    "a program without anything": ([PROGRAM, USER], [(0, "", "dangling_call")]),
    "a program with a child": (
        [PROGRAM, call("a", **made_by("p")), output("a"), USER],
        [],
    ),
    "a program's statuses": (
        [PROGRAM, ended(None), ended("incomplete"), ended(), ended()],
        [(1, "status", "bad_status"), (4, "call_id", "duplicate_result")],
    ),
    "children that may wait": (
        [
            PROGRAM,
            item("shell_call", "s", **made_by("p")),
            {"type": "mcp_approval_request", "id": "ap"} | made_by("p"),
            USER,
        ],
        [],
    ),
    "children that may not": (
        [PROGRAM, item("shell_call", "s", status="completed", **made_by("p")), USER],
        [(1, "", "dangling_call")],
    ),
    "a child too late": (
        [PROGRAM, ended(), call("a", **made_by("p")), output("a")],
        [(2, "caller.caller_id", "child_after_completed")],
    ),
    "a child's output too late": (
        [PROGRAM, call("a", **made_by("p")), ended(), output("a")],
        [(3, "call_id", "child_after_completed")],
    ),
    "a child of nobody": (
        [item("hologram", **made_by("p")), PROGRAM, ended()],
        [(0, "caller.caller_id", "unknown_program")],
    ),
    "a program in a program": (
        [
            PROGRAM,
            item("program", "q", **made_by("p")),
            item("program_output", "q", status="completed"),
            ended(),
        ],
        [(1, "caller", "nested_program")],
    ),
    "another owner": (
        [PROGRAM, call("a"), output("a", **made_by("p")), ended(), USER],
        [(1, "", "dangling_call"), (2, "caller", "wrong_owner")],
    ),
    "controls": ([item("compaction_trigger"), item("item_reference", id="r"), {"id": "r"}], []),
    "items": (
        [7, {"type": 7}, {}, {"role": "tool", "content": "x"}, {"role": "user"}],
        [
            (0, "", "malformed_block"),
            (1, "type", "malformed_block"),
            (2, "role", "unknown_role"),
            (3, "role", "unknown_role"),
            (4, "content", "missing_content"),
        ],
    ),
    "calls that are none": (
        [
            item("function_call", "a", arguments="{}"),
            item("function_call", name="n", arguments="{}"),
            item("function_call_output", output=None),
            call("b") | {"arguments": {"a": 1}},
            output("b") | {"output": [["x"]]},
        ],
        [
            (0, "", "malformed_call"),
            (1, "", "malformed_call"),
            (2, "call_id", "malformed_call"),
            (2, "output", "missing_content"),
            (3, "arguments", "arguments_not_string"),
            (4, "output[0]", "malformed_block"),
        ],
    ),
}

TABLES = {
    "openai-chat": CHAT,
    "anthropic": ANTHROPIC,
    "gemini": GEMINI,
    "openai-responses": RESPONSES,
}
CASES = [(kind, name) for kind, table in TABLES.items() for name in table]


@pytest.mark.parametrize(("format", "name"), CASES, ids=[" ".join(case) for case in CASES])
def test_a_judgement_by_hand(format: str, name: str) -> None:
    """What is wrong, where, and nothing else."""
    messages, expected = TABLES[format][name]
    found = problems(messages, format)
    assert [(one.position, one.path, one.rule) for one in found] == expected
    for one in found:
        assert (one.severity == "pending") == (one.rule == "pending_call")


def test_a_call_waits_where_the_caller_says_so() -> None:
    """With ``allow_pending`` anywhere, abandoned nowhere."""
    middle, end = [calls("a"), USER], [USER, calls("a")]
    for messages, options, rule in (
        (middle, {}, "dangling_call"),
        (middle, {"allow_pending": True}, "pending_call"),
        (middle, {"allow_pending": True, "abandoned": {"a"}}, "dangling_call"),
        (end, {}, "pending_call"),
        (end, {"abandoned": {"a"}}, "dangling_call"),
        (end, {"abandoned": {"b"}}, "pending_call"),
    ):
        found = problems(messages, "openai-chat", **options)
        assert [one.rule for one in found] == [rule]


def test_only_models_without_prefill_mind_who_is_last() -> None:
    """The assistant's word last is refused for them, its waiting call is not."""
    said, waits = [user(), assistant()], [user(), assistant(use("a"))]
    for model in ("claude-opus-4-6", "us.anthropic.claude-opus-4-6-v1", "claude-sonnet-5-5"):
        assert [one.rule for one in problems(said, "anthropic", model)] == ["last_role"]
        assert [one.rule for one in problems(waits, "anthropic", model)] == ["pending_call"]
    for other in (None, "claude-opus-4-5", "claude-haiku-4-5", "gpt-4o"):
        assert problems(said, "anthropic", other) == []


@pytest.mark.parametrize("format", FORMATS)
def test_generated_histories_are_valid_before_they_are_broken(format: str) -> None:
    """A thousand of them, and not one is refused."""
    for seed in range(1000):
        assert refused(history(format, Random(seed), breaks=0), format) == [], seed


@pytest.mark.parametrize("format", FORMATS)
def test_without_a_group_a_valid_history_is_valid(format: str) -> None:
    """Any one group that may go leaves a list that nobody refuses but for who comes first."""
    for seed in range(500):
        messages = history(format, Random(seed), breaks=0)
        waiting = [one.position for one in problems(messages, format)]
        stay = protected(messages, format, waiting)
        for group in groups(messages, format):
            if stay & set(group):
                assert set(group) <= stay
                continue
            rest = [message for row, message in enumerate(messages) if row not in group]
            assert {one.rule for one in refused(rest, format)} <= {"first_role"}, (seed, group)


def test_what_the_slow_repair_leaves_is_valid_and_stays() -> None:
    """Of chat histories with wrong calls a list that nobody refuses, the same when it was one."""
    for seed, messages in sweep("openai-chat", 2000, seed=0):
        if can_be_mended(messages):
            left = mend(messages)
            assert refused(left, "openai-chat") == [], seed
            assert mend(left) == left, seed
            if not refused(messages, "openai-chat"):
                assert left == messages, seed


NEVER = {
    "openai-chat": {"result_not_first", "first_role"},
    "openai-responses": {"result_not_first", "first_role", "empty_content", "empty_tool_calls"},
    "anthropic": {"empty_tool_calls", "arguments_not_string"},
    "gemini": {"empty_tool_calls", "arguments_not_string", "result_not_first"},
}
PROGRAMS = {"unknown_program", "child_after_completed", "nested_program", "wrong_owner"}


@pytest.mark.parametrize("format", FORMATS)
def test_every_rule_is_broken_somewhere(format: str) -> None:
    """The generator reaches each rule that a format has, so that a comparison means something."""
    expected = RULES - NEVER[format] - {"last_role"}
    if format == "openai-responses":
        expected -= {"call_in_wrong_role"}
    else:
        expected -= PROGRAMS | {"no_follower", "bad_status"}
    seen = {
        one.rule
        for _, messages in sweep(format, 6000, seed=0)
        for one in problems(messages, format)
    }
    assert seen == expected


RUNS = reference.runs()


@pytest.mark.parametrize("run", RUNS, ids=[run.title for run in RUNS])
def test_what_the_reference_keeps_whole_is_not_refused(run: reference.Run) -> None:
    """Rebuilt from its names, a history that the reference sends as it is has nothing wrong.

    But for the three whose ``tool_calls`` are none: the reference does not look at them.
    """
    history, final = reference.build(run)
    found = refused(history + final, run.format)
    if run.raises or reference.kept_rows(run) != list(range(len(history))):
        return
    if run.title.startswith("tool_calls "):
        assert len(found) == 1
    else:
        assert found == []


def test_the_listing_is_read_whole() -> None:
    """Every run is there once, and what was read out of titles is about runs that exist."""
    titles = [run.title for run in RUNS]
    assert len(titles) == len(set(titles)) == 188
    assert set(reference.MEANT) | set(reference.GUESSED) <= set(titles)
    for run in RUNS:
        places = reference.MEANT.get(run.title, {})
        assert all(place < len(run.given + run.final) for place in places)
        assert run.raises or len(run.kept) <= len(run.given)
