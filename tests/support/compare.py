"""Run packframe and the oracle on one plan and compare all that they say."""

from __future__ import annotations

import dataclasses
import warnings
from typing import TYPE_CHECKING, Any

import pytest

import packframe as pf
from oracle import Options, OracleFailure, pack

from .calls import budget_of
from .pairs import pair

if TYPE_CHECKING:
    from oracle import OracleFrame

    from .calls import Call
    from .frames import Plan

UNSTATED = (
    "library_version",
    "manifest_id",
    "token_profile",
    "token_profile_id",
    "token_profile_fingerprint",
)
"""Keys that only packframe knows; the profile's own are compared with the profile."""

PARTIAL_UNSTATED = (
    *UNSTATED,
    "total_tokens",
    "remaining_tokens",
    "accuracy",
    "estimated",
    "rendered_sha256",
    "rendered_bytes",
    "tokens_by",
    "warnings",
)
"""Keys whose value in a partial manifest the contract leaves open."""


def whole(frame: OracleFrame, options: Options) -> int:
    """Return what everything that may be packed costs together."""
    free = dataclasses.replace(options, budget=None)
    try:
        total: int = pack(frame, free).manifest["total_tokens"]
    except OracleFailure:
        return 40
    return total


def with_budget(plan: Plan, call: Call, budget: tuple[str, float, int]) -> Call:
    """Return the call with a budget that suits the frame."""
    try:
        frame = plan.oracle()
        total = whole(frame, call.options(frame))
    except OracleFailure:
        total = 40
    return dataclasses.replace(call, budget=budget_of(*budget, whole=total, reserve=call.reserve))


def without(manifest: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    """Return a manifest without some keys."""
    return {key: value for key, value in manifest.items() if key not in keys}


def stated(manifest: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    """Return a manifest without some keys, and of its records only what the oracle says too.

    Offsets and the details of sections, cuts and substitutions have tests of their own.
    """
    found = without(manifest, (*keys, "content_hash", "signature", "schema_version"))
    details = ("offset_bytes", "offset_tokens", "offset_tokens_accuracy", "shortfall_accuracy")
    for fate in ("selected", "excluded"):
        found[fate] = [without(record, details) for record in found[fate]]
    found["merged"] = [without(record, ("similarity",)) for record in found["merged"]]
    found.pop("redactions", None)
    found.pop("optimal", None)
    of_section = ("name", "floor", "cap", "tokens")
    found["sections"] = [{key: record[key] for key in of_section} for record in found["sections"]]
    for fate in ("truncations", "substitutions"):
        found[fate] = [record["row"] for record in found[fate] if not record.get("reason")]
    return found


def attributes_of(error: pf.PackframeError, names: list[str]) -> dict[str, Any]:
    """Return attributes of an error in the oracle's form."""
    found = {name: getattr(error, name) for name in names}
    if "problems" in found:
        # The oracle names a message once, however many of its calls have no result.
        found["problems"] = sorted({(item["position"], item["rule"]) for item in found["problems"]})
    if "rows" in found and found["rows"] is not None:
        found["rows"] = list(found["rows"])
    return found


def check_profile(manifest: dict[str, Any], profile: pf.TokenProfile) -> None:
    """Compare what a manifest says of the profile with the profile."""
    assert manifest["token_profile_id"] == profile.id
    assert manifest["token_profile_fingerprint"] == profile.fingerprint
    assert manifest["token_profile"]["base_tokens"] == profile.base_tokens
    assert manifest["token_profile"]["envelope_tokens_per_item"] == profile.envelope_tokens_per_item


def check(plan: Plan, call: Call) -> pf.Pack | None:
    """Compare one pack; return it, or None where both refuse it."""
    try:
        frame = plan.oracle()
        right = pack(frame, call.options(frame))
    except OracleFailure as failure:
        check_failure(plan, call, failure)
        return None
    made = plan.frame()
    pack_ = made.pack(**call.arguments())
    manifest = pack_.manifest.to_dict()
    check_profile(manifest, pair(call.pair).profile)
    assert stated(manifest, UNSTATED) == stated(right.manifest, ())
    assert [item.content_sha256 for item in pack_.items] == [
        record["content_sha256"] for record in right.manifest["selected"]
    ]
    if right.text is not None:
        assert pack_.text == pack_.to_text() == right.text
    elif not any(row.role == "tool" and row.kind != "message" for row in frame.rows):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pf.BoundaryWarning)
            assert pack_.to_openai_chat() == right.messages
    return pack_


def check_failure(plan: Plan, call: Call, failure: OracleFailure) -> None:
    """Packframe has to fail as the oracle does, with the same numbers."""
    with pytest.raises(getattr(pf, failure.name)) as caught:
        plan.frame().pack(**call.arguments())
    error = caught.value
    assert type(error).__name__ == failure.name
    assert attributes_of(error, list(failure.attributes)) == failure.attributes
    if failure.partial is not None:
        partial = error.partial_manifest.to_dict()
        assert stated(partial, PARTIAL_UNSTATED) == stated(failure.partial, ())
