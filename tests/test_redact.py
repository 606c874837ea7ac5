"""What a pattern finds in a frame, replaced."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import packframe as pf
from support.examples import examples
from support.texts import json_values, texts

CARD = r"[0-9]{4}-[0-9]{4}"


def strings(value: Any, change: Any) -> Any:
    """Return JSON with its strings changed, but not its keys."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [strings(inner, change) for inner in value]
    if isinstance(value, dict):
        return {key: strings(inner, change) for key, inner in value.items()}
    return value


@examples(400)
@given(
    compiled=st.booleans(),
    text=texts,
    value=json_values,
    pattern=st.sampled_from(["a", "[a-z]+", "x*", "é|ü", r"\s"]),
)
def test_texts_and_json_are_what_re_makes_of_them(
    *, compiled: bool, text: str, value: Any, pattern: str
) -> None:
    """Every match is replaced, in texts and in the values of JSON, as Python's re replaces it."""
    if pattern in {"x*", r"\s"} and not compiled:
        return  # the two differ in empty matches behind others, and in what white space is
    frame = pf.Frame([text, pf.Json(value)])
    redacted = frame.redact(re.compile(pattern) if compiled else pattern, r"\1$0")

    def change(found: str) -> str:
        return re.sub(pattern, lambda _: r"\1$0", found)

    assert redacted[0].content == change(text)
    assert redacted[1].content == pf.Json(strings(value, change))


def test_json_keeps_keys_numbers_and_order() -> None:
    """Only strings that are values change, whatever is put in their place."""
    frame = pf.Frame([pf.Json({"k": "k", "n": 1.50, "l": ["k", {"k": None, "x": "kk"}]})])
    assert frame.redact("k", '"\n\\')[0].text == json.dumps(
        {"k": '"\n\\', "n": 1.5, "l": ['"\n\\', {"k": None, "x": '"\n\\' * 2}]},
        separators=(",", ":"),
    )


def test_messages_lose_what_is_said_and_nothing_else() -> None:
    """Content, refusals and arguments are searched; ids, names, roles and types are not."""
    message = {
        "role": "assistant",
        "name": "secret",
        "content": [{"type": "text", "text": "a secret"}, {"type": "text", "text": "none"}],
        "refusal": "no secret",
        "tool_calls": [
            {
                "id": "secret",
                "type": "function",
                "function": {"name": "secret", "arguments": '{"secret": ["secret", 1]}'},
            },
            {"id": "b", "type": "function", "function": {"name": "f", "arguments": "not a secret"}},
        ],
        "secret": "secret",
    }
    frame = pf.Frame([pf.Item(pf.Message(message), role="assistant")])
    (redacted,) = frame.redact("secret", "***")
    value = redacted.content.value
    assert value["content"] == [{"type": "text", "text": "a ***"}, {"type": "text", "text": "none"}]
    assert value["refusal"] == "no ***"
    first, second = value["tool_calls"]
    assert (first["id"], first["function"]["name"]) == ("secret", "secret")
    assert json.loads(first["function"]["arguments"]) == {"secret": ["***", 1]}
    assert second["function"]["arguments"] == "not a ***"
    assert (value["name"], value["secret"], list(value)) == ("secret", "secret", list(message))
    assert "***" in str(redacted.text)


def test_alternatives_and_references_are_searched() -> None:
    """No form of an item keeps what was redacted; bytes, sources and metadata stay."""
    item = pf.Item(
        "4242-4242",
        alternatives=["card 4242-4242", pf.Alternative(pf.Json(["4242-4242"]), 0.7)],
        sources=["4242-4242"],
        metadata={"card": "4242-4242"},
    )
    frame = pf.Frame([item, pf.Reference("kb://4242-4242", size=3), pf.Binary(b"4242-4242", "a/b")])
    text, reference, binary = frame.redact(CARD, "x")
    assert text.content == "x"
    assert text.alternatives == (
        pf.Alternative("card x", 0.5),
        pf.Alternative(pf.Json(["x"]), 0.7),
    )
    assert (text.sources, text.metadata) == (("4242-4242",), {"card": "4242-4242"})
    assert reference.content == pf.Reference("kb://x", size=3)
    assert binary.content == pf.Binary(b"4242-4242", "a/b")
    only = pf.Frame([pf.Item("none", alternatives=["4242-4242"])]).redact(CARD, "")
    assert only[0].alternatives[0].content == ""


