"""Planning off the event loop: what is awaited, in which order, and what fails."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import packframe

pf: Any = packframe


def request(*sources: Any) -> Any:
    """Return a request of one section for each source."""
    sections = [pf.Section(f"s{at}", source=source, top_k=1) for at, source in enumerate(sources)]
    return pf.Request(format="openai-chat", query="q", context=sections, final="Now?")


def test_sources_are_asked_at_once_and_stand_in_order() -> None:
    """Each waits until all were asked: one after the other they would never end."""

    async def planned() -> Any:
        waiting = asyncio.Event()
        asked: list[int] = []

        def source(number: int) -> Any:
            async def search(_query: Any, _limit: int) -> list[str]:
                asked.append(number)
                if len(asked) == 3:
                    waiting.set()
                await waiting.wait()
                await asyncio.sleep(0.01 * (3 - number))
                return [f"found {number}"]

            return search

        plan = await asyncio.wait_for(request(*map(source, range(3))).aplan(None), 20)
        return asked, plan

    asked, plan = asyncio.run(planned())
    assert asked == [0, 1, 2]
    assert plan.messages[0]["content"] == "found 0\n\nfound 1\n\nfound 2"


def test_the_first_section_that_had_failed_is_named() -> None:
    """By order of the sections among those that had failed; what it raised is chained."""

    def failing(delay: float) -> Any:
        async def search(_query: Any, _limit: int) -> list[str]:
            if delay:
                await asyncio.sleep(delay)
            raise LookupError(delay)

        return search

    def at_once(_query: Any, _limit: int) -> list[str]:
        raise LookupError(-1)

    async def fine(_query: Any, _limit: int) -> list[str]:
        return ["x"]

    for sources, which, raised in (
        ((fine, failing(60), failing(0.01)), "s2", 0.01),
        ((fine, failing(0), failing(0)), "s1", 0),
        ((fine, failing(0), at_once), "s1", 0),
        ((fine, at_once, failing(0)), "s1", -1),
    ):
        with pytest.raises(pf.SourceError) as caught:
            asyncio.run(asyncio.wait_for(request(*sources).aplan(None), 20))
        assert caught.value.which == which
        assert caught.value.__cause__.args == (raised,)


@pytest.mark.parametrize("fails", [True, False])
def test_no_source_is_left_behind(fails: bool) -> None:  # noqa: FBT001  (a parameter)
    """Where one fails, or the plan is cancelled, the others are cancelled and awaited."""
    ended = []

    async def fail(_query: Any, _limit: int) -> list[str]:
        await asyncio.sleep(0 if fails else 60)
        raise LookupError

    async def hang(_query: Any, _limit: int) -> list[str]:
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0)
            ended.append("hang")
        return []

    async def planned() -> None:
        raised = pf.SourceError if fails else asyncio.TimeoutError
        with pytest.raises(raised):
            await asyncio.wait_for(request(hang, fail).aplan(None), 20 if fails else 0.05)
        assert ended == ["hang"]
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(planned())


def test_policies_are_awaited() -> None:
    """On the loop that planning was asked from; a verdict that comes at once is taken, too."""
    threads = set()

    class Later:
        id = "later"

        async def evaluate(self, item: Any, _boundary: Any) -> str | None:
            await asyncio.sleep(0)
            threads.add(asyncio.get_running_loop())
            return "is a draft" if "draft" in item.text else None

    class Now:
        id = "now"

        def evaluate(self, item: Any, _boundary: Any) -> str | None:
            return "is old" if "old" in item.text else None

    def search(_query: Any, _limit: int) -> list[str]:
        return ["draft", "good", "old"][:_limit]

    made = pf.Request(
        format="openai-chat",
        query="q",
        context=[pf.Section("rag", source=search, top_k=2)],
        final="Now?",
    )

    async def planned() -> Any:
        plan = await made.aplan(None, policies=[Later(), Now()])
        assert threads == {asyncio.get_running_loop()}
        return plan

    plan = asyncio.run(planned())
    reasons = {block.place: block.reason for block in plan.explain() if not block.selected}
    assert reasons == {"rag[0]": "policy:later", "rag[2]": "policy:now"}
    assert plan.manifest.policies == ["later", "now"]

    class Fails:
        id = "fails"

        async def evaluate(self, _item: Any, _boundary: Any) -> str | None:
            raise LookupError

    with pytest.raises(pf.PolicyError) as caught:
        asyncio.run(made.aplan(None, policies=[Fails()]))
    assert isinstance(caught.value.__cause__, LookupError)


def test_the_next_turn_awaits_its_sources() -> None:
    """With a query they are asked again; without one what they found stays."""
    asked: list[Any] = []

    async def search(query: Any, _limit: int) -> list[str]:
        asked.append(query)
        return [f"about {query}"]

    async def talk() -> Any:
        plan = await request(search).aplan(None)
        same = await plan.aextend(["One."])
        return same, await same.aextend(["Two."], query="z")

    same, other = asyncio.run(talk())
    assert asked == ["q", "z"]
    assert [message["content"] for message in same.messages] == ["about q", "Now?", "One."]
    assert other.messages[0]["content"] == "about z"
    assert other.messages[-1]["content"] == "Two."
    with pytest.raises(pf.InvalidOption):
        same.extend(["Three."], query="y")
