"""Items of the Responses API: what one is, and by what it is tied."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from .block import is_name

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

OUTPUTS = {
    "function_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "apply_patch_call": "apply_patch_call_output",
    "computer_call": "computer_call_output",
    "local_shell_call": "local_shell_call_output",
    "shell_call": "shell_call_output",
    "tool_search_call": "tool_search_output",
    "mcp_approval_request": "mcp_approval_response",
    "program": "program_output",
}
"""The type of the output by the type of the call."""

CALLS = {output: call for call, output in OUTPUTS.items()}

ALONE = frozenset(
    {
        "file_search_call",
        "web_search_call",
        "code_interpreter_call",
        "image_generation_call",
        "mcp_list_tools",
        "mcp_call",
        "hosted_tool_call",
        "compaction",
    }
)
"""Types that the model makes and that need no output."""

CONTROLS = frozenset({"compaction_trigger", "item_reference"})

ARGUMENTS = {"function_call": "arguments", "custom_tool_call": "input"}
"""Calls that have a name, and where their arguments stand."""

STREAMS: dict[str, tuple[frozenset[str | None], frozenset[str | None]]] = {
    "shell_call": (frozenset({"in_progress"}), frozenset({None, "completed", "incomplete"})),
    "tool_search_call": (frozenset({"in_progress"}), frozenset({None, "completed", "incomplete"})),
    "program": (frozenset({"incomplete"}), frozenset({"completed"})),
}
"""Calls with several outputs: the statuses of those before the last, and of the last one.

An output of a shell or a search without a status is a last one. A program's output has one.
"""


@dataclass(frozen=True)
class Item:
    """What one item is."""

    position: int
    what: str
    """``call``, ``output``, ``reasoning``, ``control``, ``message``, ``alone`` or ``broken``."""
    kind: str = ""
    """The type; for an output the type of its calls."""
    key: str | None = None
    """The id that ties call and output."""
    key_path: str = ""
    anonymous: bool = False
    """Whether it is tied by its place, without an id."""
    owner: str | None = None
    """The id of the program that made it; empty where the caller names none."""
    made: bool = False
    """Whether the model makes items of this type, so that reasoning may stand before it."""
    quiet: bool = False
    """Whether a call before it may still wait: results, reasoning, calls and controls."""
    status: Any = None
    name: str | None = None
    """The item's own id, where it has one."""


def read_all(items: Sequence[Any]) -> list[Item]:
    """Tell what each item is; an output of a local shell may name its call in two ways."""
    shells = {
        item.get("call_id")
        for item in items
        if isinstance(item, dict)
        and item.get("type") == "local_shell_call"
        and is_name(item.get("call_id"))
    }
    return [read(position, item, shells) for position, item in enumerate(items)]


def read(position: int, item: Any, shells: Container[str | None]) -> Item:
    """Tell what an item is.

    Without a type it is a message if it has a role, and a reference if it has but an id. An
    unknown type that ends in ``_call`` is a call, and in ``_call_output`` an output, if it has a
    ``call_id``; any other stands alone.
    """
    if not isinstance(item, dict):
        return Item(position, "broken")
    kind = item.get("type")
    if kind is None:
        refers = item.get("role") is None and is_name(item.get("id"))
        kind = "item_reference" if refers else "message"
    if not isinstance(kind, str):
        return Item(position, "broken")
    if kind in CONTROLS:
        return Item(position, "control", kind, quiet=True)
    plain = Item(
        position,
        "reasoning" if kind == "reasoning" else "message" if kind == "message" else "alone",
        kind,
        owner=_owner(item),
        made=_is_made(item, kind),
        quiet=kind == "reasoning" or (kind in ALONE and kind.endswith("_call")),
        status=item.get("status"),
        name=item["id"] if is_name(item.get("id")) else None,
    )
    if (tied := _call_kind(item, kind)) is not None:
        return _call(plain, item, tied)
    if (tied := _output_kind(item, kind)) is not None:
        return _output(plain, item, tied, shells)
    return plain


def _is_made(item: dict[str, Any], kind: str) -> bool:
    """Tell whether the model made a message, or an item that stands alone."""
    if kind == "message":
        return item.get("role") == "assistant" and is_name(item.get("id"))
    return kind in ALONE


def _call(plain: Item, item: dict[str, Any], tied: str) -> Item:
    """A call has the id that its output names; a function or a custom tool has a name as well.

    Only a search that the client does not run needs no id.
    """
    paths = {"id": item.get("id"), "call_id": item.get("call_id")}
    order = ["id"] if tied == "mcp_approval_request" else ["call_id"]
    if plain.kind == "hosted_tool_call":
        paths["provider_data.id"] = (_approval(item) or {}).get("id")
        order = ["provider_data.id", "call_id", "id"]
    named = [path for path in order if is_name(paths[path])]
    if tied in ARGUMENTS and not is_name(item.get("name")):
        named = []
    anonymous = tied == "tool_search_call" and not named and item.get("execution") != "client"
    return replace(
        plain,
        what="call",
        kind=tied,
        key=paths[named[0]] if named else None,
        key_path=(named or order)[0],
        anonymous=anonymous,
        made=True,
        quiet=True,
    )


def _output(plain: Item, item: dict[str, Any], tied: str, shells: Container[str | None]) -> Item:
    """An output names its call; that of a search which the client does not run may not."""
    key, path = _output_key(item, tied, shells)
    anonymous = tied == "tool_search_call" and key is None and item.get("execution") != "client"
    return replace(
        plain,
        what="output",
        kind=tied,
        key=key,
        key_path=path,
        anonymous=anonymous,
        made=False,
        quiet=True,
        # The id of a local shell's output is that of its call.
        name=None if tied == "local_shell_call" else plain.name,
    )


def _owner(item: dict[str, Any]) -> str | None:
    caller = item.get("caller")
    if not isinstance(caller, dict) or caller.get("type") != "program":
        return None
    name = caller.get("caller_id")
    return name if is_name(name) else ""


def _approval(item: dict[str, Any]) -> dict[str, Any] | None:
    """Return what a hosted call says of its provider, if it is a request for approval."""
    data = item.get("provider_data")
    if isinstance(data, dict) and data.get("type") == "mcp_approval_request":
        return data
    return None


def _call_kind(item: dict[str, Any], kind: str) -> str | None:
    if kind == "hosted_tool_call" and _approval(item) is not None:
        return "mcp_approval_request"
    if kind in OUTPUTS:
        return kind
    unknown = kind.endswith("_call") and kind not in ALONE
    return kind if unknown and is_name(item.get("call_id")) else None


def _output_kind(item: dict[str, Any], kind: str) -> str | None:
    if kind in CALLS:
        return CALLS[kind]
    unknown = kind.endswith("_call_output") and is_name(item.get("call_id"))
    return kind.removesuffix("_output") if unknown else None


def _output_key(
    item: dict[str, Any], tied: str, shells: Container[str | None]
) -> tuple[str | None, str]:
    """Return the id by which an output names its call, and where it stands.

    The output of a local shell has the call's ``call_id`` as its ``id``, or as ``call_id``.
    """
    paths = ["call_id"]
    if tied == "mcp_approval_request":
        paths = ["approval_request_id"]
    elif tied == "local_shell_call":
        paths = ["id", "call_id"]
    named = [path for path in paths if is_name(item.get(path))]
    for path in [path for path in named if item[path] in shells] + named:
        return item[path], path
    return None, paths[0]
