"""The sentences about the accuracy of an engine."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis import accuracy as facts
from trexreport.model.accuracy import AccuracyFormat
from trexreport.numbers import counted, format_count, format_ms, format_number, list_names, middle_ellipsis
from trexreport.regex import regex
from trexreport.wording.shares import percent
from trexreport.wording.texts import TEXTS

if TYPE_CHECKING:
    from trexreport.analyzer.analysis.comparison import ComparedEngine

#: Measures that are parts of the reference, and are written as percentages.
RELATIVE = frozenset({"relative", "cosine", "relative-difference"})
#: What the errors of each measure are.
MEASURES: Mapping[facts.ErrorMeasure, str] = TEXTS["accuracy"]["measures"]
FORMATS: Mapping[AccuracyFormat, str] = TEXTS["accuracy"]["formats"]
STATES: Mapping[facts.TensorState, str] = TEXTS["accuracy"]["states"]
#: How the increase is computed.
INCREASE = (
    "Errors propagate. The increase is the error beyond what the inputs explain: 1.5 times the error of the "
    "nearest known tensors before, 8 times behind functions that may amplify it, such as Softmax and "
    "normalizations (more where these subtract a mean of almost equal values), and exactly what the norms "
    "allow for sums, concatenations and activations. The layer with the largest increase causes the error; a "
    "large error with an increase of 0 is passed on."
)
_FLAG_NAME = regex(r"[^,:*\s\"'\x00-\x1f]+")
_MAX_NAME = 80
#: From the first of these versions of TensorRT on trtexec has a flag for the precision of a layer; from the
#: second one on it has none.
_LAYER_PRECISIONS, _NO_LAYER_PRECISIONS = (8, 4), (11,)


def error_text(value: float | None, measure: facts.ErrorMeasure | None) -> str:
    """Return an error as it is written: as a percentage, or as the file's own figure."""
    return percent(None if value is None else 100 * value) if measure in RELATIVE else format_number(value)


def accuracy_sentence(analysis: Analysis) -> str:
    """Return the sentence that sums up the accuracy of an engine."""
    found = analysis.accuracy
    if found is None:
        return "No file states how accurate the engine is."
    parts = []
    if found.match == "other":
        tensors = counted(len(found.tensors), "tensor")
        parts.append(
            f"Tensors in the file have the engine's names and other sizes: its {tensors} are of another."
            if any(each.join for each in found.tensors)
            else f"None of the {tensors} is in this engine or its model: "
            "the file is about another one, or states other names."
        )
    elif found.tensors:
        parts.append(_first(analysis, found))
        parts.append(_joined(found))
    if found.trials:
        parts.append(_trials(found))
    parts += [f"{name}: {format_number(value, 4)}." for name, value in found.metrics.items()]
    return " ".join(filter(None, parts))


def _first(analysis: Analysis, found: facts.AccuracyFacts) -> str:
    first = found.tensors[0]
    place = _place(analysis, first)
    if first.state == "not-finite":
        begin = "begins" if first.begins_non_finite else "is"
        if first.begins_non_finite and first.steps > 1 and first.between_count > 1:
            place = f"one of {format_count(first.between_count)} layers, the last of which is {place}"
        return f"NaN or infinity {begin} at {place}{beside_reference(found, first)}."
    if first.increase:
        inputs = error_text(first.input_error, found.measure)
        text = (
            f"The error increases most at {place}: {error_text(first.error, found.measure)}, "
            f"of which its inputs explain {inputs}"
        )
        if first.steps > 1 and first.between_count > 1:
            return f"{text}; one of {format_count(first.between_count)} layers adds it."
        return f"{text}."
    if first.error:
        return f"The largest error is {error_text(first.error, found.measure)}, at {place}."
    if found.measure == "range":
        return "Only ranges of tensors are known."
    return "No tensor differs from the reference." if first.error == 0 else ""


def beside_reference(found: facts.AccuracyFacts, each: facts.TensorErrorFacts) -> str:
    """Return what is known of the reference where an engine has NaN or infinity, as the end of a sentence."""
    if each.figures.reference_non_finite is False:
        return ", where the reference has finite values"
    if found.format == "debug-tensors":
        return "; no reference is known"
    return ", or in the reference: the error is NaN"


def _place(analysis: Analysis, each: facts.TensorErrorFacts) -> str:
    if each.layers:
        return middle_ellipsis(analysis.layers[each.layers[-1]].name, _MAX_NAME)
    return middle_ellipsis(each.figures.name, _MAX_NAME)


def _joined(found: facts.AccuracyFacts) -> str:
    tensors = len(found.tensors)
    if found.joined == tensors:
        return f"All {format_count(tensors)} tensors are known in the engine." if tensors > 1 else ""
    return f"{format_count(found.joined)} of {counted(tensors, 'tensor')} are known in the engine."


def _trials(found: facts.AccuracyFacts) -> str:
    failed = sum(bool(each.failure) for each in found.trials)
    best = sum(each.is_best for each in found.trials)
    text = f"The autotuner tried {counted(len(found.trials), 'build')}"
    text += f", {format_count(failed)} of which failed" if failed else ""
    return f"{text}; no other one is both faster and more accurate than {format_count(best)} of them."


