"""The budget of a pack as bars: what they show, and the same as HTML.

One set of bars serves notebooks, terminals and pages. Whatever a caller named is escaped.
"""

from __future__ import annotations

from html import escape

from packframe._core import reason_sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

# Stretches of a bar; the smallest of more are shown as one.
_MOST = 10
# Rows of the table in a notebook.
_ROWS = 200
# Characters of a name that are shown.
_WIDTH = 80
# What changes the direction of writing, or ends a line, would let a name pose as something else.
_CONFUSING = frozenset("\u200e\u200f\u061c\u2028\u2029") | {
    chr(code) for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
}


class Stretch:
    """A stretch of a bar: a label, tokens, whether they are exact, and how it is painted."""

    __slots__ = ("exact", "label", "paint", "rows", "tokens")

    def __init__(
        self, label: str, tokens: int, *, exact: bool, paint: str, rows: int | None = None
    ) -> None:
        """Take what it shows; `rows` is how many rows it stands for."""
        self.label = label
        self.tokens = tokens
        self.exact = exact
        self.paint = paint
        self.rows = rows

    @property
    def number(self) -> str:
        """The tokens as text, marked where they are not exact."""
        return number(self.tokens, exact=self.exact)


def number(tokens: int | None, *, exact: bool) -> str:
    """Return tokens as text: `~` marks what is not exact, `-` what was not counted."""
    if tokens is None:
        return "-"
    return f"{tokens:,}" if exact else f"~{tokens:,}"


def shown(name: str) -> str:
    """Return a name of the caller's as it may stand in a line: one line, one direction, short."""
    short = name if len(name) <= _WIDTH else name[: _WIDTH - 1] + "…"
    return "".join(ascii(sign)[1:-1] if _confuses(sign) else sign for sign in short)


def _confuses(sign: str) -> bool:
    is_control = sign < " " or "\x7f" <= sign <= "\x9f" or "\ud800" <= sign <= "\udfff"
    return is_control or sign in _CONFUSING


def _largest(found: list[Stretch]) -> list[Stretch]:
    """Join the smallest stretches of many into one, keeping the order of the others."""
    if len(found) <= _MOST:
        return found
    ranked = sorted(range(len(found)), key=lambda at: (-found[at].tokens, at))
    kept = set(ranked[: _MOST - 1])
    rest = [stretch for at, stretch in enumerate(found) if at not in kept]
    rows = [stretch.rows for stretch in rest if stretch.rows is not None]
    other = Stretch(
        f"{len(rest)} others",
        sum(stretch.tokens for stretch in rest),
        exact=all(stretch.exact for stretch in rest),
        paint="other",
        rows=sum(rows) if rows else None,
    )
    return [*(stretch for at, stretch in enumerate(found) if at in kept), other]


def by_section(document: dict[str, Any]) -> list[Stretch]:
    """Return the budget as stretches: each section, what is not of rows, and what is left."""
    views = document["tokens_by"]
    # In the order in which they are declared, behind the rows of none.
    order = {section["name"]: at for at, section in enumerate(document["sections"])}
    names = sorted(views["section"], key=lambda name: (order.get(name, -1), name))
    sections = _largest(
        [
            Stretch(
                f"section {shown(name)}" if name else "no section",
                views["section"][name]["tokens"],
                exact=views["section"][name]["accuracy"] == "exact",
                paint="in0",
            )
            for name in names
        ]
    )
    for at, stretch in enumerate(sections):
        stretch.paint = f"in{at % 6}"
    found = sections
    between = document["total_tokens"] - sum(view["tokens"] for view in views["section"].values())
    if between:
        parts = ("base", "headers", "separators", "joins")
        accuracies = [views["part"][part]["accuracy"] for part in parts if part in views["part"]]
        found.append(
            Stretch(
                "between rows",
                between,
                exact=all(accuracy == "exact" for accuracy in accuracies),
                paint="between",
            )
        )
    if document["remaining_tokens"] is not None:
        left = document["remaining_tokens"]
        found.append(Stretch("left", left, exact=not document["estimated"], paint="left"))
        for key in ("margin", "reserve"):
            if document[key]:
                found.append(Stretch(key, document[key], exact=True, paint=key))
    return found


