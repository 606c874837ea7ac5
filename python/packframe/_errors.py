"""Errors and warnings: typed, with a stable code and attributes."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

    from packframe._manifest import PackManifest


class PackframeError(Exception):
    """What packframe raises. `code` is stable; messages are for people and may change.

    Attributes that a class names and that were not given are None. `frame` is the place of the
    frame that an error of `pack_many` is about, else None.
    """

    code: str = "PACKFRAME_ERROR"
    frame: int | None = None
    _names: ClassVar[tuple[str, ...]] = ()

    def __init__(self, message: str = "", **attributes: Any) -> None:
        """Take a message and the attributes of the class."""
        super().__init__(message)
        for name in self._names:
            setattr(self, name, attributes.get(name))
        for name, value in attributes.items():
            setattr(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the message and every attribute."""
        return (_rebuild, (type(self), self.args[0] if self.args else "", dict(self.__dict__)))


class InvalidItem(PackframeError, ValueError):
    """An item, or a field of one, is not usable."""

    code = "INVALID_ITEM"
    _names: ClassVar[tuple[str, ...]] = ("row", "rows", "field", "value", "suggestion")
    row: int | None
    rows: list[int]
    field: str
    value: str
    suggestion: str | None


class InvalidOption(PackframeError, ValueError):
    """An option of a call is not usable."""

    code = "INVALID_OPTION"
    _names: ClassVar[tuple[str, ...]] = ("option", "value", "suggestion")
    option: str
    value: str
    suggestion: str | None


class InvalidMessages(PackframeError, ValueError):
    """A provider would refuse these messages. `problems` has dicts: position, path, rule, id.

    `id` is that of the call, the result or the item at the place, or None.
    """

    code = "INVALID_MESSAGES"
    _names: ClassVar[tuple[str, ...]] = ("problems",)
    problems: list[dict[str, Any]]


class BudgetExceeded(PackframeError, RuntimeError):
    """What must be in the pack does not fit.

    `available` is the budget less reserve and `margin`; `required_tokens` the cost of base,
    required items and separators, `overflow_tokens` how much too much there is. `item_costs` has a
    dict for each required row: row, id, tokens, cumulative, accuracy; `exceeded_at` is the row at
    which the room ran out. `strategies` says what each overflow strategy that was tried saved,
    `join_tokens` what joining the texts costs over the sum of parts, if they were joined.
    `accuracy` is what all these numbers of tokens are worth, the weakest of them.
    `partial_manifest` has every decision up to here.
    """

    code = "TOKEN_BUDGET_EXCEEDED"
    _names: ClassVar[tuple[str, ...]] = (
        "budget",
        "reserve",
        "margin",
        "available",
        "required_tokens",
        "overflow_tokens",
        "section",
        "item_costs",
        "exceeded_at",
        "strategies",
        "join_tokens",
        "accuracy",
        "partial_manifest",
    )
    budget: int
    reserve: int
    margin: int
    available: int
    required_tokens: int
    overflow_tokens: int
    section: str | None
    item_costs: list[dict[str, Any]]
    exceeded_at: int | None
    strategies: list[dict[str, Any]]
    join_tokens: int | None
    accuracy: str | None
    partial_manifest: PackManifest


class FloorsExceedBudget(BudgetExceeded):
    """What is required and what sections hold is over what is available.

    `required` is the sum of both, in tokens.
    """

    code = "FLOORS_EXCEED_BUDGET"
    _names: ClassVar[tuple[str, ...]] = (*BudgetExceeded._names, "required")  # noqa: SLF001  (its own base class)
    required: int


class SectionOverflow(BudgetExceeded):
    """A section that must be there does not fit: `section` needs `needed` tokens of `allocated`."""

    code = "SECTION_OVERFLOW"
    _names: ClassVar[tuple[str, ...]] = (*BudgetExceeded._names, "needed", "allocated")  # noqa: SLF001  (its own base class)
    needed: int
    allocated: int


class RenderingOverBudget(BudgetExceeded):
    """A rendering that the pack was not made for does not fit: `needed`, `available` tokens."""

    code = "RENDERING_OVER_BUDGET"
    _names: ClassVar[tuple[str, ...]] = (*BudgetExceeded._names, "needed")  # noqa: SLF001  (its own base class)
    needed: int


