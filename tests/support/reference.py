"""What another request builder keeps of small histories, and the histories, made of their names.

The listing names each item by type, id and status: ``shell_call_output(s)[completed]``. What it
leaves out stands in the title of the run; ``MEANT`` says per title what was read out of it. Where
neither says enough, the title is in ``GUESSED`` with what was assumed.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Message = dict[str, Any]

FILE = Path(__file__).parent.parent / "data" / "grouping_reference_runs.txt"
LABEL = re.compile(r"(\w+?)(?:\((\w+)\))?(?:\[(\w+)\])?$")
KEYS = {
    "mcp_approval_request": "id",
    "mcp_approval_response": "approval_request_id",
    "local_shell_call_output": "id",
}
"""Where the id of a label stands that ties by another key than ``call_id``."""
TIED = {
    "function_call",
    "custom_tool_call",
    "apply_patch_call",
    "computer_call",
    "local_shell_call",
    "shell_call",
    "tool_search_call",
    "program",
    "function_call_output",
    "custom_tool_call_output",
    "apply_patch_call_output",
    "computer_call_output",
    "shell_call_output",
    "tool_search_output",
    "program_output",
    "hosted_tool_call",
}
PAYLOADS: dict[str, Message] = {
    "function_call": {"name": "look_up", "arguments": "{}"},
    "custom_tool_call": {"name": "look_up", "input": "x"},
    "apply_patch_call": {"operation": {"type": "delete_file", "path": "x"}},
    "computer_call": {"action": {"type": "screenshot"}, "pending_safety_checks": []},
    "local_shell_call": {"action": {"type": "exec", "command": ["ls"], "env": {}}},
    "shell_call": {"action": {"commands": ["ls"]}},
    "tool_search_call": {"arguments": {}},
    "program": {"code": "x"},
    "mcp_approval_request": {"name": "pay", "arguments": "{}", "server_label": "s"},
    "mcp_approval_response": {"approve": True},
    "function_call_output": {"output": "r"},
    "custom_tool_call_output": {"output": "r"},
    "apply_patch_call_output": {"output": "r", "status": "completed"},
    "computer_call_output": {"output": {"type": "computer_screenshot", "image_url": "data:"}},
    "local_shell_call_output": {"output": "r"},
    "shell_call_output": {"output": []},
    "tool_search_output": {"tools": []},
    "program_output": {"result": "r"},
    "reasoning": {"summary": []},
    "compaction": {"encrypted_content": "x"},
    "message": {"role": "assistant", "content": [{"type": "output_text", "text": "a"}]},
}


@dataclass
class Run:
    """One history and what the reference does with it."""

    section: str
    title: str
    given: list[str] = field(default_factory=list)
    final: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    raises: bool = False

    @property
    def format(self) -> str:
        """Return the format of its items."""
        return "openai-chat" if self.section == "chat completions" else "openai-responses"


def runs() -> list[Run]:
    """Read the listing."""
    found: list[Run] = []
    section = ""
    for line in FILE.read_text().splitlines():
        if line.startswith("### "):
            section = line[4:]
        elif line.startswith("- "):
            found.append(Run(section, line[2:]))
        elif line.startswith("    in :"):
            given, _, final = line.partition(":")[2].partition("| final")
            found[-1].given = ast.literal_eval(given.strip())
            found[-1].final = ast.literal_eval(final.strip() or "[]")
        elif line.startswith("    kept:"):
            found[-1].kept = ast.literal_eval(line.partition(":")[2].strip())
        elif line.startswith("    RAISES"):
            found[-1].raises = True
    return found


def kept_rows(run: Run) -> list[int]:
    """Return the rows that the reference keeps; of equal names side by side the first ones.

    Which one of two equal names was kept does not matter where all are kept; the listing has no
    run where only one of them is.
    """
    rows, at = [], 0
    for name in run.kept:
        at = run.given.index(name, at)
        rows.append(at)
        at += 1
    return rows


def _calls(*names: str | None) -> Message:
    """Return what makes an assistant message call; None is a call without an id."""
    body = {"type": "function", "function": {"name": "look_up", "arguments": "{}"}}
    calls = [body if name is None else {"id": name} | body for name in names]
    return {"content": None, "tool_calls": calls}


def _by(program: str) -> Message:
    return {"caller": {"type": "program", "caller_id": program}}


SERVER: Message = {"execution": "server"}
CLIENT: Message = {"execution": "client"}

MEANT: dict[str, dict[int, Message]] = {
    # Chat completions: which calls the assistant makes.
    "complete pair": {0: _calls("a")},
    "parallel pair any order": {0: _calls("a", "b")},
    "missing one result": {0: _calls("a", "b")},
    "extra result": {0: _calls("a")},
    "dup result": {0: _calls("a")},
    "dup call ids": {0: _calls("a", "a")},
    "orphan tool": {},
    "message between call and result": {0: _calls("a")},
    "tool_calls []": {0: {"tool_calls": []}},
    "tool_calls malformed (dict)": {0: {"tool_calls": {"id": "a"}}},
    "tool_calls w/o id": {0: _calls(None) | {"content": "a"}},
    "deprecated function_call/function role": {
        0: {"content": None, "function_call": {"name": "look_up", "arguments": "{}"}}
    },
    "anthropic tool_use blocks": {
        0: {"content": [{"type": "tool_use", "id": "a", "name": "look_up", "input": {}}]},
        1: {"content": [{"type": "tool_result", "tool_use_id": "a", "content": "r"}]},
    },
    "final tool result, matching trailing": {1: _calls("a", "b")},
    "final tool result, partial in history": {0: _calls("a", "b")},
    "final tool result partial": {0: _calls("a", "b")},
    "final: call + result": {1: _calls("a")},
    "final: user then tool": {0: _calls("a")},
    "trailing pending tool_calls + user final": {1: _calls("a")},
    # Responses: ids that labels do not show.
    "call without id": {0: {"call_id": None}},
    "local_shell output with call_id fallback": {1: {"id": None, "call_id": "k"}},
    "hosted wrapper id=nested": {
        0: {"provider_data": {"type": "mcp_approval_request", "id": "ap"}},
    },
    "hosted wrapper nested id missing -> call_id": {
        0: {"provider_data": {"type": "mcp_approval_request"}},
    },
    "hosted wrapper no response": {
        0: {"provider_data": {"type": "mcp_approval_request", "id": "ap"}},
    },
    "hosted_tool_call nested id only": {1: {"provider_data": {"type": "web_search", "id": "n"}}},
    # Searches: who runs them, and that they have an id of their own only.
    "anon server pair": {0: SERVER, 1: SERVER},
    "anon client": {0: CLIENT, 1: CLIENT},
    "anon client across boundary": {0: CLIENT, 1: CLIENT},
    "anon call + identified output": {1: {"id": None, "call_id": "q"}},
    # Programs: who made what.
    "unknown type with program caller": {1: _by("1")},
    "program + child pair (active)": {1: _by("1"), 2: _by("1")},
    "program + child pair callerless output": {1: _by("1")},
    "program + child call only": {1: _by("1")},
    "program + shell_call in_progress only": {1: _by("1")},
    "program + shell_call no status only": {1: _by("1")},
    "program + shell_call completed only": {1: _by("1")},
    "program + mcp_approval_request only": {1: _by("1")},
    "program + web_search child": {1: _by("1") | {"status": "completed"}},
    "interleaved programs": {1: _by("1"), 3: _by("2"), 4: _by("1"), 5: _by("2")},
    "child before root": {0: _by("1"), 2: _by("1")},
    "child of unknown program": {0: _by("9"), 1: _by("9")},
    "nested program": {1: _by("1")},
    "child after completed": {2: _by("1"), 3: _by("1")},
    "callerless child output after completed": {1: _by("1")},
    "child after incomplete": {2: _by("1"), 3: _by("1")},
    "program-owned output for direct call": {2: _by("1")},
    "wrong owner on output": {2: _by("1"), 3: _by("2")},
    "program + anon tool search child": {1: _by("1"), 2: _by("1")},
    "child output across boundary": {1: _by("1"), 2: _by("1")},
    "child output across boundary, other user first": {2: _by("1"), 3: _by("1")},
}
"""What the title of a run says of its items, by place; the places of the final come last."""

GUESSED = {
    "tool_calls w/o id": "the message has a text, or nothing of it could be kept",
    "tool_calls []": "the message has a text, or nothing of it could be kept",
    "tool_calls malformed (dict)": "the message has a text; which dict stands there is not said",
    "dup result": "the second result is the same as the first",
    "hosted wrapper id=nested": "where the label's w stands: call_id",
    "hosted wrapper no response": "that its request has an id of its own",
    "hosted_tool_call nested id only": "what the provider's data holds beside an id",
    "anon server pair": "that the output names the server as well",
    "anon 2 calls 2 outs sequential": "items with an id of their own each: x and y come twice",
    "anon 2 calls then 2 outs": "items with an id of their own each: x and y come twice",
    "anon 2 calls with stream": "items with an id of their own each: x and y come twice",
    "anon 2 calls 1 out": "items with an id of their own each: x comes twice",
    "anon 2: out,call,call,out": "items with an id of their own each: x and y come twice",
    "anon stream": "items with an id of their own each: y comes twice",
    "anon stream bad": "items with an id of their own each: y comes twice",
    "standalone message with id": "that it is the assistant's; its content",
    "standalone message no id": "that it is the assistant's; its content",
    "nested program": "that the output of the inner program names no caller",
    "child after completed": "that the output of the child names its caller too",
    "child of unknown program": "the id of the unknown program",
    "final input-only items": "that the reference has a type",
}
"""What the notation leaves open, and what was assumed for the run of a title."""


def build(run: Run) -> tuple[list[Message], list[Message]]:
    """Return the messages of the history and of the final."""
    names = run.given + run.final
    meant = MEANT.get(run.title, {})
    make = _chat if run.format == "openai-chat" else _item
    seen: dict[str, int] = {}
    made = []
    for place, name in enumerate(names):
        message = make(name, run) | meant.get(place, {})
        message = {key: value for key, value in message.items() if _stays(key, value)}
        if run.section == "tool search anonymous" and "id" in message:
            number = seen[message["id"]] = seen.get(message["id"], 0) + 1
            message["id"] += "" if number == 1 else str(number)
        made.append(message)
    return made[: len(run.given)], made[len(run.given) :]


def _stays(key: str, value: Any) -> bool:
    """Tell whether a key is there: null is how the table takes an id away."""
    return value is not None or key == "content"


def _parsed(name: str) -> tuple[str, str | None, str | None]:
    found = LABEL.match(name)
    assert found is not None, name
    return found[1], found[2], found[3]


def _chat(name: str, run: Run) -> Message:
    del run
    kind, key, _ = _parsed(name)
    if kind == "tool":
        return {"role": "tool", "tool_call_id": key, "content": "r"}
    if kind == "function":
        return {"role": "function", "name": "look_up", "content": "r"}
    return {"role": kind, "content": kind[0]}


def _item(name: str, run: Run) -> Message:
    kind, key, status = _parsed(name)
    if kind in {"user", "assistant"}:
        return {"role": kind, "content": kind[0]}
    item: Message = {"type": kind}
    own = run.section == "standalone types" and kind != "program"
    own = own or (kind.startswith("tool_search") and "anon" in f"{run.section} {run.title}")
    if key is not None:
        item[KEYS.get(kind, "call_id" if kind in TIED and not own else "id")] = key
    return item | PAYLOADS.get(kind, {}) | ({} if status is None else {"status": status})
