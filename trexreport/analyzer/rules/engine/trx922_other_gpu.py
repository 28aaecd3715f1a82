"""TRX922 engine.other-gpu."""

from __future__ import annotations

from trexreport.analyzer.analysis.failures import errors_of_run
from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule

#: What the error of a run says of it, which then is the finding (TRX921).
_STATED = "for another kind of GPU"


@built_in_rule("warning", needs=(), section="build")
def other_gpu(context: Context) -> Hits:
    """The engine was built on another kind of GPU than it runs on.

    Cost:
        The builder timed the kernels on the other GPU: what was fastest there may be slow here, or fail.

    Recommendation:
        Build the engine on the GPU that runs it, with the same TensorRT. [8.6..: Where one engine has to
        serve several kinds from Ampere on, --hardwareCompatibilityLevel=ampere+ is meant for that.] [10.13..:
        For kinds of one compute capability it is sameComputeCapability.]

    False alarm:
        On Jetson TensorRT warns of engines that were built on the same board, too, such as after an update:
        nothing is reported there, nor beside a run that failed for this reason (TRX921).

    Est. savings:
        Not estimated: only another build shows it.
    """
    has_failed = any(_STATED in each.message for each in errors_of_run(context.analysis))
    if context.build_fact("Engine of another GPU") and not context.is_jetson and not has_failed:
        yield Hit("TensorRT warns that the engine was built on another model of GPU than it runs on.")
