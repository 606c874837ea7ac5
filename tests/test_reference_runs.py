"""The small histories of another request builder: what it keeps, a repair keeps as well."""

from __future__ import annotations

from typing import Any

import pytest

from support import reference
from support.talk import repaired, written
from test_valid_itself import RUNS
from valid import refused

NEXT = {"role": "user", "content": "next"}


def request(run: reference.Run) -> list[Any]:
    """Return what is sent: history and final, which is a word of the user where none is given."""
    history, final = reference.build(run)
    return history + (final or [NEXT])


def stays(run: reference.Run, message: dict[str, Any]) -> dict[str, Any]:
    """Return how a message that the reference keeps has to come out.

    The reference sends calls that are none as they are; ours sends what else the message says.
    """
    if run.title.startswith("tool_calls "):
        return {key: value for key, value in message.items() if key != "tool_calls"}
    return message


@pytest.mark.parametrize("run", RUNS, ids=[run.title for run in RUNS])
def test_what_the_reference_keeps_is_kept(run: reference.Run) -> None:
    """Every row that it keeps is there, to the byte and in order; it was refused nothing else."""
    messages = request(run)
    found = repaired(messages, run.format)
    rest = iter([written(message) for message in found.messages])
    for row in reference.kept_rows(run):
        assert written(stays(run, messages[row])) in rest, (row, found.messages)


@pytest.mark.parametrize("run", RUNS, ids=[run.title for run in RUNS])
def test_nothing_raises_and_nothing_invalid_gets_out(run: reference.Run) -> None:
    """Also where the reference raises: a repair is a list that a provider takes."""
    for repair in ("drop", "placeholder"):
        found = repaired(request(run), run.format, repair=repair)
        assert refused(found.messages, run.format) == []
        again = repaired(found.messages, run.format, repair=repair)
        assert written(again.messages) == written(found.messages)
        assert again.repairs == []


def test_more_is_kept_than_by_the_reference() -> None:
    """A run is no longer judged by its worst member: many more rows come out."""
    theirs = sum(len(run.kept) for run in RUNS if not run.raises)
    ours = sum(
        len(repaired(request(run), run.format).messages) - len(run.final or [NEXT])
        for run in RUNS
        if not run.raises
    )
    assert ours > theirs
