"""Offer an engine as a pandas table and as lists, under the names that TREx's users know.

    plan = EnginePlan("X.engine.graph.json", "X.engine.profile.json")
    plan.df.nlargest(3, "latency.pct_time")

What differs from TREx 0.2.1:

* Times find their layers by name, not by position.
* BF16, FP8, FP4, INT4, INT64 and BOOL tensors have their true sizes, and ConvActPool has its weights.
* Convolutions may have any number of spatial dimensions.
* `profile_id` None takes the optimization profile that was measured.
* `builder_cfg` leaves out the memory pools, of whose value TREx's files keep nothing.

As in TREx, sizes leave the padding of vectorized layouts out, and a tensor counts at each layer that reads
or writes it. For the memory that an engine needs see `trexreport.analyze`.
"""

from __future__ import annotations

import json
import math
import os
import warnings
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trexreport.api_arguments import check_engine
from trexreport.errors import UsageError
from trexreport.model import Engine, Source
from trexreport.reader import read_engine
from trexreport.reader.assemble import assemble
from trexreport.reader.capture import Capture
from trexreport.reader.locate import locate
from trexreport.reader.values import number
from trexreport.trex import df_preprocessing, layer, parser
from trexreport.trex._columns import layers_frame
from trexreport.trex._folding import plan_layers
from trexreport.trex._libraries import pass_on
from trexreport.trex._summary import binding_lines, html_table, mebibytes, print_sections
from trexreport.trex.activations import Activation, readable
from trexreport.trex.layer import Layer

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["EnginePlan", "print_summary", "summary_dict"]
#: TREx's module passes these on.
_PASSED_ON = (df_preprocessing, layer, parser)
__getattr__ = pass_on(
    __name__, __all__, "BinaryIO Dict List Tuple deepcopy json np ntpath pd re warnings", _PASSED_ON
)

#: TREx has these as numbers; their texts begin with the number and end in a unit.
_NUMERIC_DEVICE_KEYS = {
    "Compute Clock Rate",
    "Memory Bus Width",
    "Memory Clock Rate",
    "Compute Capability",
    "SMs",
}
_PathLike = str | os.PathLike[str]


