"""Which rows may go where the pack goes, and which nobody can render."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .group import Group
    from .options import Options
    from .row import Row


ADMISSION = (
    "expired",
    "quarantined",
    "restricted",
    "missing_provenance",
    "unsupported_content",
    "group_incomplete",
)
"""Reasons of rows that are not counted."""


@dataclass(frozen=True)
class Refusal:
    """Why a row is out."""

    reason: str
    rule: str | None = None

    @property
    def is_of_admission(self) -> bool:
        """Tell whether the row was out before anything was counted."""
        return self.reason in ADMISSION or self.reason.startswith("policy:")


def refusal(row: Row, options: Options) -> Refusal | None:
    """Return the first rule that a row breaks."""
    if row.expires_at is not None and options.now is not None and row.expires_at <= options.now:
        return Refusal("expired")
    if row.trust == "quarantined":
        return Refusal("quarantined")
    if options.boundary.kind == "external":
        if row.sensitivity == "restricted":
            return Refusal("restricted")
        if options.boundary.require_provenance and not row.sources:
            return Refusal("missing_provenance")
    for policy in options.policies:
        rule = policy.refuses(row)
        if rule is not None:
            return Refusal(f"policy:{policy.id}", rule)
    return None


@dataclass(frozen=True)
class Admission:
    """What stands after admission and the look at what can be rendered."""

    groups: tuple[Group, ...]
    """Those that go on."""
    refused: dict[int, Refusal]
    """By row: offenders with their reason, the rest of their group as incomplete."""
    violations: tuple[int, ...]
    """Offending rows of required groups."""
    unsupported: int | None
    """The first required row that cannot be rendered."""
    alternatives: dict[int, list[int]]
    """By row: which of its alternatives may stand in for it."""


def admit(rows: Sequence[Row], groups: Sequence[Group], options: Options) -> Admission:
    """Apply the rules in order, then look for content that cannot be rendered."""
    broken = {number: refusal(row, options) for number, row in enumerate(rows)}
    refused: dict[int, Refusal] = {}
    violations: list[int] = []
    going: list[Group] = []
    for group in groups:
        offenders = {row: hit for row in group.rows if (hit := broken[row]) is not None}
        if not offenders:
            going.append(group)
        elif group.required:
            violations += offenders
            refused |= offenders
        else:
            refused |= _out(group, offenders)
    left, unsupported = [], []
    for group in going if not violations else ():
        binary = [row for row in group.rows if rows[row].unsupported]
        if not binary:
            left.append(group)
        elif group.required:
            unsupported += binary
        else:
            refused |= _out(group, {row: Refusal("unsupported_content") for row in binary})
    return Admission(
        groups=tuple(left),
        refused=refused,
        violations=tuple(sorted(violations)),
        unsupported=min(unsupported, default=None),
        alternatives={
            number: [
                place
                for place, shown in enumerate(row.replacements)
                if refusal(shown, options) is None and not shown.unsupported
            ]
            for number, row in enumerate(rows)
        },
    )


def _out(group: Group, offenders: dict[int, Refusal]) -> dict[int, Refusal]:
    return {row: offenders.get(row, Refusal("group_incomplete")) for row in group.rows}
