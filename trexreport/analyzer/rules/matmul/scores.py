"""Matrix multiplications that compute the scores of a vocabulary for many tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from trexreport.analyzer.analysis.tokens import MIN_CLASSES
from trexreport.analyzer.rules import Context, LayerFacts
from trexreport.analyzer.rules.context import search
from trexreport.analyzer.rules.patterns import (
    activations,
    is_conversion,
    is_pointwise,
    only_copies,
    operations,
)

#: Tokens from which on the scores of all are too many.
MIN_TOKENS = 32
#: Batch, tokens, classes.
_RANK = 3
_INDICES = frozenset({"INT32", "INT64"})
#: What is done to each score by itself before it leaves the engine: a soft cap (a Tanh), a factor, a bias.
_OF_SCORES = frozenset({"Add", "Cast", "Div", "Move", "Mul", "Reshape", "Sub", "Tanh"})


class Scores(NamedTuple):
    """A multiplication whose result leaves the engine.

    Attributes:
        tokens: Of one sequence.
        sequences: How many the batch has.
        after: The conversions between it and the output, and what scales or caps the scores.
    """

    product: LayerFacts
    classes: int
    tokens: int
    sequences: int
    after: list[LayerFacts]

    @property
    def may_be_too_many(self) -> bool:
        """Whether there are scores of a vocabulary for many tokens."""
        return self.classes >= MIN_CLASSES and self.tokens >= MIN_TOKENS


def all_scores(context: Context) -> list[Scores]:
    """Return the multiplications with a result of tokens and classes that only leaves the engine.

    Call it through `Context.cached`.
    """
    found = []
    for layer in context.products:
        shape = layer.outputs[0].dimensions if len(layer.outputs) == 1 else ()
        if context.is_convolution(layer) or layer.work is None:
            continue
        sequences, tokens = _tokens(context, shape)
        if not tokens or shape[-1] != layer.work.n:
            continue
        if (after := _only_converted(context, layer)) is not None:
            found.append(Scores(layer, layer.work.n, tokens, sequences, after))
    return found


def _tokens(context: Context, shape: Sequence[int]) -> tuple[int, int]:
    """Return the sequences in a result and the tokens of one; 0 if not known.

    Myelin joins batch and tokens to rows. Inputs of as many indices show which of both they are.
    """
    if len(shape) == _RANK:
        return shape[0], shape[1]
    if len(shape) != _RANK - 1:
        return 0, 0
    return context.cached(_tokens_of_rows).get(shape[0], (0, 0))


def _tokens_of_rows(context: Context) -> Mapping[int, tuple[int, int]]:
    """Return by rows the sequences and the tokens of one, as the first input of as many indices has them."""
    found: dict[int, tuple[int, int]] = {}
    for tensor in context.tensors:
        if tensor.role == "input" and tensor.data_type in _INDICES and len(tensor.dimensions) == _RANK - 1:
            sequences, tokens = tensor.dimensions
            found.setdefault(sequences * tokens, (sequences, tokens))
    return found


def _only_converted(context: Context, layer: LayerFacts) -> list[LayerFacts] | None:
    """Return what converts or caps scores between a layer and an output; None if others read its result."""
    ends, passed = search(
        [layer],
        context.successors,
        lambda each: is_conversion(context, each) or only_copies(each) or _caps(context, each),
    )
    last = [layer, *passed]
    if ends or not any(context.is_output(use.tensor) for each in last for use in each.outputs):
        return None
    return passed


def _caps(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer scales or caps what it reads, with nothing else that varies."""
    done = operations(layer) if is_pointwise(layer) else ()
    return bool(done) and _OF_SCORES.issuperset(done) and len(activations(context, layer)) == 1
