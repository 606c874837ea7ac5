"""Rows of their own: retrieved blocks, a run of programs, and what is asked of packframe alone."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import message_texts
from message_clock import Clock, with_ratios
from message_judge import Tally
from message_subjects import FORMATS, Packframe, Protoprompt
from message_texts import SYSTEM
from protoprompt import ContextInput, TokenBudgetedContextBuilder
from tiktoken_ranks import ENCODING

import packframe as pf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BLOCKS = 800
PROGRAM_ITEMS = 8_000
PROGRAMS = (1_000, 4_000)
"""What the items are shared by: with three calls each, and with none."""
MESSAGES = 10_000
ROOM = 1_000_000
TIGHT = 4_000
ROUNDS = 3
ALONE = 15
LONG = 120.0
"""Seconds of CPU time that a sample may take here, where the slow case is the point."""


class Found:
    """A store whose search has found everything already, and a client that embeds nothing."""

    def __init__(self, texts: list[str]) -> None:
        self.hits = [
            {"document": text, "score": 1 - at / len(texts), "metadata": {"doc_id": f"{at}"}}
            for at, text in enumerate(texts)
        ]

    def query(self, embedding: list[float], top_k: int = 5, **_: Any) -> list[dict[str, Any]]:
        """Return the best; the peer asks for twice as many as are wanted."""
        del embedding
        return self.hits[:top_k]

    async def embed(self, texts: list[str], model: str = "") -> list[list[float]]:
        """Return a vector for each text."""
        del model
        return [[1.0] for _ in texts]


def _found(texts: list[str]) -> Callable[[Any, int], list[pf.Item]]:
    items = [pf.Item(text, score=1 - at / len(texts)) for at, text in enumerate(texts)]
    return lambda _, limit: items[:limit]


def blocks(seeds: Iterator[int]) -> list[dict[str, Any]]:
    """Return rows: system text of 800 retrieved blocks, all of which fit, or 4,000 tokens."""
    return [row for budget in (ROOM, TIGHT) for row in _blocks(budget, seeds)]


def _blocks(budget: int, seeds: Iterator[int]) -> list[dict[str, Any]]:
    ours, peer = Packframe(), Protoprompt()
    clocks = {ours.name: Clock(LONG), peer.name: Clock(LONG)}
    kept = {}
    profile = ours.profiles[FORMATS[0]]

    def plan(search: Any) -> pf.Plan:
        rag = pf.Section("rag", source=search, top_k=BLOCKS // 2, separator="\n\n---\n\n")
        request = pf.Request(format=FORMATS[0], system=SYSTEM, query="?", context=[rag])
        return request.plan_context(budget, token_profile=profile)

    def build(store: Found) -> Any:
        builder = TokenBudgetedContextBuilder(store, store, peer.counter, max_tokens=budget)
        asked = ContextInput("?", system_prompt=SYSTEM, top_k_rag=BLOCKS // 2)
        return peer.loop.run_until_complete(builder.plan(asked))

    for _ in range(ROUNDS):
        texts = message_texts.blocks(BLOCKS, next(seeds))
        if clocks[ours.name].wants_more():
            (made,) = clocks[ours.name].time(plan, [_found(texts)])
            kept[ours.name] = sum(one.selected for one in made.explain()) - 1
        if clocks[peer.name].wants_more():
            for one in clocks[peer.name].time(build, [Found(texts)]):
                kept[peer.name] = len(one.rag_blocks)
    about = {"row": f"{BLOCKS} retrieved blocks", "n": BLOCKS, "budget": budget}
    return [{**about, **row, "kept": kept.get(row["library"])} for row in _rows(clocks)]


def programs(seeds: Iterator[int]) -> list[dict[str, Any]]:
    """Return rows: a run of 8,000 items of programs and a question, for both budgets."""
    pairs = product(PROGRAMS, (ROOM, TIGHT))
    return [row for number, budget in pairs for row in _programs(number, budget, seeds)]


def _programs(number: int, budget: int, seeds: Iterator[int]) -> list[dict[str, Any]]:
    everybody = (Packframe(), Protoprompt())
    clocks = {one.name: Clock(LONG) for one in everybody}
    tallies = {one.name: Tally() for one in everybody}
    for _ in range(ROUNDS):
        chat = message_texts.programs(PROGRAM_ITEMS, next(seeds), number)
        for one in everybody:
            if not clocks[one.name].wants_more():
                continue
            given = [one.given(chat, FORMATS[1])]
            for made in clocks[one.name].time(_fit(one, budget), given):
                tallies[one.name].add(chat, one.messages(made), FORMATS[1], budget)
    name = f"{PROGRAM_ITEMS:,} items of {number:,} programs"
    about = {"row": name, "n": PROGRAM_ITEMS, "budget": budget}
    return [{**about, **row, **tallies[row["library"]].record()} for row in _rows(clocks)]


def _fit(one: Packframe | Protoprompt, budget: int) -> Callable[[Any], Any]:
    return lambda each: one.fit(each, budget)


def _rows(clocks: dict[str, Clock]) -> list[dict[str, Any]]:
    timings = {name: clock.record() for name, clock in clocks.items()}
    own = next(iter(timings.values()))
    return [{"library": name, **with_ratios(timing, own)} for name, timing in timings.items()]


class Asked(NamedTuple):
    """A figure that the specification asks for, in milliseconds."""

    row: str
    budget: int
    asked_ms: float


FIRST, MORE, AGAIN = "first plan", "one more, by extend", "one more, the whole list again"
ASKED = (
    Asked(FIRST, ROOM, 60),
    Asked(FIRST, TIGHT, 10),
    Asked(MORE, ROOM, 5),
    Asked(MORE, TIGHT, 5),
    Asked(AGAIN, ROOM, 12),
    Asked(AGAIN, TIGHT, 12),
)


def alone(seeds: Iterator[int]) -> list[dict[str, Any]]:
    """Return packframe's own times for 10,000 unseen messages, the plan and its messages apart."""
    ours = Packframe()
    found = []
    for budget in (ROOM, TIGHT):
        clocks = {name: Clock() for name in (FIRST, MORE, AGAIN, "the messages of a plan")}
        for _ in range(ALONE):
            chat = message_texts.plain(MESSAGES, next(seeds))
            new = message_texts.Speaker(next(seeds)).user()
            (plan,) = clocks[FIRST].time(_plan(ours, budget), [ours.given(chat, FORMATS[0])])
            clocks[MORE].time(plan.extend, [[new]])
            clocks[AGAIN].time(_plan(ours, budget), [ours.given([*chat, new], FORMATS[0])])
            clocks["the messages of a plan"].time(lambda each: each.messages, [plan])
        for name, clock in clocks.items():
            asked = [one.asked_ms for one in ASKED if (one.row, one.budget) == (name, budget)]
            least = {
                "least_cpu_ms": round(min(one.cpu for one in clock.samples) * 1e3, 4),
                "least_wall_ms": round(min(one.wall for one in clock.samples) * 1e3, 4),
            }
            about = {"row": name, "n": MESSAGES, "budget": budget, "counter": ENCODING}
            found.append(
                {
                    **about,
                    **clock.record(),
                    **least,
                    "asked_ms": asked[0] if asked else None,
                }
            )
    return found


def _plan(ours: Packframe, budget: int) -> Callable[[Any], pf.Plan]:
    return lambda given: ours.plan(given, budget)
