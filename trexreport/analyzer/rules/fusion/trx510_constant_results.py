"""TRX510 fusion.constant-results."""

from __future__ import annotations

import re

from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.patterns import is_conv_or_matmul
from trexreport.analyzer.rules.phrases import timed
from trexreport.analyzer.rules.savings import untimed_as_info
from trexreport.numbers import counted, format_count, list_names
from trexreport.regex import regex

#: Layers whose results differ although their inputs do not, by type or name.
_VARIES = regex(r"random|multinomial|bernoulli|dropout|recurrence|iterator|triplimit", re.IGNORECASE)
#: What TensorRT itself puts beside a layer, which no model lacks after folding.
_REFORMATS = regex(r"^Reformatting CopyNode| reformatter \d+$", re.ASCII)

#: Without a profile fewer of all layers cost too little.
_MIN_UNTIMED = 0.05


@built_in_rule(
    "warning",
    thresholds=(min_share(0.5, "all these layers together"),),
    explains={
        "share": ("TRX205", "TRX304", "TRX508"),
    },
    replaces=True,
)
@untimed_as_info
def constant_results(context: Context, *, share_percent: float) -> Hits:
    """Layers compute from constants only.

    Cost:
        Their results are the same in every query, and every query computes them again.

    Recommendation:
        Fold constants before the build: onnxsim, or polygraphy surgeon sanitize --fold-constants, without a
        limit on the size of folded tensors. An output of the engine that does not depend on its inputs needs
        no engine: compute it once.

    False alarm:
        A folded tensor may be much larger than the constants that it is computed from (Expand, Tile): then
        the engine needs more memory, and reading it may take longer than computing it. Layers with random
        results are not counted, nor are plugins and reformats that TensorRT adds. Without a profile it is
        information from 5% of the layers on.

    Est. savings:
        An estimate: the time of these layers, except that what writes an output of the engine may remain as
        a copy.
    """
    found = context.slowest(context.cached(_constant_layers), share_percent)
    count = sum(not each.structural for each in context.layers)
    if not found or (not context.total_ms and len(found) < _MIN_UNTIMED * count):
        return
    compute = "computes" if len(found) == 1 else "compute"
    writing = [each for each in found if _outputs(context, each)]
    names = [context.tensor(output).name for each in writing for output in _outputs(context, each)]
    times = ((each, 0.0 if each in writing else each.avg_ms or 0.0, each.avg_ms or 0.0) for each in found)
    yield Hit(
        f"{format_count(len(found))} of {counted(count, 'layer')} {compute} from constants only"
        f"{timed(context, found)}.",
        tuple(found),
        of_layers("estimate", times, "removed-layers"),
        {"Constant outputs": list_names(names, 5)} if names else {},
    )


def _constant_layers(context: Context) -> list[LayerFacts]:
    """Return the layers whose inputs are constants, or results of such layers."""
    constant = {layer.index for layer in context.of_kinds(lambda each: each.type == "Constant")}
    found = []
    for layer in context.layers:
        # First what is true of the fewest layers.
        for use in layer.inputs:
            writers = context.producers(use.tensor) if constant else ()
            if not writers or not all(each.index in constant for each in writers):
                break
        else:
            if layer.index not in constant and _may_be_constant(context, layer):
                constant.add(layer.index)
                found.append(layer)
    return found


def _may_be_constant(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer all of whose inputs are constant writes a constant."""
    names = f"{layer.type} {layer.name}"
    if layer.structural or context.is_plugin(layer) or _VARIES.search(names) or _REFORMATS.search(layer.name):
        return False
    if any(-1 in context.tensor(use.tensor).dimensions for use in layer.outputs):
        return False  # The sizes of a query are in it.
    if not layer.inputs:
        # Operations inside of a region have the constants that no layer writes; kernels list them.
        return (context.is_opaque(layer) and bool(layer.outputs)) or _reads_constants(context, layer)
    return not any(context.is_input(use.tensor) for use in layer.inputs)


def _reads_constants(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer reads only constants, not one whose inputs a damaged file lacks."""
    if is_conv_or_matmul(context, layer) or not context.cached(_lists_inputs):
        return False
    return bool(layer.output_bytes and layer.moved_bytes and layer.moved_bytes > layer.output_bytes)


def _lists_inputs(context: Context) -> bool:
    """Return whether layers read the inputs of the engine, as far as these are known."""
    reads = any(context.is_input(use.tensor) for layer in context.layers for use in layer.inputs)
    return reads or not context.knows_io_tensors


def _outputs(context: Context, layer: LayerFacts) -> list[int]:
    return [use.tensor for use in layer.outputs if context.is_output(use.tensor)]
