"""Small immutable results.

Written by hand and not with dataclasses, whose import costs more than all of packframe's.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


class _Record:
    """Named values that do not change, compare by value, and pickle."""

    __slots__: dict[str, str] = {}

    def __init__(self, **values: Any) -> None:
        for name in self.__slots__:
            object.__setattr__(self, name, values[name])

    def __setattr__(self, name: str, value: object) -> NoReturn:
        message = f"{type(self).__name__} is immutable: {name} cannot be set"
        raise AttributeError(message)

    __delattr__ = __setattr__  # type: ignore[assignment]

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__)
        return f"{type(self).__name__}({values})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (type(self), dict(zip(self.__slots__, self._values(), strict=True))))


def _rebuild(kind: type[_Record], values: dict[str, Any]) -> _Record:
    return kind(**values)


class Decision(_Record):
    """What became of an item that lost content: `Pack.dropped` returns these."""

    __slots__ = {  # noqa: RUF023  (the order of the repr)
        "section": "The section of the item, or None.",
        "index": "Its place among the rows of its section, from 0.",
        "row": "Its row in the frame.",
        "id": "Its id.",
        "action": "What happened: `excluded`, `cut`, `replaced` by an alternative, or `redacted`.",
        "reason": "The stable code of the reason; else of what stands against the whole item.",
        "message": "The reason as a sentence.",
        "tokens_before": "Tokens of the whole item; None where it was refused uncounted.",
        "tokens_after": "Tokens of what is left of it.",
        "tokens_accuracy": "What both are worth; None where it was refused uncounted.",
    }
    section: str | None
    index: int
    row: int
    id: str
    action: str
    reason: str
    message: str
    tokens_before: int | None
    tokens_after: int
    tokens_accuracy: str | None


class SectionAccount(_Record):
    """What a section got: `Pack.section` returns it."""

    __slots__ = {  # noqa: RUF023  (the order of the repr)
        "name": "Its name.",
        "declared": "Whether it had rules, or is only a name that items have.",
        "tokens": "Tokens of what is in; of a declared one with header and separators.",
        "tokens_accuracy": "What they are worth; None where nothing is in and none was declared.",
        "cap": "Tokens that it may have at most, or None.",
        "floor": "Tokens up to which room was held for it.",
        "header_tokens": "Tokens of its header, with what stands behind it.",
        "drop": "Its drop rule; None where it was not declared.",
        "selected": "Ids of its items that are in, cut and replaced ones too, as rendered.",
        "dropped": "A `Decision` for each of its items that lost content, by row.",
    }
    name: str
    declared: bool
    tokens: int
    tokens_accuracy: str | None
    cap: int | None
    floor: int
    header_tokens: int
    drop: str | None
    selected: tuple[str, ...]
    dropped: tuple[Decision, ...]


class Why(_Record):
    """The fate of one item, explained: `PackManifest.why` returns it."""

    __slots__ = {  # noqa: RUF023  (the order of the repr)
        "id": "Its id.",
        "row": "Its row in the frame; of a merged one, in the frame before.",
        "fate": "`selected`, `excluded` or `merged`.",
        "form": "If it is in: `whole`, `cut` or `alternative`; else None.",
        "reason": "The stable code; if it is in: `required`, `pinned`, `floor`, `score`.",
        "rule": "What a policy said, or the section whose cap is in the way, or None.",
        "shortfall": "By how many tokens the rendering with its group would be over, or None.",
        "message": "A sentence.",
        "remedy": "What can be done about it; empty where it is in.",
    }
    id: str
    row: int
    fate: str
    form: str | None
    reason: str
    rule: str | None
    shortfall: int | None
    message: str
    remedy: str

    def __str__(self) -> str:
        """Return message and remedy."""
        return f"{self.message}; {self.remedy}" if self.remedy else self.message


class MessagePart(_Record):
    """A part of what a list of messages costs: `MessageCount.parts` has these."""

    __slots__ = {  # noqa: RUF023  (the order of the repr)
        "part": "`base`, `message`, `joins`, `tools`, `system` or `response_format`.",
        "position": "The place of a message in the list, from 0; None for another part.",
        "tokens": "Its tokens; negative for joins that save some.",
        "content_tokens": "Those of a message's content; None for another part.",
        "envelope_tokens": "Those of a message over its content; None for another part.",
        "accuracy": "What the tokens are worth.",
        "source": "Where what is charged over the texts comes from; None where nothing is.",
        "date": "When the source is from; None for one without a date.",
    }
    part: str
    position: int | None
    tokens: int
    content_tokens: int | None
    envelope_tokens: int | None
    accuracy: str
    source: str | None
    date: str | None


class MessageCount(_Record):
    """What a list of messages costs: `TokenProfile.count_messages` returns it."""

    __slots__ = {  # noqa: RUF023  (the order of the repr)
        "total": "Tokens in all: the sum of the parts.",
        "parts": "A `MessagePart` for the base, for each message, and for what else costs.",
        "accuracy": "What the total is worth, as the manifest of a pack would say.",
    }
    total: int
    parts: tuple[MessagePart, ...]
    accuracy: str


class Chunk(_Record):
    """A stretch of a text that was split: `TokenProfile.split` returns these.

    >>> import packframe as pf
    >>> profile = pf.profiles.openai("o200k_base")
    >>> profile.split("One day. Two days.", 4)[1]
    Chunk(text='Two days.', tokens=3, start=9, end=18)
    """

    __slots__ = {  # noqa: RUF023  (the order of the repr)
        "text": "The stretch.",
        "tokens": "The tokens of the stretch alone.",
        "start": "Where it starts in the text, in characters.",
        "end": "Where it ends in the text, in characters.",
    }
    text: str
    tokens: int
    start: int
    end: int
