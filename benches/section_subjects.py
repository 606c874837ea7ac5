"""The two section packers behind one set of words: the same sections, and one call of each.

Four sections, in the order of the rendering: `system` whole or not at all, `history` the newest,
`retrieval` the best, `scratchpad` cut. `history` has a floor, `retrieval` and `scratchpad` a cap.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any, NamedTuple

import promptbudget
from tiktoken_ranks import ENCODING, encoding

import packframe as pf

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pack_items import Row

COUNTERS = ("heuristic", "cl100k_base")


class Plan(NamedTuple):
    """What a section is called and how it is packed, in packframe's words and in the peer's."""

    name: str
    share: float  # of the items
    priority: int
    drop: str
    strategy: str
    floor: float = 0.0  # share of the budget
    cap: float | None = None  # share of the budget


PLANS = (
    Plan("system", 0.0, 100, "all_or_nothing", "all_or_nothing"),
    Plan("history", 0.4, 50, "oldest", "drop_oldest", floor=0.1, cap=0.4),
    Plan("retrieval", 0.5, 40, "lowest_score", "lowest_score_first", cap=0.6),
    Plan("scratchpad", 0.1, 10, "truncate", "truncate", floor=0.02, cap=0.1),
)


RULES = (
    "You answer questions of customers about orders, parcels and invoices. Be brief, name the "
    "source of each fact, and say so when you do not know. Never promise a date of delivery."
)


class Part(NamedTuple):
    """A section in no library's words."""

    plan: Plan
    rows: Sequence[Row]
    floor: int
    cap: int | None


def parts(rows: list[Row], budget: int) -> list[Part]:
    """Return rows in sections; one row in ten, but no more than five, is of the system."""
    found, start = [], 0
    system = min(5, max(1, len(rows) // 10))
    for plan in PLANS:
        share = round(plan.share * (len(rows) - system)) if plan.share else system
        last = plan is PLANS[-1]
        own = rows[start:] if last else rows[start : start + share]
        start += len(own)
        if not plan.share:  # it has to fit, whatever else there is
            own = [row._replace(text=f"{row.text[:16]} {RULES}") for row in own]
        if last:  # the notes are in the order of their worth, for both
            own = [row._replace(score=1 - place / len(own)) for place, row in enumerate(own)]
        cap = None if plan.cap is None else int(plan.cap * budget)
        found.append(Part(plan, own, int(plan.floor * budget), cap))
    return found


class Packframe:
    """packframe."""

    name = "packframe"
    version = pf.__version__

    def profile(self, counter: str) -> Any:
        """Return what counts."""
        openai = counter == ENCODING
        return pf.profiles.openai(ENCODING) if openai else pf.profiles.approximate()

    def sections(self, wanted: list[Part], separator: str = "\n") -> list[Any]:
        """Return the sections with their items."""
        return [
            pf.Section(
                part.plan.name,
                [pf.Item(row.text, score=row.score) for row in part.rows]
                if part.plan.drop != "truncate"
                else [pf.Item(row.text, score=row.score, cut_to=1) for row in part.rows],
                priority=part.plan.priority,
                min_tokens=part.floor,
                max_tokens=part.cap,
                drop=part.plan.drop,
                separator=separator,
            )
            for part in wanted
        ]

    def pack(self, sections: list[Any], budget: int, profile: Any) -> Any:
        """Return a pack."""
        return pf.pack_sections(sections, budget, token_profile=profile)

    def record(self, pack: Any) -> dict[str, Any]:
        """Return the record of all decisions."""
        record: dict[str, Any] = pack.manifest.to_dict()
        return record

    def kept(self, pack: Any) -> int:
        """Return how many items are in."""
        return len(pack.rows)


class Promptbudget:
    """The peer."""

    name = "promptbudget"
    version = version("promptbudget")

    def profile(self, counter: str) -> Any:
        """Return what counts; the heuristic is a quarter of the characters."""
        if counter != ENCODING:
            return promptbudget.CharTokenizer()
        encoding()
        return promptbudget.TiktokenTokenizer(encoding_name=ENCODING)

    def sections(self, wanted: list[Part], separator: str = "\n") -> list[Any]:
        """Return the sections with their items."""
        return [
            promptbudget.Section(
                part.plan.name,
                [promptbudget.Item(row.text, score=row.score) for row in part.rows],
                priority=part.plan.priority,
                min_tokens=part.floor,
                max_tokens=part.cap,
                strategy=part.plan.strategy,
                separator=separator,
            )
            for part in wanted
        ]

    def pack(self, sections: list[Any], budget: int, profile: Any) -> Any:
        """Return a pack."""
        return promptbudget.pack(sections, budget, tokenizer=profile)

    def record(self, pack: Any) -> dict[str, Any]:
        """Return the record of all decisions."""
        record: dict[str, Any] = pack.to_dict()
        return record

    def kept(self, pack: Any) -> int:
        """Return how many items are in, cut ones included."""
        return sum(len(section.items) for section in pack.sections)


Subject = Packframe | Promptbudget
