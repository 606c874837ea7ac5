"""The promises of the design, each as a property."""

from __future__ import annotations

import copy
import json
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import packframe as pf
from oracle import chat
from oracle.cost import label
from support import vocabularies
from support.calls import Call, budgets, calls, joining_calls
from support.compare import with_budget
from support.examples import examples
from support.frames import Plan, joining_plans, plans
from support.pairs import PAIRS, pair

ENGINES = ("approximate", "conservative", "o200k_base", "cl100k_base")


def packed(plan: Plan, call: Call) -> pf.Pack:
    """Pack, or give the example up where packing rightly raises."""
    try:
        return plan.frame().pack(**call.arguments())
    except pf.PackframeError:
        assume(False)  # noqa: FBT003 - the way of Hypothesis
        raise


def any_manifest(plan: Plan, call: Call) -> pf.PackManifest:
    """Pack and return the manifest, the partial one where required rows do not fit."""
    try:
        return plan.frame().pack(**call.arguments()).manifest
    except (pf.BudgetExceeded, pf.PolicyViolation) as error:
        if error.partial_manifest is None:
            raise
        return error.partial_manifest
    except pf.PackframeError:
        assume(False)  # noqa: FBT003 - the way of Hypothesis
        raise


def any_pack(data: st.DataObject, pairs: tuple[str, ...] = tuple(PAIRS)) -> tuple[Plan, Call]:
    """Draw a frame and a call with a budget that suits."""
    joining = data.draw(st.booleans())
    plan = data.draw(joining_plans() if joining else plans(with_verbs=False))
    call = data.draw(joining_calls(pairs) if joining else calls(pairs))
    return plan, with_budget(plan, call, data.draw(budgets))


def recount(call: Call, manifest: dict[str, Any], pack: pf.Pack) -> int:
    """Count the rendering with the oracle's tokenizer."""
    counter = pair(call.pair).counter
    if manifest["render"] == "text":
        return counter.count(pack.text) if manifest["selected"] else 0
    rendered = [
        item.content.value if item.kind == "message" else {"role": item.role, "content": item.text}
        for item in pack.items
    ]
    if counter.of_messages is not None and rendered:
        return counter.of_messages(rendered)
    total = counter.base
    for item, message in zip(pack.items, rendered, strict=True):
        parts = chat.counted(message) if item.kind == "message" else chat.Counted([item.text or ""])
        cost = sum(counter.count(text) for text in parts.exact + parts.compact)
        cost += counter.envelope(item.role, named="name" in message, calls=parts.calls)
        total += max(cost, 1) if counter.at_least_one else cost
    return total


@examples(300)
@given(data=st.data())
def test_the_ceiling_is_hard(data: st.DataObject) -> None:
    """The rendering, counted by the oracle's tokenizer, and the reserve fit the budget."""
    plan, call = any_pack(data)
    pack = packed(plan, call)
    manifest = pack.manifest.to_dict()
    tokens = recount(call, manifest, pack)
    assert tokens == pack.total_tokens == pack.used_tokens == manifest["total_tokens"]
    if call.budget is None:
        assert pack.remaining_tokens is None
    else:
        assert tokens + call.reserve + manifest["margin"] <= call.budget
        assert pack.remaining_tokens == manifest["available"] - tokens


def test_a_join_that_costs_a_token_is_counted() -> None:
    """The rendering of two texts is counted whole: here it costs a token more than the parts."""
    for name in ("cl100k_base", "o200k_base"):
        profile = pf.profiles.openai(name)
        encoding = vocabularies.openai(name)
        parts = [len(encoding.encode_ordinary(text)) for text in ("a1_.", ".s-  ")]
        whole = len(encoding.encode_ordinary("a1_..s-  "))
        assert whole == sum(parts) + 1
        frame = pf.Frame([pf.Item("a1_.", score=1.0), pf.Item(".s-  ", score=0.9)])
        pack = frame.pack(sum(parts), token_profile=profile, render="text", separator="")
        assert pack.text == "a1_."
        assert [record["reason"] for record in pack.manifest.to_dict()["excluded"]] == ["join_cost"]
        pack = frame.pack(whole, token_profile=profile, render="text", separator="")
        assert pack.text == "a1_..s-  "
        assert pack.manifest.to_dict()["tokens_by"]["part"]["joins"]["tokens"] == 1


