"""Sum up each section of the report in one sentence, so that no chart is a puzzle."""

from __future__ import annotations

import math
from collections.abc import Sequence

from trexreport import numbers
from trexreport.analyzer.analysis import SEVERITIES, Analysis, LayerFacts, Reformat
from trexreport.analyzer.operations import may_multiply
from trexreport.numbers import counted, format_count, format_ms, format_number, middle_ellipsis

_NO_PROFILE = "This capture has no profile, so no layer has a time."
_NO_TIME = "No layer took a time that the profile could tell."
_NO_LAYERS = "This capture has no layer information."
_NAMES_ONLY = "Nothing but names is known of the layers, so nothing of their types, tensors and precisions."


def sentences(analysis: Analysis) -> dict[str, str]:
    """Return section to sentence, for every section of the report."""
    if not analysis.layers:
        nothing = dict.fromkeys(
            ("latency", "layers", "precision", "memory", "roofline", "work", "reformats", "graph"), _NO_LAYERS
        )
        return {**nothing, "timing": _timing(analysis), "findings": _findings(analysis), "gap": ""}
    return {
        "latency": _latency(analysis),
        "layers": _layers(analysis),
        "precision": _precision(analysis),
        "memory": _memory(analysis),
        "roofline": _roofline(analysis),
        "work": _work(analysis),
        "reformats": _reformats(analysis),
        "timing": _timing(analysis),
        "graph": _graph(analysis),
        "findings": _findings(analysis),
        "gap": _gap(analysis),
    }


def _percent(percent: float | None) -> str:
    return numbers.format_percent(None if percent is None else percent / 100)


def _computing(analysis: Analysis) -> list[LayerFacts]:
    return [layer for layer in analysis.layers if not layer.structural or layer.avg_ms]


def _slowest(layers: Sequence[LayerFacts]) -> LayerFacts | None:
    timed = [layer for layer in layers if layer.avg_ms]
    return max(timed, key=lambda layer: layer.avg_ms or 0.0, default=None)


def _latency(analysis: Analysis) -> str:
    slowest = _slowest(analysis.layers)
    if slowest is None or not analysis.by_type:
        return _NO_TIME if analysis.latency.profiled_layers else _NO_PROFILE
    first = analysis.by_type[0]
    name = middle_ellipsis(slowest.name, 60)
    if analysis.identity.names_only:
        return f"The slowest layer, {name}, takes {_percent(slowest.share_percent)} of the time."
    take = "takes" if first.count == 1 else "take"
    return (
        f"{counted(first.count, 'layer')} of type {first.name} {take} {_percent(first.share_percent)} "
        f"of the time; the slowest layer, {name}, takes {_percent(slowest.share_percent)} alone."
    )


def _layers(analysis: Analysis) -> str:
    layers = _computing(analysis)
    structural = len(analysis.layers) - len(layers)
    text = counted(len(layers), "layer")
    if structural:
        text += f" and {counted(structural, 'structural one')} (no-ops, constants, synchronization)"
    timed = sorted((layer.avg_ms for layer in layers if layer.avg_ms), reverse=True)
    if not timed:
        return f"{text}; none has a time."
    half, needed = math.fsum(timed) / 2, 0
    running = 0.0
    while running < half:
        running += timed[needed]
        needed += 1
    if needed == 1:
        return f"{text}; the slowest one takes half of the time or more."
    return f"{text}; the {format_count(needed)} slowest take half of the time."


def _precision(analysis: Analysis) -> str:
    if analysis.identity.names_only:
        return _NAMES_ONLY
    groups = [group for group in analysis.by_precision if group.count]
    if not groups:
        return "No layer states the type of its input."
    parts = []
    for group in groups[:4]:
        layers = counted(group.count, "layer")
        share = "" if group.share_percent is None else f"{_percent(group.share_percent)} of the time in "
        parts.append(f"{group.name}: {share}{layers}")
    return f"By type of the first input, {'; '.join(parts)}."


