"""TREx's linters: tables of layers with a hazard, one row for each layer, indexed by its name.

These are TREx's checks, for notebooks that have them; `trexreport lint` has the rules of trexreport, which
estimate what a fix saves. Hazards and mitigations are named as in TREx, as notebooks compare with them. The
checks differ from TREx's where those are wrong: whether a convolution runs on Tensor Cores is read from the
kernel's name as the rules do, so that "h16816" and "h1688" count; conversions of INT8 have a mitigation;
and a convolution that several checks find has the other ones in the column "other hazards".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from trexreport.analyzer.kernels import read_kernel
from trexreport.trex._libraries import pass_on
from trexreport.trex.activations import Activation, create_activations
from trexreport.trex.engine_plan import EnginePlan

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ConvLinter", "EnginePlan", "QDQLinter", "ReformatLinter", "SliceLinter", "create_activations"]
__getattr__ = pass_on(__name__, __all__, "OrderedDict Dict pd")

_Report = dict[str, dict[str, Any]]
#: Fewer input channels leave Tensor Cores little to do.
_FEW_CHANNELS = 32
_IMAGE = 4
_FEW = "This Convolution has a small number of input channels so acceleration may not be possible."
_CONVERSIONS = "A conversion of the data type reads and writes the whole tensor and computes nothing."


class ConvLinter:
    """Checks convolutions: Tensor Cores, outputs of quantized ones, and alignment of channels."""

    def __init__(self, plan: EnginePlan) -> None:
        self.plan = plan
        self.convs = plan.get_layers_by_type("Convolution")

    def tc_lint(self) -> _Report:
        """Return convolutions of fewer than 32 bits whose kernel does not use Tensor Cores."""

        def is_slow(row: Any, inputs: list[Activation], _: list[Activation]) -> dict[str, str] | None:
            # TREx takes a name that says nothing for a kernel without Tensor Cores.
            if row["precision"] == "FP32" or read_kernel(str(row["tactic"])).tensor_cores is True:
                return None
            shape = inputs[0].shape
            has_few = len(shape) == _IMAGE and shape[1] < _FEW_CHANNELS
            return {
                "hazard": "Convolution is not accelerated.",
                "mitigation": _FEW if has_few else "",
                "help": "Tensor Cores multiply several times faster than CUDA cores.",
            }

        return self._report(is_slow)

    def mixed_precision_lint(self) -> _Report:
        """Return convolutions that read INT8 and write another data type."""

        def is_mixed(_: Any, inputs: list[Activation], outputs: list[Activation]) -> dict[str, str] | None:
            if inputs[0].precision != "INT8" or outputs[0].precision == "INT8":
                return None
            return {
                "hazard": "Quantized Convolution has float outputs.",
                "mitigation": "Consider adding quantization after the convolution.",
                "help": "Float outputs take 2 to 4 times the memory traffic of INT8.",
            }

        return self._report(is_mixed)

    def alignment_lint(self) -> _Report:
        """Return convolutions of images whose channels are not a multiple of 16 (INT8) or 8."""

        def is_odd(row: Any, inputs: list[Activation], outputs: list[Activation]) -> dict[str, str] | None:
            shapes = inputs[0].shape, outputs[0].shape
            if any(len(shape) != _IMAGE for shape in shapes):
                return None
            multiple = 16 if row["precision"] == "INT8" else 8
            if all(shape[1] % multiple == 0 for shape in shapes):
                return None
            return {
                "hazard": "Convolution channels are not optimally aligned.",
                "mitigation": "Consider changing the alignment of the convolution's channels.",
                "help": "Tensor Cores read channels in units of 8 (FP16) or 16 (INT8) and pad the rest.",
            }

        return self._report(is_odd)

    def lint(self) -> pd.DataFrame:
        """Return the convolutions with a hazard; of several the last is in "hazard", as in TREx."""
        merged: _Report = {}
        for report in (self.tc_lint(), self.mixed_precision_lint(), self.alignment_lint()):
            for name, row in report.items():
                earlier = merged.get(name, {})
                others = [each for each in (earlier.get("other hazards"), earlier.get("hazard")) if each]
                merged[name] = {**row, "other hazards": " ".join(others)}
        return _table(merged)

    def _report(
        self, check: Callable[[Any, list[Activation], list[Activation]], dict[str, str] | None]
    ) -> _Report:
        found: _Report = {}
        for row, inputs, outputs in _rows(self.convs):
            hazard = check(row, inputs, outputs)
            if hazard is not None:
                found[row["Name"]] = {
                    "name": row["Name"],
                    "tactic": row["tactic"],
                    "subtype": row["subtype"],
                    **hazard,
                }
        return found


class ReformatLinter:
    """Finds reformat layers that convert the data type."""

    def __init__(self, plan: EnginePlan) -> None:
        self.plan = plan
        self.reformats = plan.get_layers_by_type("Reformat")

    def lint(self) -> pd.DataFrame:
        """Return the conversions between data types; those between layouts only are left out."""
        return _conversions(self.reformats, "Reformat", lambda row: {"origin": row.get("attr.origin", 0)})


class SliceLinter:
    """Finds slices that convert the data type."""

    def __init__(self, plan: EnginePlan) -> None:
        self.plan = plan
        self.slices = plan.get_layers_by_type("Slice")

    def lint(self) -> pd.DataFrame:
        """Return the slices that convert between data types."""
        return _conversions(self.slices, "Slice", lambda _: {})


class QDQLinter:
    """Finds quantization and dequantization that TensorRT left as layers of their own."""

    def __init__(self, plan: EnginePlan) -> None:
        self.plan = plan
        self.scales = plan.get_layers_by_type("Scale")

    def lint(self) -> pd.DataFrame:
        """Return the scale layers that only quantize or dequantize."""
        report: _Report = {}
        for row, inputs, outputs in _rows(self.scales):
            reads, writes = (side[0].precision == "INT8" for side in (inputs, outputs))
            if reads != writes:
                role = "Dequantize" if reads else "Quantize"
                report[row["Name"]] = {
                    "name": row["Name"],
                    "type conversion": _conversion(inputs, outputs)["type conversion"],
                    "hazard": f"Unfused {role} layer",
                    "mitigation": f"Check why the {role} layer is not fused",
                    "help": "A layer that only quantizes costs a kernel; only inputs may need it.",
                }
        return _table(report)


def _rows(frame: pd.DataFrame) -> Iterator[tuple[Any, list[Activation], list[Activation]]]:
    """Yield each row that has inputs and outputs, with these."""
    for _, row in frame.iterrows():
        inputs, outputs = create_activations(row)
        if inputs and outputs:
            yield row, inputs, outputs


def _table(report: _Report) -> pd.DataFrame:
    import pandas as pd

    table: pd.DataFrame = pd.DataFrame.from_dict(report, orient="index")
    return table


def _conversions(
    frame: pd.DataFrame, layer_type: str, facts_of: Callable[[Any], dict[str, Any]]
) -> pd.DataFrame:
    """Return the layers that convert the data type, with further facts of each."""
    return _table(
        {
            row["Name"]: {
                "name": row["Name"],
                **facts_of(row),
                **_conversion(inputs, outputs),
                "hazard": f"{layer_type} layer is converting operand data type.",
                "mitigation": _advice(inputs, outputs),
                "help": _CONVERSIONS,
            }
            for row, inputs, outputs in _rows(frame)
            if inputs[0].precision != outputs[0].precision
        }
    )


def _conversion(inputs: list[Activation], outputs: list[Activation]) -> dict[str, str]:
    """Return from what to what data type and shape, with TREx's 4 letters of a type."""
    source, result = inputs[0], outputs[0]
    return {
        "type conversion": f"{source.format[:4]} -> {result.format[:4]}",
        "shape conversion": f"{source.shape} -> {result.shape}",
    }


def _advice(inputs: list[Activation], outputs: list[Activation]) -> str:
    quantizes = "INT8" in {inputs[0].precision, outputs[0].precision}
    return "Consider adding quantization around float operations." if quantizes else ""
