"""Counting up to a limit, token ids, and the bytes and places of tokens."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

import packframe as pf
from support import vocabularies
from support.examples import examples
from support.pairs import PAIRS, pair
from support.texts import FRAGMENTS, texts

if TYPE_CHECKING:
    from collections.abc import Callable

OPENAI = ("o200k_base", "cl100k_base")
SIBLINGS = ("o200k_harmony", "p50k_base", "r50k_base")
WITH_IDS = (*OPENAI, *SIBLINGS, "hf_bpe", "hf_wordpiece", "hf_unigram")
WITHOUT_IDS = sorted(set(PAIRS) - {*WITH_IDS, "hf_framed"})


@pytest.mark.parametrize("name", sorted(PAIRS))
@examples(60)
@given(text=texts, delta=st.integers(-3, 3))
def test_a_limit_is_passed_where_the_count_is(name: str, text: str, delta: int) -> None:
    """Every kind of profile returns the count up to the limit, and None beyond it."""
    profile, tokens = pair(name).profile, pair(name).counter.count(text)
    limit = max(0, tokens + delta)
    expected = tokens if tokens <= limit else None
    assert profile.count_till_limit(text, limit) == expected
    assert profile.fits(text, limit) is (tokens <= limit)


@pytest.mark.parametrize("name", sorted(PAIRS))
@pytest.mark.parametrize("limit", [2**31, 2**63, 2**64, 10**100])
def test_a_huge_limit_is_never_passed(name: str, limit: int) -> None:
    """A limit beyond any count, and beyond 64 bits, is a limit like others."""
    profile = pair(name).profile
    text = "some words of text"
    assert profile.count_till_limit(text, limit) == profile.count(text)
    assert profile.fits("", limit)
    assert profile.truncate(text, limit) == text
    assert [chunk.text for chunk in profile.split(text, limit)] == [text]


@pytest.mark.parametrize("name", [*OPENAI, "approximate"])
def test_a_limit_stops_early(name: str) -> None:
    """A text of ten megabytes costs what the part up to the limit costs, whatever it is made of."""
    profile = pair(name).profile
    for part in ("lorem ipsum ", "a", " ", "日本", "!?"):
        text = part * (10_000_000 // len(part.encode()))
        started = time.process_time()
        for _ in range(20):
            assert profile.count_till_limit(text, 50) is None
            assert not profile.fits(text, 50)
        assert time.process_time() - started < 1, part


BAD_LIMITS: list[Any] = [-1, -(10**100), True, 1.0, 2.5, "3", None, [4]]


def calls_with_a_limit(profile: pf.TokenProfile, limit: Any) -> list[Callable[[], object]]:
    """Return a call for each place that takes a number of tokens."""
    return [
        lambda: profile.count_till_limit("text", limit),
        lambda: profile.fits("text", limit),
        lambda: profile.truncate("text", limit),
        lambda: profile.split("text", limit),
        lambda: profile.split("text", 5, overlap=limit),
    ]


@pytest.mark.parametrize("name", ["o200k_base", "approximate", "words"])
@pytest.mark.parametrize("limit", BAD_LIMITS, ids=repr)
def test_what_is_no_limit_is_named(name: str, limit: Any) -> None:
    """A negative number, a bool, a float or no number is an InvalidOption that names the option."""
    options = ["limit", "limit", "limit", "max_tokens", "overlap"]
    made = calls_with_a_limit(pair(name).profile, limit)
    for option, call in zip(options, made, strict=True):
        with pytest.raises(pf.InvalidOption) as caught:
            call()
        assert caught.value.option == option
        assert caught.value.suggestion


@pytest.mark.parametrize("bad", [None, 7, b"bytes", ["a"], "\ud800", "a\udfff"], ids=repr)
def test_only_text_will_do(bad: Any) -> None:
    """What is no text, or has a lone surrogate, is an InvalidOption for every verb."""
    profile = pf.profiles.openai("o200k_base")
    calls: list[Callable[[], object]] = [
        lambda: profile.count_till_limit(bad, 3),
        lambda: profile.fits(bad, 3),
        lambda: profile.encode(bad),
        lambda: profile.token_offsets(bad),
        lambda: profile.truncate(bad, 3),
        lambda: profile.truncate("text", 0, marker=bad),
        lambda: profile.split(bad, 3),
        lambda: profile.counter().append(bad),
    ]
    for call in calls:
        with pytest.raises(pf.InvalidOption) as caught:
            call()
        assert caught.value.option in {"text", "marker"}


@pytest.mark.parametrize("name", OPENAI)
@examples(250)
@given(text=texts)
def test_ids_are_those_of_tiktoken(name: str, text: str) -> None:
    """Ids, bytes and ends of tokens are those of tiktoken's encode_ordinary."""
    profile, oracle = pf.profiles.openai(name), vocabularies.openai(name)
    ids = oracle.encode_ordinary(text)
    assert profile.encode(text) == ids
    assert profile.decode_bytes(ids) == oracle.decode_bytes(ids) == text.encode()
    ends, end = [], 0
    for token in oracle.decode_tokens_bytes(ids):
        end += len(token)
        ends.append(end)
    assert profile.token_offsets(text) == ends
    for number, at in zip(ids, ends, strict=True):
        size = len(oracle.decode_single_token_bytes(number))
        assert profile.decode_bytes([number]) == text.encode()[at - size : at]


