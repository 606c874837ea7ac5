"""Each rule of ``shorten=`` by hand, in every format, and what the record of it says."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from support.cases import profile, tokens
from support.said import call, calls, content, function_call, item, thinking, use
from support.talk import pf, written
from valid import refused

LONG = "start " + "ok " * 200 + "end"
COUNTER = profile("chars/4")
NEXT = {"role": "user", "content": "And now?"}


def plan(messages: list[Any], format: str, budget: int, *steps: Any, **options: Any) -> Any:
    """Plan a list with some steps, and check that it is valid and what the receipt says."""
    made = pf.plan_messages(
        messages, format=format, budget=budget, token_profile=COUNTER, shorten=steps, **options
    )
    assert refused(made.messages, format) == []
    assert made.receipt.input_tokens == tokens("chars/4", made.messages) <= budget
    return made


def size(messages: list[Any]) -> int:
    """Return the tokens of messages."""
    return tokens("chars/4", messages)


def edits(made: Any) -> list[tuple[int, str, str]]:
    """Return the places that were made shorter, in order."""
    return [(edit["row"], edit["path"], edit["kind"]) for edit in made.manifest.edits]


def result(name: str, text: Any) -> dict[str, Any]:
    """Return a chat message with the result of a call."""
    return {"role": "tool", "tool_call_id": name, "content": text}


def answer(key: str, text: Any) -> dict[str, Any]:
    """Return an Anthropic block with the result of a call."""
    return {"type": "tool_result", "tool_use_id": key, "content": text}


def reasoned(text: str) -> dict[str, Any]:
    """Return a chat message of the assistant with its thinking."""
    return {"role": "assistant", "content": text, "reasoning_content": LONG}


# --- thinking


def test_finished_thinking_of_chat_goes_the_oldest_first() -> None:
    """``reasoning_content`` goes, as little of it as has to."""
    messages = [{"role": "user", "content": "Hi."}, reasoned("A"), NEXT, reasoned("B"), NEXT]
    made = plan(messages, "openai-chat", size(messages) - 1, "thinking")
    assert edits(made) == [(1, "", "thinking")]
    assert made.messages[1] == {"role": "assistant", "content": "A"}
    assert written(made.messages[2:]) == written(messages[2:])
    assert plan(messages, "openai-chat", 20, "thinking").messages[3]["content"] == "B"


def test_finished_thinking_of_anthropic_goes_and_an_open_loop_keeps_its_own() -> None:
    """Blocks of thinking go from steps that have ended; since the newest words they stay."""
    thought = thinking() | {"thinking": LONG}
    step = [
        {"role": "assistant", "content": [thought, use("a")]},
        {"role": "user", "content": [answer("a", "4 C")]},
    ]
    ended = [{"role": "user", "content": "Hi."}, *step, {"role": "assistant", "content": "A"}, NEXT]
    made = plan(ended, "anthropic", 40, "thinking")
    assert made.messages[1] == {"role": "assistant", "content": [use("a")]}
    with pytest.raises(pf.BudgetExceeded):
        plan([{"role": "user", "content": "Hi."}, *step], "anthropic", 40, "thinking")


def test_thoughts_of_gemini_stay_where_a_call_may_need_their_signature() -> None:
    """A signed thought beside a call stays; without a call, or a signature, it goes."""
    thought = {"text": LONG, "thought": True}
    signed = thought | {"thoughtSignature": "c2ln"}
    messages = [
        content("user"),
        content("model", signed, function_call("f")),
        content("user", {"functionResponse": {"name": "f", "response": {"r": 1}}}),
        content("model", signed, {"text": "A"}),
        content("user"),
        content("model", thought, {"text": "B"}),
        content("user"),
    ]
    made = plan(messages, "gemini", size(messages) - 250, "thinking")
    assert edits(made) == [(3, "", "thinking"), (5, "", "thinking")]
    assert made.messages[1] == messages[1]
    assert made.messages[3]["parts"] == [{"text": "A"}]


def test_reasoning_goes_where_no_item_behind_it_has_an_id() -> None:
    """An item with an id is known to be made with its reasoning; without one nobody misses it."""
    reasoning = {
        "type": "reasoning",
        "id": "rs",
        "summary": [{"type": "summary_text", "text": LONG}],
    }
    step = [reasoning, call("a"), item("function_call_output", "a", output="r")]
    messages = [
        {"role": "user", "content": "Hi."},
        *step,
        {"role": "assistant", "content": "A"},
        NEXT,
    ]
    made = plan(messages, "openai-responses", 40, "thinking")
    assert made.messages == [messages[0], *messages[2:]]
    out = made.manifest.excluded
    assert [(one["row"], one["reason"]) for one in out] == [(1, "finished_thinking")]
    assert edits(made) == [(1, "", "thinking")]
    known = [*messages[:2], messages[2] | {"id": "fc"}, *messages[3:]]
    made = plan(known, "openai-responses", 40, "thinking")
    assert [one["row"] for one in made.manifest.selected] == [0, 4, 5] or edits(made) == []
    assert written(made.messages) in (written(known[4:]), written([known[0], *known[4:]]))


def test_thinking_stays_where_nothing_else_is_left() -> None:
    """A message that would say nothing keeps its thinking."""
    empty = {"role": "assistant", "content": "", "reasoning_content": "t " * 50}
    messages = [{"role": "user", "content": LONG}, empty, NEXT]
    made = plan(messages, "openai-chat", 40, "thinking")
    assert made.messages == [empty, NEXT]


# --- clear


def agent(number: int) -> list[Any]:
    """Return a chat with so many steps, each with a long result."""
    steps = [[calls(f"c{at}"), result(f"c{at}", f"{at} {LONG}")] for at in range(number)]
    return [{"role": "user", "content": "Read."}, *(one for step in steps for one in step), NEXT]


def test_results_are_cleared_but_for_the_newest() -> None:
    """The oldest first, only as many as it takes, and never the newest that stay."""
    messages = agent(5)
    made = plan(messages, "openai-chat", size(messages) - 1, pf.Shorten.clear(keep_last=2))
    assert edits(made) == [(2, "content", "clear")]
    assert made.messages[2] == result("c0", "[result cleared]")
    assert written(made.messages[3:]) == written(messages[3:])
    made = plan(messages, "openai-chat", 400, pf.Shorten.clear(keep_last=2, placeholder="-"))
    assert [row for row, _, _ in edits(made)] == [2, 4, 6]
    assert [one["content"] for one in made.messages if one["role"] == "tool"][:4] == [
        "-",
        "-",
        "-",
        messages[8]["content"],
    ]


def test_what_a_placeholder_does_not_shorten_stays() -> None:
    """A short result is not cleared."""
    messages = [
        {"role": "user", "content": "Read."},
        calls("a", "b"),
        result("a", "4 C"),
        result("b", LONG),
        NEXT,
    ]
    made = plan(messages, "openai-chat", 60, pf.Shorten.clear(keep_last=0))
    assert edits(made) == [(3, "content", "clear")]
    assert made.messages[2] == messages[2]


def test_a_cleared_result_keeps_its_shape() -> None:
    """Its id, its error, its place, and whether it is a list or an object."""
    failed = answer("a", [{"type": "text", "text": LONG}]) | {"is_error": True}
    messages = [
        {"role": "user", "content": "Read."},
        {"role": "assistant", "content": [use("a"), use("b")]},
        {"role": "user", "content": [failed, answer("b", LONG), {"type": "text", "text": "So?"}]},
        {"role": "assistant", "content": "A"},
        NEXT,
    ]
    made = plan(messages, "anthropic", 60, pf.Shorten.clear(keep_last=0, placeholder="-"))
    assert made.messages[2]["content"] == [
        failed | {"content": [{"type": "text", "text": "-"}]},
        answer("b", "-"),
        {"type": "text", "text": "So?"},
    ]
    contents = [
        content("user"),
        content("model", function_call("f")),
        content("user", {"functionResponse": {"name": "f", "response": {"log": LONG}}}),
        content("model"),
        content("user"),
    ]
    made = plan(contents, "gemini", 40, pf.Shorten.clear(keep_last=0))
    said = made.messages[2]["parts"][0]["functionResponse"]
    assert said == {"name": "f", "response": {"output": "[result cleared]"}}


# --- results


def test_short_results_stay_whole_and_long_ones_share() -> None:
    """Of one allowance the short one takes what it has, the others the same."""
    texts = ["4 C", LONG, "x" * 4000, "ok"]
    messages = [
        {"role": "user", "content": "Read."},
        calls("a", "b", "c", "d"),
        *(result(name, text) for name, text in zip("abcd", texts, strict=True)),
    ]
    made = plan(messages, "openai-chat", 200, "results")
    assert edits(made) == [(3, "content", "results"), (4, "content", "results")]
    one, other = (edit["limit"] for edit in made.manifest.edits)
    assert 0 <= one - other <= 1
    assert {edit["edit"] for edit in made.manifest.edits} == {0}
    assert made.messages[3]["content"].startswith("start ok")
    assert made.messages[3]["content"].endswith("ok end")
    assert "characters left out" in made.messages[3]["content"]
    assert made.receipt.remaining_tokens <= 3


@pytest.mark.parametrize("least", [0, 10, 64, 150])
def test_the_floor_of_an_allowance_holds(least: int) -> None:
    """Results keep their floor together; where that is too much nothing fits."""
    messages = [{"role": "user", "content": "Read."}, calls("a", "b")]
    messages += [result(name, LONG) for name in "ab"]
    fixed = size([*messages[:2], result("a", ""), result("b", "")])
    with pytest.raises(pf.BudgetExceeded) as caught:
        plan(messages, "openai-chat", fixed, pf.Shorten.results(least=least))
    needed = caught.value.required_tokens + caught.value.join_tokens
    made = plan(messages, "openai-chat", needed, pf.Shorten.results(least=least))
    limits = [edit["limit"] for edit in made.manifest.edits]
    # Less than a mark is never kept.
    assert sum(limits) == least if least > 20 else sum(limits) >= least
    marks = 2 * size([{"content": "[… 603 characters left out …]"}])
    assert needed - fixed <= max(least, marks) + 2


def test_json_in_results_stays_json_and_pictures_stay() -> None:
    """Lists lose their middle, objects keep their fields, and what is no text is untouched."""
    rows = [{"id": row, "name": f"n{row}"} for row in range(100)]
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": ""}}
    text = {"type": "text", "text": json.dumps({"rows": rows, "ok": True})}
    messages = [
        {"role": "user", "content": "Read."},
        {"role": "assistant", "content": [use("a")]},
        {"role": "user", "content": [answer("a", [picture, text])]},
    ]
    made = pf.plan_messages(
        messages, format="anthropic", budget=200, token_profile=COUNTER, shorten=["results"]
    )
    kept, said = made.messages[2]["content"][0]["content"]
    assert kept == picture
    value = json.loads(said["text"])
    assert value["ok"] is True
    assert value["rows"][0] == rows[0]
    assert value["rows"][-1] == rows[-1]
    left = next(row for row in value["rows"] if isinstance(row, str))
    assert left == f"[… {101 - len(value['rows'])} items left out …]"


def test_outputs_of_responses_are_cut_in_their_lists_and_runs() -> None:
    """A list of texts, what a shell said, the result of a program, and JSON in a string."""
    runs = [{"stdout": LONG, "stderr": "warn", "outcome": {"type": "exit", "exit_code": 0}}]
    texts = [{"type": "input_text", "text": LONG}, {"type": "input_image", "image_url": "u"}]
    for kind, field, value in [
        ("function_call", "output", texts),
        ("shell_call", "output", runs),
        ("custom_tool_call", "output", json.dumps({"log": LONG})),
        ("program", "result", LONG),
    ]:
        made = item(kind, "a", name="f", arguments="{}", input="x", code="x")
        status = {"status": "completed"} if kind in {"program", "shell_call"} else {}
        output: dict[str, Any] = {
            "type": "program_output" if kind == "program" else f"{kind}_output"
        }
        output |= {"call_id": "a", field: value} | status
        messages = [{"role": "user", "content": "Read."}, made | status, output]
        budget = pf.plan_messages(
            messages, format="openai-responses", budget=None, token_profile=COUNTER
        ).receipt.input_tokens
        short = pf.plan_messages(
            messages,
            format="openai-responses",
            budget=budget - 80,
            token_profile=COUNTER,
            shorten=["results"],
        )
        assert refused(short.messages, "openai-responses") == []
        assert written(short.messages[:2]) == written(messages[:2])
        said = short.messages[2]
        assert list(said) == list(output)
        shown = written(said)
        assert "left out" in shown
        assert "start" in shown
        if kind == "function_call":
            assert said["output"][1] == texts[1]
        if kind == "shell_call":
            assert said["output"][0] | {"stdout": ""} == runs[0] | {"stdout": ""}
        if kind == "custom_tool_call":
            assert set(json.loads(said["output"])) == {"log"}


def test_a_response_of_gemini_stays_an_object() -> None:
    """Also with next to no room."""
    response = {"rows": list(range(300)), "log": LONG, "deep": {"text": json.dumps([1] * 99)}}
    messages = [
        content("user"),
        content("model", function_call("f")),
        content("user", {"functionResponse": {"name": "f", "response": response}}),
    ]
    for budget in (60, 100, 300):
        made = plan(messages, "gemini", budget, pf.Shorten.results(least=0))
        said = made.messages[2]["parts"][0]["functionResponse"]["response"]
        assert isinstance(said, dict)
        if "deep" in said and isinstance(said["deep"], dict):
            json.loads(said["deep"]["text"])


def test_results_of_an_open_loop_and_of_the_final_are_cut() -> None:
    """What has to stay may have shorter results; thinking there and the final's words stay."""
    thought = {"role": "assistant", "content": [thinking() | {"thinking": LONG}, use("a")]}
    results = {"role": "user", "content": [answer("a", LONG * 3), {"type": "text", "text": LONG}]}
    request = pf.Request(
        format="anthropic",
        history=[{"role": "user", "content": "Read."}, thought],
        final=results,
        shorten=["thinking", "clear", "results", "text"],
    )
    made = request.plan(420, token_profile=COUNTER)
    assert written(made.messages[1]) == written(thought)
    said = made.messages[2]["content"]
    assert said[1] == results["content"][1]
    assert "left out" in said[0]["content"]
    assert refused(made.messages, "anthropic") == []


