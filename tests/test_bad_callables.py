"""Policies and tokenizers that misbehave give typed errors."""

from __future__ import annotations

import math
import pickle
import warnings
from typing import TYPE_CHECKING, Any

import pytest
import tiktoken.model

import packframe as pf
from support import vocabularies
from support.misbehaving import Refusing, boom

if TYPE_CHECKING:
    from pathlib import Path


def test_a_policy_that_raises_is_an_error_not_a_pass() -> None:
    """What a policy raises is chained into a PolicyError that names policy and row."""
    with pytest.raises(pf.PolicyError) as caught:
        pf.Frame(["a"]).pack(100, policies=[Refusing(boom)])
    assert caught.value.which == "mine"
    assert caught.value.row == 0
    assert isinstance(caught.value.__cause__, KeyError)
    assert caught.value.code == "POLICY_ERROR"


@pytest.mark.parametrize("answer", [True, False, 0, 1, [], b"no", object()], ids=repr)
def test_a_policy_that_answers_nonsense_is_an_error(answer: Any) -> None:
    """A policy answers with a string or None, anything else is a PolicyError."""
    with pytest.raises(pf.PolicyError) as caught:
        pf.Frame(["a"]).pack(100, policies=[Refusing(lambda: answer)])
    assert (caught.value.which, caught.value.row) == ("mine", 0)


def test_an_interrupt_in_a_policy_passes_through() -> None:
    """KeyboardInterrupt in a callable is never swallowed."""

    def interrupt() -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pf.Frame(["a"]).pack(100, policies=[Refusing(interrupt)])


GARBAGE: list[Any] = [-1, 1.5, None, "3", 2**70, True, [1], math.nan, object()]


@pytest.mark.parametrize("answer", GARBAGE, ids=repr)
def test_a_counter_that_returns_garbage_is_an_error(answer: Any) -> None:
    """A count is an int that is not negative, anything else is a TokenizerError."""
    profiles: list[Any] = [
        pf.profiles.custom("mine", lambda _: answer),
        lambda _: answer,
    ]
    for profile in profiles:
        with pytest.raises(pf.TokenizerError) as caught:
            pf.Frame(["a", "b"]).pack(100, token_profile=profile)
        assert caught.value.code == "TOKENIZER_ERROR"
    with pytest.raises(pf.TokenizerError):
        profiles[0].count("a")


def test_a_counter_that_raises_is_chained() -> None:
    """What a counter raises is the cause of a TokenizerError."""
    with pytest.raises(pf.TokenizerError) as caught:
        pf.Frame(["a"]).pack(100, token_profile=pf.profiles.custom("mine", lambda _: boom()))
    assert isinstance(caught.value.__cause__, KeyError)
    assert caught.value.which == "mine"


class Batches:
    """A tokenizer that counts in batches, badly."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def count_batch(self, texts: list[str]) -> Any:
        """Answer whatever it was made for."""
        del texts
        return self.answer


@pytest.mark.parametrize("answer", [[], [1], [1, 2, 3, 4, 5, 6, 7], None, 3, ["a", "b"], [-1, 2]])
def test_a_batch_that_returns_garbage_is_an_error(answer: Any) -> None:
    """A batch has one count a text, anything else is a TokenizerError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pf.PerformanceWarning)
        with pytest.raises(pf.TokenizerError):
            # One count for one text passes for a tokenizer, until there are two.
            pf.Frame(["one", "two"]).pack(
                100, token_profile=pf.profiles.huggingface(Batches(answer))
            )


class Needy:
    """A tokenizer whose ``encode`` takes more than a text."""

    def encode(self, text: str, pair: str, *, fast: bool) -> list[int]:
        """Return nothing, ever."""
        raise AssertionError((text, pair, fast))


class Hollow:
    """A tokenizer whose ``count_batch`` is no method."""

    count_batch = 3


