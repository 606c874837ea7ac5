"""Time packframe beside promptbudget, in one process, on the same sections, and record the run.

`--quick` stops at 1,000 items and leaves out the scaling; `--no-record` only prints.

Every row is a median over rounds; in each round both libraries run the same row one after the
other, the first alternating. tiktoken counts what each pack rendered, so that the record says who
is over the budget. The scaling is measured in processes of their own.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pack_record
import section_table
from bench_pack import Sample, add, timed, times
from pack_items import Corpus, Row, digest
from section_subjects import COUNTERS, Packframe, Promptbudget, parts
from tiktoken_ranks import ENCODING, encoding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from section_subjects import Subject

HERE = Path(__file__).parent
SEED = 4


class Plan(NamedTuple):
    """How often something is done."""

    rounds: int
    batch: int  # lists of sections a sample: one small call is too short for the clock


PLANS = {10: Plan(31, 40), 1_000: Plan(11, 3), 20_000: Plan(5, 1)}
SCALES = (1_000, 10_000, 100_000, 1_000_000)
JOINS = 1_000


class Ceiling:
    """How far packs were over their budget, by tiktoken."""

    def __init__(self) -> None:
        self.packs = 0
        self.over = 0
        self.fullest = 0.0
        self.kept = 0

    def add(self, text: str, budget: int, kept: int) -> None:
        """Count one pack."""
        tokens = len(encoding().encode_ordinary(text))
        self.packs += 1
        self.over += tokens > budget
        self.fullest = max(self.fullest, tokens / budget)
        self.kept = kept

    def record(self) -> dict[str, Any]:
        """Return what a record says of it."""
        fullest = round(self.fullest, 4)
        return {"packs": self.packs, "over": self.over, "fullest": fullest, "kept": self.kept}


class Bench:
    """The rounds of one number of items and one way to count."""

    def __init__(self, corpus: Corpus, seeds: Iterator[int], size: int, counter: str) -> None:
        self.subjects: tuple[Packframe, Promptbudget] = (Packframe(), Promptbudget())
        self.corpus, self.seeds, self.size, self.counter = corpus, seeds, size, counter
        self.profiles = {one.name: one.profile(counter) for one in self.subjects}
        self.samples: dict[tuple[str, str], list[Sample]] = {}
        self.ceilings = {one.name: Ceiling() for one in self.subjects}
        rows = corpus.rows(size, next(seeds))
        whole = sum(map(len, encoding().encode_ordinary_batch([row.text for row in rows])))
        self.budget = whole // 3

    def run(self, plan: Plan) -> dict[str, Any]:
        """Return rows and ceilings of a record."""
        for turn in range(plan.rounds):
            order: tuple[Subject, ...] = self.subjects if turn % 2 else self.subjects[::-1]
            texts = [self.corpus.rows(self.size, next(self.seeds)) for _ in range(plan.batch)]
            self._round(order, texts, turn)
        about = {"n": self.size, "counter": self.counter, "rounds": plan.rounds}
        about["budget"] = self.budget
        return {
            "rows": [{**about, **row} for row in self._rows()],
            "ceiling": {**about, **{name: one.record() for name, one in self.ceilings.items()}},
        }

    def _round(self, order: tuple[Subject, ...], texts: list[list[Row]], turn: int) -> None:
        wanted = [parts(rows, self.budget) for rows in texts]
        other = self.budget + 7 * (turn + 1)
        made = {}
        for subject in order:
            made[subject.name], sample = timed(subject.sections, wanted)
            self._keep("construction", subject, sample)
        for row, budget in (("first pack", self.budget), ("another budget", other)):
            for subject in order:
                profile = self.profiles[subject.name]

                def pack(sections: Any, budget: int = budget, own: Subject = subject) -> Any:
                    return own.pack(sections, budget, profile)  # noqa: B023  (called at once)

                packs, sample = timed(pack, made[subject.name])
                self._keep(row, subject, sample)
                for one in packs:
                    self.ceilings[subject.name].add(one.text, budget, subject.kept(one))
                if row == "another budget":
                    self._keep("record as a dict", subject, timed(subject.record, packs)[1])

    def _keep(self, row: str, subject: Subject, sample: Sample) -> None:
        self.samples.setdefault((row, subject.name), []).append(sample)

    def _rows(self) -> list[dict[str, Any]]:
        rows = []
        for name in dict.fromkeys(row for row, _ in self.samples):
            ours, peer = (self.samples[name, one.name] for one in self.subjects)
            rows.append({"row": name, **times(ours, peer)})
        both = (("construction", "first pack"), ("another budget", "record as a dict"))
        return [*rows, *({**add(rows, *two), "row": " and ".join(two)} for two in both)]


def joins() -> dict[str, Any]:
    """Return who is over the budget on lines that end in CRLF, with a blank line between them."""
    lines = ("Item done.\r\n", "Item open;\r\n")
    rows = [Row(lines[place % 2], f"line-{place}", place, required=False) for place in range(JOINS)]
    found: dict[str, Any] = {"n": JOINS, "counter": ENCODING}
    whole = len(encoding().encode_ordinary("\n\n".join(row.text for row in rows)))
    budget = whole // 3
    for subject in (Packframe(), Promptbudget()):
        ceiling = Ceiling()
        pack = subject.pack(
            subject.sections(parts(rows, budget), "\n\n"), budget, subject.profile(ENCODING)
        )
        ceiling.add(pack.text, budget, subject.kept(pack))
        found[subject.name] = ceiling.record()
    return {**found, "budget": budget}


def scale(size: int, counter: str) -> dict[str, Any]:
    """Return time and memory of one number of items, in a process of its own."""
    command = [sys.executable, str(HERE / "section_scale.py"), str(size), counter]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    """Run what the options choose."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="n up to 1,000, no scaling")
    parser.add_argument("--no-record", action="store_true", help="print only")
    parser.add_argument("--note", default="", help="a sentence for the record")
    options = parser.parse_args()
    corpus = Corpus()
    subjects = (Packframe(), Promptbudget())
    versions = {subject.name: subject.version for subject in subjects}
    run = pack_record.start(versions, options.note)
    run["items_sha256"] = digest(corpus.rows(1_000, SEED))
    run |= {"rows": [], "ceilings": [], "scale": []}
    section_table.show_start(run)
    seeds = count(SEED + 1)  # no two rounds have the same texts
    for size, plan in PLANS.items():
        for counter in COUNTERS:
            if options.quick and size > 1_000:
                continue
            found = Bench(corpus, seeds, size, counter).run(plan)
            run["rows"] += found["rows"]
            run["ceilings"].append(found["ceiling"])
            section_table.show_rows(found["rows"])
    run["ceilings"].append({**joins(), "texts": "lines that end in CRLF"})
    if not options.quick:
        run["scale"] = [scale(size, counter) for counter in COUNTERS for size in SCALES]
    pack_record.finish(run)
    section_table.show_rest(run)
    if not options.no_record:
        print("recorded in", pack_record.append(run, "sections"))


if __name__ == "__main__":
    main()
