"""TRX901 engine.names-only."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.numbers import counted


@built_in_rule("warning", needs=(), section="notes")
def names_only(context: Context) -> Hits:
    """The layer information contains only names.

    Cost:
        Without types, shapes, formats and kernels there is no graph, and precisions, memory and operations
        are unknown. Most rules cannot run.

    Recommendation:
        Rebuild the engine with --profilingVerbosity=detailed (trtexec), or with config.profiling_verbosity =
        trt.ProfilingVerbosity.DETAILED. Setting it when loading an engine does not help: the build decides
        what the inspector reports. It does not slow the engine down.

    False alarm:
        None, but the times of the layers are still right.

    Est. savings:
        Not estimated: it concerns the report, not the engine.
    """
    if context.analysis.identity.names_only and context.has_layer_information:
        yield Hit(
            f"The layer information contains only the names of {counted(len(context.layers), 'layer')}."
        )