@examples(200)
@given(data=st.data())
def test_required_means_required(data: st.DataObject) -> None:
    """Every required row is in the pack byte for byte, or packing raises."""
    plan, call = any_pack(data)
    pack = packed(plan, call)
    frame = plan.oracle()
    manifest = pack.manifest.to_dict()
    demoted = {record["row"] for record in manifest["demotions"]}
    kept = {record["row"]: record for record in manifest["selected"]}
    at = 0
    for number, row in enumerate(frame.rows):
        if row.required and number not in demoted:
            assert kept[number]["why"] == ("pinned" if row.pinned else "required")
            assert kept[number]["content_sha256"] == row.sha256
            assert kept[number]["form"] == "whole"
            item = pack.items[kept[number]["position"]]
            assert item.text == row.text
            if manifest["render"] == "text":
                shown = (label(row) if call.labels else "") + row.text
                at = pack.text.index(shown, at) + len(shown)


@examples(200)
@given(data=st.data())
def test_nothing_vanishes(data: st.DataObject) -> None:
    """Each row has exactly one fate, whether packing ends well or raises."""
    plan, call = any_pack(data)
    manifest = any_manifest(plan, call).to_dict()
    frame = plan.frame()
    rows = [record["row"] for record in manifest["selected"] + manifest["excluded"]]
    assert sorted(rows) == list(range(len(frame)))
    ids = {record["row"]: record["id"] for record in manifest["selected"] + manifest["excluded"]}
    assert tuple(ids[row] for row in range(len(frame))) == frame.ids
    parts = manifest["tokens_by"]["part"].values()
    assert sum(part["tokens"] for part in parts) == manifest["total_tokens"]
    for key in ("section", "role", "retention"):
        values = manifest["tokens_by"][key].values()
        tokens = sum(record["tokens"] for record in manifest["selected"])
        assert sum(value["tokens"] for value in values) == tokens


@examples(250)
@given(data=st.data())
def test_what_is_out_for_budget_would_be_over(data: st.DataObject) -> None:
    """With a group that is out for budget, whole, the rendering is over, by its shortfall."""
    plan, call = any_pack(data, ("o200k_base", "cl100k_base", "approximate", "words_framed"))
    pack = packed(plan, call)
    manifest = pack.manifest.to_dict()
    frame = plan.oracle()
    members = {row: tuple(group["rows"]) for group in manifest["groups"] for row in group["rows"]}
    kept = [record["row"] for record in manifest["selected"]]
    counter = pair(call.pair).counter
    for record in manifest["excluded"]:
        if record["reason"] != "budget":
            continue
        group = members.get(record["row"], (record["row"],))
        rows = sorted([*kept, *group])
        if manifest["render"] == "messages":
            costs = {item["row"]: item["tokens"] for item in manifest["excluded"]}
            tokens = manifest["total_tokens"] + sum(costs[row] for row in group)
        elif counter.opaque:
            continue
        else:
            shown = [frame.rows[row] for row in rows]
            tokens = counter.count(
                call.separator.join((label(row) if call.labels else "") + row.text for row in shown)
            )
        assert record["shortfall"] == tokens - manifest["available"] > 0


@examples(150)
@given(data=st.data())
def test_a_huge_budget_excludes_nothing_for_budget(data: st.DataObject) -> None:
    """Where there is room for everything, nothing admitted is left out."""
    plan = data.draw(plans(with_verbs=False))
    call = data.draw(calls())
    for budget in (("huge", 0.0, 10**9), ("none", 0.0, 0)):
        pack = packed(plan, with_budget(plan, call, budget))
        reasons = {record["reason"] for record in pack.manifest.to_dict()["excluded"]}
        assert not reasons & {"budget", "join_cost", "not_evaluated"}
        assert pack.complete == (not pack.dropped())


