"""Time counting alone: texts of 1 MB, among them the worst that a tokenizer can meet.

The peer counts the same text with the same encoding. Where a twentieth of the text already takes
it a twentieth of `PATIENCE`, it is not asked for the whole. Where it panics, the table says so.
"""

from __future__ import annotations

import gc
import statistics
import sys
import time
from typing import TYPE_CHECKING, Any

import pack_record
from pack_items import Corpus, tokenizer_json
from pack_subjects import PROFILES, Cognoxium, Packframe

if TYPE_CHECKING:
    from collections.abc import Callable

SIZE = 1_000_000
ROUNDS = 5
PATIENCE = 20.0


def texts(corpus: Corpus) -> dict[str, str]:
    """Return the texts by name, each of `SIZE` bytes or a little less."""

    def of(text: str) -> str:
        return (text * (SIZE // len(text.encode()) + 1)).encode()[:SIZE].decode(errors="ignore")

    return {
        "English": of(corpus.prose),
        "fourteen languages": of("\n".join(corpus.languages)),
        "source code": of(corpus.code),
        "items of 200 bytes, joined": of("\n\n".join(row.text for row in corpus.rows(5_000, 1))),
        "one letter": "a" * SIZE,
        "spaces": " " * SIZE,
        "line feeds": "\n" * SIZE,
        "one emoji": of("\U0001f44d"),
    }


def seconds(call: Callable[[str], Any], text: str, rounds: int) -> float:
    """Return the median CPU seconds of a call."""
    found = []
    for _ in range(rounds):
        gc.collect()
        start = time.process_time()
        call(text)
        found.append(time.process_time() - start)
    return statistics.median(found)


def peer_seconds(call: Callable[[str], Any], text: str) -> float | str:
    """Return the CPU seconds of the peer, or why there are none."""
    part = text[: len(text) // 20]
    try:
        if seconds(call, part, 1) > PATIENCE / 20:
            return "too slow"
        return seconds(call, text, 1)
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # no Exception, and of no module to import
            raise
        return "panics"


def main() -> None:
    """Print a table, and record it."""
    ours, peer = Packframe(), Cognoxium()
    corpus = Corpus()
    json_text = tokenizer_json(corpus)
    run = pack_record.start({ours.name: ours.version, peer.name: peer.version}, "counting")
    run["counts"] = []
    print("| profile | text of 1 MB | packframe, ms | MB/s | peer, ms | ratio |")
    print("|---|---|---:|---:|---:|---:|")
    for profile in PROFILES:
        counter = ours.profile(profile, json_text).count
        batch = peer.profile(profile, json_text).count_batch

        def peer_count(text: str, batch: Callable[[list[str]], Any] = batch) -> Any:
            return batch([text])

        for name, text in texts(corpus).items():
            own = seconds(counter, text, ROUNDS)
            other = peer_seconds(peer_count, text)
            run["counts"].append({"profile": profile, "text": name, "ours_s": own, "peer": other})
            rate = len(text.encode()) / 1e6 / own
            if isinstance(other, str):
                shown = f"{other} | -"
            else:
                shown = f"{other * 1e3:,.2f} | {other / own:,.1f}"
            print(f"| {profile} | {name} | {own * 1e3:,.2f} | {rate:,.0f} | {shown} |", flush=True)
    pack_record.finish(run)
    if "--no-record" not in sys.argv:
        print("recorded in", pack_record.append(run, "count"))


if __name__ == "__main__":
    main()
