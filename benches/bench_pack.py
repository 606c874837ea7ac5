"""Time packframe beside cognoxium, in one process, on the same items, and record the run.

`--quick` stops at 1,000 items and takes a minute; everything takes ten. `--no-record` only prints.

Every row is a median over rounds; in each round both libraries run the same row one after the
other, the first alternating. Garbage is collected before a row and not during it, for both.
"""

from __future__ import annotations

import argparse
import gc
import math
import os
import resource
import statistics
import subprocess
import sys
import time
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pack_record
from pack_items import Corpus, digest, tokenizer_json
from pack_subjects import PROFILES, Cognoxium, Packframe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pack_subjects import Subject

HERE = Path(__file__).parent
SEED = 2
MESSAGES, TEXT = "messages", "text"


class Plan(NamedTuple):
    """How often something is done."""

    rounds: int
    batch: int  # frames a sample: one call on a small frame is too short for the clock
    budgets: int  # repeated packs a frame


PLANS = {10: Plan(15, 25, 1), 1_000: Plan(9, 10, 3), 100_000: Plan(3, 1, 2)}


class Sample(NamedTuple):
    """One row of one round, in seconds a call."""

    cpu: float
    wall: float


def timed(call: Callable[[Any], Any], inputs: Sequence[Any]) -> tuple[list[Any], Sample]:
    """Return what a call returns for each input, and the time a call."""
    gc.collect()
    gc.disable()
    wall, cpu = time.perf_counter(), time.process_time()
    results = [call(value) for value in inputs]
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    gc.enable()
    return results, Sample(cpu / len(inputs), wall / len(inputs))


class Bench:
    """The rounds of one number of items and one profile."""

    def __init__(
        self, subjects: tuple[Packframe, Cognoxium], corpus: Corpus, seeds: Iterator[int]
    ) -> None:
        self.subjects = subjects
        self.corpus = corpus
        self.seeds = seeds
        self.samples: dict[tuple[str, str], list[Sample]] = {}
        self.shares: dict[str, float] = {}
        self.profiles: dict[str, Any] = {}

    def run(self, size: int, plan: Plan, profile: str, json_text: str) -> list[dict[str, Any]]:
        """Return the rows of a record."""
        for subject in self.subjects:
            self.profiles[subject.name] = subject.profile(profile, json_text)
        if profile == "huggingface":
            self._make_profiles(plan.rounds, json_text)
        ours, _ = self.subjects
        rows = self.corpus.rows(size, next(self.seeds))
        whole = ours.pack(ours.frame(ours.items(rows)), 10**12, self.profiles[ours.name], MESSAGES)
        budget = whole.total_tokens // 3
        del whole
        for turn in range(plan.rounds):
            order: tuple[Subject, ...] = self.subjects if turn % 2 else self.subjects[::-1]
            self._round(order, size, plan, budget)
        return self._rows({"n": size, "profile": profile, "rounds": plan.rounds, "budget": budget})

    def _keep(self, row: str, subject: Subject, sample: Sample) -> None:
        self.samples.setdefault((row, subject.name), []).append(sample)

    def _make_profiles(self, rounds: int, json_text: str) -> None:
        for subject in self.subjects * rounds:

            def make(text: str, subject: Subject = subject) -> Any:
                return subject.profile("huggingface", text)

            self._keep("profile, made and counting", subject, timed(make, [json_text])[1])

    def _round(self, order: tuple[Subject, ...], size: int, plan: Plan, budget: int) -> None:
        inputs = [self.corpus.rows(size, next(self.seeds)) for _ in range(plan.batch)]
        frames: dict[str, list[Any]] = {}
        for subject in order:

            def build(rows: Any, subject: Subject = subject) -> Any:
                return subject.frame(subject.items(rows))

            frames[subject.name], sample = timed(build, inputs)
            self._keep("construction, items", subject, sample)
        for subject in order:
            records = [subject.records(rows) for rows in inputs]
            made, sample = timed(subject.from_records, records)
            self._keep("construction, records", subject, sample)
            if subject.name == "packframe":
                frames[TEXT] = made  # the counts of these are not known yet
        for subject in order:
            self._packs(subject, frames[subject.name], MESSAGES, budget, plan.budgets)
            if subject.name == "packframe":
                self._packs(subject, frames[TEXT], TEXT, budget, plan.budgets)

    def _packs(
        self, subject: Subject, frames: list[Any], render: str, budget: int, budgets: int
    ) -> None:
        def pack(call: tuple[Any, int]) -> Any:
            return subject.pack(*call, self.profiles[subject.name], render)

        _, sample = timed(pack, [(frame, budget) for frame in frames])
        self._keep(f"first pack, {render}", subject, sample)
        again = [(frame, budget + 7 * step) for frame in frames for step in range(1, budgets + 1)]
        packs, sample = timed(pack, again)
        self._keep(f"repeated pack, {render}", subject, sample)
        self.shares[f"{subject.name}, {render}"] = len(packs[0].items)
        _, sample = timed(lambda pack: pack.manifest.to_dict(), packs)
        self._keep(f"manifest dict, {render}", subject, sample)

    def _rows(self, about: dict[str, Any]) -> list[dict[str, Any]]:
        rows = []
        for name in dict.fromkeys(row for row, _ in self.samples):
            ours = self.samples[name, "packframe"]
            # The peer has one rendering, the sum of its items: it stands beside both.
            peer = self.samples[name.replace(TEXT, MESSAGES), "cognoxium"]
            rows.append({**about, "row": name, **times(ours, peer)})
        for render in (MESSAGES, TEXT):
            both = add(rows, f"repeated pack, {render}", f"manifest dict, {render}")
            rows.append({**both, "row": f"repeated pack and its dict, {render}"})
            for row in rows:
                if row["row"].endswith(render):
                    row["selected"] = self.shares[f"packframe, {render}"]
                    row["peer_selected"] = self.shares[f"cognoxium, {MESSAGES}"]
        return rows


