"""Published numbers of framing: each with its source and date, and what is charged by them."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest

import packframe as pf
from packframe import profiles
from support.cases import CASES, unfold

USER = {"role": "user", "content": "Where is my order?"}
WEATHER: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "get_current_weather",
            "description": "Get the current weather in a given location",
            "parameters": {
                "type": "object",
                "properties": {
                    "location": {
                        "type": "string",
                        "description": "The city and state, e.g. San Francisco, CA",
                    },
                    "unit": {
                        "type": "string",
                        "description": "The unit of temperature to return",
                        "enum": ["celsius", "fahrenheit"],
                    },
                },
                "required": ["location"],
            },
        },
    }
]


def by_part(counted: pf.MessageCount) -> dict[str, pf.MessagePart]:
    """Return the parts by their names; of messages the last."""
    return {part.part: part for part in counted.parts}


def test_every_number_has_a_source_and_a_date() -> None:
    """The table names both for each row, and its worth; the profiles charge by its rows."""
    rows = profiles.framing_table()
    assert len(rows) == len({row["id"] for row in rows}) > 10
    for row in rows:
        assert row["source"], row["id"]
        assert row["date"] >= "2024", row["id"]
        assert row["status"] in {
            "published",
            "measured",
            "reverse engineered",
            "unverified",
            "estimate",
        }
        assert row["numbers"]
    rows[0].clear()
    assert profiles.framing_table()[0]


def test_the_cookbooks_example_is_counted_as_there() -> None:
    """The one example of tools that OpenAI published: 101 tokens for gpt-4o."""
    messages = [
        {
            "role": "system",
            "content": (
                "You are a helpful assistant that can answer to questions about the weather."
            ),
        },
        {"role": "user", "content": "What's the weather like in San Francisco?"},
    ]
    counted = pf.profiles.openai("o200k_base", model="gpt-4o").count_messages(
        messages, tools=WEATHER
    )
    assert counted.total == 101
    assert by_part(counted)["tools"].source
    assert by_part(counted)["tools"].date == "2024-07"


def test_the_cookbooks_messages_are_counted_as_there() -> None:
    """The one list of messages that OpenAI published: 129 tokens for gpt-4, 127 for the oldest."""
    system = (
        "You are a helpful, pattern-following assistant that translates corporate jargon into "
        "plain English."
    )
    pairs = [
        ("example_user", "New synergies will help drive top-line growth."),
        ("example_assistant", "Things working well together will increase revenue."),
        (
            "example_user",
            (
                "Let's circle back when we have more bandwidth to touch base on opportunities for "
                "increased leverage."
            ),
        ),
        (
            "example_assistant",
            "Let's talk later when we're less busy about how to do better.",
        ),
    ]
    messages = [{"role": "system", "content": system}]
    messages += [{"role": "system", "name": name, "content": text} for name, text in pairs]
    last = "This late pivot means we don't have time to boil the ocean for the client deliverable."
    messages.append({"role": "user", "content": last})
    for model, wanted in (("gpt-3.5-turbo-0301", 127), ("gpt-3.5-turbo-0613", 129), ("gpt-4", 129)):
        profile = pf.profiles.openai("cl100k_base", model=model)
        assert profile.count_messages(messages).total == wanted
    assert pf.profiles.openai("cl100k_base").count_messages(messages).total == 129


def test_what_the_example_lacks_counts_as_compact_json() -> None:
    """Nested schemas, defaults and strict cost their JSON: never nothing."""
    profile = pf.profiles.openai("o200k_base")
    tools: Any = json.loads(json.dumps(WEATHER))
    bare = by_part(profile.count_messages([USER], tools=tools))["tools"].tokens
    function = tools[0]["function"]
    function["strict"] = True
    more = by_part(profile.count_messages([USER], tools=tools))["tools"].tokens
    assert more == bare + profile.count('{"strict":true}')
    items = {"type": "array", "items": {"type": "string"}}
    function["parameters"]["properties"]["days"] = items
    much = by_part(profile.count_messages([USER], tools=tools))["tools"]
    days = 3 + profile.count("days:array:") + profile.count('{"items":{"type":"string"}}')
    assert (much.tokens, much.accuracy) == (more + days, "approximate")
    custom = [{"type": "custom", "custom": {"name": "run", "format": {"type": "text"}}}]
    found = by_part(profile.count_messages([USER], tools=custom))["tools"].tokens
    text = json.dumps(custom[0], separators=(",", ":"))
    assert found == 12 + profile.count(text)


def test_a_choice_of_tools_costs() -> None:
    """A named tool costs its name and more, none costs one; Anthropic's prompt depends on it."""
    profile = pf.profiles.openai("o200k_base")

    def tools(**options: Any) -> int:
        return by_part(profile.count_messages([USER], tools=WEATHER, **options))["tools"].tokens

    bare = tools()
    assert tools(tool_choice="auto") == tools(tool_choice="required") == bare
    assert tools(tool_choice="none") == bare + 1
    named = {"type": "function", "function": {"name": "get_current_weather"}}
    assert tools(tool_choice=named) == bare + 7 + profile.count("get_current_weather")


