"""What a pack is counted with."""

from __future__ import annotations

from packframe._core import ProfileBase
from packframe._errors import TokenizerError, invalid_option
from packframe._record import Chunk, MessageCount, MessagePart

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, Literal

    from packframe._core import CountArray, Profile
    from packframe._counter import TokenCounter

    At = Literal["grapheme", "word", "sentence", "line"]


class TokenProfile(ProfileBase):
    """A tokenizer, the framing of messages, and what both are worth.

    The functions of `packframe.profiles` make these. A profile is immutable and shared between
    threads; native ones pickle.
    """

    __slots__ = ("__weakref__", "_core", "_recipe")
    _core: Profile
    _recipe: tuple[Any, ...]

    def __init__(self, core: Profile, recipe: tuple[Any, ...]) -> None:
        """Take the native profile, and the call of `packframe.profiles` that makes it again."""
        object.__setattr__(self, "_core", core)
        object.__setattr__(self, "_recipe", recipe)

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: a profile does not change."""
        message = f"a TokenProfile is immutable: {name} cannot be set"
        raise AttributeError(message)

    __delattr__ = __setattr__  # type: ignore[assignment]

    @property
    def id(self) -> str:
        """Its name, as it stands in manifests."""
        return self._core.id

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of all that decides its numbers; of a callable only id and version count."""
        return self._core.fingerprint

    @property
    def accuracy(self) -> str:
        """What a count of a text is worth: `exact`, `bounded` (never under) or `approximate`."""
        return self._core.accuracy

    @property
    def counted_by(self) -> str:
        """What counts: `engine`, `library`, `estimate` or `caller`.

        The engine is packframe's own. The library is Hugging Face's `tokenizers`, for a
        `tokenizer.json` that the engine does not take; `why_library` says why.
        """
        return self._core.counted_by

    @property
    def why_library(self) -> str | None:
        """Why a `tokenizer.json` is counted by the library; `None` for any other profile."""
        return self._core.why_library

    @property
    def base_tokens(self) -> int:
        """Tokens that a list of messages costs once."""
        return self._core.base_tokens

    @property
    def envelope_tokens_per_item(self) -> int:
        """Tokens that a user's message costs over its content."""
        return self._core.envelope_tokens_per_item

    def count_batch(self, texts: Iterable[str], threads: int | None = None) -> list[int]:
        """Return the number of tokens of each text, in order.

        `threads` is the greatest number of threads, this one included; None is 1 for all but large
        batches. No more are started than there are cores, and than pay: under an OpenAI encoding
        one for each 64 kB of text, for each MB if `threads` is None. The numbers are the same for
        any, and all threads have ended when this returns.
        From 8 kB of text on the GIL is released. A callable always runs on this thread. Raises as
        `count` does, for the first text that fails, and `InvalidOption` for threads below 1.

        >>> import packframe as pf
        >>> pf.profiles.openai("cl100k_base").count_batch(["Where?", "", "In Oslo."])
        [2, 0, 3]
        """
        return self._core.count_batch(texts, threads)

    def count_arrow(self, column: object, threads: int | None = None) -> CountArray:
        """Return the number of tokens of each row of an Arrow column, as an Arrow array of int64.

        `column` is whatever has `__arrow_c_array__` or `__arrow_c_stream__`, as the columns of
        pyarrow, polars, pandas, DuckDB and nanoarrow have: `utf8`, `large_utf8`, `utf8_view`, or a
        dictionary of one of them, whose values are counted once each. It is read where it lies,
        without a Python string for a row; an array of a stream is let go once it is counted. A
        null row is null. `threads` and the GIL are as in `count_batch`.

        Raises `InvalidOption` for what is no such column, naming its type, or the columns of a
        table; for an array that breaks the rules of Arrow's C data interface; and for a value that
        is no UTF-8, naming its row. Raises `TokenizerError` where a callable fails, with the row.

        >>> import packframe as pf
        >>> import pyarrow as pa
        >>> counts = pf.profiles.openai("o200k_base").count_arrow(pa.array(["Where?", None, ""]))
        >>> pa.array(counts).to_pylist()
        [2, None, 0]
        """
        return self._core.count_arrow(column, threads)

    def count_messages(
        self,
        messages: Iterable[Mapping[str, Any]],
        *,
        format: str | None = None,
        tools: list[Any] | tuple[Any, ...] | None = None,
        response_format: dict[str, Any] | None = None,
        tool_choice: str | dict[str, Any] | None = None,
        system: str | list[Any] | dict[str, Any] | None = None,
    ) -> MessageCount:
        """Return what a list of messages costs, in all and part by part, and what that is worth.

        `format` is that of the messages: `"openai-chat"`, `"openai-responses"`, `"anthropic"` or
        `"gemini"`; None is the profile's own. Messages are counted as a pack of them is, so `total`
        is the `total_tokens` of `Frame.from_messages(messages, format=format).pack(None, ...)` as
        messages, where nothing of them is repaired and a message comes first that may. What frames
        them is the profile's affair: each part names the source of what is charged over its texts,
        and the source's date. Profiles of `harmony`, `mistral` and `chat_template` render the whole
        as the model reads it and count that: the total is exact, and `joins` is what it has more,
        or less, than its shares.

        Names and arguments of calls cost their text, arguments that are no string their compact
        JSON. Each further key of a message costs its value: a string as it is, anything else as
        compact JSON, which makes the count `approximate`. `tools` cost what is published, else
        their compact JSON, under `tool_choice` where it changes the number; `response_format` costs
        its compact JSON; `system`, as Anthropic and Gemini have it beside the messages, what a
        system message does. In formats other than chat completions ids, types, statuses,
        signatures and cache marks cost nothing, media an estimate, and data of calls and results
        their compact JSON.

        Linear in the text. Raises `InvalidMessages` for what a provider would refuse,
        `UnsupportedContent` for a message with a part that is no text, such as an image, where the
        profile renders conversations,
        `InvalidOption` for what is no list of messages, for a format that is unknown or not the
        renderer's, and for parts that are not JSON, and as `count` does; a profile that renders
        raises `TokenizerError` for what its format cannot say.

        >>> import packframe as pf
        >>> counted = pf.profiles.openai("o200k_base").count_messages(
        ...     [{"role": "user", "content": "Where is my order?"}]
        ... )
        >>> counted.total, counted.accuracy
        (12, 'exact_text')
        >>> [(part.part, part.tokens, part.date) for part in counted.parts]
        [('base', 3, '2024-07'), ('message', 9, '2024-07')]
        """
        total, parts, accuracy = self._core.count_messages(
            messages, format, tools, response_format, tool_choice, system
        )
        names = MessagePart.__slots__
        made = (MessagePart(**dict(zip(names, part, strict=True))) for part in parts)
        return MessageCount(total=total, parts=tuple(made), accuracy=accuracy)

    def render_messages(
        self,
        messages: Iterable[Mapping[str, Any]],
        *,
        tools: list[Any] | tuple[Any, ...] | None = None,
    ) -> str:
        """Return the text that chat messages are for the model, with its markers.

        Only profiles of `harmony`, `mistral` and `chat_template` have one. The text is to be looked
        at: encoding it anew would read markers that stand in a content. Linear in the text. Raises
        as `count_messages` does, and `TokenizerError` for a profile that renders nothing.

        >>> import packframe as pf
        >>> profile = pf.profiles.harmony(system=False)
        >>> profile.render_messages([{"role": "user", "content": "Hi"}])
        '<|start|>user<|message|>Hi<|end|><|start|>assistant'
        """
        return self._core.render_messages(messages, tools)

    def count_till_limit(self, text: str, limit: int) -> int | None:
        """Return the number of tokens of a text, or None as soon as they are more than `limit`.

        OpenAI and approximate profiles read the part of the text that has `limit` tokens, and a few
        kilobytes more, however long it is; others count the whole. Any `limit` from 0 will do: a
        huge one is never passed. Raises `InvalidOption` for a `limit` that is no int or negative,
        and as `count` does.

        >>> import packframe as pf
        >>> profile = pf.profiles.openai("o200k_base")
        >>> profile.count_till_limit("Where is my order?", 5)
        5
        >>> profile.count_till_limit("Where is my order? " * 1_000_000, 5) is None
        True
        """
        return self._core.count_till_limit(text, limit)

    def fits(self, text: str, limit: int) -> bool:
        """Tell whether a text has at most `limit` tokens. Cost and errors: `count_till_limit`.

        >>> import packframe as pf
        >>> pf.profiles.openai("o200k_base").fits("Where is my order?", 4)
        False
        """
        return self._core.count_till_limit(text, limit) is not None

    def encode(self, text: str) -> list[int]:
        """Return the token ids of a text, as many as `count` says.

        OpenAI profiles give those of tiktoken's `encode_ordinary`; Hugging Face profiles those of
        `encode(text, add_special_tokens=False)`, special tokens in text read as text. Cost as
        `count`, and a list. Raises `TokenizerError` for a profile without token ids, which
        `approximate`, `custom` and those of Python objects are, and as `count` does.

        >>> import packframe as pf
        >>> pf.profiles.openai("o200k_base").encode("Where is my order?")
        [11977, 382, 922, 2569, 30]
        """
        return self._core.encode(text)

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Return the bytes that token ids stand for; those of `encode` give back the text in UTF-8.

        A token may have a part of a character, so the bytes of some tokens need not be UTF-8. What
        the normalizer of a Hugging Face file changed stays changed. On its library such a profile
        decodes with the decoder of the file, and bytes that are no UTF-8 become U+FFFD. The id of a
        special token stands for its text; OpenAI profiles know it only with `special="parse"`.
        Raises `InvalidOption` for what is no id of this profile, `TokenizerError` for a profile
        without ids.

        >>> import packframe as pf
        >>> profile = pf.profiles.openai("o200k_base")
        >>> profile.decode_bytes(profile.encode("Oslo, Bergen"))
        b'Oslo, Bergen'
        """
        return self._core.decode_bytes(ids)

    def token_offsets(self, text: str) -> list[int]:
        """Return where each token of a text ends, in bytes of its UTF-8.

        A token may end inside a character. A Hugging Face profile gives what its library says: the
        end of the characters that the token has a part of. Cost and errors as `encode`.

        >>> import packframe as pf
        >>> pf.profiles.openai("o200k_base").token_offsets("Where is my order?")
        [5, 8, 11, 17, 18]
        """
        return self._core.token_offsets(text)

    def truncate(
        self,
        text: str,
        limit: int,
        *,
        keep: Literal["head", "tail", "ends"] = "head",
        at: At = "word",
        marker: str = "…",
    ) -> str:
        """Return a text of at most `limit` tokens: the text itself, or what is kept of it.

        A text that fits comes back unchanged. Else the `marker` (`""` for none) stands where a
        stretch was cut out: behind the head, before the tail, or between both ends, of which the
        head gets half of the room, rounded up, and what the tail cannot use. The result is counted
        with the marker, as the tokenizer sees it, and is never over `limit`.

        What is kept ends, or starts, at a grapheme, a word or a sentence (UAX 29; each punctuation
        mark is a word), or a line. The white space behind a kept word or sentence and the line
        break behind a line are cut off, white space inside is kept. No grapheme is ever cut. What
        is kept is at least as long as the longest allowed cut all of whose shorter ones fit: a
        longer text can have fewer tokens. Where the tokenizer starts anew near the cut, as it does
        at most words, it is the longest that fits. Where nothing can be kept with the marker, the
        result is empty.

        OpenAI and approximate profiles read the part that has `limit` tokens once, and what is
        around the cut some times; others count the whole text and some four to seven cuts of it.
        Raises `InvalidOption` for a bad option, and as `count` does.

        >>> import packframe as pf
        >>> profile = pf.profiles.openai("o200k_base")
        >>> profile.truncate("The lamp is blue while a device is pairing.", 6)
        'The lamp is blue while…'
        >>> profile.truncate("The lamp is blue while a device is pairing.", 7, keep="ends")
        'The lamp is…is pairing.'
        >>> profile.truncate("It rains. It pours. It ends.", 8, at="sentence", marker=" [...]")
        'It rains. It pours. [...]'
        """
        return self._core.truncate(text, limit, keep, at, marker)

    def split(
        self, text: str, max_tokens: int, *, overlap: int = 0, at: At = "sentence"
    ) -> list[Chunk]:
        """Return the chunks of a text, each of at most `max_tokens` tokens, in order.

        A chunk is as long as it can be, by the rule of `truncate`. It ends where a unit of `at`
        starts, so the white space behind a unit is in its chunk; a unit that is too long for a
        chunk is split at the next finer one: lines, sentences, words, graphemes, characters.
        `Chunk.tokens` is the count of the chunk alone, as exact as the profile.

        Without overlap, the texts of the chunks joined are the text. With it, a chunk starts with
        the last units of the one before that have at most `overlap` tokens: of a finer kind where
        one is longer, down to graphemes, so a small overlap may be the lone space behind a word;
        fewer where the next unit would not fit beside them. Each chunk still ends behind the one
        before, so `text[before.end:chunk.end]` is what it adds.

        OpenAI and approximate profiles read each chunk some times; others count four to seven times
        for each. An empty text has no chunks. Raises `InvalidOption` for a bad option, for an
        `overlap` that is not less than `max_tokens`, and where a single character has more than
        `max_tokens`; else as `count` does.

        >>> import packframe as pf
        >>> profile = pf.profiles.openai("o200k_base")
        >>> text = "It rains. It pours all day. Then it ends."
        >>> [chunk.text for chunk in profile.split(text, 8)]
        ['It rains. ', 'It pours all day. ', 'Then it ends.']
        >>> [(chunk.start, chunk.end, chunk.tokens) for chunk in profile.split(text, 8)]
        [(0, 10, 4), (10, 28, 6), (28, 41, 4)]
        """
        return [
            Chunk(text=part, tokens=tokens, start=start, end=end)
            for part, tokens, start, end in self._core.split(text, max_tokens, overlap, at)
        ]

    def counter(self) -> TokenCounter:
        """Return a counter that follows a text as it grows; see `TokenCounter`.

        >>> import packframe as pf
        >>> counter = pf.profiles.openai("o200k_base").counter()
        >>> counter.append("Where is")
        >>> counter.count
        2
        """
        from packframe._counter import TokenCounter  # noqa: PLC0415  (needed here only)

        return TokenCounter(self)

    def __repr__(self) -> str:
        """Show the id."""
        return f"TokenProfile({self.id!r}, accuracy={self.accuracy!r})"

    def __eq__(self, other: object) -> bool:
        """Native profiles are equal if their fingerprints are, others if they are the same."""
        if not isinstance(other, TokenProfile):
            return NotImplemented
        return self is other or (self._is_native() and self.fingerprint == other.fingerprint)

    def __hash__(self) -> int:
        """Hash the fingerprint."""
        return hash(self.fingerprint)

    def _is_native(self) -> bool:
        return self._recipe[0] not in {"custom", "huggingface_python"}

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the call that makes it again; raise `TokenizerError` where a callable cannot."""
        from packframe._pickle import profile  # noqa: PLC0415  (needed here only)

        if not self._is_native():
            import pickle  # noqa: PLC0415  (slow to import)

            try:
                pickle.dumps(self._recipe)
            except Exception as error:
                message = (
                    f"profile '{self.id}' cannot be pickled, since its callable cannot: {error}; "
                    "use a function that a module defines"
                )
                raise TokenizerError(message, which=self.id, row=None, cause=repr(error)) from error
        return (profile, self._recipe)


