"""Policies and tokenizers that misbehave give typed errors."""

from __future__ import annotations

import math
import pickle
import warnings
from typing import TYPE_CHECKING, Any

import pytest

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
        profile = pf.profiles.huggingface(Batches(answer))
        with pytest.raises(pf.TokenizerError):
            pf.Frame(["one", "two"]).pack(100, token_profile=profile)


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


def test_a_missing_tokenizer_file_is_the_error_of_the_system(tmp_path: Path) -> None:
    """A path to nowhere is a FileNotFoundError."""
    with pytest.raises(FileNotFoundError):
        pf.profiles.huggingface(tmp_path / "nowhere.json")


def test_an_unknown_encoding_is_refused() -> None:
    """An unknown encoding name is a ValueError or KeyError that suggests the known ones."""
    for name in ("o200k", "gpt-4o", "", "O200K_BASE"):
        with pytest.raises((pf.InvalidOption, KeyError, ValueError)):
            pf.profiles.openai(name)
