"""Requests and plans: order, claims, receipts, sources, errors, the next turn."""

from __future__ import annotations

import asyncio
import copy
import json
import random
from typing import Any

import pytest

import packframe
from support.plans import PARTS, held

pf: Any = packframe

CL100K = pf.profiles.openai("cl100k_base")
O200K = pf.profiles.openai("o200k_base")
FORMATS = ("openai-chat", "openai-responses", "anthropic", "gemini")
LISTS = dict(zip(FORMATS, ("messages", "input", "messages", "contents"), strict=True))
SYSTEMS = dict(zip(FORMATS, (None, "instructions", "system", "system_instruction"), strict=True))
TOOLS = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]
WORDS = [
    "alpha",
    "beta",
    "",
    "a1_.",
    ".s-",
    "  ",
    "internationalisation",
    "\n\n",
    "שלום",
    "🦊",
    "The",
]


def said(format: str, role: str, text: str) -> dict[str, Any]:
    """Return a message of a text."""
    if format == "gemini":
        return {"role": {"assistant": "model"}.get(role, role), "parts": [{"text": text}]}
    return {"role": role, "content": text}


def talk(format: str, number: int, words: int = 6) -> list[dict[str, Any]]:
    """Return so many messages of user and model in turn."""
    rng = random.Random(number)
    return [
        said(
            format, ("user", "assistant")[at % 2], " ".join(rng.choices(WORDS, k=words)) + f" {at}"
        )
        for at in range(number)
    ]


def drawn(format: str, seed: int) -> tuple[Any, dict[str, Any]]:
    """Return a request of all kinds of parts, and the options of a plan."""
    rng = random.Random(seed)

    def texts(number: int) -> list[str]:
        return [" ".join(rng.choices(WORDS, k=rng.randint(0, 12))) for _ in range(number)]

    context = []
    for name in rng.sample(["profile", "session", "rag", "other"], rng.randint(0, 4)):
        items = [
            pf.Item(text, score=rng.random(), cut_to=rng.choice([None, 1]))
            for text in texts(rng.randint(0, 5))
        ]
        header = rng.choice([None, "# " + name])
        context.append(
            pf.Section(name, items, header=header, separator=rng.choice(["\n", " ", ""]))
        )
    data = [
        pf.DataBlock(f"d{at}", instructions=rng.choice(["", "Facts."]), records=[{"x": text}])
        for at, text in enumerate(texts(rng.randint(0, 2)))
    ]
    request = pf.Request(
        format=format,
        system=rng.choice([None, "", "Answer briefly.", *texts(1)]),
        tools=rng.choice([None, TOOLS]),
        context=context,
        context_role=rng.choice(["system", "user"]),
        data=data,
        history=talk(format, rng.randint(0, 9)),
        final=rng.choice([None, "What is due?"]),
        priorities=rng.sample(["profile", "session", "rag", "history"], rng.randint(2, 4)),
        gaps=rng.random() < 0.2,
        group_by=rng.choice(["exchange", "turn"]),
    )
    return request, {"budget": rng.randint(0, 260), "reserve": rng.choice([0, 10])}


@pytest.mark.parametrize("format", FORMATS)
def test_a_receipt_is_the_recount_and_within_the_budget(format: str) -> None:
    """Parts and joins are the total, which is the recount; planned twice, it is the same."""
    done = 0
    for seed in range(300):
        request, options = drawn(format, seed)
        options["token_profile"] = (CL100K, O200K)[seed % 2]
        if options["reserve"] > options["budget"]:
            continue
        try:
            plan = request.plan(**options)
        except (pf.BudgetExceeded, pf.InvalidMessages):
            continue
        done += 1
        receipt = held(plan).receipt
        assert receipt is not None
        assert receipt.input_tokens + options["reserve"] <= options["budget"], seed
        system = None if format == "openai-chat" else plan.system_text
        tools = plan.kwargs.get("tools")
        counted = options["token_profile"].count_messages(
            plan.messages, format=format, tools=tools, system=system
        )
        assert counted.total == receipt.input_tokens, seed
        again = request.plan(**options)
        assert json.dumps(again.kwargs) == json.dumps(plan.kwargs), seed
        assert again.manifest.to_json() == plan.manifest.to_json(), seed
        assert again.id == plan.id, seed
        rows = plan.manifest.to_dict()
        assert len(rows["selected"]) + len(rows["excluded"]) == len(
            {record["row"] for record in (*rows["selected"], *rows["excluded"])}
        ), seed
    assert done > 60


