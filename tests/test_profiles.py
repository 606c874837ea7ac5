"""Token profiles in all their forms."""

from __future__ import annotations

import hashlib
import pickle
import sys
import warnings
from typing import TYPE_CHECKING, Any

import pytest
import tokenizers
from hypothesis import given

import packframe as pf
from support import vocabularies
from support.examples import examples
from support.pairs import PAIRS, pair
from support.texts import FRAGMENTS, texts

if TYPE_CHECKING:
    from pathlib import Path

OPENAI = ("o200k_base", "cl100k_base", "o200k_harmony", "p50k_base", "r50k_base")
PUBLISHED = {
    "o200k_harmony": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "p50k_base": "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
    "r50k_base": "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}
EXACT = (*OPENAI, "hf_bpe", "hf_wordpiece", "hf_unigram")


@pytest.mark.parametrize("name", OPENAI)
def test_the_vocabulary_is_the_published_one(name: str) -> None:
    """The ranks, written in tiktoken's file format, have the published hash."""
    import base64  # noqa: PLC0415 - the only use

    ranks = pf._core.openai_ranks(name)
    lines = [
        base64.b64encode(token) + b" " + str(rank).encode() + b"\n"
        for token, rank in sorted(ranks.items(), key=lambda pair: pair[1])
    ]
    assert hashlib.sha256(b"".join(lines)).hexdigest() == PUBLISHED[name]


@pytest.mark.parametrize("name", EXACT)
@examples(250)
@given(text=texts)
def test_exact_means_exact(name: str, text: str) -> None:
    """An exact profile counts what the oracle's tokenizer counts, specials as text."""
    assert pair(name).profile.count(text) == pair(name).counter.of(text)


@pytest.mark.parametrize("name", OPENAI)
def test_parsed_special_tokens_are_those_of_tiktoken(name: str) -> None:
    """With `special="parse"` counts are those of `encode` with all special tokens allowed."""
    profile = pf.profiles.openai(name, special="parse")
    oracle = vocabularies.openai_parsing(name)
    special = sorted(vocabularies.openai_special_ids(name))
    for one, other in zip(special, [*special[1:], "x"], strict=True):
        assert profile.count(one) == 1
        for text in (f"a{one}b", f"{one}{other} {one}\n", f"<{one[:-1]} {other}", f"  {one}  's"):
            assert profile.count(text) == len(oracle.encode(text, allowed_special="all")), text
    plain = pf.profiles.openai(name)
    assert (profile.id, profile.accuracy) == (f"{plain.id}:parse", "exact")
    assert profile.fingerprint != plain.fingerprint
    assert pickle.loads(pickle.dumps(profile)) == profile
    assert profile_block(profile)["tokenizer_sha256"] != PUBLISHED[name]


@pytest.mark.parametrize("bad", ["", "all", "TEXT", None, 1, True], ids=repr)
def test_special_is_one_of_two_words(bad: Any) -> None:
    """What special tokens are is told in one of two words."""
    json = vocabularies.hugging_face_json("bpe")
    for make, argument in ((pf.profiles.openai, "o200k_base"), (pf.profiles.huggingface, json)):
        with pytest.raises(pf.InvalidOption) as caught:
            make(argument, special=bad)
        assert caught.value.option == "special"


def test_profiles_say_what_counts_them() -> None:
    """The engine, the library and why, an estimate, or code of the caller's."""
    for name in OPENAI:
        assert pf.profiles.openai(name).counted_by == "engine"
    assert pf.profiles.approximate().counted_by == "estimate"
    assert pf.profiles.custom("mine", len).counted_by == "caller"
    for kind in vocabularies.KINDS:
        profile = pf.profiles.huggingface(vocabularies.hugging_face_json(kind))
        engine = kind == "bpe"
        assert profile.counted_by == ("engine" if engine else "library")
        assert (profile.why_library is None) == engine


def test_special_tokens_of_a_file_are_parsed_if_asked() -> None:
    """`special="parse"` is the wheel's own default, for each kind of model, and pickles."""
    for kind in vocabularies.KINDS:
        json = vocabularies.hugging_face_json(kind)
        oracle = tokenizers.Tokenizer.from_str(json)
        text, parse = (pf.profiles.huggingface(json, special=word) for word in ("text", "parse"))
        added = [token.content for token in oracle.get_added_tokens_decoder().values()]
        assert added
        for token in added:
            for shown in (token, f"a {token}{token}b", f"{token} {token[:-1]}"):
                right = len(oracle.encode(shown, add_special_tokens=False).ids)
                assert parse.count(shown) == right, shown
        assert parse.count(added[0]) == 1 < text.count(added[0])
        assert parse.id == f"{parse.id.removesuffix(':parse')}:parse"
        assert pickle.loads(pickle.dumps(parse)) == parse != text


def test_a_file_that_is_too_long_is_refused() -> None:
    """200 MB are no tokenizer.json; the error names the limit."""
    with pytest.raises(pf.TokenizerError, match="134217728"):
        pf.profiles.huggingface(b" " * 200_000_000)


@pytest.mark.parametrize("name", EXACT)
def test_batches_count_like_single_texts(name: str) -> None:
    """A batch gives one count a text, in order."""
    profile = pair(name).profile
    batch = FRAGMENTS * 3
    assert list(profile.count_batch(batch)) == [profile.count(text) for text in batch]
    assert list(profile.count_batch([])) == []


@pytest.mark.parametrize("name", sorted(PAIRS))
def test_nothing_counts_nothing(name: str) -> None:
    """The empty text has no tokens, any other at least none."""
    profile = pair(name).profile
    assert profile.count("") == 0
    assert profile.count("some words") >= 1


@pytest.mark.parametrize("bad", [None, 7, b"bytes", ["a"]], ids=repr)
def test_only_text_is_counted(bad: Any) -> None:
    """Counting anything but text is an error that a caller can catch."""
    with pytest.raises((TypeError, ValueError)):
        pf.profiles.openai("o200k_base").count(bad)


@examples(100)
@given(text=texts)
def test_the_estimate_is_deterministic_and_positive(text: str) -> None:
    """The approximate profile counts every text that is not empty as at least one."""
    profile = pf.profiles.approximate()
    assert profile.count(text) == pf.profiles.approximate().count(text)
    assert (profile.count(text) >= 1) == (text != "")


def test_profiles_say_what_they_are() -> None:
    """Accuracy, framing numbers, ids and fingerprints tell profiles apart."""
    openai = pf.profiles.openai("o200k_base")
    assert isinstance(openai, pf.TokenProfile)
    assert openai.accuracy == "exact"
    assert openai.base_tokens == 3
    assert "o200k_base" in openai.id
    estimate = pf.profiles.approximate()
    assert estimate.accuracy == "approximate"
    assert (estimate.base_tokens, estimate.envelope_tokens_per_item) == (0, 0)
    framed = pair("hf_framed").profile
    assert (framed.base_tokens, framed.envelope_tokens_per_item) == (2, 4)
    fingerprints = {name: pair(name).profile.fingerprint for name in PAIRS}
    assert len(set(fingerprints.values())) == len(PAIRS)
    assert all(fingerprints.values())


def profile_block(profile: pf.TokenProfile) -> dict[str, Any]:
    """Return what a manifest says of a profile."""
    block: dict[str, Any] = (
        pf.Frame().pack(9, token_profile=profile).manifest.to_dict()["token_profile"]
    )
    return block


def test_manifests_say_which_tokenizer_counted() -> None:
    """A manifest has the hash of the tokenizer, its framing with source, and who vouches for it."""
    for name, sha256 in PUBLISHED.items():
        block = profile_block(pf.profiles.openai(name))
        assert (block["tokenizer_sha256"], block["framing"]) == (sha256, "table")
        assert block["framing_source"]
        assert block["framing_date"]
        assert (block["verified"], block["asserted_by_caller"]) == (True, False)
    json = vocabularies.hugging_face_json("bpe")
    block = profile_block(pf.profiles.huggingface(json))
    assert block["tokenizer_sha256"] == hashlib.sha256(json.encode()).hexdigest()
    assert (block["framing"], block["verified"]) == ("none", True)
    block = profile_block(pf.profiles.custom("mine", len))
    assert (block["tokenizer_sha256"], block["framing"]) == (None, "none")
    assert (block["verified"], block["asserted_by_caller"]) == (False, False)


def test_fingerprints_depend_on_what_matters() -> None:
    """The same tokenizer gives the same fingerprint, other framing or version another."""
    json = vocabularies.hugging_face_json("bpe")
    one = pf.profiles.huggingface(json)
    assert one.fingerprint == pf.profiles.huggingface(json.encode()).fingerprint
    assert one.fingerprint != pf.profiles.huggingface(json, base_tokens=1).fingerprint
    other = vocabularies.hugging_face_json("unigram")
    assert one.fingerprint != pf.profiles.huggingface(other).fingerprint
    options: list[dict[str, Any]] = [{}, {"version": "2"}, {"exact": True}, {"base_tokens": 1}]
    custom = [pf.profiles.custom("mine", len, **some).fingerprint for some in options]
    assert len(set(custom)) == 4
    assert custom[0] == pf.profiles.custom("mine", len).fingerprint


@pytest.mark.parametrize("name", ["approximate", "conservative", *OPENAI, "hf_bpe", "hf_framed"])
def test_native_profiles_pickle(name: str) -> None:
    """A native profile is the same after pickling."""
    profile = pair(name).profile
    again = pickle.loads(pickle.dumps(profile))
    assert (again.id, again.fingerprint, again.accuracy) == (
        profile.id,
        profile.fingerprint,
        profile.accuracy,
    )
    assert again.count("some text") == profile.count("some text")
    assert again.base_tokens == profile.base_tokens


# Hugging Face, in all its forms.


class Fast:
    """What a fast tokenizer of transformers looks like from outside."""

    def __init__(self, kind: str) -> None:
        self.backend_tokenizer = vocabularies.hugging_face(kind)

    def __call__(self, text: str) -> Any:
        """Never called: the backend is read once."""
        raise AssertionError(text)


@pytest.mark.parametrize("kind", vocabularies.KINDS)
def test_every_form_of_a_tokenizer_counts_alike(kind: str, tmp_path: Path) -> None:
    """JSON as text, bytes or a file, and objects that hold one, run natively."""
    json = vocabularies.hugging_face_json(kind)
    path = tmp_path / "tokenizer.json"
    path.write_text(json, encoding="utf-8")
    forms: list[Any] = [
        json,
        json.encode(),
        path,
        tokenizers.Tokenizer.from_str(json),
        Fast(kind),
    ]
    right = [pair(f"hf_{kind}").counter.of(text) for text in FRAGMENTS]
    for form in forms:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            profile = pf.profiles.huggingface(form)
            assert [profile.count(text) for text in FRAGMENTS] == right
            assert profile.accuracy == "exact"
            assert pickle.loads(pickle.dumps(profile)).count("abc") == profile.count("abc")


def test_truncation_padding_and_templates_of_the_file_are_off() -> None:
    """What the file says of truncation, padding and special tokens does not touch a count."""
    tokenizer = tokenizers.Tokenizer.from_str(vocabularies.hugging_face_json("bpe"))
    plain = pf.profiles.huggingface(tokenizer)
    tokenizer.enable_truncation(2)
    tokenizer.enable_padding(length=50)
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="<|endoftext|> $A <|endoftext|>", special_tokens=[("<|endoftext|>", 0)]
    )
    changed = pf.profiles.huggingface(tokenizer)
    for text in FRAGMENTS:
        assert changed.count(text) == plain.count(text)
    assert plain.count("<|endoftext|>") > 1


