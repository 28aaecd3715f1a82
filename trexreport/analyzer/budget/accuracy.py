"""What is known of the accuracy of an engine, for limits on it."""

from __future__ import annotations

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.budget import MetricReason
from trexreport.analyzer.budget.limits import MetricValue


def of_another_model(analysis: Analysis) -> MetricValue | None:
    """Return that figures on accuracy are not known where they may be of another model; else None."""
    found = analysis.accuracy
    if found is None or found.match not in ("other", "unproven"):
        return None
    known = sum(each.join is not None for each in found.tensors)
    if known and found.match == "other":
        return MetricValue(None, [MetricReason("accuracy-of-other-sizes", known, len(found.tensors))])
    return MetricValue(None, [MetricReason("accuracy-of-other-model", known, len(found.tensors))])


def errors(analysis: Analysis, *, of_outputs: bool) -> MetricValue:
    """Return the largest error of the outputs, or the largest increase of a layer, in percent."""
    found = analysis.accuracy
    if found is None or not found.tensors:
        return MetricValue(None, [MetricReason("no-accuracy")])
    if other := of_another_model(analysis):
        return other
    if any(each.state == "not-finite" for each in found.tensors):
        return MetricValue(None, [MetricReason("not-finite")])
    if of_outputs:
        value, layers = found.output_error, []
    else:
        increases = {
            at: each.increase for at, each in enumerate(found.layers) if each and each.increase is not None
        }
        value = max(increases.values(), default=None)
        layers = [analysis.layers[at].name for at, each in increases.items() if each == value][:1]
    if value is None or found.measure not in ("relative", "cosine"):
        return MetricValue(None, [MetricReason("no-relative-error")])
    return MetricValue(100 * value, layers=layers)
