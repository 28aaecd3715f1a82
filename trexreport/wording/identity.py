"""What the engine is, as phrases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from trexreport.analyzer.analysis import Analysis, Identity
from trexreport.analyzer.analysis.engine import BindingFacts, InputShape
from trexreport.analyzer.analysis.failures import has_no_engine
from trexreport.model.measured_log import TYPES
from trexreport.model.stated_sizes import stated_bytes
from trexreport.numbers import format_bytes, format_count, format_number, join_names
from trexreport.regex import regex

_MAX_INPUTS, _MAX_TYPES = 3, 3
#: Types of weights that are worth a word where layers read others, from this part of all weights on.
_QUANTIZED, _MUCH = ("INT8", "FP8", "INT4", "FP4"), 0.1
#: With the sign that printf writes, which parts of identifiers lack.
_WITH_EXPONENT = regex(r"(-?[0-9]{1,3}(?:\.[0-9]{1,20})?e[-+][0-9]{2})( [A-Za-z/%]{1,8})?")


def gpu_name(identity: Identity) -> str:
    """Return what the GPU is called, and the board that it is a part of, as Jetson and DRIVE have one."""
    known = identity.board and identity.board not in identity.gpu
    return f"{identity.gpu} ({identity.board})" if known and identity.gpu else identity.gpu or identity.board


def input_shapes(identity: Identity) -> str:
    """Return the shapes of the first inputs: "image 8×3×224×224, mask 8×1 and 2 more"."""
    return _shapes(identity.inputs)


def known_shapes(analysis: Analysis) -> str:
    """Return the shapes of the first inputs, else of outputs, which a part of a log may state alone."""
    outputs = [each for each in analysis.bindings if each.mode == "output"]
    return input_shapes(analysis.identity) or (f"outputs {_shapes(outputs)}" if outputs else "")


def _shapes(tensors: Sequence[InputShape | BindingFacts]) -> str:
    shown = [f"{each.name} {_extents(each.dimensions)}" for each in tensors[:_MAX_INPUTS]]
    more = len(tensors) - _MAX_INPUTS
    return ", ".join(shown) + (f" and {format_count(more)} more" if more > 0 else "")


def _extents(dimensions: Iterable[int]) -> str:
    return "×".join("?" if extent < 0 else str(extent) for extent in dimensions)


def precisions_text(analysis: Analysis) -> str:
    """Return the precisions that the builder was allowed, else those of the layers or of the name.

    With them the type of quantized weights that layers of another type read. Empty where nothing is known,
    and where the run left no engine.
    """
    if has_no_engine(analysis):
        return ""
    weights = f"weights in {join_names(found)}" if (found := _types_of_weights(analysis)) else ""
    return ", ".join(filter(None, (_types_of_layers(analysis), weights)))


def _types_of_weights(analysis: Analysis) -> list[str]:
    """Return the quantized types of constants that take much of the weights and that no layer computes in."""
    sizes: dict[str, int] = {}
    for tensor in analysis.tensors:
        if tensor.role == "constant":
            sizes[tensor.data_type] = sizes.get(tensor.data_type, 0) + (tensor.size_bytes or 0)
    computed = {group.name for group in analysis.by_precision if group.count}
    much = _MUCH * sum(sizes.values())
    return [each for each in _QUANTIZED if each not in computed and sizes.get(each, 0) > much]


def _types_of_layers(analysis: Analysis) -> str:
    identity = analysis.identity
    if identity.precisions:
        return identity.precisions
    groups = sorted(analysis.by_precision, key=lambda group: -(group.time_ms or 0.0))
    names = [group.name for group in groups if group.count and group.name in TYPES]
    if names and not identity.names_only:
        return f"layers in {join_names(names[:_MAX_TYPES])}"
    return f"{identity.named_precisions} by name" if identity.named_precisions else ""


def model_name(identity: Identity) -> str:
    """Return the model file where the engine's name is another: "Model: yolov8n.onnx"; else empty."""
    stem = identity.model.rpartition(".")[0] or identity.model
    return f"Model: {identity.model}" if stem and stem.lower() not in identity.name.lower() else ""


def logged_value(text: str) -> str:
    """Return a value of a log as others are written: in fixed notation, and sizes in their own unit.

    C++ streams write small numbers with an exponent, and logs round sizes to MiB.
    """
    if (size := stated_bytes(text)) is not None:
        return format_bytes(size)
    found = _WITH_EXPONENT.fullmatch(text)
    return f"{format_number(float(found[1]))}{found[2] or ''}" if found else text
