"""Fits context into a model's token budget.

Exact counts, contracts that hold or fail loudly, and a manifest of every decision.

>>> import packframe as pf
>>> frame = pf.Frame([
...     pf.Item("You answer briefly.", role="system", retention="required"),
...     pf.Item("Parcels to Norway take 5 days.", id="kb-1", score=0.9),
...     pf.Item("Our founder likes skiing.", id="kb-2", score=0.1),
... ])
>>> pack = frame.pack(budget=16, token_profile=pf.profiles.openai("o200k_base"), render="text")
>>> print(pack.text)
You answer briefly.
<BLANKLINE>
Parcels to Norway take 5 days.
>>> pack.manifest.why("kb-2").reason
'budget'
"""

from __future__ import annotations

from packframe import profiles
from packframe._core import (
    Alternative,
    Binary,
    Boundary,
    Column,
    CountArray,
    Expression,
    Item,
    ItemTable,
    Json,
    Message,
    Overflow,
    Reference,
    Section,
    TokenMark,
    __version__,
)
from packframe._counter import TokenCounter
from packframe._data_block import DataBlock
from packframe._errors import (
    BoundaryWarning,
    BudgetExceeded,
    FloorsExceedBudget,
    InvalidItem,
    InvalidMessages,
    InvalidOption,
    ManifestError,
    PackframeError,
    PerformanceWarning,
    PolicyError,
    PolicyViolation,
    RenderingOverBudget,
    SectionOverflow,
    SourceError,
    StrategyError,
    TokenizerError,
    UnsupportedContent,
)
from packframe._frame import Frame, col, pack_many
from packframe._language import set_language
from packframe._manifest import ManifestDiff, PackManifest
from packframe._messages import (
    ConversionNote,
    ConvertedMessages,
    MessageProblem,
    RepairedMessages,
    convert_messages,
    repair_messages,
    validate_messages,
)
from packframe._pack import Pack
from packframe._plan import CountCheck, Plan, PlanBlock, Receipt
from packframe._policy import Policy
from packframe._profile import TokenProfile
from packframe._record import Chunk, Decision, MessageCount, MessagePart, SectionAccount, Why
from packframe._request import Request, plan_messages
from packframe._sections import pack_sections
from packframe._shorten import Shorten
from packframe._strategy import DropResult, Strategy

__all__ = [
    "Alternative",
    "Binary",
    "Boundary",
    "BoundaryWarning",
    "BudgetExceeded",
    "Chunk",
    "Column",
    "ConversionNote",
    "ConvertedMessages",
    "CountArray",
    "CountCheck",
    "DataBlock",
    "Decision",
    "DropResult",
    "Expression",
    "FloorsExceedBudget",
    "Frame",
    "InvalidItem",
    "InvalidMessages",
    "InvalidOption",
    "Item",
    "ItemTable",
    "Json",
    "ManifestDiff",
    "ManifestError",
    "Message",
    "MessageCount",
    "MessagePart",
    "MessageProblem",
    "Overflow",
    "Pack",
    "PackManifest",
    "PackframeError",
    "PerformanceWarning",
    "Plan",
    "PlanBlock",
    "Policy",
    "PolicyError",
    "PolicyViolation",
    "Receipt",
    "Reference",
    "RenderingOverBudget",
    "RepairedMessages",
    "Request",
    "Section",
    "SectionAccount",
    "SectionOverflow",
    "Shorten",
    "SourceError",
    "Strategy",
    "StrategyError",
    "TokenCounter",
    "TokenMark",
    "TokenProfile",
    "TokenizerError",
    "UnsupportedContent",
    "Why",
    "__version__",
    "col",
    "convert_messages",
    "pack_many",
    "pack_sections",
    "plan_messages",
    "profiles",
    "repair_messages",
    "set_language",
    "validate_messages",
]

# Tracebacks, pickles and docs name a class where a user finds it.
for _name in __all__:
    _object = globals()[_name]
    if getattr(_object, "__module__", "").startswith("packframe._") and isinstance(_object, type):
        _object.__module__ = "packframe"
del _name, _object
