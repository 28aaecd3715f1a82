"""Traces of Nsight Systems: the kernels of queries, each with the range of its layer."""

import sqlite3
from contextlib import closing

import pytest
from generator.nsys import DOMAIN, PROCESS, START_END, THREAD, NsysExport, TracedKernel, traced_queries

from trexreport.errors import InputError
from trexreport.reader.nsight import last_queries
from trexreport.reader.nsight.export import read_export
from trexreport.reader.nsight.last_queries import MOST_QUERIES
from trexreport.reader.nsight.trace_file import read_trace, write_trace

KERNELS = (
    TracedKernel("conv1 + relu1", "sm80_xmma_fprop_kernel", 20_000),
    TracedKernel("conv2", "void cudnn::conv<float, 4>(float const*)", 30_000),
    TracedKernel("conv2", "cutlass_splitk_reduce", 5_000),
    TracedKernel("{ForeignNode[a...b]}", "__myl_AddMul_0x1", 8_000, region=True),
)
VERSIONS = (
    "2020.4.3.7",
    "2021.5.1.77",
    "2022.4.2.1",
    "2023.1.2.43",
    "2024.2.1.38",
    "2025.3.1.90",
    "2026.2.1.210",
)

#: What NVIDIA's report nvtx_kern_sum joins: a kernel with the call of its correlation and process, and the
#: call with each range of its thread that holds it.
HOLDING = """
SELECT k.rowid, coalesce(s.value, n.text), n.start FROM CUPTI_ACTIVITY_KIND_KERNEL k
JOIN CUPTI_ACTIVITY_KIND_RUNTIME r
  ON k.correlationId = r.correlationId AND k.globalPid = (r.globalTid & 0xFFFFFFFFFF000000)
JOIN NVTX_EVENTS n ON n.start <= r.start AND n.end >= r.end AND n.globalTid = r.globalTid
LEFT JOIN StringIds s ON n.textId = s.id
WHERE n.eventType IN (59, 60, 70, 71) AND n.endGlobalTid IS NULL
"""


def traced(tmp_path, version="2026.2.1.210", count=5, suffix="", kernels=KERNELS):
    export = NsysExport(version, suffix=suffix)
    traced_queries(export, kernels, count, input_bytes=600_000)
    return export.write(tmp_path / "x.sqlite")


def ranges_of(trace):
    return [None if run.range is None else trace.ranges[run.range].name for run in trace.runs]


@pytest.mark.parametrize("suffix", ["", "_V3"])
@pytest.mark.parametrize("version", VERSIONS)
def test_kernels_of_each_query_have_the_ranges_of_their_layers(tmp_path, version, suffix):
    trace = read_export(traced(tmp_path, version, suffix=suffix))
    assert trace.query_kind == "enqueue"
    assert (len(trace.queries), trace.queries_found) == (5, 5)
    assert ranges_of(trace) == [each.range for each in KERNELS] * 5
    assert [run.query for run in trace.runs] == [query for query in range(5) for _ in KERNELS]
    assert [trace.ranges[run.range].is_region for run in trace.runs[:4]] == [False, False, False, True]
    assert {run.origin for run in trace.runs} == {"call"}
    assert [run.end_ns - run.begin_ns for run in trace.runs[:4]] == [each.took_ns for each in KERNELS]
    first, second = (trace.configs[run.config] for run in trace.runs[:2])
    assert (first.grid, first.block, first.registers, first.shared_bytes) == (
        (128, 1, 1),
        (256, 1, 1),
        64,
        49152,
    )
    assert (second.name, second.full_name) == ("cudnn::conv", "void cudnn::conv<float, 4>(float const*)")
    assert trace.device == "NVIDIA H100 80GB HBM3"
    # In 2022 and 2023 the table of the version has another name; before, there is none here.
    assert trace.tool_version == ("" if int(version[:4]) < 2022 else version)
    assert [(each.kind, each.size_bytes) for each in trace.copies] == [(1, 600_000)] * 5


def test_the_innermost_range_is_the_deepest_of_those_that_nvidias_query_joins(tmp_path):
    export = NsysExport()
    traced_queries(export, KERNELS, 3)
    call = export.call(20_000_100, 20_000_200)
    export.kernel(20_001_000, 20_002_000, "nested", call)
    for begin, end, name in ((0, 900, "ExecutionContext::enqueue"), (20, 800, "outer"), (50, 700, "inner")):
        export.mark(20_000_000 + begin, 20_000_000 + end, name)
    path = export.write(tmp_path / "x.sqlite")
    with closing(sqlite3.connect(path)) as connection:
        joined = connection.execute(HOLDING).fetchall()
    held = {}
    for kernel, name, begin in joined:
        if not name.startswith(("ExecutionContext", "myelin")):
            held.setdefault(kernel, []).append((begin, name))
    deepest = [max(held[kernel])[1] for kernel in sorted(held)]
    assert len(deepest) == 13
    assert "outer" not in deepest
    assert ranges_of(read_export(path)) == deepest


