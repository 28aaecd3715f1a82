"""TRX901 engine.names-only."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.rule import Hit, rule
from trexreport.numbers import counted


@rule(
    "TRX901",
    "engine.names-only",
    "warning",
    many="{count} things are missing from the layer information.",
    needs=(),
    section="layers",
)
def names_only(context: Context) -> Iterator[Hit]:
    """The layers have names and nothing else.

    Cost:
        Without types, shapes, formats and kernels there is no graph and nothing is known of precisions,
        memory and work. Most rules cannot run.

    Advice:
        Build the engine again with --profilingVerbosity=detailed (trtexec), or with
        config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED. Setting it when loading an engine does
        not help: what the inspector tells is decided by the build. It does not slow the engine down.

    False alarm:
        None, but the times of the layers are right all the same.

    Bound:
        None: it concerns the report, not the engine.
    """
    has_file = all(note.slug != "no-graph" for note in context.analysis.notes)
    if context.analysis.identity.names_only and has_file:
        yield Hit(f"Of {counted(len(context.layers), 'layer')} the file has only the names.")
