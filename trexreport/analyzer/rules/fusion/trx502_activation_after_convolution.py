"""TRX502 fusion.activation-after-convolution."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Collection, Sequence

from trexreport.analyzer.analysis import TensorUse, slowest_first
from trexreport.analyzer.rules import Context, Gain, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.after_products import (
    ACTIVATED,
    adds_elsewhere,
    are_whole,
    follow_matmuls,
    gates_another,
)
from trexreport.analyzer.rules.context import search
from trexreport.analyzer.rules.convolution.channels import elements, is_depthwise
from trexreport.analyzer.rules.fusion.pointwise_parts import (
    operations_evidence,
    result_dimensions,
    shape_evidence,
    written_elements,
)
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.launches import is_as_short, is_mostly_launch
from trexreport.analyzer.rules.layer_kinds import are_deconvolutions
from trexreport.analyzer.rules.limits import min_gain
from trexreport.analyzer.rules.named_activations import named_activations
from trexreport.analyzer.rules.patterns import (
    activations,
    is_conv_or_matmul,
    is_pointwise,
    only_quantizes,
    operations,
    path_to_only_consumer,
    quantizes_and_back,
)
from trexreport.analyzer.rules.phrases import EXTENT, LAYER, timed
from trexreport.analyzer.rules.read_elsewhere import (
    activations_beside_readers,
    before_dense_layers,
    repeated,
)
from trexreport.analyzer.rules.savings import worthwhile
from trexreport.numbers import counted
from trexreport.regex import regex

#: Names show no shapes and types: below this share of layer time, in percent, they show too little.
_NAMED_PERCENT = 2.0
#: Activations whose input others read, too: fewer, or below this share of layer time, are not reported.
#: So are whole ones directly after matrix multiplications.
_MIN_BESIDE, _BESIDE_PERCENT = 4, 5.0
#: Below this one the Sigmoids of predictions are not worth a word.
_PREDICTION_PERCENT = 2.5
#: A Sigmoid alone, by the name of its kernel.
_SIGMOID = regex(r"(?:PWN\()?(?:[^\s(),+]*/)?Sigmoid(?:_\d+)?\)?", re.ASCII)
#: Operations that do not matter for whether a kernel can do the others.
_ALONGSIDE = frozenset({"Cast", "Reshape", "Unsqueeze", "Move"})
#: What a product and its sum read where it adds one tensor.
_TWO = 2


@built_in_rule(
    "warning",
    needs=(),
    many="{count} pointwise layers after convolutions or matrix multiplications are not fused{extent}.",
    thresholds=(min_gain(1.0),),
    explains={"layers": ("TRX102", "TRX201", "TRX202", "TRX204"), "share": ("TRX304", "TRX601")},
)
@worthwhile
def activation_after_convolution(context: Context) -> Hits:
    """A pointwise layer after a convolution or matrix multiplication is not fused.

    Cost:
        The result is written to memory only for the next kernel to read it again and apply an activation, a
        scale, a clip or a residual Add, which most kernels do at no cost when they write their result.

    Recommendation:
        [if grows: A normalization or activation of a concatenation is for the convolution that follows, and
        none applies it when it reads: this comes with the model (DenseNet). Blocks of fewer and wider layers
        have fewer of them, and one Concat at the end of a block (VoVNet) has none.] [if read-elsewhere,
        unless grows: What it reads is read elsewhere, too, such as by a residual branch that begins before
        the activation, and no kernel is known that writes both values: one plugin for both, or a model whose
        branches begin after the activation, would save the pass.] [if repeated: Several of them compute
        the same of one tensor: call the activation once in the model and give its result to all blocks.]
        [unless read-elsewhere, unless after-matmul, unless sines, if clips: TensorRT fuses ReLU and Clip
        directly after a convolution: for a ReLU6 in FP16 try ReLU, or a newer TensorRT.] [unless
        read-elsewhere, unless after-matmul, unless divides, unless sines, if scales: Fold a scale, a bias or
        a batch normalization into the weights when exporting.] [unless read-elsewhere, unless after-matmul,
        unless sines, if adds: A residual Add is fused directly after the convolution and before its ReLU, if
        it has the type and the shape of its output.] [unless read-elsewhere, unless after-matmul, if adds, if
        quantized: Put Q/DQ nodes on the residual branch, not between the convolution and the Add.] [unless
        read-elsewhere, unless after-matmul, if whole-activation, unless fused-elsewhere: Few kernels of
        convolutions have an activation such as SiLU, GELU, HardSwish or LeakyReLU: a newer TensorRT may have
        one, and all fuse ReLU and Clip (ReLU6), with which the model could be trained.] [unless
        read-elsewhere, unless after-matmul, if whole-activation, if fused-elsewhere: Other convolutions of
        this engine have the activation in their kernel: look for what is different here. Convolutions that
        read the same tensor and run as one (|| in the name) leave their activations apart, and a first
        convolution of few channels has few kernels. A newer TensorRT may choose others.] [if sines: No kernel
        of a convolution or multiplication computes a sine (Snake, SIREN): one plugin for the activation and
        the layers beside it saves the pass, or another activation in the model.] [unless read-elsewhere, if
        after-matmul, if batch-norms: Fold a batch normalization into the weights and the bias of the
        multiplication before it when exporting, which keeps the results.] [unless read-elsewhere, if
        after-matmul, unless whole-activation, unless sines, unless batch-norms, unless soft-caps: Keep the
        nodes of an activation (SiLU, GELU, GLU) together and of one type, without Reshape, Transpose or Q/DQ
        between them and the multiplication.] [unless read-elsewhere, if after-matmul, if soft-caps: A soft
        cap (Tanh between two factors) keeps the order of scores: leave it out where only the largest counts,
        and compute scores of those tokens alone that need them.]
        [unless read-elsewhere, if after-matmul, if whole-activation: The activation is one kernel already,
        with nothing between it and the multiplication: TensorRT chose no kernel that does both. A newer
        version may have one.] [8.6.., unless read-elsewhere, if after-matmul, if whole-activation, unless
        level-5: --builderOptimizationLevel=5 lets the builder try more kernels.] [if for-ampere: Build
        without --hardwareCompatibilityLevel, which leaves out the kernels that fuse the most.] [..9, unless
        read-elsewhere, if after-matmul: TensorRT 10 fuses more after multiplications, or joins what follows
        them in one kernel.] [unless read-elsewhere, if casts-between: Remove the casts between them.] [if
        prelu: A PReLU stays a kernel of its own: train with ReLU or LeakyReLU in its place.] [if divides: Abs
        and Div stay kernels of their own, as does a generalized divisive normalization (GDN) of them: train
        with another activation in its place, or compute it in one plugin.]

    False alarm:
        The kernel without the fused operation is the faster one: TensorRT timed both where it could. What has
        no kernel to fuse into is not reported: an operand that is broadcast and computed at run time (the
        gate of a squeeze-and-excitation), a residual Add after a matrix multiplication or a deconvolution
        unless the engine fuses one elsewhere, what follows a fused Add or activation, a gate (SwiGLU, GLU,
        GRU), and what writes an output of the engine within about three launches. Sigmoids alone are left out
        below 2.5% of layer time together. Whole activations after matrix multiplications, and at least four
        whose input other layers read, are information from 5% on. Where a file contains only names, layers
        named after an activation or a batch normalization count that follow a product or are alone with it in
        a module, if all take 2%.

    Est. savings:
        An estimate: up to the time of the pointwise layer except that of reading other operands, which the
        fused kernel also reads, plus that of the reformats between; nothing if no kernel has the operation.
        Of those that compute the same of one tensor all but one are saved.
    """
    named = named_activations(context.layers, context.analysis.layers) if context.untyped else []
    named = _without_few_predictions(
        context, named, {each.index for each in named if _SIGMOID.fullmatch(each.name)}
    )
    if named and context.is_significant(named := slowest_first(named), _NAMED_PERCENT):
        one = "pointwise layer after a convolution or matrix multiplication is not fused"
        many = "pointwise layers after convolutions or matrix multiplications are not fused"
        ranges = ((layer, 0.0, layer.avg_ms or 0.0) for layer in named)
        yield Hit(
            f"By name, {counted(len(named), one, many)}{timed(context, named)}.",
            tuple(named),
            of_layers("estimate", ranges, "fused-kernel"),
            {"Identified": "by name"},
        )
    yield from _typed(context)


def _typed(context: Context) -> Hits:
    """Yield what the graph shows."""
    found = list(_after_products(context))
    # TensorRT timed both, and nothing is left to change in the model: information, and only where it is much.
    whole = {
        hit.layers[0].index: hit.layers[0]
        for hit in found
        if len(hit.layers) == 1 and follow_matmuls(context, hit.layers) and are_whole(context, hit.layers)
    }
    are_much = not context.total_ms or context.is_significant(whole.values(), _BESIDE_PERCENT)
    found = [
        dataclasses.replace(hit, severity="info") if hit.layers[0].index in whole else hit
        for hit in found
        if hit.layers[0].index not in whole or (are_much and not is_mostly_launch(context, hit.layers[0]))
    ]
    readers = [hit.layers[0] for hit in found]
    predictions = {each.index for each in readers if _is_prediction(context, each)}
    kept = {each.index for each in _without_few_predictions(context, readers, predictions)}
    yield from (hit for hit in found if hit.layers[0].index in kept)
    yield from _beside_readers(context)


def _without_few_predictions(
    context: Context, layers: Sequence[LayerFacts], predictions: Collection[int]
) -> list[LayerFacts]:
    """Return layers without the Sigmoids of predictions, unless these take a share worth a word."""
    of_heads = [each for each in layers if each.index in predictions]
    if not context.total_ms or context.is_significant(of_heads, _PREDICTION_PERCENT):
        return list(layers)
    return [each for each in layers if each.index not in predictions]


def _is_prediction(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer is a Sigmoid alone whose result no product reads, as at the end of a head."""
    if {*operations(layer)} - _ALONGSIDE not in ({"Sigmoid"}, {"Sigm"}):
        return False
    products, _ = search([layer], context.successors, lambda each: not is_conv_or_matmul(context, each))
    return not products


