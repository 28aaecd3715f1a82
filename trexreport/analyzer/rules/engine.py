"""Rules on the engine as a whole: what its file hides, and what its version of TensorRT calls for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.engine_options import removed_flags, version_advice
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.analyzer.rules.wording import for_time
from trexreport.numbers import counted, middle_ellipsis

#: The name of a layer that Myelin made of many, between its first and its last one.
_FOREIGN_START, _FOREIGN_END = "{ForeignNode[", "]}"
#: The operation in an ONNX node's name: "MatMul" of "/encoder/layer.3/MatMul_1".
_OPERATION = re.compile(r"(?:^|/)([A-Z][A-Za-z]*)(?:_\d+)?$", re.ASCII)
_WIDEST_NAME = 80
_MOST_OPERATIONS = 8
#: Notes of the reader that rules of their own tell of.
_NOTED_ELSEWHERE = frozenset({"names-only", "no-profile", "layers-not-profiled", "dynamic-shapes"})

__all__ = [
    "incomplete_files",
    "names_only",
    "opaque_share",
    "plugin_share",
    "removed_flags",
    "several_profiles",
    "version_advice",
]


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


@rule(
    "TRX902",
    "engine.opaque-share",
    "info",
    many="{count} layers hide the operations inside them.",
    thresholds=(
        Threshold(
            "share_percent",
            10.0,
            0,
            100,
            "Time of all opaque layers together, in percent of the layers' sum.",
        ),
        Threshold("layer_percent", 1.0, 0, 100, "Time of one that is worth naming, in percent of the same."),
        Threshold("most_percent", 33.0, 0, 100, "Time of all from which on it is a warning, in percent."),
    ),
)
def opaque_share(
    context: Context, *, share_percent: float, layer_percent: float, most_percent: float
) -> Iterator[Hit]:
    """A large part of the time is in layers that hide what is inside.

    Cost:
        A "ForeignNode" is a part of the network that TensorRT's compiler Myelin took as a whole. Up to
        TensorRT 8.6 the inspector shows one layer with one time, so nobody sees which operations are slow
        or in which precision they run.

    Advice:
        Build with TensorRT 10 or later, which list the kernels inside with their times and the ONNX nodes
        they are from. To stay on 8.x, mark a tensor inside as an output to split the part, or look at the
        kernels in Nsight Systems.

    False alarm:
        The part is as fast as expected: hiding does not cost time in itself. From `most-percent` on it is a
        warning, as a report that leaves out so much of the engine may miss what matters most.

    Bound:
        None: what is inside is not known.
    """
    opaque = [layer for layer in context.layers if context.is_opaque(layer)]
    share = context.share_percent(context.time_ms(opaque))
    if context.total_ms and share < share_percent:
        return
    for layer in opaque:
        if context.total_ms and context.share_percent(layer.avg_ms or 0.0) < layer_percent:
            continue
        yield Hit(
            f"It hides a part of the network{for_time(context, [layer])}.",
            (layer,),
            None,
            _inside(layer),
            severity="warning" if share >= most_percent else None,
        )


def _inside(layer: LayerFacts) -> dict[str, str]:
    """Return what the layer's name and its list of ONNX nodes tell of its contents."""
    shown = {}
    if layer.name.startswith(_FOREIGN_START) and layer.name.endswith(_FOREIGN_END):
        first, dots, last = layer.name[len(_FOREIGN_START) : -len(_FOREIGN_END)].rpartition("...")
        if dots and first and last:
            shown = {"First inside": middle_ellipsis(first, _WIDEST_NAME)}
            shown["Last inside"] = middle_ellipsis(last, _WIDEST_NAME)
    found_operations = Counter(
        operation.group(1) for origin in layer.origins if (operation := _OPERATION.search(origin))
    )
    if found_operations:
        commonest = sorted(found_operations.items(), key=lambda item: (-item[1], item[0]))
        texts = [f"{number} {name}" for name, number in commonest[:_MOST_OPERATIONS]]
        more = len(commonest) - len(texts)
        shown["ONNX operations"] = ", ".join(texts) + (f" and {more} more kinds" if more else "")
    return shown


