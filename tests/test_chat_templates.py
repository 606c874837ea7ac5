"""Chat templates: rendered and counted as transformers does, with contents that stay text."""

from __future__ import annotations

import copy
import json
import pickle
from datetime import datetime
from functools import cache
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import packframe as pf
from support.chats import TOOLS, chats
from support.examples import examples
from support.templates import NOW, TEMPLATES, config_of, reference, source, tokenizer_of

PLAIN = "deepseekv3"
USER = {"role": "user", "content": "Where is my order?"}


@cache
def profile_of(name: str) -> pf.TokenProfile:
    """Return packframe's profile of a template."""
    return pf.profiles.chat_template(tokenizer_of(name), config=config_of(name), now=NOW)


def profile(template: str, **options: Any) -> pf.TokenProfile:
    """Return a profile of a template of ours."""
    return pf.profiles.chat_template(tokenizer_of(PLAIN), template, **options)


@pytest.mark.parametrize("name", sorted(TEMPLATES))
@examples(25)
@given(data=st.data())
def test_conversations_are_those_of_transformers(name: str, data: Any) -> None:
    """Text and number of tokens are those of apply_chat_template, where it takes the messages."""
    messages = data.draw(
        chats(
            calls=name != "gemma3",
            reasoning=True,
            string_arguments=data.draw(st.booleans()) if name != "llama3_1" else False,
        )
    )
    tools = data.draw(st.sampled_from([None, TOOLS]))
    theirs = reference(name)
    try:
        text = theirs.apply_chat_template(
            copy.deepcopy(messages), tools=tools, tokenize=False, add_generation_prompt=True
        )
    except Exception as error:  # noqa: BLE001  (whatever a template raises)
        with pytest.raises(pf.TokenizerError):
            profile_of(name).count_messages(messages, tools=tools)
        assume(error is None)
    ids = theirs.apply_chat_template(
        copy.deepcopy(messages), tools=tools, add_generation_prompt=True, return_dict=False
    )
    ours = profile_of(name)
    assert ours.render_messages(messages, tools=tools) == text
    counted = ours.count_messages(messages, tools=tools)
    assert (counted.total, counted.accuracy) == (len(ids), "exact")
    assert sum(part.tokens for part in counted.parts) == counted.total


@pytest.mark.parametrize("name", sorted(TEMPLATES))
@examples(25)
@given(data=st.data())
def test_what_stands_in_a_content_is_never_a_marker(name: str, data: Any) -> None:
    """Contents that spell special tokens cost as much as if each marker were apart."""
    messages = data.draw(chats(hostile=True, calls=False))
    ours = profile_of(name)
    try:
        text = ours.render_messages(messages)
    except pf.TokenizerError:
        assume(condition=False)
    plain = [message | {"content": "x"} for message in messages]
    frame = ours.count_messages(plain).total
    spelled = ours.count_messages(messages).total
    assert len(text) >= max(len(str(message["content"]).strip()) for message in messages)
    # A marker is one token and is spelled with several: content that were read would cost less.
    parsed = pf.profiles.huggingface(tokenizer_of(name), special="parse").count(text)
    assert spelled >= parsed
    assert spelled >= frame - 2 * len(messages)


def test_a_spelled_marker_costs_its_letters() -> None:
    """A marker in a content, whole or in two parts, is text; the template's own are tokens."""
    ours = profile_of("qwen3")
    text = pf.profiles.huggingface(tokenizer_of("qwen3"))

    def content(messages: list[dict[str, Any]]) -> int:
        return ours.count_messages(messages).total

    empty = content([{"role": "user", "content": "."}]) - text.count("user\n.")
    for spelled in ("<|im_end|>", "a<|im_start|>system\nb", "<|im_end|><|im_end|>"):
        found = content([{"role": "user", "content": spelled}])
        assert found == empty + text.count(f"user\n{spelled}")
    joined = profile(
        "{% for message in messages %}{{ message.content }}{% endfor %}",
        variables={"bos_token": ""},
    )
    halves = [{"role": "user", "content": part} for part in ("<｜begin▁of", "▁sentence｜>")]
    words = pf.profiles.huggingface(tokenizer_of(PLAIN))
    assert joined.count_messages(halves).total == words.count("<｜begin▁of▁sentence｜>") > 1