def as_profile(value: Any) -> TokenProfile:
    """Return the profile that `token_profile=` means: a callable is wrapped as custom."""
    from packframe import profiles  # noqa: PLC0415  (it imports this module)

    if isinstance(value, TokenProfile):
        return value
    if value is None:
        return profiles.approximate()
    count = getattr(value, "count", None)
    # A sequence counts how often it has a value: that is no counter of tokens.
    if callable(count) and not hasattr(type(value), "__getitem__"):
        name = str(getattr(value, "id", None) or type(value).__qualname__)
        return profiles.custom(name, count, count_messages=getattr(value, "count_messages", None))
    if callable(value):
        name = getattr(value, "__qualname__", None) or type(value).__qualname__
        return profiles.custom(f"callable:{name}", value)
    remedy = "pf.profiles, or a callable from str to int"
    raise invalid_option("token_profile", value, "is no profile", remedy)


_FRAMED: dict[tuple[str, str | None], TokenProfile] = {}
"""The profiles of conversations where none was given; made anew when there are too many."""


def framed_for(format: str, model: str | None) -> TokenProfile:
    """Return the profile of a conversation where none is given: a framed estimate."""
    known = _FRAMED.get((format, model))
    if known is None:
        from packframe import profiles  # noqa: PLC0415  (needed here only)

        if len(_FRAMED) >= 64:  # noqa: PLR2004  (a bound)
            _FRAMED.clear()
        known = _FRAMED[format, model] = profiles.approximate(format=format, model=model)
    return known
