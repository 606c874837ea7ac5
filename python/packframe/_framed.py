"""The makers of token profiles that know what frames a conversation."""

from __future__ import annotations

from packframe._core import (
    framed_profile,
    harmony_profile,
    mistral_profile,
    template_profile,
)
from packframe._errors import invalid_option
from packframe._profile import TokenProfile
from packframe._tokenizer_file import read, tokenizer_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
    from datetime import datetime
    from typing import Any, Literal


def framing_table() -> list[dict[str, Any]]:
    """Return every number of framing that is charged, row by row, with source, date and status.

    A row has `id`, `models` (what the names of its models start with), `numbers` in tokens,
    `source`, `date`, `status` (`published`, `measured`, `reverse engineered`, `unverified` or
    `estimate`) and `note`. The rows are made anew at each call.

    >>> import packframe as pf
    >>> row = next(row for row in pf.profiles.framing_table() if row["id"] == "openai-chat/gpt-4")
    >>> row["numbers"], row["status"], row["date"]
    ({'message': 3, 'name': 1, 'reply': 3}, 'published', '2024-07')
    """
    import json  # noqa: PLC0415  (needed here only)

    from packframe._core import framing_table  # noqa: PLC0415  (a function of the same name)

    rows: list[dict[str, Any]] = json.loads(framing_table())["rows"]
    return rows


def openai_responses(encoding: str = "o200k_base") -> TokenProfile:
    """Return the profile of OpenAI's Responses API, whose items it frames.

    Content is counted exactly by the encoding. Nothing is published about the framing of items:
    the numbers of chat completions are charged, and marked an estimate. The API itself counts
    exactly, at `POST /v1/responses/input_tokens`. Raises `InvalidOption` for an unknown encoding.

    >>> import packframe as pf
    >>> profile = pf.profiles.openai_responses()
    >>> items = [{"role": "user", "content": [{"type": "input_text", "text": "Where is it?"}]}]
    >>> profile.count_messages(items, system="Be brief.").total
    18
    """
    core = framed_profile("openai-responses", encoding, None)
    return TokenProfile(core, ("openai_responses", encoding))


def anthropic(model: str | None = None) -> TokenProfile:
    """Return the profile of Anthropic's messages, for a model, such as `"claude-opus-4-7"`.

    No tokenizer of these models is public: content is estimated as `approximate()` does. Over it
    go the measured frame of a message and, with tools, the published system prompt that they bring,
    which depends on the model and on `tool_choice`. A model that is not in `framing_table()`, and
    None, have the numbers of Claude 4. Every number is approximate; the endpoint
    `/v1/messages/count_tokens` counts exactly. Raises `InvalidOption` for a model that is no text.

    >>> import packframe as pf
    >>> profile = pf.profiles.anthropic("claude-opus-4-7")
    >>> counted = profile.count_messages(
    ...     [{"role": "user", "content": "Where is it?"}],
    ...     tools=[{"name": "look_up", "input_schema": {"type": "object"}}],
    ... )
    >>> [(part.part, part.accuracy) for part in counted.parts]
    [('base', 'approximate'), ('message', 'approximate'), ('tools', 'approximate')]
    """
    return TokenProfile(framed_profile("anthropic", None, model), ("anthropic", model))


def gemini(model: str | None = None) -> TokenProfile:
    """Return the profile of Gemini's contents.

    Neither the tokenizer nor the framing of these models is public: content is estimated as
    `approximate()` does, and framed as the open model Gemma 3 is. Every number is approximate; the
    method `countTokens` counts exactly. Raises `InvalidOption` for a model that is no text.

    >>> import packframe as pf
    >>> profile = pf.profiles.gemini("gemini-3-pro")
    >>> contents = [{"role": "user", "parts": [{"text": "Where is it?"}]}]
    >>> profile.count_messages(contents).accuracy
    'approximate'
    """
    return TokenProfile(framed_profile("gemini", None, model), ("gemini", model))


def harmony(
    *,
    system: bool = True,
    model_identity: str | None = "You are ChatGPT, a large language model trained by OpenAI.",
    reasoning_effort: Literal["low", "medium", "high"] | None = "medium",
    knowledge_cutoff: str | None = "2024-06",
    current_date: str | None = None,
    drop_analysis: bool = True,
    add_generation_prompt: bool = True,
) -> TokenProfile:
    """Return the profile of Harmony, the format of gpt-oss, exact with its framing.

    Conversations are rendered as `openai-harmony` 0.0.8 renders them and counted with
    `o200k_harmony`: markers are special tokens, content is text. The options are what the system
    message says; `system=False` leaves it out. Chat messages become Harmony's so: `system` and
    `developer` are developer messages, the first of which has the tools; reasoning of an assistant
    (`reasoning_content`, `thinking` or `reasoning`) is the channel `analysis`, its calls and the
    text before them `commentary`, other text `final`, unless a field `channel` says otherwise; the
    results of tools are addressed to the assistant. With `drop_analysis`, reasoning before the
    first final answer goes where the last assistant message is final. Raises `InvalidOption` for a
    bad option; counting raises `TokenizerError` for a result whose tool is not known.

    >>> import packframe as pf
    >>> profile = pf.profiles.harmony(reasoning_effort="low")
    >>> counted = profile.count_messages([{"role": "user", "content": "hello"}])
    >>> counted.total, counted.accuracy
    (57, 'exact')
    """
    options = (
        system,
        model_identity,
        reasoning_effort,
        knowledge_cutoff,
        current_date,
        drop_analysis,
        add_generation_prompt,
    )
    return TokenProfile(harmony_profile(*options), ("harmony", *options))


