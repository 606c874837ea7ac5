"""In which order the rows that are kept stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .section import IMPLICIT

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from .frame import OracleFrame
    from .group import Group
    from .options import Options


def laid_out(
    frame: OracleFrame, groups: Sequence[Group], options: Options, rows: Collection[int]
) -> list[int]:
    """Return rows in the order of the layout."""
    if options.layout == "section":
        names = [IMPLICIT, *(section.name for section in options.declared)]
        return [
            row for name in names for row in sorted(rows) if section_of(frame, options, row) == name
        ]
    if options.layout == "score":
        order = sorted(groups, key=lambda group: (-group.score, -group.priority, group.place))
        return [row for group in order for row in group.rows if row in rows]
    if options.layout == "stable":
        before = [] if options.previous is None else options.previous["selected"]
        known = {(frame.ids[row], frame.rows[row].sha256): row for row in sorted(rows)}
        before = sorted(before, key=lambda record: record["position"])
        keys = [(record["id"], record["content_sha256"]) for record in before]
        kept = [known[key] for key in keys if key in known]
        return [*kept, *(row for row in sorted(rows) if row not in kept)]
    return sorted(rows)


def section_of(frame: OracleFrame, options: Options, row: int) -> str | None:
    """Return the declared section of a row; a name that nobody declared is a label."""
    name = frame.rows[row].section
    return IMPLICIT if options.section(name) is None else name