@examples(150)
@given(data=st.data())
def test_tool_calls_live_and_die_with_their_results(data: st.DataObject) -> None:
    """What is kept of a conversation is a conversation that a provider accepts."""
    plan = data.draw(plans(with_verbs=False))
    call = data.draw(calls())
    pack = packed(plan, with_budget(plan, call, data.draw(budgets)))
    kept = [item.content.value if item.kind == "message" else None for item in pack.items]
    assert chat.ties(kept).problems == []
    fates = {record["row"]: True for record in pack.manifest.to_dict()["selected"]}
    for group in pack.manifest.to_dict()["groups"]:
        assert len({fates.get(row, False) for row in group["rows"]}) == 1


@examples(100)
@given(data=st.data())
def test_inputs_are_never_mutated(data: st.DataObject) -> None:
    """Records, messages and frames are after a pack what they were before."""
    plan, call = any_pack(data)
    before = copy.deepcopy(plan)
    try:
        frame = plan.frame()
        records = frame.to_records()
        frame.pack(**call.arguments())
    except pf.PackframeError:
        assert plan == before
        return
    assert plan == before
    assert frame.to_records() == records


@examples(100)
@given(data=st.data())
def test_the_same_input_gives_the_same_bytes(data: st.DataObject) -> None:
    """A second pack, of the same frame or of one made anew, gives the same manifest."""
    plan, call = any_pack(data)
    first = packed(plan, call)
    frame = plan.frame()
    for again in (frame, frame, plan.frame()):
        second = again.pack(**call.arguments())
        assert second.manifest.to_json() == first.manifest.to_json()
        assert second.to_json() == first.to_json()


@examples(100)
@given(data=st.data())
def test_manifests_come_back_as_they_were(data: st.DataObject) -> None:
    """A manifest survives dict, JSON and pickle, partial ones too."""
    plan, call = any_pack(data)
    manifest = any_manifest(plan, call)
    values = manifest.to_dict()
    assert json.loads(json.dumps(values)) == values
    assert json.loads(manifest.to_json()) == values
    for again in (
        pf.PackManifest.from_dict(values),
        pf.PackManifest.from_json(manifest.to_json()),
        pickle.loads(pickle.dumps(manifest)),
    ):
        assert again == manifest
        assert again.to_dict() == values
        assert again.to_json() == manifest.to_json()


def test_a_manifest_holds_no_content() -> None:
    """Neither text nor messages nor metadata of items are in a manifest, kept or refused."""
    marks = [f"SECRETWORD{number}" for number in range(8)]
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": marks[0]},
        {"role": "user", "content": [{"type": "text", "text": marks[1]}]},
    ]
    frame = pf.Frame.from_messages(messages).extend(
        [
            pf.Item(marks[2], retention="required"),
            pf.Item(pf.Json({marks[3]: marks[4]})),
            pf.Item(pf.Reference(f"kb://{marks[5]}")),
            pf.Item(marks[6], trust="quarantined"),
            pf.Item("x", metadata={"note": marks[7]}, sources=[f"kb://{marks[7]}"]),
        ]
    )
    for budget in (None, 40, 10_000):
        pack = frame.pack(budget, render="text")
        for shown in (pack.manifest.to_json(), pack.manifest.summary(), repr(pack.manifest)):
            assert not [mark for mark in marks if mark in shown]
    assert not [mark for mark in marks if mark in repr(frame) + repr(frame[0])]


HASHED = r"""
import hashlib
import packframe as pf
messages = [{"role": "system", "content": "s"}, {"role": "user", "content": "hi", "name": "Ada"},
    {"role": "assistant", "content": None, "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "r"}, {"role": "user", "content": "go"}]
items = [pf.Item(f"text {n % 7} \r\n" * (n % 5), score=n % 3,
    group=f"g{n % 11}" if n % 2 else None, sources=[f"s{n % 3}"],
    metadata={"b": 1, "a": n}) for n in range(60)]
frame = (pf.Frame.from_messages(messages) + pf.Frame(items)).dedupe().demote(pf.col("row") == 3)
out = []
for render in ("text", "messages"):
    for profile in (None, pf.profiles.openai("o200k_base")):
        pack = frame.pack(300, token_profile=profile, render=render, separator="")
        out += [pack.manifest.to_json(), pack.manifest.manifest_id, pack.to_json(), repr(pack)]
print(hashlib.sha256("\n".join(out).encode()).hexdigest())
"""


