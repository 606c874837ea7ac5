"""Conversations that packers in daily use got wrong, by their id: what ``plan_messages`` sends."""

from __future__ import annotations

import json
import math
import time
from typing import Any

import pytest

from support.cases import CASES, messages_of, profile, tokens
from support.said import USER, call, item, made_by, output
from support.talk import pf, validated, written
from valid import FORMATS, refused

PLANNED = sorted(
    name
    for name, case in CASES.items()
    if case["input"]["op"] == "pack" and case["input"].get("format") in FORMATS
)
TOO_BIG = {"C03", "C07", "C20", "C25", "C32", "C69", "C76"}
"""What has to stay is over the budget: an error with numbers, never a list over it."""


def options(given: dict[str, Any]) -> dict[str, Any]:
    """Return the options that the input of a case asks for."""
    found = {
        "format": given["format"],
        "budget": given.get("budget", given.get("context_window")),
        "reserve": given.get("max_output", 0),
        "token_profile": profile(given["counter"]),
    }
    if "tools" in given:
        found["tools"] = messages_of({"messages": given["tools"]})
    if given.get("unit") == "turn":
        found["group_by"] = "turn"
    if given.get("allow_pending"):
        found["allow_pending"] = True
    return found


def rows(plan: Any) -> list[int]:
    """Return the rows of the input that are in a plan."""
    return [record["row"] for record in plan.manifest.to_dict()["selected"]]


@pytest.mark.parametrize("name", PLANNED)
def test_a_conversation_comes_out_right(name: str) -> None:
    """What a case says of a planned conversation: kept, dropped, together, valid, fitting."""
    case = CASES[name]
    given, expected = case["input"], case["expected"]
    messages = messages_of(given)
    if name in TOO_BIG:
        with pytest.raises(pf.BudgetExceeded) as caught:
            pf.plan_messages(messages, **options(given))
        assert caught.value.code == "TOKEN_BUDGET_EXCEEDED"
        assert caught.value.overflow_tokens > 0
        return
    plan = pf.plan_messages(messages, **options(given))
    kept = rows(plan)
    assert written(plan.messages) == written([messages[row] for row in kept])
    allowed = refused(plan.messages, given["format"], allow_pending="allow_pending" in given)
    assert allowed == []
    assert set(expected.get("must_keep", [])) <= set(kept)
    assert not set(expected.get("must_drop", [])) & set(kept)
    for together in expected.get("keep_together", []):
        assert len({row in kept for row in together}) == 1
    if "unchanged" in expected:
        assert plan.messages == messages
    if "kept" in expected:
        assert plan.messages == expected["kept"]
    if "first_role" in expected:
        assert plan.messages[0]["role"] == expected["first_role"]
    recount = tokens(given["counter"], plan.messages)
    if "tools" in given:
        recount += math.ceil(len(json.dumps(given_tools(given), separators=(",", ":"))) / 4)
    assert plan.receipt.input_tokens == recount
    assert recount + given.get("max_output", 0) <= options(given)["budget"]


def given_tools(given: dict[str, Any]) -> list[Any]:
    """Return the tools of a case, written out."""
    return messages_of({"messages": given["tools"]})


def test_the_budget_that_holds_what_has_to_stay_is_enough() -> None:
    """C07, C25: where the turn fits it is there as a whole."""
    for name, budget, kept in (("C07", 4, [2, 3, 4, 5]), ("C25", 5, [2, 3, 4, 5, 6])):
        given = CASES[name]["input"]
        plan = pf.plan_messages(messages_of(given), **options(given) | {"budget": budget})
        assert rows(plan) == kept


def test_c07_a_turn_is_whole_or_out() -> None:
    """C07: at every budget the groups of the case are there or not."""
    case = CASES["C07"]
    messages = messages_of(case["input"])
    for budget in range(4, 8):
        plan = pf.plan_messages(messages, **options(case["input"]) | {"budget": budget})
        for group in case["expected"]["groups"]:
            assert len({row in rows(plan) for row in group}) == 1


def test_c13_an_approval_and_its_response_stay_together() -> None:
    """C13, as Responses has it: a response at the end keeps its request, at the smallest budget."""
    request = {"type": "mcp_approval_request", "id": "ap1", "name": "pay", "arguments": "{}"}
    response = {"type": "mcp_approval_response", "approval_request_id": "ap1", "approve": True}
    items = [USER, {"role": "assistant", "content": "a"}, USER, request, response]
    one_each = {"format": "openai-responses", "token_profile": profile("items")}
    plan = pf.plan_messages(items, budget=3, **one_each)
    assert rows(plan) == [2, 3, 4]
    with pytest.raises(pf.BudgetExceeded):
        pf.plan_messages(items, budget=2, **one_each)


