"""What lists of messages cost, part by part: the same as a pack of them."""

from __future__ import annotations

import json
import pickle
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given

import packframe as pf
from support.examples import examples
from support.frames import conversations
from support.pairs import PAIRS, pair

if TYPE_CHECKING:
    from collections.abc import Callable

CHAT = "openai-chat"
TOOLS = [
    {
        "type": "function",
        "function": {"name": "look_up", "description": "Looks up an order. é", "parameters": {}},
    }
]
FORMAT = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True}}
USER = {"role": "user", "content": "Where is my order?"}
IMAGE = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:"}}]}


def compact(value: Any) -> str:
    """Write JSON without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def by_part(counted: pf.MessageCount) -> dict[str, int]:
    """Return the tokens of each kind of part."""
    found: dict[str, int] = {}
    for part in counted.parts:
        found[part.part] = found.get(part.part, 0) + part.tokens
    return found


@pytest.mark.parametrize("name", sorted(PAIRS))
@examples(60)
@given(messages=conversations())
def test_a_count_is_that_of_a_pack(name: str, messages: list[dict[str, Any]]) -> None:
    """Total, accuracy and every part are what the manifest of a pack of the messages says."""
    profile = pair(name).profile
    counted = profile.count_messages(messages, format=CHAT)
    frame = pf.Frame.from_messages(messages, format=CHAT)
    pack = frame.pack(None, token_profile=profile, render="messages")
    manifest = pack.manifest.to_dict()
    assert counted.total == pack.total_tokens == sum(part.tokens for part in counted.parts)
    assert counted.accuracy == manifest["accuracy"]
    parts = {key: value["tokens"] for key, value in manifest["tokens_by"]["part"].items()}
    ours = by_part(counted)
    assert ours["base"] == parts["base"]
    assert ours.get("joins", 0) == parts["joins"]
    alone = [part for part in counted.parts if part.part == "message"]
    assert [
        (part.position, part.tokens, part.content_tokens, part.envelope_tokens, part.accuracy)
        for part in alone
    ] == [
        (
            record["row"],
            record["tokens"],
            record["content_tokens"],
            record["envelope_tokens"],
            record["tokens_accuracy"],
        )
        for record in manifest["selected"]
    ]


def test_a_count_by_hand() -> None:
    """Three a message, its role and its content, one for a name, three for the reply."""
    profile = pf.profiles.openai("cl100k_base")
    messages = [USER | {"name": "Ada"}, {"role": "assistant", "content": "In Oslo."}]
    counted = profile.count_messages(messages, format=CHAT)
    count = profile.count
    first = 3 + count("user") + 1 + count("Ada") + count("Where is my order?")
    second = 3 + count("assistant") + count("In Oslo.")
    assert [(part.part, part.position, part.tokens) for part in counted.parts] == [
        ("base", None, 3),
        ("message", 0, first),
        ("message", 1, second),
    ]
    assert (counted.total, counted.accuracy) == (3 + first + second, "exact_text")


@pytest.mark.parametrize("name", [name for name in sorted(PAIRS) if not pair(name).counter.openai])
def test_tools_and_response_format_are_counted_as_compact_json(name: str) -> None:
    """Where nothing is published of them they are parts of their own, approximate."""
    profile = pair(name).profile
    bare = profile.count_messages([USER], format=CHAT)
    counted = profile.count_messages([USER], format=CHAT, tools=TOOLS, response_format=FORMAT)
    tools, answer = counted.parts[-2:]
    assert (tools.part, tools.tokens) == ("tools", profile.count(compact(TOOLS)))
    assert (answer.part, answer.tokens) == ("response_format", profile.count(compact(FORMAT)))
    assert counted.parts[:-2] == bare.parts
    assert counted.total == bare.total + tools.tokens + answer.tokens
    assert {counted.accuracy, tools.accuracy, answer.accuracy} == {"approximate"}
    assert profile.count_messages([USER], format=CHAT, tools=tuple(TOOLS)).parts[-1] == tools


@pytest.mark.parametrize("name", sorted(PAIRS))
def test_no_tools_are_no_part(name: str) -> None:
    """None and an empty list of tools cost nothing; no messages cost the base."""
    profile = pair(name).profile
    bare = profile.count_messages([USER], format=CHAT)
    assert profile.count_messages([USER], format=CHAT, tools=[]) == bare
    assert profile.count_messages(iter([USER]), format=CHAT, tools=None) == bare
    nothing = profile.count_messages([], format=CHAT)
    pack = pf.Frame().pack(None, token_profile=profile, render="messages")
    assert nothing.total == pack.total_tokens
    assert nothing.parts[0].tokens == profile.base_tokens


def test_a_counter_of_whole_lists_is_the_total() -> None:
    """What a counter of the caller's says of the whole is the total; the rest are joins."""
    seen: list[Any] = []

    def count_messages(messages: list[dict[str, Any]]) -> int:
        seen.append(messages)
        return 7

    profile = pf.profiles.custom("mine", len, count_messages=count_messages, base_tokens=2)
    counted = profile.count_messages([USER, USER], format=CHAT)
    assert (counted.total, counted.accuracy) == (7, "approximate")
    assert by_part(counted) == {"base": 2, "message": 36, "joins": -31}
    assert seen == [[USER, USER]]


def test_a_message_that_cannot_be_counted_is_an_error_not_a_gap() -> None:
    """A message with an image, which a rendered conversation cannot show, is named."""
    profile = pf.profiles.harmony()
    with pytest.raises(pf.UnsupportedContent) as caught:
        profile.count_messages([USER, IMAGE, USER], format=CHAT)
    assert (caught.value.row, caught.value.kind) == (1, "message")
    assert "part that is no text" in str(caught.value)
    assert "from_messages" not in str(caught.value)


