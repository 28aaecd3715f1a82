"""A trace of Nsight Systems alone is a capture: the ranges of TensorRT name the layers and time them."""

import csv
import io

import pytest
from generator.nsys import NsysExport, TracedKernel, traced_queries
from nsys_reports import Reports

from trexreport.analyzer.comparison.compare import compare
from trexreport.reader import read_engine

KERNELS = (
    TracedKernel("conv1 + relu1", "sm80_xmma_fprop_kernel", 20_000),
    TracedKernel("conv2", "void cudnn::conv<float, 4>(float const*)", 30_000),
    TracedKernel("conv2", "cutlass_splitk_reduce", 5_000),
    TracedKernel("{ForeignNode[a...b]}", "__myl_AddMul_0x1", 8_000, region=True),
    TracedKernel("", "own_plugin", 3_000),
)
MS = {"conv1 + relu1": 0.02, "conv2": 0.035, "{ForeignNode[a...b]}": 0.008}
SUMMARY = "[I] === Performance summary ===\n[I] Throughput: 300 qps\n"
OTHERS = (TracedKernel("other1", "other_kernel", 50_000), TracedKernel("other2", "other_kernel", 50_000))


def export_of(path, *engines):
    """Write a trace in which engines take turns: pairs of kernels and queries."""
    export = NsysExport()
    for turn, (kernels, queries) in enumerate(engines):
        traced_queries(export, kernels, queries, begin=10_000_000 * (turn + 1))
    return export.write(path / "x.sqlite")


def printed(table):
    """Return a CSV report as `nsys stats` prints it: columns as wide as their longest cell."""
    rows = list(csv.reader(io.StringIO(table)))
    widths = [max(2, *map(len, column)) for column in zip(*rows, strict=True)]
    lines = [rows[0], ["-" * width for width in widths], *rows[1:]]
    return "".join(
        " " + "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) + "\n"
        for line in lines
    )


def times(engine):
    return {layer.name: round(layer.time.avg_ms, 6) for layer in engine.layers}


def test_an_export_has_the_times_of_each_query(tmp_path):
    engine = read_engine(export_of(tmp_path, (KERNELS, 5)))
    assert times(engine) == MS
    assert list(MS) == [layer.name for layer in engine.layers]
    assert engine.profiled_iterations == 5
    assert engine.unlisted_ms == pytest.approx(0.003)
    assert "layer-times-of-trace" in {note.slug for note in engine.notes}
    assert any("by name from the trace alone" in note.message for note in engine.notes)


@pytest.mark.parametrize("form", [str, printed])
def test_sums_have_them_too(tmp_path, form):
    reports = Reports(export_of(tmp_path, (KERNELS, 5)))
    path = tmp_path / "stats.txt"
    path.write_text(f"{form(reports.kernels())}\n{form(reports.range_kernels())}")
    engine = read_engine(path)
    assert times(engine) == MS
    assert (engine.profiled_iterations, engine.times_are_sums) == (5, False)
    assert engine.unlisted_ms == pytest.approx(0.003)


def test_two_printed_texts_are_compared(tmp_path):
    engines = []
    for name, took in (("a", 20_000), ("b", 40_000)):
        (tmp_path / name).mkdir()
        kernels = (TracedKernel("conv1", "kernel1", took), TracedKernel("conv2", "kernel2", 5_000))
        reports = Reports(export_of(tmp_path / name, (kernels, 5)))
        path = tmp_path / name / "stats.txt"
        path.write_text(printed(reports.range_kernels()))
        engines.append(read_engine(path))
    _, slower = compare(engines).engines
    assert slower.figures.layer_sum_ms == pytest.approx(0.045)


def test_of_several_engines_in_a_trace_the_one_with_most_queries_is_shown(tmp_path):
    engine = read_engine(export_of(tmp_path, (OTHERS, 2), (KERNELS, 5)))
    assert times(engine) == MS
    assert engine.profiled_iterations == 5


def test_sums_of_several_engines_are_sums_of_unknown_runs(tmp_path):
    path = tmp_path / "stats.csv"
    path.write_text(Reports(export_of(tmp_path, (OTHERS, 2), (KERNELS, 5))).range_kernels())
    engine = read_engine(path)
    assert engine.times_are_sums
    assert engine.profiled_iterations is None
    assert engine.unlisted_ms == 0


def test_kernels_in_ranges_of_several_layers_are_of_none(tmp_path):
    path = tmp_path / "stats.csv"
    table = Reports(export_of(tmp_path, (KERNELS, 5))).range_kernels()
    inner = next(line for line in table.splitlines() if "splitk" in line and "conv2" in line)
    path.write_text(table + inner.replace("conv2", "around") + "\n")
    assert times(read_engine(path)) == {**MS, "conv2": 0.03}


def test_a_trace_beside_layers_gives_them_no_times(tmp_path):
    export_of(tmp_path, (KERNELS, 5))
    (tmp_path / "x.graph.json").write_text('{"Layers": ["conv1 + relu1", "conv2"]}')
    engine = read_engine(tmp_path)
    assert engine.kernels.runs
    assert [layer.time for layer in engine.layers] == [None, None]


@pytest.mark.parametrize("ending", ["log", "txt"])
def test_tables_below_the_output_of_the_program_are_read_with_it(tmp_path, ending):
    path = tmp_path / f"run.{ending}"
    tables = printed(Reports(export_of(tmp_path, (KERNELS, 5))).range_kernels())
    path.write_text(f"{SUMMARY}\n{tables}")
    (tmp_path / "x.sqlite").unlink()
    for given in (path, tmp_path):
        engine = read_engine(given)
        assert times(engine) == MS
        assert engine.measurement.throughput_qps == 300


@pytest.mark.parametrize("ending", ["log", "txt"])
def test_a_log_is_read_though_tables_below_it_are_damaged(tmp_path, ending):
    path = tmp_path / f"run.{ending}"
    tables = printed(Reports(export_of(tmp_path, (KERNELS, 5))).range_kernels())
    path.write_text(SUMMARY + tables.replace("0", "x"))
    (tmp_path / "x.sqlite").unlink()
    for given in (path, tmp_path):
        engine = read_engine(given)
        assert engine.measurement.throughput_qps == 300
        assert [note.source for note in engine.notes if note.slug == "kernels-left-out"] == [path.name]
