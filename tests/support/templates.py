"""Chat templates of open models, out of packages on PyPI, and transformers as their reference."""

from __future__ import annotations

import json
from datetime import datetime
from functools import cache
from importlib.metadata import files
from pathlib import Path
from typing import Any

from . import real

TEMPLATES = {
    "llama3_1": ("deepseek-r1-distill-llama-8b", "<|begin_of_text|>", "<|eot_id|>"),
    "qwen3": ("qwen-3", None, "<|im_end|>"),
    "gemma3": ("deepseek-v3", "<bos>", "<eos>"),
    "deepseekv3": ("deepseek-v3", "<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>"),
    "qwen2_5": ("qwen-2.5", None, "<|im_end|>"),
    "qwen3_5_think": ("qwen-3.5", None, "<|im_end|>"),
    "glm4moe": ("glm-4.7-flash", None, "<|endoftext|>"),
}
"""For each template a tokenizer, and the first and the last token that the template may name.

No package carries Gemma's tokenizer.json: its template is counted with another one, to which its
markers are added.
"""

ADDED = {
    "gemma3": ("<bos>", "<eos>", "<start_of_turn>", "<end_of_turn>"),
    "llama3_1": (
        "<|begin_of_text|>",
        "<|eot_id|>",
        "<|start_header_id|>",
        "<|end_header_id|>",
        "<|python_tag|>",
        "<|eom_id|>",
    ),
}
"""Markers that a tokenizer lacks."""

NOW = datetime(2026, 11, 30, 12, 0)  # noqa: DTZ001  (the clock on the wall)


@cache
def source(name: str) -> str:
    """Return the source of a template, as trl carries it."""
    end = f"chat_templates/{name}.jinja"
    found = [path for path in files("trl") or () if str(path).endswith(end)]
    return Path(str(found[0].locate())).read_text(encoding="utf-8")


@cache
def tokenizer_of(name: str) -> bytes:
    """Return the tokenizer.json that counts what a template makes."""
    file = json.loads(real.json_of(TEMPLATES[name][0]))
    known = {token["content"] for token in file["added_tokens"]}
    number = 1 + max(
        [*file["model"]["vocab"].values(), *(token["id"] for token in file["added_tokens"])]
    )
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    for marker in ADDED.get(name, ()):
        if marker not in known:
            token = {"id": number, "content": marker, **flags, "special": True}
            file["added_tokens"].append(token)
            number += 1
    return json.dumps(file, ensure_ascii=False).encode()


def config_of(name: str) -> dict[str, Any]:
    """Return the tokenizer_config.json of a template."""
    _, bos, eos = TEMPLATES[name]
    config = {"chat_template": source(name), "bos_token": bos, "eos_token": eos}
    return {key: value for key, value in config.items() if value is not None}


@cache
def reference(name: str) -> Any:
    """Return the tokenizer of transformers."""
    from tokenizers import Tokenizer  # noqa: PLC0415  (slow to import)
    from transformers import PreTrainedTokenizerFast  # noqa: PLC0415  (slow to import)

    _, bos, eos = TEMPLATES[name]
    made: Any = PreTrainedTokenizerFast
    return made(
        tokenizer_object=Tokenizer.from_str(tokenizer_of(name).decode()),
        chat_template=source(name),
        bos_token=bos,
        eos_token=eos,
    )
