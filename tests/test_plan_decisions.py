"""What a plan decides, and why it says so."""

from __future__ import annotations

from typing import Any

import pytest

import packframe
from support.plans import held

pf: Any = packframe

O200K = pf.profiles.openai("o200k_base")
FORMATS = ("openai-chat", "openai-responses", "anthropic", "gemini")


@pytest.mark.parametrize("format", FORMATS)
def test_no_strategy_takes_out_what_is_always_sent(format: str) -> None:
    """System, data and final stay; a required item of the context may be demoted."""
    kept = pf.Item("fact " * 40, retention="required")
    for overflow in (
        pf.Overflow.demote(pf.col("score") >= 0),
        pf.Overflow.demote(lambda _: True, to="preferred"),
        pf.Overflow.truncate() | pf.Overflow.demote(pf.col("score") >= 0),
        pf.Overflow.substitute(),
    ):
        parts: dict[str, Any] = {
            "system": "Sys " * 20,
            "data": [pf.DataBlock("d", instructions="Facts.", records=["r " * 9])],
            "final": "Q " * 20,
        }
        request = pf.Request(format=format, **parts)
        with pytest.raises(pf.BudgetExceeded):
            request.plan(30, token_profile=O200K, overflow=overflow)
        request = pf.Request(format=format, context=[pf.Section("rag", [kept])], **parts)
        if "demote" not in repr(overflow):
            continue
        plan = held(request.plan(110, token_profile=O200K, overflow=overflow))
        out = [block.place for block in plan.explain() if not block.selected]
        assert out == ["rag[0]"]


def test_a_call_that_waits_is_not_demoted() -> None:
    """Nor any other message that has to stay."""
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "x " * 40}}
    history = ["Hello.", {"role": "assistant", "content": None, "tool_calls": [call]}]
    with pytest.raises(pf.BudgetExceeded):
        pf.plan_messages(
            history,
            format="openai-chat",
            budget=30,
            token_profile=O200K,
            overflow=pf.Overflow.demote(pf.col("score") >= 0),
        )


@pytest.mark.parametrize("leading", [1, 2, 3])
def test_what_did_not_fit_says_so_where_newer_ones_may_not_lead(leading: int) -> None:
    """The first that did not fit has the reason ``budget``, and by how much; older ones not."""
    history: list[Any] = [
        {"role": "user", "parts": [{"text": "old"}]},
        {"role": "model", "parts": [{"text": "older"}]},
        {"role": "user", "parts": [{"text": "word " * 200}]},
        *({"role": "model", "parts": [{"text": f"m{at}"}]} for at in range(leading)),
    ]
    plan = held(
        pf.Request(format="gemini", history=history, final="x").plan(
            80, token_profile=pf.profiles.gemini()
        )
    )
    reasons = {block.place: block.reason for block in plan.explain() if block.origin == "history"}
    assert reasons == {
        "history[0]": "older_than_cut",
        "history[1]": "older_than_cut",
        "history[2]": "budget",
        **{f"history[{3 + at}]": "leading" for at in range(leading)},
    }
    excluded = {record["row"]: record for record in plan.manifest.excluded}
    assert excluded[2]["shortfall"] > 0


def test_an_input_control_that_goes_is_named_by_its_id() -> None:
    """The record of the repair has the id of the reference."""
    given = [{"type": "item_reference", "id": "m"}, {"id": "n"}, {"type": "compaction_trigger"}]
    repaired = pf.repair_messages(given, format="openai-responses")
    assert [one["id"] for one in repaired.repairs] == ["m", "n", None]
    assert {one["kind"] for one in repaired.repairs} == {"input_control"}


@pytest.mark.parametrize("format", FORMATS)
def test_a_final_that_says_nothing_is_an_error_or_a_warning(format: str) -> None:
    """Refused where the provider refuses it, else planned with a warning."""
    empty: list[Any] = [""]
    if format == "gemini":
        empty += [
            {"role": "user", "parts": [{"text": ""}]},
            {"parts": [{"text": ""}, {"text": ""}]},
        ]
    elif format == "openai-chat":
        empty += [{"role": "user", "content": [{"type": "text", "text": ""}]}]
    elif format == "openai-responses":
        empty += [{"role": "user", "content": [{"type": "input_text", "text": ""}]}]
    for final in empty:
        request = pf.Request(format=format, history=["Hello."], final=final)
        if format in {"anthropic", "gemini"}:
            with pytest.raises(pf.InvalidMessages) as caught:
                request.plan(100)
            assert caught.value.problems[0]["rule"] == "empty_content", final
            assert caught.value.problems[0]["position"] == 1
        else:
            plan = held(request.plan(100))
            assert [one["code"] for one in plan.manifest.warnings] == ["empty_text"], final
    full = pf.Request(format=format, final="x").plan(100)
    assert full.manifest.warnings == []


