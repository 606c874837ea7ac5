"""A slow, plain judge of message lists: what a provider would refuse, and what waits.

It is written from the specification of conversations and from what providers document, in the
obvious way, without a look at the library, which it judges. Every file here is one noun, every
format has a file, and every judgement says in a docstring why it is one.

``problems(messages, format, ...)`` returns a list of ``(position, path, rule, severity)``:

- ``position``: where the message (Responses: the item, Gemini: the content) stands in the list.
- ``path``: the place in that message: ``.key`` for a key, ``[i]`` for a place in a list, without
  a leading dot: ``content``, ``tool_calls[0].function.arguments``, ``caller.caller_id``. The empty
  string is the message itself.
- ``rule``: one of ``RULES``.
- ``severity``: ``pending`` for ``pending_call``, which may stay, ``refused`` for all others.

The list is in the order of position, path, rule; no problem is there twice. Each rule is judged
for itself; where two of them would say one thing of one place, the docstrings say which one does.

Which path goes with which rule:

==================== ============== ==================== =============== =========================
rule                 openai-chat    anthropic            gemini          openai-responses
==================== ============== ==================== =============== =========================
no dict              ``""``         ``""``               ``""``          ``""`` (malformed_block)
unknown_role         ``role``       ``role``             ``role``        ``role``
missing_content      ``content``    ``content``          ``parts``       ``content``, ``output``
empty_content        ``content``    ``content[i]`` or    ``parts``       never
                                    ``content``
malformed_block      the content,   the content, block,  the parts, the  the content, block,
                     the block      nested block         part            ``type``, ``output``
malformed_call,      ``tool_calls`` ``content[i]``       ``parts[i]``    ``""``
a call               ``[i]``,
                     ``tool_calls``,
                     ``function_call``
malformed_call,      the key that   ``content[i]``       ``parts[i]``    the key that should name
a result             should name    ``.tool_use_id``     ``.function``   the call
                     the call                            ``Response``
                                                         ``.name``
empty_tool_calls     ``tool_calls`` never                never           never
call_in_wrong_role   ``tool_calls`` ``content[i]``       ``parts[i]``    never
duplicate_call       the id         the id               the id          the id
duplicate_result,    the key that   ``content[i]``       ``.id`` or      the key that names the
orphan_result        names the call ``.tool_use_id``     ``.name``       call; ``id`` of an item
result_not_first     never          ``content[i]``       never           never
dangling_call,       the call       the call             the call        ``""``
pending_call
no_follower          never          never                never           ``""``
bad_status           never          never                never           ``status``
first_role           never          ``role`` of 0        ``role`` of 0   never
last_role            never          ``role`` of the last never           never
unknown_program,     never          never                never           ``caller.caller_id``, or
child_after_complete                                                     the key that names the
                                                                         call without a caller
nested_program,      never          never                never           ``caller``
wrong_owner
arguments_not_string ``…arguments`` never                never           ``arguments``, ``input``
==================== ============== ==================== =============== =========================

The key that names the call is ``tool_call_id`` (``name`` for the role ``function``),
``content[i].tool_use_id``, ``parts[i].functionResponse.id`` (``.name`` without one), and for
Responses ``call_id``, ``approval_request_id`` or, for ``local_shell_call_output``, ``id`` or
``call_id``, whichever names a call (``id`` if neither does).
"""

from __future__ import annotations

from .group import groups
from .judge import FORMATS, problems, refused
from .problem import RULES, Problem
from .protected import protected

__all__ = ["FORMATS", "RULES", "Problem", "groups", "problems", "protected", "refused"]
