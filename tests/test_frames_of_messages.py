"""A frame of messages packs by the rules of a history, in every format."""

from __future__ import annotations

import copy
import json
import pickle
from random import Random
from typing import Any

import pytest

from support.cases import profile, tokens
from support.examples import EXAMPLES
from support.histories import FORMATS, history
from support.talk import pf, repaired, written
from valid import refused

SWEEP = max(EXAMPLES, 400)
COUNTERS = ["messages", "chars/4", "chars/4+3"]
OUTSIDE = pf.Boundary.external("provider")
RENDER = {
    "openai-chat": "to_openai_chat",
    "openai-responses": "to_openai_responses",
    "anthropic": "to_anthropic",
    "gemini": "to_gemini",
}
LIST = {"anthropic": "messages", "gemini": "contents"}


def words(text: str) -> int:
    """Count words."""
    return len(text.split())


def sent(pack: Any, format: str) -> list[Any]:
    """Return the messages that a pack is for a provider."""
    call = getattr(pack, RENDER[format])()
    messages: list[Any] = call[LIST[format]] if format in LIST else call
    return messages


def made(make: Any, *arguments: Any, **options: Any) -> Any:
    """Make a pack or a plan; None where it does not fit, or nothing may come first."""
    rules = {"first_role"}
    found = None
    try:
        found = make(*arguments, **options)
    except pf.BudgetExceeded:
        pass
    except pf.InvalidMessages as error:
        rules = {one["rule"] for one in error.problems}
    assert rules == {"first_role"}
    return found


def packed(frame: Any, budget: int | None, **options: Any) -> Any:
    """Pack as messages for a provider."""
    return made(frame.pack, budget, boundary=OUTSIDE, render="messages", **options)


def planned(messages: list[Any], format: str, budget: int, **options: Any) -> Any:
    """Plan the same list."""
    return made(pf.plan_messages, messages, format=format, budget=budget, **options)


def changed(frame: Any, format: str, random: Random) -> Any:
    """Return a frame after a verb that was drawn."""
    name = random.choice(["filter", "slice", "demote", "sort", "promote", "quarantine", "add"])
    chosen = iter([random.random() < 0.3 for _ in range(len(frame))])
    if name == "slice":
        start = random.randint(0, len(frame))
        return frame[start : random.randint(start, len(frame))]
    if name == "sort":
        return frame.sort("role", descending=random.random() < 0.5)
    if name == "add":
        more = history(format, random, breaks=0)
        return frame + pf.Frame.from_messages(more, format=format)
    verb = getattr(frame, name)
    return verb(lambda _item: next(chosen) == (name != "filter"))


def kept(record: Any) -> list[int]:
    """Return the rows that are in."""
    return [one["row"] for one in record.manifest.to_dict()["selected"]]


def reasons(record: Any) -> dict[int, str]:
    """Return why rows are out."""
    return {one["row"]: one["reason"] for one in record.manifest.to_dict()["excluded"]}


def said(role: str, text: str) -> dict[str, Any]:
    """Return a message of chat completions."""
    return {"role": role, "content": text}


