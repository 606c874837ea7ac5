"""What of a conversation may be made shorter before anything of it is left out."""

from __future__ import annotations

from packframe._errors import invalid_option, listed
from packframe._record import _Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    _Step: TypeAlias = tuple[str, int | None, str | None, int | None]


class Shorten(_Record):
    """A kind of shortening and how far it goes, for `shorten=` of a request.

    Made by `Shorten.thinking`, `Shorten.clear`, `Shorten.results` and `Shorten.text`; the word of
    a kind stands for the kind as far as it goes by default.

    >>> import packframe as pf
    >>> history = [
    ...     {"role": "user", "content": "Read the log."},
    ...     {"role": "assistant", "content": None, "tool_calls": [
    ...         {"id": "a", "type": "function", "function": {"name": "read", "arguments": "{}"}}]},
    ...     {"role": "tool", "tool_call_id": "a", "content": "started " + "ok " * 400 + "failed"},
    ... ]
    >>> plan = pf.plan_messages(
    ...     history,
    ...     format="openai-chat",
    ...     budget=49,
    ...     token_profile=pf.profiles.openai("o200k_base"),
    ...     shorten=[pf.Shorten.clear(keep_last=3), pf.Shorten.results(least=16)],
    ... )
    >>> plan.messages[2]["content"]
    'started ok ok ok ok ok ok [… 1162 characters left out …] ok ok ok ok ok ok ok failed'
    """

    __slots__ = {  # noqa: RUF023  (the order of the repr)
        "kind": "`thinking`, `clear`, `results` or `text`.",
        "keep_last": "Of `clear`: how many of the newest results stay; else None.",
        "placeholder": "Of `clear`: what is said instead; else None.",
        "least": "Of `results` and `text`: the fewest tokens that are kept; else None.",
    }
    kind: str
    keep_last: int | None
    placeholder: str | None
    least: int | None

    def __init__(
        self,
        *,
        kind: str,
        keep_last: int | None = None,
        placeholder: str | None = None,
        least: int | None = None,
    ) -> None:
        """Take the kind, and what belongs to it; what belongs to another is refused."""
        of: Any = kind
        if not isinstance(of, str) or of not in _FIELDS:
            raise invalid_option("kind", kind, "is no kind of shortening", ", ".join(_FIELDS))
        given = {"keep_last": keep_last, "placeholder": placeholder, "least": least}
        for name, value in given.items():
            if value is None:
                continue
            if name not in _FIELDS[kind]:
                remedy = ", ".join(_FIELDS[kind]) or f"kind={kind!r} alone"
                raise invalid_option(name, value, f"is nothing that {kind!r} has", remedy)
            if name != "placeholder":
                _number(name, value)
            elif not isinstance(value, str):
                raise invalid_option(name, value, "is not a string", "a str")
        super().__init__(kind=kind, keep_last=keep_last, placeholder=placeholder, least=least)

    @classmethod
    def thinking(cls) -> Shorten:
        """Let the thinking go of steps that have ended.

        Thinking blocks (Anthropic), `reasoning` items (Responses; not where an item that was made
        with one has an id, by which the provider would miss it), thoughts (Gemini; not where a
        call may need their signature), `reasoning_content` and its like (chat completions). Never
        behind the newest message of the user's where calls and results follow it, and never where
        nothing else would be left of a message.

        >>> import packframe as pf
        >>> pf.Shorten.thinking()
        Shorten.thinking()
        """
        return cls(kind="thinking")

    @classmethod
    def clear(cls, *, keep_last: int = 3, placeholder: str = "[result cleared]") -> Shorten:
        """Put a placeholder in the place of what results say, but for the newest.

        Parameters
        ----------
        keep_last : int
            How many of the newest results stay.
        placeholder : str
            What is said instead. A result that says no more than that stays.

        Ids, errors and the order of blocks stay. Raises `InvalidOption` for what is no number, and
        no text.

        >>> import packframe as pf
        >>> pf.Shorten.clear(keep_last=5)
        Shorten.clear(keep_last=5, placeholder='[result cleared]')
        """
        _number("keep_last", keep_last)
        given: Any = placeholder
        if not isinstance(given, str):
            raise invalid_option("placeholder", placeholder, "is not a string", "a str")
        return cls(kind="clear", keep_last=keep_last, placeholder=placeholder)

    @classmethod
    def results(cls, *, least: int = 64) -> Shorten:
        """Cut results in the middle, those of one step together.

        Parameters
        ----------
        least : int
            The fewest tokens that the results of one step keep together. The short ones stay
            whole, the longer ones share the rest evenly.

        What is kept is the start and the end, with a mark between them that says how much is left
        out. JSON stays JSON: lists, objects and strings in it lose their middle. Pictures and files
        stay. Raises `InvalidOption` for what is no number of tokens.

        >>> import packframe as pf
        >>> pf.Shorten.results(least=200)
        Shorten.results(least=200)
        """
        _number("least", least)
        return cls(kind="results", least=least)

    @classmethod
    def text(cls, *, least: int = 64) -> Shorten:
        """Cut messages of the user and the model that are text only, the oldest first.

        Parameters
        ----------
        least : int
            The fewest tokens that a message keeps.

        What has to stay is not cut: the newest message of the user, the last message, system
        messages, the final. Raises `InvalidOption` for what is no number of tokens.

        >>> import packframe as pf
        >>> pf.Shorten.text()
        Shorten.text(least=64)
        """
        _number("least", least)
        return cls(kind="text", least=least)

    def __repr__(self) -> str:
        """Show the call that makes it."""
        names = ("keep_last", "placeholder", "least")
        given = ((name, getattr(self, name)) for name in names)
        shown = ", ".join(f"{name}={value!r}" for name, value in given if value is not None)
        return f"Shorten.{self.kind}({shown})"


_FIELDS: dict[str, tuple[str, ...]] = {
    "thinking": (),
    "clear": ("keep_last", "placeholder"),
    "results": ("least",),
    "text": ("least",),
}
"""The kinds, and what each has."""


def _number(option: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise invalid_option(option, value, "is not an int", "a whole number")
    if value < 0:
        raise invalid_option(option, value, "is negative", "0 or more")


def _steps(shorten: Any) -> list[_Step]:
    """Return what the core reads of `shorten=`."""
    remedy = "a list of pf.Shorten or of " + ", ".join(_FIELDS)
    steps: list[_Step] = []
    for step in listed("shorten", shorten, remedy):
        if isinstance(step, str):
            steps.append((step, None, None, None))
        elif isinstance(step, Shorten):
            steps.append((step.kind, step.keep_last, step.placeholder, step.least))
        else:
            raise invalid_option("shorten", step, "is no kind of shortening", remedy)
    return steps
