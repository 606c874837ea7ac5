"""A plan beside the provider's own count: recorded, stored, shown; and what a client raises."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import packframe
from support.plans import held

pf: Any = packframe

FINAL = "Where is it?"


def planned(format: str, **parts: Any) -> Any:
    """Plan a request of a few words."""
    return pf.Request(format=format, final=FINAL, **parts).plan(100)


def test_a_check_is_recorded_in_a_manifest_of_its_own() -> None:
    """The plan's stays as it is; the other is stored, read back, signed and shown."""
    plan = planned("openai-chat")
    before = plan.manifest.to_json()
    tokens = plan.receipt.input_tokens
    for count, fits in ((tokens + 3, True), (0, True), (tokens + 500, False)):
        check = plan.check(count)
        record = {"difference": count - tokens, "fits": fits, "tokens": count}
        assert (check.planned, check.provider) == (tokens, count)
        assert (check.difference, check.fits) == (count - tokens, fits)
        assert check.manifest.provider_count == record
        assert check.manifest.to_dict() | {"provider_count": None, "manifest_id": None} == (
            plan.manifest.to_dict() | {"manifest_id": None}
        )
        assert check.manifest.manifest_id != plan.manifest.manifest_id
        again = pf.PackManifest.from_json(check.manifest.to_json())
        assert again == check.manifest
        assert f"{count} by the provider ({count - tokens:+})" in again.summary()
        key = b"sixteen bytes or"
        assert check.manifest.sign(key).verify_signature(key)
    assert plan.manifest.to_json() == before
    assert plan.manifest.provider_count is None
    forged = plan.check(tokens).manifest.to_dict()
    forged["provider_count"]["difference"] = 7
    with pytest.raises(pf.ManifestError):
        pf.PackManifest.from_dict(forged)


def test_verify_with_records_too() -> None:
    """Asked of the endpoint of each provider, with the call and the model."""
    asked: list[dict[str, Any]] = []

    def count(**call: Any) -> Any:
        asked.append(call)
        return SimpleNamespace(input_tokens=9, total_tokens=9)

    clients = {
        "anthropic": SimpleNamespace(messages=SimpleNamespace(count_tokens=count)),
        "openai-responses": SimpleNamespace(
            responses=SimpleNamespace(input_tokens=SimpleNamespace(count=count))
        ),
        "gemini": SimpleNamespace(models=SimpleNamespace(count_tokens=count)),
    }
    for name, client in clients.items():
        plan = held(planned(name, system="S", model="m"))
        check = plan.verify_with(client)
        assert check.manifest.provider_count["tokens"] == 9
        assert asked[-1]["model"] == "m"
    assert asked[-1]["config"] == {"system_instruction": "S"}


def test_what_a_client_raises_comes_through() -> None:
    """An AttributeError inside it is a fault of the client, and none of the caller's."""

    class Broken:
        class messages:  # noqa: N801  (as the library has it)
            @staticmethod
            def count_tokens(**_: Any) -> Any:
                message = "inside the client"
                raise AttributeError(message)

    with pytest.raises(AttributeError, match="inside the client"):
        planned("anthropic").verify_with(Broken())
    for client in (object(), SimpleNamespace(messages=None)):
        with pytest.raises(pf.InvalidOption) as caught:
            planned("anthropic").verify_with(client)
        assert caught.value.option == "client"


def test_an_endpoint_that_takes_messages_only_says_so() -> None:
    """Gemini's Developer API counts no system text and no tools: its library raises, chained."""

    def count(**call: Any) -> Any:
        if call.get("config"):
            message = "system_instruction parameter is only supported elsewhere"
            raise ValueError(message)
        return SimpleNamespace(total_tokens=9)

    client = SimpleNamespace(models=SimpleNamespace(count_tokens=count))
    assert planned("gemini").verify_with(client).provider == 9
    with pytest.raises(pf.InvalidOption, match="system_instruction") as caught:
        planned("gemini", system="S").verify_with(client)
    assert isinstance(caught.value.__cause__, ValueError)


def test_a_plan_of_the_context_has_no_turn_and_no_count() -> None:
    """Messages are not dropped in silence; its sources may be asked anew."""
    request = pf.Request(format="openai-chat", system="S", final="x")
    plan = request.plan_context(100)
    for more in (["y"], "y"):
        with pytest.raises(pf.InvalidOption) as caught:
            plan.extend(more)
        assert caught.value.option == "messages"
    with pytest.raises(pf.InvalidOption):
        plan.extend([], final="z")
    with pytest.raises(pf.InvalidOption):
        plan.check(3)
    assert plan.extend([]).system_text == "S"