def test_only_the_last_queries_are_kept(tmp_path):
    trace = read_export(traced(tmp_path, count=MOST_QUERIES + 7))
    assert (len(trace.queries), trace.queries_found) == (MOST_QUERIES, MOST_QUERIES + 7)
    assert len(trace.runs) == MOST_QUERIES * len(KERNELS)
    assert min(run.begin_ns for run in trace.runs) >= 0
    assert not trace.is_cut


def test_fewer_queries_are_kept_where_they_have_too_many_kernels(tmp_path, monkeypatch):
    monkeypatch.setattr(last_queries, "MOST_RUNS", 30)
    trace = read_export(traced(tmp_path, count=16))
    assert len(trace.queries) == 4
    assert len(trace.runs) == 4 * len(KERNELS)


def graph_export(launches=3, clones=1):
    """Return an export of a CUDA graph: captured inside the ranges, then launched as a whole."""
    export = NsysExport()
    for place, each in enumerate(KERNELS):
        begin = 1_000_000 + 10_000 * place
        export.mark(begin, begin + 9_000, each.range)
        if each.region:
            export.mark(begin + 10, begin + 8_000, "myelinGraphExecute", "myelin-exec", style=START_END)
        export.node(begin + 4_000, 10 + place)
        for clone in range(clones):
            export.node(2_000_000, 10 + place + 100 * (clone + 1), 10 + place + 100 * clone)
    export.mark(1_000_000 - 500, 1_100_000, "ExecutionContext::enqueue")
    now = 5_000_000
    for _ in range(launches):
        call = export.call(now, now + 9_000, "cudaGraphLaunch_v10000")
        begin = now + 12_000
        for place, each in enumerate(KERNELS):
            export.kernel(begin, begin + each.took_ns, each.name, call, node=10 + place + 100 * clones)
            begin += each.took_ns + 800
        now = begin + 20_000
    return export


@pytest.mark.parametrize("clones", [0, 1, 2])
def test_kernels_of_a_cuda_graph_get_the_range_in_which_they_were_captured(tmp_path, clones):
    trace = read_export(graph_export(clones=clones).write(tmp_path / "x.sqlite"))
    assert (trace.query_kind, len(trace.queries)) == ("graph", 3)
    assert ranges_of(trace) == [each.range for each in KERNELS] * 3
    assert {run.origin for run in trace.runs} == {"graph-node"}
    assert [run.query for run in trace.runs] == [0] * 4 + [1] * 4 + [2] * 4


def test_clones_in_a_circle_do_not_hang(tmp_path):
    export = graph_export(clones=0)
    export.node(0, 900, 901)
    export.node(0, 901, 900)
    export.kernel(5_000_500, 5_000_900, "odd", 101, node=900)
    trace = read_export(export.write(tmp_path / "x.sqlite"))
    assert len(trace.runs) == 13


def test_other_threads_devices_and_processes_are_separate(tmp_path):
    export = NsysExport()
    traced_queries(export, KERNELS[:2], 4)
    other = THREAD + 1
    call = export.call(10_010_000, 10_011_000, thread=other)
    export.mark(10_009_000, 10_012_000, "ExecutionContext::enqueue", thread=other)
    export.kernel(10_020_000, 10_021_000, "of_another_thread", call)
    export.kernel(10_020_000, 10_021_000, "of_another_gpu", call, device=1)
    export.kernel(10_022_000, 10_023_000, "of_another_process", 101, process=PROCESS + (1 << 24))
    trace = read_export(export.write(tmp_path / "x.sqlite"))
    assert (trace.other_threads, trace.other_devices) == (1, 1)
    assert read_trace(write_trace(trace).decode(), "x")[0] == trace
    by_name = {trace.configs[run.config].name: run for run in trace.runs}
    assert by_name["of_another_thread"].query is None
    assert by_name["of_another_process"].query is None
    assert by_name["of_another_process"].call_begin_ns is None
    assert "of_another_gpu" not in by_name
    assert by_name["sm80_xmma_fprop_kernel"].query == 3


def test_two_processes_may_count_the_same_correlations(tmp_path):
    """Without queries all processes are read: one per GPU in distributed runs."""
    export = NsysExport()
    other = PROCESS + (1 << 24)
    for number, (process, range_) in enumerate(((PROCESS, "conv1"), (other, "conv2"))):
        export.mark(1_000, 9_000, range_, thread=process + 5)
        values = {"globalTid": process + 5, "correlationId": 7, "nameId": 1}
        export.add("CUPTI_ACTIVITY_KIND_RUNTIME", start=2_000 + number, end=3_000, **values)
        export.kernel(5_000 + number, 8_000, f"kernel{number}", 7, process=process)
    trace = read_export(export.write(tmp_path / "x.sqlite"))
    assert ranges_of(trace) == ["conv1", "conv2"]
    assert [run.call_begin_ns for run in trace.runs] == [0, 1]


def test_waits_are_the_calls_in_which_the_thread_of_the_queries_waited(tmp_path):
    trace = read_export(traced(tmp_path, count=3))
    # The one after the last query is not part of it.
    assert len(trace.waits) == 2
    assert all(
        before.end_ns <= wait.begin_ns and wait.end_ns <= after.begin_ns
        for before, wait, after in zip(trace.queries, trace.waits, trace.queries[1:], strict=False)
    )


