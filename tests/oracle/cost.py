"""What rows cost, alone and beside each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import chat
from .accuracy import weakest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .group import Group
    from .options import Options
    from .row import Row

FIELDS = ("tokens", "content_tokens", "envelope_tokens", "label_tokens")


def label(row: Row) -> str:
    """Return the label of a row in a text rendering."""
    return f"{row.role}: "


@dataclass(frozen=True)
class Cost:
    """The cost of one row and how sure each part is."""

    content: int
    content_accuracy: str
    envelope: int
    envelope_accuracy: str
    label: int
    label_accuracy: str
    unknown: bool
    """Whether an unknown field of a message was counted as compact JSON."""

    @property
    def tokens(self) -> int:
        """Content, envelope and label."""
        return self.content + self.envelope + self.label

    @property
    def accuracy(self) -> str:
        """The weakest of the parts."""
        return weakest([self.content_accuracy, self.envelope_accuracy, self.label_accuracy])

    def record(self) -> dict[str, Any]:
        """Return the fields of a manifest record."""
        return {
            "tokens": self.tokens,
            "tokens_accuracy": self.accuracy,
            "content_tokens": self.content,
            "content_tokens_accuracy": self.content_accuracy,
            "envelope_tokens": self.envelope,
            "envelope_tokens_accuracy": self.envelope_accuracy,
            "label_tokens": self.label,
            "label_tokens_accuracy": self.label_accuracy,
        }


def counted_texts(row: Row) -> list[str]:
    """Return the texts of a row that are counted in a message."""
    if row.message is None:
        return [row.text]
    parts = chat.counted(row.message)
    return parts.exact + parts.compact


def unknown_record() -> dict[str, Any]:
    """Return the fields of a record of a row that was never costed."""
    return {key: None for field in FIELDS for key in (field, f"{field}_accuracy")}


def cost(row: Row, options: Options) -> Cost:
    """Return what a row costs in the rendering that the pack is made for."""
    counter = options.counter
    messages = options.rendering == "messages"
    content_accuracy = counter.accuracy
    unknown = False
    if messages and row.message is not None:
        parts = chat.counted(row.message)
        content = sum(counter.count(text) for text in parts.exact + parts.compact)
        if parts.compact:
            content_accuracy = "approximate"
        unknown = parts.unknown
    else:
        content = counter.count(row.text)
    envelope = counter.envelope(row.role, named="name" in (row.message or {})) if messages else 0
    labelled = options.labels and not messages
    label_tokens = counter.count(label(row)) if labelled else 0
    if counter.at_least_one and content + envelope + label_tokens == 0:
        content = 1
    return Cost(
        content=content,
        content_accuracy=content_accuracy,
        envelope=envelope,
        envelope_accuracy="approximate" if messages else "exact",
        label=label_tokens,
        label_accuracy=counter.accuracy if labelled else "exact",
        unknown=unknown,
    )


@dataclass(frozen=True)
class Pricing:
    """The prices of one pack: what a sum of parts says, and what a count says."""

    rows: Sequence[Row]
    options: Options
    costs: dict[int, Cost]

    @property
    def separator(self) -> int:
        """What stands between two parts costs so much."""
        return self.options.counter.count(self.options.separator) if self.is_text else 0

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
        return sum(self.costs[row].tokens for row in group.rows)

    def added(self, group: Group) -> int:
        """Return what a group adds beside other parts, a separator for each row."""
        return self.of(group) + len(group.rows) * self.separator

    def sum(self, rows: Sequence[int]) -> int:
        """Return the sum of parts of some rows."""
        parts = sum(self.costs[row].tokens for row in rows)
        return self.base + parts + max(len(rows) - 1, 0) * self.separator

    def rendering(self, rows: Sequence[int]) -> str:
        """Return the text rendering of some rows."""
        shown = [self.rows[row] for row in sorted(rows)]
        labels = self.options.labels
        return self.options.separator.join(
            (label(row) if labels else "") + row.text for row in shown
        )

    def with_special_tokens(self, rows: Sequence[int]) -> list[int]:
        """Return the rows in which a special token starts; a separator is of the row before it."""
        counter = self.options.counter
        if not self.is_text:
            return [
                row
                for row in rows
                if any(map(counter.special_starts, counted_texts(self.rows[row])))
            ]
        owners: list[int] = []
        for place, row in enumerate(rows):
            part = (label(self.rows[row]) if self.options.labels else "") + self.rows[row].text
            last = place == len(rows) - 1
            owners += [row] * len(part if last else part + self.options.separator)
        return [owners[start] for start in counter.special_starts(self.rendering(rows))]

    def count(self, rows: Sequence[int]) -> int:
        """Return what the rendering of some rows costs, as the counter sees it."""
        counter = self.options.counter
        if self.is_text:
            return counter.count(self.rendering(rows)) if rows else 0
        if counter.of_messages is not None and rows:
            return counter.of_messages([self.rows[row].rendered_message for row in sorted(rows)])
        return self.sum(rows)

    @property
    def recounts(self) -> bool:
        """Whether a count can differ from the sum of parts."""
        return self.is_text or self.options.counter.of_messages is not None
