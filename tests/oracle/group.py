"""Groups: rows with one fate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from . import chat
from .failure import OracleFailure
from .row import RETENTIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .frame import OracleFrame
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
    section: str | None
    """As the rows name it, declared or not."""
    requires: tuple[tuple[str, int | None], ...] = ()
    """Ids as the rows name them, with their row; None if no row of the frame has that id."""
    needs: tuple[int, ...] = ()
    """The places of the groups that are required, other than this one."""
    exclusive: frozenset[str] = frozenset()

    @property
    def place(self) -> int:
        """The row at which the group stands."""
        return self.rows[0]


def grouped(frame: OracleFrame) -> list[Group]:
    """Return the groups of the rows, by place."""
    rows = frame.rows
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
    groups = [
        _group(rows, [row for row, lead in enumerate(leader) if lead == place], tied)
        for place in sorted(set(leader))
    ]
    return _checked(rows, _with_required(_with_needs(frame, groups)))


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
    keys = [rows[member].exclusive for member in members]
    return Group(
        rows=tuple(members),
        name=names[0] if names else None,
        kind=kind,
        required=required,
        retention="required" if required else max(retentions, key=RETENTIONS.index),
        score=max(rows[member].score for member in members),
        priority=max(rows[member].priority for member in members),
        section=rows[members[0]].section,
        requires=tuple((name, None) for member in members for name in rows[member].requires),
        exclusive=frozenset(key for key in keys if key is not None),
    )


def _with_needs(frame: OracleFrame, groups: list[Group]) -> list[Group]:
    """Resolve ids; the id of a merged row is that of the row it went into."""
    row_of = {merge.id: frame.place(merge.into) for merge in frame.merges}
    row_of |= {name: row for row, name in enumerate(frame.ids)}
    place_of = {row: group.place for group in groups for row in group.rows}
    done = []
    for group in groups:
        requires = tuple((name, row_of.get(name)) for name, _ in group.requires)
        needs = dict.fromkeys(place_of[row] for _, row in requires if row is not None)
        needs.pop(group.place, None)
        done.append(replace(group, requires=requires, needs=tuple(needs)))
    return done


def _with_required(groups: list[Group]) -> list[Group]:
    """Make required what required groups require."""
    while True:
        needed = {place for group in groups if group.required for place in group.needs}
        if all(group.required for group in groups if group.place in needed):
            return groups
        groups = [
            replace(group, required=True, retention="required") if group.place in needed else group
            for group in groups
        ]


def _checked(rows: Sequence[Row], groups: list[Group]) -> list[Group]:
    """Refuse what can never be: required groups that need an unknown row, or are rivals."""
    holders: dict[str, int] = {}
    for group in groups:
        if not group.required:
            continue
        unknown = [name for name, row in group.requires if row is None]
        for row in group.rows:
            if set(unknown) & set(rows[row].requires):
                raise OracleFailure("InvalidItem", field="requires", rows=[row])
        for row in group.rows:
            key = rows[row].exclusive
            if key is None or holders.get(key) in group.rows:
                continue
            if key in holders:
                both = sorted([holders[key], row])
                raise OracleFailure("InvalidItem", field="exclusive", rows=both)
            holders[key] = row
    return groups


def described(groups: Sequence[Group]) -> list[dict[str, Any]]:
    """Return the manifest's list of groups: those of two rows or more."""
    return [
        {"group": group.name, "rows": list(group.rows), "kind": group.kind}
        for group in groups
        if group.kind is not None
    ]
