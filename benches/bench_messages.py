"""Time conversations beside what else fits them into budgets, judge all results, record the run.

`--quick` stops at 1,000 messages and judges few conversations; `--no-record` only prints. All of it
takes half an hour.

Every row is a median over rounds. In each round everybody fits the same conversation, of texts that
nobody has seen, one after the other, another one first each time. What takes longer than the limit
is stopped, and stays in the table with the limit as its least time.
"""

from __future__ import annotations

import argparse
import gc
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import message_broken
import message_special
import message_table
import message_texts
import pack_record
from message_clock import Clock, with_ratios
from message_judge import Tally, accepted, tokens
from message_subjects import FORMATS, subjects

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from message_subjects import Subject
    from message_texts import Message

SEED = 5
ROOM = 1_000_000
TIGHT = 4_000
FIRST, AGAIN, MORE = "first plan", "one more, the whole list again", "one more, added"


class Plan(NamedTuple):
    """How often something is done."""

    rounds: int
    batch: int  # conversations a sample: one short one is too little for the clock


PLANS = {10: Plan(15, 20), 1_000: Plan(9, 1), 10_000: Plan(5, 1)}


class Kind(NamedTuple):
    """A kind of conversation."""

    name: str
    format: str
    make: Callable[[int, int], list[Message]]


KINDS = (
    Kind("plain", FORMATS[0], message_texts.plain),
    Kind("tools", FORMATS[0], message_texts.tools),
    Kind("responses", FORMATS[1], message_texts.items),
)


class Bench:
    """The rounds of one kind of conversation, one size and one budget."""

    def __init__(self, everybody: list[Subject], kind: Kind, size: int, tight: bool) -> None:  # noqa: FBT001
        self.kind, self.size = kind, size
        self.everybody = [one for one in everybody if kind.format in one.formats]
        self.budget = ROOM
        if tight:  # a short conversation fits into 4,000: it gets nine tenths of what it costs
            whole = tokens(kind.make(size, SEED))
            self.budget = min(TIGHT, whole * 9 // 10)
        self.clocks: dict[tuple[str, str], Clock] = {}
        self.tallies = {one.name: Tally() for one in self.everybody}

    def run(self, plan: Plan, seeds: Iterator[int]) -> dict[str, Any]:
        """Return rows and tallies of a record."""
        for turn in range(plan.rounds):
            at = turn % len(self.everybody)
            chats = [self.kind.make(self.size, next(seeds)) for _ in range(plan.batch)]
            self._round([*self.everybody[at:], *self.everybody[:at]], chats, next(seeds))
        about = {"kind": self.kind.name, "n": self.size, "budget": self.budget}
        return {
            "rows": [{**about, **row} for row in self._rows()],
            "judged": [
                {**about, "library": name, **one.record()} for name, one in self.tallies.items()
            ],
        }

    def _round(self, order: list[Subject], chats: list[list[Message]], seed: int) -> None:
        new = message_texts.Speaker(seed).user()
        longer = [[*chat, new] for chat in chats]
        made: dict[str, list[Any]] = {}
        for one in order:
            made[one.name] = self._fit(FIRST, one, chats)
        for one in order:
            self._fit(AGAIN, one, longer)
        for one in order:
            if one.extends and made[one.name]:
                self._extend(one, made[one.name], new, longer)

    def _clock(self, row: str, one: Subject) -> Clock:
        return self.clocks.setdefault((row, one.name), Clock())

    def _fit(self, row: str, one: Subject, chats: list[list[Message]]) -> list[Any]:
        clock = self._clock(row, one)
        if not clock.wants_more():
            return []
        given = [one.given(chat, self.kind.format) for chat in chats]
        try:
            made = clock.time(lambda each: one.fit(each, self.budget), given)
        except Exception as error:  # noqa: BLE001  (whatever it raises is its answer)
            self.tallies[one.name].failed(error)
            return []
        self._judge(one, chats, made)
        return made

    def _extend(self, one: Any, made: list[Any], new: Message, longer: list[list[Message]]) -> None:
        clock = self._clock(MORE, one)
        if not clock.wants_more():
            return
        pairs = [(each, one.given([new], self.kind.format)) for each in made]
        grown = clock.time(lambda pair: one.extend(*pair, self.budget), pairs)
        self._judge(one, longer, grown)

    def _judge(self, one: Subject, chats: list[list[Message]], made: list[Any]) -> None:
        for chat, each in zip(chats, made, strict=False):
            after = one.messages(each)
            self.tallies[one.name].add(chat, after, self.kind.format, self.budget)

    def _rows(self) -> Iterator[dict[str, Any]]:
        for row in (FIRST, AGAIN, MORE):
            own = self.clocks[row, self.everybody[0].name].record()
            for one in self.everybody:
                if (row, one.name) in self.clocks and self.clocks[row, one.name].samples:
                    timing = self.clocks[row, one.name].record()
                    yield {"row": row, "library": one.name, **with_ratios(timing, own)}


def judged(everybody: list[Subject], number: int) -> Iterator[dict[str, Any]]:
    """Return what became of so many short conversations of each family, for each subject."""
    for family in message_broken.FAMILIES:
        tallies = {one.name: Tally() for one in everybody}
        for seed in range(number):
            chat, share = message_broken.case(family, seed)
            assert family not in message_table.WHOLE or accepted(chat, FORMATS[0])
            budget = int(share * tokens(chat))
            for one in everybody:
                given = one.given(chat, FORMATS[0])
                try:
                    after = one.messages(one.fit(given, budget))
                except Exception as error:  # noqa: BLE001  (whatever it raises is its answer)
                    tallies[one.name].failed(error)
                else:
                    tallies[one.name].add(chat, after, FORMATS[0], budget)
        for name, tally in tallies.items():
            yield {"family": family, "library": name, **tally.record()}


def main() -> None:
    """Run what the options choose."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="up to 1,000 messages, less judged")
    parser.add_argument("--no-record", action="store_true", help="print only")
    parser.add_argument("--note", default="", help="a sentence for the record")
    options = parser.parse_args()
    everybody = subjects()
    gc.freeze()  # the peers' modules are a million objects, which no collection has to visit
    run = pack_record.start({one.name: one.version for one in everybody}, options.note)
    run["texts_sha256"] = message_texts.digest(message_texts.plain(1_000, SEED))
    run |= {"rows": [], "judged_large": [], "special": [], "alone": [], "judged": []}
    message_table.show_start(run)
    seeds = count(SEED + 1)  # no two rounds have the same texts
    for kind in KINDS:
        for size, plan in PLANS.items():
            if options.quick and size > 1_000:
                continue
            for tight in (False, True):
                found = Bench(everybody, kind, size, tight).run(plan, seeds)
                run["rows"] += found["rows"]
                run["judged_large"] += found["judged"]
                message_table.show_rows(found["rows"], run["versions"])
    if not options.quick:
        run["special"] = message_special.blocks(seeds) + message_special.programs(seeds)
        run["alone"] = message_special.alone(seeds)
    run["judged"] = list(judged(everybody, 30 if options.quick else 200))
    pack_record.finish(run)
    message_table.show_rest(run)
    if not options.no_record:
        print("recorded in", pack_record.append(run, "messages"))


if __name__ == "__main__":
    main()