def called(*names: str) -> dict[str, Any]:
    """Return a message with calls."""
    calls = [
        {"id": name, "type": "function", "function": {"name": "f", "arguments": "{}"}}
        for name in names
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def result(name: str, text: str = "r") -> dict[str, Any]:
    """Return what a call gave."""
    return {"role": "tool", "tool_call_id": name, "content": text}


TALK = [
    said("system", "Answer briefly."),
    said("user", "one one one one"),
    said("assistant", "two two"),
    said("user", "three"),
    said("assistant", "four"),
    said("user", "five"),
]


@pytest.mark.parametrize("format", FORMATS)
def test_a_frame_keeps_the_rows_that_a_plan_keeps(format: str) -> None:
    """For the same list, budget and profile, and it is as valid; messages are those that came."""
    fits = 0
    for seed in range(SWEEP):
        random = Random(seed)
        messages = history(format, random, breaks=0)
        before = copy.deepcopy(messages)
        counter = random.choice(COUNTERS)
        budget = random.randint(0, tokens(counter, messages) + 2)
        counts = profile(counter)
        pack = packed(pf.Frame.from_messages(messages, format=format), budget, token_profile=counts)
        plan = planned(messages, format, budget, token_profile=counts)
        assert (pack is None) == (plan is None), seed
        if pack is None:
            continue
        fits += 1
        assert kept(pack) == kept(plan), seed
        assert reasons(pack) == reasons(plan), seed
        assert list(pack.rows) == kept(pack), seed
        shown = sent(pack, format)
        assert [written(one) for one in shown] == [written(messages[row]) for row in pack.rows]
        assert refused(shown, format) == [], seed
        assert pack.total_tokens == tokens(counter, shown) <= budget, seed
        assert written(messages) == written(before)
    assert fits > SWEEP // 4


def mended_whole(messages: list[Any], format: str, options: dict[str, Any]) -> Any:
    """Return the repaired list; None where its first message may not come first."""
    try:
        return repaired(messages, format, **options)
    except pf.InvalidMessages:
        return None


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("repair", ["drop", "placeholder"])
def test_what_is_broken_is_repaired_as_a_request_does(format: str, repair: str) -> None:
    """The same messages in the frame, the same repairs in the manifest, never a refused problem."""
    mended = 0
    for seed in range(SWEEP):
        random = Random(seed)
        messages = history(format, random, breaks=random.randint(1, 4))
        if not all(isinstance(message, dict) for message in messages):
            continue
        options: dict[str, Any] = {"repair": repair, "allow_pending": random.random() < 0.2}
        try:
            frame = pf.Frame.from_messages(messages, format=format, **options)
        except pf.InvalidMessages:
            with pytest.raises(pf.InvalidMessages):
                pf.plan_messages(messages, format=format, budget=10**9, **options)
            continue
        whole = mended_whole(messages, format, options)
        counter = random.choice(COUNTERS)
        budget = random.randint(0, tokens(counter, messages) + 2)
        counts = profile(counter)
        pack = packed(frame, budget, token_profile=counts)
        plan = planned(messages, format, budget, token_profile=counts, **options)
        assert (pack is None) == (plan is None), seed
        if pack is None:
            continue
        assert kept(pack) == kept(plan), seed
        record = pack.manifest.to_dict()
        if whole is not None:
            assert record["repairs"] == whole.repairs, seed
            changed = {row for row, is_changed in enumerate(whole.changed) if is_changed}
            forms = {one["row"] for one in record["selected"] if one["form"] == "repaired"}
            assert forms == changed & set(pack.rows), seed
            mended += bool(whole.repairs)
        assert refused(sent(pack, format), format, allow_pending=options["allow_pending"]) == []
    assert mended > SWEEP // 8


@pytest.mark.parametrize("format", FORMATS)
def test_verbs_never_make_an_invalid_pack(format: str) -> None:
    """Whatever rows are taken out or put elsewhere: a valid pack, or an error that says why."""
    valid = torn = 0
    for seed in range(SWEEP):
        random = Random(seed)
        messages = history(format, random, breaks=0)
        frame = pf.Frame.from_messages(messages, format=format)
        frame = changed(frame, format, random)
        try:
            pack = frame.pack(
                random.randint(0, tokens("chars/4", messages)),
                token_profile=profile("chars/4"),
                boundary=OUTSIDE,
                render="messages",
            )
        except (pf.BudgetExceeded, pf.PolicyViolation):
            continue
        except pf.InvalidMessages:
            torn += 1
            continue
        valid += 1
        assert refused(sent(pack, format), format) == [], seed
    assert valid > SWEEP // 4
    assert torn


@pytest.mark.parametrize("format", FORMATS)
def test_a_frame_counts_as_its_messages_do(format: str) -> None:
    """The tokens in the manifest are those of `count_messages` on what is sent."""
    counts = {
        "openai-chat": lambda: pf.profiles.openai("o200k_base"),
        "openai-responses": lambda: pf.profiles.openai_responses("o200k_base"),
        "anthropic": pf.profiles.anthropic,
        "gemini": pf.profiles.gemini,
    }[format]()
    for seed in range(60):
        messages = history(format, Random(seed), breaks=0)
        frame = pf.Frame.from_messages(messages, format=format)
        total = frame.pack(None, token_profile=counts).total_tokens
        pack = packed(frame, Random(seed).randint(0, total), token_profile=counts)
        if pack is None:
            continue
        shown = sent(pack, format)
        counted = counts.count_messages(shown, format=format)
        assert pack.manifest.to_dict()["total_tokens"] == counted.total, seed


def test_history_is_a_suffix_and_no_older_message_fills_a_gap() -> None:
    """The long message that does not fit ends it; the system message stays."""
    talk = [TALK[0], said("user", "old"), said("assistant", "long " * 9), *TALK[3:]]
    pack = pf.Frame.from_messages(talk).pack(5, token_profile=words)
    assert pack.rows == (0, 3, 4, 5)
    assert reasons(pack) == {1: "older_than_cut", 2: "budget"}
    by_score = pf.Frame.from_messages(talk).pack(6, token_profile=words, selection="greedy")
    assert by_score.rows == (0, 1, 3, 4, 5)


def test_a_pinned_item_and_plain_items_stand_beside_the_messages() -> None:
    """A pinned one is in, others choose before the messages, and the messages take what is left."""
    frame = pf.Frame([pf.Item("Be kind.", role="system", pinned=True)])
    frame = frame + pf.Frame.from_messages(TALK)
    frame = frame.extend([pf.Item("doc doc", score=0.01), pf.Item("long " * 99, score=9)])
    pack = frame.pack(9, token_profile=words)
    assert pack.rows == (0, 1, 4, 5, 6, 7)
    assert reasons(pack) == {2: "older_than_cut", 3: "budget", 8: "budget"}


def test_a_demoted_system_message_goes_first_and_is_recorded() -> None:
    """What is demoted is a message of its age, and the manifest has the demotion."""
    frame = pf.Frame.from_messages(TALK)
    demoted = frame.demote(pf.col("role") == "system")
    assert frame.pack(9, token_profile=words).rows == (0, 2, 3, 4, 5)
    pack = demoted.pack(9, token_profile=words)
    assert pack.rows == (1, 2, 3, 4, 5)
    assert pack.manifest.to_dict()["demotions"] == [
        {"by": "demote", "from": "required", "row": 0, "to": "optional"}
    ]
    old = pf.Frame.from_messages(TALK[:1] * 2 + TALK[1:]).demote(pf.col("turn_from_end") > 0)
    assert [item.retention for item in old][:2] == ["required", "required"]


def test_a_preferred_message_is_in_before_the_newest() -> None:
    """`promote` still says what matters more than age; one that does not fit ends the history."""
    frame = pf.Frame.from_messages(TALK)
    pack = frame.promote(pf.col("row") == 1).pack(8, token_profile=words)
    assert pack.rows == (0, 1, 4, 5)
    talk = [said("user", "a"), said("assistant", "b " * 9), said("user", "c"), said("user", "d")]
    missed = pf.Frame.from_messages(talk).promote(pf.col("row") == 1).pack(4, token_profile=words)
    assert missed.rows == (2, 3)
    assert reasons(missed) == {0: "older_than_cut", 1: "budget"}


def test_the_first_message_is_one_of_the_users_where_it_has_to_be() -> None:
    """Older ones of the model's go; where only what must stay is left, an older one has to stay."""
    talk = [
        said("user", "one"),
        said("assistant", "two"),
        said("user", "three three three"),
        said("assistant", "four"),
        said("user", "five"),
    ]
    frame = pf.Frame.from_messages(talk, format="anthropic")
    pack = frame.pack(2, token_profile=words, boundary=OUTSIDE)
    assert pack.rows == (4,)
    assert reasons(pack)[3] == "leading"
    assert pack.to_anthropic() == {"messages": [talk[4]]}
    talk = [talk[0], said("assistant", "two two two"), said("assistant", "three")]
    last = pf.Frame.from_messages(talk, format="anthropic").demote(pf.col("role") == "user")
    pack = last.pack(2, token_profile=words, boundary=OUTSIDE)
    assert pack.rows == (0, 2)
    assert pack.manifest.to_dict()["selected"][0]["retention"] == "required"
    assert pack.manifest.to_dict()["demotions"][-1] == {
        "by": "leading",
        "from": "optional",
        "row": 0,
        "to": "required",
    }
    pack.manifest.verify(last)
    with pytest.raises(pf.InvalidMessages) as caught:
        last[1:2].promote(pf.col("row") == 0, to="required").pack(9, token_profile=words)
    problem = {"position": 0, "path": "role", "rule": "first_role", "id": None}
    assert caught.value.problems == [problem]


def test_whole_turns_live_or_die_together() -> None:
    """`group_by="turn"` keeps an answer with its question."""
    frame = pf.Frame.from_messages(TALK, group_by="turn")
    assert frame.pack(5, token_profile=words).rows == (0, 3, 4, 5)
    assert frame.pack(6, token_profile=words).rows == (0, 3, 4, 5)
    assert frame.pack(11, token_profile=words).rows == (0, 1, 2, 3, 4, 5)
    with pytest.raises(pf.InvalidOption) as caught:
        pf.Frame.from_messages(TALK, group_by="day")
    assert caught.value.option == "group_by"


def test_repairs_are_records_of_the_messages_as_given() -> None:
    """A result without a call goes; `error` refuses it; what is given up is no call that waits."""
    talk = [TALK[0], result("gone"), *TALK[3:], called("a")]
    pack = pf.Frame.from_messages(talk).pack(99, token_profile=words, boundary=OUTSIDE)
    assert [(one["row"], one["kind"]) for one in pack.manifest.to_dict()["repairs"]] == [
        (1, "orphan_result")
    ]
    assert pack.to_openai_chat() == [TALK[0], *TALK[3:], called("a")]
    with pytest.raises(pf.InvalidMessages) as caught:
        pf.Frame.from_messages(talk, repair="error")
    assert caught.value.problems[0]["position"] == 1
    given_up = pf.Frame.from_messages(talk, abandoned=["a"])
    assert given_up.to_openai_chat() == [TALK[0], *TALK[3:]]
    waiting = [called("a"), *TALK[3:]]
    assert len(pf.Frame.from_messages(waiting, allow_pending=True)) == 4
    assert len(pf.Frame.from_messages(waiting)) == 3


def test_two_conversations_become_one() -> None:
    """Their repairs are those of the lists one behind the other; ids may come again."""
    one = [said("user", "a"), called("c"), result("c"), said("assistant", "b")]
    two = [result("gone"), said("user", "c"), called("c"), result("c"), said("user", "d")]
    frame = pf.Frame.from_messages(one) + pf.Frame.from_messages(two)
    record = frame.pack(None, token_profile=words).manifest.to_dict()
    assert [group["rows"] for group in record["groups"]] == [[1, 2], [5, 6]]
    assert [repair["row"] for repair in record["repairs"]] == [4]
    between = pf.Frame([pf.Item(pf.Message(said("assistant", "between")))])
    inserted = frame[:4] + between + frame[4:]
    again = inserted.pack(None, token_profile=words, boundary=OUTSIDE)
    assert again.manifest.to_dict()["repairs"] == record["repairs"]
    assert again.to_openai_chat() == [*one, said("assistant", "between"), *two[1:]]
    other = pf.Frame.from_messages([said("user", "x")], format="anthropic")
    with pytest.raises(pf.InvalidOption) as caught:
        frame + other
    assert caught.value.option == "format"
    assert "convert_messages" in str(caught.value)


def test_a_frame_keeps_its_rules_through_pickle_and_batches() -> None:
    """What comes back packs the same; `pack_many` does, too."""
    talk = [TALK[0], result("gone"), said("user", "old"), said("assistant", "long " * 9), *TALK[3:]]
    frame = pf.Frame.from_messages(talk).filter(pf.col("row") >= 0)
    pack = frame.pack(20, token_profile=pf.profiles.approximate())
    again = pickle.loads(pickle.dumps(frame)).pack(20, token_profile=pf.profiles.approximate())
    assert 0 < len(pack.rows) < len(frame)
    assert again.manifest == pack.manifest
    assert pickle.loads(pickle.dumps(pack)).manifest == pack.manifest
    packs = pf.pack_many([frame] * 3, [5, None, 9], token_profile=words)
    assert [one.rows for one in packs] == [
        frame.pack(budget, token_profile=words).rows for budget in (5, None, 9)
    ]


def test_layouts_keep_the_messages_in_order() -> None:
    """By score is nothing to a conversation; what was kept first stays first."""
    frame = pf.Frame.from_messages(TALK)
    with pytest.raises(pf.InvalidOption) as caught:
        frame.pack(99, layout="score")
    assert caught.value.option == "layout"
    beside = frame + pf.Frame([pf.Item("doc", id="doc")])
    before = beside.pack(6, token_profile=words)
    assert before.rows == (0, 3, 4, 5, 6)
    stable = beside.pack(9, token_profile=words, layout="stable", previous=before.manifest)
    assert [row for row in stable.rows if row != 6] == [0, 2, 3, 4, 5]
    facts = pf.Section("facts", drop="lowest_score")
    doc = pf.Item("doc", section="facts")
    laid = frame.extend([doc]).pack(7, token_profile=words, sections=[facts], layout="section")
    assert laid.rows == (6, 0, 3, 4, 5)
    assert laid.section("facts").tokens == 1


def test_a_message_that_is_appended_is_one_of_the_conversation() -> None:
    """An item of a message joins the list in its place, a plain one between call and result not."""
    talk = [said("user", "a"), called("c"), result("c"), said("user", "d")]
    frame = pf.Frame.from_messages(talk)
    more = frame.extend([pf.Item(pf.Message(said("assistant", "b b")))])
    assert more.pack(3, token_profile=words).rows == (3, 4)
    parts = frame[:2] + pf.Frame(["between"]) + frame[2:]
    with pytest.raises(pf.InvalidMessages) as caught:
        parts.pack(99)
    assert {one["rule"] for one in caught.value.problems} >= {"dangling_call"}


PLAIN = [
    pf.Item("Answer briefly.", role="system"),
    pf.Item("Where is it?"),
    pf.Item("In Oslo.", role="assistant"),
    pf.Item("Be kind.", role="developer"),
]


def test_plain_items_are_messages_of_every_format() -> None:
    """By their roles; the system text stands beside where the format has it there."""
    pack = pf.Frame(PLAIN).pack(None, boundary=OUTSIDE)
    roles = ["system", "user", "assistant", "developer"]
    chat = [said(role, item.content) for role, item in zip(roles, PLAIN, strict=True)]
    assert pack.to_openai_chat() == pack.to_openai_responses() == chat
    texts = [{"text": "Answer briefly."}, {"text": "Be kind."}]
    assert pack.to_anthropic() == {
        "system": [{"type": "text"} | text for text in texts],
        "messages": chat[1:3],
    }
    assert pack.to_gemini() == {
        "system_instruction": {"parts": texts},
        "contents": [
            {"role": "user", "parts": [{"text": "Where is it?"}]},
            {"role": "model", "parts": [{"text": "In Oslo."}]},
        ],
    }
    for name in ("to_anthropic", "to_gemini"):
        only = pf.Frame(PLAIN[2:3]).pack(None, boundary=OUTSIDE)
        with pytest.raises(pf.InvalidMessages) as caught:
            getattr(only, name)()
        assert [one["rule"] for one in caught.value.problems] == ["first_role"]
    tool = pf.Frame([pf.Item("4 C", role="tool")]).pack(None, boundary=OUTSIDE)
    for name in RENDER.values():
        with pytest.raises(pf.UnsupportedContent):
            getattr(tool, name)()


@pytest.mark.parametrize("format", FORMATS)
def test_messages_of_another_format_are_converted_explicitly(format: str) -> None:
    """Rendering never converts; the error names what does."""
    of_gemini = {"role": "user", "parts": [{"text": "x"}]}
    message = of_gemini if format == "gemini" else said("user", "x")
    frame = pf.Frame.from_messages([message], format=format)
    pack = frame.pack(None, boundary=OUTSIDE)
    for other, name in RENDER.items():
        if other == format:
            assert sent(pack, format) == [message]
            continue
        with pytest.raises(pf.InvalidOption) as caught:
            getattr(pack, name)()
        assert "pf.convert_messages" in str(caught.value)
    with pytest.warns(pf.BoundaryWarning):
        getattr(frame.pack(None), RENDER[format])()


def test_what_is_sent_is_fresh() -> None:
    """Changing it changes neither the pack nor what was given."""
    pack = pf.Frame.from_messages(TALK).pack(None, boundary=OUTSIDE)
    pack.to_openai_chat()[0]["content"] = "changed"
    assert json.dumps(pack.to_openai_chat()) == json.dumps(TALK)


@pytest.mark.parametrize("format", ["anthropic", "gemini"])
def test_the_system_text_beside_is_in_the_count(format: str) -> None:
    """One text costs what `count_messages` says of it; several never more than the pack says."""
    counts = {"anthropic": pf.profiles.anthropic, "gemini": pf.profiles.gemini}[format]()
    for items in (PLAIN[:2], PLAIN[1:], PLAIN):
        pack = pf.Frame(items).pack(None, token_profile=counts, boundary=OUTSIDE)
        call = getattr(pack, RENDER[format])()
        system = call.get("system", call.get("system_instruction"))
        total = counts.count_messages(sent(pack, format), format=format, system=system).total
        assert total <= pack.total_tokens
        if isinstance(system, str):
            assert total == pack.total_tokens


def test_input_controls_are_taken_out() -> None:
    """They steer one call and are no history; the manifest names them, and they are counted."""
    control = {"type": "item_reference", "id": "m"}
    frame = pf.Frame.from_messages([control, said("user", "x")], format="openai-responses")
    pack = frame.pack(None, boundary=OUTSIDE)
    assert pack.to_openai_responses() == [said("user", "x")]
    assert [one["kind"] for one in pack.manifest.to_dict()["repairs"]] == ["input_control"]
    counts = pf.profiles.openai_responses("o200k_base")
    assert counts.count_messages([control, said("user", "x")]).total > 0


@pytest.mark.parametrize("format", FORMATS)
def test_a_conversation_without_a_profile_is_framed_for_its_format(format: str) -> None:
    """As a plan is: the same rows, and as many tokens; of several formats there is none."""
    said = {"parts": [{"text": "a b"}]} if format == "gemini" else {"content": "a b"}
    talk = [{"role": "user", **said}] * 9
    frame = pf.Frame.from_messages(talk, format=format)
    for budget in (20, 60, None):
        pack = frame.pack(budget)
        plan = pf.plan_messages(talk, format=format, budget=budget)
        assert len(pack.rows) == len(plan.messages)
        assert pack.total_tokens == plan.receipt.input_tokens
        [again] = pf.pack_many([frame], budget)
        assert again.total_tokens == pack.total_tokens
    other = pf.Frame(["text"])
    with pytest.raises(pf.InvalidOption) as caught:
        pf.pack_many([frame, other], 100)
    assert caught.value.option == "token_profile"
