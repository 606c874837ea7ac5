"""The bars of a manifest for a terminal, by rich: imported only where rich is in use."""

from __future__ import annotations

from rich.console import Group
from rich.table import Table
from rich.text import Text

from packframe._picture import by_fate, by_section, fate_of, headline, number, rows_of, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from packframe._picture import Stretch

_COLUMNS = 60
_ROWS = 50
_PAINTS = {
    "in0": "blue",
    "in1": "bright_blue",
    "in2": "green",
    "in3": "bright_green",
    "in4": "magenta",
    "in5": "bright_magenta",
    "other": "white",
    "between": "bright_black",
    "left": "white",
    "margin": "yellow",
    "reserve": "cyan",
    "form0": "blue",
    "form1": "bright_blue",
    "form2": "green",
    "form3": "magenta",
    "form4": "bright_magenta",
    "out": "red",
}
# What tells stretches apart without colour: full, half and light, and dots for what is left.
_SIGNS = {"left": "·", "margin": "▒", "reserve": "░", "between": "▚"}


def _sign(stretch: Stretch) -> str:
    if stretch.paint in _SIGNS:
        return _SIGNS[stretch.paint]
    return "█" if stretch.exact else "▓"


def _bar(stretches: list[Stretch]) -> Text:
    whole = sum(max(stretch.tokens, 0) for stretch in stretches)
    bar = Text()
    done = 0
    for stretch in stretches:
        before, done = done, done + max(stretch.tokens, 0)
        columns = done * _COLUMNS // max(whole, 1) - before * _COLUMNS // max(whole, 1)
        bar.append(_sign(stretch) * columns, style=_PAINTS[stretch.paint])
    return bar


def _rows(number: int) -> str:
    return f"{number:,} {'row' if number == 1 else 'rows'}"


def _legend(stretches: list[Stretch]) -> Table:
    table = Table(box=None, padding=(0, 1), show_header=False)
    table.add_column()
    table.add_column()
    table.add_column(justify="right")
    table.add_column(justify="right")
    for stretch in stretches:
        rows = "" if stretch.rows is None else _rows(stretch.rows)
        table.add_row(
            Text(_sign(stretch), style=_PAINTS[stretch.paint]),
            Text(stretch.label),
            Text(rows),
            Text(stretch.number),
        )
    return table


def renderable(document: dict[str, Any]) -> Group:
    """Return the bars and the first rows; names are text and no markup."""
    sections, fates = by_section(document), by_fate(document)
    records = rows_of(document, _ROWS)
    rows = Table(box=None, padding=(0, 1))
    for name, right in (
        ("row", True),
        ("id", False),
        ("section", False),
        ("fate", False),
        ("tokens", True),
        ("why", False),
    ):
        rows.add_column(name, justify="right" if right else "left")
    for record in records:
        fate, code = fate_of(record)
        rows.add_row(
            str(record["row"]),
            Text(shown(record["id"])),
            Text(shown(record["section"] or "")),
            fate,
            number(record["tokens"], exact=record["tokens_accuracy"] == "exact"),
            Text(code),
        )
    parts: list[Any] = [
        Text(headline(document)),
        Text("Budget by section", style="bold"),
        _bar(sections),
        _legend(sections),
        Text("Rows by fate", style="bold"),
        _bar(fates),
        _legend(fates),
        rows,
    ]
    hidden = len(document["selected"]) + len(document["excluded"]) - len(records)
    if hidden > 0:
        parts.append(Text(f"and {hidden:,} more {'row' if hidden == 1 else 'rows'}"))
    return Group(*parts)
