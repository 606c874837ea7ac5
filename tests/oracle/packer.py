"""One pack, stage by stage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .admission import admit
from .failure import OracleFailure
from .floor import promised
from .group import grouped
from .manifest import Ledger
from .passes import select
from .pricing import Pricing
from .reason import all_or_nothing_shortage, judge
from .reserve import required_rows, section_shortage, shortage
from .selection import Selection
from .verification import verify

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .admission import Admission
    from .form import Form
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
    shown: dict[int, Form]
    """By row, in the order of the layout: what is shown of it."""


def pack(frame: OracleFrame, options: Options) -> OraclePack:
    """Return the right pack, or raise what the library has to raise."""
    _ = frame.ids
    groups: Sequence[Group] = grouped(frame)
    admission = admit(frame.rows, groups, options)
    ledger = Ledger(frame, options, groups, refused=dict(admission.refused))
    _check_admission(ledger, admission)
    pricing = Pricing.begin(frame, options, admission.groups)
    frame, groups, going = _demote(frame, groups, admission.groups, pricing)
    pricing = Pricing(frame, options, groups, pricing.whole)
    ledger = Ledger(frame, options, groups, pricing.whole, dict(admission.refused))
    _check_required(ledger, pricing, going)
    selection = Selection.begin(pricing, going, admission)
    selection.floors = promised(selection)
    _check_floors(ledger, selection)
    select(selection)
    total = verify(selection)
    if total is None:
        raise _too_much(ledger, pricing, going, counted=True)
    _check_whole_sections(ledger, selection)
    for group in going:
        if not selection.is_kept(group):
            why, shortfall = judge(selection, group)
            ledger.refused |= dict.fromkeys(group.rows, why)
            ledger.shortfalls |= dict.fromkeys(group.rows, shortfall)
    for group in selection.taken:
        ledger.why |= dict.fromkeys(group.rows, selection.why[group.place])
    shown = {row: selection.shown[row] for row in pricing.order(selection.shown)}
    return OraclePack(
        manifest=ledger.pack(pricing, shown, total, selection.floors),
        text=pricing.rendering(shown) if pricing.is_text else None,
        messages=[form.row.rendered_message for form in shown.values()],
        shown=shown,
    )


def _check_admission(ledger: Ledger, admission: Admission) -> None:
    frame, options = ledger.frame, ledger.options
    if admission.violations:
        raise OracleFailure(
            "PolicyViolation",
            partial=ledger.common({}),
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
        groups = grouped(frame)
        kept = {group.rows for group in going}
        going = [group for group in groups if group.rows in kept]
    return frame, groups, going


def _holds(pricing: Pricing, going: Sequence[Group]) -> bool:
    """Say whether required rows fit their sections and the ceiling."""
    shown = pricing.shown(required_rows(going))
    return not pricing.over_caps(shown) and _fits(pricing, going)


def _fits(pricing: Pricing, going: Sequence[Group]) -> bool:
    """Say whether required rows fit: as a sum of parts, or else as they are rendered."""
    shown = pricing.shown(required_rows(going))
    if pricing.options.fits(pricing.sum(shown)):
        return True
    return pricing.recounts and pricing.options.fits(pricing.count(shown))


def _check_required(ledger: Ledger, pricing: Pricing, going: Sequence[Group]) -> None:
    """Check the caps, in declared order, then the ceiling."""
    for name in pricing.over_caps(pricing.shown(required_rows(going))):
        found = section_shortage(pricing, going, name)
        partial = ledger.common(pricing.shown(sorted(found.charged)))
        raise OracleFailure("SectionOverflow", partial=partial, **found.attributes)
    if not _fits(pricing, going):
        raise _too_much(ledger, pricing, going, counted=pricing.recounts)


def _too_much(
    ledger: Ledger, pricing: Pricing, going: Sequence[Group], *, counted: bool
) -> OracleFailure:
    found = shortage(pricing, going, ledger.frame.ids, counted=counted)
    return OracleFailure(
        "BudgetExceeded",
        partial=ledger.common(pricing.shown(sorted(found.charged))),
        **found.attributes,
    )


def _check_floors(ledger: Ledger, selection: Selection) -> None:
    """Check that what floors hold is there beside what is required."""
    pricing, bare = selection.pricing, selection.bare
    held = selection.held(bare)
    needed = pricing.sum(bare) + held
    if held > 0 and not pricing.options.fits(needed):
        raise OracleFailure(
            "FloorsExceedBudget",
            partial=ledger.common(pricing.shown(sorted(bare))),
            required=needed,
            available=pricing.options.available,
        )


def _check_whole_sections(ledger: Ledger, selection: Selection) -> None:
    """Check that each all-or-nothing section that has to be there is, in the final pack."""
    for name in selection.sections:
        found = all_or_nothing_shortage(selection, name)
        if found is not None:
            shown = selection.pricing.shown(sorted(selection.bare))
            raise OracleFailure("SectionOverflow", partial=ledger.common(shown), **found)
