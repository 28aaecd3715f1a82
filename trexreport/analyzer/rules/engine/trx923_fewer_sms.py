"""TRX923 engine.fewer-sms."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.numbers import format_count


@built_in_rule("warning", needs=(), section="roofline")
def fewer_sms(context: Context) -> Hits:
    """The files state fewer SMs than the GPU of this name has, and all of its memory.

    Cost:
        Peaks of the roofline are those of the stated SMs. If the number is wrong, layers seem closer to their
        roofline than they are.

    Recommendation:
        If the run was limited to a part of the GPU, such as by MPS (CUDA_MPS_ACTIVE_THREAD_PERCENTAGE),
        compare it with runs of the same limit only. Else check which file states the number, and collect the
        capture again.

    False alarm:
        A board of the same name, memory and bus that was sold with fewer SMs.

    Est. savings:
        Not estimated: it concerns the GPU of the run, not the engine.
    """
    gpu = context.analysis.roofline.gpu
    if gpu is not None and gpu.whole_sms is not None and gpu.sms is not None:
        yield Hit(
            f"{format_count(gpu.sms)} of the {format_count(gpu.whole_sms)} SMs of {gpu.device} are stated.",
            (),
            None,
            {"GPU": gpu.device},
        )
