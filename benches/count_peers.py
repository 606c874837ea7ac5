"""The peers: how each loads an encoding, and its fastest way to say how many tokens a text is.

Each `load` imports its library itself, so that the import is part of what loading costs. The
vocabulary files lie in a folder that `count_vocabulary` wrote.
"""

from __future__ import annotations

import importlib.metadata
import os
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Count = Callable[[str], int]

# fastokens spreads a long text over threads of its own; one thread is its fastest per CPU second.
os.environ.setdefault("FASTOKENS_BPE_THREADS", "1")


class Peer(NamedTuple):
    """A library, by its name on the package index, and what makes a counter of it."""

    name: str
    load: Callable[[str, Path], Count]

    @property
    def version(self) -> str:
        """The installed version."""
        return importlib.metadata.version(self.name)


def packframe(encoding: str, _folder: Path) -> Count:
    """Ours."""
    import packframe as pf

    return pf.profiles.openai(encoding).count  # type: ignore[arg-type]


def fastokens(encoding: str, folder: Path) -> Count:
    """Ids in an object of its own; its length is the count."""
    from fastokens import _native

    path = folder / f"{encoding}.tiktoken"
    encode = _native.Tokenizer.from_tiktoken(str(path), encoding=encoding).encode_ordinary
    return lambda text: len(encode(text))


def gigatoken(encoding: str, folder: Path) -> Count:
    """Ids in an array of numpy; its size is the count."""
    import gigatoken as library

    path = folder / f"{encoding}.tiktoken"
    backend = library.Tokenizer.from_tiktoken(path)._backend  # noqa: SLF001  (saves it a call)
    encode = backend.encode
    return lambda text: encode(text).size  # type: ignore[no-any-return]


def toktok(encoding: str, _folder: Path) -> Count:
    """A counter without ids."""
    import toktok as library

    return library._encoding(encoding).count  # type: ignore[no-any-return]  # noqa: SLF001


def bpe_openai(encoding: str, _folder: Path) -> Count:
    """A counter without ids; the public class refuses texts of a million characters."""
    from bpe_openai import _bindings

    return _bindings.tokenizer_for_encoding(encoding).count  # type: ignore[no-any-return]


def tiktoken(encoding: str, folder: Path) -> Count:
    """A list of ids; its length is the count."""
    import tiktoken as library
    from tiktoken.load import load_tiktoken_bpe

    path = folder / f"{encoding}.tiktoken"
    encode = library.Encoding(
        encoding,
        pat_str=path.with_suffix(".pattern").read_text(encoding="utf-8"),
        mergeable_ranks=load_tiktoken_bpe(str(path)),
        special_tokens={},
    ).encode_ordinary
    return lambda text: len(encode(text))


OURS = "packframe"
ORACLE = "tiktoken"
PEERS = {
    peer.name: peer
    for peer in (
        Peer(OURS, packframe),
        Peer("fastokens", fastokens),
        Peer("gigatoken", gigatoken),
        Peer("toktok-rs", toktok),
        Peer("bpe-openai", bpe_openai),
        Peer(ORACLE, tiktoken),
    )
}
