"""Generated histories of the Responses API that a provider takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .history_words import ARGUMENTS, Names, some, text

if TYPE_CHECKING:
    from random import Random

Item = dict[str, Any]

ALONE = [
    "file_search_call",
    "web_search_call",
    "code_interpreter_call",
    "image_generation_call",
    "mcp_list_tools",
    "mcp_call",
    "hosted_tool_call",
    "compaction",
    "hologram",
    "computer_call_preview",
]
PAIRS = [
    "function_call",
    "function_call",
    "function_call",
    "custom_tool_call",
    "apply_patch_call",
    "computer_call",
    "local_shell_call",
    "shell_call",
    "tool_search_call",
    "anonymous",
    "mcp_approval_request",
    "hosted",
    "teleport_call",
]
SEARCH: list[list[str | None]] = [
    [None],
    ["completed"],
    ["incomplete"],
    ["in_progress", "completed"],
]
SHELL: list[list[str | None]] = [
    *SEARCH,
    ["in_progress"],
    ["in_progress", "in_progress", "completed"],
]
"""Statuses that the outputs of a stream may have, in order; None is an output without one."""


def responses(random: Random) -> list[Item]:
    """Return a valid history; its last calls may wait for their outputs."""
    names = Names(random)
    items: list[Item] = []
    for _ in range(random.randrange(7)):
        kind = random.choice(["said", "said", "made", "made", "step", "step", "program"])
        if kind == "said":
            items.append(said(random))
        elif kind == "program":
            items += program(random, names)
        else:
            if some(random, 0.4):
                items += reasoning(random, names)
            made, given = parts(random, names) if kind == "step" else ([alone(random, names)], [])
            if not made[0].get("id") and items and items[-1].get("type") == "reasoning":
                made.insert(0, message(random, names))
            items += made + given
    if some(random, 0.2):
        items += reasoning(random, names) if some(random, 0.4) else []
        items.append(pair(random, names, random.choice(PAIRS))[0])
    return items


def said(random: Random) -> Item:
    """Return a message that the model did not make, or a bare one of the assistant."""
    role = random.choice(["user", "user", "user", "assistant", "system", "developer"])
    content: Any = text(random, empty=True)
    if some(random, 0.3):
        kind = "output_text" if role == "assistant" else "input_text"
        content = [{"type": kind, "text": text(random)}]
    if some(random, 0.05) and role == "user":
        content = [{"type": "input_image", "image_url": "data:image/png;base64,AA=="}]
    item: Item = {"role": role, "content": content}
    return {"type": "message"} | item if some(random, 0.3) else item


def message(random: Random, names: Names) -> Item:
    """Return a message that the model made."""
    item: Item = {"type": "message", "id": f"msg_{names.one()}", "role": "assistant"}
    if some(random, 0.7):
        item["status"] = "completed"
    return item | {"content": [{"type": "output_text", "text": text(random), "annotations": []}]}


def reasoning(random: Random, names: Names) -> list[Item]:
    """Return one or two items of reasoning."""
    return [
        {"type": "reasoning", "id": f"rs_{names.one()}", "summary": [], "encrypted_content": "e"}
        for _ in range(random.choice([1, 1, 2]))
    ]


def alone(random: Random, names: Names) -> Item:
    """Return an item that needs no output; one without an id may be of a type nobody knows."""
    kind = random.choice([*ALONE, "message", "message"])
    if kind == "message":
        return message(random, names)
    item: Item = {"type": kind}
    if kind not in {"hologram", "computer_call_preview"}:
        item |= {"id": f"it_{names.one()}", "status": "completed"}
    return item


def pair(random: Random, names: Names, kind: str) -> tuple[Item, list[Item]]:
    """Return a call and its outputs."""
    key = names.one()
    if kind in {"mcp_approval_request", "hosted"}:
        return approval(random, key, hosted=kind == "hosted")
    if kind in {"tool_search_call", "anonymous"}:
        return search(random, key, anonymous=kind == "anonymous")
    call: Item = {"type": kind, "call_id": key}
    output: Item = {"type": f"{kind}_output", "call_id": key, "output": text(random, empty=True)}
    if some(random, 0.5):
        call["id"] = f"it_{key}"
    if kind == "function_call":
        call |= {"name": "look_up", "arguments": random.choice(ARGUMENTS)}
        if some(random, 0.2):
            output["output"] = [{"type": "input_text", "text": text(random)}]
    elif kind == "custom_tool_call":
        call |= {"name": "draw", "input": "a cat"}
    elif kind == "local_shell_call":
        del output["call_id"]
        output[random.choice(["id", "id", "call_id"])] = key
    elif kind == "shell_call":
        call["status"] = random.choice(["completed", "in_progress"])
        return call, streamed(output, random.choice(SHELL))
    return call, [output]


def search(random: Random, key: str, *, anonymous: bool) -> tuple[Item, list[Item]]:
    """Return a search for tools, with or without an id, and its outputs."""
    call: Item = {"type": "tool_search_call"}
    output: Item = {"type": "tool_search_output", "tools": []}
    execution = random.choice(["server", None] if anonymous else ["server", "client"])
    if not anonymous:
        call["call_id"] = output["call_id"] = key
    if execution is not None:
        call["execution"] = output["execution"] = execution
    return call, streamed(output, random.choice(SEARCH))


def approval(random: Random, key: str, *, hosted: bool) -> tuple[Item, list[Item]]:
    """Return a request for approval, bare or in the call of a host, and the response."""
    call: Item = {"type": "mcp_approval_request", "id": key, "name": "pay", "arguments": "{}"}
    if hosted:
        data = {"type": "mcp_approval_request", "id": key}
        call = {"type": "hosted_tool_call", "provider_data": data, "name": "pay"}
        if some(random, 0.3):
            del data["id"]
            call["call_id"] = key
    response = {"type": "mcp_approval_response", "approval_request_id": key, "approve": True}
    return call, [response]


def streamed(output: Item, statuses: list[str | None]) -> list[Item]:
    """Return one output for each status; None is one without."""
    return [output if status is None else output | {"status": status} for status in statuses]


def parts(random: Random, names: Names) -> tuple[list[Item], list[Item]]:
    """Return the calls of a step and their outputs, in another order where each has an id."""
    pairs = [pair(random, names, random.choice(PAIRS)) for _ in range(random.choice([1, 1, 2, 3]))]
    if any(call["type"] == "tool_search_call" and "call_id" not in call for call, _ in pairs):
        return [item for call, outputs in pairs for item in (call, *outputs)], []
    random.shuffle(ordered := [outputs for _, outputs in pairs])
    return [call for call, _ in pairs], [item for outputs in ordered for item in outputs]


def program(random: Random, names: Names) -> list[Item]:
    """Return a program with what it made, its output or both; a child may wait."""
    key = names.one()
    by = {"caller": {"type": "program", "caller_id": key}}
    items: list[Item] = [{"type": "program", "call_id": key, "code": "x"}]
    children = random.choice([0, 0, 1, 1, 2])
    for _ in range(children):
        if some(random, 0.2):
            items.append({"type": "web_search_call", "id": f"it_{names.one()}"} | by)
            continue
        kind = random.choice([one for one in PAIRS if one != "anonymous"])
        call, outputs = pair(random, names, kind)
        waits = kind in {"mcp_approval_request", "hosted"} or call.get("status") == "in_progress"
        if waits and some(random, 0.4):
            outputs = []
        own = by if some(random, 0.5) else {}
        items += [call | by, *(output | own for output in outputs)]
    statuses = random.choice([["completed"], ["incomplete"], ["incomplete", "completed"]])
    if not children or some(random, 0.5):
        items += [
            {"type": "program_output", "call_id": key, "result": "r", "status": status}
            for status in statuses
        ]
    return items
