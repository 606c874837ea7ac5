"""Manifests that prove themselves: schema, versions, sums, keys, signatures, comparisons."""

from __future__ import annotations

import copy
import hashlib
import hmac
import io
import json
import pickle
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

import packframe as pf
from support.everything import Everything, busy, everything
from support.examples import examples
from support.pairs import pair

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent


def count_words(text: str) -> int:
    """Count words: a function of a module, which can be pickled."""
    return len(text.split())


WORDS = pf.profiles.custom("words", count_words, exact=True)
KEY = b"a secret of the tests"
OTHER = b"another secret of 26 bytes"
OLD = (ROOT / "tests" / "data" / "manifests_1.jsonl").read_text(encoding="utf-8").splitlines()
VALIDATORS = {
    version: jsonschema.Draft202012Validator(pf.PackManifest.schema(version)) for version in (1, 2)
}


def canonical(values: dict[str, Any]) -> str:
    """Write canonical JSON."""
    return json.dumps(values, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def sealed(values: dict[str, Any]) -> str:
    """Return a document with the id that it ought to have, as JSON."""
    rest = {key: value for key, value in values.items() if key != "manifest_id"}
    right = hashlib.sha256(canonical(rest).encode()).hexdigest()
    return canonical(rest | {"manifest_id": right})


def made_of(plan: Everything, **options: Any) -> tuple[pf.Frame, pf.Pack | None, pf.PackManifest]:
    """Pack a generated plan; return the frame, the pack if there is one, and the manifest."""
    frame = pf.Frame.from_records(plan.records)
    arguments = plan.arguments | {
        "token_profile": pair(plan.counter).profile,
        "sections": [pf.Section(**section) for section in plan.sections],
        **options,
    }
    if arguments["layout"] == "stable":
        arguments["layout"] = "score"
    try:
        pack = frame.pack(**arguments)
    except (pf.BudgetExceeded, pf.PolicyViolation) as error:
        return frame, None, error.partial_manifest
    return frame, pack, pack.manifest


def rich_pack(**options: Any) -> pf.Pack:
    """Return a pack of sections with cuts, alternatives, groups, merges and refusals."""
    frame = pf.Frame(
        [
            pf.Item("be kind", role="system", retention="required", id="sys", section="rules"),
            pf.Item("one two three four five six", id="cut", section="docs", cut_to=1, score=3),
            pf.Item("a b c d", id="alt", section="docs", alternatives=["ab"], score=4),
            pf.Item("seven", id="q", trust="quarantined"),
            pf.Item("x y", id="g1", group="g"),
            pf.Item("z", id="g2", group="g"),
            pf.Item("same", id="m1"),
            pf.Item("same", id="m2"),
            pf.Item("too long to fit in here", id="out", score=-1),
        ]
    ).dedupe()
    defaults: dict[str, Any] = {
        "budget": 12,
        "token_profile": WORDS,
        "sections": [
            pf.Section("docs", max_tokens=4, priority=0.1 + 0.2, header="Docs"),
            pf.Section("rules", min_tokens=1),
        ],
        "layout": "section",
    }
    return frame.pack(**defaults | options)


def kinds() -> Iterator[tuple[str, pf.PackManifest]]:
    """Return a manifest of each kind."""
    yield "text", rich_pack().manifest
    yield "messages", rich_pack(render="messages", budget=99).manifest
    yield "no ceiling", rich_pack(budget=None).manifest
    yield "keyed", rich_pack(hash_key=KEY).manifest
    yield "signed", rich_pack().manifest.sign(KEY)
    yield "estimated", rich_pack(token_profile=None, budget=60, margin=0.1).manifest
    yield "empty", pf.Frame().pack(0).manifest
    openai = pf.profiles.openai("o200k_base")
    conversation: list[dict[str, Any]] = [
        {"role": "user", "content": "Hello <|endoftext|>", "weird": 1},
        {"role": "assistant", "content": "Hi."},
    ]
    yield "chat", pf.Frame.from_messages(conversation).pack(99, token_profile=openai).manifest
    needs = pf.Frame([pf.Item("a b c", retention="required", section="s", id="a")])
    refused = pf.Frame([pf.Item("x", sensitivity="restricted", retention="required")])
    failing: dict[str, Any] = {
        "over budget": lambda: needs.pack(1, token_profile=WORDS),
        "over a cap": lambda: needs.pack(
            9, token_profile=WORDS, sections=[pf.Section("s", max_tokens=1)]
        ),
        "floors": lambda: needs.extend(
            [pf.Item("d e f", section="t"), pf.Item("g h i", section="u")]
        ).pack(
            7,
            token_profile=WORDS,
            sections=[pf.Section("t", min_tokens=3), pf.Section("u", min_tokens=3)],
        ),
        "refused": lambda: refused.pack(9, boundary=pf.Boundary.external("there")),
    }
    for name, call in failing.items():
        with pytest.raises((pf.BudgetExceeded, pf.PolicyViolation)) as caught:
            call()
        partial: Any = caught.value
        yield name, partial.partial_manifest


KINDS = dict(kinds())


@pytest.mark.parametrize("version", [1, 2])
def test_the_schema_is_a_schema_and_the_guide_shows_it(version: int) -> None:
    """The schema in the wheel is of its draft, and the one of the guide is the same."""
    schema = pf.PackManifest.schema(version)
    jsonschema.Draft202012Validator.check_schema(schema)
    shown = ROOT / "docs" / "schema" / f"manifest-{version}.schema.json"
    assert json.loads(shown.read_text(encoding="utf-8")) == schema
    assert schema["properties"]["schema_version"] == {"const": version}


@pytest.mark.parametrize("version", [0, 3, True, "2", None, 2.5])
def test_an_unknown_schema_is_refused(version: Any) -> None:
    """There are two schemas."""
    with pytest.raises(pf.InvalidOption) as caught:
        pf.PackManifest.schema(version)
    assert caught.value.option == "version"


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_manifest_is_of_the_schema(name: str) -> None:
    """Whole and partial manifests are of the schema, and come back from JSON."""
    manifest = KINDS[name]
    VALIDATORS[2].validate(manifest.to_dict())
    for again in (
        pf.PackManifest.from_json(manifest.to_json()),
        pf.PackManifest.from_dict(manifest.to_dict()),
        pickle.loads(pickle.dumps(manifest)),
    ):
        assert again == manifest
        assert again.to_json() == manifest.to_json()
        assert again.summary() == manifest.summary()
        assert again._repr_html_() == manifest._repr_html_()


def objects(schema: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Find every object that a schema describes by its properties."""
    if "properties" in schema:
        yield path, schema
    for key, inner in schema.items():
        if isinstance(inner, dict):
            yield from objects(inner, f"{path}/{key}")


@pytest.mark.parametrize("version", [1, 2])
def test_the_schema_leaves_nothing_open(version: int) -> None:
    """Every object of the schema says which keys it has, all of them required."""
    found = list(objects(pf.PackManifest.schema(version)))
    assert len(found) > 10
    for path, schema in found:
        assert schema["additionalProperties"] is False, path
        assert schema["required"] == sorted(schema["properties"]), path


@given(everything())
@examples(150)
def test_generated_manifests_are_of_the_schema_and_add_up(plan: Everything) -> None:
    """Any pack has a manifest of the schema whose views add up and which its frame fulfils."""
    check_plan(plan)


@pytest.mark.parametrize("seed", range(60))
def test_busy_manifests_are_of_the_schema_and_add_up(seed: int) -> None:
    """So have packs that use most features at once."""
    check_plan(busy(seed))


def check_plan(plan: Everything) -> None:
    """Check schema, sums, accuracies, verification and reading of one plan."""
    try:
        frame, pack, manifest = made_of(plan)
    except (pf.InvalidItem, pf.InvalidOption, pf.UnsupportedContent):
        return
    values = manifest.to_dict()
    VALIDATORS[2].validate(values)
    check_sums(values)
    check_accuracies(values, "")
    assert manifest.verify(frame, rendered=pack.text if pack and pack_is_text(pack) else None)
    assert pf.PackManifest.from_json(manifest.to_json()) == manifest
    assert not manifest.diff(manifest)
    for key in frame.ids:
        why = manifest.why(key)
        assert why.message
        assert bool(why.remedy) == (why.fate != "selected")
    if pack is not None:
        dropped = pack.dropped()
        assert pack.complete == (not dropped)
        assert [d.row for d in dropped] == sorted({d.row for d in dropped})
        for decision in dropped:
            assert decision.action in {"excluded", "cut", "replaced"}
            assert decision.message
        for section in plan.sections:
            account = pack.section(section["name"])
            (record,) = [r for r in values["sections"] if r["name"] == section["name"]]
            assert (account.tokens, account.cap) == (record["tokens"], record["cap"])
            assert len(account.selected) == record["selected"]
            out = [d for d in account.dropped if d.action == "excluded"]
            assert len(out) == record["excluded"]


def pack_is_text(pack: pf.Pack) -> bool:
    """Tell whether a pack was made for text."""
    return bool(pack.manifest.render == "text")


def check_sums(values: dict[str, Any]) -> None:
    """Parts sum to the total; sections, roles and retentions to the tokens of the rows in."""
    views = values["tokens_by"]
    assert sum(part["tokens"] for part in views["part"].values()) == values["total_tokens"]
    parts = ("content", "envelope", "labels")
    of_rows = sum(views["part"][part]["tokens"] for part in parts)
    assert of_rows == sum(record["tokens"] for record in values["selected"])
    for view in ("section", "role", "retention"):
        assert sum(amount["tokens"] for amount in views[view].values()) == of_rows, view


# Limits that a caller sets, and the framing, whose source stands beside it.
LIMITS = {"budget", "reserve", "margin", "available", "cap", "min_tokens", "max_tokens"}
FRAMING = {"base_tokens", "envelope_tokens_per_item"}


def check_accuracies(values: Any, path: str) -> None:
    """Every number of tokens has its accuracy beside it."""
    if isinstance(values, list):
        for at, inner in enumerate(values):
            check_accuracies(inner, f"{path}[{at}]")
    if not isinstance(values, dict):
        return
    for key, inner in values.items():
        check_accuracies(inner, f"{path}.{key}")
        counted = "tokens" in key or key in {"shortfall", "floor"}
        if not counted or isinstance(inner, (dict, bool)) or key.endswith("_accuracy"):
            continue
        if key in LIMITS | FRAMING:
            continue
        own = f"{key}_accuracy"
        if own in values:
            assert (values[own] is None) == (inner is None), f"{path}.{key}"
        else:
            assert "accuracy" in values, f"{path}.{key}"


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_adds_up(name: str) -> None:
    """The views of whole and partial manifests add up, each number beside its accuracy."""
    values = KINDS[name].to_dict()
    check_sums(values)
    check_accuracies(values, "")


def test_errors_say_what_their_numbers_are_worth() -> None:
    """An error of packing has an accuracy, and so has each cost."""
    frame = pf.Frame([pf.Item("a b c", retention="required")])
    for profile, right in ((WORDS, "exact"), (None, "approximate")):
        with pytest.raises(pf.BudgetExceeded) as caught:
            frame.pack(0, token_profile=profile)
        assert caught.value.accuracy == right
        assert [cost["accuracy"] for cost in caught.value.item_costs] == [right]


# Versions.


@pytest.mark.parametrize("line", OLD)
def test_documents_of_version_1_are_read_and_shown(line: str) -> None:
    """What an older packframe stored is read, shown, and written as it was."""
    manifest = pf.PackManifest.from_json(line)
    values = json.loads(line)
    VALIDATORS[1].validate(values)
    assert manifest.schema_version == 1
    assert manifest.to_json() == line
    assert manifest.to_dict() == values
    assert pf.PackManifest.from_dict(values) == manifest
    assert manifest.selected == values["selected"]
    assert pickle.loads(pickle.dumps(manifest)) == manifest
    assert manifest.summary()
    assert "<table>" in manifest._repr_html_()
    for record in values["selected"] + values["excluded"]:
        assert manifest.why(record["id"]).row == record["row"]
    with pytest.raises(pf.ManifestError) as caught:
        manifest.sign(KEY)
    assert caught.value.code == "MANIFEST_VERSION"
    assert not manifest.verify_signature(KEY)


def test_a_document_of_version_1_has_nothing_of_version_2() -> None:
    """Keys and records that version 1 had not make it corrupt, even under the right hash."""
    changes: list[dict[str, Any]] = [
        {"content_hash": "sha256"},
        {"signature": None},
        {"sections": [{}]},
        {"truncations": [{}]},
    ]
    for change in changes:
        text = sealed(json.loads(OLD[0]) | change)
        with pytest.raises(pf.ManifestError) as caught:
            pf.PackManifest.from_json(text)
        assert caught.value.code == "MANIFEST_CORRUPT"
        assert next(iter(change)) in str(caught.value)


def test_versions_compare() -> None:
    """A stored document of version 1 and a pack of now are compared by what both have."""
    old = pf.PackManifest.from_json(OLD[0])
    difference = old.diff(rich_pack().manifest)
    assert difference.numbers["schema_version"] == {"before": 1, "after": 2}
    assert difference.numbers["budget"] == {"before": 7, "after": 12}


# Tampering.


def test_any_changed_byte_is_found() -> None:
    """A signed manifest in which any one byte is another is no manifest, or says the same."""
    signed = rich_pack().manifest.sign(KEY)
    stored = signed.to_json().encode()
    for at in range(len(stored)):
        for other in (stored[at] ^ 1, ord("0"), ord(" ")):
            if other == stored[at]:
                continue
            changed = stored[:at] + bytes([other]) + stored[at + 1 :]
            try:
                text = changed.decode()
            except UnicodeDecodeError:
                continue
            try:
                read = pf.PackManifest.from_json(text)
            except pf.ManifestError:
                continue
            # The last digit of a long float may be another one and mean the same.
            assert chr(stored[at]).isdigit()
            assert read == signed


def paths(values: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Return the path of every value in a document."""
    yield path
    if isinstance(values, dict):
        for key, inner in values.items():
            yield from paths(inner, (*path, key))
    elif isinstance(values, list):
        for at, inner in enumerate(values):
            yield from paths(inner, (*path, at))


odd: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=5),
    st.just([]),
    st.just({}),
    st.just([[[[]]]]),
    st.sampled_from(["sha256", "hmac-sha256", "exact", "cut", "overflow", "whole", "bent"]),
)


