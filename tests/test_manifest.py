"""Manifests: keys, hashes, round trips, answers."""

from __future__ import annotations

import copy
import hashlib
import json
import pickle
from typing import Any

import pytest

import packframe as pf
from support.pairs import pair

WORDS = pf.profiles.custom("words", lambda text: len(text.split()), exact=True)

KEYS = {
    "schema_version",
    "library_version",
    "manifest_id",
    "budget",
    "content_hash",
    "reserve",
    "margin",
    "available",
    "total_tokens",
    "remaining_tokens",
    "accuracy",
    "edits",
    "estimated",
    "signature",
    "token_profile_id",
    "token_profile_fingerprint",
    "token_profile",
    "render",
    "separator",
    "labels",
    "rendered_sha256",
    "rendered_bytes",
    "boundary",
    "policies",
    "switches",
    "provider_count",
    "redactions",
    "now",
    "optimal",
    "selection",
    "layout",
    "tokens_by",
    "selected",
    "excluded",
    "merged",
    "demotions",
    "truncations",
    "substitutions",
    "insertions",
    "repairs",
    "hooks",
    "strategy",
    "sections",
    "groups",
    "warnings",
}
PROFILE_KEYS = {
    "tokenizer_sha256",
    "framing",
    "base_tokens",
    "envelope_tokens_per_item",
    "framing_source",
    "framing_date",
    "asserted_by_caller",
    "verified",
}
TOKENS = {
    f"{part}tokens{accuracy}"
    for part in ("", "content_", "envelope_", "label_")
    for accuracy in ("", "_accuracy")
}
COMMON = {"row", "id", "section", "role", "retention", "group", "content_sha256"} | TOKENS
OFFSETS = {"offset_bytes", "offset_tokens", "offset_tokens_accuracy"}
SELECTED = COMMON | {"form", "position", "why"} | OFFSETS
EXCLUDED = COMMON | {"reason", "rule", "shortfall", "shortfall_accuracy"}


def pack(**options: Any) -> pf.Pack:
    """Return a pack with rows of several fates."""
    frame = pf.Frame(
        [
            pf.Item("one two", retention="required", role="system", id="sys"),
            pf.Item("three four five", score=2, section="docs", id="doc"),
            pf.Item("six", score=1, sources=["s"]),
            pf.Item("six"),
            pf.Item("seven", trust="quarantined", id="bad"),
            pf.Item("eight nine", retention="preferred", group="g"),
            pf.Item("ten", group="g"),
        ]
    ).dedupe()
    return frame.pack(**{"budget": 7, "token_profile": WORDS, **options})


def test_a_manifest_has_all_its_keys() -> None:
    """Every key of the schema is there, in whole and in partial manifests."""
    manifests = [pack().manifest, pack(render="messages", budget=99).manifest]
    with pytest.raises(pf.BudgetExceeded) as caught:
        pack(budget=1)
    manifests.append(caught.value.partial_manifest)
    for manifest in manifests:
        values = manifest.to_dict()
        assert set(values) == KEYS
        assert list(values) == sorted(values)
        assert set(values["token_profile"]) == PROFILE_KEYS
        assert all(set(record) == SELECTED for record in values["selected"])
        assert all(set(record) == EXCLUDED for record in values["excluded"])
        assert set(values["tokens_by"]) == {"part", "section", "role", "retention"}
        assert values["schema_version"] == 2
        assert values["library_version"] == pf.__version__


def test_a_manifest_tells_each_fate() -> None:
    """Selected, excluded and merged rows are there with what explains them."""
    values = pack().manifest.to_dict()
    assert [(r["row"], r["why"], r["tokens"]) for r in values["selected"]] == [
        (0, "required", 2),
        (2, "score", 1),
        (4, "score", 2),
        (5, "score", 1),
    ]
    assert [(r["row"], r["reason"], r["shortfall"]) for r in values["excluded"]] == [
        (1, "budget", 2),
        (3, "quarantined", None),
    ]
    assert [(r["row"], r["into_row"]) for r in values["merged"]] == [(3, 2)]
    assert values["groups"] == [{"group": "g", "rows": [4, 5], "kind": "named"}]
    assert (values["total_tokens"], values["remaining_tokens"]) == (6, 1)
    assert values["tokens_by"]["section"] == {"": {"tokens": 6, "accuracy": "exact"}}
    assert values["tokens_by"]["retention"] == {
        "required": {"tokens": 2, "accuracy": "exact"},
        "preferred": {"tokens": 2, "accuracy": "exact"},
        "optional": {"tokens": 2, "accuracy": "exact"},
    }
    assert [record["position"] for record in values["selected"]] == [0, 1, 2, 3]


