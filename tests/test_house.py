"""The house rules: what the layout, the imports and the public surface promise."""

from __future__ import annotations

import ast
import importlib.metadata
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import packframe

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "packframe"
CRATES = ("packframe-tokens", "packframe-core", "packframe-python")


def run(*command: str) -> str:
    """Run a command in the repository and return what it printed."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def project_files() -> list[Path]:
    """Return the files that belong to the project, as git lists them."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode != 0:
        pytest.skip("not a git repository")
    files = [ROOT / name for name in listed.stdout.split("\0") if name]
    return [file for file in files if file.is_file()]


# What a crate may depend on among ours: downward only.
BELOW = {
    "packframe-tokens": set[str](),
    "packframe-core": {"packframe-tokens"},
    "packframe-python": {"packframe-core", "packframe-tokens"},
}


@pytest.mark.parametrize("crate", CRATES)
def test_crates_depend_downward_only(crate: str) -> None:
    """A crate depends on the crates below it, and the two lower ones on no Python."""
    tree = run("cargo", "tree", "--locked", "-p", crate, "--edges", "normal", "--prefix", "none")
    names = {line.split()[0] for line in tree.splitlines() if line}
    assert names & set(CRATES) - {crate} <= BELOW[crate]
    if crate != "packframe-python":
        assert not {name for name in names if name.startswith("pyo3")}


def test_no_manifest_of_a_lower_crate_names_pyo3() -> None:
    """The two lower crates know no pyo3, not even behind a feature."""
    for crate in ("packframe-tokens", "packframe-core"):
        for file in (ROOT / "crates" / crate).rglob("*"):
            if file.suffix in {".toml", ".rs"}:
                assert "pyo3" not in file.read_text(encoding="utf-8"), file


def cycle(edges: dict[str, set[str]]) -> list[str]:
    """Return the nodes of a cycle, or nothing."""
    done: set[str] = set()

    def visit(node: str, path: list[str]) -> list[str]:
        if node in path:
            return [*path[path.index(node) :], node]
        if node in done:
            return []
        for target in sorted(edges.get(node, ())):
            if found := visit(target, [*path, node]):
                return found
        done.add(node)
        return []

    for start in sorted(edges):
        if found := visit(start, []):
            return found
    return []


def paths_of(tree: str) -> list[str]:
    """Return the paths that a Rust `use` names: `a::{b, c::D}` gives `a::b` and `a::c::D`."""
    head, brace, rest = tree.partition("{")
    if not brace:
        return [tree.split(" as ", maxsplit=1)[0].strip()]
    depth, start, found = 0, 0, []
    inner = rest.rpartition("}")[0]
    for place, sign in enumerate(f"{inner},"):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        if sign == "," and depth == 0:
            if part := inner[start:place].strip():
                found += [head.strip() + path for path in paths_of(part)]
            start = place + 1
    return [path.removesuffix("::self") for path in found]


def rust_imports(source: Path) -> dict[str, set[str]]:
    """Return, for each file of a crate, the files whose items it uses outside its tests."""
    texts = {}
    for file in source.rglob("*.rs"):
        parts = [part for part in file.relative_to(source).with_suffix("").parts if part != "mod"]
        text = file.read_text(encoding="utf-8").split("#[cfg(test)]")[0]
        texts["::".join(parts)] = re.sub(r"//.*", "", text)
    # What the file of a folder re-exports belongs to the part that it comes from.
    origins = {}
    for name, text in texts.items():
        for tree in re.findall(r"pub(?:\([^)]*\))? use (?!crate)([^;]+);", text):
            for path in paths_of(tree):
                home, _, item = path.removeprefix("self::").rpartition("::")
                if f"{name}::{home}" in texts:
                    origins[f"{name}::{item}"] = f"{name}::{home}"
    edges: dict[str, set[str]] = {}
    for name, text in texts.items():
        uses = re.findall(r"\buse crate::([^;]+);", text)
        uses += re.findall(r"\bcrate::((?:\w+::)*\w+)", re.sub(r"\buse [^;]+;", "", text))
        edges[name] = set()
        for path in (path for tree in uses for path in paths_of(tree)):
            steps = path.split("::")
            heads = ["::".join(steps[:length]) for length in range(len(steps), 0, -1)]
            places = [origins.get(head, head) for head in heads]
            edges[name] |= set([place for place in places if place in texts][:1]) - {name}
    edges.pop("lib", None)
    return edges