def _after_products(context: Context) -> Hits:
    """Yield pointwise layers that alone read the result of a product."""
    reported = set()
    for product in context.products:
        between, reader = path_to_only_consumer(context, product)
        if reader is None or reader.index in reported or not is_pointwise(reader):
            continue
        if only_quantizes(reader) or quantizes_and_back(reader):
            continue  # TRX301 reports it.
        reported.add(reader.index)
        tensor = (between[-1] if between else product).outputs[0].tensor
        if is_depthwise(product):
            between = []  # They are there for its kernel: TRX105 reports them.
        layers = (reader, *between)
        others = _other_operands(context, reader, tensor)
        if _has_no_kernel(context, product, reader, others):
            continue
        kind = "convolution" if context.is_convolution(product) else "matrix multiplication"
        with_reformats = f", with {counted(len(between), 'reformat')} between{timed(context, layers)}"
        extent = with_reformats if between else EXTENT
        producer = {"After": f"{product.type} {product.precision}".strip()}
        yield Hit(
            f"{LAYER} is not fused into the {kind} before it{extent}.",
            layers,
            _gain(reader, between, others),
            operations_evidence([reader]) | producer | shape_evidence(reader),
            # Without a fused kernel it writes what the pointwise layer reads.
            affected=(product,),
        )


