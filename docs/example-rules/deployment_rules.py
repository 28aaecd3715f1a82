"""Custom rules for trexreport: what one runtime requires of every engine that it deploys."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, Threshold, removed, rule


@rule(
    "ACME101",
    "deployment.softmax-at-output",
    "warning",
    many="{count} softmax layers write outputs of which only the largest element is used.",
    section="latency",
)
def softmax_at_output(context: Context) -> Hits:
    """A softmax is the last layer, but only the largest element is used.

    Cost:
        Softmax does not change which element is the largest: a classifier does not need the layer.

    Recommendation:
        End the model with the logits before exporting it.

    False alarm:
        The application reads the probabilities.

    Est. savings:
        A bound: the full time of the layer.
    """
    for layer in context.layers:
        if layer.type == "SoftMax" and any(context.is_output(use.tensor) for use in layer.outputs):
            yield Hit("{layer} writes an output of the engine.", (layer,), gain=removed([layer]))


@rule(
    "ACME102",
    "deployment.latency-budget",
    "error",
    many="{count} budgets are exceeded.",
    needs=("end-to-end",),
    section="latency",
    thresholds=(Threshold("budget_ms", 20.0, 0.001, 10_000, "Maximum latency of a query, in ms."),),
)
def latency_budget(context: Context, *, budget_ms: float) -> Hits:
    """The engine takes longer than the deployment allows.

    Cost:
        The camera delivers the next image before this one is processed.

    Recommendation:
        Begin with the findings with the largest savings.

    False alarm:
        The engine was measured on another GPU than the one it will run on.

    Est. savings:
        Not estimated: the other rules show how to become faster.
    """
    whole = context.analysis.latency.end_to_end
    if whole is not None and whole.median_ms > budget_ms:
        yield Hit(f"Latency is {whole.median_ms:.3g} ms, above the budget of {budget_ms:.3g} ms.")
