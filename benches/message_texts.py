"""Conversations to plan: seeded, of 20 words a message, in the formats that the subjects take.

No two seeds have a text in common. Every conversation is one that a provider takes.
"""

from __future__ import annotations

import json
import random
from hashlib import sha256
from typing import Any

from pack_items import Corpus

Message = dict[str, Any]
WORDS = 20
BLOCK_WORDS = 60
SYSTEM = "You are an assistant of a shop. Answer briefly and name the source of each fact."
TURN = 5
"""Messages of a turn with tools: a question, two calls in one message, two results, an answer."""
ITEMS = 7
"""Items of the same turn in the Responses API: with reasoning, and a call an item."""
_PROSE = Corpus().prose.split()


class Speaker:
    """Says words of English manuals, never the same twice."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._mark = f"{seed:x}"
        self.said = 0

    def say(self, words: int = WORDS) -> str:
        """Return so many words, of which one is new."""
        self.said += 1
        at = self._random.randrange(len(_PROSE) - words)
        return " ".join([*_PROSE[at : at + words - 1], f"{self._mark}.{self.said}"])

    def name(self) -> str:
        """Return an id that was not there before."""
        self.said += 1
        return f"call_{self._mark}_{self.said}"

    def call(self) -> Message:
        """Return an entry of `tool_calls`."""
        arguments = json.dumps({"order": self._random.randrange(10**6), "note": self.say(6)})
        body = {"name": "look_up", "arguments": arguments}
        return {"id": self.name(), "type": "function", "function": body}

    def step(self, calls: int = 2) -> list[Message]:
        """Return a message with calls, and their results."""
        entries = [self.call() for _ in range(calls)]
        return [
            {"role": "assistant", "content": None, "tool_calls": entries},
            *(self.result(entry["id"]) for entry in entries),
        ]

    def result(self, name: str) -> Message:
        """Return the result of a call."""
        return {"role": "tool", "tool_call_id": name, "content": self.say()}

    def user(self) -> Message:
        """Return a question."""
        return {"role": "user", "content": self.say()}

    def answer(self) -> Message:
        """Return an answer."""
        return {"role": "assistant", "content": self.say()}


def plain(size: int, seed: int) -> list[Message]:
    """Return questions and answers behind a system message; the last is a question."""
    speaker = Speaker(seed)
    said = [speaker.answer() if at % 2 else speaker.user() for at in range(size - 1)]
    return [{"role": "system", "content": SYSTEM}, *said]


def tools(size: int, seed: int) -> list[Message]:
    """Return turns with parallel calls behind a system message; the last waits for its answer."""
    speaker = Speaker(seed)
    messages: list[Message] = [{"role": "system", "content": SYSTEM}]
    for _ in range(size // TURN):
        messages += [speaker.user(), *speaker.step(), speaker.answer()]
    return messages[:size]


def items(size: int, seed: int) -> list[Message]:
    """Return turns of the Responses API with reasoning and calls; the last waits for its answer."""
    speaker = Speaker(seed)
    found: list[Message] = []
    for _ in range(size // ITEMS):
        found += [speaker.user(), *_steps(speaker, ITEMS - 2), _said(speaker)]
    left = size - len(found)
    return [*found, *([speaker.user(), *_steps(speaker, left - 1)] if left else [])]


def _steps(speaker: Speaker, size: int) -> list[Message]:
    """Return calls and their outputs, behind reasoning where the number is odd."""
    names = [speaker.name() for _ in range(size // 2)]
    thought: list[Message] = []
    if size % 2:
        summary = [{"type": "summary_text", "text": speaker.say()}]
        thought = [{"type": "reasoning", "id": f"rs_{speaker.name()}", "summary": summary}]
    calls = [_call(speaker, name) for name in names]
    return [*thought, *calls, *(_output(speaker, name) for name in names)]


def _output(speaker: Speaker, name: str) -> Message:
    return {"type": "function_call_output", "call_id": name, "output": speaker.say()}


def _call(speaker: Speaker, name: str) -> Message:
    arguments = json.dumps({"note": speaker.say(6)})
    return {"type": "function_call", "call_id": name, "name": "look_up", "arguments": arguments}


def _said(speaker: Speaker) -> Message:
    return {
        "type": "message",
        "id": f"msg_{speaker.name()}",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": speaker.say(), "annotations": []}],
    }


def programs(size: int, seed: int, number: int) -> list[Message]:
    """Return a run of so many items of so many programs of the Responses API, and a question.

    Between a program and its output stand as many calls with their outputs as there is room for.
    """
    speaker = Speaker(seed)
    found: list[Message] = []
    for _ in range(number):
        name = speaker.name()
        caller = {"type": "program", "caller_id": name}
        found.append(
            {"type": "program", "call_id": name, "id": f"id_{name}", "code": speaker.say()}
        )
        for _ in range((size // number - 2) // 2):
            inner = speaker.name()
            found.append({**_call(speaker, inner), "caller": caller})
            found.append({**_output(speaker, inner), "caller": caller})
        output = {"type": "program_output", "call_id": name, "status": "completed"}
        found.append({**output, "result": speaker.say()})
    return [*found, speaker.user()]


def blocks(size: int, seed: int) -> list[str]:
    """Return texts that a search found, the best first."""
    speaker = Speaker(seed)
    return [speaker.say(BLOCK_WORDS) for _ in range(size)]


def digest(messages: list[Message]) -> str:
    """Return the SHA-256 of messages, so that a record says whether two runs had the same."""
    return sha256(json.dumps(messages).encode()).hexdigest()
