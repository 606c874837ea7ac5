"""Harmony: text and tokens are those of openai-harmony, whose vocabulary is written from ours."""

from __future__ import annotations

import base64
import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import packframe as pf
from packframe._core import openai_ranks
from support.chats import TOOLS, chats
from support.examples import examples

if TYPE_CHECKING:
    from pathlib import Path

ORDER = TOOLS[0]["function"]


@pytest.fixture(scope="module")
def harmony(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The library with its encoding, from a folder that stands in for the network."""
    folder: Path = tmp_path_factory.mktemp("encodings")
    ranks = sorted(openai_ranks("o200k_base").items(), key=lambda pair: pair[1])
    lines = (base64.b64encode(token) + f" {rank}\n".encode() for token, rank in ranks)
    (folder / "o200k_base.tiktoken").write_bytes(b"".join(lines))
    os.environ["TIKTOKEN_ENCODINGS_BASE"] = str(folder)
    import openai_harmony  # noqa: PLC0415  (it reads the variable)

    library: Any = openai_harmony
    library.encoding = openai_harmony.load_harmony_encoding("HarmonyGptOss")
    return library


def developer(h: Any, text: str | None, tools: list[dict[str, Any]]) -> Any:
    """Make a developer message."""
    content = h.DeveloperContent.new()
    if text is not None:
        content = content.with_instructions(text)
    if tools:
        functions = [tool["function"] for tool in tools]
        described = [
            h.ToolDescription.new(
                function["name"], function.get("description", ""), function.get("parameters")
            )
            for function in functions
        ]
        content = content.with_function_tools(described)
    return h.Message.from_role_and_content(h.Role.DEVELOPER, content)


def conversation(h: Any, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
    """Say in the library's words what the messages of a chat mean in Harmony."""
    system = h.Message.from_role_and_content(h.Role.SYSTEM, h.SystemContent.new())
    made = [system]
    left = tools
    if tools and messages[:1] and messages[0]["role"] != "system":
        made.append(developer(h, None, tools))
        left = []
    names: dict[str, str] = {}

    def assistant(text: str, channel: str) -> Any:
        message = h.Message.from_role_and_content(h.Role.ASSISTANT, text)
        return message.with_channel(channel)

    for message in messages:
        content = message.get("content")
        if message["role"] == "system":
            made.append(developer(h, content, left))
            left = []
        elif message["role"] == "user":
            made.append(h.Message.from_role_and_content(h.Role.USER, content))
        elif message["role"] == "tool":
            author = h.Author.new(h.Role.TOOL, f"functions.{names[message['tool_call_id']]}")
            result = h.Message.from_author_and_content(author, content)
            made.append(result.with_recipient("assistant").with_channel("commentary"))
        else:
            if message.get("reasoning_content"):
                made.append(assistant(message["reasoning_content"], "analysis"))
            calls = message.get("tool_calls", [])
            if content:
                made.append(assistant(content, "commentary" if calls else "final"))
            for call in calls:
                function = call["function"]
                names[call["id"]] = function["name"]
                made.append(
                    assistant(function["arguments"], "commentary")
                    .with_recipient(f"functions.{function['name']}")
                    .with_content_type("<|constrain|>json")
                )
    return h.Conversation.from_messages(made)


@pytest.mark.parametrize("text", ["plain", "hostile"])
@examples(150)
@given(data=st.data())
def test_conversations_are_those_of_openai_harmony(harmony: Any, text: str, data: Any) -> None:
    """Text and number of tokens are the library's, also where a content spells markers."""
    messages = data.draw(chats(hostile=text == "hostile", reasoning=True))
    tools = data.draw(st.sampled_from([[], TOOLS, TOOLS[1:]]))
    drop = data.draw(st.booleans())
    profile = pf.profiles.harmony(drop_analysis=drop)
    ids = harmony.encoding.render_conversation_for_completion(
        conversation(harmony, messages, tools),
        harmony.Role.ASSISTANT,
        harmony.RenderConversationConfig(auto_drop_analysis=drop),
    )
    counted = profile.count_messages(messages, tools=tools)
    assert profile.render_messages(messages, tools=tools) == harmony.encoding.decode_utf8(ids)
    assert (counted.total, counted.accuracy) == (len(ids), "exact")
    assert sum(part.tokens for part in counted.parts) == counted.total


SCHEMAS: list[dict[str, Any]] = [
    {},
    {"type": "object"},
    {"type": "object", "description": "About it", "properties": {"a": {}}},
    {"type": "object", "properties": {"a": {"type": "string", "default": None}}},
    {"type": "object", "properties": {"a": {"type": "string", "enum": ["x", "y"], "default": "x"}}},
    {
        "type": "object",
        "properties": {
            "a": {
                "description": "One of two",
                "default": "x",
                "oneOf": [
                    {"type": "string", "description": "One of two", "default": "x"},
                    {"type": "integer", "nullable": True, "description": "A number", "default": 7},
                ],
            }
        },
    },
    {
        "type": "object",
        "properties": {
            "a": {
                "description": "Above",
                "oneOf": [{"type": "string", "description": "s"}, {"type": "boolean", "enum": [1]}],
            },
            "b": {"type": "array"},
            "c": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}},
            "d": {"type": "null"},
            "e": {"type": []},
            "f": {"type": ["integer", 7, "null"], "nullable": True},
            "g": {"type": "object", "description": "In", "properties": {"h": {"type": "number"}}},
        },
        "required": ["a", "g", 7],
    },
    {"oneOf": [{"type": "string", "description": "s", "default": "d"}, {"type": "object"}]},
    {"oneOf": []},
    {"type": "string", "enum": [1, 2]},
]


