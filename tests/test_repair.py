"""What ``repair_messages`` gives back: valid, the same where it was valid, and said in records."""

from __future__ import annotations

import copy
from random import Random
from typing import Any

import pytest

from support.examples import EXAMPLES
from support.histories import FORMATS, history, sweep
from support.said import (
    PART,
    USER,
    assistant,
    call,
    calls,
    content,
    function_call,
    function_response,
    item,
    made_by,
    output,
    result,
    thinking,
    use,
    user,
)
from support.talk import Repaired, pf, repaired, written
from valid import Problem, problems, refused
from valid.anthropic import places_of
from valid.item import read_all
from valid.mend import can_be_mended, mend

SWEEP = max(EXAMPLES, 2500)

INCURABLE = {
    "arguments_not_string",
    "call_in_wrong_role",
    "empty_content",
    "first_role",
    "last_role",
    "malformed_block",
    "malformed_call",
    "missing_content",
    "unknown_role",
}
"""Rules that no repair mends in a message that stays; a malformed call may be mended."""
UNREPAIRED = {"first_role", "last_role"}
"""Who comes first and last is the packer's matter, not the repair's."""
CONTROLS = ("compaction_trigger", "item_reference")


def is_control(message: Any) -> bool:
    """Tell whether a message is an input control of the Responses API, which a repair takes out."""
    if not isinstance(message, dict):
        return False
    kind = message.get("type")
    bare = kind is None and message.get("role") is None and isinstance(message.get("id"), str)
    return kind in CONTROLS or bare


def mended(messages: list[Any], format: str, **options: Any) -> Repaired | None:
    """Repair, or check that an error has a reason; no other error may come."""
    try:
        return repaired(messages, format, **options)
    except pf.InvalidMessages as error:
        known = {(one.position, one.rule) for one in refused(messages, format)}
        said = {(one["position"], one["rule"]) for one in error.problems}
        assert said
        if {rule for _, rule in said} <= UNREPAIRED:
            # Who comes first may be somebody else when others have gone.
            return None
        # The last word of Anthropic's assistant may be empty, but not where a result moves behind it.
        known.add((len(messages) - 1, "empty_content"))
        assert said <= known, (said, known)
        assert {rule for _, rule in said} & INCURABLE, said
        return None


def left(messages: list[Any], format: str) -> list[Problem]:
    """Return what a repair should have mended."""
    return [one for one in refused(messages, format) if one.rule not in UNREPAIRED]


@pytest.mark.parametrize("repair", ["drop", "placeholder"])
@pytest.mark.parametrize("format", FORMATS)
def test_what_comes_out_is_valid(format: str, repair: str) -> None:
    """The slow judge refuses nothing of a repaired history, and most of them can be repaired."""
    done = 0
    for seed, messages in sweep(format, SWEEP, seed=0):
        found = mended(messages, format, repair=repair)
        if found is not None:
            done += 1
            assert left(found.messages, format) == [], (seed, messages)
    assert done > SWEEP // 2


