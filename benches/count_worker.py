"""What runs in a process of its own: reads a task from the command line, prints lines of JSON.

Tasks are the functions of this file that take a `Task`; `count_process` starts them. Whatever is
timed is timed in CPU seconds of the whole process, so a peer that uses threads pays for them.
"""

from __future__ import annotations

import gc
import json
import resource
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import count_hostile
import count_text
from count_peers import PEERS

if TYPE_CHECKING:
    from collections.abc import Callable

    Count = Callable[[str], int]


class Task(NamedTuple):
    """What to run: for a peer or several, on an encoding or on a `tokenizer.json`."""

    what: str
    peers: list[str]
    vocabulary: str
    corpora: str
    options: dict[str, Any]

    @property
    def folder(self) -> Path:
        """The folder of the corpora."""
        return Path(self.corpora)

    def load(self, name: str) -> Count:
        """Return the counter of a peer."""
        peer, vocabularies = PEERS[name], self.folder / "vocabularies"
        if self.vocabulary.endswith(".json"):
            assert peer.file is not None
            return peer.file(vocabularies / self.vocabulary)
        assert peer.encoding is not None
        return peer.encoding(self.vocabulary, vocabularies)


def say(**found: Any) -> None:
    """Hand a finding to the process that asked."""
    print(json.dumps(found), flush=True)


def resident() -> float:
    """Return resident memory in MB."""
    pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
    return pages * resource.getpagesize() / 1e6


def refusal(error: BaseException) -> str | None:
    """Return what a peer's failure is called, or nothing for one that is ours to raise."""
    if type(error).__name__ == "PanicException":  # no Exception, and of no module to import
        return "panics"
    return "refuses" if isinstance(error, Exception) else None


def timed(count: Count, texts: list[str]) -> tuple[float, int]:
    """Return CPU seconds and tokens of one call a text."""
    gc.collect()
    gc.disable()
    total = 0
    start = time.process_time()
    for text in texts:
        total += count(text)
    seconds = time.process_time() - start
    gc.enable()
    return seconds, total


def rates(task: Task) -> None:
    """Time each peer on the same pieces in turn: not seen before, then once more.

    Every peer first counts `warm_bytes` of other text. The order turns by one with each piece. A
    peer that cannot load says so, and is left out.
    """
    counters = {}
    for name in task.peers:
        start = time.process_time()
        try:
            counters[name] = task.load(name)
            counters[name]("hello")
        except BaseException as error:
            why = refusal(error)
            if why is None:
                raise
            say(mode="load", peer=name, failed=why, said=str(error)[:200])
            continue
        say(mode="load", peer=name, ms=(time.process_time() - start) * 1e3)
    for corpus, place in task.options["places"].items():
        warm = count_text.piece(task.folder, corpus, place["warm"], task.options["warm_bytes"])
        for count in counters.values():
            timed(count, count_text.fresh(warm))
        for number, start_byte in enumerate(place["pieces"]):
            texts = count_text.piece(task.folder, corpus, start_byte, task.options["bytes"])
            turn = number % len(counters)
            names = [*counters][turn:] + [*counters][:turn]
            for mode in ("unseen", "again"):
                for name in names:
                    about = {"mode": mode, "corpus": corpus, "piece": start_byte, "peer": name}
                    _say_rate(counters[name], about, count_text.fresh(texts))


def _say_rate(count: Count, about: dict[str, Any], texts: list[str]) -> None:
    """Time one call a text, and say all of it."""
    seconds, tokens = timed(count, texts)
    size = count_text.size(texts)
    say(**about, bytes=size, texts=len(texts), seconds=seconds, tokens=tokens)


def cold(task: Task) -> None:
    """Time the first text of a process, after import, load and a call with one word."""
    (name,) = task.peers
    corpus, start = task.options["corpus"], task.options["start"]
    texts = count_text.piece(task.folder, corpus, start, task.options["bytes"])
    count = task.load(name)
    count("hello")
    about = {"mode": "cold", "corpus": corpus, "piece": start, "peer": name}
    _say_rate(count, about, texts)


def load(task: Task) -> None:
    """Time import, load and first count; then the memory that words without repetition take."""
    (name,) = task.peers
    words = count_hostile.words(task.options["words_bytes"])
    before, start = resident(), time.process_time()
    count = task.load(name)
    loaded = time.process_time()
    count("hello")
    first = time.process_time()
    held = resident()
    for text in words:
        count(text)
    say(
        peer=name,
        load_ms=(loaded - start) * 1e3,
        first_ms=(first - loaded) * 1e3,
        held_mb=held - before,
        grown_mb=resident() - held,
    )


def hostile(task: Task) -> None:
    """Time one call on each hostile text; the process that asked stops what takes too long."""
    (name,) = task.peers
    count = task.load(name)
    count("hello")
    for what, size in task.options["texts"]:
        text = count_hostile.text(what, size)
        about = {"text": what, "size": size, "bytes": len(text.encode()), "peer": name}
        say(**about, begins=True)
        try:
            seconds, tokens = timed(count, [text])
        except BaseException as error:
            why = refusal(error)
            if why is None:
                raise
            say(**about, failed=why)
            continue
        say(**about, seconds=seconds, tokens=tokens)


def overhead(task: Task) -> None:
    """Time calls with next to nothing to count, in nanoseconds; `len` shows what a call costs."""
    counters: dict[str, Count] = {name: task.load(name) for name in task.peers}
    counters["len"] = len

    def loop(count: Count, text: str, times: int) -> float:
        turns = range(times)
        start = time.process_time()
        for _ in turns:
            count(text)
        return (time.process_time() - start) / times * 1e9

    for text in ("", "hello"):
        for count in counters.values():
            loop(count, text, 10_000)
        for _ in range(task.options["rounds"]):
            for name, count in counters.items():
                say(peer=name, text=text, ns=loop(count, text, task.options["times"]))


def threads(task: Task) -> None:
    """Time our batches on two threads beside two processes, by the clock on the wall."""
    # It imports packframe, and what `load` measures must not be there before.
    compare = import_module("count_threads").compare
    for found in compare(task.folder, task.vocabulary, **task.options):
        say(**found)


TASKS = {task.__name__: task for task in (rates, cold, load, hostile, overhead, threads)}


def main() -> None:
    """Run one task."""
    task = Task(**json.loads(sys.argv[1]))
    TASKS[task.what](task)


if __name__ == "__main__":
    main()
