"""What one row costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import chat
from .accuracy import weakest

if TYPE_CHECKING:
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
    calls = 0
    if messages and row.message is not None:
        parts = chat.counted(row.message)
        content = sum(counter.count(text) for text in parts.exact + parts.compact)
        if parts.compact or parts.calls:
            content_accuracy = "approximate"
        unknown = parts.unknown
        calls = parts.calls
    else:
        content = counter.count(row.text)
    named = "name" in (row.message or {})
    envelope = counter.envelope(row.role, named=named, calls=calls) if messages else 0
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