@given(st.data())
@examples(400)
def test_a_forged_manifest_is_read_or_refused_and_never_breaks(data: st.DataObject) -> None:
    """Whatever stands anywhere, under the right hash too: a ManifestError, or all of it works."""
    values = KINDS[data.draw(st.sampled_from(sorted(KINDS)))].to_dict()
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(list(paths(values))))
        place: Any = values
        for step in path[:-1]:
            place = place[step]
        if not path:
            continue
        if data.draw(st.booleans()) and isinstance(place, (dict, list)):
            place[path[-1]] = data.draw(odd)
        else:
            place.pop(path[-1])
    text = sealed(values)
    try:
        manifest = pf.PackManifest.from_json(text)
    except pf.ManifestError:
        with pytest.raises(pf.ManifestError) as caught:
            pf.PackManifest.from_json(text)
        assert caught.value.code in {"MANIFEST_CORRUPT", "MANIFEST_VERSION"}
        assert caught.value.differences
        return
    use_all_of(manifest)


def use_all_of(manifest: pf.PackManifest) -> None:
    """Call everything that a manifest offers."""
    frame = pf.Frame(["a", "b"])
    manifest.summary()
    manifest._repr_html_()
    Console(file=io.StringIO()).print(manifest)
    manifest.diff(KINDS["text"]).summary()
    KINDS["text"].diff(manifest).summary()
    for record in manifest.selected + manifest.excluded + manifest.merged:
        str(manifest.why(record["id"]))
    manifest.verify_signature(KEY)
    manifest.sign(KEY)
    manifest._core.dropped()
    manifest._core.section("docs")
    with pytest.raises((pf.ManifestError, pf.InvalidOption)):
        manifest.verify(frame)


