"""How many tokens a text has, and what a profile adds around it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import tiktoken
    import tokenizers

OPENAI_BASE = 3
OPENAI_ITEM = 3
OPENAI_CALL = 3


@dataclass
class Counter:
    """A token profile as the oracle sees it."""

    name: str
    of: Callable[[str], int]
    opaque: bool = True
    """Whether verification recounts by the sparing rule."""
    accuracy: str = "exact"
    base: int = 0
    per_item: int = 0
    openai: bool = False
    """Whether an envelope is the published OpenAI framing."""
    at_least_one: bool = False
    of_messages: Callable[[list[dict[str, Any]]], int] | None = None
    specials: tuple[str, ...] = ()
    """Tokens that a text had better not contain."""
    seen: dict[str, int] = field(default_factory=dict, repr=False)

    def count(self, text: str) -> int:
        """Return the tokens of a text."""
        if text not in self.seen:
            self.seen[text] = self.of(text)
        return self.seen[text]

    def special_starts(self, text: str) -> list[int]:
        """Return where special tokens start in a text, the longest first, none inside another."""
        longest_first = sorted(self.specials, key=len, reverse=True)
        pattern = "|".join(re.escape(token) for token in longest_first)
        return [found.start() for found in re.finditer(pattern, text)] if pattern else []

    @property
    def default_render(self) -> str:
        """Messages where the profile says anything about framing."""
        framed = self.openai or self.base or self.per_item or self.of_messages
        return "messages" if framed else "text"

    def envelope(self, role: str, *, named: bool, calls: int = 0) -> int:
        """Return what one item costs beside its content in messages."""
        if self.openai:
            return OPENAI_ITEM + self.count(role) + int(named) + OPENAI_CALL * calls
        return self.per_item


def words(*, accuracy: str = "exact", base: int = 0, per_item: int = 0) -> Counter:
    """Count words."""
    return Counter(
        "words",
        lambda text: len(text.split()),
        accuracy=accuracy,
        base=base,
        per_item=per_item,
    )


def quarter_bytes(*, accuracy: str = "exact", base: int = 0, per_item: int = 0) -> Counter:
    """Count a token for every four bytes begun."""
    return Counter(
        "bytes/4",
        lambda text: math.ceil(len(text.encode()) / 4),
        accuracy=accuracy,
        base=base,
        per_item=per_item,
    )


def bpe(
    encoding: tiktoken.Encoding,
    *,
    specials: tuple[str, ...] = (),
    framed: bool = True,
    accuracy: str = "exact",
    base: int = 0,
    per_item: int = 0,
) -> Counter:
    """Count with tiktoken; specials are text."""
    return Counter(
        encoding.name,
        lambda text: len(encoding.encode_ordinary(text)),
        specials=specials,
        opaque=False,
        accuracy=accuracy,
        base=OPENAI_BASE if framed else base,
        per_item=per_item,
        openai=framed,
    )


def hugging_face(
    tokenizer: tokenizers.Tokenizer, *, engine: bool = False, base: int = 0, per_item: int = 0
) -> Counter:
    """Count with the tokenizers wheel; specials are text, no truncation or padding.

    `engine` says that the file is byte-level BPE of a known kind, so that joins can be recounted.
    """
    own = type(tokenizer).from_str(tokenizer.to_str())
    own.encode_special_tokens = True
    own.no_truncation()
    own.no_padding()
    added = own.get_added_tokens_decoder().values()
    return Counter(
        "huggingface",
        lambda text: len(own.encode(text, add_special_tokens=False).ids),
        specials=tuple(token.content for token in added if token.special),
        opaque=not engine,
        base=base,
        per_item=per_item,
    )


def approximate(of: Callable[[str], int]) -> Counter:
    """Wrap the library's own estimate, which charges at least one token an item."""
    return Counter("approximate", of, opaque=False, accuracy="approximate", at_least_one=True)
