"""The record of every decision, as a plain dict."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .breakdown import breakdown, pack_accuracy
from .cost import unknown_record
from .group import described
from .word import is_near

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .admission import Refusal
    from .form import Form
    from .frame import OracleFrame
    from .group import Group
    from .options import Options
    from .pricing import Pricing, Shown

EMPTY_LISTS = ("edits", "insertions", "repairs", "hooks")


@dataclass
class Ledger:
    """What the stages decided so far about each row."""

    frame: OracleFrame
    options: Options
    groups: Sequence[Group]
    whole: dict[int, Form] = field(default_factory=dict)
    """By row that was costed: its own form."""
    refused: dict[int, Refusal] = field(default_factory=dict)
    shortfalls: dict[int, int | None] = field(default_factory=dict)
    why: dict[int, str] = field(default_factory=dict)
    """By row of a group that was taken."""

    def _record(self, number: int, form: Form | None) -> dict[str, Any]:
        row = self.frame.rows[number]
        cost = None if form is None else form.cost
        return {
            "row": number,
            "id": self.frame.ids[number],
            "section": row.section,
            "role": row.role,
            "retention": "required" if row.pinned else row.retention,
            "group": row.group,
            "content_sha256": row.sha256,
            **(unknown_record() if cost is None else cost.record()),
        }

    def selected(self, shown: Shown) -> list[dict[str, Any]]:
        """Return the records of the rows that are kept, by row; the order given is the layout."""
        required = {row for group in self.groups if group.required for row in group.rows}
        found = [
            {
                **self._record(row, form),
                "form": form.name,
                "position": position,
                "why": "pinned"
                if self.frame.rows[row].pinned
                else "required"
                if row in required
                else self.why.get(row, "score"),
            }
            for position, (row, form) in enumerate(shown.items())
        ]
        return sorted(found, key=lambda record: record["row"])

    def excluded(self, rows: Shown) -> list[dict[str, Any]]:
        """Return the records of the rows that are not kept, in row order."""
        found = []
        for row in range(len(self.frame.rows)):
            if row in rows:
                continue
            refusal = self.refused.get(row)
            found.append(
                {
                    **self._record(row, self.whole.get(row)),
                    "reason": "not_evaluated" if refusal is None else refusal.reason,
                    "rule": None if refusal is None else refusal.rule,
                    "shortfall": self.shortfalls.get(row),
                }
            )
        return found

    def changed(self, shown: Shown, name: str) -> list[dict[str, Any]]:
        """Return what rows lost that are shown in another form, by row."""
        return [
            {
                "row": row,
                "tokens_before": self.whole[row].cost.tokens,
                "tokens_after": form.cost.tokens,
            }
            for row, form in sorted(shown.items())
            if form.name == name
        ]

    def common(self, shown: Shown, sections: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
        """Return what whole and partial manifests share."""
        return {
            "schema_version": 1,
            **self.options.manifest(),
            "switches": [],
            "provider_count": None,
            "redactions": [],
            "selected": self.selected(shown),
            "excluded": self.excluded(shown),
            "merged": self.frame.merged(),
            "demotions": self.frame.demoted(),
            "groups": described(self.groups),
            "strategy": None,
            "truncations": self.changed(shown, "cut"),
            "substitutions": self.changed(shown, "alternative"),
            "sections": list(sections),
            **{key: [] for key in EMPTY_LISTS},
        }

    def warnings(self, pricing: Pricing, shown: Shown) -> list[dict[str, Any]]:
        """Return what deserves a look: the codes of each row, in the order of the rows."""
        special = set(pricing.with_special_tokens(shown))
        found = []
        for row, form in sorted(shown.items()):
            if row in special:
                found.append({"code": "special_token_in_text", "row": row})
            if not pricing.is_text and form.cost.unknown:
                found.append({"code": "unknown_block", "row": row})
        return (
            found
            + self._never_cut(shown)
            + self._nearly_declared()
            + self._without_rows()
            + self._unknown_requirements()
        )

    def _without_rows(self) -> list[dict[str, Any]]:
        """Return a warning for each declared section that no row names."""
        if self.options.layout == "section" or not self.frame.rows:
            return []
        named = {row.section for row in self.frame.rows}
        empty = [section for section in self.options.declared if section.name not in named]
        return [{"code": "section_without_rows", "row": None} for _ in empty]

    def _unknown_requirements(self) -> list[dict[str, Any]]:
        """Return the rows that require an id that no row has."""
        unknown = {name for group in self.groups for name, row in group.requires if row is None}
        return [
            {"code": "unknown_requirement", "row": number}
            for number, row in enumerate(self.frame.rows)
            if unknown & set(row.requires)
        ]

    def _never_cut(self, shown: Shown) -> list[dict[str, Any]]:
        """Return the rows that are out, may be cut, and are of a kind that is not."""
        found = []
        for number, row in enumerate(self.frame.rows):
            if number in shown or row.cut_to is None or row.kind in {"text", "json"}:
                continue
            refusal = self.refused.get(number)
            if refusal is None or not refusal.is_of_admission:
                found.append({"code": "never_cut", "row": number})
        return found

    def _nearly_declared(self) -> list[dict[str, Any]]:
        """Return the first row of each section name that is nearly a declared one."""
        declared = [section.name for section in self.options.declared]
        labels: dict[str, int] = {}
        for number, row in enumerate(self.frame.rows):
            if declared and row.section is not None and row.section not in declared:
                labels.setdefault(row.section, number)
        return [
            {"code": "section_not_declared", "row": number}
            for label, number in list(labels.items())[:64]
            if any(is_near(label, name) for name in declared)
        ]

    def of_sections(
        self, pricing: Pricing, shown: Shown, floors: dict[str, int]
    ) -> list[dict[str, Any]]:
        """Return what declared sections were promised and allowed, and what they got."""
        return [
            {
                "name": section.name,
                "floor": floors.get(section.name, 0),
                "cap": pricing.cap(section.name),
                "tokens": pricing.tokens_in(section.name, shown),
            }
            for section in self.options.declared
        ]

    def pack(
        self, pricing: Pricing, shown: Shown, total: int, floors: dict[str, int]
    ) -> dict[str, Any]:
        """Return the manifest of a pack."""
        available = self.options.available
        accuracy = pack_accuracy(pricing, shown)
        text = pricing.rendering(shown).encode() if pricing.is_text else None
        return {
            **self.common(shown, self.of_sections(pricing, shown, floors)),
            "total_tokens": total,
            "remaining_tokens": None if available is None else available - total,
            "accuracy": accuracy,
            "estimated": accuracy != "exact",
            "rendered_sha256": None if text is None else hashlib.sha256(text).hexdigest(),
            "rendered_bytes": None if text is None else len(text),
            "tokens_by": breakdown(pricing, shown, total),
            "warnings": self.warnings(pricing, shown),
        }
