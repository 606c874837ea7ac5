"""Counts packs again by other people's tokenizers, and judges what was left out.

Nothing here asks packframe what a text costs, or how it renders: the rendering is built from the
items, and counted by tiktoken or by the tokenizers wheel.
"""

from __future__ import annotations

from collections import Counter as Tally
from dataclasses import dataclass, field
from decimal import Decimal
from math import ceil, floor
from typing import TYPE_CHECKING

import packframe as pf

from .hostile import Hostile, Record, shown_text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    Texts = Mapping[int, str]
    """Rows that are shown, and what each shows."""

ORDER_RULES = ("oldest", "newest", "cut_then_stop")
REFUSALS = (pf.BudgetExceeded, pf.InvalidItem)
"""What packing may raise: required rows that do not fit, rows that contradict each other."""


@dataclass
class Judge:
    """A tokenizer, twice: as packframe has it, and as everyone else does."""

    name: str
    profile: pf.TokenProfile
    count: Callable[[str], int]
    openai: bool = False
    """Whether messages cost the framing that OpenAI publishes."""
    opaque: bool = False
    """Whether the library counts: what is left out is then judged by the sum of parts."""
    tally: Tally[str] = field(default_factory=Tally)

    def try_out(self, case: Hostile) -> list[str]:
        """Pack a case a few times, the last with just the tokens that it took; return faults."""
        frame = case.frame()
        whole = sum(self.count(shown_text(record)) + 1 for record in case.records)
        reserve = case.arguments["reserve"]
        budget = reserve + int(case.share * whole)
        faults: list[str] = []
        for _ in range(2):
            try:
                pack = case.pack(frame, budget, self.profile)
            except REFUSALS as error:
                self.tally[f"raised {type(error).__name__}"] += 1
                break
            except Exception as error:  # noqa: BLE001  (whatever else is raised is a fault)
                faults.append(f"{self.name} seed {case.seed!r} budget {budget}: {error!r}")
                break
            self.tally["packs"] += 1
            found = Recount(self, case, pack, budget).faults()
            faults += [
                f"{self.name} seed {case.seed!r} budget {budget}: {fault}" for fault in found
            ]
            margin = pack.manifest.margin
            tight = reserve + margin + pack.total_tokens
            if tight == budget or isinstance(case.arguments["margin"], float):
                break
            budget = tight
        return faults


