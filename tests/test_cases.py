"""Inputs that counters and packers in daily use got wrong, by their id."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

import packframe as pf
from oracle import chat
from support import vocabularies
from support.cases import CASES, unfold

if TYPE_CHECKING:
    from pathlib import Path

OPENAI = ("cl100k_base", "o200k_base")
UNCOUNTED = {"id", "type", "role", "tool_call_id", "status", "signature"}


def characters(value: Any) -> int:
    """Count the characters of all text in a message."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, list):
        return sum(characters(item) for item in value)
    if isinstance(value, dict):
        return sum(characters(item) for key, item in value.items() if key not in UNCOUNTED)
    return 0


def profile(name: str) -> pf.TokenProfile:
    """Return the counter of a case."""
    if name == "messages":
        return pf.profiles.custom(name, lambda _: 0, envelope_tokens_per_item=1)
    more = int(name.partition("+")[2] or 0)
    return pf.profiles.custom(
        name,
        lambda text: math.ceil(len(text) / 4),
        count_messages=lambda messages: sum(
            math.ceil(characters(message) / 4) + more for message in messages
        ),
        envelope_tokens_per_item=more,
    )


def packed(case: dict[str, Any]) -> tuple[list[dict[str, Any]], pf.Pack]:
    """Pack the messages of a case."""
    given = case["input"]
    messages = unfold(given["messages"])
    pack = pf.Frame.from_messages(messages).pack(
        given.get("budget", given.get("context_window")),
        reserve=given.get("max_output", 0),
        token_profile=profile(given["counter"]),
        boundary=pf.Boundary.external("openai"),
    )
    return messages, pack


CHATS = sorted(
    name
    for name, case in CASES.items()
    if case["input"]["op"] == "pack"
    and "messages" in case["input"]
    and "tools" not in case["input"]
)


@pytest.mark.parametrize("name", CHATS)
def test_a_conversation_comes_out_right(name: str) -> None:
    """What a case says of a packed conversation holds: kept, dropped, together, valid, fitting."""
    case = CASES[name]
    expected = case["expected"]
    if "error" in expected or "typed error" in expected.get("outcome", ""):
        with pytest.raises(pf.BudgetExceeded) as caught:
            packed(case)
        assert caught.value.code == "TOKEN_BUDGET_EXCEEDED"
        assert caught.value.overflow_tokens > 0
        return
    messages, pack = packed(case)
    rows = [record["row"] for record in pack.manifest.to_dict()["selected"]]
    kept = pack.to_openai_chat()
    assert kept == [messages[row] for row in rows]
    assert [json.dumps(message) for message in kept] == [json.dumps(messages[row]) for row in rows]
    assert chat.ties(list(kept)).problems == []
    assert set(expected.get("must_keep", [])) <= set(rows)
    assert not set(expected.get("must_drop", [])) & set(rows)
    for together in expected.get("keep_together", []):
        assert len({row in rows for row in together}) == 1
    if "unchanged" in expected:
        assert kept == messages
        assert pack.complete
    budget = case["input"].get("budget", case["input"].get("context_window"))
    assert pack.total_tokens + case["input"].get("max_output", 0) <= budget


def test_c30_unknown_fields_are_counted() -> None:
    """C30: a reasoning field that packframe does not know is kept and counted."""
    messages = unfold(CASES["C30"]["input"]["messages"])
    openai = pf.profiles.openai("o200k_base")
    bare = [
        {key: value for key, value in message.items() if key != "reasoning_content"}
        for message in messages
    ]
    tokens = [
        pf.Frame.from_messages(version).pack(None, token_profile=openai).total_tokens
        for version in (messages, bare)
    ]
    assert tokens[0] > tokens[1]


def test_c47_tool_calls_are_counted() -> None:
    """C47: names and arguments of tool calls are in the count, and framing is."""
    messages = unfold(CASES["C47"]["input"]["messages"])
    openai = pf.profiles.openai("cl100k_base")
    pack = pf.Frame.from_messages(messages).pack(None, token_profile=openai)
    arguments = [
        call["function"]["arguments"]
        for message in messages
        for call in message.get("tool_calls", [])
    ]
    assert pack.total_tokens > sum(openai.count(text) for text in arguments)


def test_c50_cjk_is_not_four_characters_a_token() -> None:
    """C50: the estimate of Japanese text is near what tokenizers give."""
    case = CASES["C50"]
    low, high = case["expected"]["count_between"]
    text = unfold(case["input"]["text"])
    assert low <= pf.profiles.approximate().count(text) <= high


