"""Tables in Markdown, and the figures in them: medians, ratios, geometric means."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Sample(NamedTuple):
    """One timing of a peer on a piece of text: in which process, how fast, how many tokens."""

    peer: str
    process: int
    piece: int
    rate: float
    tokens: int


class Cell:
    """The samples of all peers on one corpus, one vocabulary, one way to ask."""

    def __init__(self, samples: Sequence[Sample], ours: str, oracle: str) -> None:
        self.samples = samples
        self.ours = ours
        self.oracle = oracle

    def rate(self, peer: str) -> float | None:
        """Return the median over processes of the medians over pieces."""
        by_process: dict[int, list[float]] = {}
        for sample in self.samples:
            if sample.peer == peer:
                by_process.setdefault(sample.process, []).append(sample.rate)
        if not by_process:
            return None
        return statistics.median(statistics.median(rates) for rates in by_process.values())

    def rates(self) -> dict[str, float]:
        """Return the rate of each peer that has one."""
        names = dict.fromkeys(sample.peer for sample in self.samples)
        return {name: rate for name in names if (rate := self.rate(name)) is not None}

    def fastest(self) -> str | None:
        """Return the fastest peer that is not ours and miscounts nothing."""
        wrong = self.miscounts()
        rates = {
            name: rate
            for name, rate in self.rates().items()
            if name != self.ours and not wrong.get(name)
        }
        return max(rates, key=lambda name: rates[name]) if rates else None

    def ratio(self, peer: str) -> float | None:
        """Return how many times as fast as a peer ours is: the median over pieces of each process.

        Where no piece was counted by both in one process, it is the ratio of the medians.
        """
        table: dict[tuple[int, int], dict[str, float]] = {}
        for sample in self.samples:
            table.setdefault((sample.process, sample.piece), {})[sample.peer] = sample.rate
        ratios = [
            rates[self.ours] / rates[peer]
            for rates in table.values()
            if self.ours in rates and peer in rates
        ]
        if ratios:
            return statistics.median(ratios)
        own, other = self.rate(self.ours), self.rate(peer)
        return own / other if own and other else None

    def miscounts(self) -> dict[str, int]:
        """Return, by peer, how many pieces it counted otherwise than the oracle, or than ours."""
        truth: dict[int, int] = {}
        for name in (self.ours, self.oracle):
            truth |= {sample.piece: sample.tokens for sample in self.samples if sample.peer == name}
        found: dict[str, set[int]] = {}
        for sample in self.samples:
            if sample.tokens != truth.get(sample.piece, sample.tokens):
                found.setdefault(sample.peer, set()).add(sample.piece)
        return {name: len(pieces) for name, pieces in found.items()}


def geometric_mean(values: Iterable[float]) -> float | None:
    """Return the geometric mean, or nothing of nothing."""
    known = list(values)
    return statistics.geometric_mean(known) if known else None


def figure(value: float | None, digits: int = 0, mark: str = "") -> str:
    """Return a figure as a cell shows it: a whole one below 10 gets a decimal."""
    if value is None:
        return "-"
    return f"{value:,.{digits or int(0 < value < 9.95)}f}{mark}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; every column but the first is of figures."""
    lines = [
        "| " + " | ".join(head) + " |",
        "|---|" + "---:|" * (len(head) - 1),
        *("| " + " | ".join(row) + " |" for row in rows),
    ]
    return "\n".join(lines) + "\n"


def cells(title: str, columns: dict[str, Cell], peers: Sequence[str], unit: float = 1.0) -> str:
    """Return the table of a row of cells: a line a peer, then ours over the fastest of them.

    `!` marks a peer that miscounted some piece; it is not taken for the fastest then.
    """
    rows = []
    for peer in peers:
        rates = [cell.rate(peer) for cell in columns.values()]
        if not any(rates):
            continue
        shown = [
            figure(rate and rate / unit, 0, "!" if cell.miscounts().get(peer) else "")
            for rate, cell in zip(rates, columns.values(), strict=True)
        ]
        known = [rate / unit for rate in rates if rate]
        mean = geometric_mean(known) if len(known) == len(rates) else None
        rows.append([peer, *shown, figure(mean)])
    best = [cell.fastest() for cell in columns.values()]
    ratios = [
        None if peer is None else cell.ratio(peer)
        for peer, cell in zip(best, columns.values(), strict=True)
    ]
    if any(ratios):
        mean = geometric_mean(ratio for ratio in ratios if ratio)
        rows.append(["ours / fastest", *(figure(ratio, 2) for ratio in ratios), figure(mean, 2)])
        rows.append(["fastest", *(peer or "-" for peer in best), ""])
    return table([title, *columns, "geometric mean"], rows)


def summary(cell: Cell) -> dict[str, object]:
    """Return what a record keeps of a cell."""
    best = cell.fastest()
    return {
        "rates": {name: round(rate, 3) for name, rate in cell.rates().items()},
        "fastest": best,
        "ratio": None if best is None else round(cell.ratio(best) or 0, 3),
        "miscounts": cell.miscounts(),
        "samples": len(cell.samples),
    }
