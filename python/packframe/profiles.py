"""The makers of token profiles: what a pack is counted with."""

from __future__ import annotations

from packframe._core import Profile
from packframe._errors import PerformanceWarning, TokenizerError, invalid_option
from packframe._framed import (
    anthropic,
    chat_template,
    framing_table,
    gemini,
    harmony,
    mistral,
    openai_responses,
)
from packframe._profile import TokenProfile
from packframe._tokenizer_file import tokenizer_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from typing import Any, Literal

__all__ = [
    "anthropic",
    "approximate",
    "chat_template",
    "custom",
    "framing_table",
    "gemini",
    "harmony",
    "huggingface",
    "mistral",
    "openai",
    "openai_responses",
]

_PROBE = "Hello, world!"
"""What a tokenizer that runs in Python is tried with."""


def approximate(
    *, conservative: bool = False, format: str | None = None, model: str | None = None
) -> TokenProfile:
    """Return a profile for when no tokenizer is at hand.

    It estimates tokens from the UTF-8 bytes by script: deterministic, at least 1 token for a text
    that is not empty, linear, about a gigabyte a second. The weights are packframe's own, fitted to
    both OpenAI encodings. On pieces of 4 kB the median error is within 8 % of `o200k_base` for each
    of 106 texts in 65 languages and formats, and within 8 % of `cl100k_base` where that encoding is
    near the other; every number is marked `approximate`.

    With `conservative=True` a number is the greater count of `o200k_base` and `cl100k_base`, so it
    is never under either, for any text, and marked `bounded`. It costs both counts, some 100 MB/s.
    What other tokenizers have is in `docs/approximate-counts.md`, with the errors text by text.

    Messages are not framed, unless `format` names the wire format that they are sent in: then they
    cost what `framing_table()` has for it, and for `model`. That is the profile that a plan has
    where none is given. Raises `InvalidOption` for what is no bool and no format.

    >>> import packframe as pf
    >>> pf.profiles.approximate().accuracy
    'approximate'
    >>> pf.profiles.approximate(conservative=True).accuracy
    'bounded'
    >>> pf.profiles.approximate(format="anthropic").envelope_tokens_per_item
    4
    """
    recipe = ("approximate", conservative, format, model)
    return TokenProfile(Profile.approximate(conservative, format, model), recipe)


def openai(
    encoding: str, *, special: Literal["text", "parse"] = "text", model: str | None = None
) -> TokenProfile:
    """Return the profile of an OpenAI encoding.

    Known are `"o200k_base"`, `"cl100k_base"`, `"o200k_harmony"`, `"p50k_base"` and `"r50k_base"`.
    Content is counted exactly, as tiktoken's `encode_ordinary` does: special tokens in it are text.
    With `special="parse"` each is one token, as in `encode(..., allowed_special="all")`; that is
    for texts of your own, never for what a user wrote. Messages are framed as OpenAI published it
    (cookbook, "How to count tokens with tiktoken"): 3 tokens a message and its role, 1 for a name,
    3 that prime the reply; that framing is marked an estimate. `model` picks the numbers of its
    generation, with their source, from `framing_table()`; one that is not in it, and None, have
    those of gpt-4 and gpt-4o. The vocabulary is in the package,
    in tables that are read where they lie: nothing is loaded. Raises `InvalidOption` for an unknown
    encoding, naming the known ones; for a model of OpenAI's, such as `"gpt-4o"`, naming its own.

    >>> import packframe as pf
    >>> profile = pf.profiles.openai("o200k_base")
    >>> profile.accuracy, profile.base_tokens, profile.envelope_tokens_per_item
    ('exact', 3, 4)
    >>> parsing = pf.profiles.openai("o200k_base", special="parse")
    >>> profile.count("<|endoftext|>"), parsing.count("<|endoftext|>")
    (7, 1)
    """
    recipe = ("openai", encoding, special, model)
    return TokenProfile(Profile.openai(encoding, special, model), recipe)


