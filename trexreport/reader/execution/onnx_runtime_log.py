"""Read from a verbose log of ONNX Runtime on which execution provider it placed each node of a model.

After "Node placements", for each provider " Node(s) placed on [PROVIDER]. Number of nodes: N" and a line
"   OPERATOR (NAME)" for each of its nodes, or " All nodes placed on [PROVIDER]. Number of nodes: N" alone. Up
to 1.12 one line " Provider: [PROVIDER]: [OPERATOR (NAME), …]", or " All nodes have been placed on
[PROVIDER].".
Source: VerifyEachNodeIsAssignedToAnEp in session_state.cc (ONNX Runtime 1.10 to 1.32).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from trexreport.errors import InputError
from trexreport.model import InputWarning
from trexreport.model.execution import ExecutedNode, Execution
from trexreport.reader.execution.onnx_runtime_session import read_session
from trexreport.regex import regex

MARKS = tuple(f"[{letter}:onnxruntime:" for letter in "VIWE")
_WHERE = "VerifyEachNodeIsAssignedToAnEp]"
_BEGIN = "Node placements"
_ALL = regex(
    r"All nodes (?:have been )?placed on \[([^\[\]]{1,200})\]\.(?: Number of nodes: (\d{1,9}))?", re.ASCII
)
_PROVIDER = regex(r"Node\(s\) placed on \[([^\[\]]{1,200})\]\. Number of nodes: (\d{1,9})", re.ASCII)
_OLD = regex(r"Provider: \[([^\[\]]{1,200})\]: \[(.*)\]$")
_NODE = regex(r"([\w.:<>-]{1,300}) \((.*)\)$", re.ASCII)
_ERROR, _EXCEPTION = "[E:onnxruntime:", "terminate called after throwing"
_MOST_NODES = 100_000
_LONGEST = 4_000


def is_log(content: str) -> bool:
    """Return whether a text is a log of ONNX Runtime."""
    return any(mark in content for mark in MARKS) or f"{_WHERE} {_BEGIN}" in content


def has_errors(content: str) -> bool:
    """Return whether a log of ONNX Runtime has an error, or an exception ended its program."""
    return is_log(content) and (_ERROR in content or _EXCEPTION in content)


def states_failure(beginning: str, data: bytes) -> bool:
    """Return whether a log has errors and states nothing of the session, as of a build that failed before.

    Args:
        beginning: Its text, in which the errors are.
        data: As much of the log as was read: placements may follow far behind.
    """
    has_placements = _WHERE in beginning or _WHERE.encode() in data
    return not has_placements and _ERROR in beginning and read_session(beginning).is_empty


def read(content: str, name: str) -> tuple[Execution, list[InputWarning]]:
    """Return where each node was placed, of a log of several sessions that of the first, and the session.

    Raises:
        InputError: The log states nothing of the session, or more nodes than a model can have.
    """
    sessions = content.count(f"{_WHERE} {_BEGIN}")
    messages = list(_messages(content))
    nodes: list[ExecutedNode] = []
    counts: dict[str, int] = {}
    provider, stated = "", 0
    for message in messages:
        if found := _ALL.search(message):
            nodes += [ExecutedNode("", "", found[1])] * min(int(found[2] or 1), _MOST_NODES + 1)
            stated += int(found[2] or 1)
        elif found := _PROVIDER.search(message):
            provider = found[1]
            stated += int(found[2])
            counts[provider] = counts.get(provider, 0) + int(found[2])
        elif found := _OLD.search(message):
            listed = [_node(each, found[1]) for each in found[2].split(", ")]
            nodes += filter(None, listed)
            stated += len(listed)
        elif provider and (node := _node(message, provider)):
            nodes.append(node)
    session = read_session(content)
    if not nodes and not stated and session.is_empty:
        raise InputError(
            f"{name} is a log of ONNX Runtime that does not say where nodes were placed.",
            "Set log_severity_level = 0 in its SessionOptions.",
        )
    if max(stated, len(nodes)) > _MOST_NODES:
        raise InputError(f"{name} has more nodes than a model can.", "Is it the right file?")
    notes = []
    if len(nodes) != stated:
        message = f"Nodes listed in {name}: {len(nodes)} of {stated} that it counts."
        notes.append(InputWarning("degraded", "execution-listed", message, name, ("execution",)))
        # The counts state where the others are.
        listed_by = Counter(node.provider for node in nodes)
        for provider, count in counts.items():
            nodes += [ExecutedNode("", "", provider)] * (count - listed_by[provider])
    if sessions > 1:
        message = f"{name} has the node placements of {sessions} sessions: the first is shown."
        notes.append(InputWarning("info", "execution-sessions", message, name, ("execution",)))
    execution = Execution(
        "onnx-runtime",
        name,
        tuple(nodes),
        stated_copies=session.copies,
        options=session.options,
        builds=session.builds,
    )
    return execution, notes


def _messages(content: str) -> Iterator[str]:
    """Yield the messages on placements of the first session, without marks of emphasis."""
    begun = 0
    for line in content.split("\n"):
        _, where, message = line.partition(_WHERE)
        if not where:
            continue
        begun += message.strip() == _BEGIN
        if begun > 1:
            return
        yield message.strip().strip("*`")[:_LONGEST]


def _node(text: str, provider: str) -> ExecutedNode | None:
    found = _NODE.match(text.strip().strip("*"))
    return ExecutedNode(found[2], found[1], provider) if found else None
