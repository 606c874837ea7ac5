"""Chat completions: an assistant message with calls, and one tool message for each right behind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .block import is_name, judge_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .problem import Findings

ROLES = ("system", "developer", "user", "assistant", "tool", "function")
RESULTS = ("tool", "function")
INSTEAD = ("tool_calls", "function_call", "refusal", "audio")
BLOCKS = {
    "text": "$text",
    "refusal": "$refusal",
    "image_url": "image_url",
    "input_audio": "input_audio",
    "file": "file",
}
PAYLOADS = {"function": ("function", "arguments"), "custom": ("custom", "input")}


def judge(messages: Sequence[Any], found: Findings, model: str | None) -> None:
    """Judge each message alone, then how calls and results stand."""
    del model  # no rule of chat completions depends on the model
    for position, message in enumerate(messages):
        if not isinstance(message, dict):
            found.refuse(position, "", "malformed_block")
        elif message.get("role") not in ROLES:
            # What the message should have held depends on its role, so nothing more is said.
            found.refuse(position, "role", "unknown_role")
        else:
            _judge_content(found, position, message)
            _judge_calls(found, position, message)
            _judge_name(found, position, message)
    position = 0
    while position < len(messages):
        end = position + 1
        while end < len(messages) and _role(messages[end]) in RESULTS:
            end += 1
        _judge_step(found, messages, position, end)
        position = end


def _role(message: Any) -> Any:
    return message.get("role") if isinstance(message, dict) else None


def _judge_content(found: Findings, position: int, message: dict[str, Any]) -> None:
    """Every message has content; only an assistant may say something else in its place.

    The API wants a string or a list of at least one part. The string may be empty. ``content`` of
    a function message may be null, and an assistant may leave it out beside calls, a refusal or
    audio. Null in one of these fields is as good as no field.
    """
    content = message.get("content")
    role = message["role"]
    if content is None:
        instead = role == "assistant" and any(message.get(key) is not None for key in INSTEAD)
        if not instead and not (role == "function" and "content" in message):
            found.refuse(position, "content", "missing_content")
    elif isinstance(content, list):
        if not content:
            found.refuse(position, "content", "empty_content")
        judge_list(found, position, "content", content, BLOCKS)
    elif not isinstance(content, str):
        found.refuse(position, "content", "malformed_block")


def _judge_calls(found: Findings, position: int, message: dict[str, Any]) -> None:
    """Calls are made by the assistant, in a list that is not empty."""
    if message["role"] != "assistant":
        for key in ("tool_calls", "function_call"):
            if message.get(key) is not None:
                found.refuse(position, key, "call_in_wrong_role")
        return
    calls = message.get("tool_calls")
    if calls is not None and not isinstance(calls, list):
        found.refuse(position, "tool_calls", "malformed_call")
    elif calls is not None and not calls:
        found.refuse(position, "tool_calls", "empty_tool_calls")
    for index, call in enumerate(_entries(message)):
        _judge_call(found, position, f"tool_calls[{index}]", call)
    legacy = message.get("function_call")
    if legacy is not None and not is_legacy(legacy):
        found.refuse(position, "function_call", "malformed_call")
    elif legacy is not None and not isinstance(legacy.get("arguments"), str):
        found.refuse(position, "function_call.arguments", "arguments_not_string")


def _entries(message: dict[str, Any]) -> list[Any]:
    calls = message.get("tool_calls")
    return calls if isinstance(calls, list) else []


def _judge_call(found: Findings, position: int, path: str, call: Any) -> None:
    """A call has an id and a name, and its arguments are a string of JSON.

    Arguments that are an object, or none, leave it a call all the same, which counts and ties,
    so they have a rule of their own.
    """
    if not is_call(call):
        found.refuse(position, path, "malformed_call")
        return
    key, argument = PAYLOADS[_type_of(call)]
    if not isinstance(call[key].get(argument), str):
        found.refuse(position, f"{path}.{key}.{argument}", "arguments_not_string")


def is_call(call: Any) -> bool:
    """A call has an id and names a function or a custom tool; a type left out is a function."""
    if not isinstance(call, dict) or not is_name(call.get("id")):
        return False
    kind = _type_of(call)
    payload = call.get(PAYLOADS[kind][0]) if kind in PAYLOADS else None
    return isinstance(payload, dict) and is_name(payload.get("name"))


def _type_of(call: dict[str, Any]) -> str:
    """Return the type of a call; what is no string is none that anybody knows."""
    kind = call.get("type")
    if kind is None or kind == "":
        return "function"
    return kind if isinstance(kind, str) else "?"


def is_legacy(call: Any) -> bool:
    """Tell whether a call of the old kind names a function, which is all it has as an id."""
    return isinstance(call, dict) and is_name(call.get("name"))


def _judge_name(found: Findings, position: int, message: dict[str, Any]) -> None:
    """A result that names no call cannot be matched to one."""
    key = _key(message)
    if key and not is_name(message.get(key)):
        found.refuse(position, key, "malformed_call")


def _key(message: dict[str, Any]) -> str:
    return {"tool": "tool_call_id", "function": "name"}.get(message["role"], "")


def _judge_step(found: Findings, messages: Sequence[Any], start: int, end: int) -> None:
    """Match the calls of the message at ``start`` with the run of results up to ``end``.

    The API wants, right behind the message, one result for each call in any order, and no result
    anywhere else. So a result that stands elsewhere is an orphan and its call dangles, both, as
    the API says of them. An id may come again in another message. A run that reaches the end of
    the list is still being answered.
    """
    calls = _calls(found, start, messages[start])
    answered: set[tuple[str, str]] = set()
    for position in range(start, end):
        message = messages[position]
        if _role(message) not in RESULTS or not is_name(message.get(_key(message))):
            continue
        name = (message["role"], message[_key(message)])
        if name not in calls:
            found.refuse(position, _key(message), "orphan_result")
        elif name in answered:
            found.refuse(position, _key(message), "duplicate_result")
        answered.add(name)
    for name, path in calls.items():
        if name not in answered:
            found.open_call(start, path, name[1], live=end == len(messages))


def _calls(found: Findings, position: int, message: Any) -> dict[tuple[str, str], str]:
    """Return the path of each call by the role and the name of its result, and refuse doubles.

    Of two calls of one id in one message the first is the one that has to be answered.
    """
    calls: dict[tuple[str, str], str] = {}
    if _role(message) != "assistant":
        return calls
    for index, call in enumerate(_entries(message)):
        if not is_call(call):
            continue
        if ("tool", call["id"]) in calls:
            found.refuse(position, f"tool_calls[{index}].id", "duplicate_call")
        else:
            calls["tool", call["id"]] = f"tool_calls[{index}]"
    if is_legacy(message.get("function_call")):
        calls["function", message["function_call"]["name"]] = "function_call"
    return calls
