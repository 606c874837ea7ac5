"""What rows cost beside each other: as a sum of parts, and as they are rendered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .cost import counted_texts, label
from .form import Form, whole
from .layout import laid_out, section_of
from .section import IMPLICIT

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from .frame import OracleFrame
    from .group import Group
    from .options import Options

    Shown = Mapping[int, Form]
    """Rows that are kept, and what each shows."""


@dataclass(frozen=True)
class Pricing:
    """The prices of one pack."""

    frame: OracleFrame
    options: Options
    groups: Sequence[Group]
    whole: dict[int, Form]
    """By row: the form that shows it as it is."""

    @classmethod
    def begin(cls, frame: OracleFrame, options: Options, groups: Sequence[Group]) -> Pricing:
        """Price the rows of the groups that were admitted."""
        forms = {row: whole(frame.rows[row], options) for group in groups for row in group.rows}
        return cls(frame, options, groups, forms)

    def shown(self, rows: Collection[int]) -> dict[int, Form]:
        """Return rows as they are."""
        return {row: self.whole[row] for row in rows}

    @property
    def is_text(self) -> bool:
        """Whether parts are joined to one string."""
        return self.options.rendering == "text"

    @property
    def base(self) -> int:
        """What a call costs once."""
        return 0 if self.is_text else self.options.counter.base

    def of(self, group: Group) -> int:
        """Return what the rows of a group cost without separators."""
        return sum(self.whole[row].cost.tokens for row in group.rows)

    def order(self, rows: Collection[int]) -> list[int]:
        """Return rows in the order of the layout."""
        return laid_out(self.frame, self.groups, self.options, rows)

    def section_of(self, row: int) -> str | None:
        """Return the declared section of a row."""
        return section_of(self.frame, self.options, row)

    def sections_of(self, rows: Collection[int]) -> list[str | None]:
        """Return the sections that are not empty."""
        names = [IMPLICIT, *(section.name for section in self.options.declared)]
        return [name for name in names if any(self.section_of(row) == name for row in rows)]

    def tokens_in(self, name: str | None, shown: Shown) -> int:
        """Return the sum of parts of a section, header and inner separators included."""
        parts = [form.cost.tokens for row, form in shown.items() if self.section_of(row) == name]
        if not parts:
            return 0
        if not self.is_text:
            return sum(parts)
        count = self.options.counter.count
        header = self.options.header_of(name)
        if header is not None:
            parts.append(count(header))
        return sum(parts) + (len(parts) - 1) * count(self.options.separator_in(name))

    def sum(self, shown: Shown) -> int:
        """Return the sum of parts of some rows, as they are shown."""
        names = self.sections_of(shown)
        sections = sum(self.tokens_in(name, shown) for name in names)
        return self.base + sections + self.joiners(len(names))

    def joiners(self, sections: int) -> int:
        """Return what stands between so many sections."""
        if not self.is_text:
            return 0
        return max(sections - 1, 0) * self.options.counter.count(self.options.between)

    def pieces(self, shown: Shown) -> list[tuple[int, str]]:
        """Return the pieces of the text rendering, each with the row that answers for it.

        A header belongs to the first row of its section, a separator to the row before it.
        """
        options = self.options
        order = self.order(shown)
        found: list[tuple[int, str]] = []
        for place, row in enumerate(order):
            name = self.section_of(row)
            header = options.header_of(name)
            starts = place == 0 or self.section_of(order[place - 1]) != name
            if place > 0:
                joiner = options.between if starts else options.separator_in(name)
                found.append((order[place - 1], joiner))
            if header is not None and starts:
                found.append((row, header + options.separator_in(name)))
            mark = label(self.frame.rows[row]) if options.labels else ""
            found.append((row, mark + shown[row].row.text))
        return found

    def rendering(self, shown: Shown) -> str:
        """Return the text rendering of some rows."""
        return "".join(text for _, text in self.pieces(shown))

    def with_special_tokens(self, shown: Shown) -> list[int]:
        """Return the rows in which a special token starts."""
        counter = self.options.counter
        if not self.is_text:
            return [
                row
                for row, form in shown.items()
                if any(map(counter.special_starts, counted_texts(form.row)))
            ]
        owners = [row for row, text in self.pieces(shown) for _ in text]
        return [owners[start] for start in counter.special_starts(self.rendering(shown))]

    def count(self, shown: Shown) -> int:
        """Return what the rendering of some rows costs, as the counter sees it."""
        counter = self.options.counter
        if self.is_text:
            return counter.count(self.rendering(shown)) if shown else 0
        if counter.of_messages is not None and shown:
            messages = [shown[row].row.rendered_message for row in self.order(shown)]
            return counter.of_messages(messages)
        return self.sum(shown)

    @property
    def recounts(self) -> bool:
        """Whether a count can differ from the sum of parts."""
        return self.is_text or self.options.counter.of_messages is not None

    def cap(self, name: str | None) -> int | None:
        """Return what a section may cost at most."""
        section = self.options.section(name)
        return None if section is None else section.cap(self.options.available)

    def over_caps(self, shown: Shown) -> list[str | None]:
        """Return the sections that cost more than they may, in declared order."""
        return [
            name
            for name in self.sections_of(shown)
            if (cap := self.cap(name)) is not None and self.tokens_in(name, shown) > cap
        ]
