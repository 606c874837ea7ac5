"""What is sent of a request, and the record of every decision."""

from __future__ import annotations

from packframe._errors import invalid_option
from packframe._manifest import PackManifest
from packframe._record import _Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from packframe._core import Plan as CorePlan
    from packframe._request import Request


class Receipt(_Record):
    """What a planned request costs, in tokens: `Plan.receipt` returns it.

    `system` to `joins` are the parts; together they are `input_tokens`. What frames a message is in
    `framing` here; in the manifest it is in the tokens of its row and section.
    """

    __slots__ = {  # noqa: RUF023  (the order of the repr)
        "input_tokens": "The whole request, as it is rendered.",
        "output_reserve_tokens": "What is kept for the reply.",
        "remaining_tokens": "What is left of what was available, or None without a ceiling.",
        "system": "The system text.",
        "tools": "The tools, and the format of the reply.",
        "context": "The items of the context, with the headers of their sections.",
        "data": "Instructions and records of data blocks.",
        "history": "The messages of the history.",
        "final": "The messages of the final.",
        "framing": "What the provider puts around the messages.",
        "joins": "Separators, and what joining texts costs or saves.",
        "accuracy": "What the total is worth.",
    }
    input_tokens: int
    output_reserve_tokens: int
    remaining_tokens: int | None
    system: int
    tools: int
    context: int
    data: int
    history: int
    final: int
    framing: int
    joins: int
    accuracy: str

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers by name, JSON-ready.

        >>> import packframe as pf
        >>> plan = pf.Request(format="openai-chat", final="Hello.").plan(9, token_profile=len)
        >>> plan.receipt.to_dict()["input_tokens"]
        6
        """
        return dict(zip(self.__slots__, self._values(), strict=True))


class PlanBlock(_Record):
    """The fate of a block of a request, without its text: `Plan.explain` returns these."""

    __slots__ = {  # noqa: RUF023  (the order of the repr)
        "place": "Where it was given, such as `rag[3]` and `history[4:6]`.",
        "origin": "`system`, `context`, `data`, `history` or `final`.",
        "selected": "Whether it is in.",
        "form": "`whole`, `cut`, `alternative`, `redacted` or `repaired`; None where it is out.",
        "reason": "The stable code of why it is in or out.",
        "tokens": "What it costs, or would cost, framing included; None where it was not counted.",
        "score": "The score of an item of the context; else None.",
        "source_ref": "The code of its source under the trace key; None without one.",
    }
    place: str
    origin: str
    selected: bool
    form: str | None
    reason: str
    tokens: int | None
    score: float | None
    source_ref: str | None


class CountCheck(_Record):
    """A plan held against the provider's own count: `Plan.check` returns it."""

    __slots__ = {  # noqa: RUF023  (the order of the repr)
        "planned": "Tokens by the plan's profile.",
        "provider": "Tokens as the provider counts them.",
        "difference": "The provider's less the plan's.",
        "fits": "Whether the provider's, with the reserve, is within the budget.",
        "manifest": "The plan's manifest with this in its `provider_count`; unsigned.",
    }
    planned: int
    provider: int
    difference: int
    fits: bool
    manifest: PackManifest

    def __repr__(self) -> str:
        """Show the numbers."""
        numbers = ("planned", "provider", "difference", "fits")
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in numbers)
        return f"CountCheck({shown})"


