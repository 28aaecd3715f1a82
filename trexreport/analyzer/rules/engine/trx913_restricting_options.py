"""TRX913 engine.restricting-options."""

from __future__ import annotations

import math
from collections.abc import Sequence

from trexreport.analyzer.analysis import slowest_first
from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, Threshold, built_in_rule
from trexreport.analyzer.rules.engine.earlier_gpus import (
    HARDWARE_LEVEL,
    attentions_of_earlier_gpus,
    gain_of_own_kernels,
    of_earlier_gpus,
)
from trexreport.analyzer.rules.engine.restrictions import restrictions_used
from trexreport.analyzer.rules.engine.workspace import (
    MEBIBYTES,
    allowed_by_larger,
    gpu_memory_mib,
    is_memory_in_use,
    larger_workspace,
    tactics_without,
    tactics_without_gpu_memory,
)
from trexreport.analyzer.rules.phrases import timed
from trexreport.numbers import counted, format_bytes, format_count, format_percent, join_names
from trexreport.wording.identity import logged_value

#: Share of layer time, in percent, from which on kernels of an earlier GPU are a warning.
_MUCH_PERCENT = 20.0

#: A smaller workspace, in bytes, leaves out common kernels: the default was 16 MiB up to 8.3.
_SMALL_WORKSPACE = 256 << 20


@built_in_rule(
    "info",
    needs=(),
    section="build",
    explains={"layers": ("TRX604", "TRX914")},
    many="{count} build options or limits restrict the choice of kernels.",
    thresholds=(
        Threshold("failed_tactics", 10, 1, 1e6, "Minimum number of tactics that failed with an error."),
    ),
)
def restricting_options(context: Context, *, failed_tactics: float) -> Hits:
    """A build option or the memory restricts the choice of kernels.

    Cost:
        The builder takes the fastest kernels among those that it may use and that it tries. Options for short
        builds, compatibility or refitting leave out some of them.

    Recommendation:
        [if restricted: Build once without the option, and compare: if the times are equal, the option costs
        nothing. Keep those that deployment needs.] [if restricted, if matmuls, unless quantized: After that
        build, 8 bits (FP8 or INT8, with Q/DQ nodes of ModelOpt) are the next step, if the accuracy allows
        it.] [if limited, unless full: Allow a larger workspace, such as {Larger
        workspace|--memPoolSize=workspace:4096} (in MiB), and compare.] [if limited, if full: The GPU has no
        memory for a much larger workspace: end what else uses it.] [if crowded: For tactics that lacked GPU
        memory, build while nothing else uses it, or for smaller shapes: a larger workspace adds none.] [if
        failed: Look for "due to exception" in the log: a plugin that fails, a GPU that is newer than the
        TensorRT release, or another installation of CUDA leave out more than the tactics that are named.]

    False alarm:
        The engine must run on several GPUs or versions, or its weights change. Some kernels ask for more
        memory than the GPU has, and are rarely the fastest: with a workspace of 256 MiB or more, and where
        most of the GPU's memory is in use, it is information that some were left out; with the former it is
        reported only where TensorRT itself says so. Single tactics fail in most builds: fewer than ten are
        not reported.

    Est. savings:
        An estimate for kernels of an earlier GPU where the peaks are known: the layers reach 40% to 65% of
        their roofline, as with kernels of the GPU itself. Not estimated for other options: only another build
        shows it.
    """
    for each, stated in restrictions_used(context):
        earlier = context.cached(of_earlier_gpus) if each.option == HARDWARE_LEVEL[0] else ()
        if earlier:
            yield _of_earlier_gpus(context, stated, earlier)
            continue
        yield Hit(f"{stated}: {each.cost}.", (), None, {"Option": stated})
    yield from _left_out(context, failed_tactics)


