"""An immutable, ordered collection of items, and the verbs that make new ones."""

from __future__ import annotations

from packframe._core import Boundary, Column
from packframe._core import Frame as CoreFrame
from packframe._core import pack_many as _core_pack_many
from packframe._errors import InvalidItem, invalid_option, missing_id
from packframe._pack import Pack
from packframe._profile import as_profile, framed_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    import re
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime
    from typing import Any, TypeAlias, overload

    from packframe._core import Expression, Item, ItemTable, Overflow, Section
    from packframe._manifest import PackManifest
    from packframe._policy import Policy
    from packframe._profile import TokenProfile
    from packframe._strategy import Strategy

    _Where: TypeAlias = Expression | Callable[[Item], bool]

_APPLICATION = Boundary.internal("application")


def col(name: str) -> Column:
    """Return a column, to be compared with a value: a condition for the verbs of a frame.

    Columns: id, content, kind, role, retention, score, priority, section, group, pinned,
    created_at, expires_at, trust, sensitivity, sources, metadata, requires, exclusive,
    alternatives, cut_to, row, turn_from_end. Sources, metadata, requires and alternatives can
    only be there or not. The last turn is 0; a turn starts at each row of role user, and system
    and developer rows have none.
    Join conditions with `&`, `|` and `~`; a comparison with a missing value selects nothing.
    Raises `InvalidItem` for an unknown column, naming the nearest.

    >>> import packframe as pf
    >>> frame = pf.Frame([pf.Item("a", score=0.2), pf.Item("b", score=0.8)])
    >>> [item.content for item in frame.filter(pf.col("score") > 0.5)]
    ['b']
    """
    return Column(name)


class Frame:
    """An immutable, ordered collection of items.

    `items` are `Item`s; a str or another content becomes an optional item. Verbs return a new
    frame that shares contents, and with them the token counts that were made. Raises
    `InvalidItem` naming the row, both rows for two equal ids. Cost: linear.

    >>> import packframe as pf
    >>> frame = pf.Frame([pf.Item("Answer briefly.", role="system"), "Where is my order?"])
    >>> len(frame), frame[1].role
    (2, 'user')
    """

    __slots__ = ("__weakref__", "_core")
    _core: CoreFrame

    def __new__(cls, items: Iterable[Any] = ()) -> Frame:  # noqa: PYI034  (verbs return Frame too)
        """Take items, in order."""
        return cls._of(CoreFrame(items))

    @classmethod
    def _of(cls, core: CoreFrame) -> Frame:
        frame = object.__new__(cls)
        object.__setattr__(frame, "_core", core)
        return frame

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: a frame does not change."""
        message = f"a Frame is immutable: {name} cannot be set"
        raise AttributeError(message)

    __delattr__ = __setattr__  # type: ignore[assignment]

    @classmethod
    def from_records(cls, records: Iterable[Mapping[str, Any]]) -> Frame:
        """Return the frame of an iterable of dicts whose keys are the parameters of `Item`.

        Content that is no text names its `kind`: json, reference (with digest and size), binary
        (base64, with mime) or message; so does an alternative that is a dict, whose keys are
        content, kind, value and those of its kind. Raises `InvalidItem` naming row, field and
        remedy; for an unknown key the nearest known one. What the iterable raises passes through.

        >>> import packframe as pf
        >>> pf.Frame.from_records([{"content": "hi", "retension": "required"}])
        Traceback (most recent call last):
        packframe.InvalidItem: row 0: retension 'required' is no field of an item; use retention
        """
        return cls._of(CoreFrame.from_records(records))

    @classmethod
    def from_messages(
        cls,
        messages: Iterable[Mapping[str, Any]],
        *,
        format: str = "openai-chat",
        repair: str = "drop",
        abandoned: Iterable[str] = (),
        allow_pending: bool = False,
        group_by: str = "exchange",
    ) -> Frame:
        """Return the frame of a conversation; each message is kept as it came.

        A tool call and its results live or die together. Required are system and developer
        messages, the newest user message, the last message with its step, and a call that waits for
        results; the others are optional. `pack` keeps what is required and the newest of the rest,
        without a gap: no optional message is in that is older than the first that did not fit.
        Where the provider wants a user message first, the oldest that would come before one go.

        Parameters
        ----------
        messages : iterable of dict
            Or of objects of the provider's library: what has a `model_dump`.
        format : {"openai-chat", "openai-responses", "anthropic", "gemini"}
        repair : {"drop", "placeholder", "error"}
            What happens to what a provider would refuse, as in `repair_messages`. The manifest
            names every change under `repairs`; its rows are those of the messages as given.
        abandoned : iterable of str
            Ids of calls that nobody waits for any more.
        allow_pending : bool
            Whether every call without a result may wait for one.
        group_by : {"exchange", "turn"}
            What lives or dies together: a step, which is a message alone or a call with its
            results; or all from a user message to the next, each question with its answer.

        Verbs keep this: a frame that was filtered, demoted, sorted or extended packs by the same
        rules, in the order of its rows. Plain items beside the messages choose before them, by
        score. Where rows that belong together were torn apart, packing raises `InvalidMessages`
        naming the row. A frame made of the items anew is no conversation.

        Raises `InvalidMessages` for what no repair mends and, with `repair="error"`, for all that a
        provider would refuse; `InvalidOption` for what is no list of messages. Cost: linear.

        >>> import packframe as pf
        >>> frame = pf.Frame.from_messages([
        ...     {"role": "system", "content": "Answer briefly."},
        ...     {"role": "user", "content": "One, two, three, four, five."},
        ...     {"role": "assistant", "content": "Yes."},
        ...     {"role": "user", "content": "Where is my order?"},
        ... ])
        >>> [item.retention for item in frame]
        ['required', 'optional', 'optional', 'required']
        >>> frame.pack(9, token_profile=lambda text: len(text.split())).rows
        (0, 2, 3)
        """
        return cls._of(
            CoreFrame.from_messages(messages, format, repair, abandoned, allow_pending, group_by)
        )

    @classmethod
    def from_arrow(cls, table: Any) -> Frame:
        """Return the frame of an Arrow table, whose columns are the keys of `from_records`.

        `table` is whatever has `__arrow_c_stream__` or `__arrow_c_array__`: a table or record
        batch of pyarrow, a data frame of polars or pandas, a relation of DuckDB. A row becomes no
        Python object, and a null is a field that is not there.

        | columns | type |
        |---|---|
        | content, kind, id, role, retention, section, group, exclusive, trust, sensitivity, \
