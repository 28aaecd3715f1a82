"""Precision of inputs and outputs, and conversions by reformat layers."""

from __future__ import annotations

from trexreport.analyzer.analysis import Analysis
from trexreport.renderer.charts.catalog.shared import MAX_BARS, MS, in_legend_order, with_rest_summed
from trexreport.renderer.charts.chart import Axis, Chart, Series
from trexreport.wording.reformats import conversion
from trexreport.wording.sections import section_sentence


def type_and_precision(analysis: Analysis) -> Chart | None:
    """Show the number of layers by type and input precision."""
    if analysis.identity.names_only or not analysis.by_type_and_precision:
        return None
    order = {group.name: number for number, group in enumerate(analysis.by_type)}
    names, _, _ = with_rest_summed(list(order), [1.0] * len(order), MAX_BARS)
    precisions = [group.name for group in analysis.by_precision]
    counts: dict[tuple[str, str], int] = {}
    for each in analysis.by_type_and_precision:
        if each.type not in order:
            continue
        row = names[min(order[each.type], len(names) - 1)]
        counts[row, each.precision] = counts.get((row, each.precision), 0) + each.group.count
    series = in_legend_order(
        Series(
            precision,
            f"precision:{precision}",
            x=tuple(counts.get((name, precision), 0) for name in names),
            y=tuple(names),
        )
        for precision in precisions
    )
    summary = "Number of layers by type and input precision."
    return Chart(
        "type-precision", "bars", "Layers by type and input precision", summary, series, x=Axis("Layers")
    )


def precision_in_and_out(analysis: Analysis) -> Chart | None:
    """Show the number of layers by input and output precision."""
    if analysis.identity.names_only or not analysis.by_precision:
        return None
    sides = {"Input": analysis.by_precision, "Output": analysis.by_output_precision}
    found = {side: {group.name: group.count for group in groups} for side, groups in sides.items()}
    names = {**found["Input"], **found["Output"]}
    series = in_legend_order(
        Series(name, f"precision:{name}", x=tuple(found[side].get(name, 0) for side in found), y=tuple(found))
        for name in names
    )
    summary = "Number of layers by input and output precision."
    return Chart(
        "precision-in-out", "bars", "Layers by input and output precision", summary, series, x=Axis("Layers")
    )


def reformat_conversions(analysis: Analysis) -> Chart | None:
    """Show the time of reformat layers by conversion."""
    times: dict[str, float] = {}
    for reformat in analysis.reformats:
        label = conversion(reformat)
        times[label] = times.get(label, 0.0) + (reformat.time_ms or 0.0)
    order = sorted((name for name in times if times[name]), key=lambda name: (-times[name], name))
    if not order:
        return None
    names, values, _ = with_rest_summed(order, [times[name] for name in order], MAX_BARS)
    series = Series(role="type:Reformat", x=tuple(values), y=tuple(names))
    whole = analysis.latency.layer_sum_ms
    summary = section_sentence(analysis, "reformats")
    return Chart(
        "reformats", "bars", "Reformat time by conversion", summary, (series,), x=MS, shares=True, whole=whole
    )