def times(ours: list[Sample], peer: list[Sample]) -> dict[str, Any]:
    """Return the medians of both, and the ratios."""
    return with_ratios(
        {
            "ours_cpu_ms": median(ours, "cpu"),
            "peer_cpu_ms": median(peer, "cpu"),
            "ours_wall_ms": median(ours, "wall"),
            "peer_wall_ms": median(peer, "wall"),
        }
    )


def with_ratios(row: dict[str, Any]) -> dict[str, Any]:
    """Return the row with how many times as long the peer takes, by both clocks."""
    return {
        **row,
        "ratio_cpu": ratio(row["peer_cpu_ms"], row["ours_cpu_ms"]),
        "ratio_wall": ratio(row["peer_wall_ms"], row["ours_wall_ms"]),
    }


def add(rows: list[dict[str, Any]], first: str, second: str) -> dict[str, Any]:
    """Return the sum of two rows: the peer makes its manifest while it packs, packframe after."""
    one, two = (next(row for row in rows if row["row"] == name) for name in (first, second))
    sums = {key: round(one[key] + two[key], 4) for key in one if key.endswith("_ms")}
    return with_ratios({**one, **sums})


def median(samples: list[Sample], clock: str) -> float:
    """Return the median in milliseconds, to a tenth of a microsecond."""
    found: float = statistics.median(getattr(sample, clock) for sample in samples)
    return round(found * 1e3, 4)


def ratio(peer: float, ours: float) -> float:
    """Return how many times as long the peer takes."""
    return round(peer / ours, 1) if ours else math.inf


def child(code: str) -> Sample:
    """Return what an interpreter takes that runs a statement."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Sample(cpu, wall)


STARTS = {
    "import": ("import packframe", "import cognoxium"),
    "import, first o200k_base count": (
        "import packframe; packframe.profiles.openai('o200k_base').count('one')",
        "import cognoxium; cognoxium.profiles.openai('o200k_base').count_batch(['one'])",
    ),
}


def starts(rounds: int) -> list[dict[str, Any]]:
    """Return what imports take over an interpreter that does nothing."""
    rows = []
    for row, codes in STARTS.items():
        over: list[list[Sample]] = [[], []]
        for turn in range(rounds + 2):
            idle = child("pass")
            for own, code in zip(over, codes, strict=True):
                loaded = child(code)
                if turn > 1:  # the first ones fill caches
                    own.append(Sample(loaded.cpu - idle.cpu, loaded.wall - idle.wall))
        rows.append({"row": row, "rounds": rounds, **times(*over)})
    return rows


def memory(size: int) -> list[dict[str, Any]]:
    """Return the bytes an item beyond its text, each measured in a process of its own."""
    rows = []
    for what in ("frame", "items", "packed"):
        found: dict[str, Any] = {"n": size, "what": what}
        for name in ("packframe", "cognoxium"):
            command = [sys.executable, str(HERE / "pack_memory.py"), name, what, str(size)]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            found[name] = round(float(done.stdout), 1)
        rows.append(found)
    return rows


def main() -> None:
    """Run what the options choose."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="n up to 1,000")
    parser.add_argument("--no-record", action="store_true", help="print only")
    parser.add_argument("--note", default="", help="a sentence for the record")
    options = parser.parse_args()
    # Threads of tokenizers would make the time of one library depend on who else runs.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    subjects = (Packframe(), Cognoxium())
    corpus = Corpus()
    json_text = tokenizer_json(corpus)
    run = pack_record.start({subject.name: subject.version for subject in subjects}, options.note)
    run["items_sha256"] = digest(corpus.rows(1_000, SEED))
    run["tokenizer_json_bytes"] = len(json_text)
    run["starts"] = starts(15 if options.quick else 31)
    run["memory"] = memory(10_000 if options.quick else 100_000)
    run["rows"] = []
    pack_record.show_starts(run)
    seeds = count(SEED + 1)  # no two rounds have the same texts
    for size, plan in PLANS.items():
        if options.quick and size > 1_000:
            continue
        for profile in PROFILES:
            # One round of the peer's takes a minute there.
            slow = profile == "huggingface" and size > 1_000
            bench = Bench(subjects, corpus, seeds)
            found = bench.run(size, Plan(1, 1, 1) if slow else plan, profile, json_text)
            run["rows"] += found
            pack_record.show_rows(found)
    pack_record.finish(run)
    pack_record.show_targets(run)
    if not options.no_record:
        print("recorded in", pack_record.append(run))


if __name__ == "__main__":
    main()
