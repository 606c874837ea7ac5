"""Lists of messages: checked, repaired, written in another format."""

from __future__ import annotations

from packframe import _core
from packframe._record import _Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any


class MessageProblem(_Record):
    """A problem of a list of messages: `validate_messages` returns these."""

    __slots__ = {  # noqa: RUF023  (the order of the repr)
        "position": "The message, from 0.",
        "path": "The place in the message, such as `tool_calls[0]`; empty for the whole of it.",
        "rule": "The stable word of the rule.",
        "severity": "`refused` by the provider, or `pending` where it waits for a result.",
    }
    position: int
    path: str
    rule: str
    severity: str


class RepairedMessages(_Record):
    """A list of messages that a provider takes: `repair_messages` returns it."""

    __slots__ = {  # noqa: RUF023  (the order of the repr)
        "messages": "The messages as fresh dicts, those of `final` at their places.",
        "origins": "Of each message its position before, history and final counted as one list; "
        "None for one that was written.",
        "changed": "Of each message whether it is another than the one that was given.",
        "repairs": (
            "A dict for each change: `row`, the message by its position before (of a written "
            "result that of the call); `path`, the place in it; `kind`, the rule for what went, "
            "`thinking` and `signed_call` for what went with it, else `input_control`, "
            "`moved_result` or `written_result`; `id` of the call, the result or the item, or "
            "None; `to_row`, the message behind which or in which a result stands now, or None."
        ),
        "problems": "A `MessageProblem` for each call that the list waits for.",
    }
    messages: list[dict[str, Any]]
    origins: tuple[int | None, ...]
    changed: tuple[bool, ...]
    repairs: list[dict[str, Any]]
    problems: tuple[MessageProblem, ...]


class ConversionNote(_Record):
    """What a conversion left out or put elsewhere: `ConvertedMessages.notes` has these."""

    __slots__ = {  # noqa: RUF023  (the order of the repr)
        "position": "The message, from 0.",
        "path": "The place in the message; empty for the whole of it.",
        "kind": (
            "`thinking`, `signature`, `is_error` or `field` for what was left out, `system` for "
            "what went to the system text."
        ),
    }
    position: int
    path: str
    kind: str


class ConvertedMessages(_Record):
    """Messages in another format: `convert_messages` returns it."""

    __slots__ = {  # noqa: RUF023  (the order of the repr)
        "messages": "The messages as fresh dicts.",
        "system": "The system text, where the format has it beside the messages, or None.",
        "notes": "A `ConversionNote` for each thing that was left out or put elsewhere.",
    }
    messages: list[dict[str, Any]]
    system: str | None
    notes: tuple[ConversionNote, ...]


def _problems(found: list[tuple[int, str, str, str]]) -> list[MessageProblem]:
    return [
        MessageProblem(position=position, path=path, rule=rule, severity=severity)
        for position, path, rule, severity in found
    ]


def validate_messages(
    messages: Iterable[Mapping[str, Any]], *, format: str, model: str | None = None
) -> list[MessageProblem]:
    """Return every problem of a list of messages, by position; none for an empty list.

    `format` is `"openai-chat"`, `"openai-responses"`, `"anthropic"` or `"gemini"`. With a `model`
    that continues no message of its own, a list that ends with one is refused too (`last_role`;
    Anthropic's models from 4.6 on, by Anthropic's notes on that version). The caller's objects stay
    as they are. Linear in the size of the messages.

    Raises `InvalidMessages` for what is not JSON, with its path, and `InvalidOption` for what is no
    list and for an unknown format.

    >>> import packframe as pf
    >>> call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    >>> pf.validate_messages(
    ...     [
    ...         {"role": "assistant", "content": None, "tool_calls": [call]},
    ...         {"role": "user", "content": "And?"},
    ...     ],
    ...     format="openai-chat",
    ... )
    [MessageProblem(position=0, path='tool_calls[0]', rule='dangling_call', severity='refused')]
    """
    return _problems(_core.validate_messages(messages, format, model))


