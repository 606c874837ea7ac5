"""Makes objects again from what they were pickled as."""

from __future__ import annotations

from packframe import profiles
from packframe._core import (
    Boundary,
    Column,
    Overflow,
    framed_profile,
    harmony_profile,
    mistral_profile,
    template_profile,
)
from packframe._core import Frame as CoreFrame
from packframe._counter import TokenCounter
from packframe._frame import Frame
from packframe._manifest import PackManifest
from packframe._pack import Pack
from packframe._profile import TokenProfile
from packframe._request import Request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from packframe._core import Expression, Profile
    from packframe._plan import Plan


def boundary(
    kind: str,
    target: str,
    require_provenance: bool,  # noqa: FBT001
    secrets: str = "exclude",
    without: Sequence[str] = (),
) -> Boundary:
    """Make a boundary."""
    if kind == "internal":
        return Boundary.internal(target)
    return Boundary.external(
        target,
        require_provenance=require_provenance,
        secrets=secrets,  # type: ignore[arg-type]
        without=without,
    )


_NATIVE: dict[str, Callable[..., Profile]] = {
    "openai_responses": lambda encoding: framed_profile("openai-responses", encoding, None),
    "anthropic": lambda model: framed_profile("anthropic", None, model),
    "gemini": lambda model: framed_profile("gemini", None, model),
    "harmony": harmony_profile,
    "mistral": mistral_profile,
    "chat_template": template_profile,
}
"""What makes the native part of a profile again."""


def profile(kind: str, *arguments: Any) -> TokenProfile:
    """Make a profile by the call that made it first."""
    if kind == "approximate":
        bound, framed, model = (*arguments, None, None, None)[:3]
        return profiles.approximate(conservative=bool(bound), format=framed, model=model)
    if kind == "openai":
        encoding, special, model = arguments
        return profiles.openai(encoding, special=special, model=model)
    if kind in _NATIVE:
        return TokenProfile(_NATIVE[kind](*arguments), (kind, *arguments))
    if kind == "huggingface":
        data, base_tokens, envelope, special = arguments
        return profiles.huggingface(
            data,
            base_tokens=base_tokens,
            envelope_tokens_per_item=envelope,
            special=special,
        )
    if kind == "huggingface_python":
        tokenizer, base_tokens, envelope, exact = arguments
        return profiles.huggingface(
            tokenizer, base_tokens=base_tokens, envelope_tokens_per_item=envelope, exact=exact
        )
    name, count, count_messages, base_tokens, envelope, exact, version = arguments
    return profiles.custom(
        name,
        count,
        count_messages=count_messages,
        base_tokens=base_tokens,
        envelope_tokens_per_item=envelope,
        exact=exact,
        version=version,
    )


def counter(profile: TokenProfile, text: str) -> TokenCounter:
    """Make a counter of a text."""
    made = TokenCounter(profile)
    made.append(text)
    return made


def expression(word: str, *arguments: Any) -> Expression:
    """Make a condition by the operation that made it first."""
    if word in {"and", "or"}:
        left, right = arguments
        joined: Expression = left & right if word == "and" else left | right
        return joined
    if word == "not":
        negated: Expression = ~arguments[0]
        return negated
    name, *rest = arguments
    method = word if word in {"is_in", "is_null"} else f"__{word}__"
    made: Expression = getattr(Column(name), method)(*rest)
    return made


def overflow(strategies: list[tuple[Any, ...]]) -> Overflow:
    """Make an overflow of its strategies, in order."""
    makers: dict[str, Callable[..., Overflow]] = {
        "error": Overflow.error,
        "demote": lambda where, to: Overflow.demote(where, to=to),
        "truncate": lambda keep, at, marker: Overflow.truncate(keep=keep, at=at, marker=marker),
        "substitute": Overflow.substitute,
    }
    made = [makers[word](*arguments) for word, *arguments in strategies]
    joined = made[0]
    for strategy in made[1:]:
        joined |= strategy
    return joined


def frame(state: dict[str, Any]) -> CoreFrame:
    """Make a native frame."""
    redacted, talk = state.get("redacted", []), state.get("talk")
    return CoreFrame.restore(state["items"], state["demotions"], state["merges"], redacted, talk)


def public_frame(core: CoreFrame) -> Frame:
    """Make a frame around a native one."""
    return Frame._of(core)  # noqa: SLF001  (a friend)


def manifest(json: str) -> PackManifest:
    """Make a manifest from its canonical JSON."""
    return PackManifest.from_json(json)


def request(
    given: dict[str, Any],
    context: tuple[Any, ...],
    query: Any,
    has_final: bool,  # noqa: FBT001
) -> Request:
    """Make a request of what the core reads."""
    return Request._of(given, context, query, has_final=has_final)  # noqa: SLF001  (a friend)


def plan(
    made: Request,
    context: list[Any],
    call: dict[str, Any],
    whole: bool,  # noqa: FBT001
) -> Plan:
    """Plan again, with the same context and options."""
    options = dict(call)
    budget = options.pop("budget")
    return made._plan(budget, context, options, whole=whole)  # noqa: SLF001  (a friend)


def pack(
    packed: Frame, before: tuple[Any, ...], counter: TokenProfile, after: tuple[Any, ...]
) -> Pack:
    """Pack again, with the same options."""
    call = (*before, counter._core, *after)  # noqa: SLF001  (a friend)
    return Pack(packed._core.pack(*call), packed, counter, call)  # noqa: SLF001  (a friend)
