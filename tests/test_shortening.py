"""What ``shorten=`` makes shorter before anything is left out, and what it leaves as it is."""

from __future__ import annotations

import json
from random import Random
from typing import Any, NamedTuple

import pytest

from support.cases import profile, tokens
from support.examples import EXAMPLES
from support.histories import FORMATS, history
from support.lengths import is_container, longer, shape, texts_of, thoughtless
from support.talk import pf, written
from valid import refused

SWEEP = max(EXAMPLES, 600)
KINDS = ["thinking", "clear", "results", "text"]
MARK = 12
"""Tokens of the longest mark, of which nothing is left in a cut without any room."""


class Shortened(NamedTuple):
    """A history that is valid, a budget, and what was made of them."""

    messages: list[Any]
    budget: int
    counter: str
    steps: list[Any]
    plan: Any
    """None where it does not fit."""
    options: dict[str, Any]

    @property
    def record(self) -> dict[str, Any]:
        """Return the manifest."""
        found: dict[str, Any] = self.plan.manifest.to_dict()
        return found

    def again(self, messages: list[Any]) -> Any:
        """Plan other messages in the same way."""
        return pf.plan_messages(messages, **self.options)


def steps_of(random: Random) -> list[Any]:
    """Return some kinds in any order, as words or with numbers of their own."""
    made: list[Any] = []
    for kind in random.sample(KINDS, random.randint(1, 4)):
        step = {
            "thinking": pf.Shorten.thinking(),
            "clear": pf.Shorten.clear(keep_last=random.randrange(4), placeholder="[…]"),
            "results": pf.Shorten.results(least=random.randrange(50)),
            "text": pf.Shorten.text(least=random.randrange(50)),
        }[kind]
        made.append(random.choice([kind, step, step]))
    return made


def shortened(format: str, seed: int, **options: Any) -> Shortened:
    """Shorten a valid history of long texts at a budget somewhere between nothing and all."""
    random = Random(seed)
    messages = [longer(one, random) for one in history(format, random, breaks=0)]
    counter = random.choice(["chars/4", "chars/4", "chars/4+3"])
    budget = random.randint(0, tokens(counter, messages) + 2)
    steps = steps_of(random)
    options = {
        "format": format,
        "budget": budget,
        "token_profile": profile(counter),
        "shorten": steps,
    } | options
    # A list of these has to begin with the user.
    raised = (pf.InvalidMessages,) if format in {"anthropic", "gemini"} else ()
    try:
        plan = pf.plan_messages(messages, **options)
    except (pf.BudgetExceeded, *raised):
        plan = None
    return Shortened(messages, budget, counter, steps, plan, options)


@pytest.mark.parametrize("format", FORMATS)
def test_a_shortened_plan_is_valid_and_within_budget(format: str) -> None:
    """The provider would take it, and the recount is the receipt."""
    cut = 0
    for seed in range(SWEEP):
        made = shortened(format, seed)
        if made.plan is None:
            continue
        sent = made.plan.messages
        assert refused(sent, format) == [], seed
        assert made.plan.receipt.input_tokens == tokens(made.counter, sent) <= made.budget, seed
        cut += bool(made.record["edits"])
    assert cut > SWEEP // 6


@pytest.mark.parametrize("format", FORMATS)
def test_structure_stays_and_what_is_whole_is_untouched(format: str) -> None:
    """Rows that are whole keep their bytes; the others keep all but texts, and JSON stays JSON."""
    for seed in range(SWEEP):
        made = shortened(format, seed)
        if made.plan is None:
            continue
        record = made.record
        kinds: dict[int, set[str]] = {}
        for edit in record["edits"]:
            kinds.setdefault(edit["row"], set()).add(edit["kind"])
        cut = set()
        for sent, one in zip(made.plan.messages, record["selected"], strict=True):
            given = made.messages[one["row"]]
            if one["form"] == "whole":
                assert written(sent) == written(given), seed
                continue
            assert one["form"] == "cut", seed
            cut.add(one["row"])
            done = kinds[one["row"]]
            if "thinking" in done:
                given = thoughtless(given)
            cleared = "clear" in done
            assert written(shape(sent, cleared=cleared)) == written(
                shape(given, cleared=cleared)
            ), seed
            if not cleared:
                for before, now in zip(texts_of(given), texts_of(sent), strict=True):
                    assert not is_container(before) or is_container(now), (seed, now)
        out = {one["row"] for one in record["excluded"] if one["reason"] == "finished_thinking"}
        assert set(kinds) == cut | out, seed
        assert all(format == "openai-responses" and kinds[row] == {"thinking"} for row in out)


