"""Small tokenizers trained on the spot, and the OpenAI encodings on packframe's own ranks."""

from __future__ import annotations

from functools import cache
from typing import Any
from unittest import mock

import tiktoken
import tokenizers
from tiktoken_ext import openai_public
from tokenizers import decoders, models, normalizers, pre_tokenizers, trainers

import packframe as pf

KINDS = ("bpe", "wordpiece", "unigram")

CORPUS = [
    "The support agent answers briefly and names its source.",
    "def pack(items, budget):\n    return [item for item in items if fits(item, budget)]\n",
    "Der schnelle braune Fuchs springt über den faulen Hund.",
    "今日は会議の予定を確認します。 予算は八千トークンです。",
    "שלום עולם, מה שלומך היום? สวัสดีชาวโลก",
    "Item done.\r\n\r\nItem open.\r\n\r\n1,234,567.89 EUR",
    "a1_. .s-   a1_. .s-   /*\r\n */ {} [] () <|endoftext|>",
    'user: {"tool_calls": [{"id": "c1", "type": "function"}]}',
    "naïve café crème brûlée façade élève coöperate",
    "Ω≈ç√∫˜µ≤≥÷ 👩‍🚀👨‍👩‍👧‍👦🦊 e\u0301 o\u0308 n\u0303",
] * 4


@cache
def hugging_face_json(kind: str) -> str:
    """Return the JSON of a small tokenizer of the kind."""
    tokenizer: Any
    if kind == "bpe":
        tokenizer = tokenizers.Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        trainer: Any = trainers.BpeTrainer(
            vocab_size=420,
            special_tokens=["<|endoftext|>", "<|pad|>"],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
    elif kind == "wordpiece":
        tokenizer = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))  # noqa: S106
        tokenizer.normalizer = normalizers.BertNormalizer()
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        tokenizer.decoder = decoders.WordPiece()
        trainer = trainers.WordPieceTrainer(
            vocab_size=300, special_tokens=["[UNK]", "[CLS]", "[SEP]"], show_progress=False
        )
    else:
        tokenizer = tokenizers.Tokenizer(models.Unigram())
        tokenizer.normalizer = normalizers.NFKC()
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        tokenizer.decoder = decoders.Metaspace()
        trainer = trainers.UnigramTrainer(
            vocab_size=300,
            special_tokens=["<unk>"],
            unk_token="<unk>",  # noqa: S106
            show_progress=False,
        )
    tokenizer.train_from_iterator(CORPUS, trainer)
    text: str = tokenizer.to_str()
    return text


@cache
def hugging_face(kind: str) -> Any:
    """Return the tokenizer of the kind as an object of the tokenizers wheel."""
    return tokenizers.Tokenizer.from_str(hugging_face_json(kind))


@cache
def openai(name: str) -> tiktoken.Encoding:
    """Return the oracle of an OpenAI encoding, built on packframe's own ranks."""
    return tiktoken.Encoding(
        name,
        pat_str=pf._core.openai_pattern(name),
        mergeable_ranks=pf._core.openai_ranks(name),
        special_tokens={},
    )


@cache
def openai_special_ids(name: str) -> dict[str, int]:
    """Return the special tokens that tiktoken has for an OpenAI encoding, without its download."""
    with mock.patch.object(openai_public, "load_tiktoken_bpe", return_value={}):
        special: dict[str, int] = getattr(openai_public, name)()["special_tokens"]
    return special


def openai_specials(name: str) -> tuple[str, ...]:
    """Return the special tokens of an OpenAI encoding."""
    return tuple(openai_special_ids(name))


@cache
def openai_parsing(name: str) -> tiktoken.Encoding:
    """Return the oracle of an OpenAI encoding, with its special tokens."""
    return tiktoken.Encoding(
        name,
        pat_str=pf._core.openai_pattern(name),
        mergeable_ranks=pf._core.openai_ranks(name),
        special_tokens=openai_special_ids(name),
    )
