"""Mistral's instruct formats: text and tokens are those of mistral-common."""

from __future__ import annotations

import copy
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mistral_common.protocol.instruct.request import ChatCompletionRequest
from mistral_common.tokens.tokenizers.base import SpecialTokenPolicy

import packframe as pf
from support.chats import TOOLS, chats
from support.examples import examples
from support.mistral import MADE, SPM, TEKKEN, reference, tekken_json, tokenizer_json

if TYPE_CHECKING:
    from pathlib import Path

FORMATS = [("spm", version) for version in SPM]
FORMATS += [("tekken", version) for version in (*TEKKEN, *MADE)]


@cache
def profile_of(kind: str, version: str) -> pf.TokenProfile:
    """Return packframe's profile."""
    if kind == "spm":
        return pf.profiles.mistral(tokenizer_json(version), version=version)  # type: ignore[arg-type]
    return pf.profiles.mistral(tekken_json(version))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for files that the library wants to have in one."""
    return tmp_path_factory.mktemp("tekken")


def encoded(tokenizer: Any, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
    """Return what the library makes of a request."""
    made: Any = ChatCompletionRequest
    request = made(messages=copy.deepcopy(messages), tools=copy.deepcopy(tools) or None)
    return tokenizer.encode_chat_completion(request)


@pytest.mark.parametrize("text", ["plain", "hostile"])
@pytest.mark.parametrize(("kind", "version"), FORMATS)
@examples(60)
@given(data=st.data())
def test_conversations_are_those_of_mistral_common(
    kind: str, version: str, text: str, folder: Path, data: Any
) -> None:
    """The number of tokens is the library's, also where a content spells markers."""
    tokenizer = reference(kind, version, folder)
    has_tools = version != "v1"
    messages = data.draw(
        chats(
            hostile=text == "hostile",
            calls=has_tools,
            content_with_calls=version in {"v7", "v11", "v13"},
            most_calls=1 if version == "v2" else 2,
        )
    )
    # The format opens the assistant's turn by the end of the user's.
    while messages[-1]["role"] == "assistant":
        messages.pop()
    tools = data.draw(st.sampled_from([[], TOOLS, TOOLS[1:]])) if has_tools else []
    wanted = encoded(tokenizer, messages, tools)
    profile = profile_of(kind, version)
    counted = profile.count_messages(messages, tools=tools)
    assert (counted.total, counted.accuracy) == (len(wanted.tokens), "exact")
    assert sum(part.tokens for part in counted.parts) == counted.total


@pytest.mark.parametrize(("kind", "version"), [pair for pair in FORMATS if pair[0] == "tekken"])
def test_the_text_is_the_librarys(kind: str, version: str, folder: Path) -> None:
    """What is counted is, letter for letter, what the library encodes."""
    call = {
        "id": "call00001",
        "type": "function",
        "function": {"name": "look_up", "arguments": '{"n":1.50,"b":[true,null],"a":"é"}'},
    }
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Where is my order?"},
        {"role": "user", "content": "Number 7."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call00001", "name": "look_up", "content": '{"at":1e16}'},
        {"role": "assistant", "content": "In Oslo.  "},
        {"role": "user", "content": "Thanks"},
    ]
    tokenizer = reference(kind, version, folder)
    wanted = encoded(tokenizer, messages, TOOLS)
    profile = profile_of(kind, version)
    shown = tokenizer.decode(wanted.tokens, special_token_policy=SpecialTokenPolicy.KEEP)
    assert profile.render_messages(messages, tools=TOOLS) == shown
    assert profile.count_messages(messages, tools=TOOLS).total == len(wanted.tokens)


def test_the_version_has_to_be_known() -> None:
    """A tokenizer.json does not say its version, and an unknown one is named."""
    data = tokenizer_json("v3")
    with pytest.raises(pf.InvalidOption) as caught:
        pf.profiles.mistral(data)
    assert caught.value.option == "version"
    bad: Any = "v8"
    with pytest.raises(pf.InvalidOption) as caught:
        pf.profiles.mistral(data, version=bad)
    assert caught.value.option == "version"


def test_what_a_version_cannot_say_is_an_error() -> None:
    """Tools in v1, text beside calls before v7."""
    user = [{"role": "user", "content": "q"}]
    with pytest.raises(pf.TokenizerError, match="v1 has no tools"):
        profile_of("spm", "v1").count_messages(user, tools=TOOLS)
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    both: list[dict[str, Any]] = [
        *user,
        {"role": "assistant", "content": "x", "tool_calls": [call]},
    ]
    with pytest.raises(pf.TokenizerError, match="before v7"):
        profile_of("spm", "v3").count_messages(both)


@pytest.mark.parametrize(
    "bad", [b"", b"{}", b'{"config":{},"vocab":[{"token_bytes":1}]}'], ids=repr
)
def test_a_broken_file_is_named(bad: bytes) -> None:
    """What is no tokenizer is an error that says so."""
    with pytest.raises(pf.TokenizerError):
        pf.profiles.mistral(bad, version="v3")