# --- text


def test_the_oldest_optional_texts_are_cut() -> None:
    """Not system messages, not the newest words, not what is more than text; JSON stays JSON."""
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    messages: list[Any] = [
        {"role": "system", "content": LONG},
        {"role": "user", "content": json.dumps(list(range(200)))},
        {"role": "assistant", "content": LONG},
        {"role": "user", "content": [{"type": "text", "text": LONG}]},
        {"role": "assistant", "content": LONG},
        {"role": "user", "content": LONG},
    ]
    made = plan(messages, "openai-chat", size(messages) - 250, pf.Shorten.text(least=20))
    assert [row for row, _, _ in edits(made)] == [1, 2]
    assert json.loads(made.messages[1]["content"])[0] == 0
    assert written(made.messages[3:]) == written(messages[3:])
    made = plan(messages, "openai-chat", 450, pf.Shorten.text(least=20))
    assert [row for row, _, _ in edits(made)] == [1, 2, 3, 4]
    with_picture = [messages[0], {"role": "user", "content": [picture, messages[3]["content"][0]]}]
    made = pf.plan_messages(
        [*with_picture, NEXT],
        format="openai-chat",
        budget=1000,
        token_profile=COUNTER,
        shorten=["text"],
    )
    assert edits(made) == []


def test_the_final_is_not_cut() -> None:
    """What is answered is sent as it is."""
    request = pf.Request(format="openai-chat", history=[LONG], final=LONG, shorten=["text"])
    made = request.plan(240, token_profile=COUNTER)
    assert made.messages[1]["content"] == LONG
    assert "left out" in made.messages[0]["content"]