@pytest.mark.parametrize(
    ("tokenizer", "method"),
    [
        (Needy(), "encode"),
        (Hollow(), "count_batch"),
        (Batches(None), "count_batch"),
        (lambda text: None if text else [], "__call__"),
        (lambda text: boom() if text else [], "__call__"),
        (dict, "__call__"),
    ],
)
def test_an_object_that_does_not_count_is_refused_at_once(tokenizer: Any, method: str) -> None:
    """It is tried when the profile is made: a TokenizerError names it, its method and the cause."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(pf.TokenizerError) as caught:
            pf.profiles.huggingface(tokenizer)
    assert caught.value.which == f"huggingface:{type(tokenizer).__qualname__}"
    assert caught.value.__cause__ is not None
    assert caught.value.cause == repr(caught.value.__cause__)
    assert method in str(caught.value)


def test_an_interrupt_while_a_tokenizer_is_tried_passes_through() -> None:
    """KeyboardInterrupt is never wrapped."""

    def interrupt(text: str) -> int:
        raise KeyboardInterrupt(text)

    with pytest.raises(KeyboardInterrupt):
        pf.profiles.huggingface(interrupt)


def test_a_counter_of_messages_that_returns_garbage_is_an_error() -> None:
    """The count of a list of messages is checked like any other."""
    pf.Frame(["a"]).pack(100, token_profile=pf.profiles.custom("m", len, count_messages=len))
    for answer in GARBAGE:

        def count_messages(_: list[dict[str, Any]], answer: Any = answer) -> int:
            made: int = answer
            return made

        profile = pf.profiles.custom("mine", len, count_messages=count_messages)
        with pytest.raises(pf.TokenizerError):
            pf.Frame(["a"]).pack(100, token_profile=profile)


def test_counts_that_overflow_are_errors() -> None:
    """Counts whose sum passes 64 bits give an error, not a wrong sum."""
    profile = pf.profiles.custom("mine", lambda _: 2**62)
    frame = pf.Frame([pf.Item(str(row), retention="required") for row in range(9)])
    with pytest.raises((pf.TokenizerError, pf.BudgetExceeded)):
        frame.pack(2**62, token_profile=profile, separator="")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "null",
        "[]",
        "{}",
        '{"model": {}}',
        '{"model": {"type": "BPE"}}',
        "\x00",
        "{" * 5000,
    ],
)
def test_a_broken_tokenizer_json_is_an_error(text: str, tmp_path: Path) -> None:
    """JSON that describes no tokenizer is a TokenizerError, from text, bytes or a file."""
    path = tmp_path / "tokenizer.json"
    path.write_text(text)
    for form in (text, text.encode(), path):
        with pytest.raises(pf.TokenizerError) as caught:
            pf.profiles.huggingface(form)
        assert pickle.loads(pickle.dumps(caught.value)).code == "TOKENIZER_ERROR"
    with pytest.raises(pf.TokenizerError):
        pf.profiles.huggingface(b"\xff\xfe{}")


def test_a_truncated_tokenizer_json_is_an_error() -> None:
    """A tokenizer.json that ends too early is an error."""
    text = vocabularies.hugging_face_json("bpe")
    for end in (len(text) // 3, len(text) - 1):
        with pytest.raises(pf.TokenizerError):
            pf.profiles.huggingface(text[:end])


@pytest.mark.parametrize("name", ["gpt2", "models/tokenizer.json", "", "x" * 1000, "a\ud800"])
def test_a_str_is_neither_a_path_nor_a_name(name: str) -> None:
    """A str that is no JSON is quoted, in short, beside what a path is."""
    with pytest.raises(pf.TokenizerError) as caught:
        pf.profiles.huggingface(name)
    message = str(caught.value)
    assert repr(name[:60])[:-1] in message
    assert "pathlib.Path" in message
    assert len(message) < 250


def test_a_missing_tokenizer_file_is_the_error_of_the_system(tmp_path: Path) -> None:
    """A path to nowhere is a FileNotFoundError, one to a folder another OSError."""
    with pytest.raises(FileNotFoundError):
        pf.profiles.huggingface(tmp_path / "nowhere.json")
    with pytest.raises(OSError, match=str(tmp_path.name)):
        pf.profiles.huggingface(tmp_path)


def test_an_unknown_encoding_is_refused() -> None:
    """An unknown encoding name is an InvalidOption that suggests the nearest, or all."""
    known = "one of o200k_base, cl100k_base, o200k_harmony, p50k_base, r50k_base"
    for name, suggestion in (
        ("o200k", known),
        ("", known),
        ("text-davinci-003", known),
        ("O200K_BASE", "o200k_base"),
        ("cl100k", known),
        ("cl100_base", "cl100k_base"),
    ):
        with pytest.raises(pf.InvalidOption) as caught:
            pf.profiles.openai(name)
        assert (caught.value.option, caught.value.suggestion) == ("encoding", suggestion)
        assert caught.value.value == repr(name)


def test_a_model_is_told_its_encoding() -> None:
    """What tiktoken's table says of the models in use is what the error suggests, and no more."""
    table = dict(tiktoken.model.MODEL_TO_ENCODING)
    table |= {
        f"{prefix}{rest}": encoding
        for prefix, encoding in tiktoken.model.MODEL_PREFIX_TO_ENCODING.items()
        for rest in ("-2026-01-31", "-x:org::id")
    }
    told = 0
    for model, encoding in table.items():
        with pytest.raises(pf.InvalidOption) as caught:
            pf.profiles.openai(model)
        if encoding in {"o200k_base", "cl100k_base", "o200k_harmony"}:
            assert caught.value.suggestion == encoding, model
            told += 1
        else:
            assert "one of" in str(caught.value.suggestion), model
    assert told > 40
    for model in ("gpt-6", "gpt-4.7", "gpt-40", "o2", "o11", "claude-3", "text-embedding-4"):
        with pytest.raises(pf.InvalidOption) as caught:
            pf.profiles.openai(model)
        assert "one of" in str(caught.value.suggestion), model