@pytest.mark.parametrize("format", FORMATS)
def test_nothing_is_shortened_that_has_not_to_be(format: str) -> None:
    """Where all fits nothing is; and without the last edit the rest would not fit."""
    last_ones = 0
    for seed in range(SWEEP):
        made = shortened(format, seed)
        if made.plan is None:
            continue
        edits = made.record["edits"]
        if tokens(made.counter, made.messages) <= made.budget:
            assert edits == [], seed
            assert written(made.plan.messages) == written(made.messages), seed
        if not edits:
            continue
        last = edits[-1]["edit"]
        rows = {edit["row"] for edit in edits if edit["edit"] == last}
        if any(edit["row"] in rows and edit["edit"] != last for edit in edits):
            continue  # What the row was before the last edit is not known here.
        kept = {
            one["row"]: sent
            for one, sent in zip(made.record["selected"], made.plan.messages, strict=True)
        }
        undone = kept | {row: made.messages[row] for row in rows}
        assert tokens(made.counter, list(undone.values())) > made.budget, seed
        last_ones += 1
    assert last_ones > SWEEP // 8


@pytest.mark.parametrize("format", FORMATS)
def test_shortening_keeps_more(format: str) -> None:
    """All that is kept without is kept with it, but for thinking that went first."""
    more = 0
    for seed in range(SWEEP):
        made = shortened(format, seed)
        try:
            bare = pf.plan_messages(made.messages, **made.options | {"shorten": ()})
        except (pf.BudgetExceeded, pf.InvalidMessages):
            more += made.plan is not None
            continue
        assert made.plan is not None, seed
        before = {one["row"] for one in bare.manifest.to_dict()["selected"]}
        out = {
            one["row"] for one in made.record["excluded"] if one["reason"] == "finished_thinking"
        }
        now = {one["row"] for one in made.record["selected"]}
        assert before <= now | out, seed
        more += now > before
    assert more > SWEEP // 20


@pytest.mark.parametrize("format", FORMATS)
def test_what_stays_is_what_would_if_all_were_as_short_as_it_gets(format: str) -> None:
    """The same rows are kept of messages that are at their shortest, without any shortening.

    They are made by a plan in which all has to stay, with no more room than it needs.
    """
    alike = 0
    for seed in range(SWEEP):
        steps = [pf.Shorten.results(least=seed % 40)]
        if seed % 3:
            steps = [pf.Shorten.clear(keep_last=seed % 4, placeholder="-"), *steps[: seed % 2]]
        made = shortened(format, seed, shorten=steps)
        options = made.options | {"format": format, "budget": 0, "final": made.messages}
        try:
            pf.plan_messages([], **options)
            continue
        except pf.BudgetExceeded as error:
            options["budget"] = error.required_tokens + (error.join_tokens or 0)
        except pf.InvalidMessages:
            continue
        shortest = pf.plan_messages([], **options).messages
        try:
            bare = pf.plan_messages(shortest, **made.options | {"shorten": ()})
        except (pf.BudgetExceeded, pf.InvalidMessages):
            assert made.plan is None, seed
            continue
        assert rows(made.plan) == rows(bare), seed
        alike += bool(made.record["edits"])
    assert alike > SWEEP // 8


def rows(plan: Any) -> list[int]:
    """Return the rows of the input that are in a plan."""
    return [one["row"] for one in plan.manifest.selected]


@pytest.mark.parametrize("format", FORMATS)
def test_shortening_again_changes_nothing(format: str) -> None:
    """The same plan twice has the same bytes; what was sent fits, so that nothing is left to do."""
    for seed in range(0, SWEEP, 3):
        made = shortened(format, seed)
        if made.plan is None:
            continue
        same = made.again(made.messages)
        assert written(same.messages) == written(made.plan.messages), seed
        assert same.manifest.to_json() == made.plan.manifest.to_json(), seed
        assert same.id == made.plan.id, seed
        again = made.again(made.plan.messages)
        assert written(again.messages) == written(made.plan.messages), seed
        assert again.manifest.to_dict()["edits"] == [], seed


