"""A count that follows a text as it grows."""

from __future__ import annotations

from packframe._core import Counter, Profile
from packframe._errors import invalid_option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from packframe._core import TokenMark
    from packframe._profile import TokenProfile


class TokenCounter:
    """A text that is appended to, its count at each point, and the way back to a mark.

    `TokenProfile.counter` makes it. `count` equals the profile's count of `text`, whatever the
    pieces were that it came in. The text is kept, so memory grows with it.

    Cost, where `incremental` is True: `append` copies; `count` looks at what was appended since it
    was last asked for, and at what is behind the last place where the tokenizer certainly starts
    anew, mostly the last word. Where no such place comes for more than 512 bytes (one letter for
    megabytes), tokens are kept and only those near the end are made again; then `count` costs what
    was appended, as long as the text goes on as its last sixteen characters do (letters, signs,
    white space), else a scan of that stretch, a gigabyte a second or so. `mark` and `rollback` cost
    nothing but what `rollback` lets go. Where `incremental` is False, each `count` after a change
    counts the whole text.

    Threads may share a counter: each call is done whole. It pickles and copies with its text, marks
    do not.

    >>> import packframe as pf
    >>> counter = pf.profiles.openai("o200k_base").counter()
    >>> counter.append("The lamp is blue")
    >>> counter.count
    4
    >>> mark = counter.mark()
    >>> counter.append(" while a device is pairing.")
    >>> counter.count
    10
    >>> counter.rollback(mark)
    >>> counter.count, counter.text
    (4, 'The lamp is blue')
    """

    __slots__ = ("__weakref__", "_core", "_profile")
    _core: Counter
    _profile: TokenProfile

    def __init__(self, profile: TokenProfile) -> None:
        """Start with an empty text. Raises `InvalidOption` for what is no profile."""
        core = getattr(profile, "_core", None)
        if not isinstance(core, Profile):
            remedy = "a TokenProfile, such as pf.profiles.openai('o200k_base')"
            raise invalid_option("profile", profile, "is no token profile", remedy)
        object.__setattr__(self, "_core", Counter(core))
        object.__setattr__(self, "_profile", profile)

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: only `append` and `rollback` change a counter."""
        message = f"{name} of a TokenCounter cannot be set"
        raise AttributeError(message)

    __delattr__ = __setattr__  # type: ignore[assignment]

    @property
    def incremental(self) -> bool:
        """Whether a count looks only at the end of the text; else it counts all of it again."""
        return self._core.incremental()

    @property
    def count(self) -> int:
        """The tokens of the text so far.

        Raises `TokenizerError` where the tokenizer fails; the text stays as it is.
        """
        return self._core.count()

    @property
    def text(self) -> str:
        """The text so far, copied."""
        return self._core.text()

    @property
    def profile(self) -> TokenProfile:
        """What counts."""
        return self._profile

    def append(self, text: str) -> None:
        """Add a text at the end; it is counted when `count` is asked for.

        Raises `InvalidOption` for what is no text or has a lone surrogate, half of a pair included.

        >>> import packframe as pf
        >>> counter = pf.profiles.openai("o200k_base").counter()
        >>> for piece in ("inter", "national"):
        ...     counter.append(piece)
        >>> counter.count
        1
        """
        self._core.append(text)

    def mark(self) -> TokenMark:
        """Return a mark of where the text ends now, for `rollback`; it shows the tokens if counted.

        >>> import packframe as pf
        >>> counter = pf.profiles.openai("o200k_base").counter()
        >>> counter.append("Where is my order?")
        >>> counter.mark()
        TokenMark(bytes=18)
        >>> counter
        TokenCounter('openai:o200k_base', bytes=18, tokens=5)
        >>> counter.mark()
        TokenMark(bytes=18, tokens=5)
        """
        return self._core.mark()

    def rollback(self, mark: TokenMark) -> None:
        """Take back all that was appended since a mark; nothing is counted again.

        The mark stays good, so one can come back to it again; marks behind it do not. Raises
        `InvalidOption` for a mark of another counter, one that was rolled back over, and what is
        no mark.

        >>> import packframe as pf
        >>> counter = pf.profiles.openai("o200k_base").counter()
        >>> start = counter.mark()
        >>> counter.append("Oslo")
        >>> counter.rollback(start)
        >>> counter.text
        ''
        """
        self._core.rollback(mark)

    def __repr__(self) -> str:
        """Show what counts, the bytes of the text, and its tokens if that takes no long count."""
        length, tokens = self._core.glance()
        known = "" if tokens is None else f", tokens={tokens}"
        return f"TokenCounter({self._profile.id!r}, bytes={length}{known})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle profile and text."""
        from packframe._pickle import counter  # noqa: PLC0415  (needed here only)

        return (counter, (self._profile, self.text))