class Plan:
    """What is sent of a request, and the record of every decision. Immutable.

    `Request.plan` makes it. It holds a snapshot of its own: what it was made from may change.
    """

    __slots__ = ("__weakref__", "_call", "_context", "_core", "_request", "_whole")
    _core: CorePlan
    _request: Request
    _context: list[Any]
    _call: dict[str, Any]
    _whole: bool

    def __init__(
        self,
        core: CorePlan,
        request: Request,
        context: list[Any],
        call: dict[str, Any],
        *,
        whole: bool,
    ) -> None:
        """Take the native plan, and what it was made of."""
        object.__setattr__(self, "_core", core)
        object.__setattr__(self, "_request", request)
        object.__setattr__(self, "_context", context)
        object.__setattr__(self, "_call", call)
        object.__setattr__(self, "_whole", whole)

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: a plan does not change."""
        message = f"a Plan is immutable: {name} cannot be set"
        raise AttributeError(message)

    __delattr__ = __setattr__  # type: ignore[assignment]

    @property
    def kwargs(self) -> dict[str, Any]:
        """The whole provider call as fresh values.

        | format | keys |
        |---|---|
        | openai-chat | messages, tools, tool_choice, response_format |
        | openai-responses | input, instructions, tools, tool_choice, text |
        | anthropic | messages, system, tools, tool_choice, output_config |
        | gemini | contents, system_instruction, tools, tool_config, response_json_schema |

        Keys without a value are not there.

        >>> import packframe as pf
        >>> request = pf.Request(format="anthropic", system="Answer briefly.", final="Where is it?")
        >>> request.plan(budget=100).kwargs
        {'system': 'Answer briefly.', 'messages': [{'role': 'user', 'content': 'Where is it?'}]}
        """
        call: dict[str, Any] = self._core.call()
        return call

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages as fresh values; in chat completions the system message is one of them."""
        messages: list[dict[str, Any]] = self._core.messages()
        return messages

    def render_messages(self) -> list[dict[str, Any]]:
        """Return the same as `messages`."""
        return self.messages

    @property
    def system_text(self) -> str | None:
        """The system text, context and all, or None where there is none."""
        return self._core.system_text()

    @property
    def receipt(self) -> Receipt | None:
        """What the request costs, part by part; None of a plan of the context only."""
        return Receipt(**self._core.receipt()) if self._whole else None

    @property
    def manifest(self) -> PackManifest:
        """The record of every decision; its rows are those of all parts, as they are rendered."""
        return PackManifest(self._core.manifest())

    @property
    def id(self) -> str:
        """A hash of what was given and of the options: 32 hexadecimal digits."""
        return self._core.id()

    def explain(self) -> list[PlanBlock]:
        """Return the fate of every block, in the order of the rendering, without any text.

        A block is an item of the context, or the messages that live or die together. No id is in
        it; `source_ref` is the HMAC-SHA-256 of the sources of an item, else of its id, under the
        `trace_key` of the request. O(n log n) in rows.

        >>> import packframe as pf
        >>> request = pf.Request(format="openai-chat", history=["One.", "Two."], final="Three?")
        >>> plan = request.plan(budget=4, token_profile=lambda text: 2)
        >>> for block in plan.explain():
        ...     print(block.place, block.selected, block.reason)
        history[0] False budget
        history[1] True score
        final[0] True required
        """
        return [PlanBlock(**block) for block in self._core.explain()]

    def extend(
        self, messages: Iterable[Mapping[str, Any] | str], *, final: Any = None, query: Any = None
    ) -> Plan:
        """Return the plan of the next turn: history and final of this one, and more messages.

        Parameters
        ----------
        messages : iterable of dict or str
            What comes behind the final of this plan; a str is what the user said. Where this plan
            has a final and no other is given, the last of them is the final of the next: with a
            reply alone that is the reply.
        final : dict, str or a list of them, optional
            The final of the next plan.
        query : any, optional
            What the sources of the context are asked next; without it what they found stays.

        Options are those of this plan; what was counted is not counted again. Raises what
        `Request.plan` raises.

        >>> import packframe as pf
        >>> plan = pf.Request(format="openai-chat", final="Where is it?").plan(budget=100)
        >>> reply = {"role": "assistant", "content": "In Oslo."}
        >>> for message in plan.extend([reply], final="Sure?").messages:
        ...     print(message["role"], message["content"])
        user Where is it?
        assistant In Oslo.
        user Sure?
        """
        return self._request._extended(self, messages, final, query)  # noqa: SLF001  (a friend)

    async def aextend(
        self, messages: Iterable[Mapping[str, Any] | str], *, final: Any = None, query: Any = None
    ) -> Plan:
        """Return what `extend` returns, sources and policies awaited as `Request.aplan` does.

        >>> import asyncio
        >>> import packframe as pf
        >>> async def search(query, limit):
        ...     return [f"What is known of {query}."]
        >>> rag = pf.Section("rag", source=search, top_k=1)
        >>> request = pf.Request(format="openai-chat", query="Oslo", context=[rag], final="Where?")
        >>> async def talk():
        ...     plan = await request.aplan(budget=100)
        ...     answer = {"role": "assistant", "content": "In Norway."}
        ...     return await plan.aextend([answer], final="And Bergen?", query="Bergen")
        >>> asyncio.run(talk()).messages[0]["content"]
        'What is known of Bergen.'
        """
        return await self._request._aextended(self, messages, final, query)  # noqa: SLF001

    def check(self, count: int) -> CountCheck:
        """Return how far the provider's own count of the request is from the plan's.

        `count` is the number of input tokens that the provider named. A plan does not change: its
        manifest with the difference recorded is the `manifest` of what comes back. Raises
        `InvalidOption` for what is no number of tokens, and for a plan of the context only.

        >>> import packframe as pf
        >>> plan = pf.Request(format="openai-chat", final="Hello.").plan(9, token_profile=len)
        >>> plan.check(8)
        CountCheck(planned=6, provider=8, difference=2, fits=True)
        >>> plan.check(8).manifest.provider_count
        {'difference': 2, 'fits': True, 'tokens': 8}
        """
        given: Any = count
        if not _is_count(given):
            raise invalid_option("count", count, "is no number of tokens", _COUNT)
        if not self._whole:
            problem = "is of a whole request, and this plan is of the context only"
            raise invalid_option("count", count, problem, "request.plan(...), and check that")
        manifest = PackManifest(self._core.manifest().checked(count))
        found: Any = manifest.provider_count
        return CountCheck(
            planned=count - found["difference"],
            provider=count,
            difference=found["difference"],
            fits=found["fits"],
            manifest=manifest,
        )

    def verify_with(self, client: Any, *, model: str | None = None) -> CountCheck:
        """Ask the provider to count the request, and return how far that is from the plan's count.

        `client` is a client object of the provider's library: its `messages.count_tokens`
        (Anthropic), `responses.input_tokens.count` (Responses) or `models.count_tokens` (Gemini) is
        called once with `kwargs` and the model; or a callable, which is called with `kwargs` and
        returns an int. `model` is by default that of the request. Raises `InvalidOption` for a
        client that cannot count, is async or returns what is no int from 0, and for a system text,
        tools and the like under Gemini's Developer API, whose endpoint takes messages only (what
        the library raises is chained). What the client raises comes through.

        >>> import packframe as pf
        >>> plan = pf.Request(format="openai-chat", final="Hello.").plan(9, token_profile=len)
        >>> plan.verify_with(lambda **call: len(call["messages"][0]["content"])).difference
        0
        """
        return self.check(_provider_count(client, self, model or self._request.model))

    def __copy__(self) -> Plan:
        """Return the same: a plan does not change."""
        return self

    def __deepcopy__(self, memo: Any) -> Plan:
        """Return the same: a plan does not change."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle request, context and options: planning them again gives the same plan."""
        from packframe._pickle import plan  # noqa: PLC0415  (it imports this module)

        # Items expire by the time of the plan, also when it is made again.
        now = self._core.manifest().key("now")
        call = self._call if now is None else {**self._call, "now": now}
        return (plan, (self._request, self._context, call, self._whole))

    def __repr__(self) -> str:
        """Show the shape, no payload."""
        receipt = self._core.receipt()
        tokens, left = receipt["input_tokens"], receipt["remaining_tokens"]
        return f"Plan({self._request.format!r}, {tokens} tokens, {left} left)"

    def __eq__(self, other: object) -> bool:
        """Say whether two plans were made of the same with the same options."""
        if not isinstance(other, Plan):
            return NotImplemented
        return self.id == other.id

    def __hash__(self) -> int:
        """Hash the id."""
        return hash(self.id)