# --- the list of edits


def test_steps_come_in_the_order_given() -> None:
    """What is named first is done first, and the rest only where it has to be."""
    messages = [{"role": "user", "content": "Read."}, *agent(2)[1:3], reasoned("A"), *agent(3)[1:]]
    almost = size(messages) - 1
    for first, row in (("thinking", 3), ("results", 2)):
        steps = [first, *({"thinking", "results"} - {first})]
        assert [one[0] for one in edits(plan(messages, "openai-chat", almost, *steps))] == [row]
    made = plan(messages, "openai-chat", 400, "thinking", "results")
    assert next(kind for _, _, kind in edits(made)) == "thinking"


def test_nothing_is_left_out_that_fits_when_short() -> None:
    """Shortening comes before excluding; what is left out is so with the reasons of always."""
    messages = agent(20)
    bare = pf.plan_messages(messages, format="openai-chat", budget=500, token_profile=COUNTER)
    made = plan(messages, "openai-chat", 500, pf.Shorten.results(least=16))
    assert len(bare.messages) < 10 < len(made.messages)
    reasons = {one["reason"] for one in made.manifest.excluded}
    assert reasons <= {"budget", "older_than_cut"}
    assert made.receipt.remaining_tokens < 16


def test_a_long_history_is_shortened_as_its_end_alone() -> None:
    """Messages far behind what is left out change nothing."""
    messages = agent(4000)
    kept = {}
    for budget in (300, 3_000, 20_000):
        for steps in (["results"], ["thinking", "clear", "results", "text"]):
            made = plan(messages, "openai-chat", budget, *steps)
            kept[budget] = len(made.messages)
            tail = len(made.messages) + 40
            alone = plan(messages[-tail - tail % 2 - 1 :], "openai-chat", budget, *steps)
            assert written(alone.messages) == written(made.messages)
    assert kept[300] < 100
    assert 256 < kept[20_000] < 8_000


