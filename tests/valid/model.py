"""Models that judge a list differently."""

from __future__ import annotations

NO_PREFILL = (
    "claude-opus-4-6",
    "claude-opus-4-7",
    "claude-opus-4-8",
    "claude-opus-5",
    "claude-sonnet-4-6",
    "claude-sonnet-5",
    "claude-fable-5",
    "claude-mythos-5",
    "claude-mythos-preview",
)
"""How the names of models begin whose answer cannot be begun for them.

Source: ``supports_assistant_prefill`` in the model table of LiteLLM 1.110.2 (2026-11-20), and the
error of the API, "This model does not support assistant message prefill".
"""


def takes_prefill(model: str | None) -> bool:
    """Tell whether a list for a model may end with the assistant; without a name it may.

    Prefixes of providers and regions, such as ``us.anthropic.``, are no part of the name.
    """
    name = model or ""
    at = name.find("claude-")
    return at < 0 or not name[at:].startswith(NO_PREFILL)
