"""Plans, held against what is true of every one of them."""

from __future__ import annotations

from typing import Any

import packframe

pf: Any = packframe

PARTS = ("system", "tools", "context", "data", "history", "final", "framing", "joins")


def held(plan: Any) -> Any:
    """Return a plan whose manifest comes back from its JSON and whose parts are its total."""
    stored = plan.manifest.to_json()
    again = pf.PackManifest.from_json(stored)
    assert again == plan.manifest
    assert again.to_json() == stored
    receipt = plan.receipt
    if receipt is not None:
        assert sum(getattr(receipt, part) for part in PARTS) == receipt.input_tokens
        assert receipt.accuracy == plan.manifest.to_dict()["accuracy"]
    return plan
