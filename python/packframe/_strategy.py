"""Rules of the caller's: what a section keeps."""

from __future__ import annotations

from packframe._errors import invalid_option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Protocol

    from packframe._core import Item, Section
    from packframe._profile import TokenProfile
else:
    Protocol = object  # typing is slow to import


class DropResult:
    """What a strategy decided: the items that stay, and what it says of the others.

    Parameters
    ----------
    items : iterable of Item
        Items that were given, as they are or with a shorter content.
    decisions : mapping of str to str
        A reason for each item that it wants to explain, by id; the manifest has it as `rule`.
    """

    __slots__ = ("decisions", "items")

    def __init__(self, items: Iterable[Item], decisions: Mapping[str, str] | None = None) -> None:
        """Take what stays, and reasons by id."""
        if isinstance(items, (str, bytes, dict)) or not hasattr(type(items), "__iter__"):
            raise invalid_option("items", items, "is no list", "a list of items that were given")
        if decisions is not None and not hasattr(type(decisions), "keys"):
            remedy = "a dict of reasons by id, or None"
            raise invalid_option("decisions", decisions, "is no mapping", remedy)
        self.items = list(items)
        self.decisions = dict(decisions or {})

    def __repr__(self) -> str:
        """Show how much stays."""
        return f"DropResult({len(self.items)} items, {len(self.decisions)} decisions)"


class Strategy(Protocol):
    r"""A rule that decides what a section keeps: any object with `apply` is one.

    It is called once, when it is the section's turn. The host checks what it returns: where it
    loses a required item or changes one, invents an item, keeps half a group or is over what it
    was allocated, the default rule (`"truncate"`) decides instead, and the manifest says why in
    the section's `strategy_fault`. What it raises is chained into a `StrategyError`.

    >>> import packframe as pf
    >>> class EverySecond:
    ...     def apply(self, section, items, allocated, profile, separator):
    ...         return pf.DropResult(items[::2], {item.id: "odd" for item in items[1::2]})
    >>> pack = pf.pack_sections(
    ...     [pf.Section("notes", ["one", "two", "three"], drop="every-second")],
    ...     budget=100,
    ...     strategies={"every-second": EverySecond()},
    ... )
    >>> pack.text, [(decision.row, decision.reason) for decision in pack.dropped()]
    ('one\nthree', [(1, 'strategy:every-second')])
    """

    def apply(
        self,
        section: Section,
        items: Sequence[Item],
        allocated: int | None,
        profile: TokenProfile,
        separator: str,
    ) -> DropResult:
        """Return which of a section's admitted items stay.

        `allocated` is what the section may have in tokens, header and separators included, as a
        sum of parts; None where there is no ceiling. Each item carries its id.
        """
        raise NotImplementedError