def test_c14_what_is_linked_by_others_goes_together() -> None:
    """C14, as Responses has it: a program, what it called and what was approved are one."""
    items = [
        USER,
        item("program", "p", code="x"),
        call("w", **made_by("p")),
        output("w"),
        {"type": "mcp_approval_request", "id": "a9", "name": "n", "arguments": "{}"} | made_by("p"),
        {"type": "mcp_approval_response", "approval_request_id": "a9", "approve": True},
        item("program_output", "p", result="r", status="completed"),
        {"role": "assistant", "content": "sunny"},
        USER,
    ]
    for budget in range(1, len(items) + 1):
        plan = pf.plan_messages(
            items, format="openai-responses", budget=budget, token_profile=profile("items")
        )
        kept = rows(plan)
        assert len({row in kept for row in range(1, 7)}) == 1
        assert 8 in kept
        assert budget < 2 or 7 in kept


def test_c20_results_are_shortened_and_nothing_else() -> None:
    """C20: with ``shorten=`` the three results share what is left; their messages stay."""
    given = CASES["C20"]["input"]
    messages = messages_of(given)
    plan = pf.plan_messages(messages, **options(given), shorten=("results",))
    assert rows(plan) == CASES["C20"]["expected"]["must_keep"]
    assert tokens(given["counter"], plan.messages) <= given["budget"]
    assert refused(plan.messages, given["format"]) == []
    for row in (0, 1, 2):
        assert written(plan.messages[row]) == written(messages[row])
    for row in CASES["C20"]["expected"]["compressed"]:
        assert len(plan.messages[row]["content"]) < len(messages[row]["content"])
        assert plan.messages[row] | {"content": ""} == messages[row] | {"content": ""}
    lengths = [len(plan.messages[row]["content"]) for row in (3, 4, 5)]
    assert max(lengths) - min(lengths) <= 8


def test_c03_what_has_to_stay_is_no_text_to_shorten() -> None:
    """C03: the newest message of the user's is not cut; one that may be left out is."""
    given = CASES["C03"]["input"]
    messages = messages_of(given)
    steps = ("thinking", "clear", "results", "text")
    with pytest.raises(pf.BudgetExceeded) as caught:
        pf.plan_messages(messages, **options(given), shorten=steps)
    assert caught.value.section == "history"
    asked = [*messages[:2], {"role": "user", "content": "And in Oslo?"}, *messages[2:]]
    plan = pf.plan_messages(asked, **options(given), shorten=[pf.Shorten.text(least=20)])
    assert rows(plan) == [0, 1, 2, 3, 4]
    assert plan.messages[1]["content"].startswith("history history")
    assert plan.messages[1]["content"].endswith("history ")
    assert [edit["row"] for edit in plan.manifest.edits] == [1]


def test_c68_ten_thousand_messages_take_no_time() -> None:
    """C68: a long conversation is planned in one go, and twice as long in twice the time."""
    case = CASES["C68"]
    messages = messages_of(case["input"])
    pf.plan_messages(messages[:100], **options(case["input"]))
    start = time.perf_counter()
    plan = pf.plan_messages(messages, **options(case["input"]))
    assert time.perf_counter() - start < case["expected"]["seconds_lt"] * 5
    assert rows(plan) == list(range(10_000 - len(plan.messages), 10_000))


def test_c83_nothing_is_put_in() -> None:
    """C83: no marker tells the model that something was left out."""
    given = CASES["C83"]["input"]
    plan = pf.plan_messages(messages_of(given), **options(given))
    assert len(plan.messages) < len(messages_of(given))
    assert all(message in messages_of(given) for message in plan.messages)


def test_c44_functions_of_the_old_kind_are_counted() -> None:
    """C44: null content and the role ``function`` are no error and not free."""
    messages = messages_of(CASES["C44"]["input"])
    profile = pf.profiles.openai("cl100k_base")
    counted = profile.count_messages(messages, format="openai-chat")
    assert counted.total > profile.count("weather?") + profile.count("warm")
    orphan = [messages[0], messages[2]]
    assert [one[2] for one in validated(orphan, "openai-chat")] == ["orphan_result"]


def test_c45_arguments_as_a_dict_cost_their_compact_json() -> None:
    """C45: a call whose arguments are an object is counted as if they had been written out."""
    messages = messages_of(CASES["C45"]["input"])
    strings: list[Any] = messages_of(CASES["C45"]["input"])
    function = strings[1]["tool_calls"][0]["function"]
    function["arguments"] = json.dumps(function["arguments"], separators=(",", ":"))
    profile = pf.profiles.openai("o200k_base")
    totals = [
        profile.count_messages(one, format="openai-chat").total for one in (messages, strings)
    ]
    assert totals[0] == totals[1]
