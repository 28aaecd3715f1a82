"""TRX703 shapes.batch-1."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.launches import TILE, is_mostly_launch, sm_count, tiles
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.phrases import takes_time
from trexreport.analyzer.rules.tensor_cores import has_few_rows
from trexreport.numbers import TIMES, counted


@built_in_rule(
    "info",
    needs=("layers", "profile"),
    thresholds=(min_share(50.0, "the layers that leave SMs idle"),),
)
def batch_1(context: Context, *, share_percent: float) -> Hits:
    """Much of the GPU is idle at batch 1.

    Cost:
        A convolution or matrix multiplication gives each streaming multiprocessor (SM) a tile of its result.
        With fewer tiles than SMs some are idle, so that a larger batch takes hardly longer.

    Recommendation:
        For throughput: larger batches, such as by dynamic batching in a server, or several queries at once on
        streams. [8.6..: trtexec measures that with --infStreams=4.] [unless jetson: For latency only a
        smaller GPU may be as fast.]

    False alarm:
        Only the latency of single queries matters; or kernels split the sum over several SMs (split-K), which
        the shapes do not show. Products of few rows, which read their weights (TRX602), are left out. It is
        not reported where only kernels about as short as a launch (TRX508) reach the share.

    Est. savings:
        Not estimated: batching does not make a single query faster.
    """
    sms = sm_count(context)
    if context.analysis.identity.batch != 1 or sms is None:
        return
    idle = [each for each in context.layers if each.avg_ms and each.work and tiles(each.work) < sms]
    idle = [each for each in idle if not has_few_rows(context, each)]
    idle = context.slowest(idle, share_percent)
    longer = [layer for layer in idle if not is_mostly_launch(context, layer)]
    if not idle or not context.is_significant(longer, share_percent):
        return
    yield Hit(
        f"{counted(len(idle), 'layer')} {takes_time(context, idle)} with fewer tiles of "
        f"{TILE}{TIMES}{TILE} than the GPU's {sms} SMs.",
        tuple(idle),
        None,
        {"Batch": "1", "SMs": str(sms)},
    )
