"""Generated Anthropic histories that a provider takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .history_words import Names, some, text

if TYPE_CHECKING:
    from random import Random

Block = dict[str, Any]
Message = dict[str, Any]

SERVER = [
    ("server_tool_use", "web_search", "web_search_tool_result"),
    ("server_tool_use", "web_fetch", "web_fetch_tool_result"),
    ("server_tool_use", "code_execution", "code_execution_tool_result"),
    ("mcp_tool_use", "find", "mcp_tool_result"),
]


def anthropic(random: Random) -> list[Message]:
    """Return a valid history; its last calls may wait for some of their results."""
    names = Names(random)
    messages: list[Message] = []
    calls: list[str] = []
    for _ in range(random.choice([0, 1, 2, 3, 4, 5, 6])):
        messages += _split(random, "user", _results(random, calls) + _said(random, calls))
        blocks, calls = _made(random, names)
        messages += _split(random, "assistant", blocks)
    if calls and some(random, 0.3):
        answered = random.sample(calls, random.randint(1, len(calls)))
        messages += _split(random, "user", _results(random, answered))
    elif messages and some(random, 0.6):
        messages += _split(random, "user", _results(random, calls) + _said(random, calls))
    return messages


def _split(random: Random, role: str, blocks: list[Block]) -> list[Message]:
    """Put the blocks of a turn into one message, or into two side by side."""
    at = random.randint(1, len(blocks)) if some(random, 0.15) else len(blocks)
    messages = []
    for part in filter(None, (blocks[:at], blocks[at:])):
        content: Any = part
        if len(part) == 1 and set(part[0]) == {"type", "text"} and some(random, 0.6):
            content = part[0]["text"]
        messages.append({"role": role, "content": content})
    return messages


def _results(random: Random, calls: list[str]) -> list[Block]:
    found = []
    for name in random.sample(calls, len(calls)):
        block: Block = {"type": "tool_result", "tool_use_id": name}
        kind = random.choice(["text", "text", "blocks", "none", "error"])
        if kind == "text":
            block["content"] = text(random, empty=True)
        elif kind == "blocks":
            block["content"] = [{"type": "text", "text": text(random)} for _ in range(2)]
        elif kind == "error":
            block |= {"content": "no such file", "is_error": True}
        found.append(block)
    return found


def _said(random: Random, calls: list[str]) -> list[Block]:
    """Return what the user says beside results: nothing often, where there are any."""
    if calls and some(random, 0.6):
        return []
    blocks: list[Block] = [{"type": "text", "text": text(random)}]
    if some(random, 0.1):
        source = {"type": "base64", "media_type": "image/png", "data": "AA=="}
        blocks.insert(0, {"type": "image", "source": source})
    if some(random, 0.1):
        blocks[-1]["cache_control"] = {"type": "ephemeral"}
    if some(random, 0.05):
        blocks.append({"type": "hologram", "rays": 7})
    return blocks


def _made(random: Random, names: Names) -> tuple[list[Block], list[str]]:
    """Return the blocks of an assistant turn and the ids of the calls that it makes."""
    blocks: list[Block] = []
    if some(random, 0.3):
        blocks.append({"type": "thinking", "thinking": text(random), "signature": "c2ln"})
    if some(random, 0.1):
        blocks.append({"type": "redacted_thinking", "data": "ZGF0YQ=="})
    if some(random, 0.2):
        blocks += _server(random, names)
    if some(random, 0.6) or not blocks:
        blocks.append({"type": "text", "text": text(random)})
    calls: list[str] = []
    if some(random, 0.5):
        calls = names.fresh(random.choice([1, 1, 2, 3]))
        blocks += [
            {"type": "tool_use", "id": name, "name": "look_up", "input": {"q": "x"}}
            for name in calls
        ]
        if some(random, 0.1):
            blocks.append({"type": "text", "text": text(random)})
    return blocks, calls


def _server(random: Random, names: Names) -> list[Block]:
    """Return calls of the server's tools and their results, side by side or all calls first."""
    pairs = []
    for _ in range(random.choice([1, 1, 2])):
        kind, tool, result = random.choice(SERVER)
        name = names.one()
        pairs.append(
            (
                {"type": kind, "id": name, "name": tool, "input": {}},
                {"type": result, "tool_use_id": name, "content": []},
            )
        )
    if some(random, 0.3):
        return [made for made, _ in pairs] + [given for _, given in pairs]
    return [block for pair in pairs for block in pair]
