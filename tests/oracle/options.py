"""What a call of ``pack`` asks for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from .section import Section

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from .counter import Counter
    from .row import Row


@dataclass(frozen=True)
class OracleBoundary:
    """Where the pack goes."""

    kind: str = "internal"
    target: str = "application"
    require_provenance: bool = False

    @property
    def name(self) -> str:
        """Kind and target in one word."""
        return f"{self.kind}:{self.target}"


@dataclass(frozen=True)
class OraclePolicy:
    """A rule of the user: returns the name of the broken rule, or None."""

    id: str
    refuses: Callable[[Row], str | None]


@dataclass(frozen=True)
class Options:
    """The arguments of one pack."""

    budget: int | None
    counter: Counter
    reserve: int = 0
    render: str | None = None
    separator: str = "\n\n"
    labels: bool = False
    boundary: OracleBoundary = OracleBoundary()
    policies: tuple[OraclePolicy, ...] = ()
    overflow: tuple[tuple[Callable[[Row], bool], str], ...] = ()
    """Conditions under which required rows are demoted, one strategy after the other."""
    margin: float = 0
    now: datetime | None = None
    sections: tuple[Any, ...] = ()
    """Declared sections, as records with the keys of ``Section``."""
    layout: str = "input"
    previous: dict[str, Any] | None = None
    """The manifest of an earlier pack, for the layout ``stable``."""
    joiner: str | None = None
    """What stands between sections in the layout ``section``; else the separator."""

    @property
    def declared(self) -> tuple[Section, ...]:
        """The sections in declared order."""
        return tuple(Section.of(fields) for fields in self.sections)

    def section(self, name: str | None) -> Section | None:
        """Return a declared section, None for the implicit one."""
        return next((section for section in self.declared if section.name == name), None)

    def separator_in(self, name: str | None) -> str:
        """Return what stands between the parts of a section.

        Only the layout ``section`` shows the separators that sections declare; the implicit
        section has that of the call.
        """
        section = self.section(name)
        return self.separator if section is None or not self.by_section else section.separator

    def header_of(self, name: str | None) -> str | None:
        """Return the header that is shown above a section, if any."""
        section = self.section(name)
        return None if section is None or not self.by_section else section.header or None

    @property
    def between(self) -> str:
        """What stands between two sections."""
        if not self.by_section or self.joiner is None:
            return self.separator
        return self.joiner

    @property
    def by_section(self) -> bool:
        """Whether the parts of a section stand together."""
        return self.layout == "section"

    @property
    def rendering(self) -> str:
        """The rendering that the pack is made for."""
        return self.render or self.counter.default_render

    @property
    def kept_margin(self) -> int:
        """The tokens that are kept off: none for an exact rendering or without a ceiling."""
        if self.budget is None:
            return 0
        if self.rendering == "text" and self.counter.accuracy == "exact":
            return 0
        if isinstance(self.margin, int):
            return self.margin
        return math.ceil(Decimal(repr(self.margin)) * (self.budget - self.reserve))

    @property
    def available(self) -> int | None:
        """What the rendering may cost."""
        if self.budget is None:
            return None
        return self.budget - self.reserve - self.kept_margin

    def fits(self, tokens: int) -> bool:
        """Tell whether a rendering of so many tokens is allowed."""
        return self.available is None or tokens <= self.available

    def over(self, tokens: int) -> int:
        """Return by how much a rendering of so many tokens is over."""
        if self.available is None:
            msg = "nothing is over where there is no ceiling"
            raise ValueError(msg)
        return tokens - self.available

    def manifest(self) -> dict[str, Any]:
        """Return the keys of the manifest that repeat the call."""
        return {
            "budget": self.budget,
            "reserve": self.reserve,
            "margin": self.kept_margin,
            "available": self.available,
            "render": self.rendering,
            "separator": self.separator,
            "labels": self.labels,
            "boundary": {
                "kind": self.boundary.kind,
                "target": self.boundary.target,
                "require_provenance": self.boundary.require_provenance,
            },
            "policies": [policy.id for policy in self.policies],
            "now": moment(self.now),
            "selection": "greedy",
            "layout": self.layout,
        }


def moment(now: datetime | None) -> str | None:
    """Write a time as the manifest does: UTC, microseconds only if there are any."""
    from datetime import timezone  # noqa: PLC0415 - the only use

    return None if now is None else now.astimezone(timezone.utc).isoformat()
