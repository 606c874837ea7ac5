"""An alternative that is refused is seen by nobody: no policy, strategy, callable, or reader."""

from __future__ import annotations

from typing import Any

import pytest

import packframe as pf

LEAKING = "db: postgres://app:h4rdT0Gu3ss@db/main"
OUTSIDE = pf.Boundary.external("openai")


def words(text: str) -> int:
    """Count words."""
    return len(text.split())


def frame(**fields: Any) -> pf.Frame:
    """Return a frame whose first item has a good, a bad and another good alternative."""
    return pf.Frame(
        [
            pf.Item(
                "one two three four five six",
                id="a",
                section="s",
                alternatives=["one two three", LEAKING, "one"],
                **fields,
            ),
            pf.Item("seven", id="b", section="s"),
        ]
    )


class Watch:
    """A policy, a strategy and a callable that write down the alternatives that they are shown."""

    id = "watch"

    def __init__(self, refuse: str = "") -> None:
        self.seen: list[list[Any]] = []
        self.refuse = refuse

    def see(self, item: pf.Item) -> None:
        """Write down the alternatives of the item that has some."""
        if item.id == "a":
            self.seen.append([alternative.content for alternative in item.alternatives])

    def evaluate(self, item: pf.Item, boundary: pf.Boundary) -> str | None:
        """Refuse a content that is told beforehand."""
        del boundary
        self.see(item)
        return "no" if self.refuse and item.text == self.refuse else None

    def apply(
        self, section: pf.Section, items: Any, allocated: Any, profile: Any, separator: str
    ) -> pf.DropResult:
        """Keep all."""
        del section, allocated, profile, separator
        for item in items:
            self.see(item)
        return pf.DropResult(items[:1])

    def __call__(self, item: pf.Item) -> float:
        """Give every item the same value."""
        self.see(item)
        return 1.0


def has_secret(seen: list[list[Any]]) -> bool:
    """Tell whether somebody saw the secret."""
    return not seen or any("h4rdT0Gu3ss" in str(text) for texts in seen for text in texts)


def test_no_policy_sees_a_refused_alternative() -> None:
    """Neither on the item, nor on the item that another alternative stands in for."""
    watch = Watch()
    pack = frame().pack(99, token_profile=words, boundary=OUTSIDE, policies=[watch])
    assert not has_secret(watch.seen)
    assert watch.seen == [["one two three", "one"]] * 3
    assert pack.ids == ("a", "b")


def test_no_strategy_sees_a_refused_alternative() -> None:
    """A strategy is shown what may go."""
    watch = Watch()
    frame().pack(
        99,
        token_profile=words,
        boundary=OUTSIDE,
        sections=[pf.Section("s", drop="watch")],
        strategies={"watch": watch},
    )
    assert watch.seen == [["one two three", "one"]]


def test_no_value_callable_sees_a_refused_alternative_or_row() -> None:
    """Values are asked for what was admitted, as it was admitted."""
    watch = Watch()
    rows: list[str] = []

    def value(item: pf.Item) -> float:
        rows.append(item.text or "")
        return watch(item)

    pack = (
        frame()
        .extend([pf.Item(LEAKING, id="c")])
        .pack(99, token_profile=words, boundary=OUTSIDE, selection="optimal", value=value)
    )
    assert watch.seen == [["one two three", "one"]]
    assert rows == ["one two three four five six", "seven"]
    assert pack.ids == ("a", "b")
    redacting = pf.Boundary.external("openai", secrets="redact")
    rows.clear()
    pf.Frame([LEAKING]).pack(99, boundary=redacting, selection="optimal", value=value)
    assert rows == ["db: postgres://app:[redacted:uri_credentials]@db/main"]


def test_no_demotion_sees_a_refused_alternative() -> None:
    """The callable of an overflow strategy runs behind admission, too."""
    watch = Watch()
    frame(retention="required").pack(
        1,
        token_profile=words,
        boundary=OUTSIDE,
        overflow=pf.Overflow.demote(lambda item: watch(item) > 0),
    )
    assert watch.seen == [["one two three", "one"]]


@pytest.mark.parametrize(("budget", "text"), [(99, "one two three four five six"), (3, "one")])
def test_no_item_of_a_pack_has_a_refused_alternative(budget: int, text: str) -> None:
    """Whether it is in whole or replaced; places in the manifest are those of the whole list."""
    bad = frame().with_items(
        [pf.Item("one two three four five six", id="a", alternatives=[LEAKING, "one"])]
    )
    pack = bad.pack(budget, token_profile=words, boundary=OUTSIDE, render="text")
    item = next(item for item in pack.items if item.id == "a")
    assert item.text == text
    assert [alternative.content for alternative in item.alternatives] == ["one"]
    (refused, *taken) = pack.manifest.substitutions
    assert (refused["alternative"], refused["reason"]) == (0, "secret_detected")
    assert [record["alternative"] for record in taken] == ([1] if budget == 3 else [])
    assert pack.manifest.verify(bad)
    assert [alternative.content for alternative in bad["a"].alternatives] == [LEAKING, "one"]


def test_what_a_policy_refuses_is_shown_to_nobody_after_it() -> None:
    """Policies are seen to in their order, and the callables of later stages come behind."""
    watch, later = Watch(refuse="one two three"), Watch()
    pack = frame().pack(
        99,
        token_profile=words,
        boundary=OUTSIDE,
        policies=[watch],
        sections=[pf.Section("s", drop="later")],
        strategies={"later": later},
    )
    assert later.seen == [["one"]]
    item = next(item for item in pack.items if item.id == "a")
    assert [alternative.content for alternative in item.alternatives] == ["one"]


def test_a_batch_takes_a_value_callable() -> None:
    """Each frame is asked for its own rows."""
    frames = [pf.Frame([pf.Item("a b", id="x"), pf.Item("c d", id="y")]) for _ in range(2)]
    packs = pf.pack_many(
        frames,
        2,
        token_profile=words,
        selection="optimal",
        value=lambda item: float(item.id == "y"),
    )
    assert [pack.ids for pack in packs] == [("y",), ("y",)]
    for value in ([1.0, 2.0], "priority"):
        with pytest.raises(pf.InvalidOption) as caught:
            pf.pack_many(frames, 2, selection="optimal", value=value)
        assert caught.value.option == "value"
