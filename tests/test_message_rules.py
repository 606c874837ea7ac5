"""The pages on messages and manifests say every word that the code can say, and nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

import packframe as pf
from support.histories import sweep

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent
CORE = ROOT / "crates" / "packframe-core" / "src"
RULES_PAGE = (ROOT / "docs" / "message-rules.md").read_text(encoding="utf-8")
MANIFEST_PAGE = (ROOT / "docs" / "manifest.md").read_text(encoding="utf-8")
ERRORS_PAGE = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")


def code_words(text: str) -> set[str]:
    """Return all that stands in backticks."""
    return set(re.findall(r"`([^`\n]+)`", text))


def part(page: str, title: str) -> str:
    """Return what stands under a heading, up to the next one of its rank."""
    rank = title.partition(" ")[0]
    _, found, rest = page.partition(f"\n{title}\n")
    assert found, title
    return re.split(rf"\n#{{2,{len(rank)}}} ", rest)[0]


def table_codes(text: str, column: int = 0) -> set[str]:
    """Return the codes in a column of the tables of a text."""
    rows = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("|")]
    return {code for row in rows if len(row) > column for code in code_words(row[column])}


def source(*names: str) -> str:
    """Return the Rust of some files without what only tests read."""
    texts = [(CORE / name).read_text(encoding="utf-8") for name in names]
    return "\n".join(text.partition("#[cfg(test)]")[0] for text in texts)


def rules_of_the_code() -> set[str]:
    """Return the words of the closed list of rules."""
    return set(re.findall(r'=> "([a-z_]+)"', source("conversation/rule.rs")))


class Example(NamedTuple):
    """A rule as its section on the page has it."""

    rule: str
    text: str
    format: str
    model: str | None
    messages: list[Any]


def examples() -> list[Example]:
    """Return the smallest example of each rule."""
    found = []
    for section in re.split(r"\n### ", part(RULES_PAGE, "## Rules"))[1:]:
        title = section.partition("\n")[0]
        block = re.search(r"```json ([\w-]+)(?: (\S+))?\n(.*?)```", section, re.DOTALL)
        if block is not None:
            wire, model, messages = block.groups()
            found.append(Example(title.strip("`"), section, wire, model, json.loads(messages)))
    return found


EXAMPLES = examples()
SWEEP = 1_000
FORMATS = {
    "chat": "openai-chat",
    "Responses": "openai-responses",
    "Anthropic": "anthropic",
    "Gemini": "gemini",
}


def line(example: Example, start: str) -> str:
    """Return the one line of a section that starts so."""
    (found,) = [one for one in example.text.splitlines() if one.startswith(start)]
    return found


def test_every_rule_has_its_section_and_no_other_has() -> None:
    """The sections are the closed list of rules of the code."""
    assert [example.rule for example in EXAMPLES] == list(
        dict.fromkeys(example.rule for example in EXAMPLES)
    )
    assert {example.rule for example in EXAMPLES} == rules_of_the_code()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.rule)
def test_the_smallest_example_breaks_its_rule(example: Example) -> None:
    """It breaks that rule, and no other but by what still waits; without a message it does not."""
    problems = pf.validate_messages(example.messages, format=example.format, model=example.model)
    said = {problem.rule for problem in problems}
    assert example.rule in said
    assert said <= {example.rule, "pending_call"}
    for at in range(len(example.messages)):
        fewer = example.messages[:at] + example.messages[at + 1 :]
        left = pf.validate_messages(fewer, format=example.format, model=example.model)
        assert [problem.rule for problem in left] != [problem.rule for problem in problems]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.rule)
def test_a_section_names_its_format_and_what_a_repair_does(example: Example) -> None:
    """The format of the example is named; the kinds of its repair are; or the error is."""
    formats = line(example, "Formats:")
    names = {name for name, wire in FORMATS.items() if wire == example.format}
    assert "all" in formats or any(name in formats for name in names)
    repair = line(example, "Repair:")
    if "`InvalidMessages`" in repair:
        with pytest.raises(pf.InvalidMessages) as caught:
            pf.repair_messages(example.messages, format=example.format, model=example.model)
        assert {problem["rule"] for problem in caught.value.problems} == {example.rule}
        return
    repaired = pf.repair_messages(example.messages, format=example.format, model=example.model)
    kinds = {change["kind"] for change in repaired.repairs}
    assert bool(kinds) == (example.rule != "pending_call")
    assert kinds <= code_words(repair)


@pytest.mark.parametrize("name", FORMATS)
def test_the_rules_of_a_format_are_those_that_its_histories_break(name: str) -> None:
    """Of thousands of lists, valid and broken: the page names the format where it can happen."""
    said = set()
    lists = [example.messages for example in EXAMPLES if example.format == FORMATS[name]]
    lists += [messages for _, messages in sweep(FORMATS[name], SWEEP, seed=0)]
    for messages in lists:
        for model in (None, "claude-opus-4-6"):
            problems = pf.validate_messages(messages, format=FORMATS[name], model=model)
            said |= {problem.rule for problem in problems}
    lines = {example.rule: line(example, "Formats:") for example in EXAMPLES}
    assert said == {rule for rule, text in lines.items() if "all" in text or name in text}


def test_the_repairs_of_the_page_are_those_that_histories_get() -> None:
    """Of such lists and of the examples; the mark is what only plans move."""
    said = set()
    lists = [(example.format, example.messages) for example in EXAMPLES]
    for wire in FORMATS.values():
        lists += [(wire, messages) for _, messages in sweep(wire, SWEEP, seed=0)]
    for wire, messages in lists:
        for mode in ("drop", "placeholder"):
            try:
                repaired = pf.repair_messages(messages, format=wire, repair=mode)
            except pf.InvalidMessages:
                continue
            said |= {change["kind"] for change in repaired.repairs}
    assert said | {"dropped_mark", "moved_mark"} == table_codes(part(RULES_PAGE, "## Repairs"), 1)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.rule)
def test_a_rule_says_where_it_comes_from(example: Example) -> None:
    """The table of sources has a row for it; what waits is no refusal, and has none."""
    sources = table_codes(part(RULES_PAGE, "## Where the rules come from"))
    assert (example.rule in sources) == (example.rule != "pending_call")


def test_every_other_rule_of_an_error_is_told() -> None:
    """What conversions and frames raise stands in the table of other rules."""
    told = table_codes(part(RULES_PAGE, "### Rules of other calls"))
    assert told == {"not_json", "not_a_dict", "not_convertible"}
    broken: dict[str, Callable[[], object]] = {
        "not_json": lambda: pf.validate_messages([{"content": {1}}], format="gemini"),
        "not_a_dict": lambda: pf.Frame.from_messages([1]),  # type: ignore[list-item]
        "not_convertible": lambda: pf.convert_messages(
            [{"type": "web_search_call"}], "openai-responses", "openai-chat"
        ),
    }
    for rule, call in broken.items():
        with pytest.raises(pf.InvalidMessages) as caught:
            call()
        assert [problem["rule"] for problem in caught.value.problems] == [rule]


def test_every_kind_of_repair_stands_on_the_page() -> None:
    """The rules by which something goes, and the words that only repairs have."""
    own = set(
        re.findall(
            r'(?:kind: |Act::Go\(Rule::\w+, )"([a-z_]+)"',
            source("conversation/repair/mod.rs", "conversation/repair/plan.rs", "request/marks.rs"),
        )
    )
    own |= set(re.findall(r'"((?:moved|dropped)_mark)"', source("request/marks.rs")))
    moved = set(re.findall(r'"((?:moved|written)_\w+)"', source("conversation/repair/mod.rs")))
    assert own == {"input_control", "signed_call", "thinking", "moved_mark", "dropped_mark"}
    assert moved == {"moved_result", "written_result"}
    refused = {
        "arguments_not_string",
        "empty_content",
        "first_role",
        "last_role",
        "malformed_block",
        "missing_content",
        "unknown_role",
    }
    moving = {"result_not_first", "pending_call"}
    told = table_codes(part(RULES_PAGE, "## Repairs"), 1)
    assert told == (rules_of_the_code() - refused - moving) | own | moved


def test_every_note_of_a_conversion_stands_on_the_page() -> None:
    """The kinds that the docstring of a note names, and that the code says."""
    code = source("conversation/convert/hear.rs", "conversation/convert/say.rs")
    code += source("conversation/convert/speech.rs")
    said = set(re.findall(r'note\([^;]*?"([a-z_]+)"\)', code, re.DOTALL))
    told = table_codes(part(RULES_PAGE, "## Notes of a conversion"))
    assert told == said == {"thinking", "signature", "is_error", "field", "system"}


def schema_reasons() -> set[str]:
    """Return the closed list of reasons that the schema of the manifest has."""
    codes: list[str] = pf.PackManifest.schema()["$defs"]["reason"]["anyOf"][0]["enum"]
    return set(codes)


def test_every_reason_stands_on_the_page_of_the_manifest() -> None:
    """Those of this version and those that are kept, and the two that name what refused."""
    told = table_codes(part(MANIFEST_PAGE, "## Reasons"))
    assert schema_reasons() <= told
    assert told - schema_reasons() == {"policy:<id>", "strategy:<name>"}


def test_every_reason_of_a_plan_stands_on_the_page_of_rules() -> None:
    """All but what only the verbs of a frame, and what is kept for later, say."""
    told = table_codes(part(RULES_PAGE, "## Reasons of a plan"))
    reserved = table_codes(part(MANIFEST_PAGE, "### Reasons that are kept"))
    whys = set(pf.PackManifest.schema()["$defs"]["selected"]["properties"]["why"]["enum"])
    out = schema_reasons() - reserved - {"duplicate"} | {"policy:<id>", "strategy:<name>"}
    assert told >= out
    assert told - out - whys == {"priorities", "partial_manifest", "gaps=True"} & told
    # A plan searches for no best selection.
    assert whys - told == {"optimal"}


def test_every_warning_stands_on_the_page_of_the_manifest() -> None:
    """The codes that the code writes are those of the table."""
    text = source("manifest/warnings.rs")
    said = set(re.findall(r'(?:warning\(|code: |then_some\()"([a-z_]+)"', text))
    assert said == table_codes(part(MANIFEST_PAGE, "## Warnings"))


def test_every_error_stands_on_the_page_of_errors() -> None:
    """Class, code and attributes of each are in the table; every rule is linked or named there."""
    rows = {
        row[0].strip().strip("`"): row
        for row in (text.split("|")[1:-1] for text in ERRORS_PAGE.splitlines() if "|" in text)
        if row
    }
    classes = [
        value
        for name in pf.__all__
        if isinstance(value := getattr(pf, name), type) and issubclass(value, pf.PackframeError)
    ]
    assert len(classes) > 10
    for kind in classes:
        row = rows[kind.__name__]
        assert kind.code in row[2], kind
        base = kind.__mro__[1]
        inherited = getattr(base, "_names", ())
        own = [name for name in kind._names if name not in inherited or base is pf.PackframeError]
        named = code_words(row[3])
        assert set(own) <= named, (kind, own)
    assert "message-rules.md" in ERRORS_PAGE
