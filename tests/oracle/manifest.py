"""The record of every decision, as a plain dict."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .breakdown import breakdown, pack_accuracy
from .cost import unknown_record
from .group import described

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .admission import Refusal
    from .cost import Cost, Pricing
    from .frame import OracleFrame
    from .group import Group
    from .options import Options

EMPTY_LISTS = ("truncations", "substitutions", "insertions", "repairs", "hooks", "sections")


@dataclass
class Ledger:
    """What the stages decided so far about each row."""

    frame: OracleFrame
    options: Options
    groups: Sequence[Group]
    costs: dict[int, Cost] = field(default_factory=dict)
    refused: dict[int, Refusal] = field(default_factory=dict)
    shortfalls: dict[int, int] = field(default_factory=dict)

    def _record(self, number: int) -> dict[str, Any]:
        row = self.frame.rows[number]
        cost = self.costs.get(number)
        return {
            "row": number,
            "id": self.frame.ids[number],
            "section": row.section,
            "role": row.role,
            "retention": row.retention,
            "group": row.group,
            "content_sha256": row.sha256,
            **(unknown_record() if cost is None else cost.record()),
        }

    def selected(self, rows: Sequence[int]) -> list[dict[str, Any]]:
        """Return the records of the rows that are kept, in layout order."""
        required = {row for group in self.groups if group.required for row in group.rows}
        return [
            {
                **self._record(row),
                "form": "whole",
                "position": position,
                "why": "pinned"
                if self.frame.rows[row].pinned
                else "required"
                if row in required
                else "score",
            }
            for position, row in enumerate(rows)
        ]

    def excluded(self, rows: Sequence[int]) -> list[dict[str, Any]]:
        """Return the records of the rows that are not kept, in row order."""
        found = []
        for row in range(len(self.frame.rows)):
            if row in rows:
                continue
            refusal = self.refused.get(row)
            found.append(
                {
                    **self._record(row),
                    "reason": "not_evaluated" if refusal is None else refusal.reason,
                    "rule": None if refusal is None else refusal.rule,
                    "shortfall": self.shortfalls.get(row),
                }
            )
        return found

    def common(self, rows: Sequence[int]) -> dict[str, Any]:
        """Return what whole and partial manifests share."""
        return {
            "schema_version": 1,
            **self.options.manifest(),
            "switches": [],
            "selected": self.selected(rows),
            "excluded": self.excluded(rows),
            "merged": self.frame.merged(),
            "demotions": self.frame.demoted(),
            "groups": described(self.groups),
            "strategy": None,
            **{key: [] for key in EMPTY_LISTS},
        }

    def warnings(self, pricing: Pricing, rows: Sequence[int]) -> list[dict[str, Any]]:
        """Return what deserves a look: the codes of each row, in the order of the rows."""
        special = set(pricing.with_special_tokens(rows))
        found = []
        for row in rows:
            if row in special:
                found.append({"code": "special_token_in_text", "row": row})
            if not pricing.is_text and self.costs[row].unknown:
                found.append({"code": "unknown_block", "row": row})
        return found

    def whole(self, pricing: Pricing, rows: Sequence[int], total: int) -> dict[str, Any]:
        """Return the manifest of a pack."""
        available = self.options.available
        accuracy = pack_accuracy(pricing, rows)
        text = pricing.rendering(rows).encode() if pricing.is_text else None
        return {
            **self.common(rows),
            "total_tokens": total,
            "remaining_tokens": None if available is None else available - total,
            "accuracy": accuracy,
            "estimated": accuracy != "exact",
            "rendered_sha256": None if text is None else hashlib.sha256(text).hexdigest(),
            "rendered_bytes": None if text is None else len(text),
            "tokens_by": breakdown(pricing, rows, total),
            "warnings": self.warnings(pricing, rows),
        }
