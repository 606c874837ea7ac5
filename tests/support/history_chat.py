"""Generated chat histories that a provider takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .history_words import ARGUMENTS, Names, some, text

if TYPE_CHECKING:
    from random import Random

Message = dict[str, Any]


def chat(random: Random) -> list[Message]:
    """Return a valid history; its last calls may wait for some of their results."""
    names = Names(random, again=True)
    messages: list[Message] = []
    if some(random, 0.4):
        messages.append(speech(random, random.choice(["system", "developer"])))
    for _ in range(random.randrange(7)):
        kind = random.choice(["speech", "speech", "speech", "calls", "calls", "legacy"])
        if kind == "speech":
            roles = ["user", "user", "assistant", "assistant", "system", "developer"]
            messages.append(speech(random, random.choice(roles)))
        else:
            messages += legacy(random) if kind == "legacy" else step(random, names)
    if some(random, 0.3):
        head, *results = step(random, names)
        messages += [head, *results[: random.randrange(len(results) + 1)]]
    return messages


def speech(random: Random, role: str) -> Message:
    """Return a message of text, in one of the ways in which text can stand in it."""
    message: Message = {"role": role, "content": text(random, empty=True)}
    if some(random, 0.2):
        message["content"] = [
            {"type": "text", "text": text(random, empty=True)} for _ in range(random.randint(1, 3))
        ]
    if some(random, 0.05) and role == "user":
        image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
        message["content"] = [image, {"type": "text", "text": text(random)}]
    if some(random, 0.05):
        message["content"] = [{"type": "hologram", "rays": 7}]
    if some(random, 0.1):
        message["name"] = "Ada"
    if some(random, 0.1):
        message["reasoning_content"] = text(random)
    if some(random, 0.1):
        message |= {"tool_calls": None, "refusal": None}
    if some(random, 0.05) and role == "assistant":
        message |= {"content": None, "refusal": "No."}
    return message


def step(random: Random, names: Names) -> list[Message]:
    """Return an assistant message with calls, and their results in any order."""
    ids = names.fresh(random.choice([1, 1, 1, 2, 3]))
    calls = [call(random, name) for name in ids]
    message: Message = {"role": "assistant", "tool_calls": calls}
    content = random.choice([None, "", text(random), [{"type": "text", "text": text(random)}]])
    if some(random, 0.9):
        message = {"role": "assistant", "content": content, "tool_calls": calls}
    if some(random, 0.2):
        message["reasoning_content"] = text(random)
    results = [
        {"role": "tool", "tool_call_id": name, "content": text(random, empty=True)} for name in ids
    ]
    random.shuffle(results)
    return [message, *results]


def call(random: Random, name: str) -> Message:
    """Return an entry of tool_calls: of a function, with or without its type, or a custom one."""
    if some(random, 0.1):
        return {"id": name, "type": "custom", "custom": {"name": "draw", "input": "a cat"}}
    body = {"name": "look_up", "arguments": random.choice(ARGUMENTS)}
    if some(random, 0.1):
        return {"id": name, "function": body}
    return {"id": name, "type": "function", "function": body}


def legacy(random: Random) -> list[Message]:
    """Return a call of the old kind and its result."""
    body = {"name": "weather", "arguments": random.choice(ARGUMENTS)}
    content = random.choice(["warm", "", None])
    return [
        {"role": "assistant", "content": None, "function_call": body},
        {"role": "function", "name": "weather", "content": content},
    ]