def test_hash_seeds_change_nothing() -> None:
    """Processes with different hash seeds give the same bytes."""
    seen = set()
    for seed in ("0", "1", "12345"):
        done = subprocess.run(
            [sys.executable, "-c", HASHED],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        seen.add(done.stdout)
    assert len(seen) == 1


@pytest.mark.parametrize("name", ["approximate", "o200k_base", "hf_bpe", "words_framed"])
@pytest.mark.parametrize("render", ["text", "messages"])
def test_threads_change_nothing(name: str, render: str) -> None:
    """Eight threads that pack one frame get the manifest that one thread gets."""
    texts = [f"passage {number} of many \r\n" * (number % 9) for number in range(200)]

    def frame() -> pf.Frame:
        return pf.Frame([pf.Item(text, score=len(text) % 5) for text in texts])

    def pack(shared: pf.Frame) -> str:
        result = shared.pack(500, token_profile=pair(name).profile, render=render)
        return result.manifest.to_json()

    right = pack(frame())
    shared = frame()
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda _: pack(shared), range(32))) == {right}


@examples(100)
@given(data=st.data())
def test_numbers_say_how_they_were_made(data: st.DataObject) -> None:
    """An exact number is what the tokenizer gives, everything else says so."""
    plan, call = any_pack(data)
    pack = packed(plan, call)
    frame = plan.oracle()
    manifest = pack.manifest.to_dict()
    counter = pair(call.pair).counter
    assert manifest["estimated"] == (manifest["accuracy"] != "exact")
    for record in manifest["selected"]:
        row = frame.rows[record["row"]]
        if record["content_tokens_accuracy"] == "exact" and row.kind == "text":
            assert record["content_tokens"] == counter.count(row.text)
    if manifest["render"] == "messages":
        assert manifest["accuracy"] != "exact"
    else:
        assert manifest["accuracy"] == counter.accuracy


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
def test_long_runs_keep_the_ceiling(name: str) -> None:
    """Runs of thousands of characters without a seam are counted whole like any text."""
    random = Random(f"runs {name}")
    profile, encoding = pf.profiles.openai(name), vocabularies.openai(name)
    short = ["a1_.", ".s-  ", "/*\r\n", "\r\n\t\r\n"]
    for _ in range(25):
        runs = [random.choice("aX9あ=\n") * random.randint(3000, 7000) for _ in range(4)]
        texts = random.sample([*runs, *short, "word and more. " * 300], random.randint(2, 7))
        frame = pf.Frame([pf.Item(text, score=random.choice([0.1, 0.5])) for text in texts])
        budget = round(len(encoding.encode_ordinary("".join(texts))) * random.random())
        pack = frame.pack(budget, token_profile=profile, render="text", separator="")
        assert len(encoding.encode_ordinary(pack.text)) == pack.total_tokens <= budget


def test_an_opaque_counter_is_asked_for_few_renderings() -> None:
    """A counter that is not the engine's sees at most log2(n) + 4 renderings."""
    for number in (1, 2, 7, 40, 333):
        seen: list[str] = []

        def count(text: str, seen: list[str] = seen) -> int:
            seen.append(text)
            return len(text) + len(text) ** 2 // 50

        frame = pf.Frame([pf.Item(f"{row:04}", score=row % 7) for row in range(number)])
        profile = pf.profiles.custom("growing", count, exact=True)
        pack = frame.pack(6 * number, token_profile=profile, separator="")
        renderings = [text for text in seen if len(text) > 4]
        assert len(renderings) <= (number - 1).bit_length() + 4
        assert count(pack.text) == pack.total_tokens <= 6 * number
