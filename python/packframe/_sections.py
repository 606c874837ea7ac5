"""Packing by sections: a front door to `Frame.pack`."""

from __future__ import annotations

from packframe._core import Frame as CoreFrame
from packframe._core import Section
from packframe._errors import invalid_option
from packframe._errors import listed as _listed
from packframe._frame import Frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from packframe._pack import Pack


def pack_sections(
    sections: Iterable[Section],
    budget: int | None,
    *,
    reserve: int = 0,
    token_profile: Any = None,
    joiner: str = "\n\n",
    **options: Any,
) -> Pack:
    """Return what fits of some sections, rendered in their order, and the record of it.

    The frame is the items of all sections, one section after the other; the pack is a text in the
    layout `"section"`: each section that has an item shows its header, its items with its
    separator between them, and `joiner` stands between two sections. A section of higher priority
    takes its tokens first; the order of the rendering is that of the list.

    Parameters
    ----------
    sections : iterable of Section
        Each with its items, floor, cap, priority and drop rule.
    budget : int or None
        Ceiling of the whole call in tokens; None for no ceiling.
    reserve : int
        Tokens kept for the reply.
    token_profile : TokenProfile, callable or None
        What counts, as in `Frame.pack`.
    joiner : str
        What stands between two sections.
    **options
        Every other option of `Frame.pack`, but `render`, `layout` and `separator`.

    Raises
    ------
    FloorsExceedBudget
        If what is required and the floors together do not fit.
    SectionOverflow
        If required items are over the cap of their section, or an `"all_or_nothing"` section that
        must be there does not fit.
    InvalidOption, InvalidItem
        For arguments that make no sense; rows count through all sections.

    And what `Frame.pack` raises. Costs what packing the frame costs.

    >>> import packframe as pf
    >>> pack = pf.pack_sections(
    ...     [
    ...         pf.Section("system", ["Answer briefly."], priority=2, drop="all_or_nothing"),
    ...         pf.Section("history", ["Hello.", "Hi!", "Where is it?"], drop="oldest"),
    ...         pf.Section("facts", ["It is in Oslo.", "It is blue."], priority=1, header="Facts:"),
    ...     ],
    ...     budget=8,
    ...     token_profile=lambda text: len(text.split()),
    ... )
    >>> print(pack.text)
    Answer briefly.
    <BLANKLINE>
    Facts:
    It is…
    It is blue.
    >>> [(decision.row, decision.action, decision.reason) for decision in pack.dropped()][2:]
    [(3, 'excluded', 'budget'), (4, 'cut', 'budget')]
    """
    for taken in ("render", "layout", "separator"):
        if taken in options:
            remedy = "joiner" if taken == "separator" else "Frame.pack"
            raise invalid_option(taken, options[taken], "is decided by the sections", remedy)
    listed = _listed("sections", sections, "a list of pf.Section")
    for section in listed:
        if not isinstance(section, Section):
            raise invalid_option("sections", section, "is no section", "a pf.Section")
        if section.top_k is not None:
            problem = f"of section {section.name!r} is asked by a request only"
            remedy = "pf.Request(context=[...]), or give the section its items"
            raise invalid_option("source", section.source, problem, remedy)
    frame = Frame._of(CoreFrame.of_sections(listed))  # noqa: SLF001  (a friend)
    return frame.pack(
        budget,
        reserve=reserve,
        token_profile=token_profile,
        render="text",
        separator=joiner,
        layout="section",
        sections=[section._rules() for section in listed],  # noqa: SLF001  (a friend)
        **options,
    )
