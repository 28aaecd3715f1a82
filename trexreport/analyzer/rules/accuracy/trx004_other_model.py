"""TRX004 accuracy.other-model."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.numbers import counted, format_count, join_names


@built_in_rule("warning", needs=("accuracy",), section="notes")
def other_model(context: Context) -> Hits:
    """The accuracy file is about another model, at least in part.

    Cost:
        Errors are shown for the tensors that are known in this engine. Where most are not, the file may be of
        another model or of an export with other names, and errors of equal names may mean something else.

    Recommendation:
        Give the file of this engine's model. If it is that one, give the model with --onnx: tensors inside
        fused layers are known from it alone.

    False alarm:
        Tensors that TensorRT fused away, in a report without the ONNX model.

    Est. savings:
        Not estimated: it concerns the report, not the engine.
    """
    accuracy = context.analysis.accuracy
    if accuracy is None or accuracy.match not in ("other", "partly", "unproven"):
        return
    known = sum(each.join is not None for each in accuracy.tensors)
    tensors = counted(len(accuracy.tensors), "tensor")
    files = join_names([name[:80] for name in accuracy.files]) if accuracy.files else "The file"
    sizes = ", with other sizes" if known and accuracy.match == "other" else ""
    yield Hit(f"{files}: {format_count(known)} of {tensors} are known in the engine or its model{sizes}.")