def _memory(analysis: Analysis) -> str:
    if analysis.identity.names_only:
        return _NAMES_ONLY
    memory, amounts = analysis.memory, analysis.amounts
    text = f"The layers own {amounts['weights']} of weights"
    if amounts["weights"] == "unknown":
        text = "The size of the weights is unknown, as no file states it"
    elif memory.layers_without_weights:
        hidden = counted(memory.layers_without_weights, "Myelin kernel")
        text += f", not counting {hidden} without a statement of theirs"
    if not analysis.tensors:
        return f"{text}; no tensors are known."
    if amounts["activations"] == "unknown":
        count = counted(memory.activations_unknown, "tensor")
        verb = "is" if memory.activations_unknown == 1 else "are"
        return f"{text}; {count} between the layers {verb} of unknown size."
    return (
        f"{text}; the tensors between them need {amounts['peak']} at the busiest layer, and "
        f"{amounts['activations']} if each had memory of its own."
    )


def _roofline(analysis: Analysis) -> str:
    found = analysis.roofline
    if analysis.identity.names_only:
        return _NAMES_ONLY
    if found.gpu is None or found.total is None:
        return found.reason
    total = found.total
    text = (
        f"{counted(total.count, 'layer')} with {format_ms(total.time_ms)} would take "
        f"{format_ms(total.roof_ms)} at the peaks of {found.gpu.name}"
    )
    most = found.by_type[0]
    if most.headroom_ms and len(found.by_type) > 1:
        text += f"; {format_ms(most.headroom_ms)} of what could be saved is in {most.name} layers"
    if total.time_ms:
        text += f"; layers bound by memory take {_percent(100 * total.memory_bound_ms / total.time_ms)}"
    if total.left_out:
        text += f". Of {counted(total.left_out, 'other layer')} the roof is not known"
    return f"{text}."


def _work(analysis: Analysis) -> str:
    candidates = [layer for layer in analysis.layers if layer.work or may_multiply(layer)]
    working = [layer for layer in candidates if layer.work]
    if analysis.identity.names_only:
        return _NAMES_ONLY
    if not candidates:
        return "This engine has no layer that is known as a convolution or matrix product."
    if not working:
        return f"None of {_multiplying(len(candidates))} could be counted from its shapes."
    macs = sum(layer.work.macs for layer in working if layer.work)
    what = f"{format_number(macs / 1e9)} billion multiply-accumulate operations"
    timed = [layer for layer in working if layer.work and layer.work.tflops]
    seconds = math.fsum(layer.avg_ms or 0.0 for layer in timed) / 1e3
    if seconds:
        tflops = 2 * sum(layer.work.macs for layer in timed if layer.work) / seconds / 1e12
        what += f" at {format_number(tflops)} TFLOP/s on average"
    missing = [layer for layer in candidates if not layer.work]
    if not missing:
        return f"{_multiplying(len(working))} {'does' if len(working) == 1 else 'do'} {what}."
    text = f"{format_count(len(working))} of {_multiplying(len(candidates))} could be counted: {what}"
    shares = [layer.share_percent for layer in missing if layer.share_percent is not None]
    if not shares:
        return f"{text}."
    verb = "the other one takes" if len(missing) == 1 else "the others take"
    return f"{text}; {verb} {_percent(math.fsum(shares))} of the time."


def _multiplying(count: int) -> str:
    return counted(count, "convolution or matrix product", "convolutions and matrix products")


def _reformats(analysis: Analysis) -> str:
    found = [each for each in analysis.reformats if each.time_ms or each.time_ms is None]
    reformats = [each for each in found if each.kind == "reformat"]
    kernels = [each for each in found if each.kind == "kernel"]
    if analysis.identity.names_only:
        return _NAMES_ONLY
    if not found:
        return "No layer only changes the type or layout of data."
    text = "No Reformat layer"
    if reformats:
        text = (
            f"{counted(len(reformats), 'layer')} only {_verb(reformats, 'change')} the type or layout of data"
        )
        time_ms, share = _cost(analysis, reformats)
        if time_ms is not None:
            subject = "it takes" if len(reformats) == 1 else "together they take"
            text += f"; {subject} {format_ms(time_ms)}, {_percent(share)} of the time"
    if kernels:
        only = f"only {_verb(kernels, 'move')} or {_verb(kernels, 'convert')} data"
        text += f"; {counted(len(kernels), 'Myelin kernel')} that {only}"
        _, share = _cost(analysis, kernels)
        if share is not None:
            text += f" {_verb(kernels, 'take')} {_percent(share)} of the time"
        elif not reformats:
            text = text.replace("No Reformat layer; ", "No Reformat layer, but ")
    return f"{text}."


