"""Short ways to write the messages of every format by hand."""

from __future__ import annotations

from typing import Any

Message = dict[str, Any]

USER: Message = {"role": "user", "content": "u"}
TEXT: Message = {"type": "text", "text": "t"}
PART: Message = {"text": "t"}


def calls(*names: str) -> Message:
    """Return a chat message that makes calls."""
    body = {"type": "function", "function": {"name": "look_up", "arguments": "{}"}}
    made = [{"id": name} | body for name in names]
    return {"role": "assistant", "content": None, "tool_calls": made}


def result(name: str) -> Message:
    """Return a chat message with the result of a call."""
    return {"role": "tool", "tool_call_id": name, "content": f"result of {name}"}


def user(*blocks: Any) -> Message:
    """Return an Anthropic message of the user."""
    return {"role": "user", "content": list(blocks) or [TEXT]}


def assistant(*blocks: Any) -> Message:
    """Return an Anthropic message of the assistant."""
    return {"role": "assistant", "content": list(blocks) or [TEXT]}


def use(name: str, kind: str = "tool_use") -> Message:
    """Return an Anthropic block that calls a tool."""
    return {"type": kind, "id": name, "name": "look_up", "input": {}}


def given(name: str, kind: str = "tool_result") -> Message:
    """Return an Anthropic block with the result of a call."""
    return {"type": kind, "tool_use_id": name, "content": "r"}


def thinking() -> Message:
    """Return an Anthropic block of signed thinking."""
    return {"type": "thinking", "thinking": "t", "signature": "s"}


def content(role: str, *parts: Any) -> Message:
    """Return a Gemini content."""
    return {"role": role, "parts": list(parts) or [PART]}


def function_call(name: str, key: str | None = None) -> Message:
    """Return a Gemini part that calls a function."""
    return {"functionCall": ({} if key is None else {"id": key}) | {"name": name, "args": {}}}


def function_response(name: str, key: str | None = None) -> Message:
    """Return a Gemini part with the result of a call."""
    own = {} if key is None else {"id": key}
    return {"functionResponse": own | {"name": name, "response": {"r": 1}}}


def item(kind: str, key: str | None = None, **more: Any) -> Message:
    """Return a Responses item with a ``call_id``."""
    return {"type": kind} | ({} if key is None else {"call_id": key}) | more


def call(key: str, **more: Any) -> Message:
    """Return a Responses item that calls a function."""
    return item("function_call", key, name="look_up", arguments="{}", **more)


def output(key: str, **more: Any) -> Message:
    """Return a Responses item with the output of a function."""
    return item("function_call_output", key, output="r", **more)


def made_by(program: str) -> Message:
    """Return the caller of an item that a program made."""
    return {"caller": {"type": "program", "caller_id": program}}
