"""Generated histories with results, texts and thinking that are worth making shorter."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .history_words import WORDS, some

if TYPE_CHECKING:
    from random import Random

SPOKEN = (
    "content",
    "text",
    "output",
    "result",
    "stdout",
    "stderr",
    "thinking",
    "reasoning_content",
)
"""Keys whose strings say something."""
THINKING = ("thinking", "redacted_thinking")


def longer(value: Any, random: Random) -> Any:
    """Return a message whose texts are long, some of them JSON; without cache marks."""
    if isinstance(value, list):
        return [longer(one, random) for one in value]
    if not isinstance(value, dict):
        return value
    made = {}
    for key, one in value.items():
        if key == "cache_control":
            continue
        if key == "response":
            made[key] = data(random) if some(random, 0.7) else longer(one, random)
        elif key in SPOKEN and isinstance(one, str) and one.strip():
            made[key] = said(random) if some(random, 0.7) else one
        else:
            made[key] = longer(one, random)
    return made


def said(random: Random) -> str:
    """Return a long text: words, JSON, or one word without an end."""
    kind = random.choice(["words", "words", "words", "json", "list", "run"])
    if kind == "json":
        return json.dumps(data(random), ensure_ascii=False)
    if kind == "list":
        return json.dumps([random.randrange(1000) for _ in range(random.randrange(80))], indent=1)
    if kind == "run":
        return random.choice("=a日") * random.randrange(20, 400)
    return " ".join(random.choice(WORDS) for _ in range(random.randrange(5, 120)))


def data(random: Random) -> dict[str, Any]:
    """Return an object with a list of records, a long text and other things."""
    rows = [{"id": row, "name": random.choice(WORDS)} for row in range(random.randrange(20))]
    log = " ".join(random.choice(WORDS) for _ in range(random.randrange(40)))
    return {"ok": True, "rows": rows, "log": log, "deep": {"a": [1.5, None, {"b": "x"}]}}


def is_container(text: Any) -> bool:
    """Tell whether a text is a JSON list or object."""
    if not isinstance(text, str) or not text.strip().startswith(("[", "{")):
        return False
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def shape(value: Any, *, cleared: bool, of_result: bool = False) -> Any:
    """Return a message without what it says: what shortening may not change.

    Of a result that was cleared nothing is left but that there is one.
    """
    if isinstance(value, list):
        return [shape(one, cleared=cleared, of_result=of_result) for one in value]
    if not isinstance(value, dict):
        return value
    kind, role = str(value.get("type", "")), value.get("role")
    is_result = kind == "tool_result" or kind.endswith("_output") or role in {"tool", "function"}
    of_result = of_result or is_result
    made: dict[str, Any] = {}
    for key, one in value.items():
        if key == "response":
            made[key] = {}
        elif key in SPOKEN and (isinstance(one, str) or (cleared and of_result)):
            made[key] = ""
        else:
            made[key] = shape(one, cleared=cleared, of_result=of_result)
    return made


def thoughtless(message: Any) -> Any:
    """Return a message without its thinking."""
    made = {key: one for key, one in message.items() if key != "reasoning_content"}
    for key in ("content", "parts"):
        if isinstance(made.get(key), list):
            made[key] = [
                one
                for one in made[key]
                if one.get("type") not in THINKING and not one.get("thought")
            ]
    return made


def texts_of(value: Any) -> list[str]:
    """Return the texts of a message, in order."""
    if isinstance(value, list):
        return [text for one in value for text in texts_of(one)]
    if not isinstance(value, dict):
        return []
    found = []
    for key, one in value.items():
        if key == "response":
            found.append(json.dumps(one))
        elif key in SPOKEN and isinstance(one, str):
            found.append(one)
        else:
            found += texts_of(one)
    return found
