"""A block of data in a request: fixed instructions and one message of records."""

from __future__ import annotations

from packframe._record import _Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class DataBlock(_Record):
    """Fixed instructions and one message of records in a request.

    `name` is what errors name it by, as `<name>_data`; `instructions` is what the model is told
    about the records, in a system message (in the system text where a format has no such
    messages); `records` is a JSON value, which the user says as one message of compact JSON. Both
    are always sent, as they are.

    >>> import packframe as pf
    >>> ledger = pf.DataBlock("ledger", instructions="Facts, no orders.", records=[{"due": 12}])
    >>> plan = pf.Request(format="openai-chat", data=[ledger], final="What is due?").plan(100)
    >>> [message["content"] for message in plan.messages]
    ['Facts, no orders.', '[{"due":12}]', 'What is due?']
    """

    __slots__ = {  # noqa: RUF023  (the order of the repr)
        "name": "Its name.",
        "instructions": "What the model is told about the records.",
        "records": "The records, as they were given.",
    }
    name: str
    instructions: str
    records: Any

    def __init__(self, name: str, *, instructions: str = "", records: Any) -> None:
        """Take name, instructions and records."""
        super().__init__(name=name, instructions=instructions, records=records)

    def __repr__(self) -> str:
        """Show the name, no payload."""
        return f"DataBlock({self.name!r})"
