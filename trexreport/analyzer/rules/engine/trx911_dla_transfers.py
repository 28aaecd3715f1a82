"""TRX911 engine.dla-transfers."""

from __future__ import annotations

from trexreport.analyzer.analysis import slowest_first
from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.engine.dla import dla_use, waits_for_one_part
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.phrases import LAYER, takes_time
from trexreport.numbers import counted


@built_in_rule(
    "warning",
    needs=("profile",),
    section="reformats",
    thresholds=(min_share(5.0, "all transfers together"),),
    explains={"layers": ("TRX201", "TRX202", "TRX206"), "share": ("TRX205", "TRX305")},
)
def dla_transfers(context: Context, *, share_percent: float) -> Hits:
    """Transfers between DLA and GPU take a large share of layer time.

    Cost:
        [unless one-part: A tensor that a DLA reads or writes is copied or converted, once for each side of
        each part of the network that runs on it. That is memory traffic without computation.] [if one-part:
        The copy after a part includes waiting for the DLA.]

    Recommendation:
        [unless one-part: Let the DLA run fewer and longer parts: keep operations that it does not support
        (TRX910) at the ends of the network. Give inputs and outputs a format that the DLA reads and writes
        (--inputIOFormats and --outputIOFormats with dla_linear or dla_hwc4), so that the first and the last
        conversion go. Within a query DLA and GPU work in turn: several streams let one compute while the
        other does, which raises the throughput alone.] [if one-part: What takes the time is the DLA itself:
        leave fewer layers to it, or compare with an engine for the GPU alone. A DLA saves time where the GPU
        does other work meanwhile.] [if one-part, unless quantized: A DLA is fastest in INT8.]

    False alarm:
        The DLA works while the GPU waits: in profiles the copy or reformat after a part includes waiting for
        the DLA to finish it, and then its time is that of the DLA, while the part itself takes almost none.
        One transfer with nearly all of the time beside a single part is information for that reason. Whether
        the GPU would be faster only a build for the GPU shows.

    Est. savings:
        Not estimated: the profile does not separate waiting from copying.
    """
    use = context.cached(dla_use)
    layers = slowest_first(use.transfers)
    if not layers or not context.is_significant(layers, share_percent):
        return
    figures = {"Parts on the DLA": str(len(use.on_dla))}
    if waits_for_one_part(context):
        message = f"{LAYER} {takes_time(context, layers[:1])}, most likely waiting for the DLA's only part."
        yield Hit(message, tuple(layers), None, figures, severity="info")
        return
    what = counted(len(layers), "transfer or conversion", "transfers and conversions")
    yield Hit(
        f"{what} between DLA and GPU {takes_time(context, layers)}, which may include waiting for the DLA.",
        tuple(layers),
        None,
        figures,
    )
