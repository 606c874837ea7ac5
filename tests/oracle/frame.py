"""A frame: rows in order, and what verbs did to them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from .failure import OracleFailure
from .row import RETENTIONS, SENSITIVITIES, TRUSTS, Record, Row, compact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Where = Callable[[Row], bool]


@dataclass(frozen=True)
class Demotion:
    """A retention that a verb or an overflow strategy changed."""

    uid: int
    before: str
    after: str
    by: str


@dataclass(frozen=True)
class Merge:
    """A row that went into another one."""

    row: int
    id: str
    uid: int
    into: int
    into_id: str
    """The id of the survivor at the time of the merge."""
    sha256: str


@dataclass(frozen=True)
class OracleFrame:
    """Rows with their history; every verb returns another frame."""

    rows: tuple[Row, ...]
    demotions: tuple[Demotion, ...] = ()
    merges: tuple[Merge, ...] = field(default=())

    @classmethod
    def from_records(cls, records: Iterable[Record]) -> OracleFrame:
        """Read records as ``Frame.from_records`` takes them."""
        frame = cls(tuple(Row.from_record(uid, record) for uid, record in enumerate(records)))
        _ = frame.ids
        return frame

    @property
    def ids(self) -> tuple[str, ...]:
        """The id of each row, made ones included."""
        seen: dict[str, int] = {}
        ids: list[str] = []
        for row in self.rows:
            occurrence = seen[row.sha256] = seen.get(row.sha256, 0) + 1
            ids.append(row.id if row.id is not None else f"{row.sha256[:12]}-{occurrence}")
        first: dict[str, int] = {}
        for number, name in enumerate(ids):
            if first.setdefault(name, number) != number:
                raise OracleFailure("InvalidItem", field="id", rows=[first[name], number])
        return tuple(ids)

    def place(self, uid: int) -> int | None:
        """Return where a row stands now, None if it is gone."""
        return next((at for at, row in enumerate(self.rows) if row.uid == uid), None)

    def turn_from_end(self, number: int) -> int | None:
        """Return how many turns stand behind the one of a row."""
        if self.rows[number].role in {"system", "developer"}:
            return None
        return sum(row.role == "user" for row in self.rows[number + 1 :])

    def filter(self, where: Where) -> OracleFrame:
        """Keep the rows that match."""
        return replace(self, rows=tuple(row for row in self.rows if where(row)))

    def sort(self, key: Callable[[Row], Any], *, descending: bool = False) -> OracleFrame:
        """Sort stably, nulls last."""
        known = [row for row in self.rows if key(row) is not None]
        nulls = [row for row in self.rows if key(row) is None]
        return replace(self, rows=(*sorted(known, key=key, reverse=descending), *nulls))

    def limit(self, number: int) -> OracleFrame:
        """Keep the first rows."""
        return replace(self, rows=self.rows[:number])

    def demote(self, where: Where, to: str = "optional", by: str = "demote") -> OracleFrame:
        """Lower the retention of rows that match; pinned ones stay."""
        return self._retain(lambda row: where(row) and not row.pinned, to, by, lower=True)

    def promote(self, where: Where, to: str = "preferred") -> OracleFrame:
        """Raise the retention of rows that match."""
        return self._retain(where, to, "promote", lower=False)

    def _retain(self, where: Where, to: str, by: str, *, lower: bool) -> OracleFrame:
        rows, done = [], []
        for row in self.rows:
            before, after = RETENTIONS.index(row.retention), RETENTIONS.index(to)
            if where(row) and (after < before if lower else after > before):
                done.append(Demotion(row.uid, row.retention, to, by))
                rows.append(row.but(retention=to))
            else:
                rows.append(row)
        return replace(self, rows=tuple(rows), demotions=self.demotions + tuple(done))

    def quarantine(self, where: Where) -> OracleFrame:
        """Mark rows as quarantined."""
        rows = (row.but(trust="quarantined") if where(row) else row for row in self.rows)
        return replace(self, rows=tuple(rows))

    def dedupe(self) -> OracleFrame:
        """Merge later rows of the same kind, content, role and section into the first."""
        ids = self.ids
        survivors: dict[tuple[str, ...], int] = {}
        rows: dict[int, Row] = {}
        merges: list[Merge] = []
        for number, row in enumerate(self.rows):
            rows[number] = row
            if row.kind == "message" or row.group is not None:
                continue
            into = survivors.setdefault(_sameness(row), number)
            if into == number or row.required:
                continue
            uid = self.rows[into].uid
            merges.append(Merge(number, ids[number], row.uid, uid, ids[into], row.sha256))
            rows[into] = _merged(rows[into], rows.pop(number))
        return replace(self, rows=tuple(rows.values()), merges=self.merges + tuple(merges))

    def demoted(self) -> list[dict[str, Any]]:
        """Return the manifest's demotions: those of rows that are still there."""
        return [
            {"row": self.place(done.uid), "from": done.before, "to": done.after, "by": done.by}
            for done in self.demotions
            if self.place(done.uid) is not None
        ]

    def merged(self) -> list[dict[str, Any]]:
        """Return the manifest's merged rows."""
        ids = self.ids
        found = []
        for merge in self.merges:
            into = self.place(merge.into)
            found.append(
                {
                    "row": merge.row,
                    "id": merge.id,
                    "into_row": into,
                    "into_id": merge.into_id if into is None else ids[into],
                    "reason": "duplicate",
                    "content_sha256": merge.sha256,
                }
            )
        return found


def _sameness(row: Row) -> tuple[str, ...]:
    content = [row.content, row.mime, row.digest, row.size]
    return (row.kind, compact(content), row.role, repr(row.section))


def _merged(into: Row, row: Row) -> Row:
    expiries = [item.expires_at for item in (into, row) if item.expires_at is not None]
    return into.but(
        trust=max(into.trust, row.trust, key=TRUSTS.index),
        sensitivity=max(into.sensitivity, row.sensitivity, key=SENSITIVITIES.index),
        retention=max(into.retention, row.retention, key=RETENTIONS.index),
        expires_at=min(expiries, default=None),
        score=max(into.score, row.score),
        priority=max(into.priority, row.priority),
        sources=tuple(dict.fromkeys(into.sources + row.sources)),
    )
