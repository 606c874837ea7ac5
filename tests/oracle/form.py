"""What a row shows: its own content, an alternative, or a cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .cost import Cost, cost
from .cut import element_cuts, word_cuts

if TYPE_CHECKING:
    from .options import Options
    from .row import Row

MARKER = "…"


@dataclass(frozen=True)
class Form:
    """One way in which a row can be shown."""

    name: str
    """``whole``, ``alternative`` or ``cut``."""
    row: Row
    """The row with the content that is shown."""
    cost: Cost
    rank: tuple[int, int] = (0, 0)
    """Better forms have lower ranks."""


def whole(row: Row, options: Options) -> Form:
    """Return the form that shows a row as it is."""
    return Form("whole", row, cost(row, options))


def alternatives(row: Row, options: Options) -> list[Form]:
    """Return the replacements in their given order, which is best first."""
    return [
        Form("alternative", shown, cost(shown, options), (1, place))
        for place, shown in enumerate(row.replacements)
    ]


def cuts(row: Row, options: Options) -> list[Form]:
    """Return every cut that the row allows, the longest first.

    Text is cut at the end of a word, JSON between elements; nothing else is cut, and what would
    cost as much as the whole is no cut.
    """
    if row.cut_to is None or row.pinned:
        return []
    if row.kind == "text":
        contents = [head + MARKER for head in word_cuts(row.content)]
    elif row.kind == "json":
        contents = element_cuts(row.content)
    else:
        contents = []
    found = []
    whole = cost(row, options).tokens
    for place, content in enumerate(contents):
        shown = row.but(content=content)
        form = Form("cut", shown, cost(shown, options), (2, place))
        if form.cost.content >= row.cut_to and form.cost.tokens < whole:
            found.append(form)
    return found
