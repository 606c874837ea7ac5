"""What a manifest tells of what was changed, could not be done, or looks like a slip."""

from __future__ import annotations

import pickle
from typing import Any

import jsonschema
import pytest

import packframe as pf

LEAKING = "db: postgres://app:h4rdT0Gu3ss@db/main"
REDACTING = pf.Boundary.external("openai", secrets="redact")
VALIDATOR = jsonschema.Draft202012Validator(pf.PackManifest.schema())


def words(text: str) -> int:
    """Count words."""
    return len(text.split())


def told(pack: pf.Pack) -> dict[str, Any]:
    """Return a manifest that is of the schema, and that is read again."""
    document = pack.manifest.to_dict()
    VALIDATOR.validate(document)
    assert pf.PackManifest.from_dict(document) == pack.manifest
    return document


def of_redactions(pack: pf.Pack) -> list[tuple[Any, ...]]:
    """Return what was redacted: row, alternative, by whom, and how many secrets."""
    keys = ("row", "alternative", "by", "secrets")
    return [tuple(record[key] for key in keys) for record in told(pack)["redactions"]]


REDACTED = pf.Frame(
    [
        pf.Item("zero", id="z"),
        pf.Item("card 4242", id="a", alternatives=["short", "4242"]),
        pf.Item("none", id="b"),
        pf.Item("card 4242 again", id="c"),
    ]
).redact("4242", "[card]")
THREE = [(1, None, "redact", None), (1, 1, "redact", None), (3, None, "redact", None)]


def test_a_redaction_of_the_frame_is_recorded() -> None:
    """Each content that changed, and each alternative, with the hash of what is left."""
    pack = REDACTED.pack(99)
    assert of_redactions(pack) == THREE
    assert pack.manifest.redactions[0]["content_sha256"] == pack.items[1].content_sha256
    assert pack.manifest.redactions[0]["rules"] == []
    assert pack.manifest.verify(REDACTED)
    assert of_redactions(REDACTED.redact("card", "card").pack(99)) == THREE
    assert of_redactions(pf.Frame(["a"]).redact("b", "c").pack(9)) == []


@pytest.mark.parametrize(
    ("frame", "right"),
    [
        (REDACTED.filter(pf.col("row") > 0), [(0, None), (0, 1), (2, None)]),
        (REDACTED.sort("row", descending=True), [(0, None), (2, None), (2, 1)]),
        (REDACTED.limit(2), [(1, None), (1, 1)]),
        (pf.Frame(["x"]) + REDACTED, [(2, None), (2, 1), (4, None)]),
        (REDACTED.extend(["x"]), [(1, None), (1, 1), (3, None)]),
        (REDACTED.with_items([pf.Item("new", id="a")]), [(3, None)]),
        (REDACTED.demote(pf.col("row") > 9).promote(pf.col("row") > 9), [*(r[:2] for r in THREE)]),
        (REDACTED.rank("card"), [*(r[:2] for r in THREE)]),
        (REDACTED.dedupe(), [*(r[:2] for r in THREE)]),
        (REDACTED.quarantine(pf.col("row") == 0), [*(r[:2] for r in THREE)]),
        (pickle.loads(pickle.dumps(REDACTED)), [*(r[:2] for r in THREE)]),
    ],
)
def test_verbs_carry_redactions_along(frame: pf.Frame, right: list[tuple[Any, ...]]) -> None:
    """A redaction goes where its row goes; an item that is given anew has none."""
    assert [record[:2] for record in of_redactions(frame.pack(99))] == right


def test_both_kinds_of_redaction_stand_side_by_side() -> None:
    """A pattern of the caller's first, the boundary after it."""
    frame = pf.Frame([pf.Item(f"Ada, {LEAKING}", id="a")]).redact("Ada", "[name]")
    pack = frame.pack(99, boundary=REDACTING)
    assert of_redactions(pack) == [(0, None, "redact", None), (0, None, "boundary", 1)]
    assert pack.manifest.verify(frame)
    refused = frame.pack(99, boundary=pf.Boundary.external("openai"))
    assert [record["content_sha256"] for record in told(refused)["redactions"]] == [None]


def test_why_says_what_was_redacted() -> None:
    """By a pattern of the caller's, and by the boundary with the rules that found something."""
    pack = REDACTED.pack(99)
    assert pack.manifest.why("a").message.endswith("; redacted by redact")
    assert "redacted" not in pack.manifest.why("b").message
    leaking = pf.Frame([pf.Item(LEAKING, id="a")]).pack(99, boundary=REDACTING)
    assert leaking.manifest.why("a").message.endswith("; redacted by boundary: uri_credentials")


def test_what_lost_a_secret_is_dropped_content() -> None:
    """A decision says so, and the pack is not complete."""
    pack = pf.Frame([pf.Item(LEAKING, id="a"), "b"]).pack(99, boundary=REDACTING)
    (decision,) = pack.dropped()
    assert (decision.id, decision.action, decision.reason) == ("a", "redacted", "secret_detected")
    assert (decision.tokens_before, decision.tokens_after) == (
        None,
        pack.manifest.selected[0]["tokens"],
    )
    assert decision.message
    assert not pack.complete