def _provider_count(client: Any, plan: Plan, model: str | None) -> int:
    call = plan.kwargs
    named = {} if model is None else {"model": model}
    of = plan._request.format  # noqa: SLF001  (a friend)
    path, key = _ENDPOINTS.get(of, ((), ""))
    ask = _endpoint(client, path)
    if ask is None:
        if not callable(client):
            remedy = "a client of the provider's library, or a callable that returns an int"
            raise invalid_option("client", client, "cannot count", remedy)
        return _counted(client, client(**call))
    if of != "gemini":
        return _counted(client, ask(**call, **named), key)
    contents = call.pop("contents")
    config = _gemini_config(call)
    try:
        found = ask(contents=contents, **({"config": config} if config else {}), **named)
    except ValueError as error:
        if not config:
            raise
        problem = f"cannot count {', '.join(call)} beside the messages; see what is chained"
        remedy = "a client of Vertex AI, or a callable that takes the call and returns an int"
        raise invalid_option("client", client, problem, remedy) from error
    return _counted(client, found, key)


def _counted(client: Any, found: Any, key: str | None = None) -> int:
    """Return the number in what a client returned, or of what a callable did."""
    if hasattr(found, "__await__"):
        if hasattr(found, "close"):
            found.close()
        problem = f"is async: it returned {type(found).__name__}"
        remedy = "a client that is not, or await its count and give the number to plan.check(...)"
        raise invalid_option("client", client, problem, remedy)
    count = found if key is None else getattr(found, key, found)
    if not _is_count(count):
        problem = f"returned {_shown(count)}, which is no number of tokens"
        what = "a callable that returns" if key is None else f"a client whose {key} is"
        raise invalid_option("client", client, problem, f"{what} {_COUNT}")
    return int(count)


_MOST = 2**63 - 1
"""The greatest number of tokens that the core subtracts from without clipping."""

_COUNT = "an int from 0 to 2**63 - 1"


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST


def _shown(value: Any) -> str:
    try:
        return f"{value!r:.60}"
    except Exception:  # noqa: BLE001  (what cannot be shown is wrong for another reason)
        return f"a {type(value).__name__}"


_ENDPOINTS = {
    "anthropic": (("messages", "count_tokens"), "input_tokens"),
    "openai-responses": (("responses", "input_tokens", "count"), "input_tokens"),
    "gemini": (("models", "count_tokens"), "total_tokens"),
}
"""Where the client of a provider counts, and what the answer calls the number."""


def _endpoint(client: Any, path: tuple[str, ...]) -> Any:
    """Return what counts, or None where the client has none; nothing is called."""
    if not path:
        return None
    for name in path:
        client = getattr(client, name, None)
    return client if callable(client) else None


def _gemini_config(call: dict[str, Any]) -> dict[str, Any]:
    """Return what stands beside the messages as the config of a count."""
    beside = ("system_instruction", "tools")
    config: dict[str, Any] = {key: call[key] for key in beside if key in call}
    generation = {key: call[key] for key in ("response_json_schema",) if key in call}
    if generation:
        config["generation_config"] = generation
    return config
