"""The collected cases, and the notation that they are written in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

LINES = (Path(__file__).parents[1] / "data" / "cases.jsonl").read_text().splitlines()
CASES: dict[str, dict[str, Any]] = {case["id"]: case for case in map(json.loads, LINES)}


def unfold(value: Any) -> Any:
    """Write out what the notation of the cases abbreviates."""
    if isinstance(value, list):
        return [unfold(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "$repeat" in value:
        text, number = value["$repeat"]
        return text * number
    if "$concat" in value:
        return "".join(unfold(value["$concat"]))
    return {key: unfold(item) for key, item in value.items()}
