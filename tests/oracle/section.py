"""Declared sections, and the implicit one of everything else."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from math import floor
from typing import Any

IMPLICIT = None
"""The name of the section of all rows whose section nobody declared."""

ORDER_RULES = ("oldest", "newest", "cut_then_stop")
"""Drop rules under which a miss ends a run."""

CUTTING = ("truncate", "cut_then_stop")
"""Drop rules that may cut; the implicit section is of the first kind."""


@dataclass(frozen=True)
class Section:
    """A declared section."""

    name: str
    priority: float = 0
    min_tokens: int = 0
    max_tokens: int | None = None
    max_share: float | None = None
    drop: str = "truncate"
    required: bool | None = None
    separator: str = "\n"
    header: str | None = None

    @classmethod
    def of(cls, fields: dict[str, Any] | Section) -> Section:
        """Read a section as the keyword arguments of ``Section``."""
        return fields if isinstance(fields, Section) else cls(**fields)

    def cap(self, available: int | None) -> int | None:
        """Return the tighter of both caps; a share of no ceiling is none."""
        caps = [] if self.max_tokens is None else [self.max_tokens]
        if self.max_share is not None and available is not None:
            caps.append(floor(Decimal(repr(self.max_share)) * available))
        return min(caps, default=None)


def in_order(sections: tuple[Section, ...]) -> list[str | None]:
    """Return the names in the order of selection: by priority, then as declared.

    The implicit section stands before the declared ones of priority 0.
    """
    above = [section for section in sections if section.priority > 0]
    below = [section for section in sections if section.priority <= 0]

    def sorted_names(some: list[Section]) -> list[str | None]:
        return [section.name for section in sorted(some, key=lambda section: -section.priority)]

    return [*sorted_names(above), IMPLICIT, *sorted_names(below)]
