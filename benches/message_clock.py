"""Times calls with a limit: what takes longer is stopped, and the row says so."""

from __future__ import annotations

import gc
import signal
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from bench_pack import Sample, median, ratio, timed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

LIMIT = 10.0
"""Seconds of CPU time that one sample may take."""
PATIENCE = 10.0
"""Seconds of CPU time: a row whose samples took so much together gets no more rounds."""
LOOK = 0.5
"""Seconds from one look at the clock to the next."""


class OutOfTime(BaseException):
    """Raised in the middle of a call; no handler of exceptions in between is meant."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise `OutOfTime` when the process has used so much CPU time, and again until it ends.

    The timer is that of the wall: with one of CPU time the kernel counts CPU time in ticks.
    """
    end = time.process_time() + seconds

    def look(*_: Any) -> None:
        if time.process_time() > end:
            raise OutOfTime

    before = signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, LOOK, LOOK)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class Clock:
    """Keeps the samples of one row."""

    def __init__(self, limit: float = LIMIT) -> None:
        self.limit = limit
        self.samples: list[Sample] = []
        self.spent = 0.0
        self.stopped = 0

    def wants_more(self) -> bool:
        """Tell whether another round is worth its time."""
        return self.spent < PATIENCE

    def time(self, call: Callable[[Any], Any], inputs: Sequence[Any]) -> list[Any]:
        """Return what a call returns for each input; nothing where it was stopped."""
        start = time.perf_counter()
        found: list[Any] = []
        try:
            with limited(self.limit):
                found, sample = timed(call, inputs)
        except OutOfTime:
            self.stopped += 1
            took = time.perf_counter() - start
            sample = Sample(self.limit / len(inputs), took / len(inputs))
        finally:
            gc.enable()
        self.samples.append(sample)
        self.spent += sample.cpu * len(inputs)
        return found

    def record(self) -> dict[str, Any]:
        """Return what a record says of it; with `over_limit` times are what it took at least."""
        middle = median(self.samples, "cpu")
        most = max(one.cpu for one in self.samples)
        return {
            "rounds": len(self.samples),
            "cpu_ms": middle,
            "wall_ms": median(self.samples, "wall"),
            "most_cpu_ms": round(most * 1e3, 4),
            "stopped": self.stopped,
            "over_limit": 2 * self.stopped > len(self.samples),
            "limit_s": self.limit,
        }


def with_ratios(timing: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Return a timing with how many times as long it is as packframe's, by both clocks."""
    return {
        **timing,
        "ratio_cpu": ratio(timing["cpu_ms"], own["cpu_ms"]),
        "ratio_wall": ratio(timing["wall_ms"], own["wall_ms"]),
    }
