"""Records of runs: one line of JSON each, appended to a file of day and machine.

`python benches/pack_record.py [file]` prints the last run of a file, by default the newest, and
what it says of each target.
"""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
RECORD = HERE / "record"


class Target(NamedTuple):
    """What issue 2 asks of a row, for every n from 1,000 on."""

    row: str
    profiles: tuple[str, ...]
    times: float


EVERY = ("approximate", "o200k_base", "huggingface")
TARGETS = (
    Target("construction, items", EVERY, 15),
    Target("construction, records", EVERY, 15),
    Target("repeated pack, messages", EVERY, 40),
    Target("first pack, messages", ("approximate",), 40),
    Target("repeated pack, messages", ("huggingface",), 500),
)
IMPORT_MS = 15
BYTES_AN_ITEM = 350


def processor() -> str:
    """Return the name of the processor."""
    try:
        info = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    model = re.search(r"model name\s*:\s*(.+)", info)
    return model.group(1).strip() if model else platform.machine()


def start(versions: dict[str, str], note: str) -> dict[str, Any]:
    """Return a run with what it has to say of time, machine and versions."""
    revision = subprocess.run(
        ["git", "describe", "--always", "--dirty"],  # noqa: S607  (git is found on the PATH)
        cwd=HERE,
        check=False,
        capture_output=True,
        text=True,
    ).stdout.strip()
    return {
        "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "processor": processor(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "revision": revision,
        "versions": versions,
        "load_before": os.getloadavg(),
        "note": note,
    }


def finish(run: dict[str, Any]) -> None:
    """Add what is known at the end."""
    run["load_after"] = os.getloadavg()


def append(run: dict[str, Any], bench: str = "pack") -> Path:
    """Add a run to the file of its day and kind of machine; nothing there is changed."""
    kind = re.sub(r"[^a-z0-9]+", "-", run["processor"].lower()).strip("-")
    RECORD.mkdir(exist_ok=True)
    path = RECORD / f"{run['date'][:10]}-{kind}-{run['cores']}-cores.{bench}.jsonl"
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(run) + "\n")
    return path


def show_starts(run: dict[str, Any]) -> None:
    """Print what is not a row of a frame."""
    load = run["load_before"][0]
    print(f"{run['date']}, {run['processor']}, {run['cores']} cores, load {load:.1f}")
    print(f"Python {run['python']}, {run['versions']}, revision {run['revision']}\n")
    print("| start, over the interpreter | packframe ms | peer ms | ratio, CPU | ratio, wall |")
    print("|---|---:|---:|---:|---:|")
    for row in run["starts"]:
        print(f"| {row['row']} {_figures(row)}")
    print("\n| bytes an item beyond its text | n | packframe | peer |")
    print("|---|---:|---:|---:|")
    for row in run["memory"]:
        own, peer = row["packframe"], row["cognoxium"]
        print(f"| {row['what']} | {row['n']:,} | {own:,.0f} | {peer:,.0f} |")
    print("\n| n | profile | row | packframe ms | peer ms | ratio, CPU | ratio, wall |")
    print("|---:|---|---|---:|---:|---:|---:|", flush=True)


def show_rows(rows: list[dict[str, Any]]) -> None:
    """Print rows of the table that `show_starts` began."""
    for row in rows:
        print(f"| {row['n']:,} | {row['profile']} | {row['row']} {_figures(row)}", flush=True)


def _figures(row: dict[str, Any]) -> str:
    return (
        f"| {row['ours_cpu_ms']:,.3f} | {row['peer_cpu_ms']:,.3f} "
        f"| {row['ratio_cpu']:,.1f} | {row['ratio_wall']:,.1f} |"
    )


def verdicts(run: dict[str, Any]) -> list[tuple[str, str, str, bool]]:
    """Return row, target, figure and whether it is met, by the lower ratio of both clocks."""
    found = []
    for row in (row for row in run["rows"] if row["n"] >= 1_000):
        for target in TARGETS:
            if row["row"] != target.row or row["profile"] not in target.profiles:
                continue
            times = min(row["ratio_cpu"], row["ratio_wall"])
            what = f"{row['row']}, {row['profile']}, n = {row['n']:,}"
            found.append((what, f"{target.times:.0f}×", f"{times:,.1f}×", times >= target.times))
    cold = next(row for row in run["starts"] if row["row"] == "import")
    slower = max(cold["ours_cpu_ms"], cold["ours_wall_ms"])
    met = slower < IMPORT_MS
    found.append(("import over the interpreter", f"< {IMPORT_MS} ms", f"{slower:.1f} ms", met))
    for row in run["memory"]:
        held = row["packframe"]
        what = f"memory beyond the text, {row['what']}, n = {row['n']:,}"
        found.append((what, f"< {BYTES_AN_ITEM} bytes", f"{held:.0f} bytes", held < BYTES_AN_ITEM))
    return found


def show_targets(run: dict[str, Any]) -> None:
    """Print each target, what was measured, and whether it is met."""
    print("\n| target | asked | measured | met |")
    print("|---|---:|---:|---|")
    for what, asked, measured, met in verdicts(run):
        print(f"| {what} | {asked} | {measured} | {'yes' if met else 'NO'} |")


def main(names: list[str]) -> None:
    """Print the last run of a file."""
    path = Path(names[0]) if names else max(RECORD.glob("*.pack.jsonl"))
    run = json.loads(path.read_text(encoding="utf-8").splitlines()[-1])
    show_starts(run)
    show_rows(run["rows"])
    show_targets(run)


if __name__ == "__main__":
    main(sys.argv[1:])