class Recount:
    """One pack, rendered and counted again."""

    def __init__(self, judge: Judge, case: Hostile, pack: pf.Pack, budget: int) -> None:
        """Read the record of the pack."""
        self.judge, self.case, self.pack = judge, case, pack
        self.records = case.records
        self.arguments = case.arguments
        self.manifest = pack.manifest.to_dict()
        self.selected = {record["row"]: record for record in self.manifest["selected"]}
        self.excluded = {record["row"]: record for record in self.manifest["excluded"]}
        self.messages = self.arguments["render"] == "messages"
        self.sections = {section["name"]: section for section in case.sections}
        self.rows_of = {record["id"]: row for row, record in enumerate(self.records)}
        items = pack.items
        self.shown = {
            row: _text_of(items[record["position"]]) for row, record in self.selected.items()
        }
        self.available = budget - self.arguments["reserve"] - self._margin(budget)

    def faults(self) -> list[str]:
        """Return everything that is not as promised."""
        found = self._ceiling()
        for row, record in self.excluded.items():
            reason = record["reason"]
            self.judge.tally[f"out for {reason}"] += 1
            check = getattr(self, f"_{reason}", None)
            if check is None:
                found.append(f"row {row} is out for {reason}")
            elif fault := check(row, record):
                found.append(f"row {row} is out for {reason}: {fault}")
        for record in self.selected.values():
            self.judge.tally[f"in {record['form']}"] += 1
        return [*found, *self._caps()]

    def _margin(self, budget: int) -> int:
        margin: float = self.arguments["margin"]
        if not self.messages:
            return 0  # an exact count needs none
        if isinstance(margin, int):
            return margin
        left: int = budget - self.arguments["reserve"]
        return ceil(Decimal(repr(margin)) * left)

    def _ceiling(self) -> list[str]:
        """Check what is sent: rendered as said, counted as said, within what is available."""
        found = []
        if sorted([*self.selected, *self.excluded]) != list(range(len(self.records))):
            found.append("a row has no fate, or two")
        if self.available != self.manifest["available"]:
            found.append(f"{self.manifest['available']} are said to be available")
        if self.messages:
            sent = self._sent()
        else:
            sent = self.judge.count(self.pack.text) if self.selected else 0
            if self.pack.text != self.rendering(self.shown):
                found.append("the text is not the rendering of its items")
        if sent != self.pack.total_tokens:
            found.append(f"{sent} tokens are said to be {self.pack.total_tokens}")
        if sent > self.available:
            found.append(f"OVER: {sent} tokens where {self.available} are available")
        self.judge.tally["tokens"] += sent
        self.judge.tally["full to the token"] += sent == self.available
        self.judge.tally["sums of parts that are not the count"] += sent != self.additive(
            self.shown
        )
        return found

    def _sent(self) -> int:
        """Count the messages that a provider gets."""
        total = self._base()
        for item in self.pack.items:
            total += self.judge.count(_text_of(item)) + self._envelope(item.role)
        return total

    def _base(self) -> int:
        return 3 if self.judge.openai else 0

    def _envelope(self, role: str) -> int:
        return 3 + self.judge.count(role) if self.judge.openai else 0

    def order(self, rows: Collection[int]) -> list[int]:
        """Return rows in the order of the layout."""
        layout = self.arguments["layout"]
        if layout == "section":
            names = [None, *self.sections]
            return sorted(rows, key=lambda row: (names.index(self.section_of(row)), row))
        if layout == "score":
            return sorted(rows, key=lambda row: (*self._rank(row), row))
        if layout == "stable":
            before = [row for row in self.case.previous or () if row in rows]
            return [*before, *(row for row in sorted(rows) if row not in before)]
        return sorted(rows)

    def _rank(self, row: int) -> tuple[float, int]:
        members = self.group_of(row)
        score = max(self.records[member].get("score", 0) for member in members)
        return (-score, min(members))

    def section_of(self, row: int) -> str | None:
        """Return the declared section of a row."""
        name: str | None = self.records[row]["section"]
        return name

    def group_of(self, row: int) -> list[int]:
        """Return the rows with one fate."""
        name = self.records[row].get("group")
        if name is None:
            return [row]
        return [other for other, record in enumerate(self.records) if record.get("group") == name]

    def inner(self, name: str | None) -> str:
        """Return what stands between the parts of a section."""
        if name is None or self.arguments["layout"] != "section":
            return str(self.arguments["separator"])
        return str(self.sections[name].get("separator", "\n"))

    def header(self, name: str | None) -> str | None:
        """Return what stands above a section."""
        if name is None or self.arguments["layout"] != "section":
            return None
        return self.sections[name].get("header") or None

    def label(self, row: int) -> str:
        """Return what stands before a row."""
        return f"{self.records[row]['role']}: " if self.arguments["labels"] else ""

    def rendering(self, shown: Texts) -> str:
        """Return the text of some rows."""
        blocks: list[tuple[str | None, list[str]]] = []
        for row in self.order(shown):
            name = self.section_of(row) if self.arguments["layout"] == "section" else None
            if not blocks or blocks[-1][0] != name:
                header = self.header(name)
                blocks.append((name, [] if header is None else [header]))
            blocks[-1][1].append(self.label(row) + shown[row])
        joined = [self.inner(name).join(parts) for name, parts in blocks]
        return str(self.arguments["separator"]).join(joined)

    def rendered(self, shown: Texts) -> int:
        """Count what some rows would cost, as sent."""
        if self.messages:
            return self.additive(shown)
        return self.judge.count(self.rendering(shown)) if shown else 0

    def tokens_in(self, name: str | None, shown: Texts) -> int:
        """Return the sum of parts of a section."""
        count = self.judge.count
        rows = [row for row in shown if self.section_of(row) == name]
        if not rows:
            return 0
        if self.messages:
            roles = [self.records[row]["role"] for row in rows]
            return sum(count(shown[row]) for row in rows) + sum(map(self._envelope, roles))
        total = sum(count(shown[row]) + count(self.label(row)) for row in rows)
        header = self.header(name)
        parts = len(rows) + (header is not None)
        return total + count(header or "") + (parts - 1) * count(self.inner(name))

    def additive(self, shown: Texts) -> int:
        """Return the sum of all parts."""
        names = {self.section_of(row) for row in shown}
        joiners = 0 if self.messages else max(len(names) - 1, 0)
        joiner = self.judge.count(self.arguments["separator"])
        return (
            (self._base() if self.messages else 0)
            + sum(self.tokens_in(name, shown) for name in names)
            + joiners * joiner
        )

    def with_bundle(self, row: int) -> dict[int, str]:
        """Return what would be shown with a row, whole, and all that comes along with it."""
        found: set[int] = set()
        todo = [row]
        while todo:
            current = todo.pop()
            if current not in found:
                found.add(current)
                todo += self._members(current)
                needed = self.records[current].get("requires", ())
                todo += [self.rows_of[name] for name in needed]
        new = {other: shown_text(self.records[other]) for other in found - set(self.selected)}
        return self.shown | new

    def _members(self, row: int) -> list[int]:
        members = self.group_of(row)
        name = self.section_of(row)
        if name is None or self.sections[name].get("drop") != "all_or_nothing":
            return members
        needed = self._required()
        if not needed.isdisjoint(members):
            return members
        return [
            other
            for other in range(len(self.records))
            if self.section_of(other) == name and other not in needed
        ]

    def _required(self) -> set[int]:
        """Return the rows that have to be there, and what they require."""
        found: set[int] = set()
        todo = [row for row, record in enumerate(self.records) if record["retention"] == "required"]
        while todo:
            current = todo.pop()
            if current not in found:
                found.add(current)
                todo += self.group_of(current)
                todo += [self.rows_of[name] for name in self.records[current].get("requires", ())]
        return found

    def cap(self, name: str) -> int | None:
        """Return what a section may cost."""
        section = self.sections[name]
        caps = [section["max_tokens"]] if "max_tokens" in section else []
        if "max_share" in section:
            caps.append(floor(Decimal(repr(section["max_share"])) * self.available))
        return min(caps, default=None)

    def _caps(self) -> list[str]:
        found = []
        for name in self.sections:
            tokens, cap = self.tokens_in(name, self.shown), self.cap(name)
            said = next(one for one in self.manifest["sections"] if one["name"] == name)
            if tokens != said["tokens"] or cap != said["cap"]:
                found.append(f"section {name!r} has {tokens} of {cap}: {said}")
            if cap is not None and tokens > cap:
                found.append(f"OVER: section {name!r} has {tokens} of {cap}")
        return found

    def _budget(self, row: int, record: Record) -> str:
        """Room there must not be: with the row the rendering, counted again, is over."""
        shown = self.with_bundle(row)
        by_parts = self.judge.opaque or self.messages
        tokens = self.additive(shown) if by_parts else self.rendered(shown)
        over = tokens - self.available
        which = "sums of parts" if by_parts else "renderings"
        self.judge.tally[f"{which} with what is out"] += 1
        if over <= 0:
            return f"LEFT OUT: with it {tokens} tokens of {self.available}"
        if over != record["shortfall"]:
            return f"it is over by {over}, not {record['shortfall']}"
        return ""

    def _section_cap(self, row: int, record: Record) -> str:
        name = record["rule"]
        tokens, cap = self.tokens_in(name, self.with_bundle(row)), self.cap(name)
        if cap is None or tokens <= cap:
            return f"LEFT OUT: with it section {name!r} has {tokens} of {cap}"
        return ""

    def _empty(self, row: int, record: Record) -> str:
        """Only a strategy for required rows cuts down to nothing."""
        del row, record
        return "" if self.arguments["overflow"] is not None else "nothing was cut"

    def _exclusive(self, row: int, record: Record) -> str:
        """A key is held twice: the one that the record names, or one of those that it may mean."""
        rule = record["rule"]
        self.judge.tally["exclusive without the key"] += rule is None
        held = Tally(self.records[other].get("exclusive") for other in self.with_bundle(row))
        if not any(
            number > 1 and key is not None and rule in {None, key} for key, number in held.items()
        ):
            return f"nothing else has the key {rule!r}"
        return ""

    def _requirement_missing(self, row: int, record: Record) -> str:
        del record
        missing = set(self.with_bundle(row)) - set(self.selected) - {row}
        return "" if missing else "nothing that it requires is missing"

    def _stopped(self, row: int, record: Record) -> str:
        """A run has ended: of its own section, or of one that closed it."""
        name = self.section_of(row) if record["rule"] is None else record["rule"]
        section = self.sections.get(name, {})
        return "" if section.get("drop") in ORDER_RULES else f"by section {name!r}"

    def _join_cost(self, row: int, record: Record) -> str:
        """Look only how many would have room again after what was shed beside them."""
        del record
        self.judge.tally["join_cost with room again"] += (
            self.rendered(self.with_bundle(row)) <= self.available
        )
        return ""


def _text_of(item: pf.Item) -> str:
    if item.kind == "json":
        return shown_text({"content": item.content.value, "kind": "json"})
    return str(item.text)
