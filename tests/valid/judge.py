"""The way in: messages and the name of their format to problems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import anthropic, chat, gemini, responses
from .problem import Findings, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence

FORMATS: dict[str, Callable[[Sequence[Any], Findings, str | None], None]] = {
    "openai-chat": chat.judge,
    "openai-responses": responses.judge,
    "anthropic": anthropic.judge,
    "gemini": gemini.judge,
}


def problems(
    messages: Sequence[Any],
    format: str,
    model: str | None = None,
    *,
    allow_pending: bool = False,
    abandoned: Container[str] = (),
) -> list[Problem]:
    """Return what is wrong with messages, in order; no messages have no problem.

    A call that waits is pending while nothing but results stands behind it; with
    ``allow_pending`` it is so anywhere, with its id in ``abandoned`` nowhere.
    """
    found = Findings(allow_pending=allow_pending, abandoned=abandoned)
    if messages:
        FORMATS[format](messages, found, model)
    return found.sorted()


def refused(
    messages: Sequence[Any],
    format: str,
    model: str | None = None,
    *,
    allow_pending: bool = False,
    abandoned: Container[str] = (),
) -> list[Problem]:
    """Return only what a provider would refuse."""
    found = problems(messages, format, model, allow_pending=allow_pending, abandoned=abandoned)
    return [problem for problem in found if problem.severity == "refused"]