def move(view: dict[str, Any], one: str, other: str) -> None:
    """Move a token from one amount of a view to another: the sum stays."""
    view[one]["tokens"] -= 1
    view[other]["tokens"] += 1


@pytest.mark.parametrize(
    ("change", "names"),
    [
        (lambda values: values.update(budget=values["budget"] + 1), "available"),
        (lambda values: values.update(estimated=True), "estimated"),
        (lambda values: values["selected"][0].update(position=7), "selected"),
        (lambda values: values["excluded"][0].update(row=0), "excluded"),
        (lambda values: values["tokens_by"]["role"]["user"].update(tokens=0), "tokens_by.role"),
        (lambda values: values["selected"][0].update(tokens=None), "selected"),
        (lambda values: values["selected"][1].update(role="boss"), "selected[1].role"),
        (lambda values: values["excluded"][0].update(tokens="9"), "excluded[0].tokens"),
        (lambda values: values.update(total_tokens=-1), "total_tokens"),
        (lambda values: values.update(total_tokens=2**64), "total_tokens"),
        (lambda values: values.pop("margin"), "margin"),
        (lambda values: values.pop("now"), "now"),
        (lambda values: values["selected"][0].pop("group"), "selected[0].group"),
        (lambda values: values.update(colour="red"), "colour"),
        (lambda values: values.update(content_hash="md5"), "content_hash"),
        (lambda values: values["selected"][0].update(form="bent"), "selected[0].form"),
        (lambda values: values["selected"][0].update(form="cut"), "truncations"),
        (lambda values: values["selected"][1].update(form="whole"), "s: are not those"),
        (lambda values: values["selected"][0].update(why="luck"), "selected[0].why"),
        (lambda values: values["selected"][0].update(retention="some"), "selected[0].retention"),
        (lambda values: values["selected"][0].update(id="q"), "have an id twice"),
        (lambda values: values["selected"][0].update(content_sha256="x"), "content_sha256"),
        (lambda values: values["selected"][0].update(content_tokens=1), "selected[0].tokens"),
        (lambda values: values["selected"][0].update(offset_bytes=10**6), "offset_bytes"),
        (lambda values: values["selected"].reverse(), "order of rows"),
        (lambda values: values["excluded"][0].update(reason="whim"), "excluded[0].reason"),
        (lambda values: values["excluded"][0].update(reason="policy:"), "excluded[0].reason"),
        (lambda values: values["excluded"].pop(0), "selected, excluded"),
        (lambda values: values["merged"][0].update(reason="whim"), "merged[0].reason"),
        (lambda values: values["merged"][0].update(into_row=0), "merged[0].into_row"),
        (lambda values: values["groups"][0].update(kind="odd"), "groups[0].kind"),
        (lambda values: values["groups"][0].update(rows=[1]), "groups[0].rows"),
        (lambda values: values["truncations"][0].update(at="tooth"), "truncations[0].at"),
        (lambda values: values["truncations"][0].update(keep="middle"), "truncations[0].keep"),
        (lambda values: values["truncations"][0].update(keep=None), "truncations[0]"),
        (lambda values: values["truncations"][0].update(row=99), "truncations[0].row"),
        (lambda values: values["truncations"].clear(), "truncations"),
        (lambda values: values["sections"][0].update(selected=9), "sections[0]"),
        (lambda values: values["sections"][0].update(drop="whim"), "sections[0].drop"),
        (lambda values: values["boundary"].update(kind="near"), "boundary.kind"),
        (lambda values: values.update(selection="best"), "selection"),
        (lambda values: values.update(layout="tidy"), "layout"),
        (lambda values: values.update(render="song"), "render"),
        (lambda values: values.update(accuracy="sure"), "accuracy"),
        (lambda values: values.update(rendered_bytes=None), "rendered_bytes"),
        (lambda values: values.update(remaining_tokens=0), "remaining_tokens"),
        (lambda values: values["token_profile"].update(framing="guess"), "framing"),
        (
            lambda values: values["tokens_by"]["part"].update(
                luck={"accuracy": "exact", "tokens": 0}
            ),
            "part",
        ),
        (lambda values: move(values["tokens_by"]["part"], "content", "joins"), "part.content"),
        (lambda values: move(values["tokens_by"]["section"], "docs", "rules"), "by.section"),
        (lambda values: move(values["tokens_by"]["role"], "system", "user"), "by.role"),
        (
            lambda values: values.update(
                signature={"algorithm": "none", "value": hashlib.sha256(b"").hexdigest()}
            ),
            "signature.algorithm",
        ),
    ],
)
def test_a_forged_manifest_names_the_field(change: Any, names: str) -> None:
    """Under the right hash too, what does not hold is named."""
    values = rich_pack().manifest.to_dict()
    change(values)
    with pytest.raises(pf.ManifestError) as caught:
        pf.PackManifest.from_json(sealed(values))
    assert caught.value.code == "MANIFEST_CORRUPT"
    assert any(names in difference for difference in caught.value.differences)