@pytest.mark.parametrize("format", FORMATS)
def test_the_call_has_the_names_of_its_format(format: str) -> None:
    """Messages, system text and tools stand where the provider's library wants them."""
    request = pf.Request(
        format=format,
        system="Answer briefly.",
        tools=TOOLS,
        context=[pf.Section("rag", ["Oslo."])],
        history=talk(format, 2),
        final="Where?",
    )
    call = request.plan(budget=None, token_profile=len).kwargs
    text = "Answer briefly.\n\nOslo."
    assert call["tools"] == TOOLS
    messages = call[LISTS[format]]
    assert messages[-1] == said(format, "user", "Where?")
    if SYSTEMS[format] is None:
        assert messages[0] == {"role": "system", "content": text}
        assert messages[1:3] == talk(format, 2)
    else:
        assert call[SYSTEMS[format]] == text
        assert messages[:2] == talk(format, 2)
    assert set(call) == {"tools", LISTS[format]} | ({SYSTEMS[format]} - {None})


@pytest.mark.parametrize("format", FORMATS)
def test_context_of_the_user_stands_before_data_and_history(format: str) -> None:
    """The system text is a message of its own, the context one of the user's behind it."""
    request = pf.Request(
        format=format,
        system="Answer.",
        context=[pf.Section("rag", ["One.", "Two."])],
        context_role="user",
        data=[pf.DataBlock("d", instructions="Facts.", records=[1])],
        history=talk(format, 1),
    )
    plan = request.plan(budget=None, token_profile=len)
    messages = plan.messages
    if format == "openai-chat":
        assert messages.pop(0) == said(format, "system", "Answer.")
    assert messages[0] == said(format, "user", "One.\nTwo.")
    assert messages[-2:] == [said(format, "user", "[1]"), *talk(format, 1)]
    beside = "Answer." if format in {"openai-chat", "openai-responses"} else "Answer.\n\nFacts."
    assert plan.system_text == beside


def test_who_is_too_big_is_named_in_the_order_of_claims() -> None:
    """System, tools, final, final dependencies, reserve, then data where the rest would fit."""
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "x " * 20}}
    calls = {"role": "assistant", "content": None, "tool_calls": [call]}
    result = {"role": "tool", "tool_call_id": "a", "content": "done"}
    block = pf.DataBlock("ledger", instructions="Facts.", records=["x " * 30])
    cases: list[tuple[str | None, dict[str, Any], int, int]] = [
        ("system", {"system": "x " * 50, "final": "y " * 50}, 20, 0),
        ("tools", {"system": "x", "tools": TOOLS * 5, "final": "y " * 50}, 30, 0),
        ("final", {"final": "y " * 50, "data": [block]}, 20, 0),
        ("final_dependency", {"history": ["q", calls], "final": result}, 30, 0),
        ("reserve", {"final": "y " * 10}, 30, 20),
        ("ledger_data", {"final": "y", "data": [block]}, 30, 0),
        ("final", {"final": "y " * 50, "data": [block]}, 52, 0),
        ("history", {"history": ["y " * 50]}, 20, 0),
    ]
    for section, parts, budget, reserve in cases:
        request = pf.Request(format="openai-chat", **parts)
        with pytest.raises(pf.BudgetExceeded) as caught:
            request.plan(budget, reserve=reserve, token_profile=CL100K)
        assert caught.value.section == section, parts
        assert caught.value.overflow_tokens > 0


def test_a_final_needs_its_calls_and_not_the_run_before() -> None:
    """Exactly the calls that the outputs of the final answer become required."""

    def call(name: str) -> dict[str, Any]:
        return {"type": "function_call", "call_id": name, "name": "f", "arguments": "{}"}

    def output(name: str) -> dict[str, Any]:
        return {"type": "function_call_output", "call_id": name, "output": "x"}

    history = [said("", "user", "q"), call("a"), output("a"), call("b")]
    request = pf.Request(format="openai-responses", history=history, final=output("b"))
    one = pf.profiles.custom("one", lambda _: 0, envelope_tokens_per_item=1)
    plan = request.plan(budget=3, token_profile=one)
    places = {block.place: block.reason for block in plan.explain() if block.selected}
    assert places["history[3]"] == "required"
    assert plan.messages[-2:] == [call("b"), output("b")]
    with pytest.raises(pf.InvalidMessages) as caught:
        pf.Request(format="openai-responses", final=output("zz")).plan(budget=9)
    assert caught.value.problems[0]["rule"] == "orphan_result"