def test_gaps_and_turns_are_shortened_too() -> None:
    """With gaps older ones come in; with turns a turn stays whole."""
    messages = [
        {"role": "user", "content": "Hi."},
        *agent(3),
        {"role": "assistant", "content": "A"},
    ]
    messages.insert(1, {"role": "assistant", "content": "x" * 4000})
    messages.append(NEXT)
    made = plan(messages, "openai-chat", 300, pf.Shorten.results(least=16), gaps=True)
    assert [one["row"] for one in made.manifest.excluded] == [1]
    made = plan(messages, "openai-chat", 300, pf.Shorten.results(least=16), group_by="turn")
    assert made.manifest.edits


# --- the record


def test_the_record_names_each_place_and_the_message_before() -> None:
    """Rows are cut, edits have hash, limit and tokens, and the manifest reads back."""
    messages = agent(1)
    made = plan(messages, "openai-chat", 100, pf.Shorten.results(least=16))
    record = made.manifest.to_dict()
    (edit,) = record["edits"]
    whole = json.dumps(messages[2], ensure_ascii=False, separators=(",", ":"))
    assert edit["content_sha256"] == hashlib.sha256(whole.encode()).hexdigest()
    assert edit["tokens_before"] == size([{"content": messages[2]["content"]}])
    assert edit["tokens_after"] == size([{"content": made.messages[2]["content"]}])
    assert edit["tokens_after"] <= edit["limit"]
    row = next(one for one in record["selected"] if one["row"] == 2)
    assert (row["form"], row["content_sha256"]) == ("cut", edit["content_sha256"])
    (cut,) = record["truncations"]
    now = json.dumps(made.messages[2], ensure_ascii=False, separators=(",", ":"))
    assert cut["content_sha256"] == hashlib.sha256(now.encode()).hexdigest()
    assert (cut["at"], cut["tokens"], cut["row"]) == ("edits", row["content_tokens"], 2)
    assert cut["tokens"] < cut["tokens_before"]
    assert [block.form for block in made.explain()] == ["whole", "cut", "whole"]
    assert pf.PackManifest.from_dict(record) == made.manifest
    ids = [one["id"] for one in record["selected"]]
    bare = pf.plan_messages(messages, format="openai-chat", budget=None, token_profile=COUNTER)
    assert ids == [one["id"] for one in bare.manifest.selected]