def test_a_key_that_is_there_twice_is_corrupt() -> None:
    """Two readers could take different ones."""
    text = rich_pack().manifest.to_json()
    with pytest.raises(pf.ManifestError) as caught:
        pf.PackManifest.from_json('{"budget":99,' + text[1:])
    assert "budget is there twice" in caught.value.differences[0]


@pytest.mark.parametrize("value", [None, 7, "text", [1], b"{}", {1: 2}, {"a": object()}])
def test_what_is_no_document_is_refused(value: Any) -> None:
    """Wrong types are typed errors."""
    with pytest.raises((pf.ManifestError, pf.InvalidOption)):
        pf.PackManifest.from_dict(value)
    deep: Any = []
    for _ in range(10_000):
        deep = [deep]
    with pytest.raises(pf.ManifestError):
        pf.PackManifest.from_dict({"schema_version": 2, "selected": deep})


def test_floats_come_back_as_they_were() -> None:
    """Priorities and shares with many digits do not break the hash."""
    for number in (0.1 + 0.2, 1e-7, 1e22, 5e-324, -0.0, 1.7976931348623157e308, 2 / 3):
        pack = pf.pack_sections(
            [pf.Section("s", ["a"], priority=number, max_share=0.1 + 0.2)], 100, token_profile=WORDS
        )
        again = pf.PackManifest.from_json(pack.manifest.to_json())
        assert again.to_json() == pack.manifest.to_json()
        assert pf.PackManifest.from_dict(pack.manifest.to_dict()) == pack.manifest


