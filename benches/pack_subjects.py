"""The two libraries behind one set of words: what is timed is one public call of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pack_items import Row

PROFILES = ("approximate", "o200k_base", "huggingface")


class Packframe:
    """packframe; `render` says what its packs are made for."""

    name = "packframe"

    def __init__(self) -> None:
        import packframe  # noqa: PLC0415  (a process for memory imports one library only)

        self.library = packframe
        self.version = packframe.__version__

    def profile(self, name: str, tokenizer_json: str) -> Any:
        """Return a profile, ready to count."""
        profiles = self.library.profiles
        if name == "approximate":
            profile = profiles.approximate()
        elif name == "huggingface":
            profile = profiles.huggingface(tokenizer_json)
        else:
            profile = profiles.openai(name)
        profile.count("ready")
        return profile

    def items(self, rows: list[Row]) -> list[Any]:
        """Return the items, made one by one."""
        item = self.library.Item
        return [
            item(
                row.text,
                id=row.id,
                score=row.score,
                retention="required" if row.required else "optional",
            )
            for row in rows
        ]

    def frame(self, items: Any) -> Any:
        """Return a frame of items."""
        return self.library.Frame(items)

    def records(self, rows: list[Row]) -> list[dict[str, Any]]:
        """Return the same items as plain records."""
        return [
            {
                "content": row.text,
                "id": row.id,
                "score": row.score,
                "retention": "required" if row.required else "optional",
            }
            for row in rows
        ]

    def from_records(self, records: Any) -> Any:
        """Return a frame of records."""
        return self.library.Frame.from_records(records)

    def pack(self, frame: Any, budget: int, profile: Any, render: str) -> Any:
        """Return a pack."""
        return frame.pack(budget, token_profile=profile, render=render)


class Cognoxium:
    """The peer: its packs have one rendering, the sum of items; its rank for us is `priority`."""

    name = "cognoxium"

    def __init__(self) -> None:
        from importlib.metadata import version  # noqa: PLC0415

        import cognoxium  # noqa: PLC0415  (a process for memory imports one library only)

        self.library = cognoxium
        self.version = version("cognoxium")

    def profile(self, name: str, tokenizer_json: str) -> Any:
        """Return a profile, ready to count."""
        profiles = self.library.profiles
        if name == "approximate":
            profile = profiles.approximate()
        elif name == "huggingface":
            profile = profiles.huggingface(tokenizer_json)
        else:
            profile = profiles.openai(name)
        profile.count_batch(["ready"])
        return profile

    def items(self, rows: list[Row]) -> list[Any]:
        """Return the items, made one by one."""
        item, text = self.library.ContextItem, self.library.Payload.text
        required, optional = self.library.Retention.REQUIRED, self.library.Retention.OPTIONAL
        return [
            item(
                id=row.id,
                payload=text(row.text),
                priority=row.score,
                retention=required if row.required else optional,
            )
            for row in rows
        ]

    def frame(self, items: Any) -> Any:
        """Return a frame of items."""
        return self.library.CognitionFrame.from_records(items)

    def records(self, rows: list[Row]) -> list[dict[str, Any]]:
        """Return the same items as plain records."""
        return [
            {
                "payload": row.text,
                "id": row.id,
                "priority": row.score,
                "retention": "required" if row.required else "optional",
            }
            for row in rows
        ]

    def from_records(self, records: Any) -> Any:
        """Return a frame of records."""
        return self.library.CognitionFrame.from_records(records)

    def pack(self, frame: Any, budget: int, profile: Any, _render: str) -> Any:
        """Return a pack."""
        return frame.pack(budget=budget, token_profile=profile)


Subject = Packframe | Cognoxium
