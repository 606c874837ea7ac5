"""The bytes of a tokenizer.json, however it is given."""

from __future__ import annotations

from packframe._errors import TokenizerError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SHOWN = 60
"""Characters of a bad value that an error quotes."""


def tokenizer_file(tokenizer: Any) -> bytes | None:
    """Return the bytes of a tokenizer.json, from text, bytes, a path or a tokenizer object.

    None is an object that has none. Raises `TokenizerError` for a str that is no such text, and
    `OSError` for a path that cannot be read.
    """
    if isinstance(tokenizer, str) and not tokenizer.lstrip().startswith("{"):
        shown = repr(tokenizer if len(tokenizer) <= _SHOWN else tokenizer[:_SHOWN] + "…")
        message = (
            f"the str {shown} is no tokenizer.json; pass the text of one, or "
            "pathlib.Path(...) for a path: names of models are not looked up"
        )
        raise TokenizerError(message, which="huggingface", row=None, cause=None)
    if isinstance(tokenizer, (str, bytes)):
        data = tokenizer
    elif hasattr(tokenizer, "__fspath__"):
        data = read(tokenizer)
    else:
        backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
        to_str = getattr(backend, "to_str", None)
        if to_str is None:
            return None
        data = to_str()
    if isinstance(data, str):
        try:
            return data.encode()
        except UnicodeEncodeError as error:
            message = "the tokenizer.json has a lone surrogate; pass the text of the file"
            raise TokenizerError(
                message, which="huggingface", row=None, cause=repr(error)
            ) from error
    return bytes(data)


def read(path: Any) -> bytes:
    """Return the bytes of a file."""
    with open(path, "rb") as file:  # noqa: PTH123  (pathlib is slow to import)
        return bytes(file.read())
