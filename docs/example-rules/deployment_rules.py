"""Rules of one's own for trexreport: what one runtime asks of every engine that it deploys."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.rules import Hit, Threshold, rule
from trexreport.analyzer.rules.context import Context


@rule(
    "ACME101",
    "deployment.softmax-at-output",
    "warning",
    many="{count} softmax layers write outputs of which only the largest element is used.",
    section="latency",
)
def softmax_at_output(context: Context) -> Iterator[Hit]:
    """A softmax is the last layer, but only the largest element is used.

    Cost:
        Softmax does not change which element is the largest: for a classifier the layer is wasted.

    Advice:
        End the model with the logits, before exporting it.

    False alarm:
        The caller reads the probabilities themselves.

    Bound:
        All the time of the layer.
    """
    for layer in context.layers:
        if layer.type == "SoftMax" and any(context.is_output(use.tensor) for use in layer.outputs):
            yield Hit("It writes an output of the engine.", (layer,), gain_ms=layer.avg_ms)


@rule(
    "ACME102",
    "deployment.latency-budget",
    "error",
    many="{count} budgets are exceeded.",
    needs=("end-to-end",),
    section="latency",
    thresholds=(Threshold("budget_ms", 20.0, 0.001, 10_000, "The most that an inference may take, in ms."),),
)
def latency_budget(context: Context, *, budget_ms: float) -> Iterator[Hit]:
    """The engine takes longer than the deployment allows.

    Cost:
        The camera delivers the next picture before this one is done.

    Advice:
        Begin with the findings that could gain most.

    False alarm:
        The engine was measured on another GPU than the one it will run on.

    Bound:
        None: how to become faster is the other rules' business.
    """
    whole = context.analysis.latency.end_to_end
    if whole is not None and whole.median_ms > budget_ms:
        yield Hit(f"It takes {whole.median_ms:.3g} ms, {budget_ms:.3g} ms are allowed.")
