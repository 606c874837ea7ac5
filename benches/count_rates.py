"""How fast each peer counts: text not seen before, the same again, the first of a process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import count_text
from count_peers import FILE_ORACLE, ORACLE, OURS
from count_table import Cell, Sample, cells, figure, summary, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from count_process import Processes

PIECES = 6
PIECE = 512_000
WARM = 2_000_000
COLD = 64_000
MODES = {
    "unseen": "text that nobody has seen, after other text, MB a CPU second",
    "again": "the same text a second time, MB a CPU second",
    "cold": "the first 64 kB of a fresh process, after load and one word, MB a CPU second",
}


def places(folder: Path, corpora: Iterable[str], process: int, pieces: int) -> dict[str, Any]:
    """Return where the text of a process lies: other bytes for each process, where they suffice."""
    found = {}
    for corpus in corpora:
        whole = count_text.length(folder, corpus)
        span = WARM + pieces * PIECE
        start = process * span % max(1, whole - span - 10_000)
        found[corpus] = {
            "warm": start,
            "pieces": [start + WARM + number * PIECE for number in range(pieces)],
        }
    return found


def sample(found: dict[str, Any], process: int) -> Sample:
    """Return a sample of what a worker said."""
    rate = found["bytes"] / found["seconds"] / 1e6
    return Sample(found["peer"], process, found["piece"], rate, found["tokens"])


class Rates:
    """Samples by mode, vocabulary and corpus."""

    def __init__(self, oracle: str) -> None:
        self.oracle = oracle
        self.samples: dict[tuple[str, str, str], list[Sample]] = {}

    def add(self, mode: str, vocabulary: str, found: dict[str, Any], process: int) -> None:
        """Take what a worker said of one piece."""
        key = (mode, vocabulary, found["corpus"])
        self.samples.setdefault(key, []).append(sample(found, process))

    def row(self, mode: str, vocabulary: str) -> dict[str, Cell]:
        """Return the cells of a table by corpus."""
        return {
            corpus: Cell(samples, OURS, self.oracle)
            for (its_mode, its_vocabulary, corpus), samples in self.samples.items()
            if (its_mode, its_vocabulary) == (mode, vocabulary)
        }

    def record(self) -> list[dict[str, Any]]:
        """Return what a record keeps."""
        return [
            {
                "mode": mode,
                "vocabulary": vocabulary,
                "corpus": corpus,
                **summary(Cell(samples, OURS, self.oracle)),
            }
            for (mode, vocabulary, corpus), samples in self.samples.items()
        ]

    def messages(self, mode: str, vocabulary: str, per_text: float) -> str:
        """Return chat rates in thousands of messages a second, in one line."""
        cell = self.row(mode, vocabulary).get("chat")
        if cell is None:
            return ""
        shown = (f"{name} {rate * 1e3 / per_text:,.0f}" for name, rate in cell.rates().items())
        return "chat in thousands of messages a CPU second: " + ", ".join(shown) + "\n"


def measure(
    processes: Processes, encodings: Sequence[str], peers: Sequence[str], *, times: int, pieces: int
) -> Rates:
    """Time text that was not seen before, and the same text again; print the tables."""
    rates = Rates(ORACLE)
    texts = bytes_of = 0
    for encoding in encodings:
        for process in range(times):
            turn = process % len(peers)
            names = [*peers[turn:], *peers[:turn]]
            for corpus in count_text.CORPORA:  # a process each: chat is made from prose and code
                options = {
                    "places": places(processes.corpora, [corpus], process, pieces),
                    "bytes": PIECE,
                    "warm_bytes": WARM,
                }
                for found in processes.run("rates", names, encoding, **options):
                    if found["mode"] != "load":
                        rates.add(found["mode"], encoding, found, process)
                        if corpus == "chat":
                            texts, bytes_of = texts + found["texts"], bytes_of + found["bytes"]
        for mode in ("unseen", "again"):
            print(f"\n{encoding}, {MODES[mode]}\n")
            print(cells("peer", rates.row(mode, encoding), peers), flush=True)
            print(rates.messages(mode, encoding, bytes_of / texts), flush=True)
    return rates


def measure_cold(
    processes: Processes, encodings: Sequence[str], peers: Sequence[str], *, times: int
) -> Rates:
    """Time the first text of fresh processes, one peer and one corpus in each; print the tables."""
    rates = Rates(ORACLE)
    for encoding in encodings:
        for process in range(times):
            for corpus in count_text.CORPORA:
                whole = count_text.length(processes.corpora, corpus)
                start = (whole - 2 * COLD) * process // times
                turn = process % len(peers)
                for peer in [*peers[turn:], *peers[:turn]]:
                    options = {"corpus": corpus, "start": start, "bytes": COLD}
                    for found in processes.run("cold", [peer], encoding, **options):
                        rates.add("cold", encoding, found, process)
        print(f"\n{encoding}, {MODES['cold']}\n")
        print(cells("peer", rates.row("cold", encoding), peers), flush=True)
    return rates


def measure_files(
    processes: Processes, files: dict[str, str], peers: Sequence[str], *, times: int, pieces: int
) -> tuple[Rates, list[dict[str, Any]]]:
    """Time `tokenizer.json` files: load, then text not seen before; print the tables."""
    rates = Rates(FILE_ORACLE)
    loads: dict[tuple[str, str], list[float]] = {}
    failures: dict[tuple[str, str], str] = {}
    for file, kind in files.items():
        for process in range(times):
            options = {
                "places": places(processes.corpora, ("english", "code", "multi"), process, pieces),
                "bytes": PIECE // 4,
                "warm_bytes": WARM // 4,
            }
            turn = process % len(peers)
            names = [*peers[turn:], *peers[:turn]]
            for found in processes.run("rates", names, f"{file}.json", **options):
                if found["mode"] != "load":
                    rates.add(found["mode"], file, found, process)
                elif "failed" in found:
                    failures[file, found["peer"]] = found["failed"]
                else:
                    loads.setdefault((file, found["peer"]), []).append(found["ms"])
        print(f"\n{file} ({kind}), {MODES['unseen']}\n")
        print(cells("peer", rates.row("unseen", file), peers), flush=True)
    print("\nimport, load and first call of a tokenizer.json, CPU ms, the least of all runs\n")
    rows = []
    for file in files:
        shown = [
            figure(min(loads[file, peer])) if (file, peer) in loads else failures[file, peer]
            for peer in peers
        ]
        rows.append([file, *shown])
    print(table(["file", *peers], rows), flush=True)
    record = [
        {"file": file, "peer": peer, "load_ms": round(min(taken), 2)}
        for (file, peer), taken in loads.items()
    ]
    record += [
        {"file": file, "peer": peer, "failed": why} for (file, peer), why in failures.items()
    ]
    return rates, record
