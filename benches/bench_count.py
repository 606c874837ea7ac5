"""Time counting beside the fast counters of the Python index.

`make bench-count` sets up an environment with the peers, makes the corpora and runs this. Parts can
be chosen; `--quick` takes a fraction of the samples; `--ours` runs packframe alone and needs no
peer. Figures are CPU seconds unless a table says otherwise, and each is a median.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import count_costs
import count_rates
import count_vocabulary
import pack_record
from count_peers import OF_ENCODINGS, OF_FILES, ORACLE, OURS, PEERS
from count_process import Processes

if TYPE_CHECKING:
    from collections.abc import Callable

CORPORA = Path(__file__).parent.parent / "target" / "corpora"


class Run:
    """What was asked for, and the record that grows with each part."""

    def __init__(self, asked: argparse.Namespace) -> None:
        self.asked = asked
        self.quick: bool = asked.quick
        self.processes = Processes(asked.corpora)
        self.encodings: list[str] = asked.encodings
        wanted = [OURS] if asked.ours else asked.peers
        self.peers = [name for name in OF_ENCODINGS if name in wanted]
        self.file_peers = [name for name in OF_FILES if name in wanted]
        versions = {name: PEERS[name].version for name in {*self.peers, *self.file_peers}}
        self.record = pack_record.start(dict(sorted(versions.items())), asked.note)
        self.record["command"] = shlex.join(sys.argv)
        self.record["quick"] = self.quick

    def times(self, full: int, quick: int) -> int:
        """Return how often to do something."""
        return quick if self.quick else full

    def rates(self) -> None:
        """Corpora by encodings: not seen before, and again."""
        found = count_rates.measure(
            self.processes,
            self.encodings,
            self.peers,
            times=self.times(5, 1),
            pieces=self.times(6, 4),
        )
        self.record["rates"] = found.record()

    def cold(self) -> None:
        """The first 64 kB of fresh processes."""
        times = self.times(7, 3)
        found = count_rates.measure_cold(self.processes, self.encodings, self.peers, times=times)
        self.record["cold"] = found.record()

    def hostile(self) -> None:
        """Hostile megabytes, and ours on texts from 10 kB to 10 MB."""
        self.record["hostile"] = count_costs.measure_hostile(
            self.processes,
            self.encodings,
            self.peers,
            patience=self.asked.patience,
            times=self.times(3, 1),
        )
        self.record["growth"] = count_costs.measure_growth(self.processes, self.encodings)

    def load(self) -> None:
        """Start of a process, and memory."""
        self.record["load"] = count_costs.measure_load(
            self.processes, self.encodings, self.peers, times=self.times(7, 3)
        )

    def overhead(self) -> None:
        """What a call costs."""
        self.record["overhead"] = count_costs.measure_overhead(
            self.processes, self.encodings, self.peers, rounds=self.times(15, 5)
        )

    def threads(self) -> None:
        """Two threads beside two processes."""
        self.record["threads"] = count_costs.measure_threads(
            self.processes,
            self.encodings,
            rounds=self.times(9, 3),
            size=self.times(16_000_000, 4_000_000),
        )

    def files(self) -> None:
        """Tokenizers of other makers, from their files."""
        folder = self.asked.corpora / "vocabularies"
        files = count_vocabulary.write_files(folder, self.asked.corpora / "packages")
        found, loads = count_rates.measure_files(
            self.processes, files, self.file_peers, times=self.times(3, 1), pieces=self.times(4, 2)
        )
        self.record["files"] = found.record()
        self.record["file_loads"] = loads


PARTS: dict[str, Callable[[Run], None]] = {
    "rates": Run.rates,
    "cold": Run.cold,
    "hostile": Run.hostile,
    "load": Run.load,
    "overhead": Run.overhead,
    "threads": Run.threads,
    "files": Run.files,
}


def wrong(record: dict[str, Any]) -> list[str]:
    """Return where ours counted otherwise than the oracle: a benchmark of wrong counts is none."""
    found = [
        f"{row['mode']}, {row['vocabulary']}, {row['corpus']}: {row['miscounts'][OURS]} pieces"
        for part in ("rates", "cold", "files")
        for row in record.get(part, ())
        if row["miscounts"].get(OURS)
    ]
    tokens = {
        (row["vocabulary"], row["text"], row["peer"]): row.get("tokens")
        for row in record.get("hostile", ())
    }
    for (vocabulary, text, peer), count in tokens.items():
        truth = tokens.get((vocabulary, text, ORACLE))
        if peer == OURS and truth is not None and count != truth:
            found.append(f"hostile, {vocabulary}, {text}: {count} for {truth}")
    return found


def comma_list(known: list[str]) -> Callable[[str], list[str]]:
    """Return what reads a list of known names, in the order given."""

    def read(text: str) -> list[str]:
        names = text.split(",")
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(known)}")
        return names

    return read


def arguments() -> argparse.Namespace:
    """Return the arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", type=comma_list([*PARTS]), default=[*PARTS], metavar="PARTS")
    parser.add_argument("--quick", action="store_true", help="fewer samples, some minutes")
    parser.add_argument("--ours", action="store_true", help="packframe alone")
    parser.add_argument("--peers", type=comma_list([*PEERS]), default=[*PEERS], metavar="NAMES")
    parser.add_argument(
        "--encodings",
        type=comma_list([*count_vocabulary.ENCODINGS]),
        default=[*count_vocabulary.ENCODINGS],
        metavar="NAMES",
    )
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="folder of the corpora")
    parser.add_argument("--patience", type=float, default=20.0, help="seconds for a hostile text")
    parser.add_argument("--no-record", action="store_true", help="leave benches/record/ alone")
    parser.add_argument("--note", default="counting beside peers", help="a remark for the record")
    return parser.parse_args()


def main() -> None:
    """Run the parts asked for, print their tables, record them."""
    asked = arguments()
    if not (asked.corpora / "manifest.json").exists():
        sys.exit(f"no corpora in {asked.corpora}: run python benches/corpora.py first")
    count_vocabulary.write_ranks(asked.corpora / "vocabularies")
    run = Run(asked)
    for name in asked.only:
        PARTS[name](run)
    pack_record.finish(run.record)
    if not asked.no_record:
        print("recorded in", pack_record.append(run.record, "count"))
    differences = wrong(run.record)
    if differences:
        sys.exit("ours miscounted:\n" + "\n".join(differences))


if __name__ == "__main__":
    main()