# Keys and signatures.


def test_a_signature_is_the_code_of_the_rest() -> None:
    """Anybody can check a signature with the standard library."""
    manifest = rich_pack().manifest
    assert manifest.signature is None
    signed = manifest.sign(KEY)
    values = signed.to_dict()
    rest = {key: inner for key, inner in values.items() if key not in {"manifest_id", "signature"}}
    code = hmac.new(KEY, canonical(rest).encode(), hashlib.sha256).hexdigest()
    assert values["signature"] == {"algorithm": "hmac-sha256", "value": code}
    assert json.loads(sealed(values)) == values
    assert signed.verify_signature(KEY)
    assert not signed.verify_signature(OTHER)
    assert not manifest.verify_signature(KEY)
    assert signed.sign(KEY) == signed
    assert signed.sign(OTHER).verify_signature(OTHER)
    assert manifest != signed
    again = pf.PackManifest.from_json(signed.to_json())
    assert again.verify_signature(KEY)


def test_a_changed_signed_manifest_does_not_verify() -> None:
    """Whoever makes the hash right again still lacks the key."""
    values = rich_pack().manifest.sign(KEY).to_dict()
    values["library_version"] = "0"
    assert not pf.PackManifest.from_json(sealed(values)).verify_signature(KEY)
    values["signature"]["value"] = "short"
    assert not pf.PackManifest.from_json(sealed(values)).verify_signature(KEY)


BAD_KEYS = ["a secret in a str", b"short", b"", None, 7, bytearray(KEY), [KEY]]


@pytest.mark.parametrize("key", BAD_KEYS, ids=repr)
def test_what_is_no_key_is_refused_and_not_shown(key: Any) -> None:
    """A key is 16 bytes or more, and no message shows one."""
    manifest = rich_pack().manifest
    for call in (manifest.sign, manifest.verify_signature):
        with pytest.raises(pf.InvalidOption) as caught:
            call(key)
        assert caught.value.option == "key"
        assert "secret in" not in str(caught.value)
    if key is not None:
        for use in (
            lambda: pf.Frame(["a"]).pack(9, hash_key=key),
            lambda: manifest.verify(pf.Frame(["a"]), hash_key=key),
        ):
            with pytest.raises(pf.InvalidOption) as caught:
                use()
            assert caught.value.option == "hash_key"
            assert "secret in" not in str(caught.value)