def test_a_tokenizer_object_is_not_changed() -> None:
    """Reading a tokenizer object leaves its options as they were."""
    tokenizer = tokenizers.Tokenizer.from_str(vocabularies.hugging_face_json("bpe"))
    tokenizer.enable_truncation(3)
    before = tokenizer.to_str()
    pf.profiles.huggingface(tokenizer).count("some text that is longer")
    assert tokenizer.to_str() == before


class Encodes:
    """An object with nothing but ``encode``."""

    def encode(self, text: str) -> list[int]:
        """Return a token for each word."""
        return list(range(len(text.split())))


class Calls:
    """An object that is called."""

    def __call__(self, text: str) -> dict[str, list[int]]:
        """Return input ids as transformers do."""
        return {"input_ids": list(range(len(text.split())))}


class Batches:
    """An object that counts in batches."""

    def __init__(self) -> None:
        self.calls = 0

    def count_batch(self, texts: list[str]) -> list[int]:
        """Return the words of each text."""
        self.calls += 1
        return [len(text.split()) for text in texts]


@pytest.mark.parametrize("make", [Encodes, Calls, Batches])
def test_slow_tokenizers_work_with_one_warning(make: Any) -> None:
    """An object that runs in Python counts, and warns once a profile that it is slow."""
    frame = pf.Frame(["one two", "three", "four five six"])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        profile = pf.profiles.huggingface(make())
        counts = [profile.count(text) for text in ("", "a", "a b c")]
        pack = frame.pack(6, token_profile=profile, separator="")
        frame.pack(3, token_profile=profile, separator="")
    assert [warning.category for warning in caught] == [pf.PerformanceWarning]
    assert counts == [0, 1, 3]
    assert pack.manifest.accuracy == "approximate"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pf.PerformanceWarning)
        sure = pf.profiles.huggingface(make(), exact=True)
        manifest = frame.pack(6, token_profile=sure, separator="").manifest.to_dict()
    assert sure.accuracy == "exact"
    assert manifest["token_profile"]["asserted_by_caller"] is True
    assert manifest["token_profile"]["verified"] is False