def huggingface(
    tokenizer: str | bytes | os.PathLike[str] | object,
    *,
    base_tokens: int = 0,
    envelope_tokens_per_item: int = 0,
    exact: bool | None = None,
    special: Literal["text", "parse"] = "text",
) -> TokenProfile:
    """Return the profile of a Hugging Face tokenizer.

    `tokenizer` may be the text of a `tokenizer.json` (a str or bytes), a path to one (an
    `os.PathLike`, such as `pathlib.Path`), or an object with `to_str()` or `backend_tokenizer`
    (tokenizers, transformers fast): these are parsed once, here, and count natively and exactly,
    with `add_special_tokens=False` and special tokens in text read as text. With `special="parse"`
    each is one token, as the library has it by default; that is for texts of your own, never for
    what a user wrote. A byte-level vocabulary with a known pretokenizer runs on packframe's own
    engine, any other on the library: `counted_by` says which. A str is never a path, nor the name
    of a model: nothing is fetched.

    Any other object with `count_batch`, `encode` or `__call__` runs in Python, with one
    `PerformanceWarning`; it is tried here, with one short text. `exact=True` says, on your word,
    that its counts are exact, and what special tokens are is its own affair. No framing is charged
    but the numbers you give, in tokens.

    Raises `TokenizerError` for a broken `tokenizer.json`, for one of more than 128 MiB and for an
    object that does not count the short text, `InvalidOption` for what is none of these, and
    `OSError` (`FileNotFoundError`, `IsADirectoryError`, ...) for a path that cannot be read.
    """
    data = tokenizer_file(tokenizer)
    if data is None:
        return _python_tokenizer(
            tokenizer, base_tokens, envelope_tokens_per_item, exact=bool(exact)
        )
    options = (base_tokens, envelope_tokens_per_item, special)
    return TokenProfile(Profile.huggingface(data, *options), ("huggingface", data, *options))


def _python_tokenizer(
    tokenizer: Any, base_tokens: int, envelope: int, *, exact: bool | None
) -> TokenProfile:
    count_batch = getattr(tokenizer, "count_batch", None)
    if count_batch is not None:
        method, count = "count_batch", count_batch
    elif hasattr(tokenizer, "encode"):
        method, count = "encode", _Encode(tokenizer.encode)
    elif callable(tokenizer):
        method, count = "__call__", _Encode(tokenizer)
    else:
        remedy = "the text of a tokenizer.json, a pathlib.Path to one, or a tokenizer object"
        raise invalid_option("tokenizer", tokenizer, "is no tokenizer", remedy)
    import warnings  # noqa: PLC0415  (not needed for import)

    name = f"huggingface:{type(tokenizer).__qualname__}"
    exact = False if exact is None else exact
    batch = count_batch is not None
    core = Profile.custom(name, count, batch, None, base_tokens, envelope, exact, None)
    made = TokenProfile(core, ("huggingface_python", tokenizer, base_tokens, envelope, exact))
    try:
        made.count(_PROBE)
    except TokenizerError as error:
        message = f"{error}; {method} was tried with {_PROBE!r}: pass its tokenizer.json instead"
        cause = error.__cause__
        raise TokenizerError(message, which=name, row=None, cause=error.cause) from cause
    warnings.warn(
        f"{name} runs in Python; pass its tokenizer.json for native counts",
        PerformanceWarning,
        stacklevel=3,
    )
    return made


class _Encode:
    """Counts what `encode` or `__call__` of a tokenizer returns."""

    __slots__ = ("_call",)

    def __init__(self, call: Any) -> None:
        self._call = call

    def __call__(self, text: str) -> int:
        try:
            found = self._call(text, add_special_tokens=False)
        except TypeError:
            found = self._call(text)
        ids = getattr(found, "ids", None)
        if ids is None and hasattr(found, "keys"):
            ids = found["input_ids"]
        return found if isinstance(found, int) else len(found if ids is None else ids)


def custom(
    id: str,
    count: Callable[[str], int] | Any,
    *,
    count_messages: Callable[[list[dict[str, Any]]], int] | None = None,
    base_tokens: int = 0,
    envelope_tokens_per_item: int = 0,
    exact: bool = False,
    version: str | None = None,
) -> TokenProfile:
    """Return a profile that counts with a callable of yours.

    `count` takes a text and returns its tokens, an int from 0; it runs between the stages of
    packing, and what it says of a text is kept. `count_messages` takes a list of message dicts
    and returns the tokens of the whole. `exact=True` makes the counts exact, on your word: the
    manifest says `asserted_by_caller`. What it raises is chained into `TokenizerError`.

    >>> import packframe as pf
    >>> words = pf.profiles.custom("words", lambda text: len(text.split()))
    >>> words.count("one two three"), words.accuracy
    (3, 'approximate')
    """
    if not callable(count):
        raise invalid_option("count", count, "is not callable", "a callable from str to int")
    if count_messages is not None and not callable(count_messages):
        remedy = "a callable from messages to int"
        raise invalid_option("count_messages", count_messages, "is not callable", remedy)
    options = (count_messages, base_tokens, envelope_tokens_per_item, exact, version)
    core = Profile.custom(id, count, False, *options)  # noqa: FBT003  (not a batch)
    return TokenProfile(core, ("custom", id, count, *options))
