"""A whole provider call: what there is to send, and by which rules it is chosen from."""

from __future__ import annotations

from packframe._core import Request as CoreRequest
from packframe._core import Section
from packframe._data_block import DataBlock
from packframe._errors import SourceError, invalid_option, listed
from packframe._frame import _call as _pack_call
from packframe._plan import Plan
from packframe._profile import framed_for
from packframe._shorten import _steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, TypeAlias

    from packframe._shorten import Shorten

    _Said: TypeAlias = Mapping[str, Any] | str | Iterable[Mapping[str, Any] | str]

_PRIORITIES = ("profile", "session", "rag", "history")


class Request:
    """A whole provider call: what there is to send, and by which rules it is chosen from.

    What is rendered, in this order: one system message of `system` and the sections of `context`,
    data blocks, history, final. What is chosen first, in this order: system and tools, the final
    with the calls that its outputs need, the reserve, data blocks, then the sections that
    `priorities` names. Nothing is put in but what is given here. Immutable; what is given is
    copied.

    Parameters
    ----------
    format : {"openai-chat", "openai-responses", "anthropic", "gemini"}
        The format of the messages.
    model : str, optional
        The model, for what only some models refuse.
    system : str, optional
        What the model is told first. `{name}` is the place of the section of that name; where one
        section has a place, all need one. Any other brace is text, so is a name of no section.
    tools : list of dict, optional
        The tools, as they are sent. They cost what `TokenProfile.count_messages` says of them.
    tool_choice : str or dict, optional
        Which of the tools may be called, as it is sent (`tool_config` for Gemini).
    response_format : dict, optional
        The format of the reply, as it is sent: `response_format` of chat completions,
        `text.format` of Responses, `output_config.format` of Anthropic, `response_json_schema` of
        Gemini. It costs the tokens of its compact JSON.
    query : any, optional
        What the sources of sections are asked; without it they are asked with None.
    context : iterable of Section
        Sections with their items, or with a source, which is asked for twice `top_k`; all that it
        returns compete, and a cap (`max_tokens`) limits what is sent. `drop`, where it was not
        given, is `"all_or_nothing"` with `required=False` for the name profile, and
        `"cut_then_stop"` for session and rag.
    context_role : {"system", "user"}
        Whose words the context is: part of the system message, or a message of the user's before
        data blocks and history.
    data : iterable of DataBlock
        Blocks of data that are always sent.
    history : list of dict or str
        The conversation until now; a str is what the user said. The newest messages that fit are
        sent, whole exchanges only, those that have to stay in any case. An exchange is a step: a
        message alone, or calls with their results, and no question with its answer; see
        `group_by`.
    final : dict, str or a list of them, optional
        What is answered: always sent. Messages and tools may be objects of the provider's library,
        or hold some: what dumps itself (`model_dump`) is read as that library sends it.
    priorities : sequence of str
        The sections that choose first, in order; a name without a section does nothing. Of profile,
        session, rag and history those that it does not name are not sent. A section of another name
        that it does not name takes its place by its `priority`, where the last name has priority 1,
        the one before it 2, and so on.
    gaps : bool
        Whether older history may be sent behind what did not fit.
    group_by : {"exchange", "turn"}
        What of the history lives or dies together: a step, which is a message alone or calls with
        their results; or whole turns from one message of the user's to the next, each question with
        its answer.
    repair, abandoned, allow_pending
        As in `repair_messages`. What a repair takes out is in `manifest.repairs` only; with
        `repair="error"` it raises.
    shorten : sequence of Shorten or str
        What may be made shorter before anything is left out, in this order: `"thinking"`,
        `"clear"`, `"results"`, `"text"`, or a `Shorten`. Where all fits, nothing is. Else what
        stays is decided as if all that may be shortened were as short as it gets, and then as
        little as possible is, the oldest first.
    trace_key : bytes, optional
        A secret of 16 bytes or more, for `source_ref` in `Plan.explain`.

    Raises `InvalidOption` for arguments that make no sense and `InvalidMessages` for messages that
    are no JSON.

    >>> import packframe as pf
    >>> request = pf.Request(
    ...     format="openai-chat",
    ...     system="Answer briefly.",
    ...     context=[pf.Section("rag", ["Oslo is in Norway."], header="Known:")],
    ...     history=["Hello.", {"role": "assistant", "content": "Hi!"}],
    ...     final="Where is Oslo?",
    ... )
    >>> plan = request.plan(budget=60, token_profile=pf.profiles.openai("o200k_base"))
    >>> print(plan.messages[0]["content"])
    Answer briefly.
    <BLANKLINE>
    Known:
    Oslo is in Norway.
    >>> [message["content"] for message in plan.messages[1:]]
    ['Hello.', 'Hi!', 'Where is Oslo?']
    >>> plan.receipt.system, plan.receipt.context, plan.receipt.input_tokens <= 60
    (3, 8, True)
    """

    __slots__ = (
        "__weakref__",
        "_context",
        "_core",
        "_given",
        "_has_final",
        "_query",
        "format",
        "model",
    )
    _core: CoreRequest
    _given: dict[str, Any]
    _context: tuple[Section, ...]
    _query: Any
    _has_final: bool
    format: str
    model: str | None

    def __init__(
        self,
        *,
        format: str,
        model: str | None = None,
        system: str | None = None,
        tools: list[Any] | tuple[Any, ...] | None = None,
        tool_choice: Any = None,
        response_format: Any = None,
        query: Any = None,
        context: Iterable[Section] = (),
        context_role: str = "system",
        data: Iterable[DataBlock] = (),
        history: _Said = (),
        final: _Said | None = None,
        priorities: Sequence[str] = _PRIORITIES,
        gaps: bool = False,
        group_by: str = "exchange",
        repair: str = "drop",
        abandoned: Iterable[str] = (),
        allow_pending: bool = False,
        shorten: Iterable[Shorten | str] = (),
        trace_key: bytes | None = None,
    ) -> None:
        """Take the parts, and copy them."""
        given: dict[str, Any] = dict(  # noqa: C408  (the arguments of a call)
            format=format,
            system=system,
            tools=tools,
            tool_choice=tool_choice,
            response_format=response_format,
            context_role=context_role,
            data=[
                (block.name, block.instructions, block.records)
                for block in _listed("data", data, DataBlock)
            ],
            history=history,
            final=final,
            priorities=priorities,
            gaps=gaps,
            group_by=group_by,
            repair=repair,
            abandoned=abandoned,
            allow_pending=allow_pending,
            model=model,
            shorten=_steps(shorten),
            trace_key=trace_key,
        )
        core = CoreRequest(**given)
        self._set(
            _core=core,
            _given={name: value for name, value in given.items() if name not in _COPIED},
            _context=tuple(_listed("context", context, Section)),
            _query=query,
            _has_final=core.has_final(),
            format=format,
            model=model,
        )

    @classmethod
    def _of(
        cls, given: dict[str, Any], context: tuple[Section, ...], query: Any, *, has_final: bool
    ) -> Request:
        made = object.__new__(cls)
        made._set(
            _core=CoreRequest(**given),
            _given={name: value for name, value in given.items() if name not in _COPIED},
            _context=context,
            _query=query,
            _has_final=has_final,
            format=given["format"],
            model=given["model"],
        )
        return made

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: a request does not change."""
        message = f"a Request is immutable: {name} cannot be set"
        raise AttributeError(message)

    __delattr__ = __setattr__  # type: ignore[assignment]

    def plan(self, budget: int | None, **options: Any) -> Plan:
        """Return what fits into a budget of tokens, as a whole call, and the record of it.

        Parameters
        ----------
        budget : int or None
            Ceiling of the whole call in tokens; None for no ceiling.
        **options
            Of `Frame.pack`: reserve, token_profile, boundary, policies, overflow, strategies,
            margin, now, hash_key. Without a token_profile it is an estimate with the frame of the
            format: `profiles.approximate(format=..., model=...)`.

        Raises
        ------
        BudgetExceeded
            If what must be sent does not fit. `section` is the part that is too big: `"system"`,
            `"tools"`, `"final"`, `"final_dependency"`, `"reserve"`, `"history"`, the name of a
            section with required items, `"<name>_data"`, which is blamed only where all else
            would fit, or `"framing"`, where a call of nothing would not fit.
        InvalidMessages
            For messages that no repair mends, and where no message may come first.
        SourceError
            If a source fails; what it raised is chained.
        InvalidOption, InvalidItem
            For arguments that make no sense, an async source (use `aplan`), and ids that come
            twice.

        And what `Frame.pack` raises. Linear in messages and text, but for the sort of items; what
        has been counted is not counted again. The GIL is released.

        >>> import packframe as pf
        >>> request = pf.Request(format="openai-chat", history=["One.", "Two."], final="Three?")
        >>> plan = request.plan(budget=4, token_profile=lambda text: 2)
        >>> [message["content"] for message in plan.messages]
        ['Two.', 'Three?']
        """
        return self._plan(budget, self._found(self._query), options, whole=True)

    def plan_context(self, budget: int | None, **options: Any) -> Plan:
        r"""Return the plan of system text and context only, by the same rules.

        `system_text` of the plan is what comes of it, `receipt` is None. Options and errors are
        those of `plan`.

        >>> import packframe as pf
        >>> request = pf.Request(
        ...     format="anthropic",
        ...     system="Answer briefly.",
        ...     context=[pf.Section("rag", ["Oslo is in Norway."])],
        ...     final="Where is Oslo?",
        ... )
        >>> request.plan_context(budget=40).system_text
        'Answer briefly.\n\nOslo is in Norway.'
        """
        return self._plan(budget, self._found(self._query), options, whole=False)

    async def aplan(self, budget: int | None, **options: Any) -> Plan:
        r"""Return what `plan` returns, sources and policies awaited, planned off the event loop.

        All sources are asked at once. When one fails the others are cancelled, and the error is
        that of the first section that had failed by then. A policy whose `evaluate` is async is
        awaited on the event loop, one item after the other.

        >>> import asyncio
        >>> import packframe as pf
        >>> async def search(query, limit):
        ...     return ["Oslo is in Norway.", "Bergen is, too."][:limit]
        >>> rag = pf.Section("rag", source=search, top_k=1)
        >>> request = pf.Request(format="openai-chat", query="Oslo", context=[rag], final="Where?")
        >>> asyncio.run(request.aplan(budget=100)).messages[0]["content"]
        'Oslo is in Norway.\nBergen is, too.'
        """
        context = await self._awaited(self._query)
        return await self._aplan(budget, context, options, whole=True)

    async def _awaited(self, query: Any) -> list[Section]:
        """Return the sections with what their sources found, all asked at once."""
        import asyncio  # noqa: PLC0415  (needed here only)

        async def find(section: Section) -> Any:
            found: Any = None if section.source is None else _ask(section, query)
            if hasattr(found, "__await__"):
                try:
                    found = await found
                except Exception as error:
                    raise _failed(section, error) from error
            return found

        if not self._context:
            return []
        # All are asked before one is waited for.
        asked = [asyncio.create_task(find(section)) for section in self._context]
        try:
            await asyncio.wait(asked, return_when=asyncio.FIRST_EXCEPTION)
            over = [task for task in asked if task.done() and not task.cancelled()]
            failed = [task.exception() for task in over]
        finally:
            # None is left behind, whether one failed or this call was cancelled.
            for task in asked:
                task.cancel()
            await asyncio.gather(*asked, return_exceptions=True)
        for error in failed:
            if error is not None:
                raise error
        return [
            _filled(section, task.result())
            for section, task in zip(self._context, asked, strict=True)
        ]

    async def _aplan(
        self, budget: int | None, context: list[Section], options: dict[str, Any], *, whole: bool
    ) -> Plan:
        """Plan off the event loop."""
        import asyncio  # noqa: PLC0415  (needed here only)

        loop = asyncio.get_running_loop()

        def plan() -> Plan:
            return self._plan(budget, context, options, whole=whole, loop=loop)

        return await asyncio.to_thread(plan)

    def _found(self, query: Any, awaits: str = "request.aplan") -> list[Section]:
        """Return the sections as their sources filled them; `awaits` is the call for async ones."""
        filled = []
        for section in self._context:
            found: Any = None if section.source is None else _ask(section, query)
            if hasattr(found, "__await__"):
                if hasattr(found, "close"):
                    found.close()
                problem = f"of section {section.name!r} is async"
                raise invalid_option("source", section.source, problem, f"await {awaits}(...)")
            filled.append(_filled(section, found))
        return filled

    def _plan(
        self,
        budget: int | None,
        context: list[Section],
        options: dict[str, Any],
        *,
        whole: bool,
        loop: Any = None,
    ) -> Plan:
        for name in options:
            if name not in _OPTIONS:
                raise invalid_option("options", name, "is no option of a plan", _meant(name))
        if "policies" in options:
            # Read once: the plan of the next turn asks them, too.
            remedy = "a list of objects with id and evaluate"
            options = {**options, "policies": listed("policies", options["policies"], remedy)}
        expires = any(item.expires_at is not None for section in context for item in section.items)
        asked = _awaiting(options, loop)
        if asked.get("token_profile") is None:
            asked = {**asked, "token_profile": framed_for(self.format, self.model)}
        _, call = _pack_call(expires, budget, **asked)
        core = self._core.plan(context, not whole, call)
        return Plan(core, self, context, {"budget": budget, **options}, whole=whole)

    def _next(self, plan: Plan, messages: Any, final: Any, query: Any) -> Request:
        """Return the request of the turn behind a plan."""
        said = _several("messages", messages)
        if not plan._whole and (said or final is not None):  # noqa: SLF001  (a friend)
            problem = "cannot be added: this plan is of the context only"
            raise invalid_option("messages", said, problem, "request.plan(...), and extend that")
        if final is not None:
            more = _several("final", final)
            said, finals = said + more, len(more)
        else:
            finals = int(self._has_final and bool(said))
        request = object.__new__(Request)
        request._set(
            _core=self._core.extended(said, finals),
            _given=self._given,
            _context=self._context,
            _query=self._query if query is None else query,
            _has_final=finals > 0 or self._has_final,
            format=self.format,
            model=self.model,
        )
        return request

    def _extended(self, plan: Plan, messages: Any, final: Any, query: Any) -> Plan:
        request = self._next(plan, messages, final, query)
        budget, options = _asked(plan)
        context = plan._context  # noqa: SLF001  (a friend)
        if query is not None:
            context = request._found(query, "plan.aextend")  # noqa: SLF001
        return request._plan(budget, context, options, whole=plan._whole)  # noqa: SLF001

    async def _aextended(self, plan: Plan, messages: Any, final: Any, query: Any) -> Plan:
        request = self._next(plan, messages, final, query)
        budget, options = _asked(plan)
        context = plan._context  # noqa: SLF001  (a friend)
        if query is not None:
            context = await request._awaited(query)  # noqa: SLF001
        return await request._aplan(budget, context, options, whole=plan._whole)  # noqa: SLF001

    def __copy__(self) -> Request:
        """Return the same: a request does not change."""
        return self

    def __deepcopy__(self, memo: Any) -> Request:
        """Return the same: a request does not change."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what it was made of; a source and a query have to pickle themselves."""
        from packframe._pickle import request  # noqa: PLC0415  (it imports this module)

        given = {**self._given, **self._core.state()}
        return (request, (given, self._context, self._query, self._has_final))

    def __repr__(self) -> str:
        """Show the format and the sections, no payload."""
        names = [section.name for section in self._context]
        return f"Request({self.format!r}, context={names!r})"