def mistral(
    tokenizer: str | bytes | os.PathLike[str] | object,
    *,
    version: Literal["v1", "v2", "v3", "v7", "v11", "v13"] | None = None,
) -> TokenProfile:
    """Return the profile of one of Mistral's instruct formats, exact with its framing.

    Conversations are rendered as `mistral-common` 1.13.1 encodes them. `tokenizer` is the text, the
    bytes or the path of a `tekken.json`, which says its version, or of the `tokenizer.json` of a
    model, for which `version` has to be given. Raises `TokenizerError` for a broken file,
    `InvalidOption` for a version that is unknown or missing, `OSError` for a path that cannot be
    read; counting raises `TokenizerError` for what the version cannot say, as tools in v1.

    >>> import json
    >>> import packframe as pf
    >>> words = {"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"}
    >>> file = json.dumps({"pre_tokenizer": {"type": "WhitespaceSplit"}, "model": words})
    >>> profile = pf.profiles.mistral(file, version="v3")
    >>> messages = [{"role": "user", "content": "Where is it?"}]
    >>> profile.render_messages(messages), profile.count_messages(messages).total
    ('<s>[INST]Where is it?[/INST]', 6)
    """
    data = _file(tokenizer)
    return TokenProfile(mistral_profile(data, version), ("mistral", data, version))


def chat_template(
    tokenizer: str | bytes | os.PathLike[str] | object,
    template: str | None = None,
    *,
    config: str | bytes | os.PathLike[str] | Mapping[str, Any] | None = None,
    variables: Mapping[str, Any] | None = None,
    now: datetime | None = None,
    add_generation_prompt: bool = True,
) -> TokenProfile:
    """Return the profile of an open model, whose chat template frames its conversations exactly.

    `tokenizer` is a `tokenizer.json` as `huggingface` takes it, natively counted. `template` is the
    source of the chat template; None takes it from `config`, the `tokenizer_config.json` of the
    model, whose special tokens (`bos_token`, ...) the template may name in any case. Of several
    templates the one called `default` counts, and `tool_use` where there are tools. `variables` are
    what else the template may name, such as `enable_thinking`.

    The template is rendered natively, as the `apply_chat_template` of transformers renders it, and
    its markers are special tokens. What stands in a message is text, also where it spells a marker:
    there transformers reads the marker. No clock is read: a template that asks for the time gets
    `now`, and fails without it. Its work is bounded by the size of the messages.

    Raises `TokenizerError` for a broken tokenizer or template and `InvalidOption` for a bad option;
    counting raises `TokenizerError` with what the template refuses.

    >>> import json
    >>> import packframe as pf
    >>> words = {"type": "WordLevel", "vocab": {"[UNK]": 0, "<s>": 1}, "unk_token": "[UNK]"}
    >>> file = json.dumps({"pre_tokenizer": {"type": "WhitespaceSplit"}, "model": words})
    >>> template = "{{ bos_token }}{% for m in messages %} {{ m.content }} {% endfor %}"
    >>> profile = pf.profiles.chat_template(file, template, variables={"bos_token": "<s>"})
    >>> messages = [{"role": "user", "content": "Where is it?"}]
    >>> profile.render_messages(messages), profile.count_messages(messages).total
    ('<s> Where is it? ', 4)
    """
    settings = _settings(config)
    default, with_tools = _templates(template, settings)
    known = {name: _token(value) for name, value in settings.items() if name.endswith("_token")}
    named = {name: value for name, value in known.items() if value is not None}
    named |= dict(variables or {})
    time = None if now is None else now.isoformat()
    options = (default, with_tools, named, time, add_generation_prompt)
    data = _file(tokenizer)
    return TokenProfile(template_profile(data, *options), ("chat_template", data, *options))


def _file(tokenizer: Any) -> bytes:
    data = tokenizer_file(tokenizer)
    if data is None:
        remedy = "the text of a tokenizer.json, or a pathlib.Path to one"
        raise invalid_option("tokenizer", tokenizer, "is no tokenizer file", remedy)
    return data


def _settings(config: Any) -> dict[str, Any]:
    """Return what a tokenizer_config.json says."""
    remedy = "the text of a tokenizer_config.json, its dict, or a pathlib.Path to it"
    if config is None:
        return {}
    if hasattr(config, "__fspath__"):
        config = read(config)
    if isinstance(config, (str, bytes)):
        import json  # noqa: PLC0415  (needed here only)

        try:
            config = json.loads(config)
        except ValueError as error:
            raise invalid_option("config", config, "is no JSON", remedy) from error
    if not hasattr(config, "items"):
        raise invalid_option("config", config, "is no tokenizer_config.json", remedy)
    return dict(config)


def _templates(template: Any, settings: dict[str, Any]) -> tuple[str, str | None]:
    """Return the template, and that for calls with tools."""
    remedy = "the source of the template, or config= with one"
    found = settings.get("chat_template") if template is None else template
    if isinstance(found, list):
        by_name = {entry.get("name"): entry.get("template") for entry in found}
        default, with_tools = by_name.get("default"), by_name.get("tool_use")
    else:
        default, with_tools = found, None
    if not isinstance(default, str) or not isinstance(with_tools, (str, type(None))):
        raise invalid_option("template", template, "is no chat template", remedy)
    return default, with_tools


def _token(value: Any) -> Any:
    """Return the text of a special token, which may stand in a dict."""
    return value.get("content") if isinstance(value, dict) else value