def _beside_readers(context: Context) -> Hits:
    """Yield the activations whose input others read, too, as information, where there are several."""
    found, grown = context.cached(activations_beside_readers), context.cached(before_dense_layers)
    if len(grown) >= _MIN_BESIDE and context.is_significant(grown, _BESIDE_PERCENT):
        yield Hit(
            f"{len(grown)} pointwise layers are not fused, as each reads a concatenation that grows from "
            f"layer to layer{timed(context, grown)}.",
            tuple(slowest_first(grown)),
            of_layers("estimate", ((each, 0.0, each.avg_ms or 0.0) for each in grown), "fused-kernel"),
            severity="info",
        )
    if len(found) < _MIN_BESIDE or not context.is_significant(found, _BESIDE_PERCENT):
        return
    for layer in slowest_first(found):
        time_ms = layer.avg_ms or 0.0
        is_again = layer.index in context.cached(repeated)
        yield Hit(
            f"{LAYER} is not fused into the layer before it, whose result others read, too{EXTENT}.",
            (layer,),
            of_layers("estimate", [(layer, time_ms if is_again else 0.0, time_ms)], "fused-kernel"),
            operations_evidence([layer]) | shape_evidence(layer),
            severity="info",
        )


def _other_operands(context: Context, layer: LayerFacts, tensor: int) -> list[TensorUse]:
    """Return dimensions and bytes of the other inputs of a layer that are computed at run time."""
    value = context.base_of(tensor)
    live = set(activations(context, layer))
    return [use for use in layer.inputs if use.tensor in live and context.base_of(use.tensor) != value]


