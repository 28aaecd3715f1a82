"""TRX524 fusion.output-activation."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.context import search
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.launches import is_mostly_launch
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.patterns import is_conv_or_matmul, is_conversion, is_softmax, operations
from trexreport.analyzer.rules.phrases import takes_time
from trexreport.numbers import counted, join_names

#: Operations that a kernel does beside an activation.
_BESIDE = frozenset({"Cast", "Move", "Reshape"})


@built_in_rule(
    "info",
    needs=("layers", "profile"),
    explains={"layers": ("TRX502", "TRX509")},
    thresholds=(min_share(2.0, "these layers together"),),
)
def output_activation(context: Context, *, share_percent: float) -> Hits:
    """A sigmoid or softmax of every element is an output of the engine.

    Cost:
        It reads and writes a tensor of the size of the output, and computes exponentials of values that the
        application mostly leaves out.

    Recommendation:
        Sigmoid and softmax keep the order of their inputs. Where the application takes the largest value,
        choose it in the engine (ArgMax) and leave the activation out: the output becomes small, too. [if
        sigmoids: Where it compares a sigmoid with a threshold t, let it compare the input with log(t / (1 −
        t)), and compute the sigmoid of what is left.]

    False alarm:
        The application needs all values as probabilities, such as to blend masks. Activations as short as a
        launch are left out.

    Est. savings:
        An estimate: from 0 up to the time of the activations; reformats to the output may stay.
    """
    found: dict[int, LayerFacts] = {}
    outputs: set[str] = set()
    after: dict[int, LayerFacts] = {}
    # Of layers without them, names and parameters may state the operations.
    may_be = context.of_kinds(lambda each: not each.operations or _is_activation(context, each))
    for layer in may_be:
        if not _is_activation(context, layer) or is_mostly_launch(context, layer):
            continue
        ends, passed = search([layer], context.successors, lambda each: is_conversion(context, each))
        written = [use.tensor for each in (layer, *passed) for use in each.outputs]
        names = {context.tensor(tensor).name for tensor in written if context.is_output(tensor)}
        if names and not ends:
            found[layer.index] = layer
            after.update((each.index, each) for each in passed)
            outputs |= names
    layers = [*context.slowest(found.values(), 0), *after.values()]
    if not layers or not context.is_significant(layers, share_percent):
        return
    moves = f" and {counted(len(after), 'conversion')} behind them" if after else ""
    yield Hit(
        f"{counted(len(found), 'activation')} of whole outputs{moves} {takes_time(context, layers)}.",
        tuple(layers),
        of_layers("estimate", [(each, 0.0, each.avg_ms or 0.0) for each in found.values()], "removed-layers"),
        {"Outputs": join_names(sorted(outputs))},
    )


def _is_activation(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer computes a sigmoid or softmax and nothing else."""
    if is_conv_or_matmul(context, layer):
        return False
    return is_softmax(layer) or set(operations(layer)) - _BESIDE == {"Sigmoid"}
