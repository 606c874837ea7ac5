"""Blocks of content: which shapes a provider reads at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .problem import Findings


def is_name(value: Any) -> TypeGuard[str]:
    """Tell whether a value can be an id or a name: a string that is not empty."""
    return isinstance(value, str) and value != ""


def judge_list(
    found: Findings, position: int, path: str, blocks: list[Any], known: Mapping[str, str]
) -> None:
    """Refuse what is no block: a text, a list or a number where an object with a type belongs.

    A block of a known type needs its payload, since no provider takes a text block without text
    or an image without an image. ``known`` names the key of the payload by type; a leading ``$``
    asks for a string, otherwise for an object. A block of an unknown type is no fault: providers
    grow, and the specification warns there.
    """
    for index, block in enumerate(blocks):
        if not is_block(block, known):
            found.refuse(position, f"{path}[{index}]", "malformed_block")


def is_block(block: Any, known: Mapping[str, str]) -> bool:
    """Tell whether one block can be read."""
    if not isinstance(block, dict) or not is_name(block.get("type")):
        return False
    key = known.get(block["type"])
    if key is None:
        return True
    if key.startswith("$"):
        return isinstance(block.get(key[1:]), str)
    return isinstance(block.get(key), dict)
