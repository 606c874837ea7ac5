"""The record of every decision of a pack."""

from __future__ import annotations

from packframe._core import Manifest
from packframe._record import Why

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


# The keys of the document, which are attributes too.
_KEYS = frozenset(
    {
        "accuracy",
        "available",
        "boundary",
        "budget",
        "demotions",
        "estimated",
        "excluded",
        "groups",
        "hooks",
        "insertions",
        "labels",
        "layout",
        "library_version",
        "manifest_id",
        "margin",
        "merged",
        "now",
        "optimal",
        "policies",
        "remaining_tokens",
        "render",
        "rendered_bytes",
        "rendered_sha256",
        "repairs",
        "reserve",
        "schema_version",
        "sections",
        "selected",
        "selection",
        "separator",
        "strategy",
        "substitutions",
        "switches",
        "token_profile",
        "token_profile_fingerprint",
        "token_profile_id",
        "tokens_by",
        "total_tokens",
        "truncations",
        "warnings",
    }
)


class PackManifest:
    """The record of every decision of a pack: immutable, and free of content.

    It holds ids, hashes, numbers and reasons. Every row of the frame is in exactly one of
    `selected` and `excluded`, every row merged away before in `merged`; every number of tokens
    stands beside its accuracy. `docs/manifest.md` describes each key. The document is made when
    it is first asked for: hashing the contents is the main cost.
    """

    __slots__ = ("__weakref__", "_core")
    _core: Manifest

    def __init__(self, core: Manifest) -> None:
        """Take the native manifest."""
        object.__setattr__(self, "_core", core)

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: a manifest does not change."""
        message = f"a PackManifest is immutable: {name} cannot be set"
        raise AttributeError(message)

    __delattr__ = __setattr__  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """Return the manifest as plain, JSON-ready values: a fresh copy, keys sorted.

        >>> import packframe as pf
        >>> record = pf.Frame(["hi"]).pack(10).manifest.to_dict()
        >>> record["budget"], record["estimated"], record["selected"][0]["why"]
        (10, True, 'score')
        """
        return self._core.to_dict()

    def to_json(self) -> str:
        """Return canonical JSON: keys sorted, no white space, non-ASCII kept."""
        return self._core.to_json()

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> PackManifest:
        """Return the manifest that `to_dict` gave.

        Raises `ManifestError`: `MANIFEST_CORRUPT` where the document is not of the schema, or is
        not what its `manifest_id` is the hash of; `MANIFEST_VERSION` for an unknown version.

        >>> import packframe as pf
        >>> manifest = pf.Frame(["hi"]).pack(10).manifest
        >>> pf.PackManifest.from_dict(manifest.to_dict()) == manifest
        True
        """
        return cls(Manifest.from_dict(document))

    @classmethod
    def from_json(cls, json: str) -> PackManifest:
        """Return the manifest that `to_json` gave; raises as `from_dict` does."""
        return cls(Manifest.from_json(json))

    def summary(self, *, limit: int = 100) -> str:
        """Return a table for a person to read: the budget, and at most `limit` rows.

        `~` marks a number that is not exact, `(+n)` by how many tokens an item is too much.

        >>> import packframe as pf
        >>> words = pf.profiles.custom("words", lambda text: len(text.split()), exact=True)
        >>> frame = pf.Frame([pf.Item("a b", id="kb-1"), pf.Item("c d e", id="kb-2")])
        >>> print(frame.pack(3, token_profile=words).manifest.summary())
        2 of 3 tokens (budget 3, reserve 0, margin 0)
        exact by words, as text for internal:application
        content 2, envelope 0, base 0, labels 0, separators 0, joins +0
        1 in, 1 out, 0 merged, 0 demoted or promoted
        row  id    role  fate  tokens  why
          0  kb-1  user  in         2  score
          1  kb-2  user  out        3  budget (+2)
        <BLANKLINE>
        """
        return self._core.summary(limit)

    def why(self, id: str) -> Why:
        """Return why an item is in the pack, or is not, and what would have admitted it.

        Raises `KeyError` where no row has the id.

        >>> import packframe as pf
        >>> frame = pf.Frame([pf.Item("a b", id="kb-1"), pf.Item("c", id="kb-2")])
        >>> print(frame.pack(1, token_profile=lambda text: len(text.split())).manifest.why("kb-1"))
        'kb-1' is not in the pack: it did not fit into the room that was left; 2 tokens too many; \
raise the budget, by its shortfall at least, raise its score, or make it preferred
        """
        try:
            why = self._core.why(id)
        except UnicodeEncodeError:
            why = None
        if why is None:
            raise KeyError(id)
        return Why(**why)

    if TYPE_CHECKING:
        accuracy: str
        available: int | None
        boundary: dict[str, Any]
        budget: int | None
        demotions: list[dict[str, Any]]
        estimated: bool
        excluded: list[dict[str, Any]]
        groups: list[dict[str, Any]]
        hooks: list[Any]
        insertions: list[Any]
        labels: bool
        layout: str
        library_version: str
        manifest_id: str
        margin: int
        merged: list[dict[str, Any]]
        now: str | None
        optimal: dict[str, Any] | None
        policies: list[str]
        remaining_tokens: int | None
        render: str
        rendered_bytes: int | None
        rendered_sha256: str | None
        repairs: list[Any]
        reserve: int
        schema_version: int
        sections: list[Any]
        selected: list[dict[str, Any]]
        selection: str
        separator: str
        strategy: str | None
        substitutions: list[Any]
        switches: list[Any]
        token_profile: dict[str, Any]
        token_profile_fingerprint: str
        token_profile_id: str
        tokens_by: dict[str, dict[str, dict[str, Any]]]
        total_tokens: int
        truncations: list[Any]
        warnings: list[dict[str, Any]]
    else:

        def __getattr__(self, name: str) -> Any:
            """Return a key of the document, as a fresh copy: `manifest.total_tokens`."""
            if name in _KEYS:
                return self._core.key(name)
            message = f"a PackManifest has no {name!r}; its keys are those of to_dict()"
            raise AttributeError(message)

    def __dir__(self) -> list[str]:
        """List the keys of the document too."""
        return [*object.__dir__(self), *_KEYS]

    def __eq__(self, other: object) -> bool:
        """Say whether two manifests record the same."""
        if not isinstance(other, PackManifest):
            return NotImplemented
        return self._core.same(other._core)

    def __hash__(self) -> int:
        """Hash the id."""
        return hash(self.manifest_id)

    def __repr__(self) -> str:
        """Show the shape."""
        selected, excluded = len(self.selected), len(self.excluded)
        shape = f"{selected} selected, {excluded} excluded, {self.total_tokens} tokens"
        return f"PackManifest({shape}, {self.accuracy})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the canonical JSON."""
        from packframe._pickle import manifest  # noqa: PLC0415  (it imports this module)

        return (manifest, (self._core.to_json(),))
