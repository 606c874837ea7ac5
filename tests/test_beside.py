"""What stands beside the messages of a call: tools, their choice, the format of the reply."""

from __future__ import annotations

import json
from typing import Any

import pytest

import packframe
from support.plans import held

pf: Any = packframe

FORMATS = ("openai-chat", "openai-responses", "anthropic", "gemini")
O200K = pf.profiles.openai("o200k_base")
TOOLS = [{"type": "function", "function": {"name": "f", "description": "d"}}]
REPLY = {"type": "json_schema", "json_schema": {"name": "answer", "schema": {"type": "object"}}}
CHOICE = {"type": "function", "function": {"name": "f"}}
NAMES = {
    "openai-chat": ("tool_choice", ("response_format",)),
    "openai-responses": ("tool_choice", ("text", "format")),
    "anthropic": ("tool_choice", ("output_config", "format")),
    "gemini": ("tool_config", ("response_json_schema",)),
}
SECRET = "sk-proj-" + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7z" * 2
MARK = {"cache_control": {"type": "ephemeral"}}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("choice", [None, "none", "auto", CHOICE])
def test_choice_and_reply_are_in_the_call_and_in_the_budget(format: str, choice: Any) -> None:
    """Under the names of the format; the receipt is the recount."""
    beside = {"tools": TOOLS, "tool_choice": choice, "response_format": REPLY}
    plan = held(pf.Request(format=format, final="x", **beside).plan(900, token_profile=O200K))
    chosen, (*path, last) = NAMES[format]
    call = plan.kwargs
    assert call.get(chosen) == choice
    for name in path:
        call = call[name]
    assert call[last] == REPLY
    counted = O200K.count_messages(plan.messages, format=format, **beside)
    assert plan.receipt.input_tokens == counted.total
    assert plan.receipt.accuracy == counted.accuracy == "approximate"
    assert plan.receipt.tools > 2 * len(json.dumps(REPLY)) // 10
    short = pf.plan_messages(["x"], format=format, budget=900, token_profile=O200K, **beside)
    assert short.kwargs == plan.kwargs
    plain = pf.Request(format=format, final="x", tools=TOOLS).plan(900, token_profile=O200K)
    assert plain.id != plan.id
    with pytest.raises(pf.BudgetExceeded) as caught:
        pf.Request(format=format, final="x", response_format=REPLY).plan(12, token_profile=O200K)
    assert caught.value.section == "tools"


def test_a_reply_alone_makes_a_rendered_count_approximate() -> None:
    """Nobody publishes what it costs."""
    profile = pf.profiles.harmony()
    request = pf.Request(format="openai-chat", final="x", tools=TOOLS, response_format=REPLY)
    plan = held(request.plan(900, token_profile=profile))
    counted = profile.count_messages(plan.messages, tools=TOOLS, response_format=REPLY)
    assert plan.receipt.input_tokens == counted.total
    assert plan.receipt.accuracy == counted.accuracy == "approximate"


@pytest.mark.parametrize("secrets", ["exclude", "redact"])
def test_what_stands_beside_is_searched_for_secrets(secrets: str) -> None:
    """Where it goes outside it is refused: nothing is taken out of tools."""
    tools = [{"type": "function", "function": {"name": "f", "description": f"key {SECRET}"}}]
    reply = {"type": "json_schema", "json_schema": {"description": SECRET}}
    request = pf.Request(format="openai-chat", final="x", tools=tools, response_format=reply)
    outside = pf.Boundary.external("provider", secrets=secrets)
    with pytest.raises(pf.PolicyViolation, match="tools") as caught:
        request.plan(900, boundary=outside)
    assert [(one["id"], one["row"], one["reason"]) for one in caught.value.violations] == [
        ("tools", None, "secret_detected"),
        ("response_format", None, "secret_detected"),
    ]
    assert SECRET not in str(caught.value)
    assert caught.value.partial_manifest.to_dict()["selected"]
    assert request.plan(900).kwargs["tools"] == tools
    allowed = pf.Boundary.external("provider", secrets="allow")
    assert request.plan(900, boundary=allowed).kwargs["tools"] == tools
    clean = pf.Request(format="openai-chat", final="x", tools=TOOLS)
    assert clean.plan(900, boundary=outside).kwargs["tools"] == TOOLS


def marked(texts: list[str]) -> list[dict[str, Any]]:
    """Return messages of the user's, each with a mark."""
    return [{"role": "user", "content": [{"type": "text", "text": text} | MARK]} for text in texts]


@pytest.mark.parametrize("of_tools", range(5))
@pytest.mark.parametrize("number", [0, 3, 5, 7])
def test_at_most_four_marks_are_sent_the_newest(number: int, of_tools: int) -> None:
    """Those of the tools count, and stay; the others go from the oldest on, and are recorded."""
    tools = [
        {"name": f"t{at}", "input_schema": {}} | (MARK if at < of_tools else {}) for at in range(5)
    ]
    history = marked([str(at) for at in range(number)])
    request = pf.Request(format="anthropic", tools=tools, history=history, final="x")
    plan = held(request.plan(None))
    call = plan.kwargs
    assert call["tools"] == tools
    left = min(number, 4 - of_tools)
    assert json.dumps(call["messages"]).count("cache_control") == left
    has = ["cache_control" in json.dumps(message) for message in call["messages"]]
    assert has == [False] * (number - left) + [True] * left + [False]
    repairs = [one for one in plan.manifest.repairs if one["kind"] == "dropped_mark"]
    assert [one["row"] for one in repairs] == list(range(number - left))
    assert plan.messages[number - left : -1] == history[number - left :]


def test_more_marks_of_tools_than_a_call_may_have_are_refused() -> None:
    """Nobody knows which of them matter."""
    tools = [{"name": f"t{at}", "input_schema": {}} | MARK for at in range(5)]
    with pytest.raises(pf.InvalidOption) as caught:
        pf.Request(format="anthropic", tools=tools, final="x").plan(None)
    assert caught.value.option == "tools"
