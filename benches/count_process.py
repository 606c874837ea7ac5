"""Processes that each run one task of `count_worker`, one at a time."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

WORKER = Path(__file__).with_name("count_worker.py")
START = 120.0  # seconds that a peer may take to load


class Processes:
    """Starts workers on the corpora of a folder."""

    def __init__(self, corpora: Path) -> None:
        self.corpora = corpora

    def command(self, what: str, peers: list[str], vocabulary: str, options: Any) -> list[str]:
        """Return the command of a worker."""
        task = {
            "what": what,
            "peers": peers,
            "vocabulary": vocabulary,
            "corpora": str(self.corpora),
            "options": options,
        }
        return [sys.executable, str(WORKER), json.dumps(task)]

    def run(self, what: str, peers: list[str], vocabulary: str, **options: Any) -> list[Any]:
        """Run a task to its end; return what it found. A task that fails ends the benchmark."""
        command = self.command(what, peers, vocabulary, options)
        done = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
        if done.returncode:
            sys.exit(f"{what} of {', '.join(peers)} on {vocabulary} ended with {done.returncode}")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def hostile(
        self, peer: str, vocabulary: str, texts: list[tuple[str, int]], patience: float
    ) -> Iterator[dict[str, Any]]:
        """Yield what a peer does with each text and size: seconds and tokens, or how it failed.

        A process that takes longer than `patience` seconds with a text is ended, and another one
        goes on behind it; so is one that ends by itself.
        """
        left = list(texts)
        while left:
            command = self.command("hostile", [peer], vocabulary, {"texts": left})
            done = list(_watched(command, patience))
            if not done:
                sys.exit(f"hostile texts: {peer} does not load {vocabulary}")
            yield from done
            left = left[len(done) :]


def _watched(command: list[str], patience: float) -> Iterator[dict[str, Any]]:
    """Yield the findings of a worker until it ends or has to be ended."""
    lines: queue.Queue[str | None] = queue.Queue()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:

        def read() -> None:
            if process.stdout is not None:
                for line in process.stdout:
                    lines.put(line)
            lines.put(None)

        threading.Thread(target=read, daemon=True).start()
        begun: dict[str, Any] | None = None
        while True:
            try:
                line = lines.get(timeout=START if begun is None else patience)
            except queue.Empty:
                process.kill()
                if begun is None:
                    raise
                yield {**begun, "failed": f"> {patience:g} s"}
                return
            if line is None:
                if begun is not None:
                    yield {**begun, "failed": "ends the process"}
                return
            found = json.loads(line)
            if found.pop("begins", False):
                begun = found
                continue
            begun = None
            yield found
