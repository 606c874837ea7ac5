"""Texts cut to a number of tokens, and split into chunks, against counting every candidate."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import packframe as pf
from oracle.cut import longest, places
from support.examples import examples
from support.pairs import PAIRS, pair
from support.texts import FRAGMENTS, texts

if TYPE_CHECKING:
    from collections.abc import Callable

At = Literal["grapheme", "word", "sentence", "line"]
Keep = Literal["head", "tail", "ends"]
ATS: tuple[At, ...] = ("grapheme", "word", "sentence", "line")

ats: st.SearchStrategy[At] = st.sampled_from(ATS)
markers = st.sampled_from(["…", "", " [...]", "tional", "\n", "\u0301"])
long_texts = st.one_of(texts, st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join))
shares = st.floats(0, 1.05)

PROSE = (
    "The lamp is blue while a device is pairing. It blinks for two minutes; then it gives up! "
    "Hold the key for five seconds (not longer), and wait.\n\n"
    "Mr. Ohm's rule: 3.14 volts are e.g. too many… Isn't it? Déjà vu — 今日は。予算は八千です。\r\n"
    "Last line, with internationalisation and counterrevolutionaries."
)


@pytest.mark.parametrize("keep", ["head", "tail"])
@pytest.mark.parametrize("name", sorted(PAIRS))
@examples(60)
@given(text=long_texts, share=shares, at=ats, marker=markers)
def test_one_side_is_the_longest_that_fits(  # noqa: PLR0917 - pytest passes them by name
    name: str, keep: Keep, text: str, share: float, at: At, marker: str
) -> None:
    """A head or tail is an allowed cut, within the limit, and the next longer one is over it.

    It is never shorter than the longest cut all of whose shorter ones fit.
    """
    profile, count = pair(name).profile, pair(name).counter.count
    limit = round(share * count(text))
    result = profile.truncate(text, limit, keep=keep, at=at, marker=marker)
    assert count(result) <= limit
    if count(text) <= limit:
        assert result == text
        return
    if keep == "head":
        lengths = places(text, at, ends=True)
        kept = {length: text[:length] + marker for length in lengths}
    else:
        lengths = [len(text) - start for start in reversed(places(text, at, ends=False))]
        kept = {length: marker + text[len(text) - length :] for length in lengths}
    best, sure = longest(lambda length: count(kept[length]) <= limit, lengths)
    found = [length for length in lengths if kept[length] == result]
    length = found[-1] if found else 0
    assert length or result == ""
    assert sure <= length <= best
    longer = [other for other in lengths if other > length][:1]
    assert all(count(kept[other]) > limit for other in longer)


@pytest.mark.parametrize("name", sorted(PAIRS))
@examples(80)
@given(text=long_texts, share=shares, at=ats, marker=markers)
def test_both_ends_are_within_the_limit(
    name: str, text: str, share: float, at: At, marker: str
) -> None:
    """Two ends are allowed cuts around the marker, and a longer head beside the tail is over."""
    profile, count = pair(name).profile, pair(name).counter.count
    limit = round(share * count(text))
    result = profile.truncate(text, limit, keep="ends", at=at, marker=marker)
    assert count(result) <= limit
    if count(text) <= limit:
        assert result == text
        return
    heads = [0, *places(text, at, ends=True)]
    tails = [*places(text, at, ends=False), len(text)]
    ways = [
        (head, tail)
        for head in heads
        for tail in tails
        if head < tail and text[:head] + marker + text[tail:] == result
    ]
    assert ways or result == ""

    def next_is_over(head: int, tail: int) -> bool:
        longer = [other for other in heads if head < other < tail][:1]
        return all(count(text[:other] + marker + text[tail:]) > limit for other in longer)

    assert any(next_is_over(head, tail) for head, tail in ways or [(0, len(text))])


@pytest.mark.parametrize("at", ["word", "grapheme"])
@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base", "approximate"])
def test_prose_is_cut_at_the_very_longest(name: str, at: At) -> None:
    """With seams near the cut no allowed cut that fits is longer: counts are not monotone."""
    profile = pair(name).profile
    lengths = places(PROSE, at, ends=True)
    for limit in range(profile.count(PROSE)):
        fits = {length: profile.fits(PROSE[:length] + "…", limit) for length in lengths}
        best, _ = longest(fits.__getitem__, lengths)
        result = profile.truncate(PROSE, limit, at=at)
        assert result == (PROSE[:best] + "…" if best else ""), limit


def test_a_word_is_not_lost_to_a_dearer_prefix() -> None:
    """A prefix of a word can have more tokens than the word: it does not end the search."""
    profile = pf.profiles.openai("o200k_base")
    assert profile.count("internationa") > profile.count("international") == 1
    text = "international affairs"
    assert profile.truncate(text, 1, at="grapheme", marker="") == "international"


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base", "hf_bpe", "approximate"])
def test_a_cut_that_grows_stays_within_the_limit(name: str) -> None:
    """Cutting can make a text dearer; what comes back is counted as it is."""
    profile = pair(name).profile
    growing = ("יתท", "a1_..s-  ", "   x", "I'll've", "\r\n\r\n \n", "e\u0301\u0300x", "12345678")
    for text in growing:
        for limit in range(profile.count(text) + 1):
            for marker in ("", "…"):
                result = profile.truncate(text, limit, at="grapheme", marker=marker)
                assert profile.count(result) <= limit


def test_graphemes_stay_whole() -> None:
    """No cut is inside CRLF, an emoji with joiners, a flag, a letter with marks."""
    profile = pf.profiles.openai("o200k_base")
    for unit in ("\r\n", "👨‍👩‍👧‍👦", "🇩🇪", "e\u0301\u0323", "กำ", "한"):
        text = unit * 40
        for at in ATS:
            for keep in ("head", "tail", "ends"):
                for limit in range(0, profile.count(text), 3):
                    result = profile.truncate(text, limit, keep=keep, at=at, marker="")
                    assert result == unit * (len(result) // len(unit))


def test_the_marker_follows_the_word() -> None:
    """White space behind the last word goes, white space inside what is kept stays."""
    words = pair("words").profile
    assert words.truncate("one  two \t three", 2) == "one  two…"
    assert words.truncate("one two\n\n three", 2, keep="tail") == "…two\n\n three"
    assert words.truncate("one two three four five", 4, keep="ends") == "one two three…four five"
    assert words.truncate("A b. C d. E", 4, at="sentence") == "A b. C d.…"
    assert words.truncate("a b\n  c d\ne f", 4, at="line", marker="") == "a b\n  c d"
    assert words.truncate("a b\n  c d\ne f", 4, at="line", keep="tail", marker="") == "  c d\ne f"


def test_where_nothing_fits_nothing_is_left() -> None:
    """Where not even the marker and one unit fit, the result is empty, and costs nothing."""
    for name in ("o200k_base", "approximate", "words", "hf_unigram"):
        profile = pair(name).profile
        assert profile.truncate("a few words", 0) == ""
        assert profile.truncate("", 0) == ""
        assert profile.truncate("a few words", 1, marker=" and so on and on") == ""
    assert pair("words").profile.truncate("a few. words here", 1, at="sentence") == ""


def test_a_text_that_fits_is_the_same_object() -> None:
    """What fits is not copied."""
    text = "a text that fits"
    assert pf.profiles.openai("o200k_base").truncate(text, 100) is text


@pytest.mark.parametrize(
    ("options", "option", "suggestion"),
    [
        ({"keep": "heads"}, "keep", "head"),
        ({"keep": "both"}, "keep", "one of head, tail, ends"),
        ({"keep": None}, "keep", "a str"),
        ({"at": "words"}, "at", "word"),
        ({"at": "token"}, "at", "one of grapheme, word, sentence, line"),
        ({"at": 1}, "at", "a str"),
        ({"marker": None}, "marker", '"" for a cut without a marker'),
        ({"marker": 1}, "marker", "a str"),
    ],
    ids=repr,
)
def test_a_bad_option_names_the_nearest(
    options: dict[str, Any], option: str, suggestion: str
) -> None:
    """An unknown word is an InvalidOption with the known ones or the nearest."""
    with pytest.raises(pf.InvalidOption) as caught:
        pf.profiles.openai("o200k_base").truncate("some text", 1, **options)
    assert (caught.value.option, caught.value.suggestion) == (option, suggestion)


@pytest.mark.parametrize(
    ("options", "known"),
    [
        ({"keep": "heads"}, "head, tail, ends"),
        ({"keep": "middle"}, "head, tail, ends"),
        ({"at": "sentance"}, "grapheme, word, sentence, line"),
        ({"at": ""}, "grapheme, word, sentence, line"),
        ({"at": "x" * 1000}, "grapheme, word, sentence, line"),
    ],
    ids=ascii,
)
def test_an_unknown_word_is_quoted_beside_all_that_are_known(
    options: dict[str, Any], known: str
) -> None:
    """Whether one is near or not, the message has the value in quotes, and every known word."""
    ((option, word),) = options.items()
    with pytest.raises(pf.InvalidOption) as caught:
        pf.profiles.openai("o200k_base").truncate("some text", 1, **options)
    shown = f"'{word}'" if len(word) <= 60 else f"'{word[:60]}…'"
    assert caught.value.value == shown
    assert str(caught.value).startswith(f"{option} {shown} ")
    assert known in str(caught.value)


# Chunks.


def add_up(text: str, chunks: list[pf.Chunk]) -> str:
    """Join what each chunk adds to those before it."""
    ends = [0, *(chunk.end for chunk in chunks)]
    return "".join(text[end : chunk.end] for end, chunk in zip(ends, chunks, strict=False))


@pytest.mark.parametrize("name", sorted(PAIRS))
@examples(120)
@given(text=long_texts, most=st.integers(1, 40), share=st.floats(0, 0.99), at=ats)
def test_chunks_are_the_text(name: str, text: str, most: int, share: float, at: At) -> None:
    """Chunks are within the limit with the overlap, and without what overlaps they are the text."""
    profile, count = pair(name).profile, pair(name).counter.count
    overlap = int(share * most)
    try:
        chunks = profile.split(text, most, overlap=overlap, at=at)
    except pf.InvalidOption as error:
        assert error.option == "max_tokens"  # noqa: PT017 - either is right
        assert max(map(count, text)) > most
        return
    assert add_up(text, chunks) == text
    starts = places(text, at, ends=False)
    start, end = -1, 0
    for chunk in chunks:
        assert chunk.text == text[chunk.start : chunk.end]
        assert chunk.tokens == count(chunk.text) <= most
        assert start < chunk.start <= end < chunk.end
        assert count(text[chunk.start : end]) <= overlap
        if chunk.end not in {*starts, len(text)}:
            following = next((place for place in starts if place > end), len(text))
            assert count(text[chunk.start : following]) > most
        start, end = chunk.start, chunk.end
    if not overlap:
        assert "".join(chunk.text for chunk in chunks) == text


@pytest.mark.parametrize("name", ["o200k_base", "approximate", "hf_bpe", "words"])
@examples(60)
@given(text=long_texts, most=st.integers(3, 40), at=ats)
def test_a_chunk_is_as_long_as_it_can_be(name: str, text: str, most: int, at: At) -> None:
    """A chunk that ends with a unit would be over the limit with the next one."""
    profile, count = pair(name).profile, pair(name).counter.count
    try:
        chunks = profile.split(text, most, at=at)
    except pf.InvalidOption:
        return
    starts = [*places(text, at, ends=False), len(text)]
    for chunk in chunks:
        following = [place for place in starts if place > chunk.end][:1]
        if chunk.end in starts and following:
            assert count(text[chunk.start : following[0]]) > most


def test_chunks_of_prose() -> None:
    """Sentences stay whole, white space stays with the sentence before, overlap is whole units."""
    profile = pf.profiles.openai("o200k_base")
    text = "It rains. It pours all day. Then it ends.\n\nThe sun comes out."
    assert [chunk.text for chunk in profile.split(text, 8)] == [
        "It rains. ",
        "It pours all day. ",
        "Then it ends.\n\n",
        "The sun comes out.",
    ]
    assert [chunk.text for chunk in profile.split(text, 11, overlap=6)] == [
        "It rains. It pours all day. ",
        "It pours all day. Then it ends.\n\n",
        "Then it ends.\n\nThe sun comes out.",
    ]
    assert profile.split("", 8) == []


def test_offsets_of_chunks_are_characters() -> None:
    """Start and end index the str, not its bytes."""
    text = "Çà et là. 今日は。 👩‍🚀 ist da. Ende."
    for at in ATS:
        for chunk in pf.profiles.openai("o200k_base").split(text, 9, overlap=3, at=at):
            assert chunk.text == text[chunk.start : chunk.end]


def test_what_cannot_be_split_is_named() -> None:
    """A character that alone is over max_tokens is an InvalidOption that says how many it has."""
    profile = pf.profiles.openai("o200k_base")
    assert profile.count("\U0010ffff") == 4
    with pytest.raises(pf.InvalidOption) as caught:
        profile.split("fine \U0010ffff", 3)
    assert (caught.value.option, caught.value.suggestion) == ("max_tokens", "4 or more")
    assert "U+10FFFF" in str(caught.value)
    parts = profile.split("👨‍👩‍👧‍👦" * 3, 3)
    assert "".join(part.text for part in parts) == "👨‍👩‍👧‍👦" * 3


@pytest.mark.parametrize(
    ("most", "overlap", "option"), [(0, 0, "max_tokens"), (5, 5, "overlap"), (5, 10**30, "overlap")]
)
def test_bad_sizes_are_named(most: int, overlap: int, option: str) -> None:
    """No room, and an overlap that leaves none, are InvalidOptions."""
    for name in ("o200k_base", "words"):
        with pytest.raises(pf.InvalidOption) as caught:
            pair(name).profile.split("some text", most, overlap=overlap)
        assert caught.value.option == option


def test_chunks_are_values() -> None:
    """Chunks compare, hash, pickle, and do not change."""
    profile = pf.profiles.openai("o200k_base")
    one, two = profile.split("One day. Two days.", 4)
    assert one == profile.split("One day. Two days.", 4)[0]
    assert one != two
    assert len({one, two, one}) == 2
    assert pickle.loads(pickle.dumps(one)) == one
    with pytest.raises(AttributeError):
        one.tokens = 3


# Callables and hostile texts.


def counted(count: Callable[[str], int]) -> tuple[pf.TokenProfile, list[int]]:
    """Return a profile over a callable, and the list of lengths that it was asked for."""
    asked: list[int] = []

    def counting(text: str) -> int:
        asked.append(len(text))
        return count(text)

    return pf.profiles.custom("counting", counting), asked


@pytest.mark.parametrize("at", ATS)
def test_a_callable_is_asked_few_times(at: At) -> None:
    """Cutting ten thousand words takes some calls, not one for each word."""
    text = PROSE * 200
    for limit in (10, 1_000, 5_000):
        profile, asked = counted(lambda text: len(text.split()))
        result = profile.truncate(text, limit, at=at)
        assert len(result.split()) <= limit
        assert len(asked) <= 12, limit
    profile, asked = counted(lambda text: len(text.split()))
    chunks = profile.split(text, 200, at=at)
    assert len(asked) <= 9 * len(chunks)
    assert sum(asked) < 20 * len(text)


def test_what_a_callable_raises_is_chained() -> None:
    """A callable that fails, or returns nonsense, gives a TokenizerError from every verb."""

    def fails(text: str) -> int:
        raise KeyError(text)

    bad: list[Callable[[str], Any]] = [fails, lambda _: -1, lambda _: 2.5, lambda _: 10**30]
    for count in bad:
        for verb in ("count_till_limit", "fits", "truncate", "split"):
            profile = pf.profiles.custom("bad", count)
            with pytest.raises(pf.TokenizerError) as caught:
                getattr(profile, verb)("some text", 3)
            assert caught.value.which == "bad"


HOSTILE = {
    "letters": "a",
    "spaces": " ",
    "newlines": "\n",
    "stops": "a.",
    "closed": ".)",
    "signs": "!?",
    "flags": "🇩🇪",
    "marks": "e\u0301\u0301",
    "family": "👨‍👩‍👧‍👦",
    "kanji": "日本",
    "crlf": "\r\n",
    "thai": "สวัสดี",
}


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_a_megabyte_without_borders_is_cut_and_split(name: str) -> None:
    """Hostile megabytes are cut and split at every kind of place; quadratic ways would hang."""
    part = HOSTILE[name]
    text = part * (1_000_000 // len(part.encode()))
    for profile in (pf.profiles.openai("o200k_base"), pf.profiles.approximate()):
        for at in ATS:
            for keep in ("head", "tail", "ends"):
                assert profile.fits(profile.truncate(text, 200, keep=keep, at=at), 200)
        chunks = profile.split(text, 2_000, overlap=100)
        assert add_up(text, chunks) == text


def test_a_full_stop_and_ten_megabytes_of_spaces() -> None:
    """Behind a full stop a sentence may go on: the search for it is not made again and again."""
    profile = pf.profiles.openai("o200k_base")
    text = "It ends." + " " * 10_000_000
    assert profile.truncate(text, 5, at="sentence") == "It ends.…"
    assert profile.truncate(text, 5, at="sentence", keep="tail") == ""