def by_fate(document: dict[str, Any]) -> list[Stretch]:
    """Return the rows as stretches: in by form, out by reason."""
    fates: dict[tuple[int, str], list[dict[str, Any]]] = {}
    forms = ["whole", "redacted", "cut", "alternative", "repaired"]
    for record in document["selected"]:
        fates.setdefault((forms.index(record["form"]), f"in, {record['form']}"), []).append(record)
    for record in document["excluded"]:
        fates.setdefault((len(forms), f"out, {shown(record['reason'])}"), []).append(record)
    found = [
        Stretch(
            label,
            sum(record["tokens"] or 0 for record in records),
            exact=all(record["tokens_accuracy"] in {"exact", None} for record in records),
            paint=f"form{rank}" if rank < len(forms) else "out",
            rows=len(records),
        )
        for (rank, label), records in sorted(fates.items(), key=lambda fate: fate[0])
    ]
    return _largest(found)


def headline(document: dict[str, Any]) -> str:
    """Return the budget in one line."""
    total = number(document["total_tokens"], exact=not document["estimated"])
    if document["budget"] is None:
        told = f"{total} tokens, no budget"
    else:
        told = f"{total} of {document['available']:,} tokens, budget {document['budget']:,}"
    accuracy, profile = document["accuracy"], shown(document["token_profile_id"])
    return f"{told}; {accuracy} by {profile}, as {document['render']}"


# Text on background has a contrast of 7 and more in both schemes; stretches differ by lightness
# too, and the table beside a bar says all that it shows.
_STYLE = """
.packframe{--fg:#1b1f24;--bg:#fff;--line:#c6ccd2;--in0:#0b57a4;--in1:#5b9bd5;--in2:#0f766e;
--in3:#5cc2b5;--in4:#6d3fb0;--in5:#b794e8;--other:#707880;--between:#8a929a;--left:#eef1f4;
--margin:#f2c94c;--reserve:#d5dae0;--form0:#0b57a4;--form1:#5b9bd5;--form2:#0f766e;--form3:#6d3fb0;
--form4:#b794e8;--out:#c2410c;color:var(--fg);background:var(--bg);
font:14px/1.4 system-ui,sans-serif;padding:8px}
@media (prefers-color-scheme:dark){.packframe{--fg:#e8ebee;--bg:#16191d;--line:#4a525a;
--in0:#6cb2f5;--in1:#2f6ba8;--in2:#4fd1c0;--in3:#1f7f75;--in4:#c0a0f5;--in5:#7a55bd;--other:#8a929a;
--between:#707880;--left:#23282e;--margin:#c79a1e;--reserve:#3a4149;--form0:#6cb2f5;--form1:#2f6ba8;
--form2:#4fd1c0;--form3:#c0a0f5;--form4:#7a55bd;--out:#f08a4b}}
.packframe figure{margin:0 0 12px}.packframe figcaption{font-weight:600}
.packframe .bar{display:flex;height:20px;border:1px solid var(--line);overflow:hidden;margin:4px 0}
.packframe .bar span{box-sizing:border-box;border-right:1px solid var(--bg)}
.packframe .key{display:inline-block;width:12px;height:12px;border:1px solid var(--line)}
.packframe .about{background-image:repeating-linear-gradient(45deg,
transparent 0 4px,var(--bg) 4px 5px)}
.packframe table{border-collapse:collapse;color:inherit;background:inherit}
.packframe th,.packframe td{padding:1px 10px 1px 0;text-align:left;color:inherit;
background:inherit;overflow-wrap:anywhere}
.packframe .n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
""".replace("\n", "")


