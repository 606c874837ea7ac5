"""Whole manifests of packframe against those of the slow packer, over generated frames."""

from __future__ import annotations

import dataclasses
from random import Random

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from oracle import OracleBoundary
from support.calls import Call, budgets, calls, joining_calls
from support.compare import check, with_budget
from support.examples import EXAMPLES, examples
from support.frames import Plan, joining_plans, plans
from support.pairs import PAIRS
from support.texts import FRAGMENTS, JOINING

ENGINES = ("approximate", "conservative", "o200k_base", "cl100k_base")


def run(data: st.DataObject, pairs: tuple[str, ...], *, render: str | None = None) -> None:
    """Draw a frame and a call, compare."""
    call = data.draw(calls(pairs))
    if render is not None:
        call = dataclasses.replace(call, render=render)
    compare(data, data.draw(plans()), call)


def compare(data: st.DataObject, plan: Plan, call: Call) -> None:
    """Draw a budget that suits, compare."""
    call = with_budget(plan, call, data.draw(budgets))
    pack = check(plan, call)
    if pack is None:
        event("raises")
        return
    for record in pack.manifest.to_dict()["excluded"]:
        event(f"excluded: {record['reason'].partition(':')[0]}")


@pytest.mark.parametrize("pair", sorted(PAIRS))
@examples(60)
@given(data=st.data())
def test_manifests_equal_the_oracles(data: st.DataObject, pair: str) -> None:
    """The whole manifest, or the error with its numbers, is the one that the spec asks for."""
    run(data, (pair,))


@pytest.mark.parametrize("pair", ENGINES)
@examples(150)
@given(data=st.data())
def test_joins_verified_step_by_step_equal_the_oracles(data: st.DataObject, pair: str) -> None:
    """What an engine tokenizer counts over is shed one by one, what it leaves is offered."""
    compare(data, data.draw(joining_plans()), data.draw(joining_calls((pair,))))


@pytest.mark.parametrize("pair", ["hf_bpe", "growing", "distinct", "quarter_bytes", "words"])
@examples(100)
@given(data=st.data())
def test_joins_verified_sparingly_equal_the_oracles(data: st.DataObject, pair: str) -> None:
    """What an opaque counter counts over is shed in growing steps, and offered once."""
    compare(data, data.draw(joining_plans()), data.draw(joining_calls((pair,))))


def big_frame(random: Random) -> Plan:
    """Return a frame of dozens of rows, many with the same few hostile texts."""
    pool = [
        "".join(random.choices([*JOINING, *FRAGMENTS], k=random.randint(1, 4))) for _ in range(12)
    ]
    records = [
        {
            "content": random.choice(pool),
            "score": random.choice([0.1, 0.2, 0.5, random.random()]),
            "priority": random.choice([0, 0, 1]),
            "retention": random.choices(["optional", "preferred", "required"], [12, 5, 1])[0],
            "role": random.choice(["user", "assistant", "system"]),
            **({"group": f"g{random.randint(0, 9)}"} if random.random() < 0.2 else {}),
        }
        for _ in range(random.randint(20, 70))
    ]
    return Plan([], records, records_first=True, verbs=())


@pytest.mark.parametrize("pair", sorted(PAIRS))
def test_large_frames_equal_the_oracles(pair: str) -> None:
    """Dozens of rows, of which many are shed and offered, give the oracle's manifest."""
    rounds = max(8, EXAMPLES // 10)
    for seed in range(rounds):
        random = Random(f"{pair} {seed}")
        call = Call(
            pair=pair,
            reserve=random.choice([0, 3]),
            render=random.choice(["text", "text", "text", "messages"]),
            separator=random.choice(["", "", "\r\n", "\n\n", " "]),
            labels=random.random() < 0.2,
            boundary=OracleBoundary(),
            policies=(),
            overflow=(),
            margin=random.choice([0, 0.1]),
        )
        plan = big_frame(random)
        check(plan, with_budget(plan, call, ("share", random.random(), 0)))


@examples(120)
@given(data=st.data())
def test_messages_equal_the_oracles(data: st.DataObject) -> None:
    """Messages cost base, envelopes and contents under every profile."""
    run(data, tuple(PAIRS), render="messages")