def test_the_rendering_is_hashed() -> None:
    """A text manifest has the hash and length of the rendered bytes, messages have none."""
    made = pack()
    text = made.text.encode()
    values = made.manifest.to_dict()
    assert values["rendered_sha256"] == hashlib.sha256(text).hexdigest()
    assert values["rendered_bytes"] == len(text)
    other = pack(render="messages").manifest.to_dict()
    assert (other["rendered_sha256"], other["rendered_bytes"]) == (None, None)


def canonical(values: dict[str, Any]) -> str:
    """Write canonical JSON."""
    return json.dumps(values, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def test_json_is_canonical_and_the_id_is_its_hash() -> None:
    """The JSON has sorted keys and no spaces; the id is the hash of all but itself."""
    frame = pf.Frame([pf.Item("x", id='ü"\n\x00', section="é")])
    for manifest in (pack().manifest, pack(budget=None).manifest, frame.pack(9).manifest):
        values = manifest.to_dict()
        assert manifest.to_json() == canonical(values)
        rest = {key: value for key, value in values.items() if key != "manifest_id"}
        right = hashlib.sha256(canonical(rest).encode()).hexdigest()
        assert manifest.manifest_id == values["manifest_id"] == right


def test_manifests_compare_pickle_and_copy() -> None:
    """Equal packs have equal manifests; they survive every round trip."""
    manifest = pack().manifest
    assert manifest == pack().manifest
    assert manifest != pack(budget=8).manifest
    assert manifest != "manifest"
    for again in (
        pf.PackManifest.from_dict(manifest.to_dict()),
        pf.PackManifest.from_json(manifest.to_json()),
        pf.PackManifest.from_json(json.dumps(manifest.to_dict(), indent=2)),
        pickle.loads(pickle.dumps(manifest)),
        copy.copy(manifest),
        copy.deepcopy(manifest),
    ):
        assert again == manifest
        assert again.manifest_id == manifest.manifest_id
        assert again.summary() == manifest.summary()


def test_a_dict_is_a_copy() -> None:
    """Changing the dict does not change the manifest."""
    manifest = pack().manifest
    values = manifest.to_dict()
    values["selected"].clear()
    values["budget"] = 0
    assert manifest.to_dict()["selected"]
    assert manifest.budget == 7


def _without(key: str) -> Any:
    return lambda values: values.pop(key)


def _with(key: str, value: Any) -> Any:
    return lambda values: values.update({key: value})


@pytest.mark.parametrize(
    "change",
    [
        _with("budget", 8),
        _with("total_tokens", 5),
        _with("accuracy", "approximate"),
        _with("manifest_id", "0" * 64),
        _with("manifest_id", 7),
        _with("selected", []),
        _with("unknown", 1),
        _with("budget", "7"),
        _with("selected", 7),
        _without("selected"),
        _without("manifest_id"),
        _without("tokens_by"),
        lambda values: values["selected"][0].update(row=99),
        lambda values: values["excluded"][0].pop("reason"),
    ],
)
def test_a_changed_manifest_is_corrupt(change: Any) -> None:
    """Any change is found by hash or shape."""
    values = pack().manifest.to_dict()
    change(values)
    for read in (pf.PackManifest.from_dict, lambda v: pf.PackManifest.from_json(json.dumps(v))):
        with pytest.raises(pf.ManifestError) as caught:
            read(values)
        assert caught.value.code == "MANIFEST_CORRUPT"
        assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "7",
        "null",
        "[]",
        "{}",
        '"text"',
        "[" * 5000,
        '{"schema_version": 1}',
        '{"schema_version": 2}',
    ],
)
def test_what_is_no_manifest_is_corrupt(text: str) -> None:
    """Text that is no manifest is a ManifestError."""
    with pytest.raises(pf.ManifestError) as caught:
        pf.PackManifest.from_json(text)
    assert caught.value.code == "MANIFEST_CORRUPT"


@pytest.mark.parametrize("version", [0, 3, 99])
def test_an_unknown_version_is_named(version: int) -> None:
    """A manifest of another schema version is told apart from a corrupt one."""
    values = pack().manifest.to_dict() | {"schema_version": version}
    rest = {key: value for key, value in values.items() if key != "manifest_id"}
    values["manifest_id"] = hashlib.sha256(canonical(rest).encode()).hexdigest()
    with pytest.raises(pf.ManifestError) as caught:
        pf.PackManifest.from_dict(values)
    assert caught.value.code == "MANIFEST_VERSION"


def test_the_main_keys_are_properties() -> None:
    """What is asked for most can be read without a dict."""
    manifest = pack().manifest
    values = manifest.to_dict()
    for name in (
        "schema_version",
        "library_version",
        "manifest_id",
        "budget",
        "reserve",
        "margin",
        "available",
        "total_tokens",
        "remaining_tokens",
        "accuracy",
        "estimated",
        "token_profile_id",
        "token_profile_fingerprint",
        "render",
        "rendered_sha256",
    ):
        assert getattr(manifest, name) == values[name], name
    frozen: Any = manifest
    with pytest.raises((AttributeError, TypeError)):
        frozen.budget = 9


