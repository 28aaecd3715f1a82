"""TRX109 convolution.deconvolutions."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from trexreport.analyzer.analysis import Severity
from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, Threshold, built_in_rule
from trexreport.analyzer.rules.expected import above_roof
from trexreport.analyzer.rules.gains import join_bases, of_layers
from trexreport.analyzer.rules.launches import is_mostly_launch
from trexreport.analyzer.rules.layer_kinds import writes_few_channels
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.named_layers import named_convolutions
from trexreport.analyzer.rules.phrases import takes_time
from trexreport.analyzer.rules.roof_share import best_ms, cuda_cores_ms, is_far_off, near_roof
from trexreport.numbers import counted, format_number, format_percent, list_names

#: Fewer convolutions do not show how long one takes.
_MIN_CONVOLUTIONS = 3
#: Of layer time.
_MUCH_PERCENT = 30.0
_MAX_NODES = 8


@built_in_rule(
    "info",
    needs=("profile",),
    explains={"layers": ("TRX112", "TRX604", "TRX914")},
    thresholds=(
        min_share(10.0, "all deconvolutions"),
        Threshold("factor", 1.3, 1, 1000, "Minimum factor of their mean time to the median of convolutions."),
        Threshold(
            "efficiency",
            2.0,
            1,
            100,
            "Minimum factor of the share of the roofline that convolutions reach to theirs.",
        ),
    ),
)
def deconvolutions(context: Context, *, share_percent: float, factor: float, efficiency: float) -> Hits:
    """Deconvolutions take longer than convolutions of as much work.

    Cost:
        A deconvolution (ConvTranspose) writes more pixels than it reads. TensorRT has fewer kernels for it
        than for convolutions, and fuses less into them.

    Recommendation:
        [if untyped, unless no-layer-information, unless detailed: Build with --profilingVerbosity=detailed to
        see type and kernel.] [if untyped, if detailed: --exportLayerInfo shows type and kernel.] [if
        unaligned, unless few-outputs: Channels should be multiples of 8 in FP16 and of 32 in INT8.] [unless
        few-outputs: Compare with a Resize before a convolution, and with a convolution before DepthToSpace.]
        [if few-outputs: A long kernel to few channels, as of an inverse STFT: multiply by its weights
        (MatMul) and add up the windows that overlap (Pad, Add), or compute an inverse FFT outside of the
        engine.]

    False alarm:
        They do more work than the convolutions, and as fast. Where types and shapes are known, those count
        that reach less than half of the share of the roofline that the median convolution reaches; those in
        groups (TRX105), of few output channels that are nearer to it (TRX604) and about as short as a launch
        are left out. From 30% of layer time on it is a warning.

    Est. savings:
        An estimate where the roofline is known: from 0 up to the time above that of convolutions that come as
        near to it; where they take ten times the roofline time or more, from the time above that. None of
        names, which show neither shapes nor types.
    """
    yield from _far_off(context, share_percent)
    if (hit := _far_from_roof(context, share_percent, efficiency)) is not None:
        yield hit
    up, others = named_convolutions(context.layers)
    if len(others) < _MIN_CONVOLUTIONS or not up or not context.slowest(up, share_percent):
        return
    usual_ms = median(each.avg_ms or 0.0 for each in others)
    times = context.time_ms(up) / len(up) / usual_ms
    if times < factor:
        return
    one, many = "deconvolution", "deconvolutions"
    yield Hit(
        f"By name, {counted(len(up), one, many)} {takes_time(context, up)}, on average "
        f"{format_number(times)} times as long as the median of {len(others)} convolutions.",
        tuple(context.slowest(up, share_percent)),
        None,
        {"Identified": "by name"},
        severity=_severity(context, up),
    )


def _far_off(context: Context, share_percent: float) -> Hits:
    """Yield the hit of deconvolutions in a kernel that nothing of their work explains."""
    up = [each for each in context.convolutions if _is_deconvolution(each) and is_far_off(context, each)]
    found = context.slowest(up, share_percent)
    if not found:
        return
    has_roof = all(each.roof for each in found)
    own_ms, than = (
        (cuda_cores_ms, "the roofline allows in FP32 on CUDA cores")
        if has_roof
        else (best_ms, "at the rates of the fastest kernels of this engine")
    )
    times = median([(each.avg_ms or 0.0) / own_ms(context, each) for each in found])
    nodes = sorted({node for each in found for node in each.origins})
    of_median = " (median)" if len(found) > 1 else ""
    yield Hit(
        f"{counted(len(found), 'deconvolution')} {takes_time(context, found)}, {format_number(times)} times "
        f"as long as {than}{of_median}.",
        tuple(found),
        near_roof(context, found) if has_roof else None,
        {"ONNX nodes": list_names(nodes, _MAX_NODES)} if nodes else {},
        severity=_severity(context, found),
    )


def _far_from_roof(context: Context, share_percent: float, efficiency: float) -> Hit | None:
    """Return the dense deconvolutions that come far less near to their roofline than convolutions do."""
    convolutions = [
        layer
        for layer in context.convolutions
        if layer.avg_ms and layer.work and layer.work.groups == 1 and not is_mostly_launch(context, layer)
    ]
    others = [each for each in convolutions if not _is_deconvolution(each)]
    reached = [each.roof.reached_percent for each in others if each.roof and each.roof.reached_percent]
    if len(reached) < _MIN_CONVOLUTIONS:
        return None
    usual = median(reached)
    up = [
        each
        for each in convolutions
        if _is_deconvolution(each)
        and not writes_few_channels(context, each)
        and not is_far_off(context, each)
        if each.roof and efficiency * (each.roof.reached_percent or usual) <= usual
    ]
    found = context.slowest(up, share_percent)
    if not found:
        return None
    ordinary = {each.index for each in others}
    gains = [above_roof(context, each, lambda other: other.index in ordinary) for each in found]
    parts = [(each, 0.0, gain.high_ms) for each, gain in zip(found, gains, strict=True) if gain]
    bases = join_bases([basis for gain in gains if gain for basis in gain.bases])
    least = median([each.roof.reached_percent or 0.0 for each in found if each.roof])
    return Hit(
        f"{counted(len(found), 'deconvolution')} {takes_time(context, found)}, at "
        f"{format_percent(least / 100)} of the roofline where {len(reached)} convolutions reach "
        f"{format_percent(usual / 100)} (medians).",
        tuple(found),
        of_layers("estimate", parts, *bases) if parts else None,
        severity=_severity(context, found),
    )


def _severity(context: Context, layers: Sequence[LayerFacts]) -> Severity | None:
    """Return a warning where deconvolutions take much of the time, as of one layer that does."""
    return "warning" if context.is_significant(layers, _MUCH_PERCENT) else None


def _is_deconvolution(layer: LayerFacts) -> bool:
    return layer.work is not None and layer.work.kind == "deconvolution"
