"""The sentences about the ONNX model beside the engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis import onnx as facts
from trexreport.numbers import counted, format_count, list_names
from trexreport.wording.shares import percent
from trexreport.wording.texts import TEXTS

#: Why nodes are in no layer.
REASONS: Mapping[facts.VanishReason, str] = TEXTS["onnx"]["reasons"]
#: What connects a node with its layers.
EVIDENCE: Mapping[facts.NodeEvidence, str] = TEXTS["onnx"]["evidence"]
NO_REASON = "unknown"
_NO_NAMES: Mapping[facts.TreeKind, str] = {
    "model": "All layers",
    "function": "function not stated",
    "unmapped": facts.UNMAPPED,
    "unstated": facts.UNSTATED,
}
_MAX_MEMBERS = 3
#: Source lines of a finding.
_MAX_LINES = 4


def source_lines(found: facts.OnnxFacts, layers: Iterable[int]) -> str:
    """Return the first source lines that layers compute: "model.py:7, 9 and 3 more"; "" if none is stated."""
    if not found.layer_nodes:
        return ""
    nodes = dict.fromkeys(node for layer in layers for node in found.layer_nodes[layer])
    sources = list(dict.fromkeys(found.nodes[node].source for node in nodes if found.nodes[node].source))
    texts: dict[str, list[str]] = {}
    for source in sources[:_MAX_LINES]:
        file, _, line = source.rpartition(":")
        texts.setdefault(file, []).append(line)
    more = len(sources) - _MAX_LINES
    shown = "; ".join(f"{file}:{', '.join(lines)}" for file, lines in texts.items())
    return f"{shown} and {format_count(more)} more" if more > 0 else shown


def tree_labels(tree: facts.LayerTree) -> list[str]:
    """Return what each group of a tree is called beside the groups around it."""
    return [_tree_label(tree, position) for position in range(len(tree.names))]


def _tree_label(tree: facts.LayerTree, position: int) -> str:
    kind, name = tree.kinds[position], tree.names[position]
    if kind == "shared":
        around = tree.names[tree.parents[position]] or facts.OUTERMOST
        members = [member or around for member in tree.members[position]]
        if tree.kinds[tree.parents[position]] == "function":
            members = [f"line {member}" for member in members]
        return f"{facts.SHARED}{list_names(members, _MAX_MEMBERS)}"
    if kind == "line":
        return f"line {name}"
    return name or _NO_NAMES.get(kind, "")


def onnx_sentence(analysis: Analysis) -> str:
    """Return how much of the model is in the engine, and how much of the time belongs to nodes."""
    found = analysis.onnx
    if found is None:
        return "The ONNX model is not known."
    if found.match == "other":
        return f"{found.file} is not the model of this engine: {_why(found)}."
    if not found.nodes:
        return f"The layers name no ONNX node, and no tensor of {found.file}: nothing is known of its nodes."
    parts = [f"{_states(found)}."]
    if found.total_ms:
        parts.append(f"{percent(_mapped_percent(found))} of layer time belongs to nodes of the model.")
    if found.match == "partly":
        parts.append(f"It may be another version of the model: {_why(found)}.")
    return " ".join(parts)


def coverage(found: facts.OnnxFacts) -> str:
    """Return how much of the engine belongs to nodes of the model, in a few words."""
    if found.total_ms:
        return f"{percent(_mapped_percent(found))} of layer time in its nodes"
    return f"{format_count(found.matched_names)} of {counted(found.stated_names, 'named node')} found"


def _why(found: facts.OnnxFacts) -> str:
    """Return why it is not the same model, as the end of a sentence."""
    if found.match_reason == "ends":
        return "it has other inputs or outputs"
    if found.match_reason == "tensors":
        return "its nodes have the names that the layers name, but the layers write other tensors"
    if found.match_reason == "convolutions":
        return "its convolutions have the names that the layers name, but other kernels, strides or dilations"
    if found.match_reason == "not-executed":
        return "more than 10% of its convolutions and matrix multiplications are in no layer"
    return (
        f"it has {format_count(found.matched_names)} of the {counted(found.stated_names, 'ONNX node')} "
        "that the layers name"
    )


def _mapped_percent(found: facts.OnnxFacts) -> float:
    return 100 * (1 - (found.unmapped_ms or 0.0) / (found.total_ms or 1.0))


def _states(found: facts.OnnxFacts) -> str:
    """Return how many nodes are in layers, and what became of the others."""
    counts = Counter(node.state for node in found.nodes)
    inside = counts["alone"] + counts["fused"] + counts["split"]
    text = f"{format_count(inside)} of {counted(len(found.nodes), 'node')} of {found.file} are in layers"
    if counts["vanished"]:
        text += f"; {format_count(counts['vanished'])} folded or eliminated by the builder"
    if counts["unknown"]:
        text += f"; of {format_count(counts['unknown'])} it is not known where they are"
    return text
