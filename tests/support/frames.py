"""Generated frames: records, conversations, and verbs on them."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

import packframe as pf
from oracle import OracleFrame, chat
from oracle.condition import Condition, column, on

from .conditions import GROUPS, SCORES, SECTIONS, TIMES, conditions, expression
from .texts import JOINING, json_values, short_texts, texts

if TYPE_CHECKING:
    from oracle.row import Record, Row

VERBS = [
    "demote",
    "demote",
    "promote",
    "promote",
    "quarantine",
    "dedupe",
    "dedupe",
    "filter",
    "sort",
    "limit",
]
ROLES = ["system", "developer", "user", "assistant", "tool"]
WIDE = st.booleans() | st.just(False)  # noqa: FBT003 - more often false than true


def _sometimes(values: list[Any]) -> st.SearchStrategy[Any]:
    """Return None mostly, or one of the values."""
    return st.none() | st.none() | st.sampled_from(values)


@st.composite
def _contents(draw: st.DrawFn, pool: list[str]) -> Record:
    kind = draw(st.sampled_from(["text"] * 12 + ["json"] * 2 + ["reference", "binary"]))
    if kind == "text":
        return {"content": draw(st.sampled_from(pool))}
    if kind == "json":
        return {"content": draw(json_values), "kind": "json"}
    if kind == "reference":
        record: Record = {"content": draw(st.sampled_from(["kb://17", "file:///ü"])), "kind": kind}
        if draw(st.booleans()):
            record |= {"digest": "sha256:00", "size": 12}
        return record
    data = draw(st.binary(max_size=6))
    return {"content": base64.b64encode(data).decode(), "kind": kind, "mime": "image/png"}


@st.composite
def plain_records(draw: st.DrawFn, pool: list[str], *, busy: bool) -> Record:
    """Return a record that is no message; a busy one uses more fields."""
    record = draw(_contents(pool))
    record["score"] = draw(st.sampled_from(SCORES))
    record["retention"] = draw(st.sampled_from(["optional"] * 7 + ["preferred"] * 3 + ["required"]))
    record["role"] = draw(st.sampled_from(ROLES))
    if not busy:
        return record
    group = draw(_sometimes(GROUPS))
    section = draw(_sometimes(SECTIONS))
    if group is not None and draw(st.sampled_from([True] * 9 + [False])):
        section = {"g": "docs", "h": None}[group]
    safe = record["retention"] == "required" and draw(st.sampled_from([True] * 7 + [False]))
    fields: Record = {
        "group": group,
        "section": section,
        "priority": draw(st.sampled_from([0.0, 0.0, 1, 2.5])),
        "pinned": draw(st.sampled_from([safe or not draw(st.integers(0, 9))] + [False] * 9)),
        "created_at": draw(_sometimes(TIMES)),
        "expires_at": None if safe else draw(_sometimes(TIMES)),
        "trust": draw(
            st.sampled_from(["untrusted"] * 9 + ["trusted"] * 2 + ["quarantined"] * (not safe))
        ),
        "sensitivity": draw(
            st.sampled_from(
                ["public"] * 6 + ["internal", "confidential"] + ["restricted"] * (not safe)
            )
        ),
        "sources": draw(st.sampled_from([[], ["kb://1"], ["kb://2", "kb://1"]])),
        "id": draw(st.sampled_from([None] * 40 + ["a", "b", "c", "d"])),
    }
    return record | {key: value for key, value in fields.items() if value is not None}


def _call(name: str, arguments: str) -> dict[str, Any]:
    return {"id": name, "type": "function", "function": {"name": "look", "arguments": arguments}}


@st.composite
def _exchanges(draw: st.DrawFn, *, pending: bool) -> list[chat.Message]:
    """Return an assistant message with calls and their results, all or, pending, some."""
    names = draw(st.lists(st.sampled_from(["c1", "c2", "c3"]), min_size=1, max_size=3, unique=True))
    content: Any = draw(st.none() | short_texts)
    calls = [_call(name, draw(st.sampled_from(["{}", '{"q": "Größe"}']))) for name in names]
    message = {"role": "assistant", "content": content, "tool_calls": calls}
    answered = draw(st.permutations(names))
    if pending:
        answered = answered[: draw(st.integers(0, len(names)))]
    results = [{"role": "tool", "tool_call_id": name, "content": draw(texts)} for name in answered]
    return [message, *results]


@st.composite
def _speeches(draw: st.DrawFn) -> list[chat.Message]:
    message: chat.Message = {
        "role": draw(st.sampled_from(["user", "user", "assistant", "system", "developer"])),
        "content": draw(texts),
    }
    extra = draw(st.sampled_from(["none"] * 8 + ["list", "name", "unknown", "legacy", "null"]))
    if extra == "list":
        message["content"] = [
            {"type": "text", "text": text}
            for text in draw(st.lists(short_texts, min_size=1, max_size=3))
        ]
    elif extra == "name":
        message["name"] = "Ada"
    elif extra == "unknown":
        message["extra_field"] = draw(st.sampled_from([True, 7, {"a": [1, "ü"]}, []]))
    elif extra == "null":
        message["refusal"] = None
    elif extra == "legacy":
        message = {
            "role": "assistant",
            "content": None,
            "function_call": {"name": "look", "arguments": "{}"},
        }
        return [message, {"role": "function", "name": "look", "content": draw(texts)}]
    return [message]


@st.composite
def conversations(draw: st.DrawFn) -> list[chat.Message]:
    """Return a valid conversation; the last call may be pending."""
    parts = draw(st.lists(_speeches() | _exchanges(pending=False), min_size=1, max_size=6))
    if draw(st.sampled_from([False] * 5 + [True])):
        parts.append(draw(_exchanges(pending=True)))
    return [message for part in parts for message in part]


@dataclass(frozen=True)
class Verb:
    """A verb with its arguments."""

    name: str
    condition: Condition | None = None
    value: Any = None
    descending: bool = False


def _key(name: str) -> Any:
    return lambda frame: lambda row: column(frame, frame.rows.index(row), name)


@st.composite
def verbs(draw: st.DrawFn) -> Verb:
    """Return a verb that keeps the meaning of a conversation most of the time."""
    name = draw(st.sampled_from(VERBS))
    if name in {"demote", "promote", "quarantine", "filter"}:
        to = draw(st.sampled_from([None, "optional", "preferred", "required"]))
        if name == "demote" and to == "required":
            to = None
        return Verb(name, draw(conditions), to)
    if name == "sort":
        by = draw(st.sampled_from(["score", "priority", "section", "created_at", "pinned"]))
        return Verb(name, value=by, descending=draw(st.booleans()))
    return Verb(name, value=draw(st.integers(0, 12)))


@dataclass(frozen=True)
class Plan:
    """How a frame is made: the same for packframe and for the oracle."""

    messages: list[chat.Message]
    """Go through ``from_messages`` where there are any."""
    records: list[Record]
    """Go through ``from_records`` and stand behind or before the messages."""
    records_first: bool
    verbs: tuple[Verb, ...]

    def frame(self) -> pf.Frame:
        """Make packframe's frame."""
        frame = pf.Frame.from_records(self.records)
        if self.messages:
            talk = pf.Frame.from_messages(self.messages)
            frame = frame + talk if self.records_first else talk + frame
        for verb in self.verbs:
            frame = _apply(frame, verb)
        return frame

    def oracle(self) -> OracleFrame:
        """Make the oracle's frame."""
        OracleFrame.from_records(self.records)
        talk = chat.records(self.messages)
        records = self.records + talk if self.records_first else talk + self.records
        frame = OracleFrame.from_records(records)
        for verb in self.verbs:
            frame = _apply_slowly(frame, verb)
        return frame