@pytest.mark.parametrize(
    ("model", "choice", "prompt", "frame"),
    [
        ("claude-opus-4-6", None, 346, 7),
        ("claude-opus-4-7", {"type": "any"}, 313, 11),
        ("claude-opus-5-5", {"type": "tool", "name": "f"}, 313, 6),
        ("claude-3-5-haiku-20241022", {"type": "auto"}, 264, 7),
        ("us.anthropic.claude-3-opus", {"type": "any"}, 281, 7),
        (None, None, 346, 7),
    ],
)
def test_anthropic_is_framed_by_model(
    model: str | None, choice: Any, prompt: int, frame: int
) -> None:
    """The frame of a message and the prompt of tools are those of the model's generation."""
    profile = pf.profiles.anthropic(model)
    schema = [{"name": "f", "input_schema": {"type": "object"}}]
    counted = profile.count_messages([USER], tools=schema, tool_choice=choice)
    parts = by_part(counted)
    assert parts["message"].envelope_tokens == frame
    text = json.dumps(schema, separators=(",", ":"))
    assert parts["tools"].tokens == prompt + profile.count(text)
    assert counted.accuracy == "approximate"
    assert all(part.source and part.date for part in counted.parts)


FORMATS: list[tuple[pf.TokenProfile, list[dict[str, Any]], list[str], int]] = [
    (
        pf.profiles.openai_responses(),
        [
            {"type": "message", "role": "user", "content": "Where?"},
            {
                "type": "reasoning",
                "id": "rs_1",
                "summary": [{"type": "summary_text", "text": "Hm"}],
            },
            {"type": "function_call", "call_id": "c1", "name": "look", "arguments": '{"n":1}'},
            {"type": "function_call_output", "call_id": "c1", "output": "Oslo"},
        ],
        ["Where?", "Hm", "look", '{"n":1}', "Oslo", "user"],
        3 + 4 * 3 + 3 + 1,
    ),
    (
        pf.profiles.anthropic(),
        [
            {"role": "user", "content": "Where?"},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "Hm", "signature": "sig" * 50},
                    {"type": "tool_use", "id": "t1", "name": "look", "input": {"n": 1}},
                ],
            },
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "Oslo"}],
            },
        ],
        ["Where?", "Hm", "look", '{"n":1}', "Oslo"],
        3 * 7,
    ),
    (
        pf.profiles.gemini(),
        [
            {"role": "user", "parts": [{"text": "Where?"}]},
            {
                "role": "model",
                "parts": [
                    {"functionCall": {"name": "look", "args": {"n": 1}}, "thoughtSignature": "s"}
                ],
            },
            {
                "role": "user",
                "parts": [{"functionResponse": {"name": "look", "response": {"at": "Oslo"}}}],
            },
        ],
        ["Where?", "look", '{"n":1}', "look", '{"at":"Oslo"}'],
        4 + 3 * 5,
    ),
]


@pytest.mark.parametrize(
    ("profile", "messages", "texts", "framing"), FORMATS, ids=["responses", "anthropic", "gemini"]
)
def test_items_of_every_format_are_counted(
    profile: pf.TokenProfile, messages: list[dict[str, Any]], texts: list[str], framing: int
) -> None:
    """Every text counts, names and arguments too; ids, types and signatures do not."""
    counted = profile.count_messages(messages)
    framed = sum(part.tokens - (part.content_tokens or 0) for part in counted.parts)
    content = sum(part.content_tokens or 0 for part in counted.parts)
    assert content == sum(profile.count(text) for text in texts if text != "user")
    # A role is counted only where the format says so; the last number above is its one token.
    assert framed == framing
    assert counted.total == content + framed
    with_system = profile.count_messages(messages, system="Be brief.")
    system = by_part(with_system)["system"].tokens
    assert system >= profile.count("Be brief.")
    assert with_system.total == counted.total + system
    assert pickle.loads(pickle.dumps(profile)) == profile


def test_media_are_an_estimate_and_not_their_base64() -> None:
    """An image costs an estimate, marked as one, however long its base64 is."""
    image = {"type": "image", "source": {"type": "base64", "data": "A" * 400_000}}
    inline = {"inlineData": {"mimeType": "image/png", "data": "A" * 400_000}}
    anthropic = pf.profiles.anthropic().count_messages([USER, {"role": "user", "content": [image]}])
    gemini = pf.profiles.gemini().count_messages([{"role": "user", "parts": [inline]}])
    for counted in (anthropic, gemini):
        assert 1_000 < counted.total < 3_000
        assert counted.accuracy == "approximate"


