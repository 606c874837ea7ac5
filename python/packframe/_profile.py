"""What a pack is counted with."""

from __future__ import annotations

from packframe._errors import TokenizerError, invalid_option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from packframe._core import Profile


class TokenProfile:
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
    def base_tokens(self) -> int:
        """Tokens that a list of messages costs once."""
        return self._core.base_tokens

    @property
    def envelope_tokens_per_item(self) -> int:
        """Tokens that a user's message costs over its content."""
        return self._core.envelope_tokens_per_item

    def count(self, text: str) -> int:
        """Return the number of tokens of a text; 0 for an empty one.

        Special tokens in text are text. Linear in the text, but for one stretch without a border
        of n bytes, which costs n log n. Raises `InvalidOption` for what is no text or has a lone
        surrogate, `TokenizerError` where a callable fails.

        >>> import packframe as pf
        >>> pf.profiles.openai("o200k_base").count("Where is my order?")
        5
        """
        return self._core.count(text)

    def count_batch(self, texts: Iterable[str]) -> list[int]:
        """Return the number of tokens of each text, in order, without the GIL for native profiles.

        Raises as `count` does.

        >>> import packframe as pf
        >>> pf.profiles.openai("cl100k_base").count_batch(["Where?", "", "In Oslo."])
        [2, 0, 3]
        """
        return self._core.count_batch(texts)

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
    if callable(count) and not isinstance(value, (str, bytes, list, tuple)):
        name = str(getattr(value, "id", None) or type(value).__qualname__)
        return profiles.custom(name, count, count_messages=getattr(value, "count_messages", None))
    if callable(value):
        name = getattr(value, "__qualname__", None) or type(value).__qualname__
        return profiles.custom(f"callable:{name}", value)
    remedy = "pf.profiles, or a callable from str to int"
    raise invalid_option("token_profile", value, "is no profile", remedy)