def test_the_next_turn_is_shortened_alike() -> None:
    """``extend`` keeps the steps, and starts from the whole messages."""
    made = plan(agent(1), "openai-chat", 100, pf.Shorten.results(least=16))
    more = made.extend([{"role": "assistant", "content": "A"}, NEXT])
    fresh = plan(
        [*agent(1), {"role": "assistant", "content": "A"}, NEXT],
        "openai-chat",
        100,
        pf.Shorten.results(least=16),
    )
    assert written(more.messages) == written(fresh.messages)
    assert more.manifest.edits == fresh.manifest.edits


def test_the_id_of_a_plan_depends_on_what_may_be_shortened() -> None:
    """Also where nothing was."""
    made = [
        plan([NEXT], "openai-chat", 100, *steps).id
        for steps in ([], ["results"], ["text"], [pf.Shorten.results(least=1)])
    ]
    assert len(set(made)) == len(made)


def test_secrets_are_not_shown_by_a_cut() -> None:
    """At an external boundary what holds a secret is out or redacted, whole or cut."""
    secret = "AKIA" + "Q3EGSDKLMZB7RTYU"
    text = f"{LONG} aws_access_key_id = {secret} {LONG}"
    messages = [{"role": "user", "content": "Read."}, calls("a"), result("a", text), NEXT]
    external = pf.Boundary.external("provider")
    made = plan(messages, "openai-chat", 200, "results", "text", boundary=external)
    assert [one["reason"] for one in made.manifest.excluded] == [
        "group_incomplete",
        "secret_detected",
    ]
    redacting = pf.Boundary.external("provider", secrets="redact")
    for budget in range(40, 330, 7):
        made = pf.plan_messages(
            messages[:-1],
            format="openai-chat",
            budget=budget,
            token_profile=COUNTER,
            boundary=redacting,
            shorten=[pf.Shorten.results(least=0)],
        )
        assert "AKIA" not in written(made.messages)
        record = made.manifest.to_dict()
        assert [one["row"] for one in record["redactions"]] == [2]
        assert {one["content_sha256"] for one in record["edits"]} <= {None}
        assert record["selected"][2]["content_sha256"] is None
        assert pf.PackManifest.from_dict(record) == made.manifest


