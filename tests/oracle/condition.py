"""Conditions on rows in three-valued logic: true, false, or null."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .row import RETENTIONS, SENSITIVITIES

if TYPE_CHECKING:
    from collections.abc import Callable

    from .frame import OracleFrame
    from .row import Row

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
RANKED = {"retention": RETENTIONS, "sensitivity": SENSITIVITIES}


def column(frame: OracleFrame, number: int, name: str) -> Any:
    """Return the value of a column in a row."""
    if name == "row":
        return number
    if name == "turn_from_end":
        return frame.turn_from_end(number)
    return getattr(frame.rows[number], name)


@dataclass(frozen=True)
class Compare:
    """A column against a value."""

    name: str
    sign: str
    value: Any

    def at(self, frame: OracleFrame, number: int) -> bool | None:
        """Compare; with null the answer is null."""
        left = column(frame, number, self.name)
        if left is None:
            return None
        right = self.value
        if self.name in RANKED:
            left, right = RANKED[self.name].index(left), RANKED[self.name].index(right)
        return COMPARISONS[self.sign](left, right)


@dataclass(frozen=True)
class IsIn:
    """A column against several values."""

    name: str
    values: tuple[Any, ...]

    def at(self, frame: OracleFrame, number: int) -> bool | None:
        """Look for the value; null is in nothing and not out of it either."""
        left = column(frame, number, self.name)
        return None if left is None else left in self.values


@dataclass(frozen=True)
class IsNull:
    """Whether a column is null."""

    name: str

    def at(self, frame: OracleFrame, number: int) -> bool | None:
        """Never null itself."""
        return column(frame, number, self.name) is None


@dataclass(frozen=True)
class Not:
    """The opposite."""

    inner: Condition

    def at(self, frame: OracleFrame, number: int) -> bool | None:
        """Null stays null."""
        value = self.inner.at(frame, number)
        return None if value is None else not value


@dataclass(frozen=True)
class Both:
    """And."""

    left: Condition
    right: Condition

    def at(self, frame: OracleFrame, number: int) -> bool | None:
        """Let false win over null, null over true."""
        values = {self.left.at(frame, number), self.right.at(frame, number)}
        return False if False in values else None if None in values else True


@dataclass(frozen=True)
class Either:
    """Or."""

    left: Condition
    right: Condition

    def at(self, frame: OracleFrame, number: int) -> bool | None:
        """Let true win over null, null over false."""
        values = {self.left.at(frame, number), self.right.at(frame, number)}
        return True if True in values else None if None in values else False


Condition = Compare | IsIn | IsNull | Not | Both | Either


def on(condition: Condition, frame: OracleFrame) -> Callable[[Row], bool]:
    """Return the rows of a frame for which a condition is true."""
    hits = {row.uid for at, row in enumerate(frame.rows) if condition.at(frame, at) is True}
    return lambda row: row.uid in hits