def test_keyed_hashes_are_codes_of_hashes() -> None:
    """With a key every hash of content is its HMAC, and nothing else changes."""
    plain, keyed = rich_pack().manifest.to_dict(), rich_pack(hash_key=KEY).manifest.to_dict()
    assert (plain["content_hash"], keyed["content_hash"]) == ("sha256", "hmac-sha256")

    def code(digest: str) -> str:
        return hmac.new(KEY, bytes.fromhex(digest), hashlib.sha256).hexdigest()

    for name in ("selected", "excluded", "merged", "truncations", "substitutions"):
        assert plain[name], name
        for ours, theirs in zip(plain[name], keyed[name], strict=True):
            assert theirs == ours | {"content_sha256": code(ours["content_sha256"])}
    assert keyed["rendered_sha256"] == code(plain["rendered_sha256"])
    same = {"budget", "total_tokens", "tokens_by", "sections", "token_profile_fingerprint"}
    assert all(plain[name] == keyed[name] for name in same)
    hashes = set(re.findall(r"[0-9a-f]{64}", canonical(plain)))
    shared = hashes & set(re.findall(r"[0-9a-f]{64}", canonical(keyed)))
    assert shared <= {plain["token_profile_fingerprint"]}


def test_keyed_manifests_are_verified_by_their_key_only() -> None:
    """Verification takes the key of the pack: no key, another key and one too many are refused."""
    pack = rich_pack(hash_key=KEY)
    manifest, frame = pack.manifest, pack._frame
    assert manifest.verify(frame, hash_key=KEY, rendered=pack.text)
    with pytest.raises(pf.ManifestError) as caught:
        manifest.verify(frame, hash_key=OTHER)
    assert caught.value.code == "MANIFEST_MISMATCH"
    for record, key in ((manifest, None), (rich_pack().manifest, KEY)):
        with pytest.raises(pf.InvalidOption) as refused:
            record.verify(frame, hash_key=key)
        assert refused.value.option == "hash_key"


def test_a_stable_layout_needs_the_same_kind_of_hashes() -> None:
    """With the key of the pack before its rows are found again; hashes of another kind refused."""
    frame = pf.Frame([pf.Item("a", id="a"), pf.Item("b", id="b")])
    before = frame.sort("id", descending=True).pack(9, hash_key=KEY).manifest
    again = frame.pack(9, layout="stable", previous=before, hash_key=KEY)
    assert again.ids == ("b", "a")
    with pytest.raises(pf.InvalidOption) as caught:
        frame.pack(9, layout="stable", previous=before)
    assert caught.value.option == "previous"


def test_packs_with_a_key_pickle() -> None:
    """A pack is pickled with its options, the key among them."""
    pack = rich_pack(hash_key=KEY)
    assert pickle.loads(pickle.dumps(pack)).manifest == pack.manifest


# Verification.


def test_a_manifest_is_held_against_its_frame() -> None:
    """Of another frame each row and key that differs is named."""
    pack = rich_pack()
    frame, manifest = pack._frame, pack.manifest
    assert manifest.verify(frame) is True
    changed: dict[str, dict[str, Any]] = {
        "id": {"id": "other"},
        "content_sha256": {"content": "be cruel"},
        "section": {"section": None},
        "role": {"role": "developer"},
        "retention": {"retention": "optional"},
        "group": {"group": "h"},
    }
    for key, change in changed.items():
        other = pf.Frame([frame[0].replace(**change), *list(frame)[1:]])
        with pytest.raises(pf.ManifestError) as caught:
            manifest.verify(other)
        assert caught.value.code == "MANIFEST_MISMATCH"
        assert isinstance(caught.value, ValueError)
        (difference,) = caught.value.differences
        assert difference.startswith(f"row 0: {key} is ")
        assert "cruel" not in difference
    for other in (frame.limit(3), frame + pf.Frame(["more"])):
        with pytest.raises(pf.ManifestError) as caught:
            manifest.verify(other)
        assert "rows" in caught.value.differences[0]
    for row, key in ((1, "truncations"), (2, "substitutions")):
        items = list(frame)
        items[row] = items[row].replace(alternatives=["zz"], content="q r s t u v")
        with pytest.raises(pf.ManifestError) as caught:
            manifest.verify(pf.Frame(items))
        assert any(key in difference for difference in caught.value.differences)