mime, digest, format | text (utf8, large_utf8, utf8_view, or a dictionary of one) |
        | score, priority | ints or floats |
        | cut_to, size | ints |
        | pinned | bool |
        | created_at, expires_at | timestamps with a time zone, cut to microseconds, or ISO 8601 |
        | sources, requires | lists of text |
        | metadata | text: a JSON object |
        | alternatives | text: a JSON list of records |

        Content of kind json or message is JSON text, made compact; of kind binary it is base64.
        Raises `InvalidItem` naming row and field, and for an unknown column the nearest known one;
        `InvalidOption` for what is no table, breaks the rules of Arrow's interface, or was
        consumed before. Cost: linear, one copy of each text; the GIL is released.

        >>> import packframe as pf
        >>> import polars as pl
        >>> frame = pf.Frame.from_arrow(pl.DataFrame({"content": ["a", "b"], "score": [1, 2]}))
        >>> [(item.content, item.score) for item in frame]
        [('a', 1.0), ('b', 2.0)]
        """
        return cls._of(CoreFrame.from_arrow(table))

    def to_arrow(self) -> ItemTable:
        """Return the rows as an Arrow table, of which `from_arrow` makes an equal frame.

        It has every column that `from_arrow` knows, whatever the rows have: text is large_utf8,
        numbers float64 and uint64, times timestamps of microseconds in UTC, and lists large lists.
        A made id is null. Raises nothing. Cost: one copy; the GIL is released.

        >>> import packframe as pf
        >>> import polars as pl
        >>> table = pf.Frame([pf.Item("a", id="kb-1", score=0.5)]).to_arrow()
        >>> pl.DataFrame(table).select("content", "id", "score").rows()
        [('a', 'kb-1', 0.5)]
        """
        return self._core.to_arrow()

    @classmethod
    def read_jsonl(cls, path: str | os.PathLike[str]) -> Frame:
        """Return the frame of a file with a JSON record a line, as `from_records` takes them.

        Empty lines are passed over. Raises `InvalidItem` for a line that is no JSON, with the line
        number, from 1, as its value, `InvalidOption` for what is no path, and what opening the
        file raises.
        """
        with open(_path(path), encoding="utf-8-sig") as file:  # noqa: PTH123  (pathlib is slow to import)
            try:
                return cls.from_records(_records(file))
            except UnicodeDecodeError as error:
                message = f"{error}; write the file as UTF-8"
                raise InvalidItem(
                    message, rows=[], field="line", value="?", suggestion="a file in UTF-8"
                ) from error

    def write_jsonl(self, path: str | os.PathLike[str]) -> None:
        """Write a JSON record a line, by way of a temporary file beside it that is renamed.

        Raises `InvalidOption` for what is no path, and what writing the file raises.
        """
        import json  # noqa: PLC0415  (needed here only)
        import os  # noqa: PLC0415  (needed here only)

        # The file that a link points to is replaced, and keeps its mode; a new one gets the usual.
        target = os.path.realpath(_path(path))
        temporary = f"{target}.{os.urandom(8).hex()}.part"
        try:
            with open(temporary, "x", encoding="utf-8", newline="\n") as file:  # noqa: PTH123
                file.writelines(
                    json.dumps(record, ensure_ascii=False) + "\n" for record in self.to_records()
                )
            if os.path.exists(target):  # noqa: PTH110  (pathlib is slow to import)
                mode = os.stat(target).st_mode & 0o777  # noqa: PTH116
                os.chmod(temporary, mode)  # noqa: PTH101  (pathlib is slow to import)
            os.replace(temporary, target)  # noqa: PTH105  (pathlib is slow to import)
        except BaseException:
            if os.path.exists(temporary):  # noqa: PTH110  (pathlib is slow to import)
                os.unlink(temporary)  # noqa: PTH108  (pathlib is slow to import)
            raise

    def to_records(self) -> list[dict[str, Any]]:
        """Return a dict for each row, without the fields that have their default.

        `Frame.from_records` makes an equal frame of them. Times are ISO 8601 in UTC.

        >>> import packframe as pf
        >>> pf.Frame([pf.Item("hi", score=0.5)]).to_records()
        [{'content': 'hi', 'score': 0.5}]
        """
        return self._core.records()

    def to_openai_chat(self) -> list[dict[str, Any]]:
        """Return the rows as chat-completions messages; those that were messages as they came.

        Nothing is counted. Raises `InvalidOption` for messages of another format,
        `UnsupportedContent` for bytes and for a plain item of role tool, `InvalidMessages` for all
        that a provider would refuse.
        """
        return self._core.openai_chat()

    @property
    def ids(self) -> tuple[str, ...]:
        """The id of each row: a missing one is the content's hash, shortened, and an occurrence."""
        return self._core.ids()

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._core)

    def __iter__(self) -> Iterator[Item]:
        """Yield the items."""
        core = self._core
        for row in range(len(core)):
            yield core.item(row)

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, key: int | str) -> Item: ...
        @overload
        def __getitem__(self, key: slice) -> Frame: ...

    def __getitem__(self, key: int | str | slice) -> Item | Frame:
        """Return the item in a row or with an id, or the frame of a slice of rows.

        Raises `IndexError` for a row, `KeyError` for an id that there is not.
        """
        if isinstance(key, slice):
            return Frame._of(self._core.take(list(range(len(self))[key])))
        if isinstance(key, str):
            row = self._row_of(key)
            if row is None:
                raise missing_id(self._core, key)
            return self._core.item(row)
        if not hasattr(type(key), "__index__"):
            message = f"a frame has rows, ids and slices, not {key!r:.60}; use an int or a str"
            raise TypeError(message)
        try:
            row = range(len(self))[key]
        except IndexError:
            message = f"row {key} of a frame of {len(self)}; use {-len(self)} to {len(self) - 1}"
            message = message if len(self) else f"row {key} of a frame without rows"
            raise IndexError(message) from None
        return self._core.item(row)

    def _row_of(self, key: str) -> int | None:
        try:
            return self._core.row_of(key)
        except UnicodeEncodeError:
            # No id has a lone surrogate.
            return None

    def __contains__(self, key: object) -> bool:
        """Say whether a row has an id, or equals an item."""
        if isinstance(key, str):
            return self._row_of(key) is not None
        return any(item == key for item in self)

    def __eq__(self, other: object) -> bool:
        """Say whether two frames have equal rows."""
        if not isinstance(other, Frame):
            return NotImplemented
        return self._core.same(other._core)

    def __hash__(self) -> int:
        """Hash the ids."""
        return hash(self.ids)

    def __repr__(self) -> str:
        """Show the shape, no payload."""
        return f"Frame({len(self)} items)"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the items, and what became of them."""
        from packframe._pickle import public_frame  # noqa: PLC0415  (it imports this module)

        return (public_frame, (self._core,))

    def __add__(self, other: Frame) -> Frame:
        """Return the rows of both, in order.

        Two conversations become one. Raises `InvalidItem` for two equal ids, `InvalidOption` for
        conversations of two formats.
        """
        if not isinstance(other, Frame):
            return NotImplemented
        return Frame._of(self._core.concat(other._core))

    def extend(self, items: Iterable[Any]) -> Frame:
        """Return the frame with items behind; what was counted is not counted again.

        >>> import packframe as pf
        >>> len(pf.Frame(["a"]).extend(["b", "c"]))
        3
        """
        return Frame._of(self._core.concat(CoreFrame(items)))

    def filter(self, where: _Where) -> Frame:
        """Return the rows for which a condition, or a callable from an item to a bool, holds.

        What a callable raises is chained into `StrategyError`.
        """
        return Frame._of(self._core.filter(where))

    def sort(self, by: str | Column, *, descending: bool = False) -> Frame:
        """Return the rows sorted by a column: stable, rows without a value last.

        >>> import packframe as pf
        >>> frame = pf.Frame([pf.Item("a", score=0.2), pf.Item("b", score=0.8)])
        >>> [item.content for item in frame.sort("score", descending=True)]
        ['b', 'a']
        """
        return Frame._of(self._core.sort(by, descending))

    def limit(self, n: int) -> Frame:
        """Return the first n rows. Raises `InvalidOption` for what is no int from 0."""
        return Frame._of(self._core.limit(n))

    def with_items(self, items: Iterable[Any]) -> Frame:
        """Return the frame with items in the place of the rows that have their ids.

        Items whose id is not in the frame, or that have none, come behind.

        >>> import packframe as pf
        >>> frame = pf.Frame([pf.Item("old", id="a"), pf.Item("b", id="b")])
        >>> [item.content for item in frame.with_items([pf.Item("new", id="a")])]
        ['new', 'b']
        """
        return Frame._of(self._core.with_items(items))

    def demote(self, where: _Where, *, to: str = "optional") -> Frame:
        """Return the frame with the retention of the chosen rows lowered, never raised.

        Pinned rows stay. Each change is in the manifest.

        >>> import packframe as pf
        >>> turns = [pf.Item(f"turn {n}", retention="required") for n in range(7)]
        >>> frame = pf.Frame(turns).demote(pf.col("turn_from_end") > 4)
        >>> [item.retention for item in frame][:3]
        ['optional', 'optional', 'required']
        """
        return Frame._of(self._core.demote(where, to))

    def promote(self, where: _Where, *, to: str = "preferred") -> Frame:
        """Return the frame with the retention of the chosen rows raised, never lowered."""
        return Frame._of(self._core.promote(where, to))

    def quarantine(self, where: _Where) -> Frame:
        """Return the frame with the chosen rows quarantined: they are never packed."""
        return Frame._of(self._core.quarantine(where))

    def rank(self, by: str | Iterable[float] | Callable[[Item], float]) -> Frame:
        """Return the frame with the score of every row set; rows stay where they are.

        Parameters
        ----------
        by : str, iterable of float, or callable
            A query: each row gets its BM25 (k1 = 1.2, b = 0.75, the defaults of Lucene; Robertson
            and Zaragoza, 2009), 0 where its text has no term of the query. Or a finite score for
            each row, in order, such as the array of an embedding search. Or a callable from an
            item to a finite score.

        Terms of a query are words as Unicode has them (UAX 29), without regard to case (simple
        case folding), and pairs of neighbouring characters where a script has no spaces: Han,
        Hiragana, Katakana, Thai, Lao, Khmer, Myanmar. Words are not stemmed. What is searched is
        what a text rendering shows of a row; rows of bytes have 0. How rare a term is, and how
        long a text is, is measured on this frame.

        Raises `InvalidOption` for another number of scores than of rows and for a score that is
        not finite, naming its row, `StrategyError` with what a callable raises. Cost: linear in
        the text of the frame; the GIL is released for a query.

        >>> import packframe as pf
        >>> frame = pf.Frame(["Parcels to Oslo take 5 days.", "Oslo is blue.", "東京は晴れ。"])
        >>> [round(item.score, 2) for item in frame.rank("parcels to Oslo?")]
        [2.1, 0.54, 0.0]
        >>> [item.score > 0 for item in frame.rank("東京")]
        [False, False, True]
        >>> [item.score for item in frame.rank([0.5, 0.25, 0])]
        [0.5, 0.25, 0.0]
        """
        return Frame._of(self._core.rank(by))

    def redact(self, pattern: str | re.Pattern[str], replacement: str) -> Frame:
        """Return the frame with whatever a pattern finds in its contents replaced.

        Parameters
        ----------
        pattern : str or compiled pattern
            A str in the syntax of the Rust crate `regex`, which has neither look-around nor
            back-references: each search takes time linear in the text, whatever the text. Or what
            `re.compile` returns, for all that Python's `re` can do, at its speed and its worst
            case.
        replacement : str
            What stands in the place of each match, as it is: no group is filled in.

        Texts and URIs are searched whole; of JSON the strings that are values, one by one, so that
        keys and numbers stay and it stays JSON; of messages what somebody says, which is content,
        refusals and the arguments of calls. Alternatives are searched like contents. Bytes, ids,
        names, sources and metadata stay. Contents in which nothing is found are shared, with what
        was counted. Given ids stay, made ones follow the content, and `requires` with them. The
        manifest names each content that changed in `redactions`, with the hash of what is left.

        Raises `InvalidOption` for what is no pattern, `InvalidItem` for a URI of which nothing is
        left, `StrategyError` for a pattern of `re` that fails. Cost: one pass over the text.

        >>> import packframe as pf
        >>> frame = pf.Frame(["Card 4242-4242.", pf.Json({"card": ["4242-4242", 4242]})])
        >>> redacted = frame.redact(r"[0-9]{4}-[0-9]{4}", "[card]")
        >>> [item.text for item in redacted]
        ['Card [card].', '{"card":["[card]",4242]}']
        """
        return Frame._of(self._core.redact(pattern, replacement))

    def dedupe(self, *, by: str = "exact", threshold: float = 0.9) -> Frame:
        """Return the frame with rows that say the same merged into the first of them.

        Parameters
        ----------
        by : {"exact", "near"}
            Merge rows of equal kind and content, or also texts, and JSON, that are as similar as
            the threshold says. Similar is how many of the triples of words that either has both
            have (Jaccard), without regard to case and punctuation; where a script has no spaces,
            triples of characters. A text of fewer words is one triple.
        threshold : float
            For `"near"` alone: above 0, and at most 1.

        Rows merge only where they have the same role, section, `requires` and `exclusive`. Required
        rows, messages and members of a group stay as they are. The row that stays takes the worst
        trust, the highest sensitivity, the strongest retention, the earliest expiry, the best score
        and priority, and all sources; it is cut and replaced as the one of the strongest retention
        may be, the first among equals. Who required a merged row requires the one that stays. The
        manifest names every merged row, with its similarity where near ones were merged.

        Raises `InvalidOption` for another word or threshold, and for a threshold of `"exact"`.
        Cost: linear for `"exact"`; for
        `"near"` O(n log n) in words, and at most 256 comparisons a row: no similar row is missed,
        but where more than 256 others share its rarest triples.

        >>> import packframe as pf
        >>> frame = pf.Frame([pf.Item("same", score=0.1), pf.Item("same", score=0.9)]).dedupe()
        >>> len(frame), frame[0].score
        (1, 0.9)
        >>> texts = ["Parcels to Oslo take five days.", "PARCELS to Oslo take five days", "Other."]
        >>> len(pf.Frame(texts).dedupe(by="near"))
        2
        """
        if by == "near":
            return Frame._of(self._core.dedupe_near(threshold))
        _only("by", by, "exact", "near")
        if isinstance(threshold, bool) or threshold != 0.9:  # noqa: PLR2004  (the default)
            problem = "is nothing to by='exact', which merges what is equal"
            raise invalid_option("threshold", threshold, problem, "by='near', or no threshold")
        return Frame._of(self._core.dedupe())

    def pack(
        self,
        budget: int | None,
        *,
        reserve: int = 0,
        token_profile: TokenProfile | Callable[[str], int] | Any = None,
        render: str | None = None,
        separator: str = "\n\n",
        labels: bool = False,
        boundary: Boundary | None = None,
        policies: Sequence[Policy] = (),
        overflow: Overflow | None = None,
        sections: Iterable[Section] = (),
        strategies: Mapping[str, Strategy] | None = None,
        selection: str | None = None,
        value: Callable[[Item], float] | Sequence[float] | str | None = None,
        effort: int | None = None,
        diversity: float | None = None,
        layout: str = "input",
        previous: PackManifest | None = None,
        margin: float = 0,
        now: datetime | str | None = None,
        hash_key: bytes | None = None,
    ) -> Pack:
        """Return what fits into a budget of tokens, and the record of every decision.

        Parameters
        ----------
        budget : int or None
            Ceiling of the whole call in tokens; None for no ceiling.
        reserve : int
            Tokens kept for the reply.
        token_profile : TokenProfile, callable or None
            What counts; None is `profiles.approximate()`, for a conversation of `from_messages`
            with `format`, which frames its messages. A callable from str to int, or an
            object with `count`, is wrapped as a custom, approximate profile.
        render : {"text", "messages"}, optional
            What the pack is made for, and so what is counted; by default messages where the
            profile has framing, text else.
        separator : str
            What stands between two parts of a text.
        labels : bool
            Whether a text shows `<role>: ` before each part.
        boundary : Boundary, optional
            Where the pack goes; by default `Boundary.internal("application")`.
        policies : sequence of objects with `id` and `evaluate(item, boundary) -> str | None`
            Rules that may refuse items.
        overflow : Overflow, optional
            What to try when required items do not fit; by default `Overflow.error()`.
        sections : iterable of Section
            Rules for the items that name these sections; the sections themselves hold no items
            here. A section name that is not declared is a label: its items follow the rules of no
            section.
        strategies : mapping of str to Strategy, optional
            Rules of your own, by the name that a section gives as its `drop`.
        selection : {"greedy", "optimal"}, optional
            How groups are selected: by scans in the order of score, which is quick and easy to
            follow, or as one problem, so that no choice of groups and alternatives is worth more.
            By default greedy; but the messages of `from_messages` are in as its rules say: the
            newest, without a gap, in the room that all other items leave. With a word given they
            compete by score.
        value : callable from Item to float, sequence of floats, or {"score", "priority"}, optional
            What each item is worth to an optimal selection, finite and from 0; by default its
            score. A callable is asked for the items that are admitted, as they are admitted.
            Rounded to 2^-20. A group is worth what its best item is; an alternative, its
            share of that.
        effort : int, optional
            States and nodes that one optimal search may use; by default 2,000,000, some tenths of
            a second at most. The result depends on it, and never on time.
        diversity : float, optional
            From 0 to 1: how much less an item is worth to an optimal selection for what it repeats
            of better ones, its value times 1 - diversity * similarity; None or 0 for nothing.
            Similarity is that of `dedupe(by="near")`, to the most similar item of more value, and
            0 below one half. Costs O(n log n) in words.
        layout : {"input", "section", "score", "stable"}
            The order of the rendering: of the frame; section by section in the order in which they
            are declared, with headers and their own separators; best first; or what `previous`
            kept first, in its order. The messages of a conversation keep theirs, so that `"score"`
            is nothing to it without `selection`.
        previous : PackManifest, optional
            The manifest of the pack before, for `layout="stable"`.
        margin : int or float
            Tokens, or a fraction of budget less reserve, kept off a pack whose count is not exact.
        now : datetime, optional
            Aware. The time against which items expire; where it is None and some item expires,
            the clock is read once, here, and the time is in the manifest.
        hash_key : bytes, optional
            A secret of 16 bytes or more. With it the manifest holds the HMAC-SHA-256 of each
            hash of content, so that nobody without the key can try what a content was. Give ids
            then: one that is made holds twelve digits of the plain hash.

        Raises
        ------
        BudgetExceeded
            If required items do not fit, with numbers; `FloorsExceedBudget` if not with what
            sections hold, `SectionOverflow` if a section that must be there does not fit.
        PolicyViolation
            If the boundary or a policy refuses required items, with all of them.
        UnsupportedContent
            If a required item has content that no text can show.
        InvalidOption, InvalidItem, InvalidMessages
            For arguments, groups and messages that cannot be packed.
        PolicyError, TokenizerError, StrategyError
            If a callable of yours fails; what it raised is chained.

        Costs O(n log n) in rows; a text is counted once a tokenizer, and kept. The GIL is
        released.

        >>> import packframe as pf
        >>> pack = pf.Frame(["one", "two two", "three"]).pack(3, token_profile=len, separator="")
        >>> pack.text, pack.total_tokens, pack.complete
        ('one', 3, False)
        """
        profile, call = _call(
            self._core.expires(),
            budget,
            reserve=reserve,
            token_profile=_counted_by([self._core], token_profile),
            render=render,
            separator=separator,
            labels=labels,
            boundary=boundary,
            policies=policies,
            overflow=overflow,
            sections=sections,
            strategies=strategies,
            selection=selection,
            value=value,
            effort=effort,
            diversity=diversity,
            layout=layout,
            previous=previous,
            margin=margin,
            now=now,
            hash_key=hash_key,
        )
        return Pack(self._core.pack(*call), self, profile, call)


def pack_many(
    frames: Iterable[Frame],
    budget: int | Iterable[int | None] | None,
    *,
    threads: int | None = None,
    **options: Any,
) -> list[Pack]:
    """Return a pack for each frame, in order: what `frame.pack` gives for each alone.

    Parameters
    ----------
    frames : iterable of Frame
    budget : int, None, or an iterable of them
        Ceiling in tokens of each pack; one for all, or one for each frame.
    threads : int, optional
        The greatest number of threads, the calling one included. None starts some only where
        there is so much to do that each is sure to pay.
    **options
        Every other option of `Frame.pack`, the same for all frames. Where `now` is None and some
        item of some frame expires, the clock is read once for all.

    Raises
    ------
    InvalidOption
        For what is no frame, naming its place, and for another number of budgets than of frames.

    And what `Frame.pack` raises, for the first frame that fails, whatever the number of threads;
    `frame` of the error is its place, which the message names too. No pack is returned then.

    Costs what packing one by one costs, divided by the threads. The GIL is released once. Where
    code of yours runs (policies, counters, a `where` callable) all is packed on the calling thread,
    frame after frame. All threads have ended when this returns or raises.

    >>> import packframe as pf
    >>> frames = [pf.Frame(["one", "two two"]), pf.Frame(["three"])]
    >>> [pack.text for pack in pf.pack_many(frames, [3, 9], token_profile=len)]
    ['one', 'three']
    """
    if isinstance(frames, Frame):
        raise invalid_option("frames", frames, "is no list of frames", "a list of pf.Frame")
    listed = _several("frames", frames, "a list of pf.Frame")
    for place, frame in enumerate(listed):
        if not isinstance(frame, Frame):
            raise invalid_option(f"frames[{place}]", frame, "is no frame", "a pf.Frame")
    one: Any = None
    budgets: list[Any]
    if budget is None or not hasattr(type(budget), "__iter__"):
        one, budgets = budget, [budget] * len(listed)
    else:
        if isinstance(budget, (set, frozenset)):
            remedy = "one int, or a list of one for each frame"
            raise invalid_option("budget", budget, "has no order", remedy)
        budgets = list(_several("budget", budget, "one int, or a list of one for each frame"))
        if len(budgets) != len(listed):
            problem = f"has not one for each of {len(listed)} frames"
            raise invalid_option("budget", budgets, problem, "one int, or one for each frame")
    natives = [frame._core for frame in listed]  # noqa: SLF001  (a friend)
    expires = options.get("now") is None and any(native.expires() for native in natives)
    options["token_profile"] = _counted_by(natives, options.get("token_profile"))
    profile, call = _call(expires, one, **options)
    cores = _core_pack_many(natives, budgets, call, threads)
    return [
        Pack(core, frame, profile, (budget, *call[1:]))
        for core, frame, budget in zip(cores, listed, budgets, strict=True)
    ]


def _counted_by(frames: list[CoreFrame], given: Any) -> Any:
    """Return what counts: for conversations, where nothing is given, framed for their format."""
    formats = {frame.talk_format() for frame in frames} if given is None else {None}
    if formats <= {None}:
        return given
    if len(formats) > 1:
        problem = "is another for each format of these frames"
        raise invalid_option("token_profile", given, problem, "a profile that counts all of them")
    return framed_for(str(formats.pop()), None)


def _call(
    expires: bool,  # noqa: FBT001  (no option of a caller)
    budget: Any,
    *,
    reserve: int = 0,
    token_profile: Any = None,
    render: str | None = None,
    separator: str = "\n\n",
    labels: bool = False,
    boundary: Boundary | None = None,
    policies: Sequence[Policy] = (),
    overflow: Overflow | None = None,
    sections: Iterable[Section] = (),
    strategies: Mapping[str, Strategy] | None = None,
    selection: str | None = None,
    value: Callable[[Item], float] | Sequence[float] | str | None = None,
    effort: int | None = None,
    diversity: float | None = None,
    layout: str = "input",
    previous: PackManifest | None = None,
    margin: float = 0,
    now: datetime | str | None = None,
    hash_key: bytes | None = None,
) -> tuple[TokenProfile, tuple[Any, ...]]:
    """Return the profile, and the options in the order in which the core reads them."""
    if strategies is not None and not hasattr(strategies, "items"):
        remedy = "a mapping of names to objects with apply"
        raise invalid_option("strategies", strategies, "is no mapping", remedy)
    declared = _several("sections", sections, "a list of pf.Section")
    for section in declared:
        if getattr(section, "source", None) is not None:
            problem = "has a source, which nobody asks here"
            raise invalid_option("sections", section, problem, "it in the context of a pf.Request")
    profile = as_profile(token_profile)
    if now is None and expires:
        from datetime import datetime, timezone  # noqa: PLC0415  (needed here only)

        now = datetime.now(timezone.utc)
    return profile, (
        budget,
        reserve,
        profile._core,  # noqa: SLF001  (a friend)
        render,
        separator,
        labels,
        _APPLICATION if boundary is None else boundary,
        _several("policies", policies, "a list of objects with id and evaluate"),
        overflow,
        declared,
        [(name, rule, profile) for name, rule in dict(strategies or {}).items()],
        layout,
        None if previous is None else getattr(previous, "_core", previous),
        margin,
        now,
        hash_key,
        selection,
        value,
        effort,
        diversity,
    )


def _path(path: Any) -> str:
    """Return a path as a str; a number would be an open file, and closed behind the reader."""
    import os  # noqa: PLC0415  (needed here only)

    found = os.fspath(path) if isinstance(path, (str, os.PathLike)) else None
    if not isinstance(found, str) or not found:
        raise invalid_option("path", path, "is no path", "a str or an os.PathLike of one")
    return found


def _several(option: str, values: Any, remedy: str) -> tuple[Any, ...]:
    """Return a list of the caller's as a tuple; what is one value, or none, is refused."""
    if isinstance(values, (str, bytes, dict)) or not hasattr(type(values), "__iter__"):
        raise invalid_option(option, values, "is no list", remedy)
    return tuple(values)


def _only(option: str, value: str, *known: str) -> None:
    if value not in known:
        raise invalid_option(option, value, "is not known", " or ".join(map(repr, known)))


def _records(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    import json  # noqa: PLC0415  (needed here only)

    row = 0
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            message = f"row {row}: line {number} is no JSON ({error}); write one JSON object a line"
            raise InvalidItem(
                message,
                row=row,
                rows=[row],
                field="line",
                value=str(number),
                suggestion="one JSON object a line",
            ) from error
        yield record
        row += 1
