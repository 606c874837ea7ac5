"""Packs whose best choice is known by definition: a text of letters, each of them a token."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from typing import Any

import packframe as pf

Vector = tuple[int, int, int, int]
"""Value of what is preferred, value of what is optional, groups, and tokens below 0."""


@dataclass(frozen=True, slots=True)
class Form:
    """A way in which a group may be packed."""

    letters: tuple[int, ...]
    """Letters of each of its parts."""
    value: int


@dataclass(frozen=True, slots=True)
class Group:
    """Items with one fate."""

    name: str
    section: str | None
    retention: str
    forms: tuple[Form, ...]
    """The whole first."""
    requires: tuple[str, ...] = ()
    exclusive: str | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A section."""

    name: str | None
    drop: str = "lowest_score"
    least: int = 0
    cap: int | None = None
    separator: int = 2
    header: int | None = None


@dataclass(frozen=True, slots=True)
class Instance:
    """A pack to be made."""

    groups: tuple[Group, ...]
    parts: tuple[Part, ...]
    budget: int
    joiner: int = 2
    floors: dict[str | None, int] = field(default_factory=dict)

    def frame(self) -> pf.Frame:
        """Return the items, one after the other."""
        records: list[dict[str, Any]] = []
        for group in self.groups:
            whole, *others = group.forms
            for at, letters in enumerate(whole.letters):
                record: dict[str, Any] = {
                    "id": f"{group.name}{at or ''}",
                    "content": "x" * letters,
                    "retention": group.retention,
                    "score": whole.value / 2**20,
                    "group": group.name if len(whole.letters) > 1 else None,
                }
                if group.section is not None:
                    record["section"] = group.section
                if at == 0:
                    record["requires"] = list(group.requires)
                    record["exclusive"] = group.exclusive
                    record["alternatives"] = [
                        {"content": "y" * other.letters[0], "value": other.value / whole.value}
                        for other in others
                    ]
                records.append({key: value for key, value in record.items() if value is not None})
        return pf.Frame.from_records(records)

    def pack(self, **options: Any) -> pf.Pack:
        """Pack it."""
        sections = [
            pf.Section(
                part.name,
                drop=part.drop,
                required=False if part.drop == "all_or_nothing" else None,
                min_tokens=part.least,
                max_tokens=part.cap,
                separator="-" * part.separator,
                header=None if part.header is None else "#" * part.header,
            )
            for part in self.parts
            if part.name is not None
        ]
        return self.frame().pack(
            self.budget,
            token_profile=len,
            separator="+" * self.joiner,
            sections=sections,
            layout="section",
            **options,
        )

    def vector(self, pack: pf.Pack) -> Vector:
        """Return what a pack is worth."""
        shown = {item.id: len(str(item.content)) for item in pack.items}
        values = {"preferred": 0, "optional": 0}
        count = 0
        for group in self.groups:
            if group.retention == "required" or group.name not in shown:
                continue
            count += 1
            form = next(form for form in group.forms if form.letters[0] == shown[group.name])
            values[group.retention] += form.value
        return values["preferred"], values["optional"], count, -pack.total_tokens


def random_instance(seed: int, most: int, *, floors: bool = True) -> Instance:
    """Return an instance of up to so many groups, in up to three sections."""
    rng = random.Random(seed)
    parts = [Part(None)]
    for name in rng.sample(["a", "b", "c"], rng.randint(0, 3)):
        cap = rng.choice([None, rng.randint(20, 120)])
        least = rng.choice([0, rng.randint(5, 60)]) if floors else 0
        drop = rng.choice(["lowest_score"] * 3 + ["truncate", "oldest", "newest"])
        parts.append(
            Part(
                name,
                drop=rng.choice([drop] * 4 + ["all_or_nothing"]),
                least=least if cap is None else min(least, cap),
                cap=cap,
                separator=rng.randint(0, 3),
                header=rng.choice([None, rng.randint(1, 6)]),
            )
        )
    spread = rng.choice([4, 40, 2**20])
    groups: list[Group] = []
    names = [f"g{at}" for at in range(rng.randint(1, most))]
    for name in names:
        value = rng.randint(1, spread) * (2**20 // spread)
        size = rng.choice([1, 1, 1, 2])
        letters = tuple(rng.randint(3, 40) for _ in range(size))
        forms = [Form(letters, value)]
        if size == 1 and rng.random() < 0.4:
            for share in range(1, rng.randint(2, 3)):
                shorter = rng.randint(1, max(1, letters[0] - share))
                if all(form.letters[0] != shorter for form in forms):
                    forms.append(Form((shorter,), value >> share))
        kin = [other for other in names if other != name]
        needs = rng.sample(kin, 1) if kin and rng.random() < 0.2 else []
        groups.append(
            Group(
                name,
                rng.choice([part.name for part in parts]),
                rng.choices(["required", "preferred", "optional"], [1, 3, 8])[0],
                tuple(forms) if value >> 2 else (forms[0],),
                tuple(needs),
                rng.choice("kl") if rng.random() < 0.15 else None,
            )
        )
    # What a required group requires is required.
    must = [group.name for group in groups if group.retention == "required"]
    for name in must:
        must += [need for need in groups[names.index(name)].requires if need not in must]
    for name in must:
        at = names.index(name)
        groups[at] = replace(groups[at], retention="required")
    total = sum(sum(group.forms[0].letters) for group in groups)
    return Instance(tuple(groups), tuple(parts), rng.randint(10, 20 + total), rng.randint(0, 3))
