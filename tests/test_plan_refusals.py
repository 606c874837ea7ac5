"""What a request is given that is not what it seems: read as it is meant, or refused by name."""

from __future__ import annotations

import asyncio
import pickle
import warnings
from types import MappingProxyType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

import packframe
from support.misbehaving import Refusing

if TYPE_CHECKING:
    from collections.abc import Iterator

pf: Any = packframe

CHAT: dict[str, Any] = {"format": "openai-chat"}
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def planned(**parts: Any) -> Any:
    """Plan a request with a final of one word."""
    return pf.Request(**CHAT | {"final": "x"} | parts).plan(100)


def broken(*before: Any) -> Iterator[Any]:
    """Give some values and raise."""
    yield from before
    message = "half way"
    raise LookupError(message)


class Dump:
    """An object of a library that cannot dump itself."""

    def model_dump(self, **_: Any) -> Any:
        """Raise."""
        message = "dump"
        raise LookupError(message)


def test_a_mapping_alone_is_one_message() -> None:
    """It is not read as the list of its keys, wherever a message may stand alone."""
    one: Any = MappingProxyType({"role": "user", "content": "x"})
    as_dict = [dict(one)]
    assert planned(final=one).messages == as_dict
    assert pf.plan_messages(one, **CHAT, budget=100).messages == as_dict
    first = planned(final="a")
    assert first.extend(one).messages[1:] == as_dict
    assert first.extend([], final=one).messages[1:] == as_dict
    assert asyncio.run(first.aextend(one)).messages[1:] == as_dict
    with pytest.raises(pf.InvalidOption, match="is one mapping"):
        pf.validate_messages(one, **CHAT)


@pytest.mark.parametrize("said", [None, 1.5, b"x"])
def test_what_is_no_list_is_named(said: Any) -> None:
    """Of the next turn, too."""
    plan = planned()
    with pytest.raises(pf.InvalidOption) as caught:
        plan.extend(said)
    assert caught.value.option == "messages"
    if said is not None:
        with pytest.raises(pf.InvalidOption) as caught:
            plan.extend([], final=said)
        assert caught.value.option == "final"


def test_a_count_is_an_int_that_is_not_clipped() -> None:
    """From 0 to the greatest number that the core subtracts from; else it is refused."""
    plan = planned()
    most = 2**63 - 1
    check = plan.check(most)
    assert (check.planned, check.provider) == (plan.receipt.input_tokens, most)
    assert check.difference == most - check.planned
    for count in (most + 1, 2**64 - 1, 2**80, -1, True, 2.5, "3", None):
        with pytest.raises(pf.InvalidOption) as caught:
            plan.check(count)
        assert caught.value.option == "count"


@pytest.mark.parametrize("found", [2.9, "12", True, None, "x", float("nan"), [], -1, 2**64])
def test_a_client_that_returns_no_count_is_named(found: Any) -> None:
    """The number of an endpoint is judged as that of a callable is."""
    with pytest.raises(pf.InvalidOption, match="returned") as caught:
        planned().verify_with(lambda **_: found)
    assert caught.value.option == "client"
    counted = SimpleNamespace(count_tokens=lambda **_: SimpleNamespace(input_tokens=found))
    with pytest.raises(pf.InvalidOption, match="input_tokens"):
        planned(format="anthropic").verify_with(SimpleNamespace(messages=counted))


