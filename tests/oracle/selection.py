"""What is kept: required groups first, then greedily, then what the recount allows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .cost import Pricing
    from .group import Group


@dataclass
class Selection:
    """The state of a selection."""

    pricing: Pricing
    required: list[Group]
    waiting: list[Group]
    """Groups that may be kept, in the order in which they are looked at."""
    taken: list[Group] = field(default_factory=list)
    """Those of them that are kept, in the order of selection."""
    shed: list[Group] = field(default_factory=list)

    @classmethod
    def begin(cls, pricing: Pricing, groups: Sequence[Group]) -> Selection:
        """Put the groups into the order of the passes: preferred, then optional."""
        free = [group for group in groups if not group.required]
        free.sort(
            key=lambda group: (
                group.retention != "preferred",
                -group.score,
                -group.priority,
                pricing.of(group),
                group.place,
            )
        )
        return cls(pricing, [group for group in groups if group.required], free)

    @property
    def rows(self) -> list[int]:
        """The rows that are kept, in layout order."""
        return sorted(row for group in self.required + self.taken for row in group.rows)

    @property
    def required_rows(self) -> list[int]:
        """The rows that are kept in any case."""
        return sorted(row for group in self.required for row in group.rows)

    def rows_with(self, group: Group) -> list[int]:
        """Return the rows that would be kept together with a group."""
        return sorted([*self.rows, *group.rows])

    @property
    def offered(self) -> list[Group]:
        """Groups that are out and were never shed, in the order of the passes."""
        return [group for group in self.waiting if group not in self.taken + self.shed]

    def fill(self) -> None:
        """Take every group that fits as a sum of parts."""
        for group in self.waiting:
            if self.pricing.options.fits(self.pricing.sum(self.rows_with(group))):
                self.taken.append(group)

    def drop_last(self) -> Group | None:
        """Shed the last optional group, or else the last preferred one."""
        for retention in ("optional", "preferred"):
            for group in reversed(self.taken):
                if group.retention == retention:
                    self.taken.remove(group)
                    self.shed.append(group)
                    return group
        return None