def in_turn(sizes: list[int], room: int) -> list[int]:
    """Give one token to each in turn, until there is none left or nobody wants more."""
    shares = [0] * len(sizes)
    while room and shares != sizes:
        for at, size in enumerate(sizes):
            if shares[at] < size and room:
                shares[at] += 1
                room -= 1
    return shares


def result_texts(message: Any, format: str) -> dict[str, str]:
    """Return what each result of a message says, by its place, for results of one text."""
    if format == "openai-chat" and message.get("role") in {"tool", "function"}:
        return {"content": message["content"]} if isinstance(message["content"], str) else {}
    if format == "openai-responses":
        field = "result" if message.get("type") == "program_output" else "output"
        text = message.get(field) if str(message.get("type", "")).endswith("_output") else None
        return {field: text} if isinstance(text, str) else {}
    if format == "anthropic" and isinstance(message["content"], list):
        return {
            f"content[{at}].content": block["content"]
            for at, block in enumerate(message["content"])
            if block["type"] == "tool_result" and isinstance(block.get("content"), str)
        }
    if format == "gemini":
        return {
            f"parts[{at}].functionResponse.response": json.dumps(
                part["functionResponse"]["response"], ensure_ascii=False, separators=(",", ":")
            )
            for at, part in enumerate(message["parts"])
            if "functionResponse" in part
        }
    return {}


@pytest.mark.parametrize("format", FORMATS)
def test_parallel_results_share_one_allowance(format: str) -> None:
    """As if each took one token in turn; a result has no more than its share, or only a mark."""
    shared = 0
    for seed in range(SWEEP):
        made = shortened(format, seed, shorten=[pf.Shorten.results(least=seed % 90)])
        if made.plan is None:
            continue
        edits = made.record["edits"]
        for number in {edit["edit"] for edit in edits}:
            cut = {(one["row"], one["path"]): one for one in edits if one["edit"] == number}
            rows = run_of(made.messages, next(iter(cut))[0], format)
            texts = {
                (row, path): text
                for row in rows
                for path, text in result_texts(made.messages[row], format).items()
            }
            sizes = {at: tokens("chars/4", [{"content": texts[at]}]) for at in texts}
            for at in cut.keys() & texts.keys():
                assert cut[at]["tokens_before"] == sizes[at], seed
                assert cut[at]["tokens_after"] <= max(cut[at]["limit"], MARK), seed
            limits = [cut[at]["limit"] for at in cut]
            is_known = all(len(result_texts(made.messages[row], format)) for row in rows)
            # What is longer than its share and shorter than a mark stays whole.
            is_told = all(sizes[at] <= min(limits) for at in texts.keys() - cut.keys())
            if not (is_known and is_told and cut.keys() <= texts.keys()):
                continue
            shares = [cut[at]["limit"] if at in cut else sizes[at] for at in texts]
            assert shares == in_turn(list(sizes.values()), sum(shares)), seed
            shared += len(texts) > 1
    assert shared > SWEEP // 60


def run_of(messages: list[Any], row: int, format: str) -> list[int]:
    """Return the rows of results around one of them."""

    def has(at: int) -> bool:
        return 0 <= at < len(messages) and has_result(messages[at], format)

    first = last = row
    while has(first - 1):
        first -= 1
    while has(last + 1):
        last += 1
    return list(range(first, last + 1))


def has_result(message: Any, format: str) -> bool:
    """Tell whether a message has a result that may be cut."""
    if format == "openai-chat":
        return message.get("role") in {"tool", "function"} and message["content"] is not None
    if format == "openai-responses":
        kind = str(message.get("type", ""))
        return kind.endswith("_output") and ("output" in message or "result" in message)
    if format == "anthropic":
        content = message["content"]
        return isinstance(content, list) and any(
            block["type"] == "tool_result" and "content" in block for block in content
        )
    return any("functionResponse" in part for part in message["parts"])
