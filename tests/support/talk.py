"""The calls of the library on message lists, as plain values."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import packframe

pf: Any = packframe

Found = tuple[int, str, str, str]


class Repaired(NamedTuple):
    """What a repair gives back."""

    messages: list[Any]
    origins: list[int | None]
    """The row of each message before, or None for one that was written."""
    changed: list[bool]
    """Whether a message is another than the one of its row."""
    repairs: list[dict[str, Any]]
    """Records with ``row``, ``path``, ``kind``, ``id``, ``to_row``."""


RECORD = ("row", "path", "kind", "id", "to_row")


def validated(messages: list[Any], format: str, model: str | None = None) -> list[Found]:
    """Return what the library says is wrong, as the slow judge says it, in its order."""
    found = pf.validate_messages(messages, format=format, model=model)
    plain = [(one.position, one.path, one.rule, one.severity) for one in found]
    assert [one[0] for one in plain] == sorted(one[0] for one in plain), "in order of position"
    return sorted(plain)


def repaired(messages: list[Any], format: str, **options: Any) -> Repaired:
    """Return the repaired list, where its messages come from, and the records of what was done."""
    found = pf.repair_messages(messages, format=format, **options)
    return Repaired(
        list(found.messages),
        list(found.origins),
        list(found.changed),
        [{key: record[key] for key in RECORD} for record in found.repairs],
    )


def written(value: Any) -> str:
    """Return JSON that shows every byte that may differ: the order of keys, and text as it is."""
    return json.dumps(value, ensure_ascii=False)
