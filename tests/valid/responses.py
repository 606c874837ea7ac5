"""Items of the Responses API: ids tie calls and outputs, reasoning needs a follower."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .block import judge_list
from .item import ARGUMENTS, Item, read_all
from .program import Programs
from .tie import Ties

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .problem import Findings

ROLES = ("user", "system", "developer", "assistant")
BLOCKS = {
    "input_text": "$text",
    "output_text": "$text",
    "text": "$text",
    "summary_text": "$text",
    "refusal": "$refusal",
}


def judge(messages: Sequence[Any], found: Findings, model: str | None) -> None:
    """Judge each item alone, then ties, programs, reasoning and the items' own ids."""
    del model  # no rule of items depends on the model
    items = read_all(messages)
    for item in items:
        _judge_alone(found, item, messages[item.position])
    ties = Ties(items)
    ties.judge(found)
    programs = Programs(items, ties)
    programs.judge(found)
    _judge_open(found, items, ties, programs)
    _judge_reasoning(found, items)
    _judge_own_ids(found, items)


def _judge_alone(found: Findings, item: Item, given: Any) -> None:
    """An item is an object; a call can be tied; a message has a role and content.

    A call that cannot be tied and a result that names no call are malformed. The arguments of
    functions and custom tools are a string.
    """
    position = item.position
    if item.what == "broken":
        path = "type" if isinstance(given, dict) else ""
        found.refuse(position, path, "malformed_block")
    elif item.what == "message":
        _judge_message(found, position, given)
    elif item.what == "call":
        argument = ARGUMENTS.get(item.kind)
        if not _can_be_tied(item):
            found.refuse(position, "", "malformed_call")
        elif argument and not isinstance(given.get(argument), str):
            found.refuse(position, argument, "arguments_not_string")
    elif item.what == "output":
        if not _can_be_tied(item):
            found.refuse(position, item.key_path, "malformed_call")
        if item.kind in ARGUMENTS:
            _judge_output(found, position, given.get("output"))


def _can_be_tied(item: Item) -> bool:
    return item.key is not None or item.anonymous


def _judge_message(found: Findings, position: int, given: dict[str, Any]) -> None:
    """A message has one of four roles and content: a string or a list, which may be empty."""
    if given.get("role") not in ROLES:
        found.refuse(position, "role", "unknown_role")
        return
    content = given.get("content")
    if content is None:
        found.refuse(position, "content", "missing_content")
    elif isinstance(content, list):
        judge_list(found, position, "content", content, BLOCKS)
    elif not isinstance(content, str):
        found.refuse(position, "content", "malformed_block")


def _judge_output(found: Findings, position: int, output: Any) -> None:
    """What a function or a custom tool gives back is a string or a list of blocks, and required."""
    if output is None:
        found.refuse(position, "output", "missing_content")
    elif isinstance(output, list):
        judge_list(found, position, "output", output, BLOCKS)
    elif not isinstance(output, str):
        found.refuse(position, "output", "malformed_block")


def _judge_open(found: Findings, items: list[Item], ties: Ties, programs: Programs) -> None:
    """A call without an output waits while nothing but results, reasoning and calls follows.

    Controls say nothing of their own, so a call may wait before one. A program that has a child
    needs no output. A child may wait wherever it stands if it asks for approval or is a shell
    call that is not completed; at the end it is as live as any other.
    """
    for item in ties.open_calls():
        live = all(later.quiet for later in items[item.position + 1 :])
        if item.kind == "program" and programs.has_child(item):
            continue
        if not live and programs.may_wait(item):
            continue
        found.open_call(item.position, "", item.key, live=live)


def _judge_reasoning(found: Findings, items: list[Item]) -> None:
    """Reasoning belongs to what the model made of it, right behind, or behind more reasoning.

    The API refuses a reasoning item that comes "without its required following item".
    """
    for item in items:
        if item.what != "reasoning":
            continue
        behind = items[item.position + 1 :]
        followers = [later for later in behind if later.what not in ("reasoning", "control")]
        if not followers or not followers[0].made:
            found.refuse(item.position, "", "no_follower")


def _judge_own_ids(found: Findings, items: list[Item]) -> None:
    """An item's id is its own: the API refuses a second item of the same id.

    There is no rule for it alone; an output is a second result, any other a second call. Where
    the id is the one that ties, it is one problem.
    """
    seen: set[str] = set()
    for item in items:
        if item.name is None:
            continue
        if item.name in seen:
            rule = "duplicate_result" if item.what == "output" else "duplicate_call"
            found.refuse(item.position, "id", rule)
        seen.add(item.name)
