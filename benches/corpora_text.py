"""From the formats of documentation to paragraphs of plain text."""

from __future__ import annotations

import gettext
import html
import io
import re

_COMMON = """
the of to and a in is that it for as with be on are this by not or you can an if from at have which
was but we they will when its all has more than one there their would so no what may only other some
any also into been then these such use used how your
"""
ENGLISH_WORDS = frozenset(_COMMON.split())
_WORD = re.compile(r"[A-Za-z']+")


def decode(data: bytes) -> str:
    """Return UTF-8 text with line feeds, or nothing where it is something else."""
    try:
        return data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError:
        return ""


def from_html(data: bytes) -> list[str]:
    """Return the paragraphs of a page: what block elements hold, tags and code dropped."""
    text = decode(data)
    text = re.sub(r"(?is)<!--.*?-->", "", text)
    text = re.sub(r"(?is)<(script|style|head|nav|pre|table|footer|svg)\b.*?</\1\s*>", "\n\n", text)
    text = re.sub(
        r"(?i)</?(?:p|div|li|ul|ol|dl|dt|dd|h[1-6]|section|body|br|blockquote|td|tr|media|item"
        r"|title|note|steps|list|page|info)\b[^>]*>",
        "\x00",
        text,
    )
    text = html.unescape(re.sub(r"<[^>]+>", "", text)).replace("\xa0", " ")
    return [found for part in text.split("\x00") if (found := " ".join(part.split()))]


def from_plain(data: bytes) -> list[str]:
    """Return the paragraphs of plain, Markdown or reStructured text, line breaks as they are."""
    parts = re.split(r"\n[ \t]*\n", decode(data))
    return [found for part in parts if (found := part.strip("\n"))]


def from_troff(data: bytes) -> list[str]:
    """Return the paragraphs of a manual page, its macros dropped."""
    lines = []
    for line in decode(data).split("\n"):
        if line.startswith((".PP", ".P", ".LP", ".TP", ".IP", ".SH", ".SS", ".br", ".sp")):
            lines.append("")
        if line.startswith(("'", '.\\"', ".TH", ".so", ".if", ".ie", ".el", ".de", ".ds", ".nr")):
            continue
        plain = re.sub(r"^\.[A-Za-z]+ ?", "", line)
        plain = re.sub(r"\\f(?:\[[^\]]*\]|\([A-Z]{2}|[A-Z0-9])|\\[&/,%:]|\\m\[[^\]]*\]", "", plain)
        plain = plain.replace("\\-", "-").replace("\\(aq", "'").replace("\\(bu", "\u2022")
        lines.append(plain.replace("\\e", "\\").replace("\\ ", " ").replace('"', ""))
    return from_plain("\n".join(lines).encode())


def from_catalogue(data: bytes) -> list[str]:
    """Return the longer messages of a compiled catalogue of translations."""
    try:
        catalogue = gettext.GNUTranslations(io.BytesIO(data))
    except (OSError, ValueError, KeyError, UnicodeDecodeError):
        return []
    messages = vars(catalogue)["_catalog"]
    return [
        said
        for asked, said in messages.items()
        if isinstance(asked, str) and asked and said != asked and len(said) > 30
    ]


def from_source(data: bytes) -> list[str]:
    """Return a source file whole, unless it is a table of figures or has lines without end."""
    text = decode(data)
    if not 400 < len(text) < 120_000:
        return []
    figures = sum(text.count(figure) for figure in "0123456789")
    longest = max(len(line) for line in text.split("\n"))
    return [text] if figures < len(text) // 8 and longest < 400 else []


def from_json(data: bytes) -> list[str]:
    """Return a JSON file whole, if it has something to count and is of the size of a message."""
    text = decode(data)
    return [text] if 200 < len(text) < 150_000 and text.lstrip()[:1] in "{[" else []


def is_english_prose(text: str) -> bool:
    """Tell whether a paragraph is made of English sentences."""
    if len(text) < 80 or text.rstrip()[-1] not in ".!?:\"')":
        return False
    words = _WORD.findall(text)
    if len(words) < 12 or sum(map(len, words)) < 0.72 * len(text):
        return False
    known = sum(word.lower() in ENGLISH_WORDS for word in words)
    return known > 0.22 * len(words) and not text.lstrip().startswith((".. ", "::", "|", ">>>"))


def letters(text: str) -> str:
    """Return what makes a paragraph the same as another one: its letters, without case."""
    return "".join(filter(str.isalpha, text.casefold()))


def is_in_script(text: str, first: int, last: int) -> bool:
    """Tell whether at least a third of the letters lie between two code points."""
    found = [letter for letter in text if letter.isalpha()]
    inside = sum(first <= ord(letter) <= last for letter in found)
    return len(found) >= 12 and 3 * inside >= len(found)