_COPIED = (
    "tools",
    "tool_choice",
    "response_format",
    "data",
    "history",
    "final",
    "priorities",
    "abandoned",
)
"""Arguments that the core copies, and gives back: those of the caller's may change."""

_OPTIONS = (
    "reserve",
    "token_profile",
    "boundary",
    "policies",
    "overflow",
    "strategies",
    "margin",
    "now",
    "hash_key",
)
"""The options of a pack that a request leaves to the caller."""


def plan_messages(
    messages: _Said,
    *,
    format: str,
    budget: int | None,
    reserve: int = 0,
    token_profile: Any = None,
    model: str | None = None,
    tools: list[Any] | tuple[Any, ...] | None = None,
    tool_choice: Any = None,
    response_format: Any = None,
    boundary: Any = None,
    policies: Sequence[Any] = (),
    gaps: bool = False,
    group_by: str = "exchange",
    repair: str = "drop",
    abandoned: Iterable[str] = (),
    allow_pending: bool = False,
    shorten: Iterable[Shorten | str] = (),
    final: _Said | None = None,
    **options: Any,
) -> Plan:
    """Return what fits of a list of messages: the short form of `Request` for when it is all.

    System and developer messages, the newest message of the user, calls that wait for results and
    the last message with its step stay; of the others the newest exchanges that fit, which are
    steps: a message alone, or calls with their results. `group_by="turn"` keeps question and answer
    together. Rows of the manifest are those of the list, where no repair took some out. Parameters
    and errors are those of `Request` and `Request.plan`.

    >>> import packframe as pf
    >>> plan = pf.plan_messages(
    ...     [
    ...         {"role": "system", "content": "Answer briefly."},
    ...         {"role": "user", "content": "Hello."},
    ...         {"role": "assistant", "content": "Hi!"},
    ...         {"role": "user", "content": "Where is Oslo?"},
    ...     ],
    ...     format="openai-chat",
    ...     budget=3,
    ...     token_profile=lambda text: 1,
    ... )
    >>> [message["role"] for message in plan.messages]
    ['system', 'assistant', 'user']
    """
    if messages is None:
        raise invalid_option("messages", messages, "is no list", "a list of message dicts")
    request = Request(
        format=format,
        model=model,
        tools=tools,
        tool_choice=tool_choice,
        response_format=response_format,
        history=messages,
        final=final,
        gaps=gaps,
        group_by=group_by,
        repair=repair,
        abandoned=abandoned,
        allow_pending=allow_pending,
        shorten=shorten,
    )
    return request.plan(
        budget,
        reserve=reserve,
        token_profile=token_profile,
        boundary=boundary,
        policies=policies,
        **options,
    )


