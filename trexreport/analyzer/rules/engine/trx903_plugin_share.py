"""TRX903 engine.plugin-share."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.rules import Context, Gain, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.context import HALVES, LOW_PRECISIONS
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.layer_kinds import is_attention_plugin, is_suppression, plugin_type
from trexreport.analyzer.rules.limits import min_share, percent
from trexreport.analyzer.rules.moves import copied_parts
from trexreport.analyzer.rules.patterns import is_conv_or_matmul, is_pointwise
from trexreport.analyzer.rules.phrases import LAYER, takes_time, timed, with_others
from trexreport.analyzer.rules.precision.precision_use import product_types
from trexreport.analyzer.rules.reformat.reformat_places import MUCH_BESIDE, reformat_places
from trexreport.analyzer.rules.savings import untimed_as_info
from trexreport.analyzer.rules.slow_kinds import moving
from trexreport.numbers import counted, middle_ellipsis

_MAX_NAME_WIDTH = 80
#: The part of the plugins of one type that the text speaks of as all.
_MOSTLY = 0.9
#: Bytes of other types beside those of FP32, such as tokens beside a state.
_FEW = 0.1


@built_in_rule(
    "info",
    many="{count} types of plugins run parts of the network{extent}.",
    needs=(),
    thresholds=(
        min_share(2.0, "one type of plugin"),
        percent(
            "warning_percent",
            20.0,
            "Share of one type from which on it is a warning, in percent of layer time.",
        ),
    ),
    explains={"layers": ("TRX201", "TRX207", "TRX401", "TRX507"), "neighbors": ("TRX603",)},
)
@untimed_as_info
def plugin_share(context: Context, *, share_percent: float, warning_percent: float) -> Hits:
    """Plugins run parts of the network.

    Cost:
        TensorRT fuses nothing into a plugin, and cannot choose among kernels for it. [if between-reformats:
        Most plugins support few types and layouts, so that inputs and outputs are reformatted.]

    Recommendation:
        [if native, unless of-parser: TensorRT has the operation itself: export it as the operation of ONNX,
        without the plugin.] [if of-parser: The node is an operation of ONNX already, for which the ONNX
        parser took the plugin.] [if reads-weights: They mostly read weights: a larger batch saves the most,
        or fewer bits (INT4, FP8) where they are wider.] [if narrow-products, unless reads-weights: With many
        rows arithmetic takes the time, in the type to which they convert the weights: inputs of 8 bits, too
        (SmoothQuant; FP8 from compute capability 8.9 on), multiply faster.] [unless native, unless own,
        unless collective, unless scans, unless reads-weights, unless narrow-products, unless attention: Check
        whether TensorRT has the operation itself and remove the plugin.] [if collective: GPUs wait for each
        other in it, and exchange what each computed: fewer GPUs, a larger batch, a kernel for small messages
        (not NCCL) that also adds the residual and normalizes, or a faster link.] [if scans, if much-state: A
        scan reads and writes its state in each step: keep it in FP16 or BF16 where accuracy allows.] [if
        scans, unless much-state: A scan goes through its tokens in order: a kernel that divides them into
        chunks, as that of Mamba-2, computes them in parallel.] [if picks-points: One point is picked after
        the other, each by its distance to all before: fewer points, each cloud in parts, or points of a grid
        (voxels) in place of it.] [if instance-norm: InstanceNormalization is native from 10.0 on, and in 8.6
        with the parser flag NATIVE_INSTANCENORM.] [if attention: TensorRT fuses MatMul, softmax and MatMul
        itself, and has a layer for attention from 10.14 on: only a test shows which is faster.] [if
        suppression: Give it fewer candidates: a higher score threshold, fewer boxes before and after it
        (top-k), no suppression by class where boxes of different classes do not overlap.] [if rois: Give it
        fewer boxes or sampling points, and one for a whole feature pyramid (PyramidROIAlign_TRT) instead of
        one for each of its levels. TensorRT has a layer for ONNX RoiAlign from 8.5 on, which only a test
        compares.] [unless suppression, unless own, if between-reformats: Make the plugin support the types
        and layouts of its neighbors.] [unless suppression, unless own, unless between-reformats, unless
        scans, if fp32-plugins: Make the plugin support FP16.] [unless suppression, unless own, unless
        collective, unless scans, unless reads-weights, unless narrow-products, if beside-pointwise: Move the
        pointwise operations around it inside.] [if own, if fp32-plugins, unless suppression, unless rois: Let
        it read FP16 where it takes that, in a layout that needs no reformat.] [if own, unless suppression,
        unless native, unless rois: It is a plugin of TensorRT: give it less to do.] [if reads-indices: It
        reads integers among the inputs of the engine, on which its time may depend: measure with real ones
        (--loadInputs), as trtexec else fills them in at random.]

    False alarm:
        The plugin is there because it is faster than TensorRT's own layers for the same nodes. Measure both.
        Where a file contains only names, plugins with names of known ones are found, and where trtexec loads
        plugins, layers of one node that is not an operator of ONNX. Without a profile all plugins are
        reported.

    Est. savings:
        An estimate where plugins read and write FP32 beside multiplications in a lower precision: from 0 up
        to half of their time, as FP16 has half of the bytes, unless moving their tensors takes less than 1%
        of it. Else not estimated: only a test shows how fast the operation is without the plugin. What
        reformats next to it take (TRX207) is estimated apart.
    """
    kinds = group_by(context.plugins, partial(plugin_type, context))
    for kind, members in sorted(kinds.items()):
        layers = context.slowest(members, share_percent)
        if not layers:
            continue
        plugins = f"{counted(len(layers), 'plugin')} of one type" if len(layers) > 1 else f"Plugin {LAYER}"
        shown = {"Plugin": middle_ellipsis(kind, _MAX_NAME_WIDTH)} if kind else {}
        do = takes_time(context, layers) if context.total_ms else _run(context, layers)
        beside = _reformats_beside(context, layers)
        much = context.share_percent(context.time_ms(layers)) >= warning_percent or context.is_significant(
            beside, MUCH_BESIDE
        )
        if is_attention_plugin(kind) and not much and context.total_ms:
            continue  # They are there for their speed, and an attention may take as long.
        shown |= _kept_apart(context, layers)
        wide = [layer for layer in layers if _is_wider(context, layer)]
        if context.time_ms(wide) < _MOSTLY * context.time_ms(layers) or len(wide) < _MOSTLY * len(layers):
            wide = []
        wide = moving(context, wide)
        types = (
            f"; {'it reads and writes' if len(layers) == 1 else 'they read and write'} FP32" if wide else ""
        )
        casting = _casting_beside(context, wide, beside)
        cast = {each.index for each in casting}
        pointwise = [each for each in _pointwise_beside(context, wide) if each.precision == "FP32"]
        pointwise = [each for each in pointwise if each.index not in cast]
        others: dict[tuple[str, ...], Sequence[LayerFacts]] = {
            ("reformat",): beside,
            ("copy into a Concat", "copies into a Concat"): copied_parts(context, beside),
            ("kernel with a cast", "kernels with casts"): casting,
            ("FP32 layer",): pointwise,
        }
        around = with_others(context, layers, others) if context.total_ms else ""
        yield Hit(
            f"{plugins} {do}{around}{types}.",
            tuple(layers),
            _less_traffic(context, wide, casting) if wide and context.total_ms else None,
            shown,
            severity="warning" if much else None,
            affected=(*pointwise, *casting),
        )


def _reformats_beside(context: Context, plugins: Sequence[LayerFacts]) -> list[LayerFacts]:
    """Return the reformats that TRX207 reports of plugins."""
    own = {each.index for each in plugins}
    places = context.cached(reformat_places).around_plugins
    return [reformat for plugin, reformats in places if plugin.index in own for reformat in reformats]


def _is_wider(context: Context, plugin: LayerFacts) -> bool:
    """Return whether a plugin reads and writes FP32 where multiplications compute in a lower precision."""
    if is_suppression(f"{plugin.name} {plugin_type(context, plugin)}"):
        return False  # It sorts; fewer bytes save little of that.
    uses = [(context.tensor(use.tensor).data_type, use) for use in (*plugin.inputs, *plugin.outputs)]
    wide = sum(use.size_bytes or 0 for data_type, use in uses if data_type == "FP32")
    narrow = sum(use.size_bytes or 0 for data_type, use in uses if data_type in LOW_PRECISIONS)
    types = {data_type for data_type, _ in uses}
    return (
        "FP32" in types
        and (types.isdisjoint(LOW_PRECISIONS) or narrow <= _FEW * wide)
        and bool(context.cached(product_types) & LOW_PRECISIONS)
    )


def _casting_beside(
    context: Context, plugins: Sequence[LayerFacts], reformats: Sequence[LayerFacts]
) -> list[LayerFacts]:
    """Return the other kernels that convert between FP32 of plugins and a narrower type, and do more."""
    found: dict[int, LayerFacts] = {}
    for plugin in plugins:
        for each in (*context.predecessors(plugin), *context.successors(plugin)):
            types = {context.tensor(use.tensor).data_type for use in (*each.inputs, *each.outputs)}
            if "Cast" in each.operations and types & HALVES and not is_conv_or_matmul(context, each):
                found[each.index] = each
    return [found[index] for index in sorted(found.keys() - {each.index for each in reformats})]


def _less_traffic(context: Context, plugins: Sequence[LayerFacts], casting: Sequence[LayerFacts]) -> Gain:
    """Return up to half of the time of plugins, as FP16 has half of the bytes, and what their casts save."""
    ranges = [(each, 0.0, (each.avg_ms or 0.0) / 2) for each in plugins]
    ranges += [(each, 0.0, _saved_ms(context, each)) for each in casting]
    return of_layers("estimate", ranges, "less-traffic")


def _saved_ms(context: Context, layer: LayerFacts) -> float:
    """Return the time of half of the FP32 bytes of a layer that converts."""
    wide = sum(
        use.size_bytes or 0
        for use in (*layer.inputs, *layer.outputs)
        if context.tensor(use.tensor).data_type == "FP32"
    )
    return (layer.avg_ms or 0.0) * wide / 2 / layer.moved_bytes if layer.moved_bytes else 0.0


def _kept_apart(context: Context, plugins: Sequence[LayerFacts]) -> dict[str, str]:
    """Return how many pointwise layers beside plugins stay kernels of their own, as evidence."""
    beside = _pointwise_beside(context, plugins)
    if not beside:
        return {}
    return {"Pointwise layers next to it": f"{len(beside)}{timed(context, beside)}"}


def _pointwise_beside(context: Context, plugins: Sequence[LayerFacts]) -> list[LayerFacts]:
    """Return the pointwise layers beside plugins, which stay kernels of their own."""
    beside = {
        each.index: each
        for plugin in plugins
        for each in (
            *context.predecessors(plugin, context.is_reformat),
            *context.successors(plugin, context.is_reformat),
        )
        if is_pointwise(each)
    }
    return list(beside.values())


def _run(context: Context, layers: Sequence[LayerFacts]) -> str:
    if {layer.index for layer in layers} == {layer.index for layer in context.layers if not layer.structural}:
        return "runs the whole network" if len(layers) == 1 else "run the whole network"
    return "runs a part of the network" if len(layers) == 1 else "run parts of the network"