@pytest.mark.parametrize("encoding", OPENAI)
@pytest.mark.parametrize("name", ["C53", "C54"])
def test_c53_c54_repeated_characters_are_counted(name: str, encoding: str) -> None:
    """C53, C54: a long run of one character is counted exactly and soon."""
    text = unfold(CASES[name]["input"]["text"])
    counted = pf.profiles.openai(encoding)
    counted.count("warm")
    start = time.perf_counter()
    tokens = counted.count(text)
    assert time.perf_counter() - start < CASES[name]["expected"]["seconds_lt"]
    short = len(text) // 100
    assert counted.count(text[:short]) == len(
        vocabularies.openai(encoding).encode_ordinary(text[:short])
    )
    assert 0 < tokens <= len(text)


@pytest.mark.parametrize("encoding", OPENAI)
def test_c56_special_tokens_in_text_are_text(encoding: str) -> None:
    """C56: a special token that a user writes is counted as its pieces."""
    messages = unfold(CASES["C56"]["input"]["messages"])
    text = messages[0]["content"]
    counted = pf.profiles.openai(encoding)
    assert counted.count(text) == len(vocabularies.openai(encoding).encode_ordinary(text))
    assert counted.count("<|endoftext|>") > 1
    pack = pf.Frame.from_messages(messages).pack(100, token_profile=counted)
    assert pack.total_tokens == counted.count(text) + 3 + counted.count("user") + 3


OFFLINE = """
import socket
def refuse(*_arguments, **_keywords):
    raise OSError("no network here")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
import packframe as pf
print(*(pf.profiles.openai(name).count("hello") for name in ("cl100k_base", "o200k_base")))
"""


def test_c57_no_network_is_needed(tmp_path: Path) -> None:
    """C57: the encodings are there without network and cache."""
    home = {"HOME": str(tmp_path), "TIKTOKEN_CACHE_DIR": str(tmp_path), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE],
        env=os.environ | home,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["1", "1"]
    assert list(tmp_path.iterdir()) == []


def test_c62_the_rendering_is_what_has_to_fit() -> None:
    """C62: a budget of the sum of two parts does not hold what they cost together."""
    case = CASES["C62"]["input"]
    openai = pf.profiles.openai(case["counter"])
    blocks = case["blocks"]
    frame = pf.Frame([pf.Item(b["text"], id=b["id"], score=b["score"]) for b in blocks])
    budget = sum(openai.count(block["text"]) for block in blocks)
    pack = frame.pack(budget, token_profile=openai, render="text", separator=case["separator"])
    assert [item.id for item in pack.items] == CASES["C62"]["expected"]["kept"]
    assert openai.count(pack.text) <= budget


@pytest.mark.parametrize("encoding", OPENAI)
def test_c66_a_budget_is_hard_and_well_used(encoding: str) -> None:
    """C66: the pack is within the budget, and what is left holds no further block."""
    case = CASES["C66"]["input"]
    openai = pf.profiles.openai(encoding)
    frame = pf.Frame(
        [pf.Item(unfold(b["text"]), id=b["id"], score=b["score"]) for b in case["blocks"]]
    )
    pack = frame.pack(case["budget"], token_profile=openai, render="text")
    slack = case["budget"] - openai.count(pack.text)
    assert 0 <= slack <= openai.count(unfold(case["blocks"][0]["text"])) + 2
    assert [item.id for item in pack.items] == [f"s{row}" for row in range(len(pack.items))]


def test_c68_ten_thousand_messages_take_no_time() -> None:
    """C68: a long conversation is trimmed in one go."""
    given = CASES["C68"]["input"]
    text = given["messages_gen"]["text"]
    messages = [
        {"role": ("user", "assistant")[row % 2], "content": text}
        for row in range(given["messages_gen"]["n"])
    ]
    frame = pf.Frame.from_messages(messages)
    openai = pf.profiles.openai("o200k_base")
    openai.count("warm")
    start = time.perf_counter()
    pack = frame.pack(given["budget"], token_profile=openai)
    assert time.perf_counter() - start < CASES["C68"]["expected"]["seconds_lt"] * 5
    kept = [record["row"] for record in pack.manifest.to_dict()["selected"]]
    assert kept == list(range(10_000 - len(kept), 10_000))


def test_c74_a_template_that_leaves_no_room_is_an_error() -> None:
    """C74: fixed text over what the reserve leaves is an error with all three numbers."""
    case = CASES["C74"]["input"]
    frame = pf.Frame(
        [pf.Item(unfold(case["template"]), retention="required")]
        + [pf.Item(block["text"], score=block["score"]) for block in case["blocks"]]
    )
    with pytest.raises(pf.BudgetExceeded) as caught:
        frame.pack(
            case["context_window"],
            reserve=case["max_output"],
            token_profile=lambda text: math.ceil(len(text) / 4),
        )
    error = caught.value
    assert (error.budget, error.reserve, error.required_tokens) == (200, 50, 200)
    assert (error.available, error.overflow_tokens) == (150, 50)