def test_why_answers_for_each_row() -> None:
    """Why says what happened to an id, by how much it missed, and what would help."""
    made = pack()
    manifest = made.manifest
    out = manifest.why("doc")
    assert isinstance(out, pf.Why)
    assert (out.id, out.row, out.fate) == ("doc", 1, "excluded")
    assert (out.reason, out.rule, out.shortfall) == ("budget", None, 2)
    assert len(out.message) > 10
    assert out.remedy
    kept = manifest.why("sys")
    assert (kept.row, kept.fate, kept.reason, kept.shortfall) == (0, "selected", "required", None)
    assert (manifest.why("bad").fate, manifest.why("bad").reason) == ("excluded", "quarantined")
    merged = manifest.to_dict()["merged"][0]
    assert (manifest.why(merged["id"]).fate, manifest.why(merged["id"]).reason) == (
        "merged",
        "duplicate",
    )
    with pytest.raises(KeyError):
        manifest.why("nobody")


def test_the_summary_is_a_table_for_people() -> None:
    """The summary names budget, total, rows and reasons."""
    summary = pack().manifest.summary()
    for word in ("7", "6", "doc", "budget", "quarantined", "sys"):
        assert word in summary
    assert len(summary.splitlines()) > 5
    assert pf.Frame().pack(0).manifest.summary()


def test_a_summary_of_many_rows_stays_readable() -> None:
    """Odd ids do not break the table apart."""
    frame = pf.Frame([pf.Item("x", id="a\nb\r\x1b[31m\x00"), pf.Item("y", id="z" * 500)])
    summary = frame.pack(100).manifest.summary()
    assert "\x1b" not in summary
    assert "\r" not in summary
    assert "\x00" not in summary


def test_every_number_stands_beside_its_accuracy() -> None:
    """Records of all fates have tokens and accuracy, or neither."""
    values = pack(render="messages", budget=99).manifest.to_dict()
    for record in values["selected"] + values["excluded"]:
        for name in ("tokens", "content_tokens", "envelope_tokens", "label_tokens"):
            assert (record[name] is None) == (record[f"{name}_accuracy"] is None)
    assert values["accuracy"] == "exact_text"
    assert values["tokens_by"]["part"]["content"]["accuracy"] == "exact"


SPECIALS = {
    "o200k_base": "<|endofprompt|>",
    "cl100k_base": "<|fim_prefix|>",
    "hf_bpe": "<|pad|>",
    "hf_wordpiece": "[CLS]",
}


@pytest.mark.parametrize("name", SPECIALS)
@pytest.mark.parametrize("render", ["text", "messages"])
def test_special_tokens_in_texts_are_warned_about(name: str, render: str) -> None:
    """Rows that are in and have a special token as text are named, in every kind of content."""
    token = SPECIALS[name]
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": f"{token}"}}
    frame = pf.Frame(
        [
            f"before{token}after",
            token[:-1],
            pf.Item(pf.Json({"a": [token]})),
            pf.Item(pf.Message({"role": "user", "content": "fine", "name": token})),
            pf.Item("fine", id=token, section=token, metadata={"a": token}),
            pf.Item(f"out {token} " * 50, score=-1),
            pf.Item(pf.Message({"role": "assistant", "content": None, "tool_calls": [call]})),
        ]
    )
    pack = frame.pack(300, token_profile=pair(name).profile, render=render)
    assert pack.rows == (0, 1, 2, 3, 4, 6)
    # The name of a message is not in a text.
    rows = [0, 2, 6] if render == "text" else [0, 2, 3, 6]
    assert [dict(warning) for warning in pack.manifest.to_dict()["warnings"]] == [
        {"code": "special_token_in_text", "row": row} for row in rows
    ]


def test_a_special_token_that_joining_makes_is_warned_about() -> None:
    """A token in two rows, or in a separator, is of the row in which it starts."""
    profile = pf.profiles.openai("o200k_base")

    def warned(texts: list[str], separator: str, render: str = "text") -> list[int]:
        pack = pf.Frame(texts).pack(100, token_profile=profile, separator=separator, render=render)
        return [warning["row"] for warning in pack.manifest.to_dict()["warnings"]]

    assert warned(["a", "<|endof", "text|>", "b"], "") == [1]
    assert warned(["a", "<|endof", "text|>", "b"], "", render="messages") == []
    assert warned(["a", "b", "c"], "<|endoftext|>") == [0, 1]
    assert warned(["a<", "b", "c"], "|endoftext|>") == [0]


def test_profiles_without_special_tokens_warn_of_none() -> None:
    """Nothing is special to an estimate or to a callable."""
    for profile in (pf.profiles.approximate(), pf.profiles.custom("mine", len)):
        manifest = pf.Frame(["<|endoftext|> [CLS]"]).pack(99, token_profile=profile).manifest
        assert manifest.to_dict()["warnings"] == []
