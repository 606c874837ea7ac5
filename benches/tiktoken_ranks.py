"""The encoding of the peers: tiktoken on packframe's copy of its ranks."""

from __future__ import annotations

import tiktoken
from tiktoken.registry import ENCODINGS

import packframe as pf

ENCODING = "cl100k_base"
SPECIAL = {
    "<|endoftext|>": 100257,
    "<|fim_prefix|>": 100258,
    "<|fim_middle|>": 100259,
    "<|fim_suffix|>": 100260,
    "<|endofprompt|>": 100276,
}


def encoding() -> tiktoken.Encoding:
    """Return tiktoken's encoding on packframe's copy of its ranks: nothing is downloaded."""
    if ENCODING not in ENCODINGS:
        ENCODINGS[ENCODING] = tiktoken.Encoding(
            ENCODING,
            pat_str=pf._core.openai_pattern(ENCODING),  # noqa: SLF001  (as the tests do)
            mergeable_ranks=pf._core.openai_ranks(ENCODING),  # noqa: SLF001
            special_tokens=SPECIAL,
        )
    return tiktoken.get_encoding(ENCODING)
