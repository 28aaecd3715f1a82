"""Sentences about the roofline, and about how the GPU was found."""

from __future__ import annotations

from collections import Counter

from trexreport.analyzer.analysis import Analysis, Gpu, RooflineObstacle
from trexreport.analyzer.analysis.roofline import RoofGroup, Roofline, SpeedExcess
from trexreport.numbers import counted, format_ms, join_names
from trexreport.wording.layers import NAMES_ONLY
from trexreport.wording.shares import percent

#: Why a layer exceeds the roofline.
EXCESS: dict[SpeedExcess, str] = {
    "above-bandwidth": "faster than the memory bandwidth, as a cache holds data or not all of it moves",
    "above-peak": "faster than the dense peak, by sparsity, a Winograd kernel or a higher clock",
    "impossible": "faster than this GPU can be, so that its time, its shapes or the GPU is wrong",
}
#: Clocks of the capture over those of the peaks from which on they are the same, rounded.
_FULL_CLOCK = 0.95
#: From this part of layer time on the rest is not worth a word.
_NEARLY_ALL = 0.95
_ADVICE = "Select a GPU of the table with --gpu, or describe this one in a table of your own."


def roofline_sentence(analysis: Analysis) -> str:
    """Return the layers' time beside that at the peaks of the GPU, or why it is not known."""
    found = analysis.roofline
    if analysis.identity.names_only:
        return NAMES_ONLY
    if found.gpu is None or found.total is None:
        return roofline_obstacle_sentence(found.obstacle) if found.obstacle else ""
    total = found.total
    take = "takes" if total.count == 1 else "take"
    text = (
        f"{counted(total.count, 'layer')} {take} {format_ms(total.time_ms)}, and would take "
        f"{format_ms(total.roof_ms)} at the peaks of {found.gpu.name}{_at_clocks(found.gpu)}"
    )
    first = found.by_type[0]
    if first.headroom_ms and len(found.by_type) > 1:
        text += f"; {format_ms(first.headroom_ms)} of the headroom is in {first.name} layers"
    if shares := _shares(total):
        text += f"; {shares[0]} layers take {shares[1]} of this time{shares[2]}"
    if total.left_out:
        text += f". The roofline of {counted(total.left_out, 'other layer')} is not known"
    return f"{text}."


def _at_clocks(gpu: Gpu) -> str:
    """Return which part of the table's clocks the capture states, if they are lower."""
    scales = {"clock": gpu.clock_scale, "memory clock": gpu.bandwidth_scale}
    lower = [f"{percent(100 * each)} of its {name}" for name, each in scales.items() if each < _FULL_CLOCK]
    return f" at {join_names(lower)}, as the capture states" if lower else ""


def bounds_sentence(found: Roofline, layer_sum_ms: float | None) -> str:
    """Return by what layers are bound; empty where that is known of less than half of layer time."""
    total, whole_ms = found.total, layer_sum_ms or 0.0
    shares = total and 2 * total.time_ms >= whole_ms and _shares(total)
    if not total or not shares:
        return ""
    is_part = total.time_ms < _NEARLY_ALL * whole_ms
    what = f"{format_ms(total.time_ms)} whose roofline is known" if is_part else "time"
    return f"By the roofline {shares[0]} layers take {shares[1]} of the {what}{shares[2]}."


def _shares(total: RoofGroup) -> tuple[str, str, str] | None:
    """Return "compute-bound", "30%" and ", memory-bound 24%"; None if nothing is bound."""
    parts = {
        "compute-bound": total.compute_bound_ms,
        "memory-bound": total.memory_bound_ms,
        # Long kernels that neither roof explains are slow for another reason than a launch.
        "latency-bound or inefficient": total.latency_bound_ms,
    }
    shares = [(name, percent(100 * time_ms / total.time_ms)) for name, time_ms in parts.items() if time_ms]
    if not shares:
        return None
    return *shares[0], "".join(f", {name} {share}" for name, share in shares[1:])


def bound_sentences(analysis: Analysis) -> str:
    """Return how layers are divided into classes, and why some exceed the roofline; empty without any."""
    found = analysis.roofline
    if found.total is None or found.explained_percent is None:
        return ""
    text = (
        f"A layer is latency-bound if its roofline time is less than {found.explained_percent:g}% of its "
        "time: kernel launch, too few thread blocks or dependencies take longer than its data and operations"
        ", or its kernel is inefficient, as in layers that take many times as long as a launch"
    )
    if found.launch_ms is not None:
        text += f", or if it is about as short as a launch, {format_ms(found.launch_ms)} in this run"
    if found.total.near_limit_ms:
        near = percent(100 * found.total.near_limit_ms / found.total.time_ms)
        text += f". {near} of the time is within 10% of the limit"
    counts = Counter(layer.excess for layer in analysis.layers)
    exceeding = [f"{counted(counts[code], 'layer')}: {note}" for code, note in EXCESS.items() if counts[code]]
    return ". ".join([text, *exceeding]) + "."


def roofline_obstacle_sentence(obstacle: RooflineObstacle) -> str:
    """Return why there is no roofline, and what to do."""
    device = f'"{obstacle.device}"' if obstacle.device else "of this capture"
    if obstacle.code == "gpu-not-stated":
        return "This capture does not state which GPU it ran on. Select the GPU with --gpu."
    if obstacle.code == "contradictory-files":
        return "The files of this capture contradict each other, so the peaks of the GPU say nothing."
    if obstacle.code == "times-are-sums":
        return "The times of the layers are sums over an unknown number of runs: no rates follow from them."
    if obstacle.code == "gpu-ambiguous":
        return f"{device} matches {', '.join(obstacle.names)}. Select one with --gpu."
    if obstacle.code == "gpu-unknown":
        return f"Neither the GPU {device} nor its compute capability is in a table. {_ADVICE}"
    if obstacle.code == "gpu-contradicted":
        stated = join_names(obstacle.names)
        return f"The capture states {stated}, which no GPU {device} has. Select one with --gpu."
    if obstacle.code == "gpu-incomplete":
        return (
            f"The GPU {device} is in no table, and the capture does not state its "
            f"{join_names(obstacle.names)}. {_ADVICE}"
        )
    if obstacle.code == "unknown-extents":
        return (
            "Layers with times have tensors with unknown extents (-1), so that their sizes are not known. "
            "Build with fixed shapes: those of a run show only its inputs and outputs."
        )
    return (
        "No layer of this capture has both a known size and a time. Build with --profilingVerbosity=detailed "
        "and measure with --exportProfile."
    )


def gpu_match(gpu: Gpu) -> str:
    """Return how the GPU of the roofline was found, as a phrase."""
    if gpu.chosen_by == "user":
        return "selected by the user"
    if gpu.chosen_by == "derived":
        return "not in the table; derived from what the capture states"
    agreed = f" and {join_names(gpu.agreed)}" if gpu.agreed else ""
    return f'matched by the name "{gpu.device}"{agreed}'
