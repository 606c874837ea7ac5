"""What fits, and how to send it."""

from __future__ import annotations

from packframe._errors import BoundaryWarning, invalid_option
from packframe._manifest import PackManifest
from packframe._record import Decision, SectionAccount

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from packframe._core import Item
    from packframe._core import Pack as CorePack
    from packframe._frame import Frame
    from packframe._profile import TokenProfile

# Spaces of a level of JSON.
_MOST_INDENT = 100


class Pack:
    """What fits of a frame, in the order of its layout, and the record of every decision.

    `Frame.pack` makes it. Immutable.
    """

    __slots__ = ("__weakref__", "_call", "_core", "_frame", "_profile")
    _core: CorePack
    _frame: Frame
    _profile: TokenProfile
    _call: tuple[Any, ...]

    def __init__(
        self, core: CorePack, frame: Frame, profile: TokenProfile, call: tuple[Any, ...]
    ) -> None:
        """Take the native pack, and what it was made of."""
        object.__setattr__(self, "_core", core)
        object.__setattr__(self, "_frame", frame)
        object.__setattr__(self, "_profile", profile)
        object.__setattr__(self, "_call", call)

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: a pack does not change."""
        message = f"a Pack is immutable: {name} cannot be set"
        raise AttributeError(message)

    __delattr__ = __setattr__  # type: ignore[assignment]

    @property
    def items(self) -> list[Item]:
        """The items that are in, in order; retention as overflow strategies left it."""
        return self._core.items()

    @property
    def rows(self) -> tuple[int, ...]:
        """The rows of the frame that are in, in order."""
        return tuple(self._core.rows())

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the rows that are in, made ones included, in order.

        >>> import packframe as pf
        >>> pf.Frame([pf.Item("a", id="kb-1"), "b"]).pack(9).ids
        ('kb-1', '3e23e8160039-1')
        """
        return tuple(self._core.ids())

    @property
    def text(self) -> str:
        """The same as `to_text()`."""
        return self._core.text()

    def to_text(self) -> str:
        """Return the pack as one text, with its separators and labels.

        Raises `RenderingOverBudget` where the pack was made for messages and the text, counted
        now, is over what is available.
        """
        return self._core.text()

    def to_openai_chat(self) -> list[dict[str, Any]]:
        """Return the pack as chat-completions messages; those that were messages as they came.

        Plain items are messages of their roles. Raises `InvalidOption` for messages of another
        format, which `convert_messages` writes in this one; `UnsupportedContent` for bytes and for
        a plain item of role tool; `InvalidMessages` for what the provider would refuse; and
        `RenderingOverBudget` where the pack was made for text and the messages, counted now, are
        over what is available. Warns with `BoundaryWarning` where the pack was made for inside the
        application.

        >>> import packframe as pf
        >>> frame = pf.Frame([pf.Item("Answer briefly.", role="system"), "Where is my order?"])
        >>> frame.pack(100, boundary=pf.Boundary.external("openai")).to_openai_chat()[1]
        {'role': 'user', 'content': 'Where is my order?'}
        """
        messages: list[dict[str, Any]] = self._call_of("openai-chat")
        return messages

    def to_openai_responses(self) -> list[dict[str, Any]]:
        """Return the pack as input items of the Responses API; those that were some as they came.

        Plain items are messages of their roles. Raises and warns as `to_openai_chat`.

        >>> import packframe as pf
        >>> openai = pf.Boundary.external("openai")
        >>> pf.Frame(["Where is my order?"]).pack(100, boundary=openai).to_openai_responses()
        [{'role': 'user', 'content': 'Where is my order?'}]
        """
        items: list[dict[str, Any]] = self._call_of("openai-responses")
        return items

    def to_anthropic(self) -> dict[str, Any]:
        """Return the pack as arguments of Anthropic's Messages API: `system` and `messages`.

        Messages are as they came; plain items are messages of their roles, but for those of role
        system and developer, whose text is `system`: a str, or of several a list of text blocks;
        without such an item the key is not there. Raises and warns as `to_openai_chat`.

        >>> import packframe as pf
        >>> frame = pf.Frame([pf.Item("Answer briefly.", role="system"), "Where is it?"])
        >>> frame.pack(100, boundary=pf.Boundary.external("anthropic")).to_anthropic()
        {'system': 'Answer briefly.', 'messages': [{'role': 'user', 'content': 'Where is it?'}]}
        """
        call: dict[str, Any] = self._call_of("anthropic")
        return call

    def to_gemini(self) -> dict[str, Any]:
        """Return the pack as arguments of Gemini's API: `system_instruction` and `contents`.

        Contents are as they came; plain items are contents of their roles, but for those of role
        system and developer, whose text is `system_instruction`: a str, or of several a dict of
        `parts`; without such an item the key is not there. Raises and warns as `to_openai_chat`.

        >>> import packframe as pf
        >>> gemini = pf.Boundary.external("gemini")
        >>> pf.Frame(["Where is my order?"]).pack(100, boundary=gemini).to_gemini()
        {'contents': [{'role': 'user', 'parts': [{'text': 'Where is my order?'}]}]}
        """
        call: dict[str, Any] = self._call_of("gemini")
        return call

    def _call_of(self, format: str) -> Any:
        if self._core.is_internal():
            import warnings  # noqa: PLC0415  (not needed for import)

            warnings.warn(
                "this pack was made for inside the application and is rendered for a provider; "
                "pack with boundary=pf.Boundary.external(...)",
                BoundaryWarning,
                stacklevel=3,
            )
        return self._core.call(format)

    @property
    def manifest(self) -> PackManifest:
        """The record of every decision."""
        return PackManifest(self._core.manifest())

    @property
    def total_tokens(self) -> int:
        """Tokens of the rendering that the pack was made for."""
        return self._core.total_tokens()

    @property
    def used_tokens(self) -> int:
        """The same as `total_tokens`."""
        return self._core.total_tokens()

    @property
    def remaining_tokens(self) -> int | None:
        """Tokens that are left of what was available, or None where there is no ceiling."""
        return self._core.remaining_tokens()

    @property
    def complete(self) -> bool:
        """Whether nothing lost content: every row of the frame is in, whole."""
        return self._core.complete()

    def dropped(self) -> list[Decision]:
        """Return a decision for every item that lost content, in row order.

        An item is excluded, cut, replaced by an alternative, or redacted: secrets were taken out of
        it for an external boundary.

        >>> import packframe as pf
        >>> pack = pf.Frame(["a b", "c"]).pack(1, token_profile=lambda text: len(text.split()))
        >>> [(decision.row, decision.reason) for decision in pack.dropped()]
        [(0, 'budget')]
        """
        return [Decision(**record) for record in self._core.manifest().dropped()]

    def section(self, name: str) -> SectionAccount:
        """Return what a section got: its tokens, its limits, its items in and out.

        Raises `KeyError` where no item and no declared section has the name, and `InvalidOption`
        for what is no str. O(n log n) in rows.

        >>> import packframe as pf
        >>> pack = pf.pack_sections(
        ...     [pf.Section("facts", ["one two", "three four five"], max_tokens=4)],
        ...     budget=9,
        ...     token_profile=lambda text: len(text.split()),
        ... )
        >>> facts = pack.section("facts")
        >>> facts.tokens, facts.cap, [(d.action, d.tokens_after) for d in facts.dropped]
        (4, 4, [('cut', 2)])
        """
        account = self._core.manifest().section(name)
        if account is None:
            raise KeyError(name)
        account["selected"] = tuple(account["selected"])
        account["dropped"] = tuple(Decision(**record) for record in account["dropped"])
        return SectionAccount(**account)

    def _repr_html_(self) -> str:
        """Show the manifest as a picture, in a notebook."""
        return self.manifest._repr_html_()

    def __rich__(self) -> Any:
        """Show the manifest as a picture, in a terminal with rich."""
        return self.manifest.__rich__()

    def to_json(self, indent: int | None = None) -> str:
        """Return what is sent and the manifest as JSON: keys `text` or `messages`, and `manifest`.

        It holds the content; `manifest.to_json()` does not. `indent` is the number of spaces of a
        level; None is one line. Raises `InvalidOption` for what is no int from 0 to 100.
        """
        if indent is not None and (type(indent) is not int or not 0 <= indent <= _MOST_INDENT):
            remedy = f"None, or an int from 0 to {_MOST_INDENT}"
            raise invalid_option("indent", indent, "is no number of spaces", remedy)
        import json  # noqa: PLC0415  (needed here only)

        rendered = self._core.rendered()
        sent = (
            {"text": rendered}
            if self._core.render() == "text"
            else {"messages": json.loads(rendered)}
        )
        record = {**sent, "manifest": self._core.manifest().to_dict()}
        return json.dumps(record, indent=indent, ensure_ascii=False)

    def __repr__(self) -> str:
        """Show the shape, no payload."""
        rows, tokens, render = self._core.len(), self._core.total_tokens(), self._core.render()
        return f"Pack({rows} of {len(self._frame)} items, {tokens} tokens, render={render!r})"

    def __eq__(self, other: object) -> bool:
        """Say whether two packs have equal frames and equal manifests."""
        if not isinstance(other, Pack):
            return NotImplemented
        return self._frame == other._frame and self.manifest == other.manifest

    def __hash__(self) -> int:
        """Hash the manifest."""
        return hash(self.manifest)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle frame and options: packing them again gives the same pack."""
        from packframe._pickle import pack  # noqa: PLC0415  (it imports this module)

        before, after = self._call[:2], self._call[3:]
        return (pack, (self._frame, before, self._profile, after))
