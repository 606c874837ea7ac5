"""Run the property tests again and again, each round with the next seed, until the time is up.

A round is the properties of the core, in Rust, and then those of the package, in Python. A round
that fails ends the run; the seed printed before it repeats the failure. Hypothesis also keeps the
failing example in .hypothesis, so the next `make test` tries it first.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time


def commands(seed: int) -> list[tuple[list[str], dict[str, str]]]:
    """Return the commands of a round, and what each has in its environment."""
    core = ["cargo", "test", "--quiet", "--locked", "-p", "packframe-core", "--test", "engine"]
    package = [sys.executable, "-m", "pytest", "-m", "hypothesis", "-x", "-q", "--timeout=0"]
    cases = os.environ.get("PROPTEST_CASES", "20000")
    return [
        ([*core, "promises"], {"PROPTEST_CASES": cases, "PROPTEST_RNG_SEED": str(seed)}),
        ([*package, f"--hypothesis-seed={seed}"], {}),
    ]


def run_round(seed: int, end: float) -> int | None:
    """Run all property tests once; None if the time was up before the round was over."""
    for command, own in commands(seed):
        with subprocess.Popen(command, env={**os.environ, **own}) as child:
            try:
                code = child.wait(timeout=max(end - time.monotonic(), 0.0))
            except subprocess.TimeoutExpired:
                child.send_signal(signal.SIGINT)
                child.wait()
                return None
        if code != 0:
            return code
    return 0


def main() -> int:
    """Run rounds until the time is up; the exit code is that of the round that failed, or 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long to go on")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first round")
    arguments = parser.parse_args()
    end = time.monotonic() + arguments.seconds
    seed = arguments.seed
    while (left := end - time.monotonic()) > 0:
        print(f"== fuzz: seed {seed}, {left:.0f} s left", flush=True)
        code = run_round(seed, end)
        if code is None:
            break
        if code != 0:
            print(f"== fuzz: seed {seed} failed; repeat with: make fuzz SEED={seed}")
            return code
        seed += 1
    print(f"== fuzz: no failure, seeds {arguments.seed} to {seed}, the last one maybe cut short")
    return 0


if __name__ == "__main__":
    sys.exit(main())
