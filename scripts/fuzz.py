"""Run the property tests again and again, each round with the next seed, until the time is up.

A round that fails ends the run; the seed printed before it repeats the failure. Hypothesis also
keeps the failing example in .hypothesis, so the next `make test` tries it first.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import time


def run_round(seed: int, seconds: float) -> int | None:
    """Run all property tests once; None if the time was up before the round was over."""
    command = [sys.executable, "-m", "pytest", "-m", "hypothesis", "-x", "-q", "--timeout=0"]
    command.append(f"--hypothesis-seed={seed}")
    with subprocess.Popen(command) as child:
        try:
            return child.wait(timeout=max(seconds, 0.0))
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGINT)
            child.wait()
            return None


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
        code = run_round(seed, left)
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
