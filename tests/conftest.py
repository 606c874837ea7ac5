"""Settings of all Python tests."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

EXAMPLES = int(os.environ.get("PACKFRAME_EXAMPLES", "0"))
"""How many examples a property tries; 0 for its own moderate number."""

settings.register_profile(
    "packframe",
    deadline=None,
    derandomize="PACKFRAME_SEED" not in os.environ and not EXAMPLES,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("packframe")


def pytest_report_header() -> str:
    """Say how the examples of this run are chosen."""
    chosen = settings.get_profile("packframe")
    way = "derandomized" if chosen.derandomize else "random, see --hypothesis-seed"
    return f"hypothesis: {way}; PACKFRAME_EXAMPLES={EXAMPLES or 'each its own'}"