@pytest.mark.parametrize("repair", ["drop", "placeholder", "error"])
@pytest.mark.parametrize("format", FORMATS)
def test_a_valid_history_stays_as_it_is(format: str, repair: str) -> None:
    """Byte for byte, and no record says that anything was done."""
    for seed in range(SWEEP // 3):
        messages = history(format, Random(seed), breaks=0)
        found = repaired(messages, format, repair=repair)
        assert written(found.messages) == written(messages), seed
        assert found.repairs == [], seed


@pytest.mark.parametrize("repair", ["drop", "placeholder"])
@pytest.mark.parametrize("format", FORMATS)
def test_a_second_repair_changes_nothing(format: str, repair: str) -> None:
    """What was repaired is left alone, to the byte, without a record."""
    for seed, messages in sweep(format, SWEEP, seed=20_000):
        found = mended(messages, format, repair=repair)
        if found is not None:
            again = repaired(found.messages, format, repair=repair)
            assert written(again.messages) == written(found.messages), seed
            assert again.repairs == [], seed


@pytest.mark.parametrize("repair", ["drop", "placeholder"])
@pytest.mark.parametrize("format", FORMATS)
def test_what_no_record_names_is_kept_to_the_byte(format: str, repair: str) -> None:
    """Records name rows that exist, and every other row is there, in order, unchanged."""
    for seed, messages in sweep(format, SWEEP, seed=40_000):
        found = mended(messages, format, repair=repair)
        if found is None:
            continue
        touched = set()
        for record in found.repairs:
            assert set(record) >= {"row", "path", "kind", "id", "to_row"}, seed
            assert 0 <= record["row"] < len(messages), seed
            assert record["to_row"] is None or 0 <= record["to_row"] < len(messages), seed
            touched |= {record["row"], record["to_row"]}
        rest = iter([written(message) for message in found.messages])
        for row, message in enumerate(messages):
            if row not in touched:
                assert written(message) in rest, (seed, row)
        if found.repairs == []:
            assert written(found.messages) == written(messages), seed


def says_something(message: Any, format: str) -> bool:
    """Tell whether a message is the user's and holds no result."""
    if not isinstance(message, dict) or message.get("role") != "user":
        return False
    entries = message.get("parts" if format == "gemini" else "content")
    if isinstance(entries, str):
        return True
    return isinstance(entries, list) and not any(
        isinstance(one, dict) and (one.get("type") == "tool_result" or "functionResponse" in one)
        for one in entries
    )


@pytest.mark.parametrize("format", FORMATS)
def test_what_users_say_is_never_dropped(format: str) -> None:
    """A message of the user without results and problems is there, unchanged, in order."""
    for seed, messages in sweep(format, SWEEP, seed=60_000):
        found = mended(messages, format)
        if found is None:
            continue
        wrong = {one.position for one in refused(messages, format)}
        rest = iter([written(message) for message in found.messages])
        for row, message in enumerate(messages):
            if row not in wrong and says_something(message, format):
                assert written(message) in rest, (seed, row)


def sound_steps(messages: list[Any]) -> list[int]:
    """Return the rows of chat steps in which nothing is wrong: a message and the results behind."""
    wrong = {one.position for one in refused(messages, "openai-chat")}
    steps: list[list[int]] = []
    for row, message in enumerate(messages):
        role = message.get("role") if isinstance(message, dict) else None
        if not steps or role not in {"tool", "function"}:
            steps.append([])
        steps[-1].append(row)
    return [row for step in steps if not wrong & set(step) for row in step]


def sound_items(messages: list[Any]) -> list[int]:
    """Return the rows of items in which nothing is wrong, nor in what their ids tie them to.

    Reasoning, searches without an id, controls and what a program made depend on others and are
    left out.
    """
    items = read_all(messages)
    wrong = {one.position for one in refused(messages, "openai-responses")}
    unsound = [one for one in items if one.position in wrong or one.owner is not None]
    ties = {(one.kind, one.key) for one in unsound if one.key is not None}
    names = [one.name for one in items if one.name is not None]
    return [
        one.position
        for one in items
        if one.position not in wrong
        and one.what in {"message", "alone", "call", "output"}
        and not one.anonymous
        and one.owner is None
        and one.kind != "program"
        and (one.kind, one.key) not in ties
        and names.count(one.name or "") <= 1
    ]


SOUND = {"openai-chat": sound_steps, "openai-responses": sound_items}


@pytest.mark.parametrize("repair", ["drop", "placeholder"])
@pytest.mark.parametrize("format", sorted(SOUND))
def test_what_nothing_is_wrong_with_is_kept(format: str, repair: str) -> None:
    """One bad member costs its neighbours nothing: what is sound is there, unchanged, in order."""
    rows = 0
    for seed, messages in sweep(format, SWEEP, seed=100_000):
        found = mended(messages, format, repair=repair)
        if found is None:
            continue
        rest = iter([written(message) for message in found.messages])
        for row in SOUND[format](messages):
            rows += 1
            assert written(messages[row]) in rest, (seed, row)
    assert rows > SWEEP


def test_chat_is_repaired_as_the_specification_has_it() -> None:
    """Message for message what a slow repair gives, which moves, drops and keeps step by step."""
    compared = 0
    for seed, messages in sweep("openai-chat", SWEEP, seed=0):
        if can_be_mended(messages):
            compared += 1
            found = repaired(messages, "openai-chat").messages
            assert written(found) == written(mend(messages)), (seed, messages)
    assert compared > SWEEP // 2


@pytest.mark.parametrize("format", FORMATS)
def test_the_callers_objects_are_never_changed(format: str) -> None:
    """A repair works on its own copy, and gives no part of the caller's back to be changed."""
    for _, messages in sweep(format, 300, seed=80_000):
        before = copy.deepcopy(messages)
        mended(messages, format)
        assert messages == before


@pytest.mark.parametrize("format", FORMATS)
def test_error_repairs_nothing(format: str) -> None:
    """With ``repair="error"`` what would be repaired is InvalidMessages."""
    for seed, messages in sweep(format, SWEEP // 3, seed=0):
        if left(messages, format):
            with pytest.raises(pf.InvalidMessages) as caught:
                repaired(messages, format, repair="error")
            known = {(one.position, one.rule) for one in refused(messages, format)}
            said = {(one["position"], one["rule"]) for one in caught.value.problems}
            assert said, seed
            assert said <= known, seed


def unanswered(format: str, number: int) -> list[tuple[list[Any], set[str]]]:
    """Return histories in which nothing is wrong but calls that dangle, and the ids of these."""
    found = []
    for _, messages in sweep(format, number, seed=0):
        wrong = refused(messages, format)
        if {one.rule for one in wrong} == {"dangling_call"} and not any(map(is_control, messages)):
            ids = {_call_id(messages[one.position], one.path) for one in wrong}
            found.append((messages, {name for name in ids if name is not None}))
    return found


def _call_id(message: Any, path: str) -> str | None:
    """Return the id of the call at a path of a message; none where it must stay unanswered."""
    entry = message
    for step in filter(None, path.replace("]", "").replace("[", ".").split(".")):
        entry = entry[int(step)] if step.isdigit() else entry[step]
    if path.startswith("parts"):
        entry = entry["functionCall"]
    if entry.get("type") in {"computer_call", "mcp_approval_request", "hosted_tool_call"}:
        return None
    name = entry.get("call_id", entry.get("id"))
    return name if isinstance(name, str) else None


def _kind(message: Any, path: str) -> str | None:
    """Return the type of the call at a path; the results of a server's tools have other words."""
    entry = message["content"][int(path[8:-1])] if path.startswith("content[") else message
    kind = entry.get("type")
    return kind if isinstance(kind, str) else None


@pytest.mark.parametrize("format", FORMATS)
def test_a_placeholder_keeps_the_call(format: str) -> None:
    """Every dangling call is there and has a result, which says that there is none."""
    cases = unanswered(format, SWEEP)
    assert len(cases) > 20
    for messages, ids in cases:
        found = mended(messages, format, repair="placeholder")
        assert found is not None
        text = written(found.messages)
        assert left(found.messages, format) == []
        for name in ids:
            assert f'"{name}"' in text, (name, messages)
        kinds = {_kind(messages[one.position], one.path) for one in refused(messages, format)}
        if ids and kinds <= {None, "function", "tool_use", "function_call", "custom_tool_call"}:
            assert "[no result]" in text, messages


@pytest.mark.parametrize("format", FORMATS)
def test_calls_are_kept_that_may_wait(format: str) -> None:
    """With ``allow_pending`` a call without a result stays where it is, and nothing is written."""
    for messages, _ in unanswered(format, SWEEP):
        found = repaired(messages, format, allow_pending=True)
        assert written(found.messages) == written(messages)
        assert found.repairs == []


@pytest.mark.parametrize("format", FORMATS)
def test_an_abandoned_call_waits_no_more(format: str) -> None:
    """A live call whose id is given up is repaired as any other; what is left waits for nothing."""
    seen = 0
    for _, messages in sweep(format, SWEEP, seed=0):
        waits = [one for one in problems(messages, format) if one.severity == "pending"]
        names = {_call_id(messages[one.position], one.path) for one in waits}
        if not waits or None in names or refused(messages, format):
            continue
        seen += 1
        abandoned = sorted(name for name in names if name is not None)
        found = mended(messages, format, abandoned=abandoned)
        assert found is not None
        assert found.repairs, messages
        assert left(found.messages, format) == [], messages
    assert seen > 20


def test_the_order_of_repairs_in_chat() -> None:
    """A result that stands elsewhere moves behind its call; then doubles and orphans go."""
    messages = [calls("a", "b"), USER, result("b"), result("a"), result("a"), result("z")]
    found = repaired(messages, "openai-chat")
    assert found.messages == [calls("a", "b"), result("b"), result("a"), USER]
    rows = {(record["row"], record["id"]) for record in found.repairs}
    assert rows == {(2, "b"), (3, "a"), (4, "a"), (5, "z")}


def test_a_moved_result_stands_behind_those_already_there() -> None:
    """What is accepted keeps its place."""
    messages = [calls("a", "b"), result("b"), USER, result("a")]
    found = repaired(messages, "openai-chat")
    assert found.messages == [calls("a", "b"), result("b"), result("a"), USER]


def test_thinking_goes_with_a_call_of_its_message() -> None:
    """A message that loses a call loses its thinking; its text stays."""
    text = {"type": "text", "text": "so"}
    messages = [user(), assistant(thinking(), text, use("a")), user(), assistant(), user()]
    found = repaired(messages, "anthropic")
    assert found.messages == [user(), assistant(text), user(), assistant(), user()]


def test_a_message_with_nothing_left_goes() -> None:
    """A dangling call without a text leaves no empty message, in any format."""
    assert repaired([calls("a"), USER], "openai-chat").messages == [USER]
    messages = [user(), assistant(use("a")), user()]
    assert repaired(messages, "anthropic").messages == [user(), user()]
    assert repaired([call("a"), USER], "openai-responses").messages == [USER]


def test_a_text_beside_an_orphan_stays() -> None:
    """Only the block goes."""
    text = {"type": "text", "text": "and?"}
    orphan = {"type": "tool_result", "tool_use_id": "z", "content": "r"}
    messages = [user(), assistant(), user(orphan, text)]
    assert repaired(messages, "anthropic").messages == [user(), assistant(), user(text)]


def test_the_newest_answered_call_of_an_id_stays() -> None:
    """In Anthropic and Responses an id is unique: older ones go with their results."""
    older = [user(), assistant(use("a")), user({"type": "tool_result", "tool_use_id": "a"})]
    newer = [assistant(use("a")), user({"type": "tool_result", "tool_use_id": "a", "content": "2"})]
    found = repaired([*older, *newer, assistant()], "anthropic").messages
    assert found == [older[0], *newer, assistant()]
    items = [call("a"), output("a", n=1), USER, call("a"), output("a", n=2), USER]
    assert repaired(items, "openai-responses").messages == items[2:]


def test_reasoning_goes_when_its_followers_go() -> None:
    """Last of all, after what followed it was dropped; not while one of them is left."""
    reasoning = item("reasoning", id="r")
    assert repaired([reasoning, call("a"), USER], "openai-responses").messages == [USER]
    kept = [reasoning, call("a"), call("b"), output("a"), USER]
    found = repaired(kept, "openai-responses").messages
    assert found == [reasoning, call("a"), output("a"), USER]


def test_a_result_is_written_in_an_open_tool_loop() -> None:
    """Anthropic: a step with thinking since the newest user message keeps its calls."""
    answer = {"type": "tool_result", "tool_use_id": "b", "content": "r"}
    messages = [
        user(),
        assistant(thinking(), use("a"), use("b")),
        user(answer),
        assistant(use("c")),
    ]
    found = repaired([*messages, user({**answer, "tool_use_id": "c"})], "anthropic").messages
    assert found[1] == messages[1]
    written_result = found[2]["content"][-1]
    assert written_result["tool_use_id"] == "a"
    assert written_result["is_error"] is True
    assert "[no result]" in written(written_result)


@pytest.mark.parametrize("kind", ["computer_call", "mcp_approval_request"])
def test_nothing_is_written_for_approvals_and_computers(kind: str) -> None:
    """Nobody may approve but a person, and no picture of a screen is made up: the call goes."""
    waits = {"type": kind, "id": "k", "call_id": "k", "name": "n", "arguments": "{}"}
    found = repaired([waits, USER], "openai-responses", repair="placeholder")
    assert found.messages == [USER]
    assert [record["row"] for record in found.repairs] == [0]


def test_what_a_written_result_looks_like() -> None:
    """It names its call, says that there is none, and that something went wrong where it can."""
    chat = repaired([calls("a"), USER], "openai-chat", repair="placeholder").messages
    assert chat == [calls("a"), result("a") | {"content": "[no result]"}, USER]
    messages = [user(), assistant(use("a")), user()]
    found = repaired(messages, "anthropic", repair="placeholder").messages
    block = places_of(0, found[2])[0].block
    assert (block["type"], block["tool_use_id"], block["is_error"]) == ("tool_result", "a", True)
    assert "[no result]" in written(block["content"])
    items = repaired([call("a"), USER], "openai-responses", repair="placeholder").messages
    assert (items[0], items[2]) == (call("a"), USER)
    assert items[1] == output("a") | {"output": "[no result]", "status": "incomplete"}
    program = [item("program", "p", code="x"), USER]
    items = repaired(program, "openai-responses", repair="placeholder").messages
    assert (items[1]["type"], items[1]["status"]) == ("program_output", "incomplete")


def test_a_written_result_of_gemini_stands_alone() -> None:
    """A moved or written result stands in a content of results only."""
    asks = content("model", function_call("w", "1"), function_call("v", "2"))
    messages = [content("user"), asks, content("user"), content("model"), content("user")]
    found = repaired(messages, "gemini", repair="placeholder").messages
    assert (found[:2], found[3:]) == (messages[:2], messages[2:])
    bodies = [part["functionResponse"] for part in found[2]["parts"]]
    assert [(body["name"], body["id"]) for body in bodies] == [("w", "1"), ("v", "2")]
    late = [*messages, content("user", function_response("w", "1"), PART)]
    found = repaired(late, "gemini").messages
    moved = content("user", function_response("w", "1"))
    assert found == [
        messages[0],
        content("model", function_call("w", "1")),
        moved,
        *messages[2:],
        content("user", PART),
    ]


def test_a_signed_call_that_goes_takes_all_calls_of_its_content() -> None:
    """Gemini checks the signature over the content: without it the other calls go as well."""
    signed = function_call("w", "1") | {"thoughtSignature": "s"}
    plain = function_call("v", "2")
    behind = [content("user", function_response("v", "2")), content("model"), content("user")]
    messages = [content("user"), content("model", signed, plain), *behind]
    assert repaired(messages, "gemini").messages == [messages[0], *behind[1:]]
    messages[1] = content("model", function_call("w", "1"), plain)
    assert repaired(messages, "gemini").messages == [messages[0], content("model", plain), *behind]


def test_a_result_behind_a_text_comes_first() -> None:
    """Anthropic: in the turn behind the call results stand before anything else."""
    text = {"type": "text", "text": "and?"}
    answer = {"type": "tool_result", "tool_use_id": "a", "content": "r"}
    messages = [user(), assistant(use("a")), user(text, answer), assistant(), user()]
    found = repaired(messages, "anthropic")
    blocks = [place.block for message in found.messages[2:-2] for place in places_of(0, message)]
    assert blocks == [answer, text]
    assert [(record["row"], record["id"]) for record in found.repairs] == [(2, "a")]


def test_a_child_outside_the_life_of_its_program_goes() -> None:
    """And its outputs with it; the program and its own output stay."""
    program = [item("program", "p", code="x"), item("program_output", "p", status="completed")]
    late = [call("a", **made_by("p")), output("a")]
    assert repaired([*program, *late, USER], "openai-responses").messages == [*program, USER]
    assert repaired([*late, USER], "openai-responses").messages == [USER]
