"""What has to hold of every pack, checked on a pack of the oracle."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from oracle import OraclePack, pack
from oracle.group import Group, grouped
from oracle.pricing import Pricing

if TYPE_CHECKING:
    from .everything import Everything

ORDER_RULES = {"oldest", "newest", "cut_then_stop"}


class Packed:
    """A pack with what is needed to check it again."""

    def __init__(self, plan: Everything) -> None:
        """Pack; raises what packing raises."""
        self.options = plan.options()
        self.frame = plan.frame()
        self.pack: OraclePack = pack(self.frame, self.options)
        self.manifest = self.pack.manifest
        self.selected = {record["row"]: record for record in self.manifest["selected"]}
        self.excluded = {record["row"]: record for record in self.manifest["excluded"]}
        self.groups = grouped(self.frame)
        self.pricing = Pricing.begin(
            self.frame, self.options, [g for g in self.groups if not self.is_unsupported(g)]
        )
        self.sections = {section.name: section for section in self.options.declared}

    def is_unsupported(self, group: Group) -> bool:
        """Tell whether a group was never costed."""
        return any(self.frame.rows[row].unsupported for row in group.rows)

    def group_of(self, row: int) -> Group:
        """Return the group of a row."""
        return next(group for group in self.groups if row in group.rows)

    def drop(self, row: int) -> str:
        """Return the drop rule of the section of a row."""
        section = self.sections.get(self.frame.rows[row].section or "")
        return "implicit" if section is None else section.drop

    def members(self, row: int) -> set[int]:
        """Return the rows that are one with a row."""
        group = self.group_of(row)
        if group.required or self.drop(row) != "all_or_nothing":
            return set(group.rows)
        return {
            member
            for other in self.groups
            if other.section == group.section and not other.required
            for member in other.rows
            if self.excluded.get(member, {"reason": ""})["reason"]
            not in {"quarantined", "group_incomplete", "unsupported_content"}
        }

    def bundle(self, row: int) -> set[int]:
        """Return the rows that are taken with a row."""
        ids = {name: number for number, name in enumerate(self.frame.ids)}
        found: set[int] = set()
        todo = [row]
        while todo:
            current = todo.pop()
            if current in found:
                continue
            found.add(current)
            todo += self.members(current)
            todo += [ids[name] for name in self.frame.rows[current].requires]
        return found


def a_pack_is_never_over(packed: Packed) -> None:
    """What is rendered, counted, is the total, and within what is available."""
    total = packed.manifest["total_tokens"]
    if packed.options.available is not None:
        assert total <= packed.options.available
    if packed.pack.text is not None:
        assert total == packed.options.counter.count(packed.pack.text)
    parts = packed.manifest["tokens_by"]["part"].values()
    assert sum(part["tokens"] for part in parts) == total


def each_row_has_one_decision(packed: Packed) -> None:
    """A row is selected or excluded, and a group shares its fate."""
    rows = [*packed.selected, *packed.excluded]
    assert sorted(rows) == list(range(len(packed.frame.rows)))
    for group in packed.groups:
        assert len({row in packed.selected for row in group.rows}) == 1
    for group in packed.groups:
        members = packed.members(group.place)
        if packed.drop(group.place) == "all_or_nothing" and group.place in members:
            assert len({row in packed.selected for row in members}) == 1


def contracts_hold(packed: Packed) -> None:
    """Required rows are whole, caps hold, rivals exclude each other, requirements are there."""
    ids = packed.frame.ids
    chosen = [packed.group_of(row) for row in packed.selected]
    keys = [
        key
        for group in {group.place: group for group in chosen}.values()
        for key in group.exclusive
    ]
    assert len(keys) == len(set(keys))
    for group in packed.groups:
        if group.required:
            assert {packed.selected[row]["form"] for row in group.rows} == {"whole"}
    for row in packed.selected:
        assert {ids.index(name) for name in packed.frame.rows[row].requires} <= set(packed.selected)
    for section in packed.manifest["sections"]:
        if section["cap"] is not None:
            assert section["tokens"] <= section["cap"]
    for row, record in packed.excluded.items():
        if record["reason"] == "exclusive":
            assert record["rule"] in {
                key for member in packed.members(row) for key in packed.group_of(member).exclusive
            }


def cuts_are_what_an_item_allows(packed: Packed) -> None:
    """A cut is a head with its marker, or JSON with fewer elements, not below its least."""
    for row, record in packed.selected.items():
        item = packed.frame.rows[row]
        if record["form"] == "whole":
            continue
        assert packed.group_of(row).rows == (row,)
        assert not item.pinned
        if record["form"] == "alternative":
            assert packed.drop(row) != "all_or_nothing"
            continue
        assert packed.drop(row) in {"implicit", "truncate", "cut_then_stop"}
        assert item.cut_to is not None
        assert record["content_tokens"] >= item.cut_to
        shown = [message["content"] for message in packed.pack.messages]
        cut = shown[record["position"]]
        if item.kind == "json":
            assert len(json.loads(cut)) < len(item.content)
        else:
            assert cut.endswith("…")
            assert item.content.startswith(cut[:-1])


def what_is_out_for_budget_would_be_over(packed: Packed) -> None:
    """The rendering with a group, whole, and all that it requires, is over by the shortfall."""
    opaque = packed.pricing.recounts and packed.options.counter.opaque
    for row, record in packed.excluded.items():
        if record["reason"] not in {"budget", "section_cap", "join_cost"}:
            continue
        if record["reason"] != "join_cost":
            assert record["shortfall"] > 0
        if record["reason"] == "join_cost" or packed.options.available is None:
            continue
        shown = packed.pack.shown | packed.pricing.shown(packed.bundle(row) - set(packed.selected))
        count = packed.pricing.sum(shown) if opaque else packed.pricing.count(shown)
        over = count - packed.options.available
        if record["reason"] == "budget":
            assert over == record["shortfall"]
        else:
            assert over <= 0
            assert record["rule"] in packed.pricing.over_caps(shown)


def floors_are_kept(packed: Packed) -> None:
    """If nothing was shed, no plain group is out that its section's floor had room for."""
    reasons = {record["reason"] for record in packed.excluded.values()}
    if "join_cost" in reasons:
        return
    floors = {section["name"]: section for section in packed.manifest["sections"]}
    for row, record in packed.excluded.items():
        section = floors.get(packed.frame.rows[row].section or "")
        members = packed.members(row)
        if section is None or record["reason"] != "budget" or packed.drop(row) in ORDER_RULES:
            continue
        if any(
            packed.frame.rows[member].requires or packed.frame.rows[member].exclusive
            for member in members
        ):
            continue
        shown = packed.pack.shown | packed.pricing.shown(members)
        with_it = packed.pricing.tokens_in(section["name"], shown)
        assert not section["tokens"] < with_it <= section["floor"]


def preferred_come_first(packed: Packed) -> None:
    """Beside floors and whole sections, no optional row takes the room of a preferred one."""
    if any(
        section.min_tokens or section.drop in {"all_or_nothing", "cut_then_stop"}
        for section in packed.sections.values()
    ) or any(record["reason"] == "join_cost" for record in packed.excluded.values()):
        return
    if any(row.requires or row.exclusive for row in packed.frame.rows):
        return
    strong = {
        row: form
        for row, form in packed.pack.shown.items()
        if packed.group_of(row).retention != "optional"
    }
    for row, record in packed.excluded.items():
        group = packed.group_of(row)
        if record["reason"] not in {"budget", "section_cap"} or packed.drop(row) in ORDER_RULES:
            continue
        if group.retention == "preferred":
            shown = strong | packed.pricing.shown(group.rows)
            total = packed.pricing.sum(shown)
            assert packed.pricing.over_caps(shown) or not packed.options.fits(total)
