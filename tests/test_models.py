"""Objects of the providers' libraries in the place of dicts, in them, and beside the messages."""

from __future__ import annotations

from typing import Any

import pytest

import packframe
from support.plans import held

pf: Any = packframe

FORMATS = ("openai-chat", "openai-responses", "anthropic", "gemini")


class Model:
    """Dumps itself as pydantic's models do, and says how it was asked."""

    def __init__(self, **fields: Any) -> None:
        """Take its fields."""
        self.fields = fields

    def __iter__(self) -> Any:
        """Give the fields, as pydantic's models do."""
        return iter(self.fields.items())

    def model_dump(self, **options: Any) -> dict[str, Any]:
        """Return the fields, and in them what dumps itself."""
        assert options.pop("exclude", None) in (None, getattr(self, "__api_exclude__", None))
        assert options == {"mode": "json", "by_alias": True, "exclude_unset": True}
        hidden: set[str] = getattr(self, "__api_exclude__", set())
        return {name: value for name, value in self.fields.items() if name not in hidden}


class Hidden(Model):
    """Has a field that is not for the wire."""

    __api_exclude__ = frozenset({"parsed"})


TOOL = {"type": "function", "function": {"name": "f"}}
BLOCKS: dict[str, Any] = {
    "openai-chat": {"role": "user", "content": [{"type": "text", "text": "a"}]},
    "openai-responses": {"role": "user", "content": [{"type": "input_text", "text": "a"}]},
    "anthropic": {"role": "user", "content": [{"type": "text", "text": "a"}]},
    "gemini": {"role": "user", "parts": [{"text": "a"}]},
}


def with_models(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message whose blocks are objects."""
    return {
        key: [Model(**block) for block in value] if isinstance(value, list) else value
        for key, value in message.items()
    }


@pytest.mark.parametrize("format", FORMATS)
def test_an_object_is_read_as_its_library_sends_it(format: str) -> None:
    """Alone, in a list, in a dict, with objects in it, as a tool."""
    message = BLOCKS[format]
    inner = with_models(message)
    tools = [Model(type="function", function=Model(name="f"))]
    plain = pf.Request(format=format, tools=[TOOL], history=[message], final=message).plan(None)
    for given in (Model(**message), inner, Model(**inner), Hidden(parsed=1, **message)):
        for final in (given, [given]):
            request = pf.Request(format=format, tools=tools, history=[given], final=final)
            plan = held(request.plan(None))
            assert plan.kwargs == plain.kwargs
            assert plan.id == plain.id
        assert pf.validate_messages([given], format=format) == []
        assert pf.repair_messages([given], format=format).messages == [message]
        profile = pf.profiles.approximate()
        assert profile.count_messages([given], format=format, tools=tools) == (
            profile.count_messages([message], format=format, tools=[TOOL])
        )
        assert plain.extend(given).messages[-1] == message
        assert plain.extend([], final=given).messages[-1] == message


def test_a_whole_step_of_objects() -> None:
    """As a loop of the OpenAI library appends it."""
    call = Model(id="c", type="function", function=Model(name="f", arguments="{}"))
    step = [
        "Go.",
        Model(role="assistant", content=None, tool_calls=[call], annotations=[]),
        {"role": "tool", "tool_call_id": "c", "content": "done"},
    ]
    plan = held(pf.plan_messages(step, format="openai-chat", budget=None))
    assert plan.messages[1]["tool_calls"][0]["function"] == {"name": "f", "arguments": "{}"}


def test_what_is_no_json_stays_an_error() -> None:
    """A class is no object, what it raises is chained, a circle ends."""

    class Raises(Model):
        def model_dump(self, **_: Any) -> Any:
            raise LookupError

    class Endless(Model):
        def model_dump(self, **_: Any) -> Any:
            return {"content": self}

    for bad in ({"role": "user", "content": Model}, {"role": "user", "content": {1}}, Endless()):
        with pytest.raises(pf.InvalidMessages):
            pf.plan_messages([bad], format="openai-chat", budget=None)
    with pytest.raises(pf.InvalidMessages) as caught:
        pf.plan_messages([Raises()], format="openai-chat", budget=None)
    assert isinstance(caught.value.__cause__, LookupError)
    with pytest.raises(pf.InvalidOption):
        pf.validate_messages(Model(role="user"), format="openai-chat")


def test_objects_of_pydantic() -> None:
    """The true ones, with aliases and bytes."""
    import pydantic  # noqa: PLC0415  (no other test needs it)

    class Part(pydantic.BaseModel):
        text: str
        thought_signature: bytes | None = pydantic.Field(default=None, alias="thoughtSignature")
        model_config = pydantic.ConfigDict(populate_by_name=True, ser_json_bytes="base64")

    class Content(pydantic.BaseModel):
        role: str
        parts: list[Part]

    message = Content(role="user", parts=[Part(text="a"), Part(text="b", thoughtSignature=b"xy")])
    plan = pf.plan_messages([message], format="gemini", budget=None)
    parts = [{"text": "a"}, {"text": "b", "thoughtSignature": "eHk="}]
    assert plan.messages == [{"role": "user", "parts": parts}]


def test_a_reply_of_anthropic_is_sent_back_without_what_the_api_says_of_it() -> None:
    """Role and content of the object; a dict stays as it is, since it is the caller's."""
    block = Model(type="text", text="In Oslo.")
    reply = Model(
        id="msg_1",
        type="message",
        role="assistant",
        model="m",
        content=[block],
        stop_reason="end_turn",
        usage=Model(input_tokens=3, output_tokens=4),
    )
    plan = pf.plan_messages(
        [{"role": "user", "content": "Where?"}, reply],
        format="anthropic",
        budget=None,
        final="Sure?",
    )
    assert plan.messages[1] == {
        "role": "assistant",
        "content": [{"type": "text", "text": "In Oslo."}],
    }
    given: dict[str, Any] = {
        "type": "message",
        "role": "assistant",
        "content": "x",
        "usage": {},
        "stop_reason": None,
    }
    plan = pf.plan_messages(["a", given], format="anthropic", budget=None, final="b")
    assert plan.messages[1] == given
