"""Times calls with a limit: what takes longer is stopped, and the row says so."""

from __future__ import annotations

import signal
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from bench_pack import Sample, median, timed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

LIMIT = 60.0
"""Seconds of CPU time that one sample may take."""
PATIENCE = 3.0
"""Seconds: what takes longer is measured in the first round only."""
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


class Timing(NamedTuple):
    """The medians of a row."""

    rounds: int
    cpu_ms: float
    wall_ms: float
    stopped: bool

    def record(self) -> dict[str, Any]:
        """Return what a record says of it."""
        return {**self._asdict(), "limit_s": LIMIT}


class Clock:
    """Keeps the samples of one row."""

    def __init__(self) -> None:
        self.samples: list[Sample] = []
        self.stopped = False

    def wants_more(self) -> bool:
        """Tell whether another round is worth its time."""
        return not self.stopped and all(one.cpu < PATIENCE for one in self.samples)

    def time(self, call: Callable[[Any], Any], inputs: Sequence[Any]) -> list[Any]:
        """Return what a call returns for each input; nothing where it was stopped."""
        try:
            with limited(LIMIT):
                found, sample = timed(call, inputs)
        except OutOfTime:
            self.stopped = True
            each = LIMIT / len(inputs)
            self.samples = [Sample(each, each)]
            return []
        self.samples.append(sample)
        return found

    def timing(self) -> Timing:
        """Return the medians; where it was stopped they are what it took at least."""
        return Timing(
            len(self.samples),
            median(self.samples, "cpu"),
            median(self.samples, "wall"),
            self.stopped,
        )
