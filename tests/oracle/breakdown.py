"""Where the tokens of a pack went."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .accuracy import weakest

if TYPE_CHECKING:
    from .pricing import Pricing, Shown


def breakdown(pricing: Pricing, shown: Shown, total: int) -> dict[str, Any]:
    """Return ``tokens_by``: by part, section, role and retention."""
    rows = pricing.frame.rows
    return {
        "part": _parts(pricing, shown, total),
        "section": _by(shown, {row: rows[row].section or "" for row in shown}),
        "role": _by(shown, {row: rows[row].role for row in shown}),
        "retention": _by(
            shown,
            {row: "required" if rows[row].pinned else rows[row].retention for row in shown},
        ),
    }


def _parts(pricing: Pricing, shown: Shown, total: int) -> dict[str, Any]:
    own = pricing.options.counter.accuracy
    costs = [form.cost for form in shown.values()]
    framing = "exact" if pricing.is_text else "approximate"
    joining = own if pricing.is_text else "exact"
    labelled = pricing.is_text and pricing.options.labels
    contents = sum(cost.content for cost in costs)
    labels = sum(cost.label for cost in costs)
    envelopes = sum(cost.envelope for cost in costs)
    headers = _headers(pricing, shown)
    parts = pricing.base + contents + labels + envelopes + headers
    separators = pricing.sum(shown) - parts
    joins = total - parts - separators
    found = {
        "base": _value(pricing.base, framing),
        "content": _value(contents, weakest((cost.content_accuracy for cost in costs), own)),
        "envelope": _value(envelopes, framing),
        "joins": _value(joins, framing if pricing.recounts and not pricing.is_text else joining),
        "labels": _value(labels, own if labelled else "exact"),
        "separators": _value(separators, joining),
    }
    found["headers"] = _value(headers, joining)
    return found


def _headers(pricing: Pricing, shown: Shown) -> int:
    if not pricing.is_text:
        return 0
    headers = [pricing.options.header_of(name) for name in pricing.sections_of(shown)]
    return sum(pricing.options.counter.count(header) for header in headers if header is not None)


def _by(shown: Shown, names: dict[int, str]) -> dict[str, Any]:
    found = {}
    for name in sorted(set(names.values())):
        costs = [form.cost for row, form in shown.items() if names[row] == name]
        tokens = sum(cost.tokens for cost in costs)
        found[name] = _value(tokens, weakest(cost.accuracy for cost in costs))
    return found


def _value(tokens: int, accuracy: str) -> dict[str, Any]:
    return {"tokens": tokens, "accuracy": accuracy}


def pack_accuracy(pricing: Pricing, shown: Shown) -> str:
    """Return the accuracy of the whole."""
    own = pricing.options.counter.accuracy
    if pricing.is_text:
        return own
    content = weakest([own, *(form.cost.content_accuracy for form in shown.values())])
    return {"exact": "exact_text", "bounded": "approximate"}.get(content, content)
