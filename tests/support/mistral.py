"""The tokenizers of Mistral that mistral-common carries: as files for packframe, and as its own."""

from __future__ import annotations

import json
from functools import cache
from importlib.metadata import files
from pathlib import Path
from typing import Any

SPM = {
    "v1": "tokenizer.model.v1",
    "v2": "mistral_instruct_tokenizer_240216.model.v2",
    "v3": "mistral_instruct_tokenizer_240323.model.v3",
    "v7": "mistral_instruct_tokenizer_241114.model.v7",
}
"""Vocabularies of SentencePiece, by version."""

NEWEST = "tekken_240911.json"
TEKKEN = {"v3": "tekken_240718.json", "v3 of 2024-09": NEWEST}
"""Tekken files as they are."""

MADE = ("v7", "v11", "v13")
"""Versions whose format is in the library, and whose files are not: they are made of the newest."""


def path_of(name: str) -> Path:
    """Return the path of a data file of mistral-common."""
    found = [path for path in files("mistral-common") or () if str(path).endswith(f"data/{name}")]
    return Path(str(found[0].locate()))


@cache
def tokenizer_json(version: str) -> bytes:
    """Return a SentencePiece vocabulary as the tokenizer.json that transformers makes of it.

    Each way to make a piece of two others is a merge, best score first; control pieces are special.
    """
    from sentencepiece import SentencePieceProcessor  # noqa: PLC0415  (slow to import)

    model: Any = SentencePieceProcessor(model_file=str(path_of(SPM[version])))
    size = model.get_piece_size()
    pieces = [model.id_to_piece(number) for number in range(size)]
    special = [
        number for number in range(size) if model.is_control(number) or model.is_unknown(number)
    ]
    hidden = {*special, *(number for number in range(size) if model.is_byte(number))}
    ids = {piece: number for number, piece in enumerate(pieces) if number not in hidden}
    merges: list[tuple[float, int, int, list[str]]] = []
    for piece, number in ids.items():
        score = -model.get_score(number)
        for cut in range(1, len(piece)):
            left, right = piece[:cut], piece[cut:]
            if left in ids and right in ids:
                merges.append((score, ids[left], ids[right], [left, right]))
    added = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    replace = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
    file = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": number, "content": pieces[number], **added, "special": True}
            for number in special
        ],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [{"type": "Prepend", "prepend": "▁"}, replace],
        },
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": None,
        "model": {
            "type": "BPE",
            "unk_token": "<unk>",
            "fuse_unk": True,
            "byte_fallback": True,
            "ignore_merges": False,
            "vocab": {piece: number for number, piece in enumerate(pieces)},
            "merges": [merge for *_, merge in sorted(merges)],
        },
    }
    return json.dumps(file, ensure_ascii=False).encode()


@cache
def tekken_json(version: str) -> bytes:
    """Return a tekken.json; one of a later version has its markers among the special tokens."""
    if version in TEKKEN:
        return path_of(TEKKEN[version]).read_bytes()
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer  # noqa: PLC0415  (slow)

    file = json.loads(path_of(NEWEST).read_bytes())
    file.pop("multimodal", None)
    file["config"]["version"] = version
    markers: Any = Tekkenizer.DEPRECATED_SPECIAL_TOKENS
    names = [str(marker["token_str"].value) for marker in markers]
    names += ["[CALL_ID]", "[ARGS]", "[THINK]", "[/THINK]"]
    file["special_tokens"] = [
        {"rank": rank, "token_str": name, "is_control": True} for rank, name in enumerate(names)
    ]
    return json.dumps(file).encode()


@cache
def reference(kind: str, version: str, folder: Path) -> Any:
    """Return the tokenizer of mistral-common for a file."""
    from mistral_common.tokens.tokenizers.mistral import MistralTokenizer  # noqa: PLC0415  (slow)

    if kind == "spm":
        return MistralTokenizer.from_file(str(path_of(SPM[version])))
    path = folder / f"tekken_{version.replace(' ', '_')}.json"
    path.write_bytes(tekken_json(version))
    return MistralTokenizer.from_file(str(path))