def test_other_ways_to_count_are_kept_to() -> None:
    """A profile that renders the conversation, one of a table, and a counter that is a callable."""
    for counter in (
        pf.profiles.openai("o200k_base"),
        pf.profiles.openai("o200k_harmony"),
        pf.profiles.approximate(),
        lambda text: len(text.split()),
    ):
        bare = pf.plan_messages(agent(6), format="openai-chat", budget=None, token_profile=counter)
        whole = bare.receipt.input_tokens
        for part in (0.3, 0.6, 0.9):
            budget = int(whole * part)
            made = pf.plan_messages(
                agent(6),
                format="openai-chat",
                budget=budget,
                token_profile=counter,
                shorten=["clear", "results"],
            )
            assert made.receipt.input_tokens <= budget
            assert len(made.messages) == len(agent(6))
            assert refused(made.messages, "openai-chat") == []


def test_messages_in_context_of_a_whole_request() -> None:
    """System, tools, context and data are as they would be; only messages are shortened."""
    request = pf.Request(
        format="openai-chat",
        system="Answer briefly.",
        context=[pf.Section("rag", ["Oslo is in Norway.", "x" * 4000])],
        history=agent(3)[:-1],
        final="And now?",
        shorten=["results"],
    )
    made = request.plan(420, token_profile=COUNTER)
    assert "Oslo is in Norway." in made.messages[0]["content"]
    assert made.messages[-1]["content"] == "And now?"
    assert made.manifest.edits
    assert made.receipt.input_tokens <= 420