def test_ids_follow_and_what_requires_them_too() -> None:
    """Given ids stay, made ones are those of the new content, and requires names them."""
    secret = pf.Frame(["secret"])
    made = secret.ids[0]
    frame = pf.Frame(
        ["secret", pf.Item("mine", id="a"), pf.Item("b", requires=[made, "a", "gone"])]
    )
    redacted = frame.redact("secret|mine", "x")
    assert redacted.ids[0] == pf.Frame(["x"]).ids[0] != made
    assert redacted.ids[1] == "a"
    assert redacted[2].requires == (redacted.ids[0], "a", "gone")
    assert frame[0].content == "secret"


def test_where_nothing_is_found_all_is_shared() -> None:
    """A frame without a match is equal, and its texts are not counted again."""
    counted = []

    def count(text: str) -> int:
        counted.append(text)
        return len(text)

    profile = pf.profiles.custom("mine", count)
    frame = pf.Frame(["one", "two"])
    frame.pack(None, token_profile=profile, separator="")
    before = len(counted)
    redacted = frame.redact("three|w", "W")
    assert redacted[1].content == "tWo"
    redacted.pack(None, token_profile=profile, separator="")
    assert counted[before:].count("one") == 0
    assert frame.redact("nowhere", "x") == frame
    assert len(pf.Frame().redact("a", "b")) == 0


def test_demotions_and_merges_stay() -> None:
    """The history of the rows goes along."""
    frame = pf.Frame([pf.Item("a", retention="required"), "b", "b"]).dedupe()
    frame = frame.demote(pf.col("row") == 0).redact("a", "c")
    manifest = frame.pack(None).manifest.to_dict()
    assert len(manifest["merged"]) == len(manifest["demotions"]) == 1


@pytest.mark.parametrize(
    ("pattern", "replacement", "option"),
    [
        ("(", "", "pattern"),
        ("(?=a)", "", "pattern"),
        (r"(a)\1", "", "pattern"),
        ("a{1000000}{1000000}", "", "pattern"),
        ("\ud800", "", "pattern"),
        (7, "", "pattern"),
        (None, "", "pattern"),
        (b"a", "", "pattern"),
        (re.compile(b"a"), "", "pattern"),
        (lambda text: text, "", "pattern"),
        ("a", None, "replacement"),
        ("a", lambda _: "", "replacement"),
        ("a", "\ud800", "replacement"),
    ],
    ids=repr,
)
def test_what_is_no_pattern_is_named(pattern: Any, replacement: Any, option: str) -> None:
    """A pattern that the engine has not, and what is none, raise, naming the option."""
    with pytest.raises(pf.InvalidOption) as caught:
        pf.Frame(["a"]).redact(pattern, replacement)
    assert caught.value.option == option


def test_a_uri_of_which_nothing_is_left_is_refused() -> None:
    """A reference needs a URI: the row is named."""
    with pytest.raises(pf.InvalidItem) as caught:
        pf.Frame(["a", pf.Reference("kb")]).redact("kb", "")
    assert caught.value.row == 1


def test_look_around_works_where_it_is_compiled() -> None:
    """What the native engine has not, Python's has; a template stands for itself there, too."""
    frame = pf.Frame(["price 10, size 20"])
    assert (
        frame.redact(re.compile(r"(?<=size )\d+"), r"\g<0>")[0].content == r"price 10, size \g<0>"
    )


def test_a_hostile_text_is_no_problem() -> None:
    """A pattern at which a backtracking engine hangs is searched in linear time."""

    def cost(length: int) -> float:
        frame = pf.Frame(["a" * length])
        start = time.process_time()
        assert frame.redact("(a+)+b", "x") == frame
        return time.process_time() - start

    cost(1_000)
    assert cost(1_000_000) < 5
    deep = pf.Json(json.loads("[" * 100 + '"secret"' + "]" * 100))
    assert "***" in str(pf.Frame([deep]).redact("secret", "***")[0].text)