def test_batches_are_asked_once_for_many_texts() -> None:
    """A tokenizer that counts in batches is not asked text by text."""
    tokenizer = Batches()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pf.PerformanceWarning)
        profile = pf.profiles.huggingface(tokenizer)
        pf.Frame([f"text {row}" for row in range(500)]).pack(100, token_profile=profile)
    assert tokenizer.calls < 40


@pytest.mark.parametrize("bad", [None, 7, object(), ["tokens"]], ids=repr)
def test_what_is_no_tokenizer_is_refused(bad: Any) -> None:
    """An object without any way to count is refused when the profile is made."""
    with pytest.raises((TypeError, pf.TokenizerError, pf.InvalidOption)):
        pf.profiles.huggingface(bad)


# Callables.


def words(text: str) -> int:
    """Count words."""
    return len(text.split())


class Counting:
    """An object with ``count``, as ``token_profile`` takes it."""

    def count(self, text: str) -> int:
        """Count words."""
        return words(text)


class CountingMessages(Counting):
    """An object that counts messages too."""

    def count_messages(self, messages: list[dict[str, Any]]) -> int:
        """Count seven and the words of the contents."""
        return 7 + sum(words(message["content"]) for message in messages)


@pytest.mark.parametrize("profile", [words, Counting()], ids=["callable", "object"])
def test_a_bare_counter_is_wrapped(profile: Any) -> None:
    """A callable or an object with count is a custom profile, approximate."""
    pack = pf.Frame([pf.Item("one two", score=1), "three"]).pack(2, token_profile=profile)
    manifest = pack.manifest.to_dict()
    assert (pack.text, pack.total_tokens) == ("one two", 2)
    assert (manifest["render"], manifest["accuracy"]) == ("text", "approximate")
    assert manifest["token_profile"]["verified"] is False
    assert manifest["token_profile"]["tokenizer_sha256"] is None


