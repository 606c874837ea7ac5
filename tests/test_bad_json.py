"""JSON that is deep, odd or none."""

from __future__ import annotations

import json
import math
import sys
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest

import packframe as pf

if TYPE_CHECKING:
    from pathlib import Path


def nested(depth: int) -> Any:
    """Return a list in a list in a list."""
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


def test_a_thousand_brackets() -> None:
    """JSON of a thousand levels is kept or refused with the field, never a crash."""
    for make in (
        lambda: pf.Item(pf.Json(nested(1_000))),
        lambda: pf.Item("x", metadata={"k": nested(1_000)}),
        lambda: pf.Frame.from_messages([{"role": "user", "content": "x", "k": nested(1_000)}]),
    ):
        try:
            made = make()
        except (pf.InvalidItem, pf.InvalidMessages):
            continue
        assert made is not None
        pf.Frame([made] if isinstance(made, pf.Item) else list(made)).pack(10_000)


DEEP = """
import pickle
import packframe as pf

value = []
for _ in range(100_000):
    value = [value]
seen = []
for make in (
    lambda: pf.Json(value),
    lambda: pf.Item(pf.Json(value)),
    lambda: pf.Item("x", metadata={"k": value}),
    lambda: pf.Message({"role": "user", "content": "x", "k": value}),
    lambda: pf.Frame.from_records([{"content": value, "kind": "json"}]),
    lambda: pf.Frame.from_messages([{"role": "user", "content": "x", "k": value}]),
):
    try:
        made = make()
    except (pf.InvalidItem, pf.InvalidMessages, ValueError, RecursionError):
        seen.append("refused")
    else:
        seen.append("kept")
        del made
for text in ("[" * 100_000, "[" * 100_000 + "]" * 100_000, '{"a":' * 100_000):
    for read in (pf.profiles.huggingface, pf.PackManifest.from_json):
        try:
            read(text)
        except (pf.PackframeError, ValueError, RecursionError):
            seen.append("refused")
print(len(seen))
import os
os._exit(0)
"""


def test_a_hundred_thousand_brackets() -> None:
    """JSON of a hundred thousand levels is refused, the process lives on."""
    import subprocess  # noqa: PLC0415 - a crash would take the tests along

    done = subprocess.run([sys.executable, "-c", DEEP], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "12"), done.stderr[-2000:]


def test_deep_lines_of_a_file_are_refused(tmp_path: Path) -> None:
    """A line of a thousand brackets in a JSONL file is kept or refused with its row."""
    path = tmp_path / "deep.jsonl"
    line = json.dumps({"content": nested(500), "kind": "json"})
    path.write_text('{"content": "a"}\n' + line + "\n")
    try:
        frame = pf.Frame.read_jsonl(path)
    except pf.InvalidItem as error:
        assert error.row == 1  # noqa: PT017 - either is right
    else:
        assert len(frame) == 2


@pytest.mark.parametrize(
    "value",
    [
        object(),
        {1: "x"},
        {None: 1},
        {("a",): 1},
        {"k": {1, 2}},
        [math.nan],
        math.inf,
        b"bytes",
        datetime(2026, 1, 1, tzinfo=timezone.utc),
        timedelta(1),
        [1j],
        print,
    ],
    ids=repr,
)
def test_what_is_not_json_is_refused(value: Any) -> None:
    """A value that JSON does not have is an InvalidItem, in a message InvalidMessages."""
    with pytest.raises(pf.InvalidItem) as caught:
        pf.Item(pf.Json(value))
    assert caught.value.field == "content"
    with pytest.raises(pf.InvalidItem) as caught:
        pf.Frame.from_records([{"content": "a"}, {"content": value, "kind": "json"}])
    assert (caught.value.row, caught.value.field) == (1, "content")
    with pytest.raises(pf.InvalidMessages) as messages:
        pf.Frame.from_messages([{"role": "user", "content": "a", "extra": value}])
    problem = messages.value.problems[0]
    assert (problem["position"], problem["rule"]) == (0, "not_json")
    assert "extra" in problem["path"]


def test_a_value_that_holds_itself_is_refused() -> None:
    """A list that holds itself is an error, not a hang."""
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises((pf.InvalidItem, RecursionError)):
        pf.Item(pf.Json(loop))
    table: dict[str, Any] = {}
    table["k"] = table
    with pytest.raises((pf.InvalidItem, RecursionError)):
        pf.Item("x", metadata=table)


@pytest.mark.parametrize("number", [2**53 + 1, 2**63, 2**64, -(2**63) - 1, 10**40])
def test_large_integers_are_kept_or_refused(number: int) -> None:
    """An integer in JSON comes back as it was, or is refused."""
    try:
        item = pf.Item(pf.Json([number]))
    except pf.InvalidItem as error:
        assert error.field == "content"  # noqa: PT017 - either is right
    else:
        assert item.content.value == [number]
        assert item.text == f"[{number}]"


def test_a_tuple_is_a_list_or_refused() -> None:
    """A tuple in JSON is a list, as for the json module, or refused."""
    try:
        item = pf.Item(pf.Json({"k": (1, 2)}))
    except pf.InvalidItem:
        return
    assert item.text == '{"k":[1,2]}'
