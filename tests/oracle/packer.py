"""One pack, stage by stage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .admission import Refusal, admit
from .cost import Pricing, cost
from .failure import OracleFailure
from .group import grouped
from .manifest import Ledger
from .reason import reason, shortfall
from .reserve import required_rows, shortage
from .selection import Selection
from .verification import verify

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .admission import Admission
    from .frame import OracleFrame
    from .group import Group
    from .options import Options


@dataclass(frozen=True)
class OraclePack:
    """What a pack has to be."""

    manifest: dict[str, Any]
    """All keys but ids, versions and what only the profile knows."""
    text: str | None
    """The rendering, None as messages."""
    messages: list[dict[str, Any]]


def pack(frame: OracleFrame, options: Options) -> OraclePack:
    """Return the right pack, or raise what the library has to raise."""
    _ = frame.ids
    groups: Sequence[Group] = grouped(frame.rows)
    admission = admit(frame.rows, groups, options)
    ledger = Ledger(frame, options, groups, refused=dict(admission.refused))
    _check_admission(ledger, admission)
    costs = {
        row: cost(frame.rows[row], options) for group in admission.groups for row in group.rows
    }
    pricing = Pricing(frame.rows, options, costs)
    frame, groups, going = _demote(frame, groups, admission.groups, pricing)
    pricing = Pricing(frame.rows, options, costs)
    ledger = Ledger(frame, options, groups, costs, dict(admission.refused))
    if not _holds(pricing, going):
        raise _too_much(ledger, pricing, going, counted=pricing.recounts)
    selection = Selection.begin(pricing, going)
    selection.fill()
    total = verify(selection)
    if total is None:
        raise _too_much(ledger, pricing, going, counted=True)
    for group in selection.waiting:
        if group not in selection.taken:
            why = Refusal(reason(selection, group))
            ledger.refused |= dict.fromkeys(group.rows, why)
            ledger.shortfalls |= dict.fromkeys(group.rows, shortfall(selection, group))
    rows = selection.rows
    return OraclePack(
        manifest=ledger.whole(pricing, rows, total),
        text=pricing.rendering(rows) if pricing.is_text else None,
        messages=[frame.rows[row].rendered_message for row in rows],
    )


def _check_admission(ledger: Ledger, admission: Admission) -> None:
    frame, options = ledger.frame, ledger.options
    if admission.violations:
        raise OracleFailure(
            "PolicyViolation",
            partial=ledger.common([]),
            boundary=options.boundary.name,
            violations=[
                {
                    "row": row,
                    "id": frame.ids[row],
                    "rule": admission.refused[row].rule,
                    "reason": admission.refused[row].reason,
                }
                for row in admission.violations
            ],
        )
    if admission.unsupported is not None:
        raise OracleFailure(
            "UnsupportedContent",
            row=admission.unsupported,
            id=frame.ids[admission.unsupported],
            kind=frame.rows[admission.unsupported].kind,
            renderer=options.rendering,
        )


def _demote(
    frame: OracleFrame, groups: Sequence[Group], going: Sequence[Group], pricing: Pricing
) -> tuple[OracleFrame, Sequence[Group], Sequence[Group]]:
    """Apply overflow strategies, one after the other, while required rows do not fit."""
    for where, to in pricing.options.overflow:
        if _holds(pricing, going):
            break
        required = {frame.rows[row].uid for row in required_rows(going)}

        def chosen(row: Any, where: Any = where, required: set[int] = required) -> bool:
            return row.uid in required and row.retention == "required" and bool(where(row))

        frame = frame.demote(chosen, to, by="overflow")
        groups = grouped(frame.rows)
        kept = {group.rows for group in going}
        going = [group for group in groups if group.rows in kept]
    return frame, groups, going


def _holds(pricing: Pricing, going: Sequence[Group]) -> bool:
    """Say whether required rows fit: as a sum of parts, or else as they are rendered."""
    rows = required_rows(going)
    if pricing.options.fits(pricing.sum(rows)):
        return True
    return pricing.recounts and pricing.options.fits(pricing.count(sorted(rows)))


def _too_much(
    ledger: Ledger, pricing: Pricing, going: Sequence[Group], *, counted: bool
) -> OracleFailure:
    found = shortage(pricing, going, ledger.frame.ids, counted=counted)
    return OracleFailure(
        "BudgetExceeded", partial=ledger.common(sorted(found.charged)), **found.attributes
    )