def _table(caption: str, head: Iterable[tuple[str, bool]], rows: Iterable[list[str]]) -> str:
    """Return a table; its cells are HTML, and the flag of a heading says whether it is a number."""
    columns = list(head)
    heads = "".join(
        f'<th scope="col"{" class=n" if right else ""}>{name}</th>' for name, right in columns
    )
    body = "".join(
        "<tr>"
        + "".join(
            f"<td{' class=n' if right else ''}>{cell}</td>"
            for cell, (_, right) in zip(row, columns, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    return (
        f"<table><caption>{caption}</caption><thead><tr>{heads}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def _figure(caption: str, stretches: list[Stretch]) -> str:
    whole = sum(max(stretch.tokens, 0) for stretch in stretches)
    spans = []
    for stretch in stretches:
        if stretch.tokens > 0:
            about = "" if stretch.exact else " class=about"
            told = escape(f"{stretch.label}: {stretch.number} tokens")
            spans.append(
                f'<span{about} style="width:{100 * stretch.tokens / whole:.3f}%;'
                f'background-color:var(--{stretch.paint})" title="{told}"></span>'
            )
    told = ", ".join(f"{stretch.label} {stretch.number}" for stretch in stretches)
    rows = [
        [
            f'<span class="key" style="background-color:var(--{stretch.paint})"></span>',
            escape(stretch.label),
            "" if stretch.rows is None else f"{stretch.rows:,}",
            stretch.number,
        ]
        for stretch in stretches
    ]
    with_rows = any(stretch.rows is not None for stretch in stretches)
    head = [("", False), ("what", False), ("rows", True), ("tokens", True)]
    if not with_rows:
        head.pop(2)
        rows = [[*row[:2], row[3]] for row in rows]
    return (
        f"<figure><figcaption>{caption}</figcaption>"
        f'<div class="bar" role="img" aria-label="{escape(f"{caption}: {told}")}">'
        f"{''.join(spans)}</div>{_table(caption, head, rows)}</figure>"
    )


def rows_of(document: dict[str, Any], limit: int) -> list[dict[str, Any]]:
    """Return the first records of all rows, by row."""
    records: list[dict[str, Any]] = document["selected"] + document["excluded"]
    records.sort(key=lambda record: record["row"])
    return records[:limit]


def fate_of(record: dict[str, Any]) -> tuple[str, str]:
    """Return what became of a row, and its code with what it misses."""
    if "form" in record:
        return ("in" if record["form"] == "whole" else record["form"]), record["why"]
    missed = record["shortfall"]
    code = shown(record["reason"])
    return "out", code if missed is None else f"{code} ({missed:+,})"


def html(document: dict[str, Any]) -> str:
    """Return the bars and the rows of a manifest as HTML that stands for itself.

    It has no script and asks no server for anything; everything that a caller named is escaped.
    """
    records = rows_of(document, _ROWS)
    rows = []
    for record in records:
        fate, code = fate_of(record)
        reason = record.get("reason")
        sentence = "" if reason is None else f' title="{escape(reason_sentence(reason))}"'
        rows.append(
            [
                f"{record['row']:,}",
                escape(shown(record["id"])),
                record["role"],
                escape(shown(record["section"] or "")),
                fate,
                number(record["tokens"], exact=record["tokens_accuracy"] == "exact"),
                f"<span{sentence}>{escape(code)}</span>",
            ]
        )
    head = [
        ("row", True),
        ("id", False),
        ("role", False),
        ("section", False),
        ("fate", False),
        ("tokens", True),
        ("why", False),
    ]
    hidden = len(document["selected"]) + len(document["excluded"]) - len(records)
    more = f"<p>and {hidden:,} more rows</p>" if hidden > 0 else ""
    signed = document.get("signature")
    seal = f"<p>signed, {escape(signed['algorithm'])}</p>" if signed else ""
    return (
        f'<div class="packframe"><style>{_STYLE}</style>'
        f"<p>{escape(headline(document))}. ~ marks what is not exact.</p>"
        f"{_figure('Budget by section', by_section(document))}"
        f"{_figure('Rows by fate', by_fate(document))}"
        f"<details><summary>Every row</summary>{_table('Rows', head, rows)}{more}</details>"
        f"{seal}</div>"
    )