def test_a_pinned_row_is_recorded_as_required() -> None:
    """Whatever its own retention says."""
    frame = pf.Frame([pf.Item("a", id="a", pinned=True), pf.Item("b", id="b")])
    pack = frame.pack(9, token_profile=words)
    document = told(pack)
    assert [record["retention"] for record in document["selected"]] == ["required", "optional"]
    by = document["tokens_by"]["retention"]
    assert {name: by[name]["tokens"] for name in by} == {"optional": 1, "required": 1}
    assert pack.manifest.verify(frame)
    with pytest.raises(pf.ManifestError):
        pack.manifest.verify(frame.with_items([pf.Item("a", id="a")]))


class Shortening:
    """A strategy that cuts every item itself."""

    def apply(self, section: pf.Section, items: Any, *_: Any) -> pf.DropResult:
        """Keep the second word of each."""
        del section
        return pf.DropResult([item.replace(content=item.text.split()[1]) for item in items])


def test_nothing_is_claimed_of_what_a_strategy_kept() -> None:
    """A record of its cut has both counts and the hash, and null for what only it knows."""
    frame = pf.Frame([pf.Item("one two three", id="a", section="s", cut_to=1)])
    pack = frame.pack(
        9,
        token_profile=words,
        sections=[pf.Section("s", drop="short")],
        strategies={"short": Shortening()},
    )
    (record,) = told(pack)["truncations"]
    assert pack.text == "two"
    assert (record["at"], record["tokens_before"], record["tokens"]) == ("strategy", 3, 1)
    unknown = ("keep", "kept_at_start", "kept_at_end", "marker")
    assert [record[key] for key in unknown] == [None] * 4
    assert pack.manifest.verify(frame)


def warned(pack: pf.Pack) -> list[tuple[str, int | None]]:
    """Return the warnings of a manifest."""
    return [(record["code"], record["row"]) for record in told(pack)["warnings"]]


def test_a_cut_that_is_never_made_is_a_warning() -> None:
    """Messages and URIs are not cut: where one is out and names `cut_to`, the manifest says so."""
    message = pf.Message({"role": "user", "content": "one two three four"})
    frame = pf.Frame(
        [
            pf.Item("a", retention="required"),
            pf.Item(message, cut_to=1),
            pf.Item(message),
            pf.Item(pf.Reference("https://example.test/a b c d"), cut_to=1),
            pf.Item("five six seven", cut_to=3),
        ]
    )
    pack = frame.pack(1, token_profile=words, render="text")
    assert warned(pack) == [("never_cut", 1), ("never_cut", 3)]
    assert warned(frame.pack(99, token_profile=words, render="text")) == []


def test_a_near_miss_of_a_section_is_a_warning() -> None:
    """The label stays a label; each is told once, by its first row."""
    rows = ["docs", "dosc", "Docs", "dosc", "history", None, "dcs"]
    frame = pf.Frame([pf.Item("a", section=name) for name in rows])
    pack = frame.pack(99, token_profile=words, sections=[pf.Section("docs", max_tokens=1)])
    near = [("section_not_declared", row) for row in (1, 2, 6)]
    assert warned(pack) == near
    assert len(pack.items) == len(rows)
    assert warned(frame.pack(99, token_profile=words)) == []


@pytest.mark.parametrize("required", [None, False])
def test_an_all_or_nothing_section_of_rivals_names_the_key(required: bool | None) -> None:  # noqa: FBT001
    """At most one of a key is taken, so all of the section are out, which is no miss."""
    section = pf.Section("s", drop="all_or_nothing", required=required)
    frame = pf.Frame([pf.Item(text, section="s", exclusive="price") for text in ("a", "b")])
    pack = frame.extend(["c"]).pack(99, token_profile=words, sections=[section])
    assert pack.text == "c"
    records = told(pack)["excluded"]
    assert [(record["reason"], record["rule"]) for record in records] == [
        ("exclusive", "price"),
        ("exclusive", "price"),
    ]


def test_a_requirement_that_no_row_meets_is_a_warning() -> None:
    """The remedy names the nearest id, and does not send to an id that does not exist."""
    frame = pf.Frame(
        [
            pf.Item("table", id="table", requires=["legned"]),
            pf.Item("legend", id="legend"),
            pf.Item("far", id="far", requires=["nothing-like-it"]),
            pf.Item("out", id="out", trust="quarantined"),
            pf.Item("known", id="known", requires=["out"]),
        ]
    )
    pack = frame.pack(99, token_profile=words)
    assert warned(pack) == [("unknown_requirement", 0), ("unknown_requirement", 2)]
    remedies = {name: pack.manifest.why(name).remedy for name in ("table", "far", "known")}
    assert "no row has the id 'legned': require 'legend'" in remedies["table"]
    assert "no row has the id 'nothing-like-it': add that row" in remedies["far"]
    assert remedies["known"].startswith("see why() of what it requires")