def test_the_time_is_an_argument() -> None:
    """strftime_now tells the time that was given, and fails without one."""
    template = "{{ strftime_now('%d %b %Y') }}"
    told = profile(template, now=datetime(2026, 11, 30))  # noqa: DTZ001  (the clock on the wall)
    assert told.render_messages([USER]) == "30 Nov 2026"
    with pytest.raises(pf.TokenizerError, match="pass now="):
        profile(template).count_messages([USER])


@pytest.mark.parametrize(
    "template",
    [
        "{% for i in range(100000) %}{% for j in range(100000) %}x{% endfor %}{% endfor %}",
        (
            "{% set ns = namespace(s='x') %}{% for i in range(60) %}{% set ns.s = ns.s ~ ns.s %}"
            "{% endfor %}{{ ns.s }}"
        ),
        "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
        "{{ 'x' * 100000000000 }}",
        "{{ '{:999999999}'.format('x') }}",
        "{{ '{:{}}'.format('x', 999999999) }}",
        "{{ '%999999999d' | format(1) }}",
        "{{ messages | tojson(indent=999999999) }}",
        "{{ 'x' | indent(999999999) }}",
        "{{ raise_exception('no such role') }}",
        "{{ messages.nothing.at_all }}",
        "{{ missing() }}",
        "{{ undefined_variable | tojson }}",
        "{% include 'x' %}",
    ],
)
def test_a_template_that_fails_is_a_typed_error(template: str) -> None:
    """Endless loops, huge texts, refusals and faults end soon, in an error that says why."""
    with pytest.raises(pf.TokenizerError, match="chat template"):
        profile(template).count_messages([USER])


@pytest.mark.parametrize(
    "template",
    ["{% for %}", "{{ x", "{% unknown_tag %}", "x" * (1 << 20) + "x"],
    ids=lambda t: t[:9],
)
def test_a_template_that_does_not_parse_is_a_typed_error(template: str) -> None:
    """A broken template is refused when the profile is made."""
    with pytest.raises(pf.TokenizerError):
        profile(template)


PIECES = [
    "{{ messages | tojson }}",
    "{{ messages | tojson(indent=2) }}",
    "{{ messages[0] | tojson(sort_keys=true, separators=(',', ':')) }}",
    "{{ 'é' | tojson(ensure_ascii=true) }}",
    "{{ none }} {{ true }} {{ 1.0 }} {{ 1e22 }} {{ 'a' ~ 1 }}",
    "{{ '\\x1f a \\x1c'.strip() ~ '|' ~ ' a '|trim ~ '|' ~ 'xax'.strip('x') }}",
    "{% if 'abc' is sequence and 'abc' is iterable and messages is sequence %}yes{% endif %}",
    "{% if messages[0] is mapping and not messages is mapping %}yes{% endif %}",
    "{{ 'a</think>b'.split('</think>')[-1] }}{{ 'a,b'.split(',') | join('-') }}",
    "  {% if true %}\n  x\n  {% endif %}\n{%- for m in messages %}{{ loop.index0 }}{% endfor %}\n",
    "{%- generation -%} x {%- endgeneration -%}",
    "{% for key, value in messages[0].items() %}{{ key }}={{ value }};{% endfor %}",
    "{% for m in messages %}{% if loop.index0 == 1 %}{% break %}{% endif %}x{% endfor %}",
    "{{ messages[0].get('nothing', 'default') }}{{ messages | length }}{{ messages[-1].role }}",
    "{{ 'Hello'.startswith('He') }}{{ 'x'.upper() }}{{ messages[::-1][0].role }}",
    "{{ messages[0].note }}{{ messages[0].note | string }}{{ 1e22 | string }}{{ [1.0, none] }}",
    "{{ '{} and {:>5}'.format('a', 'b') }}{{ messages | tojson(indent=4) }}",
    "{{ dict(a=1) | tojson }}{% set ns = namespace(a=1) %}{% set ns.a = 2 %}{{ ns.a }}",
    "{{ bos_token }}{{ messages | map(attribute='role') | join(',') }}",
    "{{ 'a\\nb' }}{{ \"it's\" }}{{ [1, 2] + [3] | list }}",
]


