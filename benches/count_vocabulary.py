"""The vocabularies of the OpenAI encodings as files, for the peers that read one.

They are written from packframe's own tables, so nothing is fetched. Each line is a token in base64
and its rank, the format that tiktoken, fastokens and gigatoken read.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from packframe import _core

if TYPE_CHECKING:
    from pathlib import Path

ENCODINGS = ("cl100k_base", "o200k_base")


def write_all(folder: Path) -> None:
    """Write ranks and splitting rule of each encoding, unless they are there."""
    folder.mkdir(parents=True, exist_ok=True)
    for encoding in ENCODINGS:
        path = folder / f"{encoding}.tiktoken"
        if path.exists():
            continue
        ranks = _core.openai_ranks(encoding)
        lines = (
            base64.b64encode(token) + b" %d\n" % rank
            for token, rank in sorted(ranks.items(), key=lambda item: item[1])
        )
        path.with_suffix(".pattern").write_text(_core.openai_pattern(encoding), encoding="utf-8")
        path.write_bytes(b"".join(lines))