def test_a_renderer_takes_chat_completions_only() -> None:
    """Another format is refused by a profile that renders."""
    with pytest.raises(pf.InvalidOption) as caught:
        pf.profiles.harmony().count_messages([USER], format="anthropic")
    assert caught.value.option == "format"
    with pytest.raises(pf.TokenizerError, match="renders no messages"):
        pf.profiles.openai("o200k_base").render_messages([USER])


def test_c30_reasoning_is_counted() -> None:
    """C30: a reasoning field counts, whatever frames it."""
    messages = unfold(CASES["C30"]["input"]["messages"])
    bare = [{key: of for key, of in m.items() if key != "reasoning_content"} for m in messages]
    for profile in (pf.profiles.openai("o200k_base"), pf.profiles.harmony()):
        assert profile.count_messages(messages).total > profile.count_messages(bare).total + 40


def test_c35_c36_a_system_message_is_counted_once() -> None:
    """C35, C36: system text counts once, also as a list of parts."""
    profile = pf.profiles.openai("o200k_base")
    for name in ("C35", "C36"):
        messages = unfold(CASES[name]["input"]["messages"])
        counted = profile.count_messages(messages)
        system = messages[0]["content"]
        text = system if isinstance(system, str) else system[0]["text"]
        assert counted.parts[1].content_tokens == profile.count(text)
        alone = [profile.count_messages([message]).total - 3 for message in messages]
        assert counted.total == 3 + sum(alone)


def test_c44_the_older_calls_are_counted() -> None:
    """C44: a message with function_call and no content counts name, arguments and framing."""
    messages = unfold(CASES["C44"]["input"]["messages"])
    profile = pf.profiles.openai("o200k_base")
    counted = profile.count_messages(messages[:2])
    call = messages[1]["function_call"]
    texts = profile.count(call["name"]) + profile.count(call["arguments"])
    assert counted.parts[2].content_tokens == texts
    assert counted.parts[2].envelope_tokens == 3 + profile.count("assistant") + 3


def test_c45_arguments_as_a_dict_are_those_of_the_string() -> None:
    """C45: arguments that are a dict cost what their compact JSON costs, under every profile."""
    messages = unfold(CASES["C45"]["input"]["messages"])
    written = json.loads(json.dumps(messages))
    function = written[1]["tool_calls"][0]["function"]
    function["arguments"] = json.dumps(function["arguments"], separators=(",", ":"))
    for profile in (
        pf.profiles.openai("o200k_base"),
        pf.profiles.openai("cl100k_base"),
        pf.profiles.approximate(),
        pf.profiles.harmony(),
    ):
        assert profile.count_messages(messages).total == profile.count_messages(written).total


def test_c47_calls_are_counted_with_their_framing() -> None:
    """C47: names and arguments of calls are in the count, and more than the content alone."""
    messages = unfold(CASES["C47"]["input"]["messages"])
    profile = pf.profiles.openai("o200k_base")
    counted = profile.count_messages(messages)
    texts = [message["content"] for message in messages if message["content"]]
    for message in messages:
        for call in message.get("tool_calls", []):
            texts += [call["function"]["name"], call["function"]["arguments"]]
    assert counted.total > sum(profile.count(text) for text in texts) + 3 * len(messages)


def test_c48_tools_are_in_the_count() -> None:
    """C48: tools cost under every profile, and say what their number is worth."""
    given = CASES["C48"]["input"]
    messages, tools = unfold(given["messages"]), unfold(given["tools"])
    for profile in (
        pf.profiles.openai("o200k_base"),
        pf.profiles.openai_responses(),
        pf.profiles.anthropic(),
        pf.profiles.gemini(),
        pf.profiles.harmony(),
        pf.profiles.approximate(),
    ):
        bare = profile.count_messages(messages, format="openai-chat")
        counted = profile.count_messages(messages, format="openai-chat", tools=tools)
        described = sum(profile.count(tool["function"]["description"]) for tool in tools)
        assert counted.total - bare.total == by_part(counted)["tools"].tokens > described


def test_c56_special_looking_text_is_text() -> None:
    """C56: what looks like a special token is counted letter by letter, under every renderer."""
    messages = unfold(CASES["C56"]["input"]["messages"])
    text = messages[0]["content"]
    for encoding, profile in (
        ("o200k_base", pf.profiles.openai("o200k_base")),
        ("o200k_harmony", pf.profiles.harmony()),
    ):
        count = pf.profiles.openai(encoding).count
        blank = [messages[0] | {"content": ""}]
        found = profile.count_messages(messages).total - profile.count_messages(blank).total
        assert found == count(text)