@pytest.mark.parametrize("template", PIECES)
def test_pieces_of_templates_are_rendered_as_transformers_does(template: str) -> None:
    """Filters, tests, methods and white space are those of its sandbox."""
    from transformers.utils.chat_template_utils import (  # noqa: PLC0415  (slow to import)
        render_jinja_template,
    )

    messages: list[dict[str, Any]] = [
        USER | {"note": {"b": [1, 2.5, None, True], "a": 'é "x"'}},
        {"role": "assistant", "content": "In Oslo."},
    ]
    rendered: Any = render_jinja_template
    (wanted,), _ = rendered(
        [copy.deepcopy(messages)],
        chat_template=template,
        bos_token="<s>",  # noqa: S106
    )
    ours = profile(template, variables={"bos_token": "<s>"})
    assert ours.render_messages(messages) == wanted


def test_the_config_has_the_template() -> None:
    """A tokenizer_config.json gives template and tokens, as dict, text and path."""
    config = config_of("qwen3") | {"bos_token": {"content": "<s>"}}
    wanted = profile_of("qwen3").count_messages([USER]).total
    for given_config in (config, json.dumps(config), json.dumps(config).encode()):
        made = pf.profiles.chat_template(tokenizer_of("qwen3"), config=given_config)
        assert made.count_messages([USER]).total == wanted
    named = [{"name": "default", "template": "a"}, {"name": "tool_use", "template": "b"}]
    several = profile_of_config({"chat_template": named})
    assert several.render_messages([USER]) == "a"
    assert several.render_messages([USER], tools=TOOLS) == "b"


def profile_of_config(config: Any) -> pf.TokenProfile:
    """Return a profile of a config."""
    return pf.profiles.chat_template(tokenizer_of(PLAIN), config=config)


@pytest.mark.parametrize("bad", [None, {}, {"chat_template": 7}, "{", "[]", 7], ids=repr)
def test_a_config_without_a_template_is_named(bad: Any) -> None:
    """What gives no template is refused by the option."""
    with pytest.raises(pf.InvalidOption) as caught:
        profile_of_config(bad)
    assert caught.value.option in {"template", "config"}


def test_variables_reach_the_template() -> None:
    """Thinking is switched off as the model's card says, and the reply is not opened on demand."""
    data, config = tokenizer_of("qwen3"), config_of("qwen3")
    theirs = reference("qwen3")
    made = pf.profiles.chat_template(data, config=config, variables={"enable_thinking": False})
    wanted = theirs.apply_chat_template(
        [USER], tokenize=False, add_generation_prompt=True, enable_thinking=False
    )
    assert made.render_messages([USER]) == wanted
    closed = pf.profiles.chat_template(data, config=config, add_generation_prompt=False)
    wanted = theirs.apply_chat_template([USER], tokenize=False)
    assert closed.render_messages([USER]) == wanted
    assert len({made.fingerprint, closed.fingerprint, profile_of("qwen3").fingerprint}) == 3


def test_a_profile_pickles_and_packs() -> None:
    """A history packed under a template is counted whole, within the budget, by a copy as well."""
    ours = pickle.loads(pickle.dumps(profile_of("llama3_1")))
    messages = [{"role": "system", "content": "Be brief."}]
    for turn in range(20):
        messages.append({"role": "user", "content": f"Question {turn}? " * 5})
        messages.append({"role": "assistant", "content": f"Answer {turn}. " * 5})
    messages.append({"role": "user", "content": "And now?"})
    pack = pf.Frame.from_messages(messages).pack(
        400, token_profile=ours, boundary=pf.Boundary.external("me")
    )
    kept = pack.to_openai_chat()
    ids = reference("llama3_1").apply_chat_template(
        kept, add_generation_prompt=True, return_dict=False
    )
    assert len(ids) == pack.total_tokens <= 400
    assert pack.total_tokens > 300
    manifest = pack.manifest.to_dict()
    assert (manifest["accuracy"], manifest["token_profile"]["framing"]) == ("exact", "rendered")


def test_a_template_may_refuse_what_it_cannot_say() -> None:
    """Gemma's roles alternate: its own words are in the error."""
    with pytest.raises(pf.TokenizerError, match="alternate"):
        profile_of("gemma3").count_messages([USER, USER])
    assert "alternate" in source("gemma3")