def test_a_section_that_no_row_uses_is_a_warning() -> None:
    """But not where the sections bring their items along."""
    sections = [pf.Section("docs"), pf.Section("history"), pf.Section("tools")]
    frame = pf.Frame([pf.Item("a", section="history"), "b"])
    pack = frame.pack(9, token_profile=words, sections=sections)
    assert warned(pack) == [("section_without_rows", None)] * 2
    assert warned(frame.pack(9, token_profile=words, sections=sections[1:2])) == []
    assert warned(frame.pack(9, token_profile=words)) == []
    filled = [pf.Section("docs", []), pf.Section("history", ["a"])]
    assert warned(pf.pack_sections(filled, 9, token_profile=words)) == []


def test_a_larger_budget_is_not_promised_to_admit_an_item() -> None:
    """Better items may take the new room first, and the remedy says so."""
    contents = {"a": "a a a a", "b": "b b b", "c": "c c c c c"}
    scores = {"a": 3, "b": 2, "c": 1}
    frame = pf.Frame([pf.Item(contents[name], id=name, score=scores[name]) for name in contents])
    why = frame.pack(4, token_profile=words).manifest.why("c")
    assert (why.shortfall, why.reason) == (5, "budget")
    assert why.remedy.startswith("raise its score, make it preferred, or raise the budget")
    assert "needs 9 at least, 5 more, and better items may take new room first" in why.remedy
    assert set(frame.pack(9, token_profile=words).ids) == {"a", "b"}
    preferred = frame.promote(pf.col("id") == "c", to="preferred")
    assert "c" in preferred.pack(9, token_profile=words).ids


def test_missing_ids_and_rows_are_named() -> None:
    """The nearest id, where one is near, and the rows that there are."""
    frame = pf.Frame([pf.Item("a", id="kb-1"), pf.Item("b", id="other")])
    with pytest.raises(KeyError, match="no row has the id 'kb-5'; the nearest is 'kb-1'"):
        frame["kb-5"]
    manifest = frame.pack(9).manifest
    with pytest.raises(KeyError, match="no row has the id 'kb-5'; the nearest is 'kb-1'"):
        manifest.why("kb-5")
    with pytest.raises(KeyError) as caught:
        manifest.why("something-else")
    assert "nearest" not in str(caught.value)
    with pytest.raises(IndexError, match="row 5 of a frame of 2; use -2 to 1"):
        frame[5]
    with pytest.raises(IndexError, match="a frame without rows"):
        pf.Frame([])[0]


@pytest.mark.parametrize("key", ["text", "payload", "body", "page_content"])
def test_what_others_call_the_content_is_understood(key: str) -> None:
    """The suggestion is the key that is meant."""
    with pytest.raises(pf.InvalidItem) as caught:
        pf.Frame.from_records([{key: "a"}])
    assert (caught.value.field, caught.value.suggestion) == (key, "content")


def test_sentences_about_one_value_are_whole() -> None:
    """One token is no plural; a time without an offset is a time; a section has a name."""
    frame = pf.Frame([pf.Item("a b", id="a", retention="required")])
    over = pf.Frame([pf.Item("a b c", id="a")]).pack(1, token_profile=words).manifest
    assert over.why("a").message.endswith("; 2 tokens too many")
    short = frame.extend([pf.Item("c", id="c")]).pack(2, token_profile=words)
    assert short.manifest.why("c").message.endswith("; 1 token too many")
    with pytest.raises(pf.InvalidItem, match="has no offset; use the same with one"):
        pf.Item("a", expires_at="2026-01-31T12:00:00")
    with pytest.raises(pf.InvalidItem, match="is no ISO 8601 time"):
        pf.Item("a", expires_at="tomorrow")
    with pytest.raises(pf.InvalidOption, match="min_tokens -1 of section 'docs' is negative"):
        pf.Section("docs", min_tokens=-1)


@pytest.mark.parametrize("margin", [0.1, 0.5, 0.07])
def test_the_budget_that_is_enough_under_a_fractional_margin(margin: float) -> None:
    """The margin grows with the budget; one token less is not enough."""
    frame = pf.Frame([pf.Item("w " * 40, retention="required")])
    with pytest.raises(pf.BudgetExceeded) as caught:
        frame.pack(20, reserve=3, token_profile=words, margin=margin)
    raised = int(str(caught.value).split("raise the budget by ")[1].split(",")[0])
    assert raised > caught.value.overflow_tokens
    assert frame.pack(20 + raised, reserve=3, token_profile=words, margin=margin).ids
    with pytest.raises(pf.BudgetExceeded):
        frame.pack(19 + raised, reserve=3, token_profile=words, margin=margin)
