"""The record of every decision of a pack."""

from __future__ import annotations

from packframe._core import Frame as CoreFrame
from packframe._core import Manifest
from packframe._errors import invalid_option, missing_id
from packframe._record import Why

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from packframe._core import Diff
    from packframe._frame import Frame


# The keys of the document, which are attributes too.
_KEYS = frozenset(
    {
        "accuracy",
        "available",
        "boundary",
        "budget",
        "content_hash",
        "demotions",
        "edits",
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
        "provider_count",
        "redactions",
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
        "signature",
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
        if not isinstance(core, Manifest):
            remedy = "PackManifest.from_dict, PackManifest.from_json, or pack.manifest"
            raise invalid_option("core", core, "is no manifest", remedy)
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

        Raises `ManifestError`: `MANIFEST_CORRUPT` where the document is not of the schema, is not
        what its `manifest_id` is the hash of, has words, rows or records that contradict each
        other, or numbers that do not add up;
        `MANIFEST_VERSION` for an unknown version. Older versions are read as they are.

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
        """Return why an item is in the pack, or is not, and what can be done about it.

        Raises `KeyError`, naming the nearest id, where no row has the id, and `InvalidOption` for
        what is no str.

        >>> import packframe as pf
        >>> frame = pf.Frame([pf.Item("a b", id="kb-1"), pf.Item("c", id="kb-2")])
        >>> print(frame.pack(1, token_profile=lambda text: len(text.split())).manifest.why("kb-1"))
        'kb-1' is not in the pack: it did not fit into the room that was left; 2 tokens too many; \
raise its score, make it preferred, or raise the budget: beside what is in it needs 3 at least, \
2 more, and better items may take new room first
        """
        why = self._core.why(id)
        if why is None:
            raise missing_id(self._core, id)
        return Why(**why)

    def diff(self, other: PackManifest) -> ManifestDiff:
        """Return what `other`, the pack after, has otherwise than this one, by id.

        Raises `InvalidOption` for what is no PackManifest. O(n log n) in rows.

        >>> import packframe as pf
        >>> frame = pf.Frame([pf.Item("a b", id="kb-1"), pf.Item("c", id="kb-2")])
        >>> words = pf.profiles.custom("words", lambda text: len(text.split()), exact=True)
        >>> before = frame.pack(1, token_profile=words).manifest
        >>> after = frame.pack(3, token_profile=words).manifest
        >>> difference = before.diff(after)
        >>> [record["id"] for record in difference.entered], difference.numbers["total_tokens"]
        (['kb-1'], {'after': 3, 'before': 1})
        """
        return ManifestDiff(self, other)

    def verify(
        self, frame: Frame, *, rendered: str | None = None, hash_key: bytes | None = None
    ) -> bool:
        """Return True where this is the record of packing a frame; never return False.

        Checked are, for every row, its id, the hash of its content, section, group, role and
        retention, and of what was cut or replaced the hash of what was packed instead; with
        `rendered` also that this is the text. `hash_key` is that of the pack, if it had one.

        Raises `ManifestError` with the code `MANIFEST_MISMATCH` and all `differences`, and
        `InvalidOption` for a key too many or too few, and for a text where the pack was made for
        messages. Costs a hash of each content that was not hashed before.

        >>> import packframe as pf
        >>> frame = pf.Frame([pf.Item("a b", id="kb-1")])
        >>> frame.pack(9).manifest.verify(frame)
        True
        >>> try:
        ...     frame.pack(9).manifest.verify(pf.Frame([pf.Item("a c", id="kb-1", role="tool")]))
        ... except pf.ManifestError as error:
        ...     print(error.code, error.differences[1])
        MANIFEST_MISMATCH row 0: role is user, the frame has tool
        """
        core = getattr(frame, "_core", None)
        if not isinstance(core, CoreFrame):
            raise invalid_option("frame", frame, "is no frame", "the pf.Frame that was packed")
        core.verify(self._core, hash_key, rendered)
        return True

    def sign(self, key: bytes) -> PackManifest:
        """Return the manifest with the HMAC-SHA-256 by a secret key in `signature`.

        Signed is the canonical JSON without `manifest_id` and `signature`; a signature that is
        there is replaced. `manifest_id` covers the signature, so it changes. `key` is 16 bytes or
        more, and another one than a `hash_key`. Raises `InvalidOption` for any other key, and
        `ManifestError` (`MANIFEST_VERSION`) for a document of schema version 1.

        >>> import packframe as pf
        >>> signed = pf.Frame(["a"]).pack(9).manifest.sign(b"sixteen bytes or")
        >>> signed.verify_signature(b"sixteen bytes or"), signed.verify_signature(b"0" * 16)
        (True, False)
        """
        return PackManifest(self._core.sign(key))

    def verify_signature(self, key: bytes) -> bool:
        """Return whether the holder of a key signed this manifest; False without a signature.

        The codes are compared in constant time. Raises `InvalidOption` as `sign` does.
        """
        return self._core.is_signed_by(key)

    @staticmethod
    def schema(version: int = 2) -> dict[str, Any]:
        """Return the JSON Schema, of draft 2020-12, that documents of a version fulfil.

        Raises `InvalidOption` for a version that is not known.

        >>> import packframe as pf
        >>> pf.PackManifest.schema()["properties"]["schema_version"]
        {'const': 2}
        """
        import json  # noqa: PLC0415  (needed here only)
        import os  # noqa: PLC0415  (needed here only)

        if type(version) is not int or version not in {1, 2}:
            raise invalid_option("version", version, "is not known", "1 or 2")
        folder = os.path.join(os.path.dirname(__file__), "schema")  # noqa: PTH118, PTH120
        path = os.path.join(folder, f"manifest-{int(version)}.schema.json")  # noqa: PTH118
        with open(path, encoding="utf-8") as file:  # noqa: PTH123  (pathlib is slow to import)
            schema: dict[str, Any] = json.load(file)
        return schema

    def _repr_html_(self) -> str:
        """Show the budget as bars, and the rows as a table, in a notebook: no script runs."""
        from packframe._picture import html  # noqa: PLC0415  (needed here only)

        return html(self.to_dict())

    def __rich__(self) -> Any:
        """Show the budget as bars in a terminal; rich calls it, and without rich it is a str."""
        import sys  # noqa: PLC0415  (needed here only)

        if "rich" not in sys.modules:
            return self.summary()
        from packframe._terminal import renderable  # noqa: PLC0415  (needed here only)

        return renderable(self.to_dict())

    if TYPE_CHECKING:
        accuracy: str
        available: int | None
        boundary: dict[str, Any]
        budget: int | None
        content_hash: str
        demotions: list[dict[str, Any]]
        edits: list[dict[str, Any]]
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
        provider_count: dict[str, Any] | None
        redactions: list[dict[str, Any]]
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
        signature: dict[str, str] | None
        strategy: str | None
        substitutions: list[Any]
        switches: list[str]
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


class ManifestDiff:
    """What differs between two packs, by the ids of their rows: `PackManifest.diff` returns it.

    It is true where anything differs. `entered` is what is in now and was not, `left` what was in
    and is not, `changed` what has another form, reason, place or cost; `numbers` has budget, total,
    profile and other values of the whole that differ.
    """

    __slots__ = ("__weakref__", "_after", "_before", "_core")
    _before: PackManifest
    _after: PackManifest
    _core: Diff

    def __init__(self, before: PackManifest, after: PackManifest) -> None:
        """Compare two manifests."""
        for name, manifest in (("before", before), ("other", after)):
            if not isinstance(manifest, PackManifest):
                raise invalid_option(name, manifest, "is no manifest", "a pf.PackManifest")
        object.__setattr__(self, "_before", before)
        object.__setattr__(self, "_after", after)
        core = before._core.diff(after._core)  # noqa: SLF001  (a friend)
        object.__setattr__(self, "_core", core)

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: a difference does not change."""
        message = f"a ManifestDiff is immutable: {name} cannot be set"
        raise AttributeError(message)

    __delattr__ = __setattr__  # type: ignore[assignment]

    @property
    def entered(self) -> list[dict[str, Any]]:
        """Records of what is in now and was not, by row: id, before, after, fields."""
        return self.to_dict()["entered"]  # type: ignore[no-any-return]

    @property
    def left(self) -> list[dict[str, Any]]:
        """Records of what was in and is not now, by the row it had."""
        return self.to_dict()["left"]  # type: ignore[no-any-return]

    @property
    def changed(self) -> list[dict[str, Any]]:
        """Records of what else differs, by row; `fields` names the keys that do."""
        return self.to_dict()["changed"]  # type: ignore[no-any-return]

    @property
    def numbers(self) -> dict[str, dict[str, Any]]:
        """Values of the whole that differ, by key: before and after."""
        return self.to_dict()["numbers"]  # type: ignore[no-any-return]

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain, JSON-ready values: a fresh copy."""
        return self._core.to_dict()

    def summary(self, *, limit: int = 100) -> str:
        """Return lines for a person to read: the numbers, and at most `limit` ids."""
        return self._core.summary(limit)

    def __str__(self) -> str:
        """Return the summary."""
        return self._core.summary(100)

    def __bool__(self) -> bool:
        """Say whether anything differs."""
        return not self._core.is_empty()

    def __eq__(self, other: object) -> bool:
        """Say whether two compare the same manifests."""
        if not isinstance(other, ManifestDiff):
            return NotImplemented
        return (self._before, self._after) == (other._before, other._after)

    def __hash__(self) -> int:
        """Hash both ids."""
        return hash((self._before, self._after))

    def __repr__(self) -> str:
        """Show the shape."""
        record = self.to_dict()
        shape = ", ".join(f"{len(record[key])} {key}" for key in ("entered", "left", "changed"))
        return f"ManifestDiff({shape})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle both manifests."""
        return (ManifestDiff, (self._before, self._after))