_MEANT = {
    "limit": "budget",
    "max_completion_tokens": "reserve",
    "max_output_tokens": "reserve",
    "max_tokens": "reserve",
    "profile": "token_profile",
    "token_counter": "token_profile",
    "tokenizer": "token_profile",
}
"""What others call the options of a plan."""


def _meant(name: str) -> str:
    """Return what to use in the place of an option that a plan has not."""
    if name in Request.__init__.__annotations__:
        return f"pf.Request({name}=...), which keeps it"
    if name in _MEANT:
        return _MEANT[name]
    import difflib  # noqa: PLC0415  (needed here only)

    near = difflib.get_close_matches(name, _OPTIONS, n=1)
    return near[0] if near else ", ".join(_OPTIONS)


def _asked(plan: Plan) -> tuple[int | None, dict[str, Any]]:
    """Return the budget and the options of a plan."""
    options = dict(plan._call)  # noqa: SLF001  (a friend)
    return options.pop("budget"), options


def _listed(option: str, values: Any, kind: type) -> list[Any]:
    found = listed(option, values, f"a list of pf.{kind.__name__}")
    for value in found:
        if not isinstance(value, kind):
            remedy = f"a pf.{kind.__name__}"
            raise invalid_option(option, value, f"is no {kind.__name__}", remedy)
    return found