@pytest.mark.parametrize("schema", SCHEMAS, ids=json.dumps)
def test_schemas_become_types(harmony: Any, schema: dict[str, Any]) -> None:
    """A tool's arguments are written as the library writes them."""
    tools = [
        {"type": "function", "function": {"name": "f", "description": "", "parameters": schema}}
    ]
    messages = [{"role": "user", "content": "q"}]
    ids = harmony.encoding.render_conversation_for_completion(
        conversation(harmony, messages, tools), harmony.Role.ASSISTANT
    )
    profile = pf.profiles.harmony()
    assert profile.render_messages(messages, tools=tools) == harmony.encoding.decode_utf8(ids)
    assert profile.count_messages(messages, tools=tools).total == len(ids)


def test_the_system_message_says_what_it_is_told(harmony: Any) -> None:
    """Each option changes the system message as the library's own does."""
    content = (
        harmony.SystemContent.new()
        .with_reasoning_effort(harmony.ReasoningEffort.HIGH)
        .with_conversation_start_date("2026-11-30")
        .with_knowledge_cutoff("2025-01")
        .with_model_identity("You are Ada.")
    )
    message = harmony.Message.from_role_and_content(harmony.Role.SYSTEM, content)
    made = harmony.Conversation.from_messages([message])
    ids = harmony.encoding.render_conversation_for_completion(made, harmony.Role.ASSISTANT)
    profile = pf.profiles.harmony(
        reasoning_effort="high",
        current_date="2026-11-30",
        knowledge_cutoff="2025-01",
        model_identity="You are Ada.",
    )
    assert profile.render_messages([]) == harmony.encoding.decode_utf8(ids)
    assert profile.count_messages([]).total == len(ids)


def test_what_no_header_can_say_is_an_error() -> None:
    """A result whose tool is not known has no header; a bad effort is named."""
    profile = pf.profiles.harmony()
    orphan = [{"role": "function", "content": "r"}]
    with pytest.raises((pf.TokenizerError, pf.InvalidMessages)):
        profile.count_messages(orphan)
    bad: Any = "great"
    with pytest.raises(pf.InvalidOption) as caught:
        pf.profiles.harmony(reasoning_effort=bad)
    assert caught.value.option == "reasoning_effort"


def test_a_pack_is_within_its_budget_and_exact() -> None:
    """A history packed under Harmony is counted whole, and marked exact."""
    profile = pf.profiles.harmony()
    messages = [{"role": "system", "content": "Be brief."}]
    for turn in range(30):
        messages.append({"role": "user", "content": f"Question {turn}? " * 5})
        messages.append({"role": "assistant", "content": f"Answer {turn}. " * 5})
    messages.append({"role": "user", "content": "And now?"})
    pack = pf.Frame.from_messages(messages).pack(
        500, token_profile=profile, boundary=pf.Boundary.external("me")
    )
    kept = pack.to_openai_chat()
    assert pack.total_tokens == profile.count_messages(kept).total <= 500
    assert pack.total_tokens > 400
    manifest = pack.manifest.to_dict()
    assert manifest["accuracy"] == "exact"
    block = manifest["token_profile"]
    assert (block["framing"], block["framing_source"]) == ("rendered", "openai-harmony 0.0.8")
    assert block["framing_date"]
