"""Real tokenizers from PyPI, counted as the tokenizers wheel counts them. Zero differences.

`PACKFRAME_EXAMPLES=100000` tries so many random texts for each tokenizer, and every character of
Unicode.
"""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Any

import pytest
import tiktoken
import tokenizers

import packframe as pf
from support import real
from support.examples import EXAMPLES, SEED
from support.languages import LANGUAGES
from support.texts import FRAGMENTS

LONG = EXAMPLES >= 100_000

# One for each way that a pattern, a normal form or an added token can treat a character.
KINDS = "asL中ʰ\u0301\u0323\u09cd1٣' \u00a0\n\r\t/!<|„\x00\u200dーか\u3099ſéǅ각\u11a8"


class Real:
    """A tokenizer, twice."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.json = real.json_of(name)
        self.profile = pf.profiles.huggingface(self.json)
        self.oracle: Any = tokenizers.Tokenizer.from_str(self.json.decode())
        self.oracle.no_truncation()
        self.oracle.no_padding()
        self.oracle.encode_special_tokens = True

    def right(self, texts: list[str]) -> list[int]:
        """Return the counts of the wheel."""
        found = self.oracle.encode_batch_fast(texts, add_special_tokens=False)
        return [len(encoding.ids) for encoding in found]

    def check(self, texts: list[str], profile: pf.TokenProfile | None = None) -> None:
        """Compare the counts of texts."""
        counts = list((profile or self.profile).count_batch(texts))
        right = self.right(texts)
        wrong = [row for row in zip(texts, counts, right, strict=True) if row[1] != row[2]]
        assert not wrong, f"{self.name} differs on {len(wrong)} texts: {wrong[:3]!r}"


@pytest.fixture(scope="module", params=[*real.ENGINE, *real.LIBRARY])
def tokenizer(request: pytest.FixtureRequest) -> Real:
    """Make one at a time: together they are gigabytes."""
    return Real(request.param)


def test_each_says_what_counts_it(tokenizer: Real) -> None:
    """A byte-level vocabulary with a known pretokenizer runs on the engine, others say why not."""
    profile = tokenizer.profile
    assert profile.accuracy == "exact"
    if tokenizer.name in real.ENGINE:
        assert (profile.counted_by, profile.why_library) == ("engine", None)
    else:
        assert profile.counted_by == "library"
        assert profile.why_library


def test_random_texts(tokenizer: Real) -> None:
    """Tokens, added tokens, fragments and any characters, in any order."""
    draw = random.Random(f"{SEED if LONG else 0} {tokenizer.name}")
    oracle = tokenizer.oracle
    vocabulary = sorted(oracle.get_vocab(with_added_tokens=False))
    added = sorted(token.content for token in oracle.get_added_tokens_decoder().values())
    size = oracle.get_vocab_size(with_added_tokens=False)

    def part() -> str:
        kind = draw.randrange(10)
        if kind == 0:
            return str(draw.choice(vocabulary))
        if kind == 1 and added:
            return str(draw.choice(added))
        if kind < 4:
            return str(oracle.decode([draw.randrange(size)], skip_special_tokens=False))
        if kind == 4:
            limit = draw.choice([0x80, 0x800, 0x3000, 0xD800, 0x20000, 0x110000])
            code = draw.randrange(limit)
            return "" if 0xD800 <= code < 0xE000 else chr(code)
        if kind == 5:
            return draw.choice(KINDS) * draw.randrange(1, 9)
        return draw.choice(FRAGMENTS)

    for _ in range((EXAMPLES or 2000) // 500):
        tokenizer.check(["".join(part() for _ in range(draw.randrange(9))) for _ in range(500)])


def test_borders_of_all_kinds(tokenizer: Real) -> None:
    """All texts of up to three characters, one for each way to be treated."""
    lengths = (1, 2, 3) if LONG else (1, 2)
    texts = [
        "".join(text) for length in lengths for text in itertools.product(KINDS, repeat=length)
    ]
    tokenizer.check(texts)
    tokenizer.check([f"x{text}y {text}" for text in texts])


def test_every_character(tokenizer: Real) -> None:
    """Each character alone, between letters, and before a contraction, many to a text."""
    codes = range(0x110000) if LONG else range(0x3400)
    beyond = () if LONG else range(0x3400, 0x110000, 61)
    characters = [chr(code) for code in (*codes, *beyond) if not 0xD800 <= code < 0xE000]
    for start in range(0, len(characters), 20_000):
        part = characters[start : start + 20_000]
        tokenizer.check(
            [
                "\n".join(f"{c} a{c}b 1{c}'s" for c in part[at : at + 20])
                for at in range(0, len(part), 20)
            ]
        )
    tokenizer.check(characters[:0x3400])


def test_languages_and_code(tokenizer: Real) -> None:
    """Forty languages, alone and in one text, and the sources of the tests."""
    sentences = list(LANGUAGES.values())
    assert len(sentences) >= 40
    tokenizer.check(sentences)
    tokenizer.check([" ".join(sentences), "\n\n".join(sentences * 3)])
    sources = sorted(Path(__file__).parent.glob("*.py"))[:5]
    tokenizer.check([path.read_text(encoding="utf-8") for path in sources])


def test_parsed_special_tokens(tokenizer: Real) -> None:
    """With `special="parse"` counts are those of the wheel's own default."""
    profile = pf.profiles.huggingface(tokenizer.json, special="parse")
    assert profile.id == f"{profile.id.removesuffix(':parse')}:parse"
    assert profile.fingerprint != tokenizer.profile.fingerprint
    added = sorted(token.content for token in tokenizer.oracle.get_added_tokens_decoder().values())[
        :300
    ]
    texts = [f"a{one} {other}{one}b" for one, other in itertools.pairwise([*added, "x", "<"])]
    tokenizer.oracle.encode_special_tokens = False
    try:
        tokenizer.check(texts, profile)
    finally:
        tokenizer.oracle.encode_special_tokens = True
    tokenizer.check(texts)


def test_packs_are_what_is_counted(tokenizer: Real) -> None:
    """What packing says of a text is what the wheel counts, though the engine counts in parts."""
    draw = random.Random(7)
    fragments = [*FRAGMENTS, *LANGUAGES.values(), "<think>", "</think>", "<|im_end|>\n", "\n"]
    items = [pf.Item("".join(draw.choices(fragments, k=4)) or "x") for _ in range(40)]
    for budget in (50, 400, 1500):
        pack = pf.Frame(items).pack(budget, token_profile=tokenizer.profile, render="text")
        text = pack.to_text()
        assert pack.total_tokens == tokenizer.right([text])[0]
        assert pack.total_tokens <= budget


def test_qwen_is_counted_as_tiktoken_counts_it() -> None:
    """The ranks that Qwen publishes for tiktoken, converted: another oracle, another engine."""
    profile = pf.profiles.huggingface(real.json_of("qwen-tiktoken"))
    oracle = tiktoken.Encoding(
        "qwen", pat_str=real.QWEN, mergeable_ranks=real.qwen_ranks(), special_tokens={}
    )
    texts = [*FRAGMENTS, *LANGUAGES.values(), " ".join(LANGUAGES.values())]
    for text in texts:
        assert profile.count(text) == len(oracle.encode_ordinary(text)), text
