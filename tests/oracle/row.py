"""One row of a frame: a record and what follows from it."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from . import chat

Record = dict[str, Any]

RETENTIONS = ("optional", "preferred", "required")
"""Weakest first."""
SENSITIVITIES = ("public", "internal", "confidential", "restricted")
"""Least sensitive first."""
TRUSTS = ("trusted", "untrusted", "quarantined")
"""Most trusted first."""


def compact(value: Any) -> str:
    """Write JSON without spaces, keys in their order, non-ASCII kept."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True)
class Row:
    """An item with all its fields."""

    uid: int
    """Stays with the row through every verb."""
    content: Any
    kind: str = "text"
    mime: str | None = None
    digest: str | None = None
    size: int | None = None
    id: str | None = None
    role: str = "user"
    retention: str = "optional"
    score: float = 0.0
    priority: float = 0.0
    section: str | None = None
    group: str | None = None
    requires: tuple[str, ...] = ()
    exclusive: str | None = None
    alternatives: tuple[Any, ...] = ()
    """Records with ``content`` and perhaps ``kind``, best first."""
    cut_to: int | None = None
    pinned: bool = False
    created_at: datetime | None = None
    expires_at: datetime | None = None
    trust: str = "untrusted"
    sensitivity: str = "public"
    sources: tuple[str, ...] = field(default=())
    metadata: Any = None

    @classmethod
    def from_record(cls, uid: int, record: Record) -> Row:
        """Read a record as ``Frame.from_records`` takes it."""
        fields = {key: value for key, value in record.items() if key != "format"}
        for key in ("created_at", "expires_at"):
            if isinstance(fields.get(key), str):
                fields[key] = datetime.fromisoformat(fields[key].replace("Z", "+00:00"))
        for key in ("sources", "requires", "alternatives"):
            fields[key] = tuple(fields.get(key) or ())
        return cls(uid=uid, **fields)

    def but(self, **changes: Any) -> Row:
        """Return the row with some fields changed."""
        return replace(self, **changes)

    @property
    def message(self) -> dict[str, Any] | None:
        """The message of a message row."""
        return self.content if self.kind == "message" else None

    @property
    def replacements(self) -> list[Row]:
        """The row with each alternative in place of its content, best first."""
        return [
            self.but(
                content=alternative["content"],
                kind=alternative.get("kind", "text"),
                mime=alternative.get("mime"),
                digest=alternative.get("digest"),
                size=alternative.get("size"),
            )
            for alternative in self.alternatives
        ]

    @property
    def payload(self) -> bytes:
        """The bytes that the content hash is taken over."""
        if self.kind == "binary":
            return base64.b64decode(self.content)
        if self.kind in {"json", "message"}:
            return compact(self.content).encode()
        return str(self.content).encode()

    @property
    def sha256(self) -> str:
        """The content hash."""
        return hashlib.sha256(self.payload).hexdigest()

    @property
    def unsupported(self) -> bool:
        """Whether no rendering can show the content."""
        if self.kind == "message":
            return chat.has_media(self.content)
        return self.kind == "binary"

    @property
    def text(self) -> str:
        """What a text rendering shows, without a label."""
        if self.kind == "message":
            return chat.text_of(self.content)
        if self.kind == "json":
            return compact(self.content)
        return str(self.content)

    @property
    def rendered_message(self) -> dict[str, Any]:
        """What a rendering as messages shows."""
        return self.message or {"role": self.role, "content": self.text}

    @property
    def required(self) -> bool:
        """Whether the row itself has to be kept."""
        return self.pinned or self.retention == "required"