def _apply(frame: pf.Frame, verb: Verb) -> pf.Frame:
    where = None if verb.condition is None else expression(verb.condition)
    extra = {} if verb.value is None else {"to": verb.value}
    result: pf.Frame
    if verb.name in {"demote", "promote"}:
        result = getattr(frame, verb.name)(where, **extra)
    elif verb.name in {"quarantine", "filter"}:
        result = getattr(frame, verb.name)(where)
    elif verb.name == "sort":
        result = frame.sort(verb.value, descending=verb.descending)
    elif verb.name == "limit":
        result = frame.limit(verb.value)
    else:
        result = frame.dedupe(by="exact")
    return result


def _apply_slowly(frame: OracleFrame, verb: Verb) -> OracleFrame:
    extra = {} if verb.value is None else {"to": verb.value}
    result: OracleFrame
    if verb.condition is not None:
        where = on(verb.condition, frame)
        keywords = extra if verb.name in {"demote", "promote"} else {}
        result = getattr(frame, verb.name)(where, **keywords)
    elif verb.name == "sort":
        result = frame.sort(_key(verb.value)(frame), descending=verb.descending)
    elif verb.name == "limit":
        result = frame.limit(verb.value)
    else:
        result = frame.dedupe()
    return result


@st.composite
def plans(draw: st.DrawFn, *, with_messages: bool = True, with_verbs: bool = True) -> Plan:
    """Return how to make a frame of up to about two dozen rows."""
    pool = draw(st.lists(texts, min_size=4, max_size=9))
    busy = draw(st.booleans())
    number = draw(st.integers(0, 10))
    records = [draw(plain_records(pool, busy=busy)) for _ in range(number)]
    messages: list[chat.Message] = []
    shape = draw(st.sampled_from(["plain", "plain", "chat", "inlined"])) if with_messages else ""
    if shape == "chat":
        messages = draw(conversations())
    elif shape == "inlined":
        inlined: list[Record] = chat.records(draw(conversations()))
        for record in inlined:
            if draw(st.sampled_from([False] * 6 + [True])):
                record |= {"group": "g", "section": "docs"}
            record["retention"] = draw(st.sampled_from(["optional", "preferred", "required"]))
        at = draw(st.integers(0, len(inlined)))
        records = [*records[:4], *inlined[:at], *records[4:5], *inlined[at:]]
    chosen = tuple(draw(st.lists(verbs(), max_size=3))) if with_verbs and draw(WIDE) else ()
    return Plan(messages, records, draw(st.booleans()), chosen)


@st.composite
def joining_plans(draw: st.DrawFn) -> Plan:
    """Return frames of short texts whose joins cost more or less than their parts."""
    pool = draw(st.lists(st.sampled_from(JOINING), min_size=1, max_size=4))
    number = draw(st.integers(2, 14))
    records = [
        {
            "content": draw(st.sampled_from(pool)),
            "score": draw(st.sampled_from([0.5, 0.5, 0.2])),
            "retention": draw(st.sampled_from(["optional"] * 8 + ["preferred"] * 3 + ["required"])),
            "role": draw(st.sampled_from(["user", "assistant"])),
        }
        for _ in range(number)
    ]
    for record in records:
        if draw(st.sampled_from([False] * 5 + [True])):
            record["group"] = draw(st.sampled_from(GROUPS))
    return Plan([], records, records_first=False, verbs=())


def is_short(row: Row) -> bool:
    """Tell whether a row shows less than three characters."""
    return not row.unsupported and len(row.text) < 3