def test_strategies_of_packing_do_not_hide_a_frame() -> None:
    """What a strategy demoted is looked for as it was given."""
    frame = pf.Frame(
        [pf.Item("a b", retention="required", id="a"), pf.Item("c", retention="required", id="c")]
    )
    manifest = frame.pack(
        1, token_profile=WORDS, overflow=pf.Overflow.demote(pf.col("id") == "a")
    ).manifest
    assert manifest.excluded[0]["retention"] == "optional"
    assert manifest.verify(frame)
    with pytest.raises(pf.ManifestError):
        manifest.verify(frame.demote(pf.col("id") == "a"))


def test_a_cut_of_json_is_verified() -> None:
    """JSON that lost elements is cut again, too."""
    frame = pf.Frame([pf.Item(pf.Json([["a b"], "c d", "e f"]), id="j", cut_to=1)])
    manifest = frame.pack(3, token_profile=WORDS).manifest
    assert manifest.truncations[0]["at"] == "element"
    assert manifest.verify(frame)


def test_a_text_is_held_against_the_manifest() -> None:
    """The text of the pack passes, another does not, and messages have none."""
    pack = rich_pack()
    assert pack.manifest.verify(pack._frame, rendered=pack.text)
    with pytest.raises(pf.ManifestError) as caught:
        pack.manifest.verify(pack._frame, rendered=pack.text + " ")
    assert len(caught.value.differences) == 2
    for rendered in (7, b"text", "\ud800"):
        with pytest.raises(pf.InvalidOption):
            pack.manifest.verify(pack._frame, rendered=rendered)  # type: ignore[arg-type]
    messages = rich_pack(render="messages", budget=99)
    with pytest.raises(pf.InvalidOption) as refused:
        messages.manifest.verify(messages._frame, rendered="text")
    assert refused.value.option == "rendered"


@pytest.mark.parametrize("frame", [None, [], "frame", pf.Item("a")], ids=repr)
def test_what_is_no_frame_is_refused(frame: Any) -> None:
    """Only a frame has rows."""
    with pytest.raises(pf.InvalidOption):
        rich_pack().manifest.verify(frame)


def test_many_differences_are_few_lines() -> None:
    """Of a frame of other rows a hundred differences are named, and the rest counted."""
    manifest = pf.Frame([f"a {n}" for n in range(300)]).pack(9000).manifest
    with pytest.raises(pf.ManifestError) as caught:
        manifest.verify(pf.Frame([f"b {n}" for n in range(300)]))
    assert len(caught.value.differences) == 101
    assert caught.value.differences[-1] == "and 500 more"
    assert len(str(caught.value)) < 2000


# Comparison.


def test_what_differs_is_told_by_id() -> None:
    """Entered, left and changed ids, with what they were and are; numbers of the whole."""
    items = [
        pf.Item(f"{name} x", id=name, score=score)
        for name, score in zip("abcd", (4, 3, 2, 1), strict=True)
    ]
    before = pf.Frame(items).pack(4, token_profile=WORDS).manifest
    after = (
        pf.Frame([items[3].replace(score=9), *items[:3], pf.Item("new", id="n", score=-1)])
        .pack(5, token_profile=WORDS)
        .manifest
    )
    difference = before.diff(after)
    assert difference
    assert [record["id"] for record in difference.entered] == ["d", "n"]
    assert [record["id"] for record in difference.left] == ["b"]
    assert difference.changed == []
    assert difference.numbers["budget"] == {"before": 4, "after": 5}
    assert difference.entered[0]["before"]["fate"] == "excluded"
    assert difference.entered[1]["before"] is None
    assert difference.left[0]["after"]["reason"] == "budget"
    text = difference.summary()
    assert text == str(difference)
    assert "left b: in (score) -> out (budget)" in text
    assert "budget: 4 -> 5" in text
    assert "... and 2 more ids" in difference.summary(limit=1)
    assert repr(difference) == "ManifestDiff(2 entered, 1 left, 0 changed)"
    assert json.loads(json.dumps(difference.to_dict())) == difference.to_dict()
    assert pickle.loads(pickle.dumps(difference)) == copy.copy(difference) == difference
    assert difference != after.diff(before)
    assert hash(difference) == hash(before.diff(after))
    frozen: Any = difference
    with pytest.raises(AttributeError):
        frozen.entered = []


def test_forms_reasons_and_moves_are_changes() -> None:
    """Another form, other tokens and the fewest moves are told, shifts by insertion are not."""
    frame = pf.Frame(
        [pf.Item("one two three", id="cut", cut_to=1, score=1)]
        + [pf.Item(name, id=name, score=2) for name in "abcde"]
    )
    before = frame.pack(8, token_profile=WORDS).manifest
    after = frame.pack(7, token_profile=WORDS).manifest
    (record,) = before.diff(after).changed
    assert (record["id"], record["fields"]) == ("cut", ["content_sha256", "form", "tokens"]) or (
        record["fields"] == ["form", "tokens"]
    )
    moved = pf.Frame([frame["e"], *[frame[name] for name in ("cut", *"abcd")]])
    (record,) = before.diff(moved.pack(8, token_profile=WORDS).manifest).changed
    assert (record["id"], record["fields"]) == ("e", ["position"])
    tighter = frame.pack(5, token_profile=WORDS).manifest
    out = tighter.diff(frame.pack(4, token_profile=WORDS).manifest)
    assert [record["id"] for record in out.left] == ["e"]


