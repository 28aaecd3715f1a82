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


#: Metrics of Nsight Compute that are counted.
_METRICS = (
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "sm__ops_path_tensor_src_int8.sum",
    "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
)


def counters_of(name: str, files: Mapping[str, bytes]) -> bytes:
    """Return what Nsight Compute would count in the kernels of a sample, as JSON; this needs trexreport.

    A layer moves between 70% and 120% of what its tensors have, as caches hold a part of it and kernels read
    another part twice; every ninth layer moves three times as much, as kernels with split K do.

    Args:
        name: Of the sample.
        files: Of its capture.
    """
    from trexreport.analyzer import analyze  # noqa: PLC0415 - captures do not need it
    from trexreport.reader import read_engine  # noqa: PLC0415
    from trexreport.reader.nsight.counters_file import write_counters  # noqa: PLC0415
    from trexreport.reader.nsight.ncu_csv import read_ncu_csv  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        for file, content in files.items():
            (Path(folder) / file).write_bytes(content)
        layers = analyze(read_engine(folder)).layers
    rows = [
        '"ID","Kernel Name",' + ",".join(f'"{metric}"' for metric in _METRICS),
        '"","","byte","byte","","%"',
    ]
    timed = [layer for layer in layers if layer.avg_ms]
    for number, layer in enumerate(timed):
        moved = layer.moved_bytes or 0
        factor = 3.0 if number % 9 == 8 else 0.7 + 0.05 * (number % 11)
        written = round(0.3 * factor * moved)
        operations = round((layer.flops or 0) * 1.03) if "gemm" in layer.tactic else 0
        cells = (round(factor * moved) - written, written, operations, 42 if operations else 0)
        kernel = layer.tactic or "reformat_kernel"
        rows.append(f'"{number}","{kernel}",' + ",".join(f'"{cell}"' for cell in cells))
    return write_counters(read_ncu_csv("\n".join(rows), f"{name}.synthetic.csv"))
