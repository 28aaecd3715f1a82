"""What the outputs of a network are: values of pixels or samples, or classes of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from trexreport.analyzer.analysis import LayerFacts, TensorFacts
from trexreport.analyzer.rules.context import FLOATS, Context
from trexreport.analyzer.rules.io_conditions import states
from trexreport.analyzer.rules.patterns import is_softmax, operations
from trexreport.regex import regex

#: An image or a signal has at most this many channels, and at least this many pixels or samples.
_MAX_CHANNELS, _MIN_PIXELS = 4, 4096
#: What makes probabilities or classes, as the last operation of a layer, and names of outputs of them.
_CLASSIFYING = frozenset({"Sigmoid", "HardSigmoid", "Softmax", "LogSoftmax", "ArgMax", "TopK"})
_CLASSES = regex(r"(?i:mask|segm|class|logit|label|prob|score)")
#: Batch, channels and a dimension.
_MIN_RANK = 3


def writes_values(context: Context, _: Sequence[LayerFacts]) -> bool:
    """Return whether an output has as many pixels or samples as the inputs, or more, and few channels.

    Probabilities and classes of pixels are left out, states for the next step, and what heads compute of
    feature maps of their size.
    """
    known = context.cached(states)
    inputs = [_pixels(each, max_channels=math.inf) for each in context.tensors if each.role == "input"]
    outputs = [
        _pixels(each)
        for index, each in enumerate(context.tensors)
        if each.role == "output" and each.name not in known and not _classifies(context, index)
    ]
    return bool(inputs and outputs) and max(outputs) >= max(_MIN_PIXELS, *inputs)


def _classifies(context: Context, output: int) -> bool:
    """Return whether an output is of classes, by its name or by what computes it last."""
    written = context.producers(output)
    last = [
        before
        for layer in written
        for before in (
            context.predecessors(layer, context.is_reformat) if context.is_reformat(layer) else [layer]
        )
    ]
    return _CLASSES.search(context.tensor(output).name) is not None or any(
        is_softmax(each) or each.type == "TopK" or not _CLASSIFYING.isdisjoint(operations(each)[-1:])
        for each in last
    )


def _pixels(tensor: TensorFacts, max_channels: float = _MAX_CHANNELS) -> int:
    """Return the pixels or samples of a floating-point tensor with few channels; 0 of others."""
    if tensor.data_type not in FLOATS or len(tensor.dimensions) < _MIN_RANK or min(tensor.dimensions) < 1:
        return 0
    extents = tensor.dimensions[1:]
    return math.prod(extents) // min(extents) if min(extents) <= max_channels else 0
