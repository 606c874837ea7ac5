"""Requests, plans and receipts pickled and copied."""

from __future__ import annotations

import copy
import operator
import pickle
from typing import Any

import pytest

import packframe

pf: Any = packframe

FORMATS = ("openai-chat", "openai-responses", "anthropic", "gemini")
TOOLS = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]


def found(query: str, limit: int) -> list[str]:
    """Return what a search finds."""
    return [f"{query} {at}" for at in range(limit)]


def made(format: str) -> Any:
    """Return a request of all kinds of parts."""
    return pf.Request(
        format=format,
        model="m",
        system="Answer.",
        tools=TOOLS,
        tool_choice="auto",
        response_format={"type": "json_object"},
        query="Oslo",
        context=[
            pf.Section("rag", ["One."], header="Known:", source=found, top_k=2),
            pf.Section("notes", [pf.Item("Old.", expires_at="2099-01-01T00:00:00Z")]),
        ],
        data=[pf.DataBlock("ledger", instructions="Facts.", records=[{"due": 12}])],
        history=["One.", "Two."],
        final="Three?",
        priorities=["rag", "history"],
        abandoned=["a"],
        trace_key=b"sixteen bytes or more",
    )


@pytest.mark.parametrize("format", FORMATS)
def test_a_request_that_comes_back_plans_the_same(format: str) -> None:
    """Through pickle; a copy is the request itself."""
    request = made(format)
    back = pickle.loads(pickle.dumps(request))
    now = "2026-11-30T00:00:00Z"
    one, other = request.plan(900, now=now), back.plan(900, now=now)
    assert one.kwargs == other.kwargs
    assert one.explain() == other.explain()
    assert (one.id, one.receipt) == (other.id, other.receipt)
    assert repr(back) == repr(request)
    assert back.model == "m"
    assert copy.copy(request) is request
    assert copy.deepcopy(request) is request


@pytest.mark.parametrize("format", FORMATS)
def test_a_plan_that_comes_back_is_the_same(format: str) -> None:
    """Call, manifest, receipt and explanation; and it can be extended."""
    boundary = pf.Boundary.external("provider")
    profile = pf.profiles.openai("o200k_base")
    plan = made(format).plan(
        400,
        reserve=20,
        token_profile=profile,
        boundary=boundary,
        overflow=pf.Overflow.demote(pf.col("score") > 2),
        hash_key=b"sixteen bytes or more",
    )
    back = pickle.loads(pickle.dumps(plan))
    assert back == plan
    for name in ("kwargs", "messages", "system_text", "receipt", "manifest", "id"):
        read = operator.attrgetter(name)
        assert read(back) == read(plan), name
    assert back.manifest.to_json() == plan.manifest.to_json()
    assert back.explain() == plan.explain()
    assert back.extend(["Four."]).kwargs == plan.extend(["Four."]).kwargs
    assert copy.copy(plan) is plan
    assert copy.deepcopy({"plan": plan})["plan"] is plan
    context = made(format).plan_context(400)
    assert pickle.loads(pickle.dumps(context)).system_text == context.system_text


def test_results_come_back() -> None:
    """Receipts, blocks and checks."""
    plan = made("openai-chat").plan(400)
    for value in (plan.receipt, plan.explain()[0], plan.check(7)):
        assert pickle.loads(pickle.dumps(value)) == value
        assert copy.deepcopy(value) == value


def test_an_extended_request_comes_back() -> None:
    """With the history of the turns before."""
    plan = pf.Request(format="openai-chat", final="One?").plan(100).extend(["Two.", "Three?"])
    back = pickle.loads(pickle.dumps(plan))
    assert [message["content"] for message in back.messages] == ["One?", "Two.", "Three?"]
