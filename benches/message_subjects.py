"""What fits conversations into budgets, behind one set of words.

Each peer is called as its own documentation recommends, and counts as it recommends: with tiktoken
and `cl100k_base`. What a peer wants to be given, its own message objects, is made before the clock
starts; what it returns is what the clock waits for.
"""

from __future__ import annotations

import asyncio
import logging
import os
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from tiktoken_ranks import ENCODING, encoding

import packframe as pf

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_texts import Message

MODEL = "gpt-4"
"""The model of that encoding, for the peers that ask for a model."""
FORMATS = ("openai-chat", "openai-responses")

encoding()
# The peers read these when they are imported: no prices from the network, no traces, no key.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
os.environ["LANGSMITH_TRACING"] = "false"
os.environ.setdefault("OPENAI_API_KEY", "none")

import litellm  # noqa: E402
from langchain_core.messages import (  # noqa: E402
    convert_to_messages,
    convert_to_openai_messages,
    trim_messages,
)
from langchain_openai import ChatOpenAI  # noqa: E402
from llama_index.core.memory import ChatMemoryBuffer, Memory  # noqa: E402
from llama_index.llms.openai.utils import (  # noqa: E402
    from_openai_message_dicts,
    to_openai_message_dicts,
)
from protoprompt import ContextInput, TokenBudgetedContextBuilder  # noqa: E402
from protoprompt.tokens.tiktoken_adapter import TiktokenCounter  # noqa: E402

logging.getLogger("LiteLLM").setLevel(logging.CRITICAL)  # it logs what it swallows


class Packframe:
    """packframe."""

    name = "packframe"
    version = pf.__version__
    formats = FORMATS
    extends = True

    def __init__(self) -> None:
        """Make the profile once, as everybody does."""
        self.profiles = {
            "openai-chat": pf.profiles.openai(ENCODING),
            "openai-responses": pf.profiles.openai_responses(ENCODING),
        }

    def given(self, messages: Sequence[Message], format: str) -> Any:
        """Return what is handed over."""
        return list(messages), format

    def fit(self, given: Any, budget: int) -> Any:
        """Return the plan and its messages."""
        plan = self.plan(given, budget)
        return plan, plan.messages

    def plan(self, given: Any, budget: int) -> pf.Plan:
        """Return the plan alone."""
        messages, name = given
        profile = self.profiles[name]
        return pf.plan_messages(messages, format=name, budget=budget, token_profile=profile)

    def extend(self, made: Any, more: Any, budget: int) -> Any:
        """Return the same for what was fitted before and more messages."""
        del budget
        plan = made[0].extend(more[0])
        return plan, plan.messages

    def messages(self, made: Any) -> list[Message]:
        """Return messages as the provider takes them."""
        found: list[Message] = made[1]
        return found


class Protoprompt:
    """protoprompt: the system text, a history and a final are told apart by the caller."""

    name = "protoprompt"
    version = version("protoprompt")
    formats = FORMATS
    extends = False

    def __init__(self) -> None:
        """Keep one event loop, so that no call pays for a new one."""
        self.counter = TiktokenCounter(ENCODING)
        self.loop = asyncio.new_event_loop()

    def given(self, messages: Sequence[Message], format: str) -> Any:
        """Return system text, history and final: a question, or the results at the end."""
        del format
        messages = list(messages)
        system = ""
        if messages and messages[0].get("role") == "system":
            system = messages.pop(0)["content"]
        at = len(messages)
        while at and _is_result(messages[at - 1]):
            at -= 1
        if at == len(messages) and at and messages[-1].get("role") == "user":
            at -= 1
        return system, messages[:at], messages[at:]

    def fit(self, given: Any, budget: int) -> Any:
        """Return the messages of a plan."""
        system, history, final = given
        builder = TokenBudgetedContextBuilder(None, None, self.counter, max_tokens=budget)
        inp = ContextInput("", system_prompt=system, include_rag=False, include_session=False)
        plan = builder.plan_messages(inp, history, final_messages=final)
        return self.loop.run_until_complete(plan).render_messages()

    def messages(self, made: Any) -> list[Message]:
        """Return messages as the provider takes them."""
        found: list[Message] = made
        return found


