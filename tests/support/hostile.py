"""Packs of hostile text, from seeds: sections, headers, cuts, labels, layouts, tight budgets."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from random import Random
from typing import Any

import packframe as pf

from .languages import LANGUAGES
from .texts import FRAGMENTS, JOINING

Record = dict[str, Any]

DROPS = ("truncate", "lowest_score", "cut_then_stop", "oldest", "newest", "all_or_nothing")
LAYOUTS = ("input", "section", "section", "section", "score", "stable")
SEPARATORS = ("\n\n", "\n\n", "\n", "", "", "\r\n", "\r\n\r\n", " ", "\r", "--- ", "a1_.", "\u0301")
HEADERS = (
    *("## Facts", "Facts:\r\n", "/*\r\n", "a1_.", "", "\r\n", "\u200d", "e\u0301", "```"),
    *("שלום:", "ข้อมูล", "👩\u200d", "  ", "<|im_start|>user"),
)
ROLES = ("user", "user", "assistant", "system", "developer")

CODE = (
    *("def f(x):\r\n    return x\r\n", "    if a == b:\n\t\treturn c[0] + {}\n", "/*\r\n"),
    *("for (int i=0;i<n;++i){a[i]+=b[i];}", "#include <vector>\r\n", "x->y::z<T>&&", "*/\r\n"),
    *("SELECT * FROM t WHERE a='b';--", "\t\t\t\t", "<!-- -->", '{"a":[1,2,{"b":null}]}', "'s"),
    *("=====\n", "I'll"),
)
BASES = "aeonuszy\u0435\u0648\u05d0\u0e01\u0915\u0b95\u1100\u3042"
MARKS = (
    *map(chr, range(0x0300, 0x0370, 3)),
    *"\u064b\u0651\u05b0\u05bc\u0e31\u0e48\u093f\u094d\u0bcd\u1161\u11a8\u3099\u20dd\ufe0f",
)
EMOJI = (
    *("👩\u200d🚀", "👨\u200d👩\u200d👧\u200d👦", "🏳️\u200d🌈"),
    *("👍🏽", "🇳🇴", "🇳", "1️⃣", "❤️", "🦊", "\u200d", "\ufe0f"),
    *("\U000e0067", "🏽", "🏴\U000e0067\U000e0062\U000e007f"),
)
ENDS = ("\r\n", "\r\n\r\n", "\r", "\n", "\n\r\n", " \r\n", "\r\n\t\r\n", "\n\n\n \n")
LANGUAGE_TEXTS = tuple(LANGUAGES.values())
HEBREW, THAI = LANGUAGES["Hebrew"], LANGUAGES["Thai"]


class Texts:
    """Makes hostile texts of a few kinds."""

    def __init__(self, random: Random) -> None:
        """Draw from a source."""
        self.random = random
        self.joining = random.random() < 0.3
        self.kinds = (
            *(self.lines, self.marks, self.hebrew_and_thai, self.emoji, self.code),
            *(self.base64, self.joins, self.fragments, self.language),
        )

    def text(self, parts: int) -> str:
        """Return parts of any kind, one after the other, or of the kinds that join."""
        joining = (self.joins, self.joins, self.lines, self.marks)
        kinds = joining if self.joining else self.random.sample(self.kinds, 2)
        return "".join(self.random.choice(kinds)() for _ in range(parts))

    def lines(self) -> str:
        """Return lines with mixed ends."""
        random = self.random
        words = ("Item done.", "open", "", "  ", "1,234.5", "a", "Größe")
        return "".join(random.choice(words) + random.choice(ENDS) for _ in range(2))

    def marks(self) -> str:
        """Return letters under combining marks, or marks alone."""
        random = self.random
        letters = random.choices(BASES, k=random.randint(0, 4))
        return "".join(letter + "".join(random.choices(MARKS, k=2)) for letter in letters) or (
            random.choice(MARKS)
        )

    def hebrew_and_thai(self) -> str:
        """Return Hebrew that goes over into Thai, in the middle of words."""
        random = self.random
        at, then = random.randrange(len(HEBREW)), random.randrange(len(THAI))
        return HEBREW[at : at + random.randint(1, 7)] + THAI[then : then + random.randint(1, 9)]

    def emoji(self) -> str:
        """Return sequences, whole and broken."""
        return "".join(self.random.choices(EMOJI, k=self.random.randint(1, 4)))

    def code(self) -> str:
        """Return a piece of source code."""
        return self.random.choice(CODE)

    def base64(self) -> str:
        """Return random bytes in base64."""
        return base64.b64encode(self.random.randbytes(self.random.choice([2, 7, 30]))).decode()

    def joins(self) -> str:
        """Return a text that counts otherwise beside others."""
        return self.random.choice(JOINING)

    def fragments(self) -> str:
        """Return one of everything else that surprises."""
        return self.random.choice(FRAGMENTS)

    def language(self) -> str:
        """Return a cut of a sentence in one of forty languages."""
        text = self.random.choice(LANGUAGE_TEXTS)
        at = self.random.randrange(len(text))
        return text[at : at + self.random.randint(1, 40)]


@dataclass(frozen=True)
class Hostile:
    """What is packed, and how."""

    seed: str
    records: list[Record]
    sections: list[Record]
    """With the keys of ``Section``."""
    arguments: dict[str, Any]
    """Other keyword arguments of ``pack``, but budget and profile."""
    previous: list[int] | None
    """For the layout ``stable``: the rows of an earlier pack, in its order."""
    share: float
    """The budget, as a share of what all rows cost together."""

    def frame(self) -> pf.Frame:
        """Make the frame."""
        return pf.Frame.from_records(self.records)

    def pack(self, frame: pf.Frame, budget: int | None, profile: pf.TokenProfile) -> pf.Pack:
        """Pack it; raises what packing raises."""
        previous = None
        if self.previous is not None:
            keys = ("id", "content", "kind")
            rows = [self.records[row] for row in self.previous]
            kept = [{key: row[key] for key in keys if key in row} for row in rows]
            previous = pf.Frame.from_records(kept).pack(None, render="text").manifest
        return frame.pack(
            budget,
            token_profile=profile,
            sections=[pf.Section(**section) for section in self.sections],
            previous=previous,
            **self.arguments,
        )


FEATURES = ("requires", "exclusive", "alternatives", "cut_to", "group", "required", "json", "long")


def hostile(seed: str) -> Hostile:
    """Return the pack of a seed: mostly a dozen rows, now and then sixty."""
    random = Random(f"hostile {seed}")
    sections = [_section(random, name) for name in "stuv"[: random.choice([0, 1, 2, 3, 4])]]
    names = [*(section["name"] for section in sections)]
    if not names or random.random() < 0.4:
        names.append(None)
    rows = _Rows(random, names, random.choice([4, 8, 12, 12, 20, 60])).rows()
    messages = random.random() < 0.1
    layout = random.choice(LAYOUTS)
    arguments = {
        "reserve": random.choice([0, 0, 3]),
        "render": "messages" if messages else "text",
        "separator": random.choice(SEPARATORS),
        "labels": random.random() < 0.2,
        "margin": random.choice([0, 0, 0, 2, 0.05]),
        "layout": layout,
        "overflow": random.choice([None, None, None, _overflow(random)]),
    }
    order = random.sample(range(len(rows)), random.randint(0, len(rows)))
    previous = order if layout == "stable" else None
    return Hostile(seed, rows, sections, arguments, previous, random.uniform(0.02, 1.02))


def _overflow(random: Random) -> pf.Overflow:
    keep, at = random.choice(["head", "tail", "ends"]), random.choice(["word", "grapheme", "line"])
    marker = random.choice(["…", "", " [...]\r\n", "\u0301"])
    return pf.Overflow.substitute() | pf.Overflow.truncate(keep=keep, at=at, marker=marker)


def _section(random: Random, name: str) -> Record:
    cap = random.choice([None, None, None, 9, 25, 80])
    found: Record = {
        "name": name,
        "priority": random.choice([-1, 0, 1, 1, 2]),
        "min_tokens": min(random.choice([0, 0, 0, 4, 12, 40]), cap if cap is not None else 40),
        "max_tokens": cap,
        "max_share": random.choice([None, None, None, 0.29, 0.5]),
        "drop": random.choice(DROPS),
        "required": random.choice([None, *[False] * 9]),
        "separator": random.choice(SEPARATORS),
        "header": random.choice([None, None, *HEADERS]),
    }
    return {key: value for key, value in found.items() if value is not None}


class _Rows:
    """Makes the records of one frame."""

    def __init__(self, random: Random, names: list[str | None], most: int) -> None:
        """Choose how often each feature is used."""
        self.random = random
        self.names = names
        self.ids = [f"r{row}" for row in range(random.randint(2, most))]
        self.texts = Texts(random)
        self.longest = random.choice([1, 2, 4, 9])
        self.odds = {feature: random.choice([0, 0, 0.1, 0.35]) for feature in FEATURES}
        self.odds["cut_to"] = random.choice([0, 0.2, 0.9])

    def rows(self) -> list[Record]:
        """Return all records."""
        return [{"id": name} | self.row() for name in self.ids]

    def uses(self, feature: str, share: float = 1) -> bool:
        """Tell whether a row uses a feature."""
        return self.random.random() < share * self.odds[feature]

    def content(self) -> Record:
        """Return text, or JSON."""
        random = self.random
        if self.uses("json", 0.4):
            elements = [self.texts.text(random.randint(0, 2)) for _ in range(random.randint(1, 4))]
            return {"content": elements, "kind": "json"}
        least, most = (20, 60) if self.uses("long", 0.2) else (1, self.longest)
        return {"content": self.texts.text(random.randint(least, most))}

    def row(self) -> Record:
        """Return one record without its id."""
        random = self.random
        row: Record = self.content()
        row["section"] = random.choice(self.names)
        row["role"] = random.choice(ROLES)
        row["score"] = random.choice([0.1, 0.5, 0.5, 0.9])
        row["retention"] = random.choice(["optional", "optional", "preferred"])
        if self.uses("required", 0.3):
            row["retention"] = "required"
        elif self.uses("exclusive"):
            row["exclusive"] = random.choice("xxy")
        if self.uses("requires", 0.5):
            row["requires"] = [random.choice(self.ids)]
        if self.uses("alternatives"):
            row["alternatives"] = [self.content() for _ in range(random.randint(1, 2))]
        if self.uses("cut_to"):
            row["cut_to"] = random.choice([1, 1, 2, 6])
        if self.uses("group", 0.5):
            row |= {"group": "g", "section": self.names[-1]}
        return row


def shown_text(record: Record) -> str:
    """Return what the content of a record shows as text."""
    if record.get("kind") == "json":
        return json.dumps(record["content"], ensure_ascii=False, separators=(",", ":"))
    text: str = record["content"]
    return text