def plan_sentence(analysis: Analysis) -> str:
    """Return what a higher precision of the layers of the plan removes and costs; "" without a plan."""
    found = analysis.accuracy
    if found is None or not found.plan:
        return ""
    last = found.plan[-1]
    costs = [each.cost_ms for each in found.plan if each.cost_ms is not None]
    count = len({layer for each in found.plan for layer in each.among})
    text = (
        f"Estimate: {counted(count, 'layer')} in a higher precision {'removes' if count == 1 else 'remove'} "
    )
    text += f"{percent(last.removed_percent)} of the error"
    if costs and len(costs) == len(found.plan):
        text += f" for {format_ms(math.fsum(costs))} at most"
    return (
        f"{text}. It assumes that the squares of the increases add up to that of the whole error, and that, "
        "apart from the kernel launch, an FP16 layer takes up to twice as long as an INT8 layer. Reformats "
        "between precisions are not included."
    ) + _groups(found)


def _groups(found: facts.AccuracyFacts) -> str:
    if all(len(each.among) == 1 for each in found.plan):
        return ""
    return (
        " Where no tensor between several layers is known, one of them adds the error, and all of them are "
        "listed and counted: figures of the tensors between would leave fewer."
    )


def compared_plan_sentence(engine: ComparedEngine, baseline: str) -> str:
    """Return what some layers in the precision of the baseline cost and remove; "" without a plan."""
    found = engine.accuracy
    if found is None or not found.plan:
        return ""
    last = found.points[found.plan[-1]]
    names = list_names([middle_ellipsis(found.points[at].name, _MAX_NAME) for at in found.plan], 5)
    noun = "1 layer" if len(found.plan) == 1 else f"{format_count(len(found.plan))} rows of layers"
    of_baseline = f"{noun} in the precision of {middle_ellipsis(baseline, _MAX_NAME)}"
    return (
        f"{middle_ellipsis(engine.name, _MAX_NAME)}: {of_baseline} would cost {format_ms(last.cost_ms)} "
        f"and remove {percent(last.removed_percent)} of the added error "
        f"(estimate, without reformats): {names}."
    )


def plan_commands(analysis: Analysis) -> list[tuple[str, str]]:
    """Return how to give the layers of the plan a higher precision: pairs of a heading and a text to copy."""
    found = analysis.accuracy
    if found is None or not found.plan:
        return []
    names = list(dict.fromkeys(name for step in found.plan for name in step.nodes))
    if not names:
        return []
    wide = {name: _wider(analysis, step) for step in found.plan for name in step.nodes}
    commands = []
    if _takes_flags(analysis):
        able = [name for name in names if _FLAG_NAME.fullmatch(name)]
        if able:
            listed = ",".join(f"{name}:{wide[name]}" for name in able)
            flags = f"--precisionConstraints=obey --layerPrecisions={shlex.quote(listed)}"
            commands.append(("trtexec, up to TensorRT 10.x", flags))
    title = "Nodes to leave out of quantization, or to cast"
    return [*commands, (title, "\n".join(names))]


def plan_remarks(analysis: Analysis) -> list[str]:
    """Return what to know about the commands of the plan."""
    found = analysis.accuracy
    if found is None or not found.plan:
        return []
    remarks = []
    commands = plan_commands(analysis)
    if any("layerPrecisions" in text for _, text in commands):
        remarks.append(
            "--layerPrecisions takes the names of ONNX nodes: trtexec ignores names of fused layers without "
            "a message."
        )
    listed = {name for step in found.plan for name in step.nodes}
    odd = [name for name in listed if not _FLAG_NAME.fullmatch(name)]
    if odd and _takes_flags(analysis):
        remarks.append(f"Names that the flag can't take, because of commas or colons in them: {len(odd)}.")
    nameless = sum(not step.nodes for step in found.plan)
    if nameless:
        remarks.append(
            f"Layers of the plan whose ONNX nodes are not known: {nameless}. Give the model with --onnx."
        )
    return remarks


def _wider(analysis: Analysis, step: facts.PlanStep) -> str:
    """Return the precision in which none of the layers of a step rounds as it does now."""
    is_half = any(analysis.layers[each].precision in ("FP16", "BF16") for each in step.among)
    return "fp32" if is_half else "fp16"


def _takes_flags(analysis: Analysis) -> bool:
    """Return whether flags of trtexec decide on the precision of a layer here, as far as is known."""
    numbers = re.findall(r"[0-9]{1,4}", analysis.identity.tensorrt_version)[:2]
    version = tuple(map(int, numbers))
    if version >= _NO_LAYER_PRECISIONS or (len(version) == 2 and version < _LAYER_PRECISIONS):
        return False
    is_typed = any("--stronglyTyped" in command for command in analysis.commands)
    return not is_typed and not _is_explicit(analysis)


def _is_explicit(analysis: Analysis) -> bool:
    """Return whether Q/DQ nodes of the model decide which layers are quantized, which no flag overrides.

    The model shows them, and so do the names of layers and of the nodes that they compute.
    """
    nodes = analysis.onnx.nodes if analysis.onnx else ()
    names = (name for layer in analysis.layers for name in (layer.name, *layer.origins))
    return any(node.op_type == "QuantizeLinear" for node in nodes) or any(
        "quantizelinear" in name.lower() for name in names
    )
