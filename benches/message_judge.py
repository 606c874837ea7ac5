"""Judges what a subject returns: valid for the provider, within the budget, the question still in.

Validity is judged by the slow judge of tests/valid, which knows nothing of packframe. Tokens are
counted again by tiktoken, with the framing of the OpenAI cookbook for everybody: three a message,
its role, three once; of calls the name and the arguments.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiktoken_ranks import encoding

import packframe as pf

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from valid import refused

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from message_texts import Message

A_MESSAGE = 3
ONCE = 3


def tokens(messages: Sequence[Message]) -> int:
    """Return what messages cost."""
    texts = [text for message in messages for text in _texts(message)]
    counted = map(len, encoding().encode_ordinary_batch(texts, num_threads=1))
    return sum(counted) + A_MESSAGE * len(messages) + ONCE


def _texts(message: Message) -> Iterator[str]:
    """Find the texts of a message: ids, types and statuses are none."""
    for key in ("role", "name", "arguments", "code", "output", "result"):
        if isinstance(message.get(key), str):
            yield message[key]
    for key in ("content", "summary"):
        yield from _parts(message.get(key))
    for call in message.get("tool_calls") or ():
        yield from (call["function"]["name"], call["function"]["arguments"])


def _parts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for part in content:
            yield from _parts(part.get("text") if isinstance(part, dict) else part)


def accepted(messages: Sequence[Message], format: str) -> bool:
    """Tell whether a provider takes messages."""
    return not refused(list(messages), format)


def question(messages: Sequence[Message]) -> str:
    """Return the newest message of the user without white space, which some join its parts by."""
    newest = next((one for one in reversed(messages) if one.get("role") == "user"), {})
    return "".join("".join(_parts(newest.get("content"))).split())


class Tally:
    """What became of many conversations in the hands of one subject."""

    def __init__(self) -> None:
        self.conversations = 0
        self.disputed = 0
        self.raised: dict[str, int] = {}
        self.invalid = 0
        self.rules: dict[str, int] = {}
        self.over = 0
        self.over_most = 0
        self.lost = 0
        self.bad = 0
        self.used = 0.0

    def failed(self, error: Exception) -> None:
        """Count a conversation for which the subject raised."""
        self.conversations += 1
        name = type(error).__name__
        self.raised[name] = self.raised.get(name, 0) + 1

    def add(
        self, before: Sequence[Message], after: Sequence[Message], format: str, budget: int
    ) -> None:
        """Judge one result."""
        self.conversations += 1
        wrong = {problem.rule for problem in refused(list(after), format)}
        found = pf.validate_messages(after, format=format)
        self.disputed += wrong != {one.rule for one in found if one.severity == "refused"}
        for rule in wrong:
            self.rules[rule] = self.rules.get(rule, 0) + 1
        cost = tokens(after)
        over = max(0, cost - budget)
        lost = question(before) != question(after)
        self.invalid += bool(wrong)
        self.over += bool(over)
        self.over_most = max(self.over_most, over)
        self.lost += lost
        self.bad += bool(wrong or over or lost)
        self.used += min(1.0, cost / budget)

    def record(self) -> dict[str, Any]:
        """Return what a record says of it."""
        returned = self.conversations - sum(self.raised.values())
        return {
            "conversations": self.conversations,
            "raised": self.raised,
            "invalid": self.invalid,
            "rules": dict(sorted(self.rules.items())),
            "over": self.over,
            "over_by_at_most": self.over_most,
            "question_lost": self.lost,
            "any_of_these": self.bad,
            "judges_disagree": self.disputed,
            "budget_used": round(self.used / returned, 3) if returned else None,
        }