class EnginePlan:
    """Hold the layers, bindings, times and settings of one engine.

    Args:
        graph_file: Layer information, as a path or as a list of the file's layer records; or `graph`.
        profiling_file: Times of the layers; or `profile`.
        profiling_metadata_file: TREx's metadata of the measurement; or `profile_metadata`.
        build_metadata_file: TREx's metadata of the build; or `build_metadata`.
        name: For titles; the graph file's name unless given.
        profile_id: Optimization profile to read; None takes the one that was measured, else 0.

    Attributes:
        name: For titles.
        engine: The engine as the reader made it.
        all_layers: Layers with constants; no-ops are folded, synchronization is left out.
        layers: The same without constants.
        constants: The constants.
        bindings: Names of the engine's inputs and outputs in the file's order.

    Raises:
        InputError: A file is missing, or damaged.
        UsageError: No graph file is given.
    """

    def __init__(  # noqa: PLR0917 - TREx's order, in which notebooks give the files
        self,
        graph_file: _PathLike | Sequence[Mapping[str, Any]] | None = None,
        profiling_file: _PathLike | None = None,
        profiling_metadata_file: _PathLike | None = None,
        build_metadata_file: _PathLike | None = None,
        name: str | None = None,
        profile_id: int | None = None,
        *,
        graph: _PathLike | Sequence[Mapping[str, Any]] | None = None,
        profile: _PathLike | None = None,
        profile_metadata: _PathLike | None = None,
        build_metadata: _PathLike | None = None,
    ) -> None:
        layer_info = _either("graph_file", graph_file, graph)
        if layer_info is None:
            raise UsageError("An EnginePlan needs a graph file.", "trtexec writes it with --exportLayerInfo.")
        companions = {
            "profile": _either("profiling_file", profiling_file, profile),
            "profile-metadata": _either("profiling_metadata_file", profiling_metadata_file, profile_metadata),
            "build-metadata": _either("build_metadata_file", build_metadata_file, build_metadata),
        }
        # As in TREx, "" is not a file, and metadata that is not there for none.
        files = {role: Path(path) for role, path in companions.items() if path}
        for role in [role for role, path in files.items() if role != "profile" and not path.exists()]:
            warnings.warn(f"{files.pop(role)} does not exist: the plan has no such metadata.", stacklevel=2)
        self._take(_read(layer_info, files, name, profile_id))
        parser.warn_of(self.engine.notes)

    @classmethod
    def from_engine(cls, engine: Engine) -> EnginePlan:
        """Return the plan of an engine that was read already.

        Raises:
            UsageError: No engine is given.
        """
        check_engine(engine, "EnginePlan.from_engine")
        plan = cls.__new__(cls)
        plan._take(engine)  # noqa: SLF001
        return plan

    def _take(self, engine: Engine) -> None:
        self.engine = engine
        self.name = engine.name
        self.all_layers: list[Layer] = plan_layers(engine)
        self.layers: list[Layer] = [layer for layer in self.all_layers if layer.type != "Constant"]
        self.constants: list[Layer] = [layer for layer in self.all_layers if layer.type == "Constant"]
        self.bindings: list[str] = [binding.name for binding in engine.bindings]

    @cached_property
    def df(self) -> pd.DataFrame:
        """One row a layer; the columns are described in `trexreport.trex._columns`."""
        return layers_frame(self.layers, self.engine.profiled_iterations)

    @property
    def _df(self) -> pd.DataFrame:
        """TREx's own name of `df`, which programs read and replace although it is private."""
        return self.df

    @_df.setter
    def _df(self, frame: pd.DataFrame) -> None:
        self.df = frame

    @cached_property
    def total_runtime(self) -> float:
        """Total layer time in milliseconds, from average times; 0 without a profile."""
        return math.fsum(layer.time.avg_ms for layer in self.layers if layer.time is not None)

    @cached_property
    def total_act_size(self) -> int:
        """Bytes of all inputs and outputs of all layers: a tensor counts at each layer that touches it."""
        return sum(layer.total_io_size_bytes for layer in self.layers)

    @cached_property
    def total_weights_size(self) -> int:
        """Bytes of the layers' weights, biases left out."""
        return sum(layer.weights_size for layer in self.layers)

    @cached_property
    def device_properties(self) -> dict[str, Any]:
        """The GPU under trtexec's keys; clocks in GHz and the bus width in bits are numbers."""
        return {key: _device_value(key, text) for key, text in self.engine.setup.device.items()}

    @cached_property
    def performance_summary(self) -> dict[str, Any]:
        """The end-to-end measurement of trtexec: [min, max, mean, median, percentiles...] in milliseconds."""
        measured = self.engine.measurement
        statistics = {
            key: [each.min_ms, each.max_ms, each.mean_ms, each.median_ms]
            + [value for _, value in sorted(each.percentiles.items())]
            for key, each in measured.summary.items()
        }
        summary: dict[str, Any] = {
            "Throughput": measured.throughput_qps,
            **statistics,
            "Total Host Walltime": measured.walltime_s,
            "Total GPU Compute Time": measured.gpu_time_s,
        }
        return {key: value for key, value in summary.items() if value is not None}

    @cached_property
    def builder_cfg(self) -> dict[str, str]:
        """Options of the model and of the build, in trtexec's words."""
        return {**self.engine.setup.model_options, **self.engine.setup.build_options}

    def find(self, layer_name: str) -> Layer | None:
        """Return the layer of this name, the file's or this plan's spelling; None if there is none."""
        wanted = readable(layer_name)
        return next((layer for layer in self.all_layers if layer.name == wanted), None)

    def get_layers_by_type(self, layer_type: str) -> pd.DataFrame:
        """Return the rows of `df` of a type, with its attributes in columns that begin with "attr."."""
        return df_preprocessing.filter_by_layer(self.df, layer_type)

    def get_bindings(self) -> tuple[list[Activation], list[Activation]]:
        """Return the engine's inputs and outputs in the file's order."""
        inputs, outputs = (
            [
                Activation.of(binding.tensor)
                for binding in self.engine.bindings
                if binding.mode == mode and binding.tensor is not None
            ]
            for mode in ("input", "output")
        )
        return inputs, outputs

    def summary_dict(self) -> dict[str, str]:
        """Return title and text of the lines that sum this plan up."""
        inputs, outputs = self.get_bindings()
        return {
            "Inputs": binding_lines(inputs),
            "Outputs": binding_lines(outputs),
            "Average time": f"{self.total_runtime:.3f} ms",
            "Layers": str(len(self.layers)),
            "Weights": mebibytes(self.total_weights_size),
            "Activations": mebibytes(self.total_act_size),
        }

    def summary(self) -> None:
        """Print what is known of the model, the GPU, the build and the measurement."""
        sections: dict[str, Mapping[str, Any]] = {
            "Model": self.summary_dict(),
            "Device Properties": self.device_properties,
            "Builder Configuration": self.builder_cfg,
            "Performance Summary": self.performance_summary,
        }
        print_sections(sections)

    def __repr__(self) -> str:
        return f"EnginePlan({self.name!r}, {len(self.layers)} layers)"

    def _repr_html_(self) -> str:
        device = self.device_properties.get("Selected Device")
        return html_table(self.name, self.summary_dict() | ({"Device": str(device)} if device else {}))


def summary_dict(plan: EnginePlan) -> dict[str, str]:
    """Return title and text of the lines that sum a plan up; "MB" is 2^20 bytes, as in TREx."""
    return plan.summary_dict()


def print_summary(plan: EnginePlan) -> None:
    """Print what is known of the model, the GPU, the build and the measurement of a plan."""
    plan.summary()


def _either(name: str, first: Any, second: Any) -> Any:
    """Return whichever of two arguments of one meaning is given."""
    if first is not None and second is not None:
        raise UsageError(f"{name} is given twice, under both of its names.")
    return second if first is None else first


def _read(
    layer_info: _PathLike | Sequence[Mapping[str, Any]],
    files: dict[str, Path],
    name: str | None,
    profile_id: int | None,
) -> Engine:
    if isinstance(layer_info, (str, os.PathLike)):
        path = Path(layer_info)
        return read_engine(
            files={"graph": path, **files}, optimization_profile=profile_id, name=name or path.name
        )
    source = Source("graph", "layers.json", json.dumps(layer_info).encode())
    others = locate((), files).sources if files else ()
    return assemble(Capture(name or "engine", (source, *others)), profile_id, name, ("graph", *files))


def _device_value(key: str, text: str) -> float | str:
    """Return the number that a text begins with where TREx has a number."""
    if key not in _NUMERIC_DEVICE_KEYS or not text:
        return text
    amount = number(text.split(maxsplit=1)[0])
    return text if amount is None else amount