class LangChain:
    """LangChain's trim_messages, with the options that its documentation recommends."""

    name = "langchain"
    version = version("langchain-core")
    formats = FORMATS[:1]
    extends = False

    def __init__(self) -> None:
        """Make the model that counts; it calls nobody for that."""
        self.model = ChatOpenAI(model=MODEL)

    def given(self, messages: Sequence[Message], format: str) -> Any:
        """Return LangChain's messages."""
        del format
        return convert_to_messages(list(messages))

    def fit(self, given: Any, budget: int) -> Any:
        """Return LangChain's messages."""
        return trim_messages(
            given,
            max_tokens=budget,
            token_counter=self.model,
            strategy="last",
            start_on="human",
            end_on=("human", "tool"),
            include_system=True,
            allow_partial=False,
        )

    def messages(self, made: Any) -> list[Message]:
        """Return messages as the provider takes them."""
        found: list[Message] = convert_to_openai_messages(made)
        return found


class LiteLLM:
    """LiteLLM's trim_messages, for a model and a number of tokens."""

    name = "litellm"
    version = version("litellm")
    formats = FORMATS[:1]
    extends = False

    def given(self, messages: Sequence[Message], format: str) -> Any:
        """Return what is handed over."""
        del format
        return list(messages)

    def fit(self, given: Any, budget: int) -> Any:
        """Return the messages."""
        return litellm.utils.trim_messages(given, model=MODEL, max_tokens=budget)

    def messages(self, made: Any) -> list[Message]:
        """Return messages as the provider takes them."""
        found: list[Message] = made
        return found


class LlamaMemory:
    """LlamaIndex' Memory: a queue in a database in memory, all of whose tokens are for the chat.

    A system message stands beside the memory, as in LlamaIndex' chat engines, and is counted off
    the limit.
    """

    name = "llama-index Memory"
    version = version("llama-index-core")
    formats = FORMATS[:1]
    extends = True

    def __init__(self) -> None:
        """Take tiktoken's encoding; by default it is that of gpt-3.5-turbo, which is the same."""
        self.encode = encoding().encode

    def given(self, messages: Sequence[Message], format: str) -> Any:
        """Return LlamaIndex' messages: that of the system, and the others."""
        del format
        found = from_openai_message_dicts(list(messages))
        at = bool(messages and messages[0].get("role") == "system")
        return found[:at], found[at:]

    def fit(self, given: Any, budget: int) -> Any:
        """Return the system message, the memory and what it has."""
        system, rest = given
        memory = Memory.from_defaults(
            token_limit=budget - self._tokens(system),
            tokenizer_fn=self.encode,
            chat_history_token_ratio=1.0,  # nothing else is in the memory
        )
        memory.put_messages(rest)
        return system, memory, memory.get()

    def extend(self, made: Any, more: Any, budget: int) -> Any:
        """Return the same for what was fitted before and more messages."""
        del budget
        system, memory, _ = made
        memory.put_messages(more[1])
        return system, memory, memory.get()

    def messages(self, made: Any) -> list[Message]:
        """Return messages as the provider takes them."""
        system, _, rest = made
        found: list[Message] = to_openai_message_dicts([*system, *rest])
        return found

    def _tokens(self, system: Any) -> int:
        return sum(len(self.encode(one.content or "")) for one in system)


class LlamaBuffer(LlamaMemory):
    """LlamaIndex' ChatMemoryBuffer, which Memory is to replace and which many still use."""

    name = "llama-index buffer"

    def fit(self, given: Any, budget: int) -> Any:
        """Return the system message, the memory and what it has."""
        system, rest = given
        memory = ChatMemoryBuffer.from_defaults(
            chat_history=rest, token_limit=budget, tokenizer_fn=self.encode
        )
        return system, memory, memory.get(initial_token_count=self._tokens(system))

    def extend(self, made: Any, more: Any, budget: int) -> Any:
        """Return the same for what was fitted before and more messages."""
        del budget
        system, memory, _ = made
        for one in more[1]:
            memory.put(one)
        return system, memory, memory.get(initial_token_count=self._tokens(system))


Subject = Packframe | Protoprompt | LangChain | LiteLLM | LlamaMemory


def _is_result(message: Message) -> bool:
    return message.get("role") == "tool" or str(message.get("type", "")).endswith("_output")


def subjects() -> list[Subject]:
    """Return all of them, packframe first."""
    return [Packframe(), Protoprompt(), LangChain(), LiteLLM(), LlamaMemory(), LlamaBuffer()]
