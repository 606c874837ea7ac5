"""Generated Gemini histories that a provider takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .history_words import Names, some, text

if TYPE_CHECKING:
    from random import Random

Part = dict[str, Any]
Content = dict[str, Any]

Call = tuple[str, str | None]
"""The name of a function, and the id of the call where it has one."""


def gemini(random: Random) -> list[Content]:
    """Return a valid history; its last calls may wait for some of their results."""
    names = Names(random, again=True)
    contents: list[Content] = []
    calls: list[Call] = []
    for _ in range(random.choice([0, 1, 2, 3, 4, 5, 6])):
        contents += _user(random, calls)
        parts, calls = _made(random, names)
        contents += _split(random, "model", parts)
    if calls and some(random, 0.3):
        answered = calls[: random.randint(1, len(calls))]
        contents.append({"role": "user", "parts": _results(random, answered)})
    elif contents and some(random, 0.6):
        contents += _user(random, calls)
    return contents


def _user(random: Random, calls: list[Call]) -> list[Content]:
    """Return a turn of the user: results, and behind or beside them what is said."""
    results = _results(random, calls)
    said = [] if calls and some(random, 0.6) else _said(random)
    role = "user"
    if results and not said:
        role = random.choice(["user", "user", "function", "tool"])
    if results and said and some(random, 0.5):
        return [{"role": "user", "parts": results}, {"role": "user", "parts": said}]
    content: Content = {"role": role, "parts": results + said}
    if some(random, 0.05) and role == "user":
        del content["role"]
    return [content]


def _split(random: Random, role: str, parts: list[Part]) -> list[Content]:
    at = random.randint(1, len(parts)) if some(random, 0.15) else len(parts)
    return [{"role": role, "parts": part} for part in (parts[:at], parts[at:]) if part]


def _said(random: Random) -> list[Part]:
    parts: list[Part] = [{"text": text(random, empty=True)}]
    if some(random, 0.1):
        parts.append({"inlineData": {"mimeType": "image/png", "data": "AA=="}})
    if some(random, 0.05):
        parts.append({"hologram": {"rays": 7}})
    return parts


def _results(random: Random, calls: list[Call]) -> list[Part]:
    """Return one result for each call: those with ids in any order, the others in theirs."""
    parts: list[Part] = []
    for name, key in calls:
        body: Part = {"name": name, "response": {"result": text(random)}}
        parts.append({"functionResponse": body if key is None else {"id": key} | body})
    if all(key is not None for _, key in calls):
        random.shuffle(parts)
    return parts


def _made(random: Random, names: Names) -> tuple[list[Part], list[Call]]:
    """Return the parts of a model turn and the calls that it makes."""
    parts: list[Part] = []
    if some(random, 0.2):
        parts.append({"text": text(random), "thought": True})
    if some(random, 0.6):
        parts.append({"text": text(random)})
    if some(random, 0.1):
        parts.append({"executableCode": {"language": "PYTHON", "code": "1"}})
        parts.append({"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}})
    calls: list[Call] = []
    if some(random, 0.5) or not parts:
        number = random.choice([1, 1, 2, 3])
        keys: list[str | None] = [None] * number
        if some(random, 0.5):
            keys = [*names.fresh(number)]
        calls = [(random.choice(["weather", "look_up"]), key) for key in keys]
        for name, key in calls:
            body: Part = {"name": name, "args": {"q": "x"}}
            if some(random, 0.1):
                body = {"name": name}
            part: Part = {"functionCall": body if key is None else {"id": key} | body}
            if some(random, 0.3):
                part["thoughtSignature"] = "c2ln"
            parts.append(part)
    return parts, calls
