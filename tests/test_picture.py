"""The picture of a manifest: HTML that stands for itself, bars in a terminal."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import packframe as pf
from packframe._picture import by_fate, by_section

ROOT = Path(__file__).resolve().parent.parent
WORDS = pf.profiles.custom("words", lambda text: len(text.split()), exact=True)
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</style></div><b>",
    "&lt;&amp;",
    "a\nb\r\x1b[31m\x00\x85",
    "\u202egnp.exe\u2066",
    "[bold red]rich[/]",
    "javascript:alert(1)",
    "x" * 500,
]


def hostile() -> pf.Pack:
    """Return a pack in which all that a caller names is hostile."""
    sections = [pf.Section(name, header="h") for name in HOSTILE[:3]]
    items = [
        pf.Item("a b", id=name, section=HOSTILE[at % 4], score=at, cut_to=1)
        for at, name in enumerate(HOSTILE)
    ]
    refusing: Any = type("Refusing", (), {"id": HOSTILE[1], "evaluate": staticmethod(refuse)})()
    profile = pf.profiles.custom(HOSTILE[0], lambda text: len(text.split()), exact=True)
    return pf.Frame(items).pack(
        20,
        reserve=3,
        token_profile=profile,
        sections=sections,
        layout="section",
        policies=[refusing],
    )


def refuse(item: pf.Item, boundary: pf.Boundary) -> str | None:  # noqa: ARG001  (the protocol)
    """Refuse one item in hostile words."""
    return HOSTILE[0] if item.id == HOSTILE[3] else None


class Tags(HTMLParser):
    """Collects tags and attributes, and what is open at the end."""

    VOID = ("col", "br", "img", "meta")

    def __init__(self, text: str) -> None:
        """Parse a text."""
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.values: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take a tag."""
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.values += [value or "" for _, value in attrs]
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close a tag."""
        assert self.open.pop() == tag


TAGS = {
    *("div", "style", "p", "figure", "figcaption", "span", "table", "caption", "thead", "tbody"),
    *("tr", "th", "td", "details", "summary"),
}


@pytest.mark.parametrize("pack", [hostile(), pf.Frame().pack(0), pf.Frame(["a"]).pack(None)])
def test_the_html_is_closed_and_has_no_script(pack: pf.Pack) -> None:
    """Only tags of the template, no handler, no address, every tag closed."""
    html = pack._repr_html_()
    found = Tags(html)
    assert found.open == []
    assert found.tags <= TAGS
    assert found.attributes <= {"class", "style", "title", "role", "aria-label", "scope"}
    assert not re.search(r"url\(|https?:|@import|src=[^x]", html)
    assert html == pack.manifest._repr_html_()


def test_hostile_names_are_escaped() -> None:
    """What a caller named is text in one line and one direction, everywhere."""
    html = hostile()._repr_html_()
    for name in HOSTILE[:4]:
        assert name not in html
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", html)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "&amp;lt;&amp;amp;" in html
    assert "\\u202egnp.exe\\u2066" in html
    assert "x" * 100 not in html


def test_the_html_is_the_recorded_one() -> None:
    """The picture of hostile names is the golden one, but for its style."""
    html = re.sub(r"<style>.*?</style>", "<style></style>", hostile()._repr_html_())
    shown = html.replace("><", ">\n<") + "\n"
    golden = ROOT / "tests" / "data" / "picture.html"
    assert shown == golden.read_text(encoding="utf-8")


def test_the_picture_has_a_table_beside_each_bar() -> None:
    """Bars are images with a text, and the table says all that they show."""
    pack = hostile()
    html = pack._repr_html_()
    assert html.count('role="img" aria-label="') == 2
    assert html.count("<caption>") == 3
    assert html.count('<th scope="col"') == 14
    document = pack.manifest.to_dict()
    for stretch in by_section(document) + by_fate(document):
        assert stretch.number in html
    assert "prefers-color-scheme:dark" in html


def test_stretches_add_up() -> None:
    """The first bar is the whole budget, the second all tokens of all rows."""
    document = hostile().manifest.to_dict()
    assert sum(stretch.tokens for stretch in by_section(document)) == document["budget"]
    rows = document["selected"] + document["excluded"]
    fates = by_fate(document)
    assert sum(stretch.tokens for stretch in fates) == sum(row["tokens"] or 0 for row in rows)
    assert sum(stretch.rows or 0 for stretch in fates) == len(rows)


def test_many_sections_are_few_stretches() -> None:
    """The smallest of many sections are shown as one, and the sum stays."""
    items = [pf.Item("a " * (n % 7 + 1), section=f"s{n}") for n in range(300)]
    pack = pf.Frame(items).pack(10_000, token_profile=WORDS)
    stretches = by_section(pack.manifest.to_dict())
    assert len(stretches) <= 13
    assert sum(stretch.tokens for stretch in stretches) == 10_000
    assert "291 others" in pack._repr_html_()
    assert "and 100 more rows" in pack._repr_html_()


def test_what_is_not_exact_is_marked() -> None:
    """Estimates have a tilde and another pattern."""
    html = pf.Frame(["some text"]).pack(100)._repr_html_()
    assert "~" in html
    assert "class=about" in html
    assert "class=about" not in pf.Frame(["a"]).pack(9, token_profile=WORDS)._repr_html_()


def test_a_terminal_shows_the_bars_through_rich() -> None:
    """Rich prints bars and rows; names are no markup and no control codes."""
    from rich.console import Console  # noqa: PLC0415  (the test is about it)

    for pack in (hostile(), pf.Frame().pack(0), pf.Frame(["a"]).pack(None)):
        out = io.StringIO()
        console = Console(file=out, width=200, force_terminal=False, color_system=None)
        console.print(pack)
        console.print(pack.manifest)
        text = out.getvalue()
        assert "Budget by section" in text
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    out = io.StringIO()
    Console(file=out, width=200).print(hostile())
    assert "[bold red]rich[/]" in out.getvalue()
    assert "█" in out.getvalue()


def test_without_rich_nothing_of_it_is_imported() -> None:
    """Where rich is not in use its method is the summary, and imports nothing."""
    code = (
        "import sys, packframe as pf; manifest = pf.Frame(['a']).pack(9).manifest;"
        "assert manifest.__rich__() == manifest.summary();"
        "assert not [name for name in sys.modules if name.split('.')[0] == 'rich']"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
