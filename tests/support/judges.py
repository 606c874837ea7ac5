"""Tokenizers in pairs for recounting: packframe's profile, and what everyone else counts with."""

from __future__ import annotations

from typing import Any

import tokenizers

import packframe as pf

from . import real, vocabularies
from .recount import Judge

OPENAI = ("cl100k_base", "o200k_base")
TRAINED = "trained byte-level BPE"
NAMES = (*OPENAI, TRAINED, *real.ENGINE, *real.LIBRARY)


def judge(name: str) -> Judge:
    """Make the judge of a name; those of real files take a second and a few hundred megabytes."""
    if name in OPENAI:
        encoding = vocabularies.openai(name)
        profile = pf.profiles.openai(name)
        return Judge(name, profile, lambda text: len(encoding.encode_ordinary(text)), openai=True)
    if name == TRAINED:
        return _hugging_face(name, vocabularies.hugging_face_json("bpe"))
    return _hugging_face(name, real.json_of(name).decode())


def _hugging_face(name: str, json: str) -> Judge:
    own: Any = tokenizers.Tokenizer.from_str(json)
    own.encode_special_tokens = True
    own.no_truncation()
    own.no_padding()
    profile = pf.profiles.huggingface(json)
    return Judge(
        name,
        profile,
        lambda text: len(own.encode(text, add_special_tokens=False).ids),
        opaque=not profile.counter().incremental,
    )
