"""Generated conditions, as the oracle's and as ``pf.col`` expressions."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

from hypothesis import strategies as st

import packframe as pf
from oracle.condition import COMPARISONS, Both, Compare, Condition, Either, IsIn, IsNull, Not

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
TIMES = [NOW - timedelta(days=1), NOW, NOW + timedelta(seconds=1), NOW + timedelta(microseconds=5)]
SCORES: list[Any] = [0.5, 0.5, 0.25, -1, 0.0, -0.0, 1, 2.5, 1e300, 0.1]
SECTIONS = ["docs", "notes"]
GROUPS = ["g", "h"]

ORDERED: dict[str, list[Any]] = {
    "score": SCORES,
    "priority": SCORES,
    "retention": ["required", "preferred", "optional"],
    "sensitivity": ["public", "internal", "confidential", "restricted"],
    "created_at": TIMES,
    "expires_at": TIMES,
    "row": [0, 1, 2, 5, 9],
    "turn_from_end": [0, 1, 2, 3],
    "section": SECTIONS,
    "group": GROUPS,
}
UNORDERED: dict[str, list[Any]] = {
    "role": ["system", "developer", "user", "assistant", "tool"],
    "kind": ["text", "json", "binary", "reference", "message"],
    "trust": ["trusted", "untrusted", "quarantined"],
    "pinned": [True, False],
}
COLUMNS = ORDERED | UNORDERED
NULLABLE = ["section", "group", "created_at", "expires_at", "turn_from_end"]


@st.composite
def _leaves(draw: st.DrawFn) -> Condition:
    kind = draw(st.sampled_from(["compare", "compare", "compare", "is_in", "is_null"]))
    if kind == "is_null":
        return IsNull(draw(st.sampled_from(NULLABLE)))
    name = draw(st.sampled_from(sorted(COLUMNS)))
    values = st.sampled_from(COLUMNS[name])
    if kind == "is_in":
        return IsIn(name, tuple(draw(st.lists(values, max_size=3))))
    signs = sorted(COMPARISONS) if name in ORDERED else ["!=", "=="]
    return Compare(name, draw(st.sampled_from(signs)), draw(values))


conditions: st.SearchStrategy[Condition] = st.recursive(
    _leaves(),
    lambda inner: (
        st.builds(Not, inner) | st.builds(Both, inner, inner) | st.builds(Either, inner, inner)
    ),
    max_leaves=4,
)


def expression(condition: Condition) -> Any:
    """Write a condition as a ``pf.col`` expression."""
    if isinstance(condition, Compare):
        left = pf.col(condition.name)
        result: Any = {
            "==": lambda: left == condition.value,
            "!=": lambda: left != condition.value,
            "<": lambda: left < condition.value,
            "<=": lambda: left <= condition.value,
            ">": lambda: left > condition.value,
            ">=": lambda: left >= condition.value,
        }[condition.sign]()
        return result
    if isinstance(condition, IsIn):
        return pf.col(condition.name).is_in(list(condition.values))
    if isinstance(condition, IsNull):
        return pf.col(condition.name).is_null()
    if isinstance(condition, Not):
        return ~expression(condition.inner)
    left_side, right_side = expression(condition.left), expression(condition.right)
    return left_side & right_side if isinstance(condition, Both) else left_side | right_side
