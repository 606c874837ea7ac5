"""What has to hold of every plan of a list of messages, on generated histories of every format."""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

import pytest

from support.cases import profile, tokens
from support.examples import EXAMPLES
from support.histories import FORMATS, history, sweep
from support.plans import held
from support.talk import pf, repaired, written
from valid import groups, problems, protected, refused

SWEEP = max(EXAMPLES, 600)
COUNTERS = ["messages", "chars/4", "chars/4+3"]


class Planned(NamedTuple):
    """A history that is valid, a budget, and what was made of them."""

    messages: list[Any]
    budget: int
    counter: str
    plan: Any
    """None where it does not fit."""
    stay: set[int]
    """Rows that may not be left out."""

    def cost(self, rows: Any) -> int:
        """Return what rows cost, by the counter itself."""
        return tokens(self.counter, [self.messages[row] for row in sorted(rows)])


def planned(format: str, seed: int, **options: Any) -> Planned:
    """Plan a valid history at a budget somewhere between nothing and all of it."""
    random = Random(seed)
    messages = history(format, random, breaks=0)
    counter = random.choice(COUNTERS)
    budget = random.randint(0, tokens(counter, messages) + 2)
    waiting = [one.position for one in problems(messages, format)]
    stay = protected(messages, format, waiting)
    plan, rules = None, set[str]()
    try:
        plan = pf.plan_messages(
            messages, format=format, budget=budget, token_profile=profile(counter), **options
        )
    except pf.BudgetExceeded:
        pass
    except pf.InvalidMessages as error:
        rules = {one["rule"] for one in error.problems}
    if plan is not None:
        held(plan)
    assert rules <= ({"first_role"} if format in {"anthropic", "gemini"} else set()), seed
    return Planned(messages, budget, counter, plan, stay)


def unmarked(plan: Any) -> list[str]:
    """Return the messages of a plan, written; those that a cache mark moved to without any mark."""
    record = plan.manifest.to_dict()
    moved = {one["kind"] for one in record["repairs"]} >= {"moved_mark"}
    forms = [one["form"] for one in record["selected"]]
    return [
        written(bare(message) if moved and form == "repaired" else message)
        for message, form in zip(plan.messages, forms, strict=True)
    ]


def bare(message: Any) -> Any:
    """Return a message without cache marks, a text as the one block that a mark makes of it."""
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    plain = [{key: block[key] for key in block if key != "cache_control"} for block in blocks]
    return message | {"content": plain}


def given(plan: Any, messages: list[Any]) -> list[str]:
    """Return what ``unmarked`` has to be, of the messages that were given for a plan."""
    record = plan.manifest.to_dict()
    moved = {one["kind"] for one in record["repairs"]} >= {"moved_mark"}
    return [
        written(bare(messages[one["row"]]))
        if moved and one["form"] == "repaired"
        else written(messages[one["row"]])
        for one in record["selected"]
    ]


def rows(plan: Any) -> list[int]:
    """Return the rows of the input that are in a plan."""
    return [record["row"] for record in plan.manifest.to_dict()["selected"]]


@pytest.mark.parametrize("format", FORMATS)
def test_a_plan_is_valid_within_budget_and_has_what_must_stay(format: str) -> None:
    """And what it has is what was given, to the byte and in order."""
    fits = 0
    for seed in range(SWEEP):
        made = planned(format, seed)
        if made.plan is None:
            continue
        fits += 1
        sent = made.plan.messages
        kept = rows(made.plan)
        assert unmarked(made.plan) == given(made.plan, made.messages), seed
        assert refused(sent, format) == [], seed
        assert made.plan.receipt.input_tokens == tokens(made.counter, sent) <= made.budget, seed
        assert made.stay <= set(kept), seed
    assert fits > SWEEP // 4


@pytest.mark.parametrize("format", FORMATS)
def test_an_error_has_a_reason(format: str) -> None:
    """Only what has to stay can be over; where it fits in chat and Responses nothing raises."""
    for seed in range(SWEEP):
        made = planned(format, seed)
        if format in {"openai-chat", "openai-responses"}:
            assert (made.plan is None) == (made.cost(made.stay) > made.budget), seed
        elif made.plan is not None:
            assert made.cost(made.stay) <= made.budget, seed


@pytest.mark.parametrize("format", FORMATS)
def test_history_is_the_longest_suffix_that_fits(format: str) -> None:
    """Groups go oldest first; no longer suffix would have fitted and been taken."""
    for seed in range(SWEEP):
        made = planned(format, seed)
        if made.plan is None:
            continue
        kept = set(rows(made.plan))
        optional = [one for one in groups(made.messages, format) if not made.stay & set(one)]
        optional.sort(reverse=True)
        taken = [set(one) <= kept for one in optional]
        assert all(set(one) <= kept or not set(one) & kept for one in optional), seed
        number = [*taken, False].index(False)
        # Where only what must stay is left, an older message of the user may have to come first.
        first = format in {"anthropic", "gemini"} and number == 0
        assert taken[number:].count(True) <= first, seed
        for longer in range(number + 1, len(optional) + 1):
            more = made.stay | {row for one in optional[:longer] for row in one}
            if made.cost(more) > made.budget:
                break
            sent = [made.messages[row] for row in sorted(more)]
            assert refused(sent, format), (seed, longer)


@pytest.mark.parametrize("format", FORMATS)
def test_a_plan_made_twice_is_the_same(format: str) -> None:
    """The same bytes, and the same manifest; each rendering is a copy of its own."""
    for seed in range(0, SWEEP, 5):
        one, other = planned(format, seed).plan, planned(format, seed).plan
        if one is None or other is None:
            assert one is other is None
            continue
        assert written(one.messages) == written(other.messages)
        assert one.manifest.to_json() == other.manifest.to_json()
        if one.messages:
            one.messages[0].clear()
            assert written(one.messages) == written(other.messages)


@pytest.mark.parametrize("format", FORMATS)
def test_turns_are_whole(format: str) -> None:
    """With ``group_by="turn"`` a message of the user and all behind it are there or not."""
    for seed in range(0, SWEEP, 3):
        made = planned(format, seed, group_by="turn")
        if made.plan is not None:
            assert refused(made.plan.messages, format) == [], seed
            assert tokens(made.counter, made.plan.messages) <= made.budget, seed
            assert made.stay <= set(rows(made.plan)), seed


@pytest.mark.parametrize("format", FORMATS)
def test_broken_histories_come_out_valid_or_not_at_all(format: str) -> None:
    """A plan of a broken history is what is left of its repair, within the budget."""
    done = 0
    for seed, messages in sweep(format, SWEEP, seed=0):
        budget = Random(seed).randint(0, len(messages) + 1)
        try:
            plan = pf.plan_messages(
                messages, format=format, budget=budget, token_profile=profile("messages")
            )
        except (pf.BudgetExceeded, pf.InvalidMessages):
            continue
        done += 1
        assert refused(plan.messages, format) == [], seed
        assert len(plan.messages) <= budget, seed
        if any(isinstance(one, str) for one in messages):
            continue  # A str is what the user says, where a repair alone wants dicts.
        try:
            mended = repaired(messages, format).messages
        except pf.InvalidMessages:
            # What may not come first is left out, which no repair does.
            assert format in {"anthropic", "gemini"}, seed
            continue
        moved = format == "anthropic"
        rest = iter([written(bare(one) if moved else one) for one in mended])
        assert all(written(bare(one) if moved else one) in rest for one in plan.messages), seed
    assert done > SWEEP // 5
