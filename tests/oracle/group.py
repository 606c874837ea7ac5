"""Groups: rows with one fate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import chat
from .failure import OracleFailure
from .row import RETENTIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .row import Row


@dataclass(frozen=True)
class Group:
    """Rows that are kept or excluded together."""

    rows: tuple[int, ...]
    """In input order."""
    name: str | None
    kind: str | None
    """What ties them; None for a row on its own."""
    required: bool
    retention: str
    score: float
    priority: float

    @property
    def place(self) -> int:
        """The row at which the group stands."""
        return self.rows[0]


def grouped(rows: Sequence[Row]) -> list[Group]:
    """Return the groups of the rows, by place."""
    found = chat.ties([row.message for row in rows])
    if found.problems:
        raise OracleFailure("InvalidMessages", problems=found.problems)
    leader = list(range(len(rows)))

    def join(one: int, other: int) -> None:
        old, new = sorted((leader[one], leader[other]), reverse=True)
        for row, lead in enumerate(leader):
            if lead == old:
                leader[row] = new

    by_name: dict[str, int] = {}
    for number, row in enumerate(rows):
        if row.group is not None:
            join(by_name.setdefault(row.group, number), number)
    tied = set()
    for members in found.groups:
        tied |= set(members)
        for member in members[1:]:
            join(members[0], member)
    return [
        _group(rows, [row for row, lead in enumerate(leader) if lead == place], tied)
        for place in sorted(set(leader))
    ]


def _group(rows: Sequence[Row], members: list[int], tied: set[int]) -> Group:
    for member in members:
        if rows[member].section != rows[members[0]].section:
            raise OracleFailure("InvalidItem", field="section", rows=[members[0], member])
    names = [rows[member].group for member in members if rows[member].group is not None]
    kind = None
    if len(members) > 1:
        chatty = any(member in tied for member in members)
        kind = "mixed" if names and chatty else "named" if names else "chat"
    retentions = [rows[member].retention for member in members]
    required = any(rows[member].required for member in members)
    return Group(
        rows=tuple(members),
        name=names[0] if names else None,
        kind=kind,
        required=required,
        retention="required" if required else max(retentions, key=RETENTIONS.index),
        score=max(rows[member].score for member in members),
        priority=max(rows[member].priority for member in members),
    )


def described(groups: Sequence[Group]) -> list[dict[str, Any]]:
    """Return the manifest's list of groups: those of two rows or more."""
    return [
        {"group": group.name, "rows": list(group.rows), "kind": group.kind}
        for group in groups
        if group.kind is not None
    ]
