"""A slow, obvious packer in plain Python, written from the specification alone.

Nothing here imports packframe: the oracle is given plain records, a counter and
options, and says what the manifest has to be.
"""

from __future__ import annotations

from .counter import Counter
from .failure import OracleFailure
from .frame import OracleFrame
from .options import Options, OracleBoundary, OraclePolicy
from .packer import OraclePack, pack

__all__ = [
    "Counter",
    "Options",
    "OracleBoundary",
    "OracleFailure",
    "OracleFrame",
    "OraclePack",
    "OraclePolicy",
    "pack",
]
