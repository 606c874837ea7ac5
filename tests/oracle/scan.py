"""One look at the groups of a retention, section by section, each by its drop rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .section import IMPLICIT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .group import Group
    from .room import Room
    from .selection import Core, Selection

MISS = "miss"
"""A group did not fit in any form that was allowed, or was shed before."""
NO_MISS = "no miss"
"""A rival is there or a requirement is not: no run ends, no cut is used."""


@dataclass
class Scan:
    """A pass over the groups of one retention."""

    selection: Selection
    room: Room
    retention: str
    number: int
    """Passes count from 1; those after the release of the floors from 4."""
    cutting: bool = True
    to_floors: bool = False
    """Whether only sections under their floor are looked at, and no longer than they are."""
    only_changed: bool = False
    """Whether only groups whose requirements or rivals changed are looked at again."""

    def run(self) -> bool:
        """Look at every section; tell whether anything was taken."""
        before = len(self.selection.taken)
        for name in self.selection.sections:
            if self.to_floors and not self.selection.is_under_floor(name):
                continue
            groups = self.selection.free(name)
            rule = self.selection.rule(name)
            if rule == "all_or_nothing":
                self._whole_section(groups)
            elif rule == "cut_then_stop":
                self._link_of_chain(name, groups)
            elif rule in {"oldest", "newest"}:
                self._run_by_age(name, groups)
            else:
                self._by_score(name, groups)
        return len(self.selection.taken) > before

    def _whole_section(self, groups: Sequence[Group]) -> None:
        if not groups or self.selection.strongest(groups) != self.retention:
            return
        core = self.selection.core(groups[0])
        if not self.selection.is_kept(core[0]) and self._is_due(core):
            self._offer(core, cut=False)

    def _link_of_chain(self, name: str | None, groups: Sequence[Group]) -> None:
        """Look at all groups, once, in the pass of the strongest.

        A section under its floor is not left when the floor is reached: the scan is of all groups.
        """
        if not groups or self.selection.strongest(groups) != self.retention:
            return
        if name is None or stopper(self.selection, name) is not None:
            return
        self.selection.scanned.setdefault(name, self.number)
        for group in self._waiting(groups):
            if self.selection.is_kept(group):
                continue
            if not self._is_due((group,)):
                if self.selection.obstacle((group,)) is None:
                    return
                continue
            outcome = self._offer((group,), cut=self.cutting)
            if outcome == "cut":
                self.selection.closed.append(name)
            if outcome in {"cut", MISS}:
                return

    def _run_by_age(self, name: str | None, groups: Sequence[Group]) -> None:
        """Look at groups until one misses that could have stood beside the required ones."""
        for group in self._waiting(groups):
            if group.retention != self.retention:
                continue
            if self._is_enough(name):
                return
            core = (group,)
            missed = (
                self._offer(core, cut=False) == MISS
                if self._is_due(core)
                else not self.selection.is_kept(group) and self.selection.obstacle(core) is None
            )
            if missed and not is_giant(self.selection, group):
                return

    def _by_score(self, name: str | None, groups: Sequence[Group]) -> None:
        cut = self.cutting and self.selection.cuts(name)
        for group in self._waiting(groups):
            if group.retention != self.retention:
                continue
            if self._is_enough(name):
                return
            if self._is_due((group,)) and self._offer((group,), cut=cut) == "cut":
                cut = False

    def _waiting(self, groups: Sequence[Group]) -> list[Group]:
        """Return groups that are not kept; taking one may take others of them along."""
        return [group for group in groups if not self.selection.is_kept(group)]

    def _is_enough(self, name: str | None) -> bool:
        return self.to_floors and not self.selection.is_under_floor(name)

    def _is_due(self, core: Core) -> bool:
        """Tell whether a group is to be looked at now."""
        if self.selection.is_kept(core[0]):
            return False
        known = self.selection.looked.get(core[0].place)
        return not self.only_changed or known != self.selection.situation(core)

    def _offer(self, core: Core, *, cut: bool) -> str:
        """Take a core in the best form that has room; tell in which, or why not."""
        selection = self.selection
        selection.looked[core[0].place] = selection.situation(core)
        if selection.obstacle(core) is not None:
            return NO_MISS
        if any(group in selection.shed for group in core):
            return MISS
        for name, shown in selection.offers(core, cut=cut):
            if self.room.allows(shown):
                before = selection.shown
                selection.take(core, shown, for_floor=self.number in {1, 2})
                self.room.took(before, shown)
                return name
        return MISS


def is_giant(selection: Selection, group: Group) -> bool:
    """Tell whether no form of a group fits its section beside the required groups alone."""
    if group in selection.shed or selection.obstacle((group,)) is not None:
        return False
    return selection.standing((group,), cut=False) is None


def candidates(selection: Selection, name: str | None) -> list[Group]:
    """Return the groups of a section that could be taken if there was room, in its order."""
    return [
        group
        for group in selection.free(name)
        if not selection.is_kept(group)
        and (group in selection.shed or selection.obstacle((group,)) is None)
    ]


def stopper(selection: Selection, name: str) -> str | None:
    """Return the section of the chain that closed a ``cut_then_stop`` section, if one did.

    A cut closes for good. A miss closes as long as it is one: a section that was scanned and
    still has a candidate has stopped there. Either closes the sections below that were not
    scanned in an earlier pass.
    """
    if name in selection.closed:
        return name
    for other in selection.sections:
        if other == name:
            return None
        if other is IMPLICIT or other not in selection.scanned:
            continue
        if other in selection.closed or candidates(selection, other):
            own = selection.scanned.get(name)
            if own is None or own >= selection.scanned[other]:
                return other
    return None


def stopped_by(selection: Selection, group: Group) -> str | None:
    """Return the section whose ended run keeps a group out, None if it is a miss of its own."""
    name = selection.section_of(group)
    rule = selection.rule(name)
    if name is None or rule not in {"oldest", "newest", "cut_then_stop"}:
        return None
    waiting = candidates(selection, name)
    if rule == "cut_then_stop":
        closer = stopper(selection, name)
        if closer is not None:
            return closer
    else:
        alike = [other for other in waiting if other.retention == group.retention]
        place = alike.index(group)
        before = [other for other in alike[:place] if not is_giant(selection, other)]
        return name if before else None
    return name if waiting[0] != group else None
