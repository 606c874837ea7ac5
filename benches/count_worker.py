"""What runs in a process of its own: reads a task from the command line, prints lines of JSON.

Tasks are the functions of this file that take `Task`; `count_process` starts them.
"""

from __future__ import annotations

import gc
import json
import resource
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import count_hostile
import count_text
from count_peers import PEERS

if TYPE_CHECKING:
    from collections.abc import Callable


class Task(NamedTuple):
    """What to run, and on what."""

    what: str
    peers: list[str]
    encoding: str
    corpora: str
    vocabularies: str
    options: dict[str, Any]

    @property
    def folder(self) -> Path:
        """The folder of the corpora."""
        return Path(self.corpora)

    def load(self, name: str) -> Callable[[str], int]:
        """Return the counter of a peer."""
        return PEERS[name].load(self.encoding, Path(self.vocabularies))


def say(**found: Any) -> None:
    """Hand a finding to the process that asked."""
    print(json.dumps(found), flush=True)


def resident() -> float:
    """Return resident memory in MB."""
    pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
    return pages * resource.getpagesize() / 1e6


def timed(count: Callable[[str], int], texts: list[str]) -> tuple[float, int]:
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

    Every peer first counts `warm` bytes of other text. The order turns by one with each piece.
    """
    counters = {name: task.load(name) for name in task.peers}
    for corpus, place in task.options["places"].items():
        warm = count_text.piece(task.folder, corpus, place["warm"], task.options["warm_bytes"])
        for count in counters.values():
            timed(count, count_text.fresh(warm))
        for number, start in enumerate(place["pieces"]):
            texts = count_text.piece(task.folder, corpus, start, task.options["bytes"])
            turn = number % len(task.peers)
            names = task.peers[turn:] + task.peers[:turn]
            for mode in ("unseen", "again"):
                for name in names:
                    seconds, tokens = timed(counters[name], count_text.fresh(texts))
                    say(
                        mode=mode,
                        corpus=corpus,
                        piece=start,
                        peer=name,
                        bytes=count_text.size(texts),
                        texts=len(texts),
                        seconds=seconds,
                        tokens=tokens,
                    )


def cold(task: Task) -> None:
    """Time the first text of a process, after import, load and a call with one word."""
    (name,) = task.peers
    corpus, start = task.options["corpus"], task.options["start"]
    texts = count_text.piece(task.folder, corpus, start, task.options["bytes"])
    count = task.load(name)
    count("hello")
    seconds, tokens = timed(count, texts)
    say(
        mode="cold",
        corpus=corpus,
        piece=start,
        peer=name,
        bytes=count_text.size(texts),
        texts=len(texts),
        seconds=seconds,
        tokens=tokens,
    )


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
    for what in task.options["texts"]:
        for number in task.options["sizes"]:
            text = count_hostile.text(what, number)
            say(text=what, bytes=len(text.encode()), begins=True)
            try:
                seconds, tokens = timed(count, [text])
            except BaseException as error:
                if type(error).__name__ != "PanicException":  # no Exception, of no module to import
                    raise
                say(text=what, bytes=len(text.encode()), peer=name, failed="panics")
                continue
            say(text=what, bytes=len(text.encode()), peer=name, seconds=seconds, tokens=tokens)


def overhead(task: Task) -> None:
    """Time calls with next to nothing to count, in nanoseconds, over an empty function."""
    counters = {name: task.load(name) for name in task.peers}
    counters["len"] = len

    def loop(count: Callable[[str], int], text: str, times: int) -> float:
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


TASKS = {task.__name__: task for task in (rates, cold, load, hostile, overhead)}


def main() -> None:
    """Run one task."""
    task = Task(**json.loads(sys.argv[1]))
    TASKS[task.what](task)


if __name__ == "__main__":
    main()
