"""Why groups that could have been kept are out of the final pack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .admission import Refusal
from .scan import stopped_by

if TYPE_CHECKING:
    from .group import Group
    from .selection import Core, Selection, Shown


def judge(selection: Selection, group: Group) -> tuple[Refusal, int | None]:
    """Return the reason with its rule, and by how much the group is over.

    What only a rule keeps out is over by nothing that could be counted.
    """
    core = selection.core(group)
    shed = any(member in selection.shed for member in core)
    obstacle = None if shed else selection.obstacle(core)
    if obstacle == "exclusive":
        return Refusal(obstacle, _rivalry(selection, core)), None
    if obstacle is not None:
        return Refusal(obstacle, selection.missing(core)), None
    if not shed:
        closer = stopped_by(selection, group)
        if closer is not None:
            return Refusal("stopped", closer), None
    return _of_size(selection, core, shed=shed)


def _rivalry(selection: Selection, core: Core) -> str:
    """Return the first key that a core shares with what is kept or would be taken with it."""
    held = [key for group in selection.kept for key in group.exclusive]
    new = [key for group in selection.new(core) for key in group.exclusive]
    own = sorted(key for group in core for key in group.exclusive)
    return next(key for key in own if key in held or new.count(key) > 1)


def _of_size(selection: Selection, core: Core, *, shed: bool) -> tuple[Refusal, int]:
    pricing = selection.pricing
    shown = _with_all(selection, core)
    total = pricing.sum(shown)
    opaque = pricing.recounts and pricing.options.counter.opaque
    rendered = total if opaque else pricing.count(shown)
    caps = pricing.over_caps(shown)
    if pricing.options.available is not None and (shed or not caps):
        over = pricing.options.over(rendered)
        if shed or pricing.options.fits(total):
            return Refusal("join_cost"), over
        return Refusal("budget"), over
    if not pricing.options.fits(rendered):
        return Refusal("budget"), pricing.options.over(rendered)
    own = selection.section_of(core[0])
    name = own if own in caps else caps[0]
    cap = pricing.cap(name)
    return Refusal("section_cap", name), selection.has(name, shown) - (cap or 0)


def _with_all(selection: Selection, core: Core) -> Shown:
    """Return what would be shown with a core, whole, and all that it requires."""
    rows = [row for group in selection.new(core) for row in group.rows]
    return selection.shown | selection.pricing.shown(rows)


def all_or_nothing_shortage(selection: Selection, name: str | None) -> dict[str, Any] | None:
    """Return what an error says of an all-or-nothing section that is not there, but has to be.

    It is allowed no more than its cap and what everything else leaves, what it requires included.
    """
    section = selection.pricing.options.section(name)
    if section is None or section.drop != "all_or_nothing" or section.required is False:
        return None
    groups = selection.free(name)
    if not groups or selection.is_kept(groups[0]):
        return None
    core = selection.core(groups[0])
    shed = any(group in selection.shed for group in core)
    if not shed and selection.obstacle(core) is not None:
        return None
    pricing = selection.pricing
    shown = _with_all(selection, core)
    needed = selection.has(name, shown)
    limits = [cap for cap in [pricing.cap(name)] if cap is not None]
    if pricing.options.available is not None:
        limits.append(max(0, pricing.options.available - (pricing.sum(shown) - needed)))
    return {"section": name, "needed": needed, "allocated": min(limits, default=None)}
