"""Two threads beside two processes, both by the clock on the wall and in turn.

What two processes reach at that moment is what the machine has to give then; two threads are
measured against it, round by round.
"""

from __future__ import annotations

import multiprocessing
import threading
import time
from typing import TYPE_CHECKING, Any

import count_text

import packframe as pf

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.connection import Connection
    from pathlib import Path

SMALL = 4_000


def documents(folder: Path, size: int, start: int, each: int) -> list[str]:
    """Return documents of about `each` bytes from the English corpus."""
    (text,) = count_text.piece(folder, "english", start, size)
    return [text[at : at + each] for at in range(0, len(text), each)]


def _serve(pipe: Connection, encoding: str, texts: list[str]) -> None:
    """Count the texts whenever the pipe says so, and send how long it took."""
    profile = pf.profiles.openai(encoding)
    while pipe.recv():
        start = time.perf_counter()
        profile.count_batch(texts, threads=1)
        pipe.send(time.perf_counter() - start)


def compare(
    folder: Path, encoding: str, *, size: int, rounds: int, each: int = SMALL
) -> Iterator[dict[str, Any]]:
    """Yield wall seconds of each way to count `size` bytes of documents."""
    texts = documents(folder, size, 0, each)
    half = len(texts) // 2
    parts = (texts[:half], texts[half:])
    profile = pf.profiles.openai(encoding)
    profile.count_batch(texts)
    context = multiprocessing.get_context("spawn")
    pipes, processes = [], []
    for part in parts:
        here, there = context.Pipe()
        process = context.Process(target=_serve, args=(there, encoding, part), daemon=True)
        process.start()
        pipes.append(here)
        processes.append(process)
    for _ in range(rounds + 1):  # the first round warms the processes up
        for pipe in pipes:
            pipe.send("count")
        took = max(pipe.recv() for pipe in pipes)
        yield {"way": "two processes", "seconds": took, "bytes": size}
        start = time.perf_counter()
        profile.count_batch(texts, threads=1)
        yield {"way": "batch, one thread", "seconds": time.perf_counter() - start, "bytes": size}
        start = time.perf_counter()
        profile.count_batch(texts, threads=2)
        yield {"way": "batch, two threads", "seconds": time.perf_counter() - start, "bytes": size}
        yield {"way": "calls, one Python thread", **_calls(profile, [texts]), "bytes": size}
        yield {"way": "calls, two Python threads", **_calls(profile, list(parts)), "bytes": size}
    for pipe, process in zip(pipes, processes, strict=True):
        pipe.send("")
        process.join()


def _calls(profile: pf.TokenProfile, parts: list[list[str]]) -> dict[str, float]:
    """Count each part in a thread of its own, one call a text."""

    def run(texts: list[str]) -> None:
        count = profile.count
        for text in texts:
            count(text)

    workers = [threading.Thread(target=run, args=(part,)) for part in parts]
    start = time.perf_counter()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return {"seconds": time.perf_counter() - start}