def test_a_difference_needs_manifests() -> None:
    """Anything else is refused by name."""
    with pytest.raises(pf.InvalidOption) as caught:
        rich_pack().manifest.diff(rich_pack())  # type: ignore[arg-type]
    assert caught.value.option == "other"


@given(everything(), everything())
@examples(60)
def test_differences_have_a_mirror(one: Everything, two: Everything) -> None:
    """What entered one way left the other way, and nothing differs from itself."""
    try:
        first, second = made_of(one)[2], made_of(two)[2]
    except (pf.InvalidItem, pf.InvalidOption, pf.UnsupportedContent):
        return
    there, back = first.diff(second), second.diff(first)
    assert {r["id"] for r in there.entered} == {r["id"] for r in back.left}
    assert {r["id"] for r in there.left} == {r["id"] for r in back.entered}
    assert {r["id"] for r in there.changed} >= {
        r["id"] for r in back.changed if r["fields"] != ["position"]
    }
    turned = {"before": "after", "after": "before"}
    assert back.numbers == {
        key: {turned[time]: value for time, value in change.items()}
        for key, change in there.numbers.items()
    }
    assert there.summary()
    assert not first.diff(first)


# Decisions and sections.


def test_what_lost_content_has_a_decision() -> None:
    """Excluded, cut and replaced items have one each, with tokens before and after."""
    pack = rich_pack()
    found = {d.id: (d.action, d.section, d.index, d.reason) for d in pack.dropped()}
    assert found["cut"][:3] == ("cut", "docs", 0)
    assert found["alt"][:3] == ("replaced", "docs", 1)
    assert found["q"] == ("excluded", None, 0, "quarantined")
    assert not pack.complete
    for decision in pack.dropped():
        if decision.tokens_before is None:
            assert decision.tokens_accuracy is None
        else:
            assert decision.tokens_after < decision.tokens_before
    by_id = {d.id: d for d in pack.dropped()}
    assert (by_id["cut"].tokens_before, by_id["alt"].tokens_before) == (6, 4)
    assert (by_id["cut"].reason, by_id["alt"].reason) == ("budget", "budget")
    roomy = {d.id: d for d in rich_pack(budget=40).dropped()}
    assert (roomy["cut"].reason, roomy["alt"].reason) == ("section_cap", "section_cap")


def test_a_section_has_an_account() -> None:
    """Declared sections and mere names have one; other names have none."""
    pack = rich_pack()
    docs = pack.section("docs")
    assert isinstance(docs, pf.SectionAccount)
    assert (docs.declared, docs.cap, docs.drop, docs.header_tokens) == (True, 4, "truncate", 1)
    assert docs.tokens <= 4
    assert docs.selected == ("cut", "alt")
    assert [d.id for d in docs.dropped] == ["cut", "alt"]
    label = rich_pack(sections=(), layout="input", budget=99).section("docs")
    assert (label.declared, label.cap, label.floor, label.drop, label.tokens) == (
        False,
        None,
        0,
        None,
        10,
    )
    for name in ("nobody", "", "\ud800"):
        with pytest.raises(KeyError):
            pack.section(name)
    nameless: list[Any] = [None, 7]
    for value in nameless:
        with pytest.raises(pf.InvalidOption):
            pack.section(value)


# Languages.


def test_languages_are_of_messages_only() -> None:
    """Sentences are in the language that was chosen; codes and documents have none."""
    frame = pf.Frame([pf.Item("a b", id="a", retention="required"), pf.Item("c d", id="c")])
    pack = frame.pack(3, token_profile=WORDS)
    json_before = pack.manifest.to_json()
    told = {}
    before = pf.set_language("en")
    try:
        for language in ("en", "ru", "ja"):
            pf.set_language(language)
            with pytest.raises(pf.BudgetExceeded) as caught:
                frame.pack(1, token_profile=WORDS)
            assert caught.value.code == "TOKEN_BUDGET_EXCEEDED"
            why, (decision,) = pack.manifest.why("c"), pack.dropped()
            assert why.reason == decision.reason == "budget"
            told[language] = (str(caught.value), str(why), decision.message)
            assert all("1" in sentence for sentence in told[language][:2])
            assert frame.pack(3, token_profile=WORDS).manifest.to_json() == json_before
    finally:
        pf.set_language(before)
    assert all(len(set(sentences)) == 3 for sentences in zip(*told.values(), strict=True))
    assert re.search("[а-я]", told["ru"][0])
    assert re.search("[ぁ-ん]", told["ja"][0])


@pytest.mark.parametrize("language", ["de", "EN", "", 7, None])
def test_an_unknown_language_is_refused(language: Any) -> None:
    """Three languages are known."""
    with pytest.raises(pf.InvalidOption) as caught:
        pf.set_language(language)
    assert caught.value.option == "language"
