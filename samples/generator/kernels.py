"""Make the kernels of a sample: a trace of Nsight Systems of three queries, as trexreport carries it.

Each layer with a time runs one kernel, which is named after its tactic. The CPU launches every tenth one
late, so that there is idle time to find.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path

from .nsys import NsysExport, TracedKernel, traced_queries

QUERIES = 3
#: How long the CPU does something else before it launches every tenth kernel.
_PAUSE_NS = 60_000


def kernels_of(name: str, files: Mapping[str, bytes]) -> bytes:
    """Return the kernels of a sample as JSON; this needs trexreport, whose reader makes it of an export.

    Args:
        name: Of the sample.
        files: Of its capture.
    """
    from trexreport.reader.nsight.companion import kernel_source  # noqa: PLC0415 - captures do not need it

    (graph,) = (json.loads(content) for file, content in files.items() if file.endswith(".graph.json"))
    (profile,) = (json.loads(content) for file, content in files.items() if file.endswith(".profile.json"))
    times = {each["name"]: each["averageMs"] for each in profile if "name" in each}
    timed = [layer for layer in graph["Layers"] if times.get(layer["Name"])]
    kernels = [
        TracedKernel(
            layer["Name"],
            layer.get("TacticName") or "reformat_kernel",
            # The profiler of TensorRT adds some time to each layer; kernels alone take a bit less.
            round(times[layer["Name"]] * 960_000),
            launch_delay_ns=_PAUSE_NS if number % 10 == 9 else 0,
        )
        for number, layer in enumerate(timed)
    ]
    export = NsysExport(device="NVIDIA A100 80GB PCIe")
    traced_queries(export, kernels, QUERIES, input_bytes=32 * 3 * 224 * 224 * 4)
    with tempfile.TemporaryDirectory() as folder:
        source = kernel_source(export.write(Path(folder) / f"{name}.synthetic.sqlite"))
    return source.data
