"""TRX519 fusion.unfolded-batch-norm."""

from __future__ import annotations

from trexreport.analyzer.analysis import slowest_first
from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.layer_names import is_named_reformat
from trexreport.analyzer.rules.limits import min_gain
from trexreport.analyzer.rules.named_layers import unfolded_batch_norms
from trexreport.analyzer.rules.phrases import timed
from trexreport.analyzer.rules.savings import worthwhile
from trexreport.numbers import counted


@built_in_rule(
    "warning",
    needs=("profile",),
    thresholds=(min_gain(1.0),),
    explains={"share": ("TRX205",)},
    replaces=True,
)
@worthwhile
def unfolded_batch_norm(context: Context) -> Hits:
    """A batch normalization is not folded into the convolution before it.

    Cost:
        A batch normalization of constant statistics is a scale and a bias, which the weights of the
        convolution before it take up at no cost. By itself it reads and writes the whole tensor, mostly in
        floating point, so that reformats are around it in a quantized network.

    Recommendation:
        Fold constants in the model (polygraphy surgeon sanitize --fold-constants): weights or statistics that
        several nodes share come through Identity nodes, which hide from TensorRT that they are constant. In a
        quantized model fold the batch normalization into its convolution before Q/DQ nodes are inserted, else
        the scales are those of other weights.

    False alarm:
        Statistics that the network computes can't be folded, as those of a model in training mode. A batch
        normalization before its convolution can't be folded either, and is not reported. Layers are found by
        name, where a file contains nothing else and names state modules; what else TRX502 reports.

    Est. savings:
        An estimate: up to the time of these layers and of the reformats around them; what the convolution
        saves by writing a narrower type is not included.
    """
    norms = context.cached(unfolded_batch_norms)
    found = slowest_first({each.index: each for norm in norms for each in norm}.values())
    if not found:
        return
    reformats = sum(map(is_named_reformat, found))
    one = "batch normalization is not folded into the convolution before it"
    many = "batch normalizations are not folded into the convolutions before them"
    beside = f", with {counted(reformats, 'reformat')} around" if reformats else ""
    yield Hit(
        f"By name, {counted(len(norms), one, many)}{beside}{timed(context, found)}.",
        tuple(found),
        of_layers("estimate", ((each, 0.0, each.avg_ms or 0.0) for each in found), "removed-layers"),
        {"Identified": "by name"},
    )