def test_a_section_that_is_not_named_is_not_sent() -> None:
    """Of the four names; any other takes its place by its priority."""
    sections = [pf.Section(name, [f"{name}."]) for name in ("profile", "rag", "notes")]
    request = pf.Request(
        format="openai-chat",
        context=sections,
        history=talk("openai-chat", 3),
        final="Now?",
        priorities=("rag",),
    )
    plan = request.plan(budget=None, token_profile=len)
    assert [message["content"] for message in plan.messages] == ["rag.\n\nnotes.", "Now?"]
    reasons = {block.place: block.reason for block in plan.explain() if not block.selected}
    assert reasons == dict.fromkeys(
        ["profile[0]", "history[0]", "history[1]", "history[2]"], "not_prioritised"
    )


def test_session_and_rag_are_a_chain_and_profile_is_whole_or_out() -> None:
    """The first that does not fit is cut and closes both; history takes what is left."""
    request = pf.Request(
        format="openai-chat",
        context=[
            pf.Section("rag", ["r one two three", "s one"]),
            pf.Section("profile", ["p " * 40, "q"]),
            pf.Section("session", ["a b", "c d e f g h i j k l m n o p q r s t u v"]),
        ],
        history=["x", "y"],
        final="Now?",
    )
    plan = request.plan(budget=30, token_profile=lambda text: len(text.split()))
    fates = {block.place: (block.selected, block.form, block.reason) for block in plan.explain()}
    assert fates["profile[0]"][0] is fates["profile[1]"][0] is False
    assert fates["session[0]"][:2] == (True, "whole")
    assert fates["session[1]"][:2] == (True, "whole")
    tight = request.plan(budget=18, token_profile=lambda text: len(text.split()))
    fates = {block.place: (block.selected, block.form, block.reason) for block in tight.explain()}
    assert fates["session[1]"][:2] == (True, "cut")
    assert fates["rag[0]"] == (False, None, "stopped")


def test_plans_are_immutable_and_own_what_they_hold() -> None:
    """Neither what was given nor what comes back changes a plan."""
    history = talk("openai-chat", 4)
    tools = copy.deepcopy(TOOLS)
    records = [{"a": 1}]
    request = pf.Request(
        format="openai-chat",
        tools=tools,
        data=[pf.DataBlock("d", records=records)],
        history=history,
        final="Now?",
    )
    plan = request.plan(budget=900, token_profile=CL100K)
    before = json.dumps(plan.kwargs)
    for value in (history, tools, records, plan.messages, plan.kwargs["messages"]):
        value.clear()
    plan.kwargs["messages"][0]["content"] = "changed"
    request.plan(budget=60, token_profile=CL100K)
    assert json.dumps(plan.kwargs) == before
    assert json.dumps(request.plan(budget=900, token_profile=CL100K).kwargs) == before
    with pytest.raises(AttributeError):
        plan.x = 1
    with pytest.raises(AttributeError):
        request.format = "gemini"


def test_the_next_turn_is_the_plan_of_the_whole_list() -> None:
    """``extend`` gives what a new request of all messages gives."""
    history = talk("anthropic", 8)
    more = [said("anthropic", "assistant", "One."), said("anthropic", "user", "Two?")]
    for budget in (60, 120, 900):
        plan = pf.plan_messages(history, format="anthropic", budget=budget, token_profile=CL100K)
        grown = plan.extend(more)
        whole = pf.plan_messages(
            history + more, format="anthropic", budget=budget, token_profile=CL100K
        )
        assert grown.kwargs == whole.kwargs
        assert grown.manifest.to_json() == whole.manifest.to_json()
    request = pf.Request(format="anthropic", history=history, final="Now?")
    grown = request.plan(budget=900, token_profile=CL100K).extend(more)
    whole = pf.Request(format="anthropic", history=[*history, "Now?", more[0]], final=more[1])
    assert grown.kwargs == whole.plan(budget=900, token_profile=CL100K).kwargs
    assert [b.origin for b in grown.explain()][-2:] == ["history", "final"]


