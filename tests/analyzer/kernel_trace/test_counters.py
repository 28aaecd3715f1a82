"""Counts of Nsight Compute belong to the layers that run the kernels, and are compared with their tensors."""

import json
import sys
from pathlib import Path

import pytest

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
if str(SAMPLES) not in sys.path:
    sys.path.insert(0, str(SAMPLES))
from generator.nsys import NsysExport, TracedKernel, traced_queries  # noqa: E402

from trexreport.analyzer import analyze  # noqa: E402
from trexreport.reader import read_engine  # noqa: E402
from trexreport.wording.kernels import counters_sentence  # noqa: E402

FORMAT = "Row major linear FP32"
ACTIVE = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"
#: Reads and writes 4,000 bytes each.
TENSORS = {
    "Inputs": [{"Name": "x", "Dimensions": [1000], "Format/Datatype": FORMAT}],
    "Outputs": [{"Name": "y", "Dimensions": [1000], "Format/Datatype": FORMAT}],
}


def counted(tmp_path, tactics, runs, kernels=None):
    """Return the counters of an engine with layers of these tactics; runs are (kernel, bytes, operations)."""
    layers = [
        {"Name": f"l{place}", "LayerType": "kgen", "TacticName": tactic, **TENSORS}
        for place, tactic in enumerate(tactics)
    ]
    (tmp_path / "x.graph.json").write_text(json.dumps({"Layers": layers, "Bindings": []}))
    rows = [
        f'"{number}","{kernel}","{size}","{operations}"'
        for number, (kernel, size, operations) in enumerate(runs)
    ]
    head = '"ID","Kernel Name","dram__bytes.sum","sm__ops_path_tensor_src_fp16_dst_fp32.sum"'
    (tmp_path / "x.csv").write_text("\n".join([head, '"","","byte",""', *rows]))
    if kernels:
        export = NsysExport()
        traced_queries(export, kernels, 3)
        export.write(tmp_path / "x.sqlite")
    return analyze(read_engine(tmp_path)).counters


def listed(found):
    return [(each.layer, each.kernels, each.dram_bytes, each.tensor_operations) for each in found.layers]


def test_runs_of_a_name_are_those_of_the_layers_with_the_tactic_in_order(tmp_path):
    runs = [("gemm_one", 8000, 5), ("gemm_two", 100, 0), ("gemm_one", 16000, 7), ("unknown", 1, 1)]
    found = counted(tmp_path, ["gemm_one", "gemm_two", "gemm_one"], runs)
    assert listed(found) == [(0, 1, 8000, 5), (1, 1, 100, 0), (2, 1, 16000, 7)]
    assert [each.bytes_percent for each in found.layers] == [100, 1.25, 200]
    assert (found.kernels, found.matched, found.compared) == (4, 3, 3)
    assert (found.median_percent, found.low_percent, found.high_percent) == (100, 1.25, 200)
    assert "The bytes of device memory are 100% of those by tensors" in counters_sentence(found)
    assert found.total_percent == pytest.approx(100 * 24_100 / 24_000)
    assert (found.operations_compared, found.operations_percent) == (0, None)
    assert "of all of them together they are 100%" in counters_sentence(found)


def test_operations_are_compared_with_those_of_the_shapes(tmp_path):
    def tensor(name, channels):
        form = "Row major linear FP16"
        return {"Name": name, "Dimensions": [1, channels, 4, 4], "Format/Datatype": form}

    layer = {"Name": "l0", "LayerType": "Convolution", "ParameterType": "Convolution", "Kernel": [1, 1]}
    layer |= {"TacticName": "conv_one", "Groups": 1, "OutMaps": 16, "Stride": [1, 1]}
    layer |= {"Inputs": [tensor("x", 8)], "Outputs": [tensor("y", 16)]}
    (tmp_path / "x.graph.json").write_text(json.dumps({"Layers": [layer], "Bindings": []}))
    names = ("dram__bytes.sum", "sm__ops_path_tensor_src_fp16_dst_fp32.sum", ACTIVE)
    head = ",".join(f'"{name}"' for name in ("ID", "Kernel Name", *names))
    runs = ['"0","conv_one","100","2048","40"', '"1","conv_one","100","2048","60"']
    (tmp_path / "x.csv").write_text("\n".join([head, '"","","byte","","%"', *runs]))
    found = analyze(read_engine(tmp_path)).counters
    # 16 channels of 16 pixels from 8 channels each: 2,048 multiplications and as many additions.
    assert [each.operations_percent for each in found.layers] == [50]
    assert (found.operations_compared, found.operations_percent) == (1, 50)
    assert [each.tensor_active_percent for each in found.layers] == [60]


def test_structural_layers_run_no_kernel(tmp_path):
    found = counted(tmp_path, ["gemm_one", "gemm_one"], [("gemm_one", 8000, 5)] * 2)
    assert [each.layer for each in found.layers] == [0, 1]
    graph = json.loads((tmp_path / "x.graph.json").read_text())
    graph["Layers"][0]["LayerType"] = "Constant"
    (tmp_path / "x.graph.json").write_text(json.dumps(graph))
    (only,) = analyze(read_engine(tmp_path)).counters.layers
    # Both runs are of the other layer, as two queries.
    assert (only.layer, only.kernels, only.dram_bytes) == (1, 1, 8000)


def test_several_queries_are_averaged_and_an_odd_number_is_unknown(tmp_path):
    runs = [("gemm_one", 1000, 1), ("gemm_one", 2000, 2), ("gemm_one", 3000, 3), ("gemm_one", 6000, 4)]
    assert listed(counted(tmp_path, ["gemm_one"] * 2, runs)) == [(0, 1, 2000, 2), (1, 1, 4000, 3)]
    assert listed(counted(tmp_path, ["gemm_one"] * 2, runs[:3])) == []


def test_what_was_not_collected_is_unknown(tmp_path):
    found = counted(tmp_path, ["gemm_one"], [("gemm_one", "n/a", 9)])
    assert listed(found) == [(0, 1, None, 9)]
    assert found.median_percent is None
    assert "No layer has both" in counters_sentence(found)


def test_a_trace_shows_all_kernels_of_a_layer(tmp_path):
    kernels = [
        TracedKernel("l0", "gemm_one", 5_000),
        TracedKernel("l0", "reduce", 1_000),
        TracedKernel("l1", "gemm_one", 5_000),
        TracedKernel("l2", "other", 5_000),
        TracedKernel("l2", "not_counted", 5_000),
    ]
    runs = [("gemm_one", 10, 1), ("reduce", 20, 2), ("gemm_one", 40, 3), ("other", 80, 4)]
    found = counted(tmp_path, ["a", "b", "c"], runs, kernels)
    assert listed(found) == [(0, 2, 30, 3), (1, 1, 40, 3)]


@pytest.mark.parametrize("sample", ["resnet18-int8-before"])
def test_without_counts_there_is_nothing(sample):
    assert analyze(read_engine(SAMPLES / sample)).counters is None
