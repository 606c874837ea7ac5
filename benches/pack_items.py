"""The items that both libraries pack: seeded, 200 bytes each, of texts that retrieval finds."""

from __future__ import annotations

import argparse
import json
import random
from hashlib import sha256
from pathlib import Path
from pydoc_data.topics import topics
from typing import NamedTuple

ITEM_BYTES = 200
REQUIRED_EVERY = 100
PASSAGES = Path(__file__).parent.parent / "examples" / "data" / "passages.jsonl"


class Row(NamedTuple):
    """What an item is made from, in no library's words."""

    text: str
    id: str
    score: float
    required: bool


class Corpus:
    """Real text to cut items from: English manuals, fourteen languages, source code."""

    def __init__(self) -> None:
        self.prose = "\n".join(topics[name] for name in sorted(topics))
        passages = PASSAGES.read_text(encoding="utf-8").splitlines()
        self.languages = [json.loads(passage)["content"] for passage in passages]
        self.code = Path(argparse.__file__).read_text(encoding="utf-8")

    def rows(self, count: int, seed: int) -> list[Row]:
        """Return rows that no other seed returns; seven in ten are English manuals."""
        source = random.Random(seed)
        rows = []
        for number in range(count):
            text = self._text(source, f"[{seed:x}.{number}] ")
            required = number % REQUIRED_EVERY == 0
            rows.append(Row(text, f"doc-{number}", source.random(), required))
        return rows

    def _text(self, source: random.Random, start: str) -> str:
        kind = source.random()
        if kind < 0.7:
            text = start + _window(source, self.prose)
        elif kind < 0.8:
            text = start + _window(source, source.choice(self.languages))
        elif kind < 0.9:
            text = start + _window(source, self.code)
        else:
            text = start + _log_line(source)
        cut = text.encode()[:ITEM_BYTES].decode(errors="ignore")
        return cut + "." * (ITEM_BYTES - len(cut.encode()))


def _window(source: random.Random, text: str) -> str:
    at = source.randrange(max(1, len(text) - ITEM_BYTES))
    return text[at : at + ITEM_BYTES]


def _log_line(source: random.Random) -> str:
    month, day = source.randrange(1, 13), source.randrange(1, 29)
    event = {
        "ts": f"2026-{month:02}-{day:02}T{source.randrange(24):02}:00:07Z",
        "level": source.choice(["info", "warning", "error"]),
        "request": f"{source.getrandbits(64):016x}",
        "path": f"/v1/orders/{source.randrange(10**6)}/lines",
        "ms": round(source.expovariate(0.02), 3),
        "customer": source.randrange(10**8),
        "note": "retried after timeout, upstream closed the connection",
    }
    return json.dumps(event)


def digest(rows: list[Row]) -> str:
    """Return the SHA-256 of the texts, so that a record says whether two runs had the same."""
    return sha256("".join(row.text for row in rows).encode()).hexdigest()


def tokenizer_json(corpus: Corpus, vocabulary: int = 8_000) -> str:
    """Return a tokenizer.json: byte-level BPE, trained here on the corpus."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers  # noqa: PLC0415

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    texts = [*corpus.prose.splitlines(), *corpus.languages, *corpus.code.splitlines()]
    tokenizer.train_from_iterator(texts, trainer)
    return str(tokenizer.to_str())