def test_a_picture_is_an_estimate_that_says_so() -> None:
    """It is counted, in a pack as in a list, and never as nothing."""
    profile = pf.profiles.openai("o200k_base")
    counted = profile.count_messages([USER, IMAGE, USER], format=CHAT)
    assert counted.total > profile.count_messages([USER, USER], format=CHAT).total + 1_000
    assert counted.accuracy == "approximate"
    pack = pf.Frame.from_messages([USER, IMAGE, USER]).pack(None, token_profile=profile)
    assert pack.total_tokens == counted.total
    assert [warning["code"] for warning in pack.manifest.to_dict()["warnings"]] == [
        "media_estimated"
    ]


def test_messages_that_a_provider_would_refuse_are_named() -> None:
    """A result without its call, or what is no message, is not counted."""
    profile = pf.profiles.openai("o200k_base")
    for bad, position in (
        ([USER, {"role": "tool", "tool_call_id": "c", "content": "r"}], 1),
        ([{"role": "nobody", "content": "x"}], 0),
        ([USER, 7], 1),
        (["text"], 0),
    ):
        with pytest.raises(pf.InvalidMessages) as caught:
            profile.count_messages(bad, format=CHAT)  # type: ignore[arg-type]
        assert caught.value.problems[0]["position"] == position


@pytest.mark.parametrize("bad", [None, 7, "text", b"text", USER, {}, object()], ids=repr)
def test_what_is_no_list_of_messages_is_named(bad: Any) -> None:
    """One message, a text and what has no items are no lists, here and in a frame."""
    profile = pf.profiles.openai("o200k_base")
    calls: list[Callable[[], object]] = [
        lambda: profile.count_messages(bad, format=CHAT),
        lambda: pf.Frame.from_messages(bad),
    ]
    for call in calls:
        with pytest.raises(pf.InvalidOption) as caught:
            call()
        assert (caught.value.option, caught.value.suggestion) == (
            "messages",
            "a list of message dicts",
        )


@pytest.mark.parametrize("name", ["o200k_base", "approximate", "hf_framed", "words"])
def test_other_keys_of_a_message_cost_their_values(name: str) -> None:
    """A string costs its tokens, anything else those of its compact JSON, and null nothing."""
    profile = pair(name).profile
    bare = profile.count_messages([USER], format=CHAT)
    texts = profile.count_messages([USER | {"note": "keep this", "x": None}], format=CHAT)
    assert texts.total == bare.total + profile.count("keep this")
    assert texts.accuracy == bare.accuracy
    other = profile.count_messages([USER | {"cache": {"ttl": [5, "é"]}}], format=CHAT)
    assert other.total == bare.total + profile.count(compact({"ttl": [5, "é"]}))
    assert other.accuracy == "approximate"


def test_only_openai_profiles_know_a_framing() -> None:
    """Others charge what they were given, the same for each message, whatever its role and name."""
    messages = [USER, {"role": "assistant", "content": "In Oslo.", "name": "Ada"}]
    for base, envelope in ((0, 0), (2, 5)):
        framing: Any = {"base_tokens": base, "envelope_tokens_per_item": envelope}
        profile = pf.profiles.custom("mine", len, **framing)
        parts = profile.count_messages(messages, format=CHAT).parts
        assert [part.envelope_tokens for part in parts] == [None, envelope, envelope]
        assert parts[0].tokens == base
    estimate = pf.profiles.approximate().count_messages(messages, format=CHAT)
    assert [part.envelope_tokens for part in estimate.parts] == [None, 0, 0]
    openai = pf.profiles.openai("o200k_base").count_messages(messages, format=CHAT)
    assert [part.envelope_tokens for part in openai.parts] == [None, 4, 5]


@pytest.mark.parametrize(
    ("option", "bad"),
    [
        ("format", "claude"),
        ("format", 7),
        ("tool_choice", 7),
        ("system", {1}),
        ("tools", {"type": "function"}),
        ("tools", "tools"),
        ("tools", [7]),
        ("tools", [{"a": float("nan")}]),
        ("tools", [{1: 2}]),
        ("tools", iter(TOOLS)),
        ("response_format", "json"),
        ("response_format", []),
        ("response_format", {"a": {1}}),
        ("response_format", {"a": "\ud800"}),
    ],
    ids=ascii,
)
def test_bad_options_are_named(option: str, bad: Any) -> None:
    """Another format, and fields that are not JSON, are refused by their name."""
    options: dict[str, Any] = {"format": CHAT} | {option: bad}
    with pytest.raises(pf.InvalidOption) as caught:
        pf.profiles.openai("o200k_base").count_messages([USER], **options)
    assert caught.value.option == option


def test_the_format_is_the_profiles_own() -> None:
    """The format is a keyword, and that of the profile where it is not said."""
    profile: Any = pf.profiles.openai("o200k_base")
    counted = profile.count_messages([USER])
    assert counted == profile.count_messages([USER], format=CHAT)
    assert counted == profile.count_messages([USER], format=None)
    with pytest.raises(TypeError):
        profile.count_messages([USER], CHAT)


def test_a_count_is_a_value() -> None:
    """Counts compare, hash, pickle and do not change."""
    profile = pf.profiles.openai("o200k_base")
    counted = profile.count_messages([USER], format=CHAT, tools=TOOLS)
    assert pickle.loads(pickle.dumps(counted)) == counted
    assert hash(counted) == hash(profile.count_messages([USER], format=CHAT, tools=TOOLS))
    with pytest.raises(AttributeError):
        counted.total = 0
    with pytest.raises(AttributeError):
        counted.parts[0].tokens = 0
