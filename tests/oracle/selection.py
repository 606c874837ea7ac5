"""What is kept so far, and what a group would bring along."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from . import form as forms
from .row import RETENTIONS
from .section import CUTTING, IMPLICIT, in_order

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .admission import Admission
    from .form import Form
    from .group import Group
    from .pricing import Pricing

Core = tuple["Group", ...]
"""What is taken for its own sake: one group, or all of an all-or-nothing section."""

Shown = dict[int, "Form"]


@dataclass
class Selection:
    """The state of a selection."""

    pricing: Pricing
    groups: Sequence[Group]
    """Those that were admitted, by place."""
    allowed: dict[int, list[int]]
    """By row: the alternatives that were admitted."""
    taken: list[Group] = field(default_factory=list)
    """Groups that are kept and not required, in the order of selection."""
    chosen: dict[int, Form] = field(default_factory=dict)
    """By row: what a cut or replaced item shows."""
    why: dict[int, str] = field(default_factory=dict)
    """By place of a group that is taken."""
    shed: list[Group] = field(default_factory=list)
    floors: dict[str, int] = field(default_factory=dict)
    """What each section with a floor is promised."""
    looked: dict[int, object] = field(default_factory=dict)
    """By place: what was required and in the way when a group was looked at last."""
    scanned: dict[str, int] = field(default_factory=dict)
    """By ``cut_then_stop`` section: the pass in which it was scanned first."""
    closed: list[str] = field(default_factory=list)
    """``cut_then_stop`` sections that a cut closed for good."""

    @classmethod
    def begin(cls, pricing: Pricing, groups: Sequence[Group], admission: Admission) -> Selection:
        """Start with the required groups."""
        return cls(pricing, groups, admission.alternatives)

    # What there is.

    @property
    def sections(self) -> list[str | None]:
        """All sections in the order of selection."""
        return in_order(self.pricing.options.declared)

    def section_of(self, group: Group) -> str | None:
        """Return the declared section of a group."""
        return self.pricing.section_of(group.place)

    def rule(self, name: str | None) -> str:
        """Return the drop rule of a section; the implicit one cuts and goes on."""
        section = self.pricing.options.section(name)
        return "truncate" if section is None else section.drop

    def free(self, name: str | None) -> list[Group]:
        """Return the groups of a section that are not required, in the order of its rule."""
        found = [
            group for group in self.groups if not group.required and self.section_of(group) == name
        ]
        if self.rule(name) == "oldest":
            return sorted(found, key=lambda group: -group.place)
        if self.rule(name) == "newest":
            return sorted(found, key=lambda group: group.place)
        return sorted(
            found,
            key=lambda group: (
                -group.score,
                -group.priority,
                self.pricing.of(group),
                group.place,
            ),
        )

    def strongest(self, groups: Sequence[Group]) -> str:
        """Return the strongest retention of some groups."""
        return max((group.retention for group in groups), key=RETENTIONS.index)

    def core(self, group: Group) -> Core:
        """Return what has to be taken with a group as one: its all-or-nothing section."""
        name = self.section_of(group)
        if group.required or self.rule(name) != "all_or_nothing":
            return (group,)
        return tuple(sorted(self.free(name), key=lambda member: member.place))

    def retention(self, group: Group) -> str:
        """Return the retention of a group, or of the section that is one with it."""
        return self.strongest(self.core(group))

    # What is kept.

    @property
    def required(self) -> list[Group]:
        """The groups that are kept in any case."""
        return [group for group in self.groups if group.required]

    @property
    def kept(self) -> list[Group]:
        """All groups that are kept."""
        return self.required + self.taken

    def is_kept(self, group: Group) -> bool:
        """Tell whether a group is kept."""
        return group.required or group in self.taken

    @property
    def bare(self) -> Shown:
        """What is shown of the required groups."""
        return self.pricing.shown([row for group in self.required for row in group.rows])

    @property
    def shown(self) -> Shown:
        """What is shown of all groups that are kept."""
        rows = [row for group in self.kept for row in group.rows]
        return self.pricing.shown(rows) | self.chosen

    def has(self, name: str | None, shown: Shown | None = None) -> int:
        """Return the tokens of a section."""
        return self.pricing.tokens_in(name, self.shown if shown is None else shown)

    def is_under_floor(self, name: str | None) -> bool:
        """Tell whether a section has less than it was promised."""
        return name is not None and self.has(name) < self.floors.get(name, 0)

    def held(self, shown: Shown) -> int:
        """Return the room that floors hold beside what is shown."""
        lacking = {
            name: floor - self.has(name, shown)
            for name, floor in self.floors.items()
            if floor > self.has(name, shown)
        }
        there = self.pricing.sections_of(shown)
        coming = [name for name in lacking if name not in there]
        joiners = self.pricing.joiners(len(there) + len(coming)) - self.pricing.joiners(len(there))
        return sum(lacking.values()) + joiners

    # What a group needs.

    def _reached(self, core: Core) -> list[Group]:
        """Return all groups that a core requires, over any number of steps, itself left out."""
        by_place = {group.place: group for group in self.groups}
        found: list[Group] = []
        todo = list(core)
        while todo:
            group = todo.pop()
            for place in group.needs:
                if place not in by_place:
                    continue
                for member in self.core(by_place[place]):
                    if member not in found and member not in core:
                        found.append(member)
                        todo.append(member)
        return sorted(found, key=lambda group: group.place)

    def new(self, core: Core) -> list[Group]:
        """Return what would be taken with a core: what it requires, then the core itself."""
        groups = [*self._reached(core), *core]
        return [group for group in groups if not self.is_kept(group)]

    def missing(self, core: Core) -> str | None:
        """Return the first id that a core requires and that can not be there, for itself."""
        admitted = {row for group in self.groups for row in group.rows}
        for group in [*core, *self._reached(core)]:
            for name, row in group.requires:
                if row is None or row not in admitted:
                    return name
        return None

    def obstacle(self, core: Core) -> str | None:
        """Return ``exclusive`` or ``requirement_missing`` if that keeps a core out."""
        held = [key for group in self.kept for key in group.exclusive]
        new = self.new(core)
        keys = [key for group in new for key in group.exclusive]
        own = [key for group in core if group in new for key in group.exclusive]
        if any(key in held or keys.count(key) > 1 for key in own):
            return "exclusive"
        beside = [group for group in new if group not in core]
        lost = any(group in self.shed for group in beside)
        if lost or any(key in held or keys.count(key) > 1 for key in keys):
            return "requirement_missing"
        return "requirement_missing" if self.missing(core) is not None else None

    def situation(self, core: Core) -> object:
        """Return what a second look at a core depends on: its requirements and rivals."""
        return (tuple(group.place for group in self.new(core)), self.obstacle(core))

    # What a group can show.

    def offers(self, core: Core, *, cut: bool) -> Iterator[tuple[str, Shown]]:
        """Yield what would be shown with a core, the best form first.

        What it requires is whole; the core is whole too, or, an item on its own that is not
        part of an all-or-nothing section, replaced, or, if it takes nothing along, cut.
        """
        new = self.new(core)
        beside = self.shown | self.pricing.shown([row for group in new for row in group.rows])
        yield "whole", beside
        name = self.section_of(core[0])
        if self.rule(name) == "all_or_nothing" or len(core[0].rows) > 1:
            return
        row = core[0].place
        for form in self._other_forms(row, cut=cut and len(new) == 1):
            yield form.name, beside | {row: form}

    def _other_forms(self, row: int, *, cut: bool) -> Iterator[Form]:
        item, options = self.pricing.frame.rows[row], self.pricing.options
        for form in forms.alternatives(item, options):
            if form.rank[1] in self.allowed[row]:
                yield form
        if cut and self.cuts(self.pricing.section_of(row)):
            yield from forms.cuts(item, options)

    def cuts(self, name: str | None) -> bool:
        """Tell whether items of a section may be cut."""
        return name is IMPLICIT or self.rule(name) in CUTTING

    def better(self, row: int) -> list[Form]:
        """Return the forms of a row that are better than what it shows, the best first."""
        found = [self.pricing.whole[row], *self._other_forms(row, cut=True)]
        return [form for form in found if form.rank < self.chosen[row].rank]

    def standing(self, core: Core, *, cut: bool) -> Shown | None:
        """Return what is shown if a core stands beside the required groups alone."""
        alone = Selection(self.pricing, self.groups, self.allowed)
        if alone.obstacle(core) is not None:
            return None
        for _, shown in alone.offers(core, cut=cut):
            if self.pricing.options.fits(self.pricing.sum(shown)) and not self.pricing.over_caps(
                shown
            ):
                return shown
        return None

    # What changes.

    def take(self, core: Core, shown: Shown, *, for_floor: bool) -> None:
        """Keep a core with what it requires."""
        new = self.new(core)
        why = {
            group.place: "floor"
            if for_floor and self.is_under_floor(self.section_of(group))
            else "score"
            for group in new
        }
        self.why |= why
        self.taken += new
        for group in new:
            for row in group.rows:
                if shown[row].name != "whole":
                    self.chosen[row] = shown[row]

    def reform(self, row: int, form: Form) -> None:
        """Show a cut or replaced item in another form."""
        del self.chosen[row]
        if form.name != "whole":
            self.chosen[row] = form

    def drop_last(self) -> list[Group]:
        """Shed a group, with what requires it and what is one with it; return what was shed."""
        for why in ("score", "floor"):
            for retention in ("optional", "preferred"):
                for group in reversed(self.taken):
                    if self.why[group.place] == why and self.retention(group) == retention:
                        return self._shed(group)
        return []

    def _shed(self, group: Group) -> list[Group]:
        going = set(self.core(group))
        while True:
            more = {
                member
                for other in self.taken
                if other not in going and going & set(self._reached((other,)))
                for member in self.core(other)
            }
            if not more - going:
                break
            going |= more
        gone = [member for member in self.taken if member in going]
        for member in gone:
            self.taken.remove(member)
            self.shed.append(member)
            for row in member.rows:
                self.chosen.pop(row, None)
        return gone