def repair_messages(
    messages: Iterable[Mapping[str, Any]],
    *,
    format: str,
    repair: str = "drop",
    abandoned: Iterable[str] = (),
    allow_pending: bool = False,
    final: Iterable[Mapping[str, Any]] = (),
    model: str | None = None,
) -> RepairedMessages:
    """Return messages that a provider takes, by the smallest change, and what was changed.

    Results that stand where no provider takes them move behind their calls; calls and results that
    come twice go; results without a call go; a call without a result goes with its thinking, or
    gets a result that says `[no result]`; reasoning goes behind which nothing of the model's
    follows. What is accepted neither moves nor changes, and a second repair changes nothing. A call
    behind which nothing but results follows waits for its result and stays.

    Parameters
    ----------
    messages : iterable of dict
        The history.
    format : {"openai-chat", "openai-responses", "anthropic", "gemini"}
        The format of the messages.
    repair : {"drop", "placeholder", "error"}
        What happens to a call without a result: it goes, or a result is written for it (in a step
        that has not ended one is written in any case, and never for an approval or a computer
        call). With `"error"` nothing is repaired.
    abandoned : iterable of str
        Ids of calls that nobody waits for any more.
    allow_pending : bool
        Whether every call without a result may wait for one.
    final : iterable of dict
        Messages behind the history, of which nothing may be taken out. Input controls of the
        Responses API stay in them only.
    model : str or None
        As in `validate_messages`.

    Raises
    ------
    InvalidMessages
        For what no repair mends, for what would be taken out of `final`, and with `"error"` for all
        that a repair would change.
    InvalidOption
        For arguments that make no sense.

    Linear in the size of the messages, for each of a few looks at them.

    >>> import packframe as pf
    >>> repaired = pf.repair_messages(
    ...     [
    ...         {"role": "user", "content": "Hello."},
    ...         {"role": "tool", "tool_call_id": "gone", "content": "4 C, rain"},
    ...     ],
    ...     format="openai-chat",
    ... )
    >>> repaired.messages
    [{'role': 'user', 'content': 'Hello.'}]
    >>> [(repair["row"], repair["kind"], repair["id"]) for repair in repaired.repairs]
    [(1, 'orphan_result', 'gone')]
    """
    made, origins, changed, repairs, problems = _core.repair_messages(
        messages, final, format, repair, abandoned, allow_pending, model
    )
    return RepairedMessages(
        messages=made,
        origins=tuple(origins),
        changed=tuple(changed),
        repairs=[
            {"row": row, "path": path, "kind": kind, "id": name, "to_row": to_row}
            for row, path, kind, name, to_row in repairs
        ],
        problems=tuple(_problems(problems)),
    )


def convert_messages(
    messages: Iterable[Mapping[str, Any]], source: str, target: str
) -> ConvertedMessages:
    """Return messages of one format in another.

    `source` and `target` are formats as in `validate_messages`. Texts, pictures, calls and results
    are carried over. Results stand behind their calls as the target wants them; for Anthropic and
    Gemini neighbouring messages of one role become one, results first, those of Gemini in a content
    of their own. Thinking and signatures mean nothing to another provider and are left out, as are
    fields without a counterpart; `notes` names each. Messages of the same format come back as they
    are. Linear in the size of the messages.

    Raises `InvalidMessages` with the rule `not_convertible` for each place that the target cannot
    say, with position and path, and `InvalidOption` for an unknown format.

    >>> import packframe as pf
    >>> converted = pf.convert_messages(
    ...     [
    ...         {"role": "system", "content": "Answer briefly."},
    ...         {"role": "user", "content": "Hello."},
    ...     ],
    ...     "openai-chat",
    ...     "anthropic",
    ... )
    >>> converted.system
    'Answer briefly.'
    >>> converted.messages
    [{'role': 'user', 'content': [{'type': 'text', 'text': 'Hello.'}]}]
    """
    made, system, notes = _core.convert_messages(messages, source, target)
    return ConvertedMessages(
        messages=made,
        system=system,
        notes=tuple(
            ConversionNote(position=position, path=path, kind=kind)
            for position, path, kind in notes
        ),
    )
