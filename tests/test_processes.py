"""Forks, threads and pickles."""

from __future__ import annotations

import math
import multiprocessing
import os
import pickle
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import pytest

import packframe as pf
from support.misbehaving import Refusing, boom
from support.pairs import pair

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_after_counting_works() -> None:
    """A child that was forked after counting counts and packs like its parent."""
    profile = pf.profiles.openai("o200k_base")
    frame = pf.Frame(["some text to count"] * 50)
    right = frame.pack(60, token_profile=profile).manifest.manifest_id
    batch = ["x " * 9000] * 8
    counts = profile.count_batch(batch, threads=2)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            again = frame.pack(60, token_profile=profile).manifest.manifest_id
            same = profile.count_batch(batch, threads=2) == counts
            os.write(writer, f"{again} {same}".encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        assert pipe.read() == f"{right} True"
    os.waitpid(child, 0)


def test_eight_threads_pack_one_frame() -> None:
    """Eight threads that pack one frame with a Python counter all get the right pack."""
    frame = pf.Frame([pf.Item(f"word {row} " * (row % 5), score=row % 3) for row in range(300)])
    profile = pf.profiles.custom("words", lambda text: len(text.split()), exact=True)

    def pack(budget: int) -> tuple[int, str]:
        return budget, frame.pack(budget, token_profile=profile).manifest.manifest_id

    right = dict(map(pack, range(0, 400, 50)))
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(pack, [*right] * 8)) == set(right.items())


def _echo(thing: Any) -> Any:
    return thing


def _errors() -> list[pf.PackframeError]:
    """Return one of every error that packing raises."""

    def caught(make: Callable[[], Any]) -> pf.PackframeError:
        with pytest.raises(pf.PackframeError) as error:
            make()
        return error.value

    required = pf.Frame([pf.Item("a long text of words", retention="required")])
    bad = pf.Frame([pf.Item("x", retention="required", trust="quarantined")])
    binary = pf.Frame([pf.Item(pf.Binary(b"\x00", "image/png"), retention="required")])
    wide = pf.Frame(["a", "b"]).pack(
        9, token_profile=pf.profiles.openai("o200k_base"), render="text"
    )
    broken = pf.Frame(["a"]).pack(9).manifest.to_dict() | {"budget": 10}
    profile = pf.profiles.custom("mine", lambda _: -1)
    return [
        caught(lambda: pf.Item("x", score=math.nan)),
        caught(lambda: pf.Frame([pf.Item("a", id="x"), pf.Item("b", id="x")])),
        caught(lambda: pf.Frame.from_messages([{"role": "tool", "content": "x"}], repair="error")),
        caught(lambda: required.pack(1)),
        caught(lambda: bad.pack(100)),
        caught(lambda: binary.pack(100)),
        caught(lambda: pf.Frame(["a"]).pack(-1)),
        caught(lambda: pf.Frame(["a"]).pack(9, token_profile=profile)),
        caught(lambda: pf.Frame(["a"]).pack(9, policies=[Refusing(boom)])),
        caught(wide.to_openai_chat),
        caught(lambda: pf.PackManifest.from_dict(broken)),
    ]


def _attributes(error: BaseException) -> dict[str, Any]:
    names = (
        "code row rows field value suggestion problems budget reserve available required_tokens "
        "overflow_tokens section item_costs exceeded_at strategies join_tokens partial_manifest "
        "needed violations boundary which id kind renderer option differences"
    )
    return {name: getattr(error, name) for name in names.split() if hasattr(error, name)}


@pytest.mark.filterwarnings("ignore::packframe.BoundaryWarning")
def test_everything_pickles_across_processes() -> None:
    """Items, frames, packs, manifests, profiles and errors survive a spawned process."""
    items = [
        pf.Item("a", id="x", score=1.5, sources=["s"], metadata={"b": 1, "a": [None]}),
        pf.Item(pf.Json({"k": [1, "ü"]}), expires_at="2030-01-01T00:00:00Z"),
        pf.Item(pf.Binary(b"\x00\xff", "image/png")),
        pf.Item(pf.Reference("kb://1", digest="d", size=3)),
        pf.Item(pf.Message({"role": "user", "content": "hi"})),
    ]
    frame = pf.Frame(items).demote(pf.col("row") == 0)
    pack = frame.pack(100, now=datetime(2026, 1, 1, tzinfo=timezone.utc))
    profiles = [pair(name).profile for name in ("approximate", "o200k_base", "hf_bpe", "hf_framed")]
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(_echo, items).result() == items
        again = pool.submit(_echo, frame).result()
        assert again == frame
        assert again.ids == frame.ids
        made = pool.submit(_echo, pack).result()
        assert made.text == pack.text
        assert made.to_json() == pack.to_json()
        assert list(made.items) == list(pack.items)
        assert pool.submit(_echo, pack.manifest).result() == pack.manifest
        for profile in profiles:
            other = pool.submit(_echo, profile).result()
            assert (other.id, other.fingerprint) == (profile.id, profile.fingerprint)
            assert other.count("some text") == profile.count("some text")
        for error in _errors():
            copied = pool.submit(_echo, error).result()
            assert type(copied) is type(error)
            assert str(copied) == str(error)
            assert _attributes(copied) == _attributes(error)


def test_a_frame_that_was_demoted_pickles_with_its_history() -> None:
    """Demotions and merges of a frame survive pickling."""
    frame = pf.Frame(["a", "a", pf.Item("b", retention="required")]).dedupe()
    frame = frame.demote(pf.col("retention") == "required")
    again = pickle.loads(pickle.dumps(frame))
    manifest = frame.pack(100).manifest.to_dict()
    assert manifest["demotions"]
    assert manifest["merged"]
    assert again.pack(100).manifest.to_dict() == manifest


def test_a_profile_with_a_callable_pickles_or_says_why_not() -> None:
    """A callable that cannot be pickled gives a TokenizerError that names it."""
    profile = pf.profiles.custom("mine", lambda text: len(text) + 1)
    with pytest.raises(pf.TokenizerError) as caught:
        pickle.dumps(profile)
    assert caught.value.which == "mine"