@rule(
    "TRX903",
    "engine.plugin-share",
    "info",
    many="{count} kinds of plugins take a large part of the time.",
    needs=("layers", "profile"),
    thresholds=(
        Threshold("share_percent", 2.0, 0, 100, "Time of one kind of plugin, in percent of the layers' sum."),
    ),
)
def plugin_share(context: Context, *, share_percent: float) -> Iterator[Hit]:
    """Plugins take a large part of the time.

    Cost:
        TensorRT fuses nothing into a plugin, cannot choose among kernels for it and often must reformat its
        inputs and outputs, as most plugins know few types and layouts.

    Advice:
        See whether TensorRT has the operation itself and leave the plugin out: InstanceNormalization is
        native from 10.0 on, and in 8.6 with the parser flag NATIVE_INSTANCENORM, attention from 10.14 on.
        Else let the plugin accept FP16 or INT8 and the layouts of its neighbors, and put the pointwise
        work around it inside.

    False alarm:
        The plugin is there because it is faster than what TensorRT makes of the same nodes. Measure both.

    Bound:
        None: only a trial tells how fast the operation would be without the plugin.
    """
    kinds: dict[str, list[LayerFacts]] = {}
    for layer in context.layers:
        if context.is_plugin(layer):
            name = layer.attributes.get("PluginType")
            kinds.setdefault(name if isinstance(name, str) else "", []).append(layer)
    for kind, layers in sorted(kinds.items()):
        if context.share_percent(context.time_ms(layers)) < share_percent:
            continue
        layers.sort(key=lambda layer: (-(layer.avg_ms or 0.0), layer.index))
        who = f"{counted(len(layers), 'plugin')} of one kind run" if len(layers) > 1 else "A plugin runs"
        shown = {"Plugin": middle_ellipsis(kind, _WIDEST_NAME)} if kind else {}
        yield Hit(f"{who}{for_time(context, layers)}.", tuple(layers), None, shown)


@rule(
    "TRX904",
    "engine.several-profiles",
    "info",
    many="The engine has {count} sets of optimization profiles.",
    needs=(),
    section="overview",
)
def several_profiles(context: Context) -> Iterator[Hit]:
    """The engine holds several optimization profiles.

    Cost:
        Each profile has its own kernels and its own copy of every layer, so that the build takes longer and
        the plan is larger; each execution context uses one of them. Layers and times of one profile say
        nothing of the others.

    Advice:
        Measure each profile with shapes it is meant for (trtexec --useProfile=N --shapes=..., from 9.x on).
        Keep profiles narrow around the shapes that really occur; merge those whose times are the same.

    False alarm:
        None: it is a reminder of what the figures are about.

    Bound:
        None: which profile is used decides the application.
    """
    identity = context.analysis.identity
    if len(identity.optimization_profiles) > 1:
        yield Hit(
            f"The engine has {len(identity.optimization_profiles)} optimization profiles; "
            f"this is number {identity.optimization_profile}."
        )


@rule(
    "TRX907",
    "engine.incomplete-files",
    "warning",
    many="{count} things in the files are damaged or not understood.",
    needs=(),
    section="notes",
)
def incomplete_files(context: Context) -> Iterator[Hit]:
    """A file is damaged, cut off or not wholly understood.

    Cost:
        What could not be read is missing from the figures, which the places say. Conclusions from sums and
        shares may be wrong.

    Advice:
        Follow the hint of each place; usually the capture has to be made again, or a run had failed and its
        log says why.

    False alarm:
        A field of a newer TensorRT that is not known yet, beside which all is right.

    Bound:
        None: it concerns the report, not the engine.
    """
    notes = context.analysis.notes
    # Logs have no layers, which is no damage.
    expected = {"no-graph"} if any(note.slug == "logs-alone" for note in notes) else set()
    for note in notes:
        if note.severity == "degraded" and note.slug not in _NOTED_ELSEWHERE | expected:
            shown = {"File": note.source, "What to do": note.hint}
            yield Hit(note.message, (), None, {key: text for key, text in shown.items() if text})