class PolicyViolation(PackframeError, PermissionError):
    """The boundary or a policy refuses required items.

    `violations` has a dict for every one of them: row, id, rule, reason. What stands beside the
    messages of a request has the row None, and the option as its id.
    """

    code = "POLICY_VIOLATION"
    _names: ClassVar[tuple[str, ...]] = ("violations", "boundary", "partial_manifest")
    violations: list[dict[str, Any]]
    boundary: str
    partial_manifest: PackManifest


class _Fault(PackframeError, RuntimeError):
    """Code of the caller's failed; what it raised is chained.

    `which` is its id, `row` the row it failed on where that is known, `cause` the repr of what it
    raised.
    """

    _names: ClassVar[tuple[str, ...]] = ("which", "row", "cause")
    which: str
    row: int | None
    cause: str | None


class PolicyError(_Fault):
    """A policy failed. That is never a pass."""

    code = "POLICY_ERROR"


class SourceError(_Fault):
    """A source of a section failed, or returned what is no list."""

    code = "SOURCE_ERROR"


class StrategyError(_Fault):
    """A strategy, such as a `where` callable, failed."""

    code = "STRATEGY_ERROR"


class TokenizerError(_Fault):
    """A tokenizer failed, cannot be read, or returned what is no number of tokens."""

    code = "TOKENIZER_ERROR"


class UnsupportedContent(PackframeError, ValueError):
    """A required item has content that the rendering cannot show."""

    code = "UNSUPPORTED_CONTENT"
    _names: ClassVar[tuple[str, ...]] = ("row", "id", "kind", "renderer")
    row: int
    id: str
    kind: str
    renderer: str


class ManifestError(PackframeError, ValueError):
    """A manifest is not what it should be.

    `MANIFEST_CORRUPT`: it is not intact. `MANIFEST_VERSION`: its schema version is not known.
    `MANIFEST_MISMATCH`: it speaks of another frame or text. `differences` has a str for each thing
    that does not hold, naming row and key, at most 100.
    """

    code = "MANIFEST_CORRUPT"
    _names: ClassVar[tuple[str, ...]] = ("differences",)
    differences: list[str]


class BoundaryWarning(UserWarning):
    """A pack that was made for inside the application is rendered for a provider."""


class PerformanceWarning(UserWarning):
    """A tokenizer runs in Python, where a native one would be much faster."""


def invalid_option(option: str, value: object, problem: str, remedy: str) -> InvalidOption:
    """Make the error for an option: what is wrong with the value, and what to use."""
    try:
        shown = f"{value!r:.60}"
    except Exception:  # noqa: BLE001  (what cannot be shown is wrong for another reason)
        shown = "?"
    message = f"{option} {shown} {problem}; use {remedy}"
    return InvalidOption(message, option=option, value=shown, suggestion=remedy)


def listed(option: str, values: Any, remedy: str) -> list[Any]:
    """Return a list of the caller's; what is one value or none is refused, what it raises chained.

    A str is a list of its letters and a mapping one of its keys: nobody means that.
    """
    from collections.abc import Mapping  # noqa: PLC0415  (needed here only)

    kind = type(values)
    is_list = hasattr(kind, "__iter__") or hasattr(kind, "__getitem__")
    if not is_list or isinstance(values, (str, bytes, Mapping)):
        raise invalid_option(option, values, "is no list", remedy)
    try:
        return list(values)
    except Exception as error:
        problem = f"failed with {type(error).__name__} when it was read; see what is chained"
        raise invalid_option(option, values, problem, remedy) from error


def _rebuild(
    kind: type[PackframeError], message: str, attributes: dict[str, Any]
) -> PackframeError:
    error = kind(message)
    error.__dict__.update(attributes)
    return error


def from_core(name: str, message: str, attributes: dict[str, Any]) -> PackframeError:
    """Make the exception that the core names; a native manifest gets its public class."""
    partial = attributes.get("partial_manifest")
    if partial is not None:
        from packframe._manifest import PackManifest  # noqa: PLC0415  (it imports this module)

        attributes["partial_manifest"] = PackManifest(partial)
    kind: type[PackframeError] = globals()[name]
    return kind(message, **attributes)


def missing_id(core: Any, id: str) -> KeyError:
    """Make the error for an id that no row of a native frame or manifest has."""
    try:
        near = core.near_id(id)
    except UnicodeEncodeError:
        # No id has a lone surrogate.
        near = None
    shown = f"{id!r:.80}"
    hint = "" if near is None else f"; the nearest is {near!r}"
    return KeyError(f"no row has the id {shown}{hint}")
