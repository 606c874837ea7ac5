"""Conversations of the chat-completions format, drawn for the renderers."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

MARKERS = (
    "<|start|>",
    "<|end|>",
    "<|message|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|eot_id|>",
    "<|start_header_id|>",
    "<|endoftext|>",
    "<start_of_turn>",
    "<end_of_turn>",
    "<bos>",
    "[INST]",
    "[/INST]",
    "</s>",
    "<｜User｜>",
    "<｜end▁of▁sentence｜>",
    "<|im_",
    "end|>",
    "<",
    ">",
)
"""Texts that look like special tokens, and pieces that two of them make one of."""

WORDS = (
    "Where is my order?",
    "hello",
    " leading",
    "trailing  ",
    "two\n\nlines",
    "é 日本語 🙂",
    "",
    "x" * 40,
    '{"a": 1}',
    "[1,2.0,1e16]",
    "\t",
    "a | b {{ c }} {% d %}",
)


def texts(*, hostile: bool = False) -> st.SearchStrategy[str]:
    """Return texts of messages; hostile ones spell special tokens."""
    pieces = st.sampled_from(WORDS + MARKERS if hostile else WORDS)
    some = st.lists(pieces, min_size=1, max_size=4).map("".join)
    plain = st.text(
        st.characters(exclude_categories=["Cs"], exclude_characters="<>[]|｜"), max_size=12
    )
    return st.one_of(some, plain)


NAMES = st.sampled_from(["look_up", "get_weather", "now"])
ARGUMENTS = st.one_of(
    st.dictionaries(
        st.sampled_from(["city", "n", "when"]),
        st.one_of(
            st.integers(-5, 10**20),
            st.booleans(),
            st.none(),
            st.sampled_from([0.5, 1e22, -2.0]),
            st.sampled_from(WORDS),
            st.lists(st.integers(0, 3), max_size=2),
        ),
        max_size=3,
    )
)

TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "look_up",
            "description": "Looks up an order.\nBy its number. é",
            "parameters": {
                "type": "object",
                "properties": {
                    "city": {"type": "string", "description": "The city", "enum": ["Oslo", "Rome"]},
                    "n": {"type": "integer", "default": 3},
                    "when": {
                        "type": ["string", "null"],
                        "title": "When",
                        "examples": ["today", "now"],
                        "default": "today",
                    },
                    "where": {
                        "type": "array",
                        "items": {"type": "object", "properties": {"a": {"type": "number"}}},
                        "nullable": True,
                    },
                },
                "required": ["city"],
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "Weather",
            "parameters": {"type": "object", "properties": {}},
        },
    },
]


@st.composite
def chats(
    draw: st.DrawFn,
    *,
    hostile: bool = False,
    system: bool = True,
    calls: bool = True,
    reasoning: bool = False,
    string_arguments: bool = True,
    content_with_calls: bool = True,
    most_calls: int = 2,
) -> list[dict[str, Any]]:
    """Draw a conversation of turns: a user, perhaps a step of tools, an answer."""
    text = texts(hostile=hostile)
    said = text.filter(lambda found: bool(found.strip(" ")))
    messages: list[dict[str, Any]] = []
    if system and draw(st.booleans()):
        messages.append({"role": "system", "content": draw(said)})
    turns = draw(st.integers(1, 3))
    number = 0
    for turn in range(turns):
        messages.append({"role": "user", "content": draw(text)})
        if calls and draw(st.booleans()):
            step: list[dict[str, Any]] = []
            for _ in range(draw(st.integers(1, most_calls))):
                number += 1
                arguments: Any = draw(ARGUMENTS)
                if string_arguments:
                    arguments = json.dumps(arguments, ensure_ascii=False)
                step.append(
                    {
                        "id": f"call{number:05d}",
                        "type": "function",
                        "function": {"name": draw(NAMES), "arguments": arguments},
                    }
                )
            content = draw(st.one_of(st.none(), said)) if content_with_calls else None
            message = {"role": "assistant", "content": content, "tool_calls": step}
            if reasoning and draw(st.booleans()):
                message["reasoning_content"] = draw(said)
            messages.append(message)
            messages += [
                {
                    "role": "tool",
                    "tool_call_id": call["id"],
                    "name": call["function"]["name"],
                    "content": draw(text),
                }
                for call in step
            ]
        if turn < turns - 1 or draw(st.booleans()):
            message = {"role": "assistant", "content": draw(said)}
            if reasoning and draw(st.booleans()):
                message["reasoning_content"] = draw(said)
            messages.append(message)
    return messages