@pytest.mark.parametrize("kind", vocabularies.KINDS)
@examples(150)
@given(text=texts)
def test_ids_are_those_of_the_library(kind: str, text: str) -> None:
    """A Hugging Face profile gives the ids, the text and the ends that the library gives."""
    profile = pair(f"hf_{kind}").profile
    oracle = vocabularies.hugging_face(kind)
    oracle.encode_special_tokens = True
    encoding = oracle.encode(text, add_special_tokens=False) if text else None
    ids = encoding.ids if encoding else []
    assert profile.encode(text) == ids
    assert len(ids) == profile.count(text)
    decoded = oracle.decode(ids, skip_special_tokens=False)
    assert profile.decode_bytes(ids) == decoded.encode()
    ends = profile.token_offsets(text)
    spans = encoding.offsets if encoding else []
    expected = [len(text[:end].encode()) for _, end in spans]
    if profile.counted_by == "engine":
        # The engine says where the bytes of a token end, the library where its characters do.
        behind = [len(text[:end].encode()) for end in range(len(text) + 1)]
        ends = [min(end for end in behind if end >= own) for own in ends]
    assert ends == [max(expected[: at + 1]) for at in range(len(expected))]


@pytest.mark.parametrize("name", WITH_IDS)
def test_bytes_of_a_split_character(name: str) -> None:
    """Tokens that are part of a character come back as bytes, whole lists as the text."""
    profile = pair(name).profile
    for text in FRAGMENTS:
        ids = profile.encode(text)
        assert len(ids) == profile.count(text) == len(profile.token_offsets(text))
        assert isinstance(profile.decode_bytes(ids), bytes)
    assert profile.decode_bytes([]) == b""
    assert profile.decode_bytes(iter(profile.encode("abc"))) == profile.decode_bytes(
        tuple(profile.encode("abc"))
    )


def test_no_special_token_comes_out_of_text() -> None:
    """A special token in text is encoded as its pieces."""
    for name in OPENAI:
        profile = pf.profiles.openai(name)
        ids = profile.encode("<|endoftext|>")
        assert len(ids) > 1
        assert max(ids) < 199_998
        assert profile.decode_bytes(ids) == b"<|endoftext|>"


def test_the_id_of_a_special_token_stands_for_its_text() -> None:
    """An OpenAI profile knows it only where it parses it, a Hugging Face profile always."""
    for special in ("text", "parse"):
        options: Any = {"special": special}
        for kind in vocabularies.KINDS:
            json = vocabularies.hugging_face_json(kind)
            added = tokenizers.Tokenizer.from_str(json).get_added_tokens_decoder()
            profile = pf.profiles.huggingface(json, **options)
            for id_, token in added.items():
                assert profile.decode_bytes([id_]) == token.content.encode()
        profile = pf.profiles.openai("o200k_base", **options)
        if special == "parse":
            assert profile.decode_bytes([199_999]) == b"<|endoftext|>"
        else:
            with pytest.raises(pf.InvalidOption):
                profile.decode_bytes([199_999])


def test_what_a_normalizer_changed_stays_changed() -> None:
    """Decoded is what was encoded: a normal form on the engine, lower case on the library."""
    own = tokenizers.Tokenizer.from_str(vocabularies.hugging_face_json("bpe"))
    own.normalizer = tokenizers.normalizers.NFC()
    profile = pf.profiles.huggingface(own)
    assert profile.counted_by == "engine"
    assert profile.decode_bytes(profile.encode("e\u0301a")) == "\u00e9a".encode()
    own.normalizer = tokenizers.normalizers.Lowercase()
    own.decoder = tokenizers.decoders.ByteLevel()
    profile = pf.profiles.huggingface(own)
    assert profile.counted_by == "library"
    assert profile.decode_bytes(profile.encode("ABC")) == b"abc"


BAD_IDS: list[Any] = [[-1], [2**32], [10**30], [200_018], [100_257], [5, 4_000_000_000]]


@pytest.mark.parametrize("ids", BAD_IDS, ids=repr)
def test_an_unknown_id_is_named(ids: list[int]) -> None:
    """An id that no token has is an InvalidOption with the id, for every tokenizer."""
    for name in ("cl100k_base", "hf_bpe", "hf_wordpiece", "hf_unigram"):
        with pytest.raises(pf.InvalidOption) as caught:
            pair(name).profile.decode_bytes(ids)
        assert caught.value.option == "ids"
        assert caught.value.value == str(ids[-1])


@pytest.mark.parametrize("ids", [None, 7, "12", [1.0], [True], ["1"], [None], [b"1"]], ids=repr)
def test_what_is_no_list_of_ids_is_refused(ids: Any) -> None:
    """Only ints are ids: a bool, a float or a str is an InvalidOption."""
    with pytest.raises(pf.InvalidOption) as caught:
        pf.profiles.openai("o200k_base").decode_bytes(ids)
    assert caught.value.option == "ids"


@pytest.mark.parametrize("name", WITHOUT_IDS)
def test_a_profile_without_ids_says_so(name: str) -> None:
    """A profile that only counts raises a TokenizerError that names it and the remedy."""
    profile = pair(name).profile
    calls: list[Callable[[], object]] = [
        lambda: profile.encode("text"),
        lambda: profile.encode(""),
        lambda: profile.decode_bytes([1]),
        lambda: profile.token_offsets("text"),
    ]
    for call in calls:
        with pytest.raises(pf.TokenizerError) as caught:
            call()
        assert caught.value.which == profile.id
        assert "pf.profiles.openai" in str(caught.value)