def _several(option: str, said: Any) -> list[Any]:
    """Return messages as a list; one alone is one."""
    from collections.abc import Mapping  # noqa: PLC0415  (needed here only)

    if isinstance(said, (str, Mapping)) or hasattr(said, "model_dump"):
        return [said]
    return listed(option, said, "a list of message dicts or str")


def _awaiting(options: dict[str, Any], loop: Any) -> dict[str, Any]:
    """Return options whose policies are awaited on an event loop, if there is one."""
    if loop is None or "policies" not in options:
        return options
    return {**options, "policies": [_Waiting(policy, loop) for policy in options["policies"]]}


class _Waiting:
    """A policy whose verdicts may have to be awaited, asked from another thread than its loop's."""

    __slots__ = ("_loop", "_policy")

    def __init__(self, policy: Any, loop: Any) -> None:
        self._policy = policy
        self._loop = loop

    def __getattr__(self, name: str) -> Any:
        return getattr(self._policy, name)

    def evaluate(self, item: Any, boundary: Any) -> Any:
        """Return the verdict."""
        verdict = self._policy.evaluate(item, boundary)
        if not hasattr(verdict, "__await__"):
            return verdict
        import asyncio  # noqa: PLC0415  (needed here only)

        async def wait() -> Any:
            return await verdict

        return asyncio.run_coroutine_threadsafe(wait(), self._loop).result()


def _ask(section: Section, query: Any) -> Any:
    """Ask the source of a section for twice as many as are wanted."""
    source: Any = section.source
    ask = getattr(source, "search", source)
    try:
        return ask(query, 2 * (section.top_k or 0))
    except Exception as error:
        raise _failed(section, error) from error


def _filled(section: Section, found: Any) -> Section:
    if section.source is None:
        return section
    if not hasattr(found, "__iter__") or isinstance(found, (str, bytes, dict)):
        message = (
            f"the source of section {section.name!r} returned {type(found).__name__}; "
            "return a list of str, pf.Item or records"
        )
        raise SourceError(message, which=section.name, row=None, cause=None)
    try:
        listed = list(found)
    except Exception as error:
        raise _failed(section, error) from error
    return section._filled(listed)  # noqa: SLF001  (a friend)


def _failed(section: Section, error: Exception) -> SourceError:
    kind = type(error).__name__
    message = f"the source of section {section.name!r} failed with {kind}; see what is chained"
    return SourceError(message, which=section.name, row=None, cause=repr(error))
