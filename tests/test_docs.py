"""Every example is run: in Markdown, in docstrings, and the demo whose output the README shows."""

from __future__ import annotations

import doctest
import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

import packframe

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
GUIDE = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.md")])


@pytest.mark.parametrize("file", GUIDE, ids=lambda file: str(file.relative_to(ROOT)))
def test_examples_of_a_markdown_file(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The Python examples of a Markdown file run, in order, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    run = PythonCodeBlockParser(doctest_optionflags=FLAGS)
    document = Sybil([run, SkipParser()], path=str(file.parent)).parse(file)
    for example in document.examples():
        example.evaluate()


class Documented(NamedTuple):
    """A public object and what it says of itself."""

    name: str
    text: str


def documented() -> Iterator[Documented]:
    """Find the docstrings of all that is public, native classes and their methods included."""
    yield Documented("packframe", packframe.__doc__ or "")
    for name in packframe.__all__:
        value = getattr(packframe, name)
        if not (inspect.ismodule(value) or callable(value)):
            continue
        yield Documented(name, inspect.getdoc(value) or "")
        owners = value.__mro__ if isinstance(value, type) else (value,)
        ours = [one for one in owners if getattr(one, "__module__", "").startswith("packframe")]
        members = {inner: member for one in reversed(ours) for inner, member in vars(one).items()}
        for inner, member in members.items():
            own = getattr(member, "__func__", member)
            if inner.startswith("_") or inspect.ismemberdescriptor(own):
                continue  # the fields of a slotted class stand in its docstring
            if callable(own) or inspect.isdatadescriptor(own):
                yield Documented(f"{name}.{inner}", getattr(own, "__doc__", None) or "")


PUBLIC = list(documented())
WITH_EXAMPLES = [entry for entry in PUBLIC if ">>>" in entry.text]


@pytest.mark.parametrize("entry", WITH_EXAMPLES, ids=lambda entry: entry.name)
def test_examples_of_a_docstring(
    entry: Documented, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The examples of a docstring give what they say."""
    monkeypatch.chdir(tmp_path)
    names = {"pf": packframe, "packframe": packframe}
    test = doctest.DocTestParser().get_doctest(entry.text, names, entry.name, None, None)
    report: list[str] = []
    result = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append)
    assert result.attempted
    assert not result.failed, "".join(report)


@pytest.mark.parametrize("entry", PUBLIC, ids=lambda entry: entry.name)
def test_what_is_public_is_documented(entry: Documented) -> None:
    """Every public name has a docstring whose first line is a sentence."""
    first = entry.text.strip().partition("\n\n")[0]
    assert first.endswith((".", ":")), f"{entry.name}: {first!r}"


def test_readme_shows_what_the_demo_prints() -> None:
    """What the README shows of the demo is what `make demo` prints; `...` stands for a gap."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"<!-- make demo -->\n```text\n(.*?)```", readme, re.DOTALL)
    demo = [sys.executable, "examples/support_agent.py"]
    done = subprocess.run(demo, cwd=ROOT, capture_output=True, check=False, env={"PYTHONUTF8": "1"})
    assert done.returncode == 0, done.stderr.decode()
    printed = iter(done.stdout.decode().splitlines())
    for line in shown.splitlines():
        if line.strip() and line != "...":
            assert any(candidate.rstrip() == line.rstrip() for candidate in printed), line


def test_links_of_the_guide_lead_somewhere() -> None:
    """Every relative link of a Markdown file names a file that is there, and a heading in it."""
    for file in GUIDE:
        for target in re.findall(r"\]\(([^)\s]+)\)", file.read_text(encoding="utf-8")):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, heading = target.partition("#")
            there = (file.parent / path) if path else file
            assert there.exists(), f"{file.name}: {target}"
            if heading:
                titles = re.findall(r"^#+ (.+)$", there.read_text(encoding="utf-8"), re.MULTILINE)
                anchors = {re.sub(r"[^\w -]", "", t).lower().replace(" ", "-") for t in titles}
                assert heading in anchors, f"{file.name}: {target}"


def test_markdown_has_one_sentence_a_line() -> None:
    """Prose in Markdown has one sentence a line, so that a change shows what it changes."""
    for file in GUIDE:
        text = re.sub(r"```.*?```", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
        for line in text.splitlines():
            if not line.startswith(("|", "#")):
                prose = re.sub(r"`[^`]*`", "x", line)
                assert not re.search(r"[a-z)][.!?] [A-Z]", prose), f"{file.name}: {line}"