def _of_earlier_gpus(context: Context, stated: str, layers: Sequence[LayerFacts]) -> Hit:
    """Return what the kernels of an earlier GPU cost that the build allows alone."""
    kernels = join_names(sorted({f"sm{context.kernel(layer).architecture}" for layer in layers}))
    does = "multiplies" if len(layers) == 1 else "multiply"
    attentions = attentions_of_earlier_gpus(context)
    have = counted(len(attentions), "fused attention has", "fused attentions have")
    also = (
        f"; {have} none of the GPU itself either{timed(context, attentions)}{_of_roof(context, attentions)}"
        if attentions
        else ""
    )
    found = tuple(slowest_first([*layers, *attentions]))
    many = context.is_significant(found, _MUCH_PERCENT) and context.total_ms > 0
    return Hit(
        f"{stated}: {counted(len(layers), 'layer')} {does} with kernels of {kernels} on a GPU of "
        f"sm{context.stated_compute_capability}{timed(context, layers)}{_of_roof(context, layers)}{also}.",
        found,
        gain_of_own_kernels(context, found) if context.total_ms else None,
        {"Option": stated, "Kernels": kernels},
        severity="warning" if many else None,
    )


def _of_roof(context: Context, layers: Sequence[LayerFacts]) -> str:
    """Return a clause on the share of the roofline that layers reach together; empty where not known."""
    roofs = [
        (layer, min(layer.roof.roof_ms, layer.avg_ms))
        for layer in layers
        if layer.roof is not None and layer.avg_ms
    ]
    time_ms = context.time_ms(layer for layer, _ in roofs)
    share = math.fsum(roof_ms for _, roof_ms in roofs) / time_ms if time_ms else 0.0
    return f", at {format_percent(share)} of the roofline" if share else ""


def _left_out(context: Context, failed_tactics: float) -> Hits:
    """Yield what the log says of tactics that were left out for lack of memory."""
    is_noted, limit = bool(context.build_fact("Workspace")), context.build_option("Workspace")
    option = larger_workspace(context)
    larger = {"Larger workspace": option} if option else {}
    count, requested, available = tactics_without(context)
    if option and (allowed := allowed_by_larger(context)):
        larger["Allows at least"] = f"{format_count(allowed)} of {counted(count, 'tactic')}"
    used = ""
    if in_use := is_memory_in_use(context):
        shares = (
            format_bytes(2**20 * (mib or 0)) for mib in (context.memory_in_use_mib, gpu_memory_mib(context))
        )
        used = f"; {' of '.join(shares)} of GPU memory were in use"
    # Else the GPU has no memory that would allow them.
    can_be_larger = bool(option or in_use)
    if can_be_larger and requested > available and (is_noted or available < _SMALL_WORKSPACE):
        yield Hit(
            f"The builder left out {counted(count, 'tactic')} that asked for up to "
            f"{format_bytes(requested)} of workspace memory: {format_bytes(available)} were allowed{used}.",
            evidence=larger,
            severity="warning" if available < _SMALL_WORKSPACE and not in_use else None,
        )
    elif can_be_larger and is_noted:
        of = f" (Workspace: {logged_value(limit)})" if limit else ""
        small = MEBIBYTES.match(limit)
        is_small = small is not None and int(small[1]) << 20 < _SMALL_WORKSPACE
        yield Hit(
            f"The builder left out some tactics for lack of workspace memory{of}{used}.",
            evidence=larger,
            severity="warning" if is_small and not in_use else None,
        )
    if stated := tactics_without_gpu_memory(context):
        left_out, requested_mib, available_mib = stated
        amounts = (
            f": up to {format_bytes(requested_mib << 20)} were requested, and "
            f"{format_bytes(available_mib << 20)} were available"
        )
        yield Hit(
            f"The builder left out {counted(left_out, 'tactic')} for lack of free GPU memory"
            f"{amounts if requested_mib else ''}."
        )
    failed = int(context.build_fact("Tactics with errors") or 0)
    if failed >= failed_tactics:
        yield Hit(f"The builder left out {counted(failed, 'tactic')} that failed with an error.")