def test_an_object_may_count_messages() -> None:
    """A count of messages makes messages the default, and is what is verified."""
    profile: Any = CountingMessages()
    pack = pf.Frame(["one two", "three four five"]).pack(10, token_profile=profile)
    manifest = pack.manifest.to_dict()
    assert manifest["render"] == "messages"
    assert pack.total_tokens == 9
    assert [record["row"] for record in manifest["selected"]] == [0]


def test_a_custom_profile_may_be_exact() -> None:
    """Exact as its owner says is exact, and marked as asserted by the caller."""
    profile = pf.profiles.custom("words", words, exact=True, version="1")
    pack = pf.Frame(["one two"]).pack(5, token_profile=profile)
    manifest = pack.manifest.to_dict()
    assert (profile.id, profile.accuracy) == ("words", "exact")
    assert (manifest["accuracy"], manifest["estimated"]) == ("exact", False)
    assert manifest["token_profile"]["asserted_by_caller"] is True
    assert manifest["token_profile_id"] == "words"  # noqa: S105 - no password


def test_a_module_level_callable_pickles() -> None:
    """A profile over a callable that can be pickled survives."""
    profile = pf.profiles.custom("words", words)
    try:
        again = pickle.loads(pickle.dumps(profile))
    except pf.TokenizerError as error:
        assert error.which == "words"  # noqa: PT017 - either is right
    else:
        assert again.count("a b") == 2


@pytest.mark.parametrize(
    "options",
    [
        {"base_tokens": -1},
        {"base_tokens": True},
        {"envelope_tokens_per_item": 1.5},
        {"exact": 1},
        {"id": ""},
        {"id": 7},
        {"count": 7},
        {"count_messages": 7},
        {"version": 7},
    ],
    ids=repr,
)
def test_bad_arguments_of_a_profile_are_named(options: dict[str, Any]) -> None:
    """Numbers, names and callables of a profile are checked when it is made."""
    arguments: dict[str, Any] = {"id": "mine", "count": words} | options
    with pytest.raises((pf.InvalidOption, TypeError)):
        pf.profiles.custom(arguments.pop("id"), arguments.pop("count"), **arguments)


def test_profiles_with_callables_take_part_in_garbage_collection() -> None:
    """A cycle through a profile is collected."""
    import gc  # noqa: PLC0415 - the only use
    import weakref  # noqa: PLC0415 - the only use

    class Holder:
        profile: Any = None

        def count(self, text: str) -> int:
            return len(text)

    holder = Holder()
    holder.profile = pf.profiles.custom("mine", holder.count)
    gone = weakref.ref(holder)
    del holder
    gc.collect()
    assert gone() is None


def test_profiles_are_frozen() -> None:
    """No attribute of a profile can be set."""
    profile: Any = pf.profiles.openai("o200k_base")
    with pytest.raises((AttributeError, TypeError)):
        profile.id = "other"


def test_counting_needs_no_tokenizer_package() -> None:
    """Neither tiktoken nor tokenizers is imported to count with the vocabularies in the wheel."""
    import subprocess  # noqa: PLC0415 - a fresh interpreter

    program = (
        "import sys, packframe as pf\n"
        "pf.profiles.openai('o200k_base').count('x'); pf.Frame(['a']).pack(9)\n"
        "print(sorted({'tiktoken', 'tokenizers', 'transformers', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