# Uses that go upward, and why they may. Each is checked to be there, so that none outlives itself.
UPWARD = {
    "packframe-core": {
        ("error", "catalogue"): "the sentences of all errors stand in one file",
        ("error", "manifest"): "an error of packing carries the partial manifest",
        ("error", "word"): "an error names the accuracy of a cost",
    },
    "packframe-python": {
        ("error", "manifest"): "an error of packing carries the partial manifest",
    },
}


@pytest.mark.parametrize("crate", CRATES)
def test_files_of_a_crate_import_downward(crate: str) -> None:
    """Inside a crate no file uses one that uses it, but for what is listed with its reason."""
    edges = rust_imports(ROOT / "crates" / crate / "src")
    for above, below in UPWARD.get(crate, ()):
        assert below in edges[above], f"{above} no longer uses {below}: take it off the list"
        edges[above].discard(below)
    assert cycle(edges) == []


# The files that may hold unsafe code, and why.
UNSAFE = {
    "crates/packframe-python/src/arrow/ffi/export.rs": "Arrow's C data interface hands them over",
    "crates/packframe-python/src/arrow/ffi/mod.rs": "Arrow's C data interface hands over pointers",
    "crates/packframe-python/src/arrow/ffi/stream.rs": "Arrow's C data interface calls back",
    "crates/packframe-tokens/src/bpe/wide.rs": "wide registers are not in every processor",
}


def test_unsafe_code_stands_where_it_is_listed() -> None:
    """Unsafe code is in the listed files only, each of which is named once where it is allowed."""
    found = set()
    for file in (ROOT / "crates").rglob("*.rs"):
        code = re.sub(r"//.*", "", file.read_text(encoding="utf-8"))
        if re.search(r"\bunsafe\s+(?:\{|fn|impl|extern)", code):
            found.add(str(file.relative_to(ROOT)))
    assert found == set(UNSAFE)


def test_a_crate_with_unsafe_code_has_the_lints_of_all() -> None:
    """A crate that may hold unsafe code has the lints of all, and a reason for each block."""
    workspace = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
    lints = workspace.partition("[workspace.lints.rust]")[2].partition("[profile")[0]
    rules = [line for line in lints.splitlines() if " = " in line and "unsafe_code" not in line]
    assert len(rules) > 4
    for crate in {file.split("/")[1] for file in UNSAFE}:
        manifest = (ROOT / "crates" / crate / "Cargo.toml").read_text(encoding="utf-8")
        own = manifest.partition("[lints.rust]")[2].splitlines()
        assert set(rules) <= set(own)
        assert {'unsafe_code = "deny"', 'undocumented_unsafe_blocks = "deny"'} <= set(own)


def python_imports(file: Path) -> set[str]:
    """Return the modules of the package that a module imports when it is imported itself."""
    found = set()
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            if node.module is not None and node.module.startswith("packframe."):
                found.add(node.module.removeprefix("packframe."))
            elif node.module == "packframe" or (node.level and node.module is None):
                found |= {alias.name for alias in node.names}
            elif node.level and node.module is not None:
                found.add(node.module)
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
            found |= {n.removeprefix("packframe.") for n in names if n.startswith("packframe.")}
    return found


def test_python_modules_import_downward() -> None:
    """No module of the package imports, at import time, one that imports it."""
    edges = {file.stem: python_imports(file) for file in PACKAGE.glob("*.py")}
    assert edges.pop("__init__")
    assert cycle(edges) == []


# What is slow to import comes in only where it is used.
SLOW = ("asyncio", "dataclasses", "datetime", "enum", "inspect", "json", "re", "typing")


IMPORT_TRIAL = """
import sys

events = []
watched = ("open", "socket.", "subprocess.", "os.system", "os.exec", "os.fork")


def watch(event, arguments):
    if event.startswith(watched):
        events.append([event, str(arguments[0]) if arguments else ""])


before = set(sys.modules)
sys.addaudithook(watch)
import packframe

opened, loaded = list(events), sorted(set(sys.modules) - before)
import json

print(json.dumps({"opened": opened, "loaded": loaded, "home": packframe.__file__}))
"""


class ImportTrial(NamedTuple):
    """What an import of the package did in a new interpreter."""

    home: Path
    opened: list[tuple[str, str]]
    loaded: set[str]


def import_trial() -> ImportTrial:
    """Import the package in a new interpreter, under an audit hook."""
    found = json.loads(run(sys.executable, "-I", "-c", IMPORT_TRIAL))
    opened = [(event, argument) for event, argument in found["opened"]]
    return ImportTrial(Path(found["home"]).parent, opened, set(found["loaded"]))