def test_an_async_client_says_what_to_do() -> None:
    """Its coroutine is closed: nothing says that it was never awaited."""

    async def later(**_: Any) -> int:
        return 3

    clients = {
        "openai-chat": later,
        "anthropic": SimpleNamespace(messages=SimpleNamespace(count_tokens=later)),
        "gemini": SimpleNamespace(models=SimpleNamespace(count_tokens=later)),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name, client in clients.items():
            with pytest.raises(pf.InvalidOption, match=r"is async.*plan\.check"):
                planned(format=name).verify_with(client)


def test_what_a_list_raises_is_chained() -> None:
    """The option is named, and what was raised while it was read is the cause."""
    said = {"role": "user", "content": "x"}
    read: dict[str, Any] = {
        "history": lambda: planned(history=broken(said)),
        "final": lambda: planned(final=broken("a")),
        "messages": lambda: pf.validate_messages(broken(said), **CHAT),
        "context": lambda: planned(context=broken(pf.Section("rag", ["a"]))),
        "data": lambda: planned(data=broken()),
        "shorten": lambda: planned(shorten=broken("text")),
        "priorities": lambda: planned(priorities=broken("rag")),
        "policies": lambda: pf.Request(**CHAT, final="x").plan(100, policies=broken()),
    }
    for option, make in read.items():
        with pytest.raises(pf.InvalidOption) as caught:
            make()
        assert caught.value.option == option
        assert isinstance(caught.value.__cause__, LookupError)
    with pytest.raises(pf.InvalidOption, match="messages"):
        pf.profiles.openai("o200k_base").count_messages(broken(said), **CHAT)
    with pytest.raises(pf.InvalidOption) as caught:
        planned().extend(broken("a"))
    assert caught.value.option == "messages"


def test_what_an_interrupt_is_stays_one() -> None:
    """What is no Exception is nobody's to wrap."""

    def stopped() -> Iterator[Any]:
        raise KeyboardInterrupt
        yield

    for part in ("history", "context", "shorten"):
        with pytest.raises(KeyboardInterrupt):
            planned(**{part: stopped()})


def test_what_cannot_dump_itself_is_named() -> None:
    """A message by its place, what stands beside the messages by its option."""
    for message in (Dump(), {"role": "user", "content": [Dump()]}):
        with pytest.raises(pf.InvalidMessages) as caught:
            pf.plan_messages(["a", message], **CHAT, budget=9)
        assert caught.value.problems[0]["position"] == 1
        assert isinstance(caught.value.__cause__, LookupError)
    for option, value in (
        ("tools", [Dump()]),
        ("tool_choice", Dump()),
        ("response_format", {"schema": Dump()}),
    ):
        with pytest.raises(pf.InvalidOption) as caught:
            planned(**{option: value})
        assert caught.value.option == option
        assert isinstance(caught.value.__cause__, LookupError)


@pytest.mark.parametrize("secrets", ["exclude", "redact"])
def test_a_secret_beside_the_messages_has_a_remedy_that_works(secrets: str) -> None:
    """Tools are never redacted, so that advice is not given; switching off the rule helps."""
    tools = [{"type": "function", "function": {"name": "f", "description": SECRET}}]
    request = pf.Request(**CHAT, final="x", tools=tools)
    with pytest.raises(pf.PolicyViolation, match=r"without=\[") as caught:
        request.plan(100, boundary=pf.Boundary.external("p", secrets=secrets))
    assert 'secrets="redact"' not in str(caught.value)
    rule = caught.value.violations[0]["rule"]
    boundary = pf.Boundary.external("p", secrets=secrets, without=[rule])
    assert request.plan(100, boundary=boundary).kwargs["tools"] == tools


def test_an_async_policy_of_a_plan_names_what_awaits_it() -> None:
    """Its coroutine is closed; a plan that awaits takes policies of any iterable."""

    async def later() -> str:
        return "no"

    class Later:
        id = "later"

        async def evaluate(self, item: Any, _boundary: Any) -> str | None:
            return "is a draft" if "draft" in item.text else None

    rag = pf.Section("rag", ["draft", "good"])
    request = pf.Request(**CHAT, context=[rag], final="x")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for policy in (Later(), Refusing(later)):
            with pytest.raises(pf.PolicyError, match=r"request\.aplan"):
                request.plan(100, policies=[policy])

    plan = asyncio.run(request.aplan(100, policies=(policy for policy in [Later()])))
    assert plan.messages[0]["content"] == "good"
    # What was read once is asked again for the next turn.
    assert asyncio.run(plan.aextend(["y"])).messages[0]["content"] == "good"


def test_the_next_turn_of_an_async_source_names_what_awaits_it() -> None:
    """`extend` has another call beside it than `plan` has."""

    async def search(_query: Any, _limit: int) -> list[str]:
        return ["found"]

    rag = pf.Section("rag", source=search, top_k=1)
    plan = asyncio.run(pf.Request(**CHAT, query="q", context=[rag], final="x").aplan(100))
    with pytest.raises(pf.InvalidOption) as caught:
        plan.extend(["y"], query="z")
    assert caught.value.suggestion == "await plan.aextend(...)"


def test_the_framing_of_an_empty_call_is_named() -> None:
    """What the provider puts around nothing is over the budget, and no part is to blame."""
    profile = pf.profiles.openai("o200k_base")
    with pytest.raises(pf.BudgetExceeded) as caught:
        pf.plan_messages([], **CHAT, budget=0, token_profile=profile)
    assert caught.value.section == "framing"


@pytest.mark.parametrize("format", ["openai-chat", "openai-responses", "anthropic", "gemini"])
def test_a_plan_without_messages_is_a_warning(format: str) -> None:
    """No provider takes it; a plan of the context only has none by its nature."""
    warning = {"code": "no_messages", "row": None}
    request = pf.Request(format=format, history=["a"], priorities=["rag"])
    plan = request.plan(10)
    assert plan.messages == []
    assert plan.manifest.warnings == [warning]
    assert request.plan_context(10).manifest.warnings == []
    rag = pf.Section("rag", ["known"])
    for parts in ({"system": "S"}, {"context": [rag]}, {"context": [rag], "context_role": "user"}):
        plan = pf.Request(format=format, **parts).plan(100)
        assert plan.manifest.warnings == ([] if plan.messages else [warning])
    assert pf.Request(format=format, final="x").plan(100).manifest.warnings == []


@pytest.mark.parametrize(
    ("format", "path"), [("openai-chat", "content"), ("gemini", "parts[0].text")]
)
def test_a_lone_surrogate_in_a_str_has_the_place_of_one_in_a_dict(format: str, path: str) -> None:
    """A str is what the user says, as a message of the format."""
    said = {"role": "user", "content": "\ud800"}
    if format == "gemini":
        said = {"role": "user", "parts": [{"text": "\ud800"}]}  # type: ignore[dict-item]
    found = []
    for message in ("\ud800", said):
        with pytest.raises(pf.InvalidMessages) as caught:
            pf.plan_messages(["a", message], format=format, budget=9)
        found.append(caught.value.problems)
    assert found[0] == found[1]
    assert found[0] == [{"position": 1, "path": path, "rule": "not_json", "id": None}]


def test_a_shortening_has_only_what_its_kind_has() -> None:
    """Made directly it is judged as it is by the call of its kind."""
    bad: list[tuple[str, dict[str, Any]]] = [
        ("least", {"kind": "clear", "least": 5}),
        ("keep_last", {"kind": "text", "keep_last": 3}),
        ("placeholder", {"kind": "results", "placeholder": "x"}),
        ("least", {"kind": "thinking", "least": 1}),
        ("keep_last", {"kind": "clear", "keep_last": "a"}),
        ("placeholder", {"kind": "clear", "placeholder": 3}),
        ("least", {"kind": "text", "least": -5}),
        ("kind", {"kind": "all"}),
        ("kind", {"kind": []}),
    ]
    for option, fields in bad:
        with pytest.raises(pf.InvalidOption) as caught:
            pf.Shorten(**fields)
        assert caught.value.option == option
    assert pf.Shorten(kind="text", least=5) == pf.Shorten.text(least=5)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_plan_comes_back_by_every_protocol(protocol: int) -> None:
    """So do its sections and items."""
    section = pf.Section("rag", [pf.Item("a", id="i", metadata={"k": 1})], max_tokens=9)
    plan = planned(context=[section], shorten=[pf.Shorten.text(least=9)])
    for made in (plan, section, section.items[0]):
        assert pickle.loads(pickle.dumps(made, protocol)) == made


def test_a_source_that_nobody_asks_is_refused() -> None:
    """Packing by sections asks none; the section and what asks it are named."""
    section = pf.Section("rag", ["a"], source=lambda _query, _limit: ["b"], top_k=1)
    with pytest.raises(pf.InvalidOption, match=r"'rag'.*pf\.Request") as caught:
        pf.pack_sections([section], 100)
    assert caught.value.option == "source"


def test_a_message_that_is_none_is_judged_as_by_validation() -> None:
    """A request says of it what `validate_messages` says."""
    problem = pf.validate_messages([1], **CHAT)[0]
    with pytest.raises(pf.InvalidMessages) as caught:
        pf.Request(**CHAT, history=[1]).plan(9)
    found = caught.value.problems[0]
    assert (found["position"], found["path"], found["rule"]) == (0, "", problem.rule)


def test_a_section_with_a_source_is_no_rule_of_a_pack() -> None:
    """Nobody would ask the source: the pack would be of nothing, in silence."""
    section = pf.Section("rag", source=lambda _query, _limit: ["x"], top_k=1)
    with pytest.raises(pf.InvalidOption) as caught:
        pf.Frame(["a"]).pack(9, token_profile=len, sections=[section])
    assert "pf.Request" in caught.value.suggestion
