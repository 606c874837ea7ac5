"""What counting costs beside time a byte: loading, memory, calls, hostile texts, threads."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any

import count_hostile
from count_peers import ORACLE, OURS
from count_table import figure, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from count_process import Processes

MB = 1_000_000
SIZES = (10_000, 100_000, MB, 10 * MB)
WORDS = 25 * MB


def measure_hostile(
    processes: Processes,
    encodings: Sequence[str],
    peers: Sequence[str],
    *,
    patience: float,
    times: int,
) -> list[dict[str, Any]]:
    """Time one call on a megabyte of each hostile text, the median over `times` processes.

    Prints the table, with the best exact peer's time over ours at the end of each line.
    """
    record = []
    texts = [(name, MB) for name in count_hostile.TEXTS]
    for encoding in encodings:
        found: dict[str, dict[str, dict[str, Any]]] = {name: {} for name in count_hostile.TEXTS}
        for peer in peers:
            findings = (
                one
                for _ in range(times)
                for one in processes.hostile(peer, encoding, texts, patience)
            )
            for one in _medians(findings):
                found[one["text"]][peer] = one
                record.append({"vocabulary": encoding, **one})
        rows = [_hostile_row(name, by_peer, peers) for name, by_peer in found.items()]
        print(f"\n{encoding}, a hostile megabyte in one call, CPU ms\n")
        print(table(["text", *peers, "ours / fastest"], rows), flush=True)
    return record


def _medians(findings: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one finding a text: a failure if it ever failed, else the median of its seconds."""
    found: dict[str, list[dict[str, Any]]] = {}
    for one in findings:
        found.setdefault(one["text"], []).append(one)
    medians = []
    for runs in found.values():
        failed = next((one for one in runs if "failed" in one), None)
        seconds = [one["seconds"] for one in runs if "seconds" in one]
        medians.append(failed or {**runs[0], "seconds": statistics.median(seconds)})
    return medians


def _hostile_row(name: str, found: dict[str, dict[str, Any]], peers: Sequence[str]) -> list[str]:
    """Return the line of a text; `!` marks a count that is not the oracle's, or not ours."""
    truth = next(
        (found[peer]["tokens"] for peer in (ORACLE, OURS) if "tokens" in found.get(peer, {})), None
    )
    shown, others = [], []
    for peer in peers:
        one = found.get(peer, {"failed": "-"})
        if "failed" in one:
            shown.append(one["failed"])
            continue
        right = truth in (None, one["tokens"])
        shown.append(figure(one["seconds"] * 1e3, 2, "" if right else "!"))
        if peer != OURS and right:
            others.append(one["seconds"])
    own = found.get(OURS, {}).get("seconds")
    return [name, *shown, figure(min(others) / own if others and own else None, 2)]


def measure_growth(processes: Processes, encodings: Sequence[str]) -> list[dict[str, Any]]:
    """Time ours on hostile texts of growing size; print nanoseconds a byte, flat when linear."""
    record = []
    texts = [(name, size) for name in count_hostile.TEXTS for size in SIZES]
    for encoding in encodings:
        rows: dict[str, list[str]] = {name: [] for name in count_hostile.TEXTS}
        for one in processes.hostile(OURS, encoding, texts, 60.0):
            record.append({"vocabulary": encoding, **one})
            if "failed" in one:
                rows[one["text"]].append(one["failed"])
            else:
                rows[one["text"]].append(figure(one["seconds"] * 1e9 / one["bytes"], 2))
        print(f"\n{encoding}, ours on a hostile text, CPU ns a byte by size\n")
        head = ["text", *(f"{size // 1000:,} kB" for size in SIZES)]
        print(table(head, ([name, *shown] for name, shown in rows.items())), flush=True)
    return record


def measure_load(
    processes: Processes, encodings: Sequence[str], peers: Sequence[str], *, times: int
) -> list[dict[str, Any]]:
    """Time import, load and first count in fresh processes, and weigh them; print a table."""
    record = []
    for encoding in encodings:
        rows = []
        for peer in peers:
            runs = [
                one
                for _ in range(times)
                for one in processes.run("load", [peer], encoding, words_bytes=0)
            ]
            (grown,) = processes.run("load", [peer], encoding, words_bytes=WORDS)
            loaded = statistics.median(run["load_ms"] for run in runs)
            first = statistics.median(run["first_ms"] for run in runs)
            held = statistics.median(run["held_mb"] for run in runs)
            rows.append(
                [
                    peer,
                    figure(loaded, 1),
                    figure(first, 2),
                    figure(loaded + first, 1),
                    figure(held, 1),
                    figure(grown["grown_mb"], 1),
                ]
            )
            record.append(
                {
                    "vocabulary": encoding,
                    "peer": peer,
                    "load_ms": round(loaded, 2),
                    "first_ms": round(first, 3),
                    "held_mb": round(held, 1),
                    "grown_mb": round(grown["grown_mb"], 1),
                }
            )
        print(f"\n{encoding}, start of a process and memory\n")
        head = [
            "peer",
            "import and load, CPU ms",
            "first call, CPU ms",
            "both",
            "resident after, MB",
            "more after 25 MB of new words, MB",
        ]
        print(table(head, rows), flush=True)
    return record


def measure_overhead(
    processes: Processes, encodings: Sequence[str], peers: Sequence[str], *, rounds: int
) -> list[dict[str, Any]]:
    """Time calls with next to nothing to count; print nanoseconds, least of all rounds."""
    record = []
    for encoding in encodings:
        found: dict[tuple[str, str], list[float]] = {}
        for one in processes.run("overhead", list(peers), encoding, rounds=rounds, times=100_000):
            found.setdefault((one["peer"], one["text"]), []).append(one["ns"])
        rows = []
        for peer in (*peers, "len"):
            least = [min(found[peer, text]) for text in ("", "hello")]
            rows.append([peer, *(figure(ns) for ns in least)])
            record.append({"vocabulary": encoding, "peer": peer, "empty_ns": least[0]})
            record[-1]["hello_ns"] = least[1]
        print(f"\n{encoding}, one call, CPU ns; `len` is a function that does nothing\n")
        print(table(["peer", 'count("")', 'count("hello")'], rows), flush=True)
    return record


def measure_threads(
    processes: Processes, encodings: Sequence[str], *, rounds: int, size: int
) -> list[dict[str, Any]]:
    """Time ours on two threads beside two processes, by the wall clock; print MB a second."""
    record = []
    for encoding in encodings:
        for each in (4_000, 64_000):
            found: dict[str, list[float]] = {}
            options = {"rounds": rounds, "size": size, "each": each}
            for one in processes.run("threads", [OURS], encoding, **options):
                if "failed" in one:
                    print(f"{one['way']}: left out, {one['failed']}")
                    continue
                found.setdefault(one["way"], []).append(one["bytes"] / one["seconds"] / 1e6)
            best = {way: statistics.median(rates[1:]) for way, rates in found.items()}
            rows = []
            for way, rate in best.items():
                ratios = [
                    own / other
                    for own, other in zip(found[way], found["two processes"], strict=True)
                ]
                rows.append([way, figure(rate), figure(statistics.median(ratios[1:]), 2)])
            print(f"\n{encoding}, ours on documents of {each:,} bytes, MB a second on the wall\n")
            print(table(["way", "MB/s", "of two processes"], rows), flush=True)
            record.append({"vocabulary": encoding, "document_bytes": each, "rates": best})
    return record
