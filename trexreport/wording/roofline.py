"""Sentences about the roofline, and about how the GPU was found."""

from __future__ import annotations

from trexreport.analyzer.analysis import Analysis, Gpu, RooflineObstacle
from trexreport.numbers import counted, format_ms, join_names
from trexreport.wording.layers import NAMES_ONLY
from trexreport.wording.shares import percent

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
        f"{format_ms(total.roof_ms)} at the peaks of {found.gpu.name}"
    )
    first = found.by_type[0]
    if first.headroom_ms and len(found.by_type) > 1:
        text += f"; {format_ms(first.headroom_ms)} of the headroom is in {first.name} layers"
    if total.time_ms:
        memory_bound = percent(100 * total.memory_bound_ms / total.time_ms)
        text += f"; memory-bound layers take {memory_bound} of this time"
    if total.left_out:
        text += f". The roofline of {counted(total.left_out, 'other layer')} is not known"
    return f"{text}."


def roofline_obstacle_sentence(obstacle: RooflineObstacle) -> str:
    """Return why there is no roofline, and what to do."""
    device = f'"{obstacle.device}"' if obstacle.device else "of this capture"
    if obstacle.code == "gpu-not-stated":
        return "This capture does not state which GPU it ran on. Select the GPU with --gpu."
    if obstacle.code == "contradictory-files":
        return "The files of this capture contradict each other, so the peaks of the GPU say nothing."
    if obstacle.code == "gpu-ambiguous":
        return f"{device} matches {', '.join(obstacle.names)}. Select one with --gpu."
    if obstacle.code == "gpu-unknown":
        return f"Neither the GPU {device} nor its compute capability is in a table. {_ADVICE}"
    if obstacle.code == "gpu-incomplete":
        return (
            f"The GPU {device} is in no table, and the capture does not state its "
            f"{join_names(obstacle.names)}. {_ADVICE}"
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
