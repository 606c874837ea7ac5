"""A manifest as Python objects is its JSON, read: same keys in the same order, same kinds."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import packframe as pf
from support.examples import EXAMPLES, SEED
from support.hostile import Hostile, hostile

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKS = EXAMPLES or 120
DATA = Path(__file__).parent / "data"
PROFILE = pf.profiles.openai("cl100k_base")


def same(objects: Any, read: Any) -> bool:
    """Compare as ``==`` does, but tell 1 from 1.0 and True, and one order of keys from another."""
    if type(objects) is not type(read):
        return False
    if isinstance(objects, dict):
        keys = list(objects) == list(read) and all(type(key) is str for key in objects)
        return keys and all(same(objects[key], read[key]) for key in objects)
    if isinstance(objects, list):
        return len(objects) == len(read) and all(map(same, objects, read))
    return bool(objects == read)


def packed(case: Hostile, budget: int | None) -> pf.PackManifest | None:
    """Pack a case; return what is recorded of it, or None where nothing is."""
    try:
        return case.pack(case.frame(), budget, PROFILE).manifest
    except pf.BudgetExceeded as error:
        return error.partial_manifest
    except (pf.InvalidItem, pf.InvalidOption):
        return None


def manifests() -> Iterator[pf.PackManifest]:
    """Return manifests of every kind: packed, failed, as messages, optimal, signed, with a key."""
    seed = SEED if EXAMPLES else 0
    for number in range(PACKS):
        case = hostile(f"{seed} objects {number}")
        yield from filter(None, (packed(case, budget) for budget in (None, 40, 400)))
    frame = pf.Frame(["one", "two two", "thrée \U0001f600"] * 9).dedupe()
    yield frame.pack(9, token_profile=PROFILE, selection="optimal").manifest
    yield frame.pack(9, token_profile=PROFILE, hash_key=b"k" * 32).manifest.sign(b"s" * 32)
    yield pf.Frame([]).pack(0).manifest


def test_objects_are_the_json() -> None:
    """`to_dict` is what `to_json` reads as, asked for first or second, and so is each key."""
    kinds = set()
    for number, manifest in enumerate(manifests()):
        if number % 2:
            objects, text = manifest.to_dict(), manifest.to_json()
        else:
            text, objects = manifest.to_json(), manifest.to_dict()
        assert same(objects, json.loads(text))
        assert manifest.to_json() == text
        assert text == json.dumps(objects, ensure_ascii=False, separators=(",", ":"))
        assert all(same(getattr(manifest, key), value) for key, value in objects.items())
        stored = pf.PackManifest.from_json(text)
        assert (stored.to_json(), stored.to_dict()) == (text, objects)
        kinds |= {key for key, value in objects.items() if value}
    assert {"substitutions", "truncations", "sections", "warnings", "signature"} <= kinds
    assert {"merged", "groups", "optimal", "excluded"} <= kinds


def test_objects_are_the_callers_own() -> None:
    """What a caller changes in one dict changes no other, and no manifest."""
    manifest = pf.Frame(["one", "one"]).pack(99, token_profile=PROFILE).manifest
    first, second = manifest.to_dict(), manifest.to_dict()
    first["selected"][0].clear()
    first["tokens_by"]["part"].clear()
    first["policies"].append("mine")
    assert second == manifest.to_dict() != first
    assert second["selected"][1]["id"] != second["selected"][0]["id"]


def test_short_words_are_not_mixed_up() -> None:
    """Ids and names of up to twenty bytes, zeros among them, stay what they are."""
    ids = [letter * length for length in range(1, 21) for letter in ("a", "b", "\0", "é", "0")]
    frame = pf.Frame([pf.Item(f"text {number}", id=name) for number, name in enumerate(ids)])
    manifest = frame.pack(None, token_profile=PROFILE).manifest
    assert [record["id"] for record in manifest.to_dict()["selected"]] == ids


def test_a_difference_is_its_records() -> None:
    """The objects of a diff of two packs are plain, and read from JSON they are the same."""
    made = [packed(hostile(f"difference {number}"), None) for number in range(60)]
    found = [manifest for manifest in made if manifest is not None]
    assert len(found) > 50
    for before, after in pairwise(found):
        objects = before.diff(after).to_dict()
        assert same(objects, json.loads(json.dumps(objects)))
        assert same(objects, before.diff(after).to_dict())
        assert objects["entered"] or objects["left"] or objects["changed"]


@pytest.mark.parametrize("line", (DATA / "manifests_1.jsonl").read_text("utf-8").splitlines())
def test_a_stored_document_of_version_1_is_as_it_was(line: str) -> None:
    """What an older version stored has the objects that its JSON reads as, key by key."""
    manifest = pf.PackManifest.from_json(line)
    read = json.loads(line)
    assert same(manifest.to_dict(), read)
    assert all(same(getattr(manifest, key), value) for key, value in read.items())
