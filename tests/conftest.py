"""Settings of all Python tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

from support.examples import EXAMPLES, SEED

settings.register_profile(
    "packframe",
    deadline=None,
    derandomize=not EXAMPLES,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("packframe")


def pytest_report_header() -> str:
    """Say how the examples of this run are chosen, and from which seed."""
    if not EXAMPLES:
        return "hypothesis: derandomized; PACKFRAME_EXAMPLES=<number> tries more, at random"
    return f"hypothesis: PACKFRAME_EXAMPLES={EXAMPLES} PACKFRAME_SEED={SEED}"
