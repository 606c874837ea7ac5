"""Print the public API of packframe: every name a user can reach, with its signature.

`make api` writes the result to tests/data/public_api.txt; a test compares the two, so that no
public name comes, goes or changes its arguments unseen.
"""

from __future__ import annotations

import inspect
from types import ModuleType

import packframe

# Of the methods with two underscores only those that a user calls through syntax or pickle.
SYNTAX = {
    "__add__",
    "__and__",
    "__contains__",
    "__eq__",
    "__getitem__",
    "__hash__",
    "__invert__",
    "__iter__",
    "__len__",
    "__or__",
}


def signature(value: object) -> str:
    """Return the arguments of a callable as text; builtins that tell none give `(...)`."""
    try:
        return str(inspect.signature(value))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return "(...)"


def member(owner: type, name: str, value: object) -> str:
    """Return the line of one member of a class."""
    if isinstance(value, (staticmethod, classmethod)) or inspect.isbuiltin(value):
        return f"    {name}{signature(getattr(owner, name))}  [of the class]"
    if callable(value):
        return f"    {name}{signature(value)}"
    if isinstance(value, (str, int, float, tuple)):
        return f"    {name} = {value!r}"
    return f"    {name}"


def members(owner: type) -> list[str]:
    """Return a line for each public member that the class or a base in packframe defines."""
    lines: dict[str, str] = {}
    for base in reversed(owner.__mro__):
        if not base.__module__.startswith("packframe"):
            continue
        declared = [n for n in vars(base).get("__annotations__", ()) if not n.startswith("_")]
        lines |= {name: f"    {name}" for name in declared}
        for name, value in vars(base).items():
            if value is None:
                lines.pop(name, None)
            elif name in SYNTAX or not name.startswith("_"):
                lines[name] = member(owner, name, value)
    return [lines[name] for name in sorted(lines)]


def describe(prefix: str, name: str, value: object) -> list[str]:
    """Return the lines of one public name."""
    full = f"{prefix}{name}"
    if isinstance(value, ModuleType):
        names = getattr(value, "__all__", [n for n in vars(value) if not n.startswith("_")])
        inner = [describe(f"{full}.", n, getattr(value, n)) for n in sorted(names)]
        return [f"module {full}", *(line for lines in inner for line in lines)]
    if isinstance(value, type):
        bases = ", ".join(base.__name__ for base in value.__bases__ if base is not object)
        head = f"class {full}({bases})" if bases else f"class {full}"
        called = "" if issubclass(value, BaseException) else f" {signature(value)}"
        return [head + called, *members(value)]
    if callable(value):
        return [f"def {full}{signature(value)}"]
    return [f"{full}: {type(value).__name__}"]


def render() -> str:
    """Return the whole public API as text."""
    lines: list[str] = []
    for name in sorted(packframe.__all__):
        lines += describe("packframe.", name, getattr(packframe, name))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(render(), end="")
