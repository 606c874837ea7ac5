"""Receipts: what a plan says that a call costs is what ``count_messages`` counts, and how well."""

from __future__ import annotations

import pickle
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
KINDS = {
    "calls": ("tool_calls", "function_call", "tool_use", "functionCall"),
    "results": ("'tool'", "_output", "tool_result", "functionResponse"),
    "pictures": ("image", "inlineData"),
    "reasoning": ("reasoning", "thinking", "thought"),
    "unknown": ("hologram", "future"),
}
"""What a history may hold, by what shows it."""
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
        kinds |= {kind for kind, words in KINDS.items() if any(word in shown for word in words)}
    assert done > 150
    assert kinds == set(KINDS)


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


def test_a_picture_costs_the_same_wherever_it_is_counted() -> None:
    """An estimate, marked, with a warning."""
    message = {"role": "user", "content": [PICTURE]}
    plan = held(pf.plan_messages([message], format="openai-chat", budget=None, token_profile=O200K))
    counted = O200K.count_messages([message])
    assert plan.receipt.input_tokens == counted.total > 1_600
    assert plan.receipt.accuracy == counted.accuracy == "approximate"
    assert [one["code"] for one in plan.manifest.warnings] == ["media_estimated"]


def test_a_profile_that_renders_no_pictures_estimates_them() -> None:
    """It is never nothing, and never exact."""
    text = {"type": "text", "text": "What is it?"}
    with_picture = [{"role": "user", "content": [text, PICTURE]}]
    without = [{"role": "user", "content": [text]}]
    profile = pf.profiles.harmony()
    plans = [
        held(pf.plan_messages(messages, format="openai-chat", budget=None, token_profile=profile))
        for messages in (with_picture, without)
    ]
    assert [plan.receipt.accuracy for plan in plans] == ["approximate", "exact"]
    assert plans[0].receipt.input_tokens - plans[1].receipt.input_tokens == 1_600
    with pytest.raises(pf.BudgetExceeded):
        pf.plan_messages(with_picture, format="openai-chat", budget=500, token_profile=profile)


@pytest.mark.parametrize("format", FORMATS)
def test_tools_are_worth_what_their_count_is_worth(format: str) -> None:
    """Exact where the whole is rendered, else approximate: in receipt and manifest."""
    for profile in (O200K, *([pf.profiles.harmony()] if format == "openai-chat" else [])):
        plan = pf.Request(format=format, tools=TOOLS, final="x").plan(500, token_profile=profile)
        counted = profile.count_messages(plan.messages, format=format, tools=TOOLS)
        assert held(plan).receipt.accuracy == counted.accuracy
        assert plan.receipt.input_tokens == counted.total


def test_an_item_that_nobody_knows_is_an_estimate_with_a_warning() -> None:
    """Items of Responses and what a message says; what only the provider can read is one, too."""
    user = {"role": "user", "content": "u"}
    profile = pf.profiles.openai_responses()

    def planned(*items: Any) -> Any:
        return held(
            pf.plan_messages(
                [*items, user], format="openai-responses", budget=None, token_profile=profile
            )
        )

    for odd in (
        {"type": "future_thing", "note": "x y"},
        {"role": "user", "content": [{"type": "input_hologram", "rays": 7}]},
    ):
        plan = planned(odd)
        assert [one["code"] for one in plan.manifest.warnings] == ["unknown_block"], odd
        assert plan.receipt.accuracy == "approximate"
    assert planned(user).receipt.accuracy == "exact_text"
    sealed = {"type": "reasoning", "id": "r", "summary": [], "encrypted_content": "gAAAA" * 20}
    said = {"type": "message", "id": "m", "role": "assistant", "content": "Hi."}
    plan = planned(user, sealed, said)
    assert plan.receipt.accuracy == "approximate"
    assert plan.receipt.input_tokens > planned(user, said).receipt.input_tokens + 20
    known = [
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "r"},
        {"type": "web_search_call", "id": "w", "status": "completed", "action": {"query": "x"}},
    ]
    assert planned(*known).manifest.warnings == []
    drawn = {"type": "image_generation_call", "id": "i", "result": "A" * 90_000}
    assert 1_600 < planned(drawn).receipt.input_tokens < 1_700


def test_a_profile_that_renders_chat_counts_chat_only() -> None:
    """Another format is refused, as ``count_messages`` refuses it."""
    for other in FORMATS[1:]:
        request = pf.Request(format=other, final="x")
        with pytest.raises(pf.InvalidOption) as caught:
            request.plan(500, token_profile=pf.profiles.harmony())
        assert caught.value.option == "token_profile"
        assert other in str(caught.value)


def test_what_the_library_writes_into_every_reply_costs_nothing() -> None:
    """Empty and null fields of a dumped reply."""
    plain = {"role": "assistant", "content": "Hi"}
    empty: dict[str, Any] = {
        "annotations": [],
        "refusal": None,
        "audio": None,
        "function_call": None,
    }
    for extra in (*({key: value} for key, value in empty.items()), empty):
        dumped = plain | extra
        plan = pf.plan_messages(
            ["x", dumped, "y"], format="openai-chat", budget=None, token_profile=O200K
        )
        assert held(plan).messages[1] == dumped
        assert (plan.receipt.accuracy, plan.manifest.warnings) == ("exact_text", [])
        assert plan.receipt.input_tokens == O200K.count_messages(plan.messages).total
        assert plan.receipt.input_tokens == 3 + 3 * (3 + 1 + 1)


@pytest.mark.parametrize("format", ["openai-chat", "openai-responses", "anthropic", "gemini"])
def test_a_plan_without_a_profile_is_framed_for_its_format(format: str) -> None:
    """The estimate of a list holds what the format puts around each message."""
    said = {"parts": [{"text": "a"}]} if format == "gemini" else {"content": "a"}
    talk = [{"role": "user", **said}] * 20
    plan = pf.plan_messages(talk, format=format, budget=1_000)
    profile = pf.profiles.approximate(format=format)
    assert plan.receipt.input_tokens == profile.count_messages(talk, format=format).total
    assert plan.receipt.framing > 0
    assert plan.receipt.accuracy == "approximate"
    assert plan.receipt.to_dict()["framing"] == plan.receipt.framing
    back = pickle.loads(pickle.dumps(profile))
    assert (back.fingerprint, back.id) == (profile.fingerprint, f"approximate:{format}")
