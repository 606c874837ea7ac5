"""The best pack by mixed-integer programming: HiGHS, one level of the objective after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import highspy

from .exhaustive import could_stand, rivals

if TYPE_CHECKING:
    from .instance import Group, Instance, Part, Vector

Terms = dict[int, float]


class _Model:
    """A model in the making: all variables are whole."""

    def __init__(self) -> None:
        self.solver = highspy.Highs()  # type: ignore[no-untyped-call]
        self.solver.setOptionValue("output_flag", False)  # noqa: FBT003  (its way)
        self.solver.setOptionValue("mip_rel_gap", 0.0)
        self.solver.setOptionValue("mip_abs_gap", 0.0)
        self.solver.setOptionValue("threads", 1)
        self.columns = 0

    def column(self, most: float = 1) -> int:
        self.solver.addVar(0, most)
        self.solver.changeColIntegrality(self.columns, highspy.HighsVarType.kInteger)
        self.columns += 1
        return self.columns - 1

    def row(self, terms: Terms, least: float, most: float) -> None:
        self.solver.addRow(least, most, len(terms), list(terms), list(terms.values()))

    def most(self, terms: Terms) -> int | None:
        """Return the greatest sum of some terms, and hold it from now on."""
        for column in range(self.columns):
            self.solver.changeColCost(column, terms.get(column, 0))
        self.solver.changeObjectiveSense(highspy.ObjSense.kMaximize)
        self.solver.run()
        if self.solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        shown = self.solver.getSolution().col_value
        most = sum(round(shown[column]) * weight for column, weight in terms.items())
        self.row(terms, most, highspy.kHighsInf)
        return round(most)


def solve(instance: Instance) -> Vector | None:
    """Return what the best pack with floors held is worth; None where there is none."""
    model = _Model()
    forms = {group.name: [model.column() for _ in group.forms] for group in instance.groups}
    for group in instance.groups:
        columns = forms[group.name]
        is_required = group.retention == "required"
        model.row(dict.fromkeys(columns, 1.0), float(is_required), 1.0)
        for column in columns[1:] if is_required else []:
            model.row({column: 1.0}, 0, 0)
    _bind(model, instance, forms)
    total, spent, opened, constant = _sections(model, instance, forms)
    # Between sections stands one joiner less than there are sections, if there are any.
    model.row(total, -highspy.kHighsInf, instance.budget + instance.joiner - constant)
    levels: list[Terms] = [
        {
            column: float(form.value)
            for group in instance.groups
            if group.retention == retention
            for column, form in zip(forms[group.name], group.forms, strict=True)
        }
        for retention in ("preferred", "optional")
    ]
    levels.append(
        {
            column: 1.0
            for group in instance.groups
            if group.retention != "required"
            for column in forms[group.name]
        }
    )
    found = [model.most(level) for level in levels]
    # A joiner stands before each section but the first.
    some = model.column()
    for column in opened:
        model.row({some: 1.0, column: -1.0}, 0, highspy.kHighsInf)
    model.row({some: 1.0, **dict.fromkeys(opened, -1.0)}, -highspy.kHighsInf, 0)
    cost = {column: -weight for column, weight in spent.items()}
    for column in opened:
        cost[column] = cost.get(column, 0) - instance.joiner
    cost[some] = float(instance.joiner)
    found.append(model.most(cost))
    if any(level is None for level in found):
        return None
    preferred, optional, count, tokens_left = (level or 0 for level in found)
    return preferred, optional, count, tokens_left


def _sections(
    model: _Model, instance: Instance, forms: dict[str, list[int]]
) -> tuple[Terms, Terms, list[int], float]:
    """Return what counts toward the budget, what is spent, what is open, and what is constant."""
    total: Terms = {}
    spent: Terms = {}
    opened = []
    constant = 0.0
    for part in instance.parts:
        own = [group for group in instance.groups if group.section == part.name]
        gap = part.separator if part.name else instance.joiner
        tokens: Terms = {}
        for group in own:
            for column, form in zip(forms[group.name], group.forms, strict=True):
                tokens[column] = sum(form.letters) + gap * len(form.letters)
        is_open = model.column()
        header = -gap if part.header is None else part.header
        tokens[is_open] = header
        for group in own:
            for column in forms[group.name]:
                model.row({is_open: 1.0, column: -1.0}, 0, highspy.kHighsInf)
        every = {column: -1.0 for group in own for column in forms[group.name]}
        model.row({is_open: 1.0, **every}, -highspy.kHighsInf, 0)
        if part.cap is not None:
            model.row(tokens, -highspy.kHighsInf, part.cap)
        _keep_order(model, instance, part, own, forms)
        floor = instance.floors.get(part.name, 0)
        spent |= tokens
        opened.append(is_open)
        if floor:
            # What a section takes is the floor, or more.
            takes = model.column(highspy.kHighsInf)
            model.row({takes: 1.0, **{c: -w for c, w in tokens.items()}}, 0, highspy.kHighsInf)
            model.row({takes: 1.0}, floor, highspy.kHighsInf)
            total[takes] = 1.0
            constant += instance.joiner
        else:
            total |= tokens
            total[is_open] += instance.joiner
    return total, spent, opened, constant


def _bind(model: _Model, instance: Instance, forms: dict[str, list[int]]) -> None:
    keys: dict[str, Terms] = {}
    for group in instance.groups:
        own = dict.fromkeys(forms[group.name], 1.0)
        for need in group.requires:
            model.row(own | dict.fromkeys(forms[need], -1.0), -highspy.kHighsInf, 0)
        if group.exclusive:
            keys.setdefault(group.exclusive, {}).update(own)
    for terms in keys.values():
        model.row(terms, 0, 1)


def _keep_order(
    model: _Model,
    instance: Instance,
    part: Part,
    own: list[Group],
    forms: dict[str, list[int]],
) -> None:
    free = [group for group in own if group.retention != "required"]
    if part.drop == "all_or_nothing" and free:
        for group in free:
            for column in forms[group.name][1:]:
                model.row({column: 1.0}, 0, 0)
            if group is not free[0]:
                model.row({forms[group.name][0]: 1.0, forms[free[0].name][0]: -1.0}, 0, 0)
    if part.drop in {"oldest", "newest"}:
        for retention in ("preferred", "optional"):
            lane = [group for group in free if group.retention == retention]
            lane = [group for group in lane if could_stand(instance, group)]
            _run(model, instance, lane[::-1] if part.drop == "oldest" else lane, forms)


def _run(model: _Model, instance: Instance, lane: list[Group], forms: dict[str, list[int]]) -> None:
    """A run goes past a group only where a rival of it, or of what it needs, is in."""
    for at, after in enumerate(lane):
        for before in lane[:at]:
            terms = dict.fromkeys(forms[before.name], -1.0)
            for name in rivals(instance, before):
                terms |= dict.fromkeys(forms[name], -1.0)
            for column in forms[after.name]:
                terms[column] = terms.get(column, 0.0) + 1.0
            model.row(terms, -highspy.kHighsInf, 0)
