"""Where the tokens of a pack went."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .accuracy import weakest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .cost import Pricing


def breakdown(pricing: Pricing, rows: Sequence[int], total: int) -> dict[str, Any]:
    """Return ``tokens_by``: by part, section, role and retention."""
    return {
        "part": _parts(pricing, rows, total),
        "section": _by(pricing, rows, {row: pricing.rows[row].section or "" for row in rows}),
        "role": _by(pricing, rows, {row: pricing.rows[row].role for row in rows}),
        "retention": _by(pricing, rows, {row: pricing.rows[row].retention for row in rows}),
    }


def _parts(pricing: Pricing, rows: Sequence[int], total: int) -> dict[str, Any]:
    own = pricing.options.counter.accuracy
    costs = [pricing.costs[row] for row in rows]
    framing = "exact" if pricing.is_text else "approximate"
    joining = own if pricing.is_text else "exact"
    labelled = pricing.is_text and pricing.options.labels
    separators = max(len(rows) - 1, 0) * pricing.separator
    contents = sum(cost.content for cost in costs)
    labels = sum(cost.label for cost in costs)
    envelopes = sum(cost.envelope for cost in costs)
    joins = total - pricing.base - contents - labels - envelopes - separators
    return {
        "base": _value(pricing.base, framing),
        "content": _value(contents, weakest((cost.content_accuracy for cost in costs), own)),
        "envelope": _value(envelopes, framing),
        "joins": _value(joins, framing if pricing.recounts and not pricing.is_text else joining),
        "labels": _value(labels, own if labelled else "exact"),
        "separators": _value(separators, joining),
    }


def _by(pricing: Pricing, rows: Sequence[int], names: dict[int, str]) -> dict[str, Any]:
    found = {}
    for name in sorted(set(names.values())):
        costs = [pricing.costs[row] for row in rows if names[row] == name]
        tokens = sum(cost.tokens for cost in costs)
        found[name] = _value(tokens, weakest(cost.accuracy for cost in costs))
    return found


def _value(tokens: int, accuracy: str) -> dict[str, Any]:
    return {"tokens": tokens, "accuracy": accuracy}


def pack_accuracy(pricing: Pricing, rows: Sequence[int]) -> str:
    """Return the accuracy of the whole."""
    own = pricing.options.counter.accuracy
    if pricing.is_text:
        return own
    content = weakest([own, *(pricing.costs[row].content_accuracy for row in rows)])
    return {"exact": "exact_text", "bounded": "approximate"}.get(content, content)
