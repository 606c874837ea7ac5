"""Large input is packed, not given up."""

from __future__ import annotations

from typing import Any

import pytest

import packframe as pf
from support.pairs import pair


@pytest.mark.parametrize("name", ["approximate", "o200k_base", "cl100k_base"])
def test_ten_megabytes_of_one_letter(name: str) -> None:
    """Ten megabytes of one letter are counted and packed, not given up."""
    text = "a" * 10_000_000
    profile = pair(name).profile
    count = profile.count(text)
    assert 0 < count <= len(text)
    pack = pf.Frame([pf.Item(text), pf.Item("b", score=1.0)]).pack(
        count + 10, token_profile=profile, render="text"
    )
    assert len(pack.items) == 2
    assert pf.Frame([text]).pack(count - 1, token_profile=profile, render="text").text == ""


def test_a_hundred_thousand_items() -> None:
    """A hundred thousand items are packed in both renderings, every row with one fate."""
    number = 100_000
    frame = pf.Frame.from_records(
        {"content": f"item {row}", "score": row % 1000, "group": f"g{row // 3}"}
        for row in range(number)
    )
    for render in ("text", "messages"):
        pack = frame.pack(50_000, token_profile=pf.profiles.openai("o200k_base"), render=render)
        assert 49_000 < pack.total_tokens <= 50_000
        manifest = pack.manifest.to_dict()
        assert len(manifest["selected"]) + len(manifest["excluded"]) == number
        assert len({record["row"] for record in manifest["selected"]}) == len(pack.items)


def test_a_long_chain_of_calls() -> None:
    """A message with thousands of calls and as many results is one group."""
    names = [f"c{number}" for number in range(5_000)]
    function = {"name": "f", "arguments": "{}"}
    calls = [{"id": name, "type": "function", "function": function} for name in names]
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": calls},
        *({"role": "tool", "tool_call_id": name, "content": name} for name in reversed(names)),
        {"role": "user", "content": "and?"},
    ]
    frame = pf.Frame.from_messages(messages)
    manifest = frame.pack(100, token_profile=pf.profiles.openai("o200k_base")).manifest.to_dict()
    assert [record["row"] for record in manifest["selected"]] == [len(messages) - 1]
    assert len(manifest["groups"][0]["rows"]) == 5_001