def test_what_cannot_be_mended_is_named_by_its_id() -> None:
    """Of a call, a result, an item or a block, in problems and in the message."""
    result = {"role": "tool", "tool_call_id": "gone", "content": "r"}
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": {}}}
    cases: list[tuple[str, dict[str, Any], str | None]] = [
        ("openai-chat", {"history": ["x"], "final": result}, "gone"),
        (
            "openai-chat",
            {"history": ["x", {"role": "assistant", "content": None, "tool_calls": [call]}]},
            "c1",
        ),
        (
            "openai-responses",
            {"final": {"type": "function_call_output", "call_id": "zz", "output": "r"}},
            "zz",
        ),
        (
            "anthropic",
            {
                "final": {
                    "role": "user",
                    "content": [{"type": "tool_result", "tool_use_id": "t9", "content": "r"}],
                }
            },
            "t9",
        ),
        (
            "gemini",
            {
                "final": {
                    "role": "user",
                    "parts": [{"functionResponse": {"id": "g", "name": "f", "response": {}}}],
                }
            },
            "g",
        ),
        ("openai-chat", {"final": {"role": "robot", "content": "x"}}, None),
    ]
    for kind, parts, name in cases:
        with pytest.raises(pf.InvalidMessages) as caught:
            pf.Request(format=kind, **parts).plan(None)
        (problem,) = caught.value.problems
        assert problem["id"] == name, (kind, problem)
        if name is not None:
            assert f"'{name}'" in str(caught.value)


def test_what_waits_is_a_warning() -> None:
    """A call without its result, as long as it is sent."""
    calls = [
        {"id": name, "type": "function", "function": {"name": "f", "arguments": "{}"}}
        for name in ("a", "b")
    ]
    talk: list[Any] = [
        {"role": "user", "content": "?"},
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "a", "content": "1"},
    ]
    plan = pf.plan_messages(talk, format="openai-chat", budget=500)
    assert plan.manifest.warnings == [{"code": "pending_call", "row": 1}]
    answered = [*talk, {"role": "tool", "tool_call_id": "b", "content": "2"}]
    assert pf.plan_messages(answered, format="openai-chat", budget=500).manifest.warnings == []


@pytest.mark.parametrize(
    ("given", "meant"),
    [("max_tokens", "reserve"), ("resreve", "reserve"), ("profile", "token_profile")],
)
def test_an_option_that_a_plan_has_not_names_the_one_that_was_meant(given: str, meant: str) -> None:
    """By what others call it, by its letters, or as a parameter of a request."""
    request = pf.Request(format="openai-chat", final="?")
    with pytest.raises(pf.InvalidOption) as caught:
        request.plan(10, **{given: 1})
    assert caught.value.suggestion == meant
    with pytest.raises(pf.InvalidOption) as caught:
        request.plan(10, shorten=())
    assert "pf.Request(shorten=...)" in str(caught.value)


def test_what_is_too_big_is_named_in_the_text() -> None:
    """By the part of the request, and not by the row of an item."""
    request = pf.Request(format="openai-chat", system="s", final="x" * 400)
    with pytest.raises(pf.BudgetExceeded) as caught:
        request.plan(50, token_profile=len)
    assert caught.value.section == "final"
    assert "too big: 'final'" in str(caught.value)


MARK = {"cache_control": {"type": "ephemeral"}}


def test_a_mark_moves_to_the_nearest_block_that_takes_one() -> None:
    """Never to a block that nobody knows; where none takes it, it is dropped and recorded."""
    marked = {"role": "user", "content": [{"type": "text", "text": "w " * 90, **MARK}]}
    odd = {"role": "user", "content": [{"type": "text", "text": "q"}, {"type": "hologram"}]}
    talk: list[Any] = [marked, {"role": "assistant", "content": "a"}, odd]
    profile = pf.profiles.anthropic()
    budget = pf.plan_messages([odd], format="anthropic", budget=None, token_profile=profile)
    least = budget.receipt.input_tokens
    plan = pf.plan_messages(talk, format="anthropic", budget=least, token_profile=profile)
    assert plan.messages[-1]["content"][0]["cache_control"] == MARK["cache_control"]
    assert plan.messages[-1]["content"][1] == {"type": "hologram"}
    assert [one["kind"] for one in plan.manifest.repairs] == ["moved_mark"]
    held(plan)
    said = {"role": "assistant", "content": "a"}
    lonely: list[Any] = [marked, said, {"role": "user", "content": [{"type": "hologram"}]}]
    plan = pf.plan_messages(lonely, format="anthropic", budget=least, token_profile=profile)
    assert len(plan.messages) == 1
    assert [one["kind"] for one in plan.manifest.repairs] == ["dropped_mark"]


def test_what_is_too_big_is_named_where_a_part_alone_cannot_be_rendered() -> None:
    """Harmony says no result without its call, and so cannot count a final of results alone."""
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    request = pf.Request(
        format="openai-chat",
        history=[{"role": "user", "content": "?"}, {"role": "assistant", "tool_calls": [call]}],
        final=[{"role": "tool", "tool_call_id": "c", "content": "r"}],
    )
    with pytest.raises(pf.BudgetExceeded) as caught:
        request.plan(60, token_profile=pf.profiles.harmony())
    assert caught.value.section == "final_dependency"


def test_what_is_signed_is_not_redacted() -> None:
    """The provider would refuse it: what must stay is a violation, what may go goes."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    boundary = pf.Boundary.external("anthropic", secrets="redact")
    thought = {"type": "thinking", "thinking": f"key {secret}", "signature": "s"}
    use = {"type": "tool_use", "id": "t", "name": "f", "input": {"key": secret}}
    result = {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "t", "content": ""}],
    }
    talk: list[Any] = [
        {"role": "user", "content": "?"},
        {"role": "assistant", "content": [thought, use]},
        result,
    ]
    with pytest.raises(pf.PolicyViolation):
        pf.plan_messages(talk, format="anthropic", budget=None, boundary=boundary)
    talk[1] = {"role": "assistant", "content": [use]}
    plan = pf.plan_messages(talk, format="anthropic", budget=None, boundary=boundary)
    assert secret not in str(plan.messages)
    assert plan.messages[1]["content"][0]["name"] == "f"
