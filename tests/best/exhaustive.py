"""The best pack of all, by looking at each: only for a handful of groups."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .instance import Form, Group, Instance, Part, Vector

Choice = tuple["Form | None", ...]


def best(instance: Instance) -> set[Vector]:
    """Return what the best packs are worth: one vector, or one for each way to hold the floors.

    First nothing may be in the room that is held for another section; then what is held is
    released, what was chosen stays in a form worth no less, and the rest is chosen anew.
    """
    choices = [choice for choice in _choices(instance) if _allowed(instance, choice)]
    held = _best(instance, choices, floors=True)
    if not held:
        return set()
    found = set()
    for first in held:
        later = [choice for choice in choices if _keeps(first, choice)]
        found |= {_vector(instance, choice) for choice in _best(instance, later, floors=False)}
    return found


def _choices(instance: Instance) -> list[Choice]:
    ways = [
        group.forms[:1] if group.retention == "required" else (None, *group.forms)
        for group in instance.groups
    ]
    return list(itertools.product(*ways))


def _keeps(first: Choice, later: Choice) -> bool:
    return all(
        old is None or (new is not None and new.value >= old.value)
        for old, new in zip(first, later, strict=True)
    )


def _allowed(instance: Instance, choice: Choice) -> bool:
    """Say whether bonds and rules are kept, and caps."""
    pairs = list(zip(instance.groups, choice, strict=True))
    kept = {group.name for group, form in pairs if form is not None}
    keys = [group.exclusive for group, form in pairs if form is not None and group.exclusive]
    if len(keys) != len(set(keys)):
        return False
    if any(not kept >= set(group.requires) for group in instance.groups if group.name in kept):
        return False
    for part in instance.parts:
        own = [(group, form) for group, form in pairs if group.section == part.name]
        if part.cap is not None and _tokens(part, own) > part.cap:
            return False
        free = [(group, form) for group, form in own if group.retention != "required"]
        if not _in_order(instance, part, free, kept):
            return False
    return True


def _in_order(
    instance: Instance,
    part: Part,
    pairs: list[tuple[Group, Form | None]],
    kept: set[str],
) -> bool:
    """Say whether a section's rule is kept."""
    if part.drop == "all_or_nothing":
        whole = [form is group.forms[0] for group, form in pairs]
        return all(whole) or not any(form for _, form in pairs)
    if part.drop not in {"oldest", "newest"}:
        return True
    for retention in ("preferred", "optional"):
        lane = [pair for pair in pairs if pair[0].retention == retention]
        if part.drop == "oldest":
            lane.reverse()
        is_stopped = False
        for group, form in lane:
            if form is not None and is_stopped:
                return False
            is_stopped |= (
                form is None
                and could_stand(instance, group)
                and not _has_rival(instance, group, kept)
            )
    return True


def come_along(instance: Instance, group: Group) -> list[str]:
    """Return a group and all that it needs, by name."""
    names = {other.name: other for other in instance.groups}
    along = [group.name]
    for name in along:
        along += [need for need in names[name].requires if need not in along]
        section = names[name].section
        rule = next(part.drop for part in instance.parts if part.name == section)
        if rule == "all_or_nothing" and names[name].retention != "required":
            along += [
                other.name
                for other in instance.groups
                if other.section == section and other.name not in along
            ]
    return along


def rivals(instance: Instance, group: Group) -> set[str]:
    """Return the names of the rivals of a group, and of what it needs."""
    along = come_along(instance, group)
    own = {other.exclusive for other in instance.groups if other.name in along and other.exclusive}
    return {other.name for other in instance.groups if other.exclusive in own} - set(along)


def _has_rival(instance: Instance, group: Group, kept: set[str]) -> bool:
    return bool(rivals(instance, group) & kept)


def could_stand(instance: Instance, group: Group) -> bool:
    """Say whether some form of a group, with all that it needs, fits beside the required ones."""
    along = come_along(instance, group)
    keys = [
        other.exclusive
        for other in instance.groups
        if other.exclusive and (other.retention == "required" or other.name in along)
    ]
    if len(keys) != len(set(keys)):
        return False
    for shown in group.forms:
        choice: Choice = tuple(
            shown
            if other is group
            else other.forms[0]
            if other.retention == "required" or other.name in along
            else None
            for other in instance.groups
        )
        pairs = list(zip(instance.groups, choice, strict=True))
        within = all(
            part.cap is None
            or _tokens(part, [pair for pair in pairs if pair[0].section == part.name]) <= part.cap
            for part in instance.parts
        )
        if within and _total(instance, choice, floors=False) <= instance.budget:
            return True
    return False


def _tokens(part: Part, pairs: list[tuple[Group, Form | None]]) -> int:
    """Return the letters of a section: header, parts and separators."""
    parts = [letters for _, form in pairs if form is not None for letters in form.letters]
    if not parts:
        return 0
    header = [] if part.header is None else [part.header]
    return sum(header + parts) + part.separator * (len(header + parts) - 1)


def _total(instance: Instance, choice: Choice, *, floors: bool) -> int:
    """Return the letters of a pack, with what is held."""
    filled = []
    for part in instance.parts:
        pairs = zip(instance.groups, choice, strict=True)
        own = [(group, form) for group, form in pairs if group.section == part.name]
        # The section of all that is in none has the joiner between its parts.
        tokens = _tokens(part if part.name else _plain(instance), own)
        if floors:
            tokens = max(tokens, instance.floors.get(part.name, 0))
        if tokens or any(form for _, form in own):
            filled.append(tokens)
    return sum(filled) + instance.joiner * max(len(filled) - 1, 0)


def _plain(instance: Instance) -> Part:
    from .instance import Part  # noqa: PLC0415  (the other way round for types)

    return Part(None, separator=instance.joiner)


def _vector(instance: Instance, choice: Choice) -> Vector:
    values = {"preferred": 0, "optional": 0, "required": 0}
    count = 0
    for group, form in zip(instance.groups, choice, strict=True):
        if form is not None and group.retention != "required":
            values[group.retention] += form.value
            count += 1
    total = _total(instance, choice, floors=False)
    return values["preferred"], values["optional"], count, -total


def _best(instance: Instance, choices: list[Choice], *, floors: bool) -> list[Choice]:
    fitting = [
        choice for choice in choices if _total(instance, choice, floors=floors) <= instance.budget
    ]
    if not fitting:
        return []
    most = max(_vector(instance, choice) for choice in fitting)
    return [choice for choice in fitting if _vector(instance, choice) == most]