@pytest.mark.parametrize(
    "steps",
    ["results", None, 7, [7], ["result"], [None], {"results": 1}, [["results"]]],
)
def test_what_is_no_list_of_steps_is_refused(steps: Any) -> None:
    """A word alone, an unknown one, and everything else, each with a remedy."""
    with pytest.raises(pf.InvalidOption) as caught:
        pf.plan_messages([NEXT], format="openai-chat", budget=9, shorten=steps)
    assert caught.value.option == "shorten"
    assert "results" in str(caught.value)


@pytest.mark.parametrize("number", [-1, 1.5, True, "3", None])
def test_numbers_of_steps_are_checked(number: Any) -> None:
    """Whole numbers from 0, where a step is made."""
    for make, name in (
        (pf.Shorten.clear, "keep_last"),
        (pf.Shorten.results, "least"),
        (pf.Shorten.text, "least"),
        (pf.Shorten, "kind"),
    ):
        with pytest.raises(pf.InvalidOption):
            make(**{name: number})
    if number != "3":
        with pytest.raises(pf.InvalidOption):
            pf.Shorten.clear(placeholder=number)
    assert pf.plan_messages(
        [NEXT], format="openai-chat", budget=99, shorten=[pf.Shorten.results(least=2**70)]
    )


# --- the cost


@pytest.mark.parametrize(
    ("step", "unit"),
    [
        ("results", '{"id": 10000, "name": "Oslo", "v": [1, 2]}, '),
        ("results", "word "),
        ("text", "="),
        ("text", '{"id": 10000, "name": "Oslo", "v": [1, 2]}, '),
    ],
)
@pytest.mark.parametrize("part", [0.15, 0.5, 0.93])
def test_a_text_is_counted_a_bounded_number_of_times(step: str, unit: str, part: float) -> None:
    """However long it is: what is counted grows as the text does."""
    for length in (5_000, 20_000, 80_000, 320_000):
        text = unit * (length // len(unit))
        text = f"[{text[:-2]}]" if unit.startswith("{") else text
        messages = [NEXT, calls("a"), result("a", text)]
        if step == "text":
            messages = [
                {"role": "user", "content": text},
                {"role": "assistant", "content": "A"},
                NEXT,
            ]
        counted = counts(messages, int(len(text) / 4 * part), step)
        assert len(counted) < 150, length
        assert sum(counted) < 75 * len(text), length


@pytest.mark.parametrize("part", [0.3, 0.5, 0.93])
def test_a_parallel_result_is_counted_a_bounded_number_of_times(part: float) -> None:
    """However many there are, and also where they are blocks of one message."""
    for number in (25, 100, 400):
        names = [f"c{at}" for at in range(number)]
        texts = {name: "word " * (50 + at % 100) for at, name in enumerate(names)}
        budget = int(sum(map(len, texts.values())) / 4 * part)
        messages = [NEXT, calls(*names), *(result(*one) for one in texts.items())]
        blocks = [
            {"role": "user", "content": "Read."},
            {"role": "assistant", "content": [use(name) for name in names]},
            {"role": "user", "content": [answer(*one) for one in texts.items()]},
        ]
        for given, kind in ((messages, "openai-chat"), (blocks, "anthropic")):
            counted = counts(given, budget, "results", kind)
            assert len(counted) < 250 * number, (number, kind)
            assert sum(counted) < 75 * sum(map(len, texts.values())), (number, kind)


def counts(messages: list[Any], budget: int, step: str, format: str = "openai-chat") -> list[int]:
    """Return the lengths of what a counter is asked for by a plan that has to shorten."""
    asked: list[int] = []

    def count(text: str) -> int:
        asked.append(len(text))
        return -(-len(text) // 4)

    made = pf.plan_messages(
        messages,
        format=format,
        budget=budget,
        token_profile=pf.profiles.custom("counted", count, exact=True),
        shorten=[step],
    )
    assert made.manifest.edits
    assert made.receipt.remaining_tokens < 16 + budget // 1_024
    return asked
