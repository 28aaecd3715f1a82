"""Matrix multiplications that compute the scores of a vocabulary for many tokens."""

from __future__ import annotations

from typing import NamedTuple

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context, search
from trexreport.analyzer.rules.patterns import is_conversion, only_copies

#: Entries of a vocabulary, and tokens, from which on the scores of all are too many.
MIN_CLASSES, MIN_TOKENS = 16384, 32
#: Batch, tokens, classes.
_RANK = 3


class Scores(NamedTuple):
    """A multiplication whose result leaves the engine.

    Attributes:
        after: The conversions between it and the output.
    """

    product: LayerFacts
    classes: int
    tokens: int
    after: list[LayerFacts]

    @property
    def may_be_too_many(self) -> bool:
        """Whether there are scores of a vocabulary for many tokens."""
        return self.classes >= MIN_CLASSES and self.tokens >= MIN_TOKENS


def all_scores(context: Context) -> list[Scores]:
    """Return the multiplications with a result of batch, tokens and classes that only leaves the engine.

    Call it through `Context.cached`.
    """
    found = []
    for layer in context.products:
        shape = layer.outputs[0].dimensions if len(layer.outputs) == 1 else ()
        if context.is_convolution(layer) or layer.work is None:
            continue
        if len(shape) != _RANK or shape[-1] != layer.work.n:
            continue
        if (after := _only_converted(context, layer)) is not None:
            found.append(Scores(layer, layer.work.n, shape[1], after))
    return found


def _only_converted(context: Context, layer: LayerFacts) -> list[LayerFacts] | None:
    """Return the conversions between a layer and an output; None if something else reads its result."""
    ends, passed = search(
        [layer], context.successors, lambda each: is_conversion(context, each) or only_copies(each)
    )
    last = [layer, *passed]
    if ends or not any(context.is_output(use.tensor) for each in last for use in each.outputs):
        return None
    return passed
