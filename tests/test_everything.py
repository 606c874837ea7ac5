"""Packs with everything switched on, against the slow packer that was written from the spec."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import event, given

import packframe as pf
from oracle import OracleFailure, pack
from support.everything import Everything, busy, everything
from support.examples import EXAMPLES, examples
from support.pairs import pair

if TYPE_CHECKING:
    from collections.abc import Callable

ROW = ("row", "form", "tokens", "why", "position")


def frame(plan: Everything) -> pf.Frame:
    """Make the frame."""
    return pf.Frame.from_records(plan.records)


def earlier(plan: Everything) -> pf.PackManifest | None:
    """Return the manifest of a pack that kept what the plan says, in its order."""
    if plan.previous is None:
        return None
    keys = ("id", "content", "kind")
    kept = [plan.records[row] for row in plan.previous]
    records = [{key: record[key] for key in keys if key in record} for record in kept]
    return pf.Frame.from_records(records).pack(None, render="text").manifest


def declared(plan: Everything) -> list[pf.Section]:
    """Make the sections; a floor over its own cap is refused, so it is lowered to it."""
    for section in plan.sections:
        cap = section.get("max_tokens")
        if cap is not None:
            section["min_tokens"] = min(section.get("min_tokens", 0), cap)
    return [pf.Section(**section) for section in plan.sections]


def view(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return what both sides have to agree on."""
    return {
        "selected": [tuple(record[key] for key in ROW) for record in manifest["selected"]],
        "excluded": [
            (record["row"], record["reason"], record["shortfall"])
            for record in manifest["excluded"]
        ],
        "total_tokens": manifest["total_tokens"],
        "rendered_sha256": manifest["rendered_sha256"],
        "sections": [
            {key: section[key] for key in ("name", "floor", "cap", "tokens")}
            for section in manifest["sections"]
        ],
        "tokens_by": manifest["tokens_by"],
    }


def check_failure(packed: Callable[[], pf.Pack], failure: OracleFailure) -> None:
    """Packframe has to fail as the oracle does, with the same numbers."""
    with pytest.raises(getattr(pf, failure.name)) as caught:
        packed()
    assert type(caught.value).__name__ == failure.name
    for name, value in failure.attributes.items():
        got = getattr(caught.value, name)
        assert (list(got) if name == "rows" else got) == value, name


def compare(plan: Everything) -> list[str]:
    """Pack on both sides and compare; return what happened."""
    sections = declared(plan)

    def packed() -> pf.Pack:
        return frame(plan).pack(
            token_profile=pair(plan.counter).profile,
            sections=sections,
            previous=earlier(plan),
            **plan.arguments,
        )

    try:
        right = pack(plan.frame(), plan.options())
    except OracleFailure as failure:
        check_failure(packed, failure)
        return [f"raises {failure.name}"]
    manifest = packed().manifest.to_dict()
    assert view(manifest) == view(right.manifest)
    return [
        *(f"{record['form']} {record['why']}" for record in manifest["selected"]),
        *(record["reason"] for record in manifest["excluded"]),
    ]


@pytest.mark.parametrize("part", range(8))
def test_busy_packs_equal_the_oracles(part: int) -> None:
    """Packs of a dozen rows that use most features at once, from seeds."""
    for seed in range(part, 8 * (EXAMPLES or 60), 8):
        compare(busy(seed))


@examples(300)
@given(plan=everything())
def test_drawn_packs_equal_the_oracles(plan: Everything) -> None:
    """Every feature may meet every other."""
    for name in compare(plan):
        event(name)
