"""The shared vectors, against packframe and against the oracle."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import packframe as pf
from oracle import Options, OracleBoundary, OracleFailure, OracleFrame, counter, pack
from support import pairs, vocabularies

LINES = (Path(__file__).parent / "data" / "packing_vectors.jsonl").read_text().splitlines()
VECTORS: list[dict[str, Any]] = [json.loads(line) for line in LINES]
COUNTS = {"words": pairs.words, "bytes/4": pairs.quarter_bytes}

parametrized = pytest.mark.parametrize(
    "vector", VECTORS, ids=[vector["name"].replace(" ", "_") for vector in VECTORS]
)


def records(vector: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the items of a vector as records."""
    found = []
    for item in vector["items"]:
        content = item["content"]
        if not isinstance(content, dict):
            found.append(item)
        elif "binary" in content:
            binary = {"content": content["binary"], "kind": "binary", "mime": content["mime"]}
            found.append(item | binary)
        else:
            kind = "json" if "json" in content else "reference"
            found.append(item | {"content": content[kind], "kind": kind})
    return found


def profile(name: str, options: dict[str, Any]) -> pf.TokenProfile:
    """Return packframe's profile for the counter of a vector."""
    base, envelope = options.get("base", 0), options.get("envelope", 0)
    if name == "cl100k_base" and not base:
        return pf.profiles.openai(name)
    count = COUNTS[name] if name in COUNTS else pf.profiles.openai("cl100k_base").count
    return pf.profiles.custom(
        name, count, base_tokens=base, envelope_tokens_per_item=envelope, exact=True
    )


def slow_counter(name: str, options: dict[str, Any]) -> counter.Counter:
    """Return the oracle's counter for that of a vector."""
    base, envelope = options.get("base", 0), options.get("envelope", 0)
    if name == "cl100k_base":
        encoding = vocabularies.openai(name)
        return counter.bpe(encoding, framed=False, base=base, per_item=envelope)
    make = {"words": counter.words, "bytes/4": counter.quarter_bytes}[name]
    return make(base=base, per_item=envelope)


def check(expect: dict[str, Any], manifest: dict[str, Any]) -> None:
    """Compare what a vector states with a manifest."""
    assert [
        [record["row"], record["form"], record["tokens"], record["why"]]
        for record in manifest["selected"]
    ] == expect["selected"]
    excluded = manifest["excluded"]
    assert [record["row"] for record in excluded] == [row for row, *_ in expect["excluded"]]
    for record, (_, reason, rule, shortfall) in zip(excluded, expect["excluded"], strict=True):
        assert record["reason"] == reason
        assert rule in {None, record["rule"]}
        assert shortfall in {None, record["shortfall"]}
    assert manifest["total_tokens"] == expect["total_tokens"]
    assert expect["rendered_sha256"] in {None, manifest["rendered_sha256"]}


def boundary(options: dict[str, Any]) -> tuple[str, str]:
    """Return kind and target of the boundary of a vector."""
    kind, _, target = options.get("boundary", "internal:application").partition(":")
    return kind, target


def arguments(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that packframe and the oracle name alike."""
    names = ("budget", "reserve", "separator", "labels", "margin")
    return {"render": "text"} | {
        name: options[name] for name in (*names, "render") if name in options
    }


@parametrized
def test_packframe_packs_the_vector(vector: dict[str, Any]) -> None:
    """Packframe gives what the vector states, or raises its error with its numbers."""
    options = vector["options"]
    kind, target = boundary(options)

    def packed() -> pf.Pack:
        return pf.Frame.from_records(records(vector)).pack(
            **arguments(options),
            token_profile=profile(vector["counter"], options),
            sections=[pf.Section(**section) for section in vector["sections"]],
            layout=options.get("layout", "input"),
            boundary=getattr(pf.Boundary, kind)(target),
            now=datetime.fromisoformat(options["now"]) if "now" in options else None,
        )

    if "error" in vector:
        expected = dict(vector["error"])
        with pytest.raises(getattr(pf, expected.pop("class"))) as caught:
            packed()
        for name, value in expected.items():
            got = getattr(caught.value, name)
            if name == "violations":
                got = [[violation["row"], violation["reason"]] for violation in got]
            assert (list(got) if name == "rows" else got) == value
    else:
        pack_ = packed()
        check(vector["expect"], pack_.manifest.to_dict())
        if pack_.manifest.render == "text":
            digest = hashlib.sha256(pack_.text.encode()).hexdigest()
            assert digest == vector["expect"]["rendered_sha256"]


@parametrized
def test_the_oracle_packs_the_vector(vector: dict[str, Any]) -> None:
    """The oracle gives what the vector states, so it may judge packframe."""
    options = vector["options"]
    kind, target = boundary(options)

    def packed() -> dict[str, Any]:
        frame = OracleFrame.from_records(records(vector))
        call = Options(
            **arguments(options),
            sections=tuple(vector["sections"]),
            layout=options.get("layout", "input"),
            counter=slow_counter(vector["counter"], options),
            boundary=OracleBoundary(kind, target),
            now=datetime.fromisoformat(options["now"]) if "now" in options else None,
        )
        return pack(frame, call).manifest

    if "error" in vector:
        expected = dict(vector["error"])
        with pytest.raises(OracleFailure) as caught:
            packed()
        assert caught.value.name == expected.pop("class")
        for name, value in expected.items():
            got = caught.value.attributes[name]
            if name == "violations":
                got = [[violation["row"], violation["reason"]] for violation in got]
            assert got == value
    else:
        check(vector["expect"], packed())
