"""The peers: how each loads a vocabulary, and its fastest way to say how many tokens a text is.

Each `load` imports its library itself, so that the import is part of what loading costs. Where a
library has no counter, the length of what it returns is the count. The vocabulary files lie in a
folder that `count_vocabulary` wrote.
"""

from __future__ import annotations

import importlib.metadata
import os
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Count = Callable[[str], int]

# fastokens spreads a long text over threads of its own; with one thread it takes less CPU time.
os.environ.setdefault("FASTOKENS_BPE_THREADS", "1")

OURS = "packframe"
ORACLE = "tiktoken"
FILE_ORACLE = "tokenizers"


class Peer(NamedTuple):
    """A library by its name on the package index, its load of an encoding, its load of a file."""

    name: str
    encoding: Callable[[str, Path], Count] | None
    file: Callable[[Path], Count] | None = None

    @property
    def version(self) -> str:
        """The installed version."""
        return importlib.metadata.version(self.name)


def packframe_encoding(encoding: str, _folder: Path) -> Count:
    """Ours, for an OpenAI encoding."""
    count: Count = import_module("packframe").profiles.openai(encoding).count
    return count


def packframe_file(path: Path) -> Count:
    """Ours, for a `tokenizer.json`."""
    count: Count = import_module("packframe").profiles.huggingface(path).count
    return count


def fastokens_encoding(encoding: str, folder: Path) -> Count:
    """Ids in an object of the library."""
    native = import_module("fastokens").__dict__["_native"]
    path = str(folder / f"{encoding}.tiktoken")
    encode = native.Tokenizer.from_tiktoken(path, encoding=encoding).encode_ordinary
    return lambda text: len(encode(text))


def fastokens_file(path: Path) -> Count:
    """Ids in an object of the library."""
    native = import_module("fastokens").__dict__["_native"]
    tokenizer = native.Tokenizer.from_json_str(path.read_text(encoding="utf-8"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    encode = tokenizer.encode

    def count(text: str) -> int:
        return len(encode(text, split_special_tokens=True))

    return count


def gigatoken_encoding(encoding: str, folder: Path) -> Count:
    """Ids in an array of numpy, without the Python method around it."""
    library = import_module("gigatoken")
    path = folder / f"{encoding}.tiktoken"
    encode = library.Tokenizer.from_tiktoken(path).__dict__["_backend"].encode
    return lambda text: encode(text).size


def gigatoken_file(path: Path) -> Count:
    """Ids in an array of numpy, without the Python method around it."""
    library = import_module("gigatoken")
    tokenizer = library.Tokenizer.from_json(path.read_text(encoding="utf-8"))
    encode = tokenizer.__dict__["_backend"].encode
    return lambda text: encode(text).size


def toktok_encoding(encoding: str, _folder: Path) -> Count:
    """A counter without ids."""
    count: Count = import_module("toktok").__dict__["_encoding"](encoding).count
    return count


def bpe_openai_encoding(encoding: str, _folder: Path) -> Count:
    """A counter without ids; the public class refuses texts of a million characters."""
    count: Count = import_module("bpe_openai._bindings").tokenizer_for_encoding(encoding).count
    return count


def tiktoken_encoding(encoding: str, folder: Path) -> Count:
    """A list of ids."""
    library = import_module("tiktoken")
    path = folder / f"{encoding}.tiktoken"
    encode = library.Encoding(
        encoding,
        pat_str=path.with_suffix(".pattern").read_text(encoding="utf-8"),
        mergeable_ranks=import_module("tiktoken.load").load_tiktoken_bpe(str(path)),
        special_tokens={},
    ).encode_ordinary
    return lambda text: len(encode(text))


def tokenizers_file(path: Path) -> Count:
    """An encoding without offsets, of a batch of one: the library's fastest way."""
    tokenizer = import_module("tokenizers").Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    encode = tokenizer.encode_batch_fast

    def count(text: str) -> int:
        return len(encode([text], add_special_tokens=False)[0])

    return count


PEERS = {
    peer.name: peer
    for peer in (
        Peer(OURS, packframe_encoding, packframe_file),
        Peer("fastokens", fastokens_encoding, fastokens_file),
        Peer("gigatoken", gigatoken_encoding, gigatoken_file),
        Peer("toktok-rs", toktok_encoding),
        Peer("bpe-openai", bpe_openai_encoding),
        Peer(ORACLE, tiktoken_encoding),
        Peer(FILE_ORACLE, None, tokenizers_file),
    )
}
OF_ENCODINGS = tuple(name for name, peer in PEERS.items() if peer.encoding)
OF_FILES = tuple(name for name, peer in PEERS.items() if peer.file)