def test_sources_are_asked_once_for_twice_as_many() -> None:
    """Callables and objects with ``search``, sync and async; each candidate has a decision."""
    asked: list[tuple[Any, int]] = []

    class Store:
        def search(self, query: Any, limit: int) -> list[Any]:
            asked.append((query, limit))
            return [pf.Item("a", score=0.5), {"content": "b", "score": 0.9}, "c"]

    async def later(query: Any, limit: int) -> list[str]:
        asked.append((query, limit))
        await asyncio.sleep(0)
        return ["d"]

    sections = [pf.Section("rag", ["own"], source=Store(), top_k=2)]
    request = pf.Request(format="openai-chat", query="q", context=sections, final="Now?")
    plan = request.plan(budget=None, token_profile=len)
    assert asked == [("q", 4)]
    assert plan.messages[0]["content"] == "own\na\nb\nc"
    assert [b.place for b in plan.explain() if b.origin == "context"] == [
        f"rag[{at}]" for at in range(4)
    ]
    sections.append(pf.Section("session", source=later, top_k=3))
    request = pf.Request(format="openai-chat", query="q", context=sections, final="Now?")
    with pytest.raises(pf.InvalidOption) as refused:
        request.plan(budget=9)
    assert refused.value.suggestion == "await request.aplan(...)"
    plan = asyncio.run(request.aplan(budget=None, token_profile=len))
    assert plan.messages[0]["content"] == "own\na\nb\nc\n\nd"
    assert asked[-1] == ("q", 6)


def test_a_source_that_fails_is_a_typed_error() -> None:
    """What it raised is chained; what is no list, and an id that comes twice, are refused."""

    def fails(query: Any, _limit: int) -> list[str]:
        raise LookupError(query)

    def request(source: Any) -> Any:
        section = pf.Section("rag", source=source, top_k=1)
        return pf.Request(format="openai-chat", query="q", context=[section], final="Now?")

    with pytest.raises(pf.SourceError) as caught:
        request(fails).plan(budget=9)
    assert isinstance(caught.value.__cause__, LookupError)
    assert caught.value.which == "rag"
    with pytest.raises(pf.SourceError):
        request(lambda *_: "one").plan(budget=9)
    twice = [pf.Item("a", id="x"), pf.Item("b", id="x")]
    with pytest.raises(pf.InvalidItem):
        request(lambda *_: twice).plan(budget=9)
    for bad in (
        {"source": fails},
        {"top_k": 3},
        {"source": 3, "top_k": 3},
        {"source": fails, "top_k": 0},
    ):
        with pytest.raises(pf.InvalidOption):
            pf.Section("rag", **bad)


def test_explanations_hold_no_text_and_no_id() -> None:
    """Places, reasons and codes only."""
    kept = "internationalisation"
    items = [pf.Item(kept, id="doc-1", sources=["kb://doc-1"]), pf.Item("b", id="doc-2")]
    request = pf.Request(
        format="openai-chat",
        context=[pf.Section("rag", items)],
        history=[kept, kept],
        final=kept,
        trace_key=b"0123456789abcdef",
    )
    plan = request.plan(budget=30, token_profile=CL100K)
    shown = repr(plan.explain()) + repr(plan) + repr(request)
    assert kept not in shown
    assert "doc-" not in shown
    blocks = [block for block in plan.explain() if block.origin == "context"]
    assert all(len(block.source_ref or "") == 64 for block in blocks)


def test_marks_of_the_cache_move_to_what_is_sent() -> None:
    """At most four, on the nearest kept message; the manifest says so."""
    mark = {"type": "ephemeral"}
    history: list[Any] = [
        {"role": "user", "content": [{"type": "text", "text": f"one {at}", "cache_control": mark}]}
        if at % 2 == 0
        else {"role": "assistant", "content": f"two {at}"}
        for at in range(9)
    ]
    one = pf.profiles.custom("one", lambda _: 0, envelope_tokens_per_item=1)
    plan = pf.plan_messages(history, format="anthropic", budget=3, token_profile=one)
    sent = json.dumps(plan.messages)
    assert 1 <= sent.count("cache_control") <= 4
    whole = pf.plan_messages(history, format="anthropic", budget=9, token_profile=one)
    assert whole.messages[1:] == history[1:]
    assert "cache_control" not in json.dumps(whole.messages[0])
    history[6]["content"][0].pop("cache_control")
    plan = pf.plan_messages(history, format="anthropic", budget=3, token_profile=one)
    assert plan.messages[0]["content"][-1]["cache_control"] == mark
    assert plan.manifest.to_dict()["repairs"][0]["kind"] == "moved_mark"


def test_media_are_an_estimate_with_a_warning() -> None:
    """Never the length of base64, never nothing."""
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 90_000}}
    message = {"role": "user", "content": [{"type": "text", "text": "What is it?"}, picture]}
    plan = pf.plan_messages([message], format="openai-chat", budget=None, token_profile=CL100K)
    assert plan.receipt is not None
    assert 1_600 <= plan.receipt.input_tokens < 1_650
    assert plan.receipt.accuracy == "approximate"
    assert [w["code"] for w in plan.manifest.to_dict()["warnings"]] == ["media_estimated"]
    assert plan.messages == [message]


