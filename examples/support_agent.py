"""Pack the next call of a support agent into 8,000 tokens and show what became of everything.

The agent of a router maker has a system prompt, eight tools, a conversation of forty messages and
thirty articles that a search over the knowledge base returned, in fourteen languages. All of it is
nearly half as much again as fits. Run it with `make demo`.
"""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path
from unicodedata import east_asian_width

import packframe as pf

DATA = Path(__file__).parent / "data"
BUDGET = 8_000
RESERVE = 2_000  # kept free for the reply
NOW = datetime(2026, 11, 26, 9, 30, tzinfo=timezone.utc)  # given, so that every run is the same


def load() -> pf.Frame:
    """Return everything that the agent could send, in the order in which it would send it."""
    # The agent cannot work without its instructions and its tools.
    prompt = (DATA / "system_prompt.md").read_text(encoding="utf-8")
    tools = json.loads((DATA / "tools.json").read_text(encoding="utf-8"))
    instructions = pf.Frame(
        [
            pf.Item(prompt, id="prompt", role="system", retention="required"),
            *(
                pf.Item(
                    pf.Json(tool),
                    id=f"tool:{tool['function']['name']}",
                    role="developer",
                    retention="required",
                )
                for tool in tools
            ),
        ]
    )
    # Articles come with the score that the search gave them. One was found twice.
    articles = pf.Frame.read_jsonl(DATA / "passages.jsonl").dedupe()
    # The conversation goes before the articles, but its old turns compete with them by score.
    messages = json.loads((DATA / "conversation.json").read_text(encoding="utf-8"))
    conversation = (
        pf.Frame.from_messages(messages)
        .promote(pf.col("role") != "system", to="preferred")
        .demote(pf.col("turn_from_end") > 4)
    )
    return instructions + articles + conversation


def pack(frame: pf.Frame) -> pf.Pack:
    """Pack for OpenAI: what is restricted or out of date stays at home."""
    return frame.pack(
        BUDGET,
        reserve=RESERVE,
        selection="greedy",  # else the newest turns would be in without a gap
        token_profile=pf.profiles.openai("o200k_base"),
        boundary=pf.Boundary.external("openai"),
        now=NOW,
    )


def one_line(item: pf.Item, columns: int) -> str:
    """Return the start of what an item says, on one line of a terminal."""
    words = " ".join((item.text or "").split())
    for end, sign in enumerate(words):
        columns -= 2 if east_asian_width(sign) in "FW" else 1
        if columns < 1:
            return f"{words[:end]}…"
    return words


def main() -> None:
    """Pack, then show the context in short, the manifest, and one answer to "why not?"."""
    frame = load()
    packed = pack(frame)

    print(f"{len(frame)} rows went in, {len(packed.items)} came out. The context, in short:\n")
    for item, record in zip(packed.items, packed.manifest.to_dict()["selected"], strict=True):
        print(f"{record['tokens']:>5}  {item.role:<9}  {one_line(item, 72)}")

    print(f"\n{packed.manifest.summary().rstrip()}\n")

    print("Why is the article on ports not in the prompt?\n")
    answer = packed.manifest.why("kb-ports-tr")
    print(f"  {answer.message}\n  {answer.remedy}\n")
    print("And the notes of the second line?\n")
    answer = packed.manifest.why("kb-second-line-24e")
    print(f"  {answer.message}\n  {answer.remedy}")


if __name__ == "__main__":
    main()