def test_a_trace_without_queries_is_read_as_a_whole(tmp_path):
    export = NsysExport()
    call = export.call(100, 200)
    export.kernel(300, 400, "any", call)
    export.mark(50, 250, "my range", "")
    trace = read_export(export.write(tmp_path / "x.sqlite"))
    assert (trace.queries, trace.query_kind, len(trace.runs)) == ((), None, 1)
    assert ranges_of(trace) == ["my range"]


def test_a_range_without_an_end_or_of_another_kind_holds_nothing(tmp_path):
    export = NsysExport()
    call = export.call(100, 200)
    export.kernel(300, 400, "any", call)
    export.mark(50, None, "open", "")
    export.mark(50, 250, "a mark", "", style=34)
    export.mark(50, 250, "a domain", "", style=DOMAIN)
    assert ranges_of(read_export(export.write(tmp_path / "x.sqlite"))) == [None]


def test_an_export_without_kernels_says_how_to_record_them(tmp_path):
    export = NsysExport()
    export.mark(0, 10, "x")
    with pytest.raises(InputError, match=r"x\.sqlite records no CUDA kernels\. Record with nsys profile"):
        read_export(export.write(tmp_path / "x.sqlite"))


def test_graphs_recorded_as_a_whole_are_busy_time_without_layers(tmp_path):
    export = NsysExport("2025.3.1.90")
    for query in range(4):
        begin = 1_000_000 * query
        call = export.call(begin, begin + 5_000, "cudaGraphLaunch_v10000")
        export.graph(begin + 9_000, begin + 309_000, call)
    own = export.call(3_400_000, 3_404_000)
    export.kernel(3_410_000, 3_420_000, "after", own)
    trace = read_export(export.write(tmp_path / "x.sqlite"))
    assert (trace.query_kind, trace.queries_found) == ("graph", 4)
    assert [trace.configs[run.config].name for run in trace.runs] == ["CUDA graph, recorded as a whole"] * 4
    assert {run.end_ns - run.begin_ns for run in trace.runs} == {300_000}
    assert [run.query for run in trace.runs] == [0, 1, 2, 3]
    _, notes = read_trace(write_trace(trace).decode(), "x.kernels.json")
    assert [note.slug for note in notes] == ["graphs-without-kernels"]


def test_graphs_alone_are_a_trace(tmp_path):
    export = NsysExport()
    export.graph(5_000, 9_000, export.call(0, 4_000, "cudaGraphLaunch"))
    trace = read_export(export.write(tmp_path / "x.sqlite"))
    assert len(trace.runs) == 1
    assert trace.runs[0].config == 0


def changed(path, table, change, where="rowid = 2"):
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(f"UPDATE {table} SET {change} WHERE {where}").rowcount  # noqa: S608
    return path


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("CUPTI_ACTIVITY_KIND_KERNEL", "end = start - 1"),
        ("CUPTI_ACTIVITY_KIND_KERNEL", "start = 'x'"),
        ("CUPTI_ACTIVITY_KIND_KERNEL", "start = NULL"),
        ("CUPTI_ACTIVITY_KIND_KERNEL", "gridX = -1, streamId = 1.5"),
        ("CUPTI_ACTIVITY_KIND_RUNTIME", "correlationId = 'x'"),
        ("CUPTI_ACTIVITY_KIND_MEMCPY", "bytes = -1"),
        ("NVTX_EVENTS", "end = start - 1"),
        # Texts and calls that are not there.
        ("NVTX_EVENTS", "textId = 999"),
        ("CUPTI_ACTIVITY_KIND_RUNTIME", "nameId = 999"),
        ("CUPTI_ACTIVITY_KIND_KERNEL", "demangledName = 999, shortName = 998"),
        ("CUPTI_ACTIVITY_KIND_KERNEL", "correlationId = 999"),
    ],
)
def test_rows_that_no_trace_can_have_are_counted(tmp_path, table, change):
    path = traced(tmp_path)
    assert read_export(path).rows_left_out == 0
    assert read_export(changed(path, table, change)).rows_left_out == 1


def test_an_export_without_a_possible_kernel_is_one_line(tmp_path):
    path = changed(traced(tmp_path), "CUPTI_ACTIVITY_KIND_KERNEL", "end = start - 1", "true")
    with pytest.raises(InputError, match="has no CUDA kernel that can be read"):
        read_export(path)


@pytest.mark.parametrize(
    "change",
    [
        ("CUPTI_ACTIVITY_KIND_RUNTIME", "globalTid = globalTid + 1"),
        ("CUPTI_ACTIVITY_KIND_KERNEL", "correlationId = NULL"),
    ],
)
def test_queries_without_calls_of_kernels_are_noted(tmp_path, change):
    path = traced(tmp_path)
    message = "x has no call that launched a kernel of a query, so that no kernel has a layer."
    assert read_trace(write_trace(read_export(path)).decode(), "x")[1] == []
    trace = read_export(changed(path, *change, "true"))
    assert [note.message for note in read_trace(write_trace(trace).decode(), "x")[1]] == [message]
