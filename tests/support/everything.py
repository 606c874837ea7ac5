"""Generated packs with everything switched on, as plain records and keyword arguments."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from string import ascii_letters
from typing import Any

from hypothesis import strategies as st

from oracle import Options, OracleFrame

from .calls import budget_of, budgets
from .pairs import pair
from .texts import FRAGMENTS, JOINING

COUNTERS = ("words", "quarter_bytes", "cl100k_base", "o200k_base", "words_framed")

DROPS = ("truncate", "lowest_score", "cut_then_stop", "oldest", "newest", "all_or_nothing")

IDS = ascii_letters

WORDS = ("amb", "oce", "riv", "lar", "kno", "fjo", "qua", "internationalisation")

LAYOUTS = ("input", "input", "section", "section", "score", "stable")

Record = dict[str, Any]


@dataclass(frozen=True)
class Everything:
    """A frame as records, and how it is packed."""

    counter: str
    """The name of a pair."""
    records: list[Record]
    sections: list[Record]
    """With the keys of ``Section``."""
    arguments: dict[str, Any]
    """Keyword arguments of ``pack`` that both sides name alike."""
    previous: list[int] | None
    """For the layout ``stable``: the rows that were kept before, in their order."""

    def frame(self) -> OracleFrame:
        """Make the oracle's frame."""
        return OracleFrame.from_records(self.records)

    def options(self) -> Options:
        """Make the oracle's options."""
        return Options(
            counter=pair(self.counter).counter,
            sections=tuple(self.sections),
            previous=self.earlier(),
            **self.arguments,
        )

    def earlier(self) -> dict[str, Any] | None:
        """Return as much of an earlier manifest as a layout looks at."""
        if self.previous is None:
            return None
        frame = self.frame()
        return {
            "selected": [
                {
                    "row": row,
                    "position": position,
                    "id": frame.ids[row],
                    "content_sha256": frame.rows[row].sha256,
                }
                for position, row in enumerate(self.previous)
            ]
        }


word_texts: st.SearchStrategy[str] = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(
    " ".join
)

content_texts: st.SearchStrategy[str] = st.one_of(
    word_texts,
    word_texts.map(lambda text: text + " "),
    st.sampled_from(JOINING),
    st.lists(st.sampled_from(FRAGMENTS), max_size=3).map("".join),
)


@st.composite
def contents(draw: st.DrawFn, *, plain: bool) -> Record:
    """Return content with its kind."""
    kind = draw(st.sampled_from(["text"] * 9 + ["json"] * 2 + ["reference"]))
    if kind == "json":
        inner = st.lists(word_texts, max_size=4) | st.dictionaries(
            st.sampled_from(WORDS), word_texts, max_size=3
        )
        return {"content": draw(inner), "kind": kind}
    if kind == "reference":
        return {"content": draw(st.sampled_from(["kb://17", "file:///a b"])), "kind": kind}
    return {"content": draw(word_texts if plain else content_texts)}


FEATURES = ("requires", "exclusive", "alternatives", "cut_to", "trust", "group", "required")
"""What the rows of a frame may have beside content, score, retention and section."""


@st.composite
def records(
    draw: st.DrawFn, ids: str, names: list[str | None], features: frozenset[str], *, plain: bool
) -> Record:
    """Return the record of a row; what it requires may stand anywhere, itself included."""
    retentions = ["optional"] * 5 + ["preferred"] * 4 + ["required"] * ("required" in features)
    found: Record = {
        **draw(contents(plain=plain)),
        "score": draw(st.sampled_from([0.0, 0.1, 0.5, 0.5, 0.9])),
        "retention": draw(st.sampled_from(retentions)),
        "section": draw(st.sampled_from(names)),
    }
    if "requires" in features:
        some = st.sampled_from(ids)
        found["requires"] = draw(
            st.just([]) | st.just([]) | some.map(lambda name: [name]) | st.lists(some, max_size=2)
        )
        if draw(st.integers(0, 30)) == 30:
            found["requires"] = ["nobody"]
    if "exclusive" in features and found["retention"] != "required":
        found["exclusive"] = draw(st.sampled_from([None, None, "x", "x", "y"]))
    if "alternatives" in features and draw(st.booleans()):
        found["alternatives"] = draw(st.lists(contents(plain=plain), min_size=1, max_size=2))
    if "cut_to" in features:
        found["cut_to"] = draw(st.sampled_from([None, 1, 1, 2, 4]))
    if "required" in features and draw(st.integers(0, 15)) == 15:
        found["pinned"] = True
    if "trust" in features and draw(st.integers(0, 12)) == 12:
        found["trust"] = "quarantined"
    if "group" in features and draw(st.integers(0, 3)) == 3:
        found |= {"group": "g", "section": names[-1]}
        if draw(st.integers(0, 3)) == 3:
            found["priority"] = 1
    return {
        key: value for key, value in found.items() if key == "content" or value not in (None, [])
    }


@st.composite
def sections(draw: st.DrawFn, name: str) -> Record:
    """Return a declared section."""
    found: Record = {
        "name": name,
        "priority": draw(st.sampled_from([-1, 0, 0, 1, 1, 2])),
        "min_tokens": draw(st.sampled_from([0, 0, 0, 1, 3, 6, 12, 40])),
        "max_tokens": draw(st.sampled_from([None, None, None, 0, 5, 9, 20])),
        "max_share": draw(st.sampled_from([None, None, None, 0.07, 0.29, 0.5, 1.0])),
        "drop": draw(st.sampled_from(DROPS)),
        "required": draw(st.sampled_from([False] * 8 + [None])),
        "separator": draw(st.sampled_from(["\n", "\n", "", " ++ ", "\r\n"])),
        "header": draw(st.sampled_from([None, None, "## a  b ", "a1_.", ""])),
    }
    return {key: value for key, value in found.items() if value is not None}


