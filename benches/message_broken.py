"""Seeded conversations for the judge: as they come from real loops, whole and broken.

Each is of the chat-completions format, has 6 to 40 messages, and ends with a question or with the
results of the last step. `FAMILIES` names them; a provider takes all of the first three.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, NamedTuple

from message_texts import SYSTEM, Message, Speaker

if TYPE_CHECKING:
    from collections.abc import Callable


class Case(NamedTuple):
    """A conversation, and the share of its tokens that the budget is."""

    messages: list[Message]
    share: float


def talk(source: random.Random, speaker: Speaker) -> list[Message]:
    """Return questions and answers, with a system message in most cases."""
    messages = _start(source)
    for _ in range(source.randint(3, 18)):
        messages += [_longer(source, speaker, "user"), _longer(source, speaker, "assistant")]
    return [*messages, speaker.user()]


def agent(source: random.Random, speaker: Speaker) -> list[Message]:
    """Return turns of which most have steps of one to three calls; some end within the last."""
    messages = _start(source)
    for _ in range(source.randint(2, 6)):
        messages.append(_longer(source, speaker, "user"))
        for _ in range(source.choice([0, 1, 1, 2, 3])):
            messages += speaker.step(source.choice([1, 1, 2, 3]))
        messages.append(_longer(source, speaker, "assistant"))
    messages.append(speaker.user())
    if source.random() < 0.5:
        messages += speaker.step(source.choice([1, 2, 3]))
    return messages


def parts(source: random.Random, speaker: Speaker) -> list[Message]:
    """Return the same with contents of several parts of text."""
    messages = agent(source, speaker)
    for message in messages:
        said = message["role"] in {"user", "assistant"} and isinstance(message["content"], str)
        if said and source.random() < 0.5:
            texts = [message["content"], speaker.say()]
            message["content"] = [{"type": "text", "text": text} for text in texts]
    return messages


def orphans(source: random.Random, speaker: Speaker) -> list[Message]:
    """Return turns of which one lost the message with the calls."""
    messages = agent(source, speaker)
    at = _some_call(source, speaker, messages)
    del messages[at]
    return messages


def dangling(source: random.Random, speaker: Speaker) -> list[Message]:
    """Return turns of which one lost all results of a step."""
    messages = agent(source, speaker)
    at = _some_call(source, speaker, messages)
    del messages[at + 1 : at + 1 + len(messages[at]["tool_calls"])]
    return messages


def halved(source: random.Random, speaker: Speaker) -> list[Message]:
    """Return turns of which one lost some results of parallel calls."""
    messages = agent(source, speaker)
    at = _some_call(source, speaker, messages, least=2)
    calls = len(messages[at]["tool_calls"])
    del messages[at + source.randint(2, calls) : at + 1 + calls]
    return messages


def doubled(source: random.Random, speaker: Speaker) -> list[Message]:
    """Return turns of which one has a result twice."""
    messages = agent(source, speaker)
    at = _some_call(source, speaker, messages)
    messages.insert(at + 1, {**messages[at + 1]})
    return messages


def interrupted(source: random.Random, speaker: Speaker) -> list[Message]:
    """Return turns where the user spoke between a call and its results."""
    messages = agent(source, speaker)
    at = _some_call(source, speaker, messages)
    messages.insert(at + 1, speaker.user())
    return messages


FAMILIES: dict[str, Callable[[random.Random, Speaker], list[Message]]] = {
    "talk": talk,
    "agent": agent,
    "parts": parts,
    "orphans": orphans,
    "dangling": dangling,
    "halved": halved,
    "doubled": doubled,
    "interrupted": interrupted,
}


def case(family: str, seed: int) -> Case:
    """Return the same conversation for the same seed; the budget is 20 to 90 % of what it costs."""
    source = random.Random(f"{family} {seed}")
    messages = FAMILIES[family](source, Speaker(seed))
    return Case(messages, source.uniform(0.2, 0.9))


def _start(source: random.Random) -> list[Message]:
    return [{"role": "system", "content": SYSTEM}] if source.random() < 0.8 else []


def _longer(source: random.Random, speaker: Speaker, role: str) -> Message:
    return {"role": role, "content": speaker.say(source.choice([5, 20, 20, 80, 200]))}


def _some_call(
    source: random.Random, speaker: Speaker, messages: list[Message], least: int = 1
) -> int:
    """Return where a message with so many calls stands, before the newest question of the user.

    One is put in where there is none.
    """
    last = max(at for at, message in enumerate(messages) if message["role"] == "user")
    found = [
        at for at, one in enumerate(messages[:last]) if len(one.get("tool_calls") or ()) >= least
    ]
    if found:
        return source.choice(found)
    first = next(at for at, message in enumerate(messages) if message["role"] == "user")
    messages[first + 1 : first + 1] = speaker.step(max(least, 2))
    return first + 1
