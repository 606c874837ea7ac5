"""Print the requirements of an extra, or of the build, as pyproject.toml lists them.

pip can install an extra only together with the project, which would build the wheel again.
"""

from __future__ import annotations

import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:  # pip brings a TOML reader to the interpreters that have none
    from pip._vendor import tomli as tomllib


def main(names: list[str]) -> None:
    """Print one requirement a line for each extra named; `build` is the build system's."""
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))
    for name in names:
        if name == "build":
            requirements = project["build-system"]["requires"]
        else:
            requirements = project["project"]["optional-dependencies"][name]
        print(*requirements, sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