def _has_no_kernel(
    context: Context, product: LayerFacts, reader: LayerFacts, others: Sequence[TensorUse]
) -> bool:
    """Return whether no kernel is known to do what follows a product when it writes its result."""
    written = written_elements(reader)
    if any(context.is_output(use.tensor) for use in reader.outputs) and is_as_short(context, reader):
        return True
    found = {*operations(reader)}
    if product.type == "Deconvolution" and is_depthwise(product):
        return True
    if reader.type == "Scale" and len(activations(context, product)) > 1:
        return True  # A residual Add is fused; what scales the sum can't be folded into the weights.
    if any(elements(use) < written for use in others):
        return True
    # A result that is broadcast is a gate, as that of a squeeze-and-excitation, which needs a whole tensor.
    # What reads a part multiplies the halves, as a GLU, or follows one of several products in one kernel.
    if result_dimensions(reader) and written_elements(product) != written:
        return True
    if "Add" in found and len(others) + len(activations(context, product)) > _TWO:
        return True  # Kernels add one tensor, as products with a residual Add have already.
    if others and are_deconvolutions(context, [product]):
        return not adds_elsewhere(context, product)
    is_sum = bool(others) and found - _ALONGSIDE == {"Add"}
    # TensorRT runs some matrix multiplications as convolutions of four dimensions and reshapes the result.
    ranks = len(result_dimensions(product)), len(result_dimensions(reader))
    multiplies_matrices = not context.is_convolution(product) or ranks[0] != ranks[1]
    multiplies = "Mul" in found and (multiplies_matrices or len(others) > ("Add" in found))
    if others and (multiplies or gates_another(context, reader)):
        return True
    if is_sum and ACTIVATED.search(product.name):
        return True  # Kernels add before they activate.
    return is_sum and multiplies_matrices and not adds_elsewhere(context, product)


def _gain(layer: LayerFacts, between: Sequence[LayerFacts], others: list[TensorUse]) -> Gain:
    """Return up to the time except that of reading other operands; there may be no fused kernel."""
    kept = sum(use.size_bytes or 0 for use in others) / (layer.moved_bytes or math.inf)
    time_ms = layer.avg_ms or 0.0
    ranges = [(layer, 0.0, time_ms * max(1 - kept, 0.0))]
    ranges += [(each, 0.0, each.avg_ms or 0.0) for each in between]
    return of_layers("estimate", ranges, "fused-kernel")
