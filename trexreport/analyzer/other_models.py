"""What the analysis shows to be of another model than the engine: the ONNX model, the accuracy files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trexreport.analyzer.analysis.accuracy import AccuracyFacts
from trexreport.analyzer.analysis.onnx import MatchReason, OnnxFacts
from trexreport.model import Contradiction, ContradictionCode, Engine, StatedValue
from trexreport.numbers import counted, format_count

#: What the files of the layers and of the model state, where the nodes that both name differ otherwise.
_OTHER_NODES: Mapping[MatchReason, tuple[str, str]] = {
    "tensors": ("tensors of its nodes", "others"),
    "convolutions": ("kernels and strides of its convolutions", "others"),
}
#: Fewer tensors of other names may be those of another export of the model.
_ENOUGH_TENSORS = 8


def other_models(
    engine: Engine, onnx: OnnxFacts | None, accuracy: AccuracyFacts | None
) -> Iterator[Contradiction]:
    """Yield the contradictions that the layers must be analyzed for."""
    file = next((each.file for each in engine.files if each.role == "graph"), "")
    if not file:
        return
    if onnx is not None and onnx.match == "other" and onnx.match_reason not in (None, "ends"):
        stated = (counted(onnx.stated_names, "ONNX node"), f"{format_count(onnx.matched_names)} of them")
        stated = _OTHER_NODES.get(onnx.match_reason, stated)
        yield _contradiction("model-nodes", "ONNX nodes", (file, stated[0]), (onnx.file, stated[1]))
    if accuracy is not None and accuracy.match == "other" and not engine.names_only:
        known = any(each.join is not None for each in accuracy.tensors)
        count = len(accuracy.tensors)
        if known or count >= _ENOUGH_TENSORS:
            theirs = "other sizes of them" if known else f"{counted(count, 'tensor')}, none of them"
            name = next(iter(accuracy.files), "the accuracy file")
            yield _contradiction("accuracy-tensors", "tensors", (file, "its tensors"), (name, theirs))


def _contradiction(code: ContradictionCode, noun: str, *stated: tuple[str, str]) -> Contradiction:
    values = tuple(StatedValue(file, text) for file, text in stated)
    texts = " and ".join(f"{each.file} states {each.value}" for each in values)
    return Contradiction(code, values, "", f"Contradictory {noun}: {texts}.")
