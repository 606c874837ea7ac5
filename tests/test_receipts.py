"""Receipts: what a plan says that a call costs is what ``count_messages`` counts, and how well."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

import packframe
from support.histories import history
from support.plans import held

pf: Any = packframe

FORMATS = ("openai-chat", "openai-responses", "anthropic", "gemini")
TOOLS = [{"type": "function", "function": {"name": "f", "description": "d"}}]
PROFILES = (
    pf.profiles.openai("cl100k_base"),
    pf.profiles.openai("o200k_base"),
    pf.profiles.openai_responses(),
    pf.profiles.anthropic("claude-opus-4-7"),
    pf.profiles.gemini(),
    pf.profiles.approximate(),
)
O200K = PROFILES[1]
PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aaaa"}}


def recounted(plan: Any, profile: Any, format: str, **beside: Any) -> Any:
    """Return what ``count_messages`` says of the call of a plan."""
    system = None if format == "openai-chat" else plan.system_text
    return profile.count_messages(plan.messages, format=format, system=system, **beside)


@pytest.mark.parametrize("format", FORMATS)
def test_whatever_a_history_holds_is_counted_in_one_way(format: str) -> None:
    """Calls, names, results, pictures, reasoning, tools: the receipt is the recount."""
    done, kinds = 0, set()
    for seed in range(400):
        random = Random(seed)
        messages = history(format, random, breaks=0)
        profile = random.choice(PROFILES)
        tools = random.choice([None, TOOLS])
        request = pf.Request(
            format=format,
            system=random.choice([None, "Answer briefly."]),
            tools=tools,
            context=[pf.Section("rag", ["Oslo.", "Bergen."])] if seed % 3 else [],
            history=messages,
        )
        try:
            plan = request.plan(random.choice([None, 100, 400, 2_500]), token_profile=profile)
        except (pf.BudgetExceeded, pf.InvalidMessages):
            continue
        done += 1
        receipt = held(plan).receipt
        counted = recounted(plan, profile, format, tools=tools)
        assert receipt.input_tokens == counted.total, seed
        shown = str(plan.messages)
        words = ("image", "inlineData", "hologram", "tool_calls", "call", "easoning", "thinking")
        kinds |= {word for word in words if word in shown}
    assert done > 150
    assert len(kinds) > 3, kinds


def test_calls_of_chat_cost_names_and_arguments() -> None:
    """And not their JSON: plan, pack and count say the same."""
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    step: list[Any] = [
        {"role": "user", "content": "x"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "r", "name": "f"},
    ]
    plan = pf.plan_messages(step, format="openai-chat", budget=500, token_profile=O200K)
    assert plan.receipt.input_tokens == O200K.count_messages(step).total
    old = [
        {"role": "user", "content": "x"},
        {"role": "assistant", "content": None, "function_call": call["function"]},
        {"role": "function", "name": "f", "content": "r"},
    ]
    plan = pf.plan_messages(old, format="openai-chat", budget=500, token_profile=O200K)
    assert plan.receipt.input_tokens == O200K.count_messages(old).total
