"""Whole manifests of packframe against those of the slow packer, over generated frames."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from support.calls import budgets, calls, joining_calls
from support.compare import check, with_budget
from support.examples import examples
from support.frames import joining_plans, plans
from support.pairs import PAIRS

if TYPE_CHECKING:
    from support.calls import Call
    from support.frames import Plan

ENGINES = ("approximate", "o200k_base", "cl100k_base")


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


@examples(120)
@given(data=st.data())
def test_messages_equal_the_oracles(data: st.DataObject) -> None:
    """Messages cost base, envelopes and contents under every profile."""
    run(data, tuple(PAIRS), render="messages")
