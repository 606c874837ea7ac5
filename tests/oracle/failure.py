"""The error that a pack should raise."""

from __future__ import annotations

from typing import Any


class OracleFailure(Exception):
    """Says which class packframe has to raise, with which attributes."""

    def __init__(
        self, name: str, *, partial: dict[str, Any] | None = None, **attributes: Any
    ) -> None:
        """Remember the class by name, its attributes and the partial manifest."""
        super().__init__(name, attributes)
        self.name = name
        self.attributes = attributes
        self.partial = partial