def test_tools_cost_what_they_cost_beside_the_messages() -> None:
    """Where a profile renders the whole conversation, tools are counted in it."""
    profile = pf.profiles.harmony()
    history = talk("openai-chat", 6)
    for budget in (160, 200, 400):
        plan = pf.plan_messages(
            history, format="openai-chat", budget=budget, token_profile=profile, tools=TOOLS
        )
        counted = profile.count_messages(plan.messages, format="openai-chat", tools=TOOLS)
        assert plan.receipt.input_tokens == counted.total <= budget
        assert sum(getattr(plan.receipt, part) for part in PARTS) == counted.total


def test_context_only_plans_system_and_context() -> None:
    """The same projection, without a receipt."""
    request = pf.Request(
        format="gemini",
        system="Answer.",
        context=[pf.Section("rag", ["One two.", "Three."])],
        history=talk("gemini", 4),
        final="Now?",
    )
    plan = request.plan_context(budget=400)
    assert (plan.system_text, plan.receipt) == ("Answer.\n\nOne two.\nThree.", None)
    assert plan.messages == []


def test_nonsense_is_a_typed_error() -> None:
    """Options, names and templates that make no sense are named."""
    with pytest.raises(pf.InvalidOption, match="messages None is no list"):
        pf.plan_messages(None, format="openai-chat", budget=9)
    rag = pf.Section("rag", ["a"])
    ok: dict[str, Any] = {"format": "openai-chat", "final": "x"}
    bad: list[dict[str, Any]] = [
        {"format": "openai"},
        ok | {"system": 3},
        ok | {"tools": "f"},
        ok | {"context": "rag"},
        ok | {"context": ["rag"]},
        ok | {"context_role": "tool"},
        ok | {"data": [3]},
        ok | {"gaps": 1},
        ok | {"group_by": "message"},
        ok | {"repair": "all"},
        ok | {"abandoned": "a"},
        ok | {"trace_key": b"short"},
        ok | {"priorities": "rag"},
    ]
    for parts in bad:
        with pytest.raises(pf.InvalidOption):
            pf.Request(**parts)
    late: list[dict[str, Any]] = [
        ok | {"context": [rag, rag]},
        ok | {"context": [pf.Section("history", ["a"])]},
        ok | {"context": [rag], "system": "{rag} {rag}"},
        ok | {"context": [rag, pf.Section("b", ["b"])], "system": "{rag}"},
        ok | {"context": [rag], "system": "{rag}", "context_role": "user"},
        ok | {"priorities": ["rag", "rag"]},
    ]
    for parts in late:
        with pytest.raises(pf.InvalidOption):
            pf.Request(**parts).plan(budget=9)
    with pytest.raises(pf.InvalidOption):
        pf.Request(**ok).plan(budget=9, shorten=("x",))
    for history in ([3], [{"role": "user", "content": {1}}], ["\ud800"]):
        with pytest.raises((pf.InvalidMessages, pf.InvalidOption)):
            pf.Request(format="openai-chat", history=history).plan(budget=9)
    cyclic: dict[str, Any] = {"role": "user"}
    cyclic["content"] = cyclic
    with pytest.raises(pf.InvalidMessages):
        pf.Request(format="openai-chat", history=[cyclic]).plan(budget=9)
    plan = pf.Request(**ok).plan(budget=9, token_profile=len)
    for count in (-1, True, 2.5):
        with pytest.raises(pf.InvalidOption):
            plan.check(count)
    with pytest.raises(pf.InvalidOption):
        plan.verify_with(object())


def test_a_result_of_the_history_moves_behind_its_call_in_the_final() -> None:
    """It stands where the repaired list has it, and not with the history."""
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    asked = {"role": "user", "content": "Read."}
    found = {"role": "tool", "tool_call_id": "a", "content": "4 C"}
    final = {"role": "assistant", "content": None, "tool_calls": [call]}
    plan = pf.plan_messages(
        [asked, found], final=[final], format="openai-chat", budget=99, token_profile=len
    )
    assert plan.messages == [asked, final, found]
    assert pf.validate_messages(plan.messages, format="openai-chat") == []
    assert [block.place for block in plan.explain()] == ["history[0]", "final[0]", "history[1]"]