def _cost(analysis: Analysis, found: Sequence[Reformat]) -> tuple[float | None, float | None]:
    """Return time and share of the time of these together, None where none was measured."""
    times = [each.time_ms for each in found if each.time_ms is not None]
    total = analysis.latency.layer_sum_ms
    if not times:
        return None, None
    return math.fsum(times), 100 * math.fsum(times) / total if total else None


def _verb(found: Sequence[object], verb: str) -> str:
    return f"{verb}s" if len(found) == 1 else verb


def _timing(analysis: Analysis) -> str:
    stability = analysis.stability
    if stability is None:
        return "This capture has no times of single queries."
    if not stability.can_judge:
        queries = counted(stability.queries, "query", "queries")
        return f"The times of {queries} are too few to judge how steady they are."
    steady = "steady" if stability.is_steady else "unsteady"
    text = (
        f"Over {counted(stability.queries, 'query', 'queries')} the GPU time is {steady}: it varies by "
        f"{_percent(stability.variation_percent)}"
    )
    if abs(stability.drift_percent) >= 1:
        direction = "slower" if stability.drift_percent > 0 else "faster"
        drift = _percent(abs(stability.drift_percent))
        text += f", and the last tenth is {drift} {direction} than the first"
    return f"{text}."


def _graph(analysis: Analysis) -> str:
    if analysis.identity.names_only:
        return _NAMES_ONLY
    inputs = sum(binding.mode == "input" for binding in analysis.bindings)
    outputs = sum(binding.mode == "output" for binding in analysis.bindings)
    streams = {layer.stream for layer in analysis.layers if layer.stream is not None}
    ends = f"{counted(inputs, 'input')} to {counted(outputs, 'output')}"
    text = f"{counted(len(analysis.layers), 'layer')} from {ends}"
    return f"{text} on {len(streams)} streams." if len(streams) > 1 else f"{text}."


def _findings(analysis: Analysis) -> str:
    lint = analysis.lint
    silent = [
        f"{counted(count, 'rule')} {verb}"
        for verb, why in (("skipped for lack of input", "skipped"), ("broken", "broken"))
        if (count := sum(each.why == why for each in lint.unchecked))
    ]
    others = f" ({', '.join(silent)})" if silent else ""
    checked = f"{counted(lint.checked, 'rule')} checked{others}"
    if not lint.findings:
        return f"{checked}; none found anything." if lint.checked else f"No rule was checked{others}."
    counts = {
        severity: sum(finding.severity == severity for finding in lint.findings) for severity in SEVERITIES
    }
    kinds = [counted(count, severity) for severity, count in counts.items() if count and severity != "info"]
    if counts["info"]:
        kinds.append(f"{format_count(counts['info'])} for information")
    text = f"{', '.join(kinds)}; {checked}."
    gains = [finding for finding in lint.findings if finding.gain_ms and finding.severity != "info"]
    if gains:
        most = max(gains, key=lambda finding: finding.gain_ms or 0.0)
        share = "" if most.gain_percent is None else f", {_percent(most.gain_percent)} of the time"
        code = middle_ellipsis(most.code, 40)
        text += f" Mending {code} could gain most: at most {format_ms(most.gain_ms)}{share}."
    return text


def _gap(analysis: Analysis) -> str:
    gap = analysis.latency.gap_percent
    if gap is None:
        return ""
    direction = "more" if gap > 0 else "less"
    whole = "the GPU compute time" if analysis.latency.gpu_compute else "the latency"
    return f"The layers add up to {_percent(abs(gap))} {direction} than {whole}."
