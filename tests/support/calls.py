"""Generated arguments of ``pack``, for packframe and for the oracle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

import packframe as pf
from oracle import Options, OracleBoundary, OraclePolicy
from oracle.condition import Condition, on

from .conditions import NOW, conditions, expression
from .frames import is_short
from .pairs import PAIRS, pair

if TYPE_CHECKING:
    from collections.abc import Callable

    from oracle import OracleFrame
    from oracle.row import Row

SEPARATORS = ["\n\n", "", "\n", " ", "--- ", "\r\n", "a1_."]


class NoShort:
    """Refuses texts of less than three characters."""

    id = "no-short"

    def evaluate(self, item: pf.Item, boundary: pf.Boundary) -> str | None:
        """Return the name of the rule."""
        del boundary
        return "too short" if item.text is not None and len(item.text) < 3 else None


class NoTools:
    """Refuses role tool."""

    id = "no-tools"

    def evaluate(self, item: pf.Item, boundary: pf.Boundary) -> str | None:
        """Return the name of the rule."""
        del boundary
        return "tool output" if item.role == "tool" else None


POLICIES: dict[str, tuple[Any, Callable[[Row], str | None]]] = {
    "no-short": (NoShort(), lambda row: "too short" if is_short(row) else None),
    "no-tools": (NoTools(), lambda row: "tool output" if row.role == "tool" else None),
}


@dataclass(frozen=True)
class Call:
    """The arguments of one pack."""

    pair: str
    reserve: int
    render: str | None
    separator: str
    labels: bool
    boundary: OracleBoundary
    policies: tuple[str, ...]
    overflow: tuple[tuple[Condition, str], ...]
    margin: float
    budget: int | None = None

    def arguments(self) -> dict[str, Any]:
        """Return packframe's keyword arguments."""
        overflow = None
        for condition, to in self.overflow:
            step = pf.Overflow.demote(expression(condition), to=to)
            overflow = step if overflow is None else overflow | step
        boundary = (
            pf.Boundary.internal(self.boundary.target)
            if self.boundary.kind == "internal"
            else pf.Boundary.external(
                self.boundary.target, require_provenance=self.boundary.require_provenance
            )
        )
        return {
            "budget": self.budget,
            "reserve": self.reserve,
            "token_profile": pair(self.pair).profile,
            "render": self.render,
            "separator": self.separator,
            "labels": self.labels,
            "boundary": boundary,
            "policies": [POLICIES[name][0] for name in self.policies],
            "overflow": overflow,
            "margin": self.margin,
            "now": NOW,
            # The oracle has messages compete by score.
            "selection": "greedy",
        }

    def options(self, frame: OracleFrame) -> Options:
        """Return the oracle's options."""
        return Options(
            budget=self.budget,
            counter=pair(self.pair).counter,
            reserve=self.reserve,
            render=self.render,
            separator=self.separator,
            labels=self.labels,
            boundary=self.boundary,
            policies=tuple(OraclePolicy(name, POLICIES[name][1]) for name in self.policies),
            overflow=tuple((on(condition, frame), to) for condition, to in self.overflow),
            margin=self.margin,
            now=NOW,
        )


@st.composite
def calls(draw: st.DrawFn, pairs: tuple[str, ...] = tuple(PAIRS)) -> Call:
    """Return arguments without a budget."""
    boundary = draw(
        st.sampled_from(
            [OracleBoundary()] * 6
            + [
                OracleBoundary("external", "openai"),
                OracleBoundary("external", "x", require_provenance=True),
            ]
        )
    )
    demotions = st.tuples(conditions, st.sampled_from(["optional", "preferred"]))
    overflow = draw(st.lists(demotions, max_size=2))
    return Call(
        pair=draw(st.sampled_from(pairs)),
        reserve=draw(st.sampled_from([0, 0, 0, 1, 7])),
        render=draw(st.sampled_from([None, "text", "text", "messages"])),
        separator=draw(st.sampled_from(SEPARATORS)),
        labels=draw(st.sampled_from([False, False, True])),
        boundary=boundary,
        policies=draw(
            st.sampled_from([(), (), (), (), (), ("no-short",), ("no-tools", "no-short")])
        ),
        overflow=tuple(overflow),
        margin=draw(st.sampled_from([0, 0, 0, 1, 3, 0.07, 0.1, 0.3])),
    )


@st.composite
def joining_calls(draw: st.DrawFn, pairs: tuple[str, ...]) -> Call:
    """Return arguments under which joins matter."""
    return Call(
        pair=draw(st.sampled_from(pairs)),
        reserve=0,
        render="text",
        separator=draw(st.sampled_from(["", "", "\r\n", "\n", " ", "a1_."])),
        labels=draw(st.sampled_from([False, False, True])),
        boundary=OracleBoundary(),
        policies=(),
        overflow=(),
        margin=draw(st.sampled_from([0, 0, 0, 2])),
    )


budgets: st.SearchStrategy[tuple[str, float, int]] = st.one_of(
    st.tuples(st.just("share"), st.floats(0, 1.1), st.integers(-2, 2)),
    st.tuples(st.just("share"), st.floats(0, 1.1), st.integers(-2, 2)),
    st.tuples(st.just("share"), st.floats(0, 1.1), st.integers(-2, 2)),
    st.tuples(st.just("tiny"), st.just(0.0), st.integers(0, 6)),
    st.tuples(st.just("huge"), st.just(0.0), st.just(10**9)),
    st.tuples(st.just("none"), st.just(0.0), st.just(0)),
)


def budget_of(kind: str, share: float, delta: int, whole: int, reserve: int) -> int | None:
    """Return a budget: a share of what everything costs, a tiny or huge one, or none."""
    if kind == "none":
        return None
    return reserve + max(0, round(share * whole) + delta)
