"""TRX522 fusion.preprocessing."""

from __future__ import annotations

from trexreport.analyzer.analysis import slowest_first
from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.context import search
from trexreport.analyzer.rules.convolution.channels import first_convolutions, may_multiply
from trexreport.analyzer.rules.copied import copied
from trexreport.analyzer.rules.io_conditions import is_image
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.patterns import is_conversion
from trexreport.analyzer.rules.phrases import takes_time
from trexreport.analyzer.rules.savings import fused
from trexreport.numbers import counted, join_names, layer_label

#: Copies that only write another order, as from channels last: a format of the input does without them.
_ORDERS = frozenset({"Move", "Shuffle", "Transpose"})


@built_in_rule(
    "warning",
    needs=("layers", "profile"),
    explains={"share": ("TRX205", "TRX601")},
    thresholds=(min_share(3.0, "all these layers together"),),
    replaces=True,
)
def preprocessing(context: Context, *, share_percent: float) -> Hits:
    """Layers prepare an image before the first convolution.

    Cost:
        Normalizing, resizing, reordering colors and converting types are passes over the whole image, the
        largest tensor of many networks, mostly in FP32. TensorRT does not fuse them into the convolution.

    Recommendation:
        [if computes: Fold mean, standard deviation and the order of colors into the weights of the first
        convolution (a mean changes the results at padded borders).] [if slices: Slices of every other pixel
        (the Focus layer of YOLOv5) and the convolution behind them are one convolution of twice the kernel
        and stride.] Do what is left before the engine, in one kernel that crops, resizes and writes the type
        and layout that the first convolution reads, such as with CV-CUDA or DALI. [8.5..: A UINT8 input keeps
        the copy from the host small: convert it only once, as the first step.]

    False alarm:
        The application would need as long for the same steps: what the engine does in one pass may stay.
        Layers that only convert or transpose an input belong to TRX206 and TRX507.

    Est. savings:
        An estimate: the time of the layers minus that of one kernel, which reads the image and writes what
        the first convolution reads at the rate of the fastest or slowest of them.
    """
    inputs = [each.name for each in context.analysis.bindings if each.mode == "input" and is_image(each)]
    first = [context.layers[index] for index in sorted(context.cached(first_convolutions))]
    found = search(first, context.predecessors, lambda each: not may_multiply(context, each))[1]
    steps = [each for each in found if each.avg_ms and each.type != "Constant"]
    computing = [each for each in steps if not (is_conversion(context, each) or copied(each) <= _ORDERS)]
    if not inputs or len(steps) < 2 or not computing or not context.is_significant(steps, share_percent):
        return
    types = list(dict.fromkeys(each.type for each in steps[::-1] if each.type))
    of = f"the input {layer_label(inputs[0])}" if len(inputs) == 1 else counted(len(inputs), "image")
    yield Hit(
        f"{counted(len(steps), 'layer')} prepare {of} before the first convolution: they "
        f"{takes_time(context, steps)}.",
        tuple(slowest_first(steps)),
        fused(context, steps, is_written=True),
        {"Layer types": join_names(types)},
    )