def test_import_opens_only_its_own_modules() -> None:
    """Importing the package opens its own modules, `__future__` and nothing else."""
    trial = import_trial()
    for event, argument in trial.opened:
        assert event == "open"
        file = Path(argument)
        assert file.is_relative_to(trial.home) or file.name.startswith("__future__."), argument


def test_import_loads_no_third_party_and_nothing_slow() -> None:
    """Importing the package loads no other package and none of the slow standard modules."""
    loaded = import_trial().loaded
    tops = {name.partition(".")[0] for name in loaded} - {"packframe"}
    assert tops <= set(sys.stdlib_module_names)
    assert not loaded & set(SLOW)


def test_public_api_is_the_recorded_one() -> None:
    """The public names and signatures are those of the snapshot; `make api` records new ones."""
    now = run(sys.executable, "scripts/public_api.py")
    recorded = (ROOT / "tests" / "data" / "public_api.txt").read_text(encoding="utf-8")
    assert now == recorded, "the public API changed: if that is wanted, run `make api`"
    assert "packframe.Frame" in recorded


def test_all_is_sorted_and_complete() -> None:
    """`__all__` is sorted, has no name twice, and names what is there."""
    names = list(packframe.__all__)
    assert names == sorted(set(names))
    for name in names:
        assert getattr(packframe, name) is not None


# Written in pieces, so that this file passes its own test.
HOSTS = tuple(
    ".".join(pieces)
    for pieces in (
        ("crates", "io"),
        ("docs", "rs"),
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("npmjs", "com"),
        ("deb", "debian", "org"),
        ("huggingface", "co"),
        ("blob", "core", "windows", "net"),
    )
)
MACHINE_PATHS = re.compile(r"(?<![\w.])/(?:work|root|home/\w+|opt|Users/\w+)/[\w.]")


def test_no_file_names_a_registry_or_a_machine() -> None:
    """No file of the project names a registry's host or a path of the machine it was made on."""
    for file in project_files():
        if file == ROOT / "Cargo.lock":  # cargo itself writes where crates come from
            continue
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        assert not [host for host in HOSTS if host in text], file
        assert not MACHINE_PATHS.search(text), (file, MACHINE_PATHS.search(text))


def test_version_is_written_once() -> None:
    """The version stands in the workspace Cargo.toml; all else derives it."""
    manifest = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
    (version,) = re.findall(r'^version = "([^"]+)"$', manifest, re.MULTILINE)
    assert packframe.__version__ == version
    assert importlib.metadata.version("packframe") == version
    derived = [ROOT / "pyproject.toml", *ROOT.glob("crates/*/Cargo.toml"), *PACKAGE.glob("*.py*")]
    derived += (ROOT / "crates").glob("*/src/**/*.rs")
    for file in derived:
        assert f'"{version}"' not in file.read_text(encoding="utf-8"), file


# The licences that may be compiled into the wheel: permissive, and listed in its SBOM.
ALLOWED = {
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
}


def test_all_that_is_compiled_in_is_permissive() -> None:
    """Every crate in the dependency tree offers at least one licence that we may ship under."""
    listed = run(
        *("cargo", "tree", "--locked", "--workspace", "--edges", "normal,build"),
        *("--prefix", "none", "--format", "{p}|{l}"),
    )
    crates = {tuple(line.removesuffix(" (*)").split("|")) for line in listed.splitlines() if line}
    for crate, licence in crates:
        parts = re.split(
            r"\s+AND\s+", licence.replace("/", " OR ").replace("(", "").replace(")", "")
        )
        for part in parts:
            choices = {choice.strip() for choice in re.split(r"\s+OR\s+", part)}
            assert choices & ALLOWED, f"{crate}: {licence}"


def test_every_python_file_defers_annotations() -> None:
    """Every Python file of the project starts with the future of annotations."""
    for file in project_files():
        if file.suffix == ".py":
            statements = ast.parse(file.read_text(encoding="utf-8")).body
            code = [node for node in statements if not isinstance(node, ast.Expr)]
            if code:
                assert isinstance(code[0], ast.ImportFrom), file
                assert code[0].module == "__future__", file


def test_what_is_installed_is_complete() -> None:
    """The installed package has its stubs, its type marker, licences, notice and SBOM."""
    installed = {str(file) for file in importlib.metadata.files("packframe") or ()}
    assert {"packframe/py.typed", "packframe/_core.pyi"} <= installed
    info = f"packframe-{packframe.__version__}.dist-info"
    for name in ("LICENSE-MIT", "LICENSE-APACHE", "NOTICE"):
        assert f"{info}/licenses/{name}" in installed
    assert [file for file in installed if file.startswith(f"{info}/sboms/")]