@st.composite
def everything(draw: st.DrawFn, counters: tuple[str, ...] = COUNTERS) -> Everything:
    """Return a pack in which every feature may meet every other."""
    plain = draw(st.booleans())
    declared = [draw(sections(name)) for name in "stu"[: draw(st.integers(0, 3))]]
    names = [None, "label", *(section["name"] for section in declared for _ in range(3))]
    number = draw(st.integers(1, 10))
    features = draw(st.frozensets(st.sampled_from(FEATURES)))
    ids = IDS[:number]
    rows = [{"id": name, **draw(records(ids, names, features, plain=plain))} for name in ids]
    counter = draw(st.sampled_from(counters))
    layout = draw(st.sampled_from(LAYOUTS))
    previous = None
    if layout == "stable":
        previous = draw(
            st.none() | st.lists(st.sampled_from(range(number)), unique=True, max_size=number)
        )
    texts = [str(row["content"]) for row in rows]
    whole = sum(pair(counter).counter.count(text) + 1 for text in texts)
    reserve = draw(st.sampled_from([0, 0, 1]))
    arguments = {
        "budget": budget_of(*draw(budgets), whole=whole, reserve=reserve),
        "reserve": reserve,
        "render": draw(st.sampled_from(["text"] * 5 + ["messages"])),
        "separator": draw(st.sampled_from(["\n\n", "", "", "\n", "\r\n", "--- ", "a1_."])),
        "labels": draw(st.integers(0, 5)) == 5,
        "margin": draw(st.sampled_from([0, 0, 0, 0, 1, 0.07])),
        "layout": layout,
    }
    return Everything(counter, rows, declared, arguments, previous)


def busy(seed: int, most: int = 12) -> Everything:
    """Return a pack of up to `most` rows, 52 at best, that uses most features at once."""
    random = Random(f"busy {seed}")
    counter = random.choice(COUNTERS)
    declared = [_busy_section(random, name) for name in "stuv"[: random.randint(0, 4)]]
    names = [None, *(section["name"] for section in declared)]
    rows = _Busy(random, names, random.randint(3, most)).rows()
    whole = sum(pair(counter).counter.count(str(row["content"])) + 1 for row in rows)
    layout = random.choice(LAYOUTS)
    order = random.sample(range(len(rows)), random.randint(0, len(rows)))
    arguments = {
        "budget": None if random.random() < 0.03 else int(whole * random.random() * 1.1),
        "reserve": 0,
        "render": "messages" if random.random() < 0.15 else "text",
        "separator": random.choice(["\n\n", "", "", "\r\n", "--- "]),
        "labels": random.random() < 0.15,
        "margin": 0,
        "layout": layout,
    }
    return Everything(counter, rows, declared, arguments, order if layout == "stable" else None)


class _Busy:
    """Makes the rows of one busy pack."""

    def __init__(self, random: Random, names: list[str | None], number: int) -> None:
        """Choose how often each feature is used."""
        self.random = random
        self.names = names
        self.ids = IDS[:number]
        self.plain = random.random() < 0.4
        self.longest = random.choice([1, 2, 4])
        self.odds = {feature: random.choice([0, 0, 0.1, 0.4]) for feature in FEATURES}

    def rows(self) -> list[Record]:
        """Return all rows."""
        return [{"id": name} | self.row() for name in self.ids]

    def text(self) -> str:
        """Return words, or texts that join."""
        if self.plain or self.random.random() < 0.2:
            return " ".join(self.random.choices(WORDS, k=self.random.randint(1, 9)))
        return "".join(self.random.choices(JOINING, k=self.random.randint(1, self.longest)))

    def content(self) -> Record:
        """Return text or JSON."""
        if self.random.random() < 0.15:
            elements = [self.text() for _ in range(self.random.randint(1, 4))]
            return {"content": elements, "kind": "json"}
        return {"content": self.text()}

    def uses(self, feature: str, share: float = 1) -> bool:
        """Tell whether a row uses a feature."""
        return self.random.random() < share * self.odds[feature]

    def row(self) -> Record:
        """Return one row without its id."""
        random = self.random
        row: Record = self.content()
        row["section"] = random.choice(self.names)
        row["score"] = random.choice([0.1, 0.5, 0.9])
        row["retention"] = random.choice(["optional", "optional", "preferred"])
        if self.uses("required", 0.5):
            row["retention"] = "required"
        elif self.uses("exclusive"):
            row["exclusive"] = random.choice("xxy")
        if self.uses("requires"):
            row["requires"] = random.choices(self.ids, k=random.choice([1, 1, 2]))
        if self.uses("alternatives"):
            row["alternatives"] = [self.content() for _ in range(random.randint(1, 2))]
        if self.uses("cut_to", 2):
            row["cut_to"] = random.choice([1, 1, 2, 4])
        if self.uses("trust", 0.5):
            row["trust"] = "quarantined"
        if self.uses("required", 0.1):
            row["pinned"] = True
        if self.uses("group"):
            row |= {"group": "g", "section": self.names[-1]}
        return row


def _busy_section(random: Random, name: str) -> Record:
    found: Record = {
        "name": name,
        "priority": random.choice([-1, 0, 1, 1, 2]),
        "min_tokens": random.choice([0, 0, 3, 6, 12, 40]),
        "max_tokens": random.choice([None, None, None, 5, 9, 20]),
        "max_share": random.choice([None, None, None, 0.29, 0.5]),
        "drop": random.choice(DROPS),
        "required": random.choice([None, False, False, False, False, False]),
        "separator": random.choice(["\n", "", " ++ "]),
        "header": random.choice([None, None, "## a  b ", "a1_."]),
    }
    return {key: value for key, value in found.items() if value is not None}
