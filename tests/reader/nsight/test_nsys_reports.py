"""Reports of `nsys stats --format csv`: what each has, in every form that nsys and spreadsheets write."""

import re
import shutil

import pytest
from conftest import SAMPLES
from generator.nsys import START_END, NsysExport, TracedKernel, traced_queries
from nsys_reports import GPU_TRACE, Reports

from trexreport.analyzer import analyze
from trexreport.errors import InputError
from trexreport.reader import read_engine
from trexreport.reader.nsight.export import read_export
from trexreport.reader.nsight.nsys_reports import read_reports
from trexreport.reader.nsight.nsys_tables import has_reports
from trexreport.reader.nsight.trace_file import read_trace, write_trace
from trexreport.wording.kernels import trace_sentence

KERNELS = (
    TracedKernel("conv1 + relu1", "sm80_xmma_fprop_kernel", 20_000),
    TracedKernel("conv2", "void cudnn::conv<float, 4>(float const*)", 30_000),
    TracedKernel("conv2", "cutlass_splitk_reduce", 5_000, stream=8, launch_delay_ns=90_000),
    TracedKernel("{ForeignNode[a...b]}", "__myl_AddMul_0x1", 8_000, region=True),
    TracedKernel("", "own_plugin", 3_000),
)
BANNER = (
    "NOTICE: Existing SQLite export found: x.sqlite\n       Consider using --force-export=true if needed.\n\n"
    "Processing [x.sqlite] with [/opt/nvidia/nsight-systems/reports/x.py]... \n"
)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    export = NsysExport()
    traced_queries(export, KERNELS, 5, input_bytes=600_000)
    return export.write(tmp_path_factory.mktemp("nsys") / "x.sqlite")


@pytest.fixture(scope="module")
def reports(path):
    return Reports(path)


def sums(trace):
    """Return range, kernel, runs and time of the sums of layers."""
    return sorted(
        (trace.ranges[each.range].name, trace.configs[each.config].name, each.runs, each.total_ns)
        for each in trace.sums
        if each.place == "layer"
    )


OF_LAYERS = [
    ("conv1 + relu1", "sm80_xmma_fprop_kernel", 5, 100_000),
    ("conv2", "conv", 5, 150_000),
    ("conv2", "cutlass_splitk_reduce", 5, 25_000),
    ("{ForeignNode[a...b]}", "__myl_AddMul_0x1", 5, 40_000),
]


def test_traces_of_calls_runs_and_ranges_have_what_the_export_has(path, reports):
    parts = (reports.launch_trace(), reports.range_trace(), reports.gpu_trace(), reports.api_trace())
    export = read_export(path)
    for contents in (parts, [BANNER + f"\n{BANNER}".join(parts)]):
        trace = read_reports(contents, "x.csv")
        assert trace.runs == export.runs
        assert trace.ranges == export.ranges
        assert (trace.queries, trace.queries_found) == (export.queries, 5)
        assert trace.waits == export.waits
        assert trace.device == export.device
        assert [(each.begin_ns, each.end_ns, each.kind) for each in trace.copies] == [
            (each.begin_ns, each.end_ns, each.kind) for each in export.copies
        ]
        known = [(each.full_name, each.grid, each.block, each.registers) for each in export.configs]
        assert [(each.full_name, each.grid, each.block, each.registers) for each in trace.configs] == known


def test_sums_by_range_have_kernels_of_layers_and_those_of_the_query(reports):
    trace = read_reports([reports.range_kernels()], "x.csv")
    assert sums(trace) == OF_LAYERS
    assert trace.runs == ()
    assert {each.range_runs for each in trace.sums if each.place == "query"} == {5}
    assert trace.reports == ("nvtx_kern_sum",)


def test_sums_are_those_of_the_thread_with_most_queries(tmp_path):
    export = NsysExport()
    traced_queries(export, KERNELS[:1], 3)
    other = export.call(90_000_000, 90_001_000, thread=4711 << 24 | 99)
    export.kernel(90_002_000, 90_003_000, "k", other)
    export.mark(89_999_000, 90_002_000, "conv1 + relu1", thread=4711 << 24 | 99)
    export.mark(89_998_000, 90_003_000, "ExecutionContext::enqueue", thread=4711 << 24 | 99)
    trace = read_reports([Reports(export.write(tmp_path / "x.sqlite")).range_kernels()], "x")
    assert sums(trace) == [("conv1 + relu1", "sm80_xmma_fprop_kernel", 3, 60_000)]
    assert trace.other_threads == 1


def in_microseconds(text):
    """Return nvtx_kern_sum with `--timeunit usec`."""
    header, *rows = text.replace("(ns)", "(\u03bcs)").splitlines()
    cells = [row.split(",", 12) for row in rows]
    scaled = [
        ",".join([*row[:6], *(f"{float(each) / 1000:.3f}" for each in row[6:12]), row[12]]) for row in cells
    ]
    return "\n".join([header, *scaled])


def as_spreadsheet(text):
    """Return nvtx_kern_sum as a spreadsheet with decimal commas saves it."""
    lines = in_microseconds(text.replace('"void cudnn::conv<float, 4>(float const*)"', "conv")).splitlines()
    return "\ufeff" + "\r\n".join(re.sub(r"(?<=\d)\.(?=\d)", ",", line.replace(",", ";")) for line in lines)


def with_thousands(text):
    header, *rows = text.splitlines()
    cells = [row.split(",", 12) for row in rows]
    return "\n".join([header, *(",".join([*row[:6], f'"{int(row[6]):,}"', *row[7:]]) for row in cells)])


@pytest.mark.parametrize(
    "form",
    [
        str,
        in_microseconds,
        as_spreadsheet,
        with_thousands,
        lambda text: text.replace("TensorRT:", "").replace("myelin-exec:", "myelin-exec"),
        lambda text: text.replace(" (ns)", "(nsec)"),
        lambda text: text.replace("Min (ns)", "Minimum (ns)"),
        lambda text: BANNER + text + "\nSKIPPED: x.sqlite does not contain OpenMP data.\n",
        lambda text: text.replace("\n", "\r\n"),
    ],
    ids=["plain", "microseconds", "spreadsheet", "thousands", "names", "units", "early", "banner", "crlf"],
)
def test_every_form_has_the_same_sums(reports, form):
    trace = read_reports([form(reports.range_kernels())], "x.csv")
    assert sums(trace) == OF_LAYERS
    assert trace.rows_left_out == 0


@pytest.mark.parametrize("cell", ["1,23", "12,5", "x", "", "-5", "nan", "1e400", "1,2345", "0x10", "\u0661"])
def test_rows_without_a_time_are_left_out_and_counted(reports, cell):
    text = reports.range_kernels().replace(",5,150000,", f',5,"{cell}",')
    trace = read_reports([text], "x.csv")
    assert [each for each in sums(trace) if each[1] == "conv"] == []
    assert trace.rows_left_out == 2
    _, notes = read_trace(write_trace(trace).decode(), "x.kernels.json")
    assert [note.message for note in notes] == [
        "Rows and values of x.csv that are impossible were left out: 2."
    ]


@pytest.mark.parametrize(
    ("report", "old", "new"),
    [
        # Shortest, longest and all runs do not fit together.
        ("range_kernels", ",30000,30000,", ",30001,30000,"),
        ("kernels", ",30000,30000,", ",-3,30000,"),
        ("kernels", "45.5,150000,5,", "45.5,150007,5,"),
        ("kernels", "45.5,150000,5,", "45.5,149993,5,"),
        ("gpu_trace", ",256,1,1,64,", ",256,0,1,64,"),
        ("range_kernels", ",30000,30000,0.0,", ",30000,30000,5.0,"),
        ("kernels", ",30000,30000,0.0,", ",29000,31000,0.0,"),
        # The share is that of another time.
        ("kernels", "45.5,150000,5,", "45.7,150000,5,"),
        ("gpu_trace", ",256,1,1,64,", ",256,-1,1,64,"),
        ("gpu_trace", ",256,1,1,64,", ",256,1,1,x,"),
        ("launch_trace", " 256    1    1", " 256  1.5    1"),
        # More than 100 years.
        ("kernels", ",30000,30000,", f",30000,{10**20},"),
    ],
)
def test_values_that_no_kernel_has_are_counted(reports, report, old, new):
    text = getattr(reports, report)()
    assert read_reports([text], "x.csv").rows_left_out == 0
    assert old in text
    assert read_reports([text.replace(old, new, 1)], "x.csv").rows_left_out == 1


@pytest.mark.parametrize(("factor", "at"), [(2, 3), (0, 3), (9, 0), (9, -2)])
def test_a_row_out_of_order_is_counted(reports, factor, at):
    header, *rows = reports.gpu_trace().splitlines(keepends=True)
    start, rest = rows[at].split(",", 1)
    changed = list(rows)
    changed[at] = f"{int(start) * factor},{rest}"
    assert read_reports([header + "".join(changed)], "x.csv").rows_left_out == 1
    # A spreadsheet may have sorted it by something else.
    by_length = sorted(rows, key=lambda row: int(row.split(",")[1]))
    assert read_reports([header + "".join(by_length)], "x.csv").rows_left_out == 0


def test_a_lost_row_of_sums_shows_in_the_shares(reports):
    *rows, last = reports.kernels().splitlines(keepends=True)
    assert read_reports(["".join([*rows, last])], "x.csv").rows_left_out == 0
    assert read_reports(["".join(rows)], "x.csv").rows_left_out > 0


def test_a_lost_row_of_queries_shows_in_the_layers(reports):
    header, *rows = reports.range_kernels().splitlines(keepends=True)
    query = next(row for row in rows if "enqueue" in row and "sm80_xmma_fprop_kernel" in row)
    assert read_reports(["".join([header, *rows])], "x.csv").rows_left_out == 0
    lacking = [header, *(row for row in rows if row != query)]
    assert read_reports(["".join(lacking)], "x.csv").rows_left_out == 1
    # A layer that is loaded or built once is in no query.
    once = [
        row.replace("TensorRT:conv1 + relu1,PushPop,4712,4712,5", "TensorRT:load,PushPop,4712,4712,1")
        for row in lacking
    ]
    assert once != lacking
    assert read_reports(["".join(once)], "x.csv").rows_left_out == 0


def test_times_that_are_rounded_contradict_nothing():
    text = "Total Time (ms),Instances,Min (ms),Max (ms),Name\n0.1,3,0.033,0.033,conv\n"
    trace = read_reports([text], "x.csv")
    assert (trace.sums[0].total_ns, trace.rows_left_out) == (100_000, 0)


@pytest.mark.parametrize("more", [1, 3])
def test_a_row_that_is_there_again_is_left_out_and_counted(reports, more):
    lines = reports.kernels().splitlines(keepends=True)
    trace = read_reports(["".join([*lines, *[lines[-1]] * more])], "x.csv")
    assert (len(trace.sums), trace.rows_left_out) == (len(lines) - 1, more)
    trace = read_reports(["".join([*lines, *lines[1:] * more])], "x.csv")
    assert (len(trace.sums), trace.rows_left_out) == (len(lines) - 1, more * (len(lines) - 1))


@pytest.mark.parametrize("cells", [2, 12])
def test_a_row_that_is_cut_off_is_counted(reports, cells):
    text = reports.range_kernels()
    rows = len(read_reports([text], "x.csv").sums)
    *whole, last = text.splitlines()
    trace = read_reports(["\n".join([*whole, ",".join(last.split(",")[:cells])])], "x.csv")
    assert (len(trace.sums), trace.rows_left_out) == (rows - 1, 1)
    assert read_reports([text.rstrip("\n")], "x.csv").rows_left_out == 0


@pytest.mark.parametrize(
    ("name", "cut"),
    [
        ('"void cudnn::conv<float, 4>(float const*)"', '"void cudnn::conv<float, 4'),
        ("gemm<float>(half*)", "gemm<float>(half"),
        ("gemm<float>", "gemm<flo"),
        ("__myl_AddMul_0x1", "__myl_Add"),
    ],
)
def test_a_row_that_is_cut_inside_its_name_is_counted(name, cut):
    rows = f"Total Time (ns),Instances,Name\n9,1,{name}\n8,1,__myl_AddMul_0x1\n"
    assert read_reports([f"{rows}7,1,{cut}"], "x.csv").rows_left_out == 1
    for whole in (f"{rows}7,1,own", f"{rows}7,1,own<operator< >", f"{rows}7,1,{cut[:-1]}x()\n"):
        assert read_reports([whole], "x.csv").rows_left_out == 0


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        (["Time (%),Total Time (ns),Num Calls,Name\n"], "has no report of Nsight Systems: none has kernels"),
        (["Start (ns),Duration (ns),Name,Result,CorrID,Pid,Tid\n1,2,a,0,1,1,1\n"], "has cuda_api_trace of"),
        (["Time (%),Total Time (ns),Instances,Name\n"], "has no row of a kernel"),
        (["Total Time (ns),Instances,Name\n5,1,a\n\nTotal Time (ns),Instances,Name\n6,1,a\n"], "twice"),
        ([f'Total Time (ns),Instances,Name\n5,1,"{"x" * 200_000}"\n'], "can't be read as CSV"),
    ],
)
def test_what_has_no_kernels_is_one_line(contents, message):
    with pytest.raises(InputError, match=message):
        read_reports(contents, "x.csv")


def test_the_file_of_a_capture_has_all_of_the_reports(reports):
    trace = read_reports([reports.range_kernels(), reports.gpu_trace()], "x.csv")
    assert read_trace(write_trace(trace).decode(), "x")[0] == trace


@pytest.fixture
def folder(tmp_path):
    return shutil.copytree(SAMPLES / "resnet18-int8-before", tmp_path / "capture")


def of_engine(tmp_path, folder, files, kernels=KERNELS, count=5):
    """Return the analysis of an engine whose first layers ran kernels, with reports in its folder."""
    names = [layer.name for layer in read_engine(folder).layers[:3]]
    renamed = dict(zip(("conv1 + relu1", "conv2"), names, strict=False))
    export = NsysExport()
    own = [TracedKernel(renamed.get(e.range, e.range), e.name, e.took_ns, region=e.region) for e in kernels]
    traced_queries(export, own, count)
    made = Reports(export.write(tmp_path / "made.sqlite"))
    for name, kind in files.items():
        (folder / name).write_text(getattr(made, kind)())
    return analyze(read_engine(folder))


def test_reports_in_a_folder_give_layers_their_kernels(tmp_path, folder):
    found = of_engine(
        tmp_path, folder, {"r_nvtx_kern_sum.csv": "range_kernels", "r_cuda_gpu_trace.csv": "gpu_trace"}
    ).kernels
    assert [each and (each.launches, each.time_ms) for each in found.layers[:3]] == [
        (1, pytest.approx(0.02)),
        (2, pytest.approx(0.035)),
        None,
    ]
    assert (found.queries, found.traced_queries, found.launches) == (5, 0, 5)
    assert found.kernel_ms == pytest.approx(0.066)
    assert found.region_percent == pytest.approx(100 * 8 / 66)
    assert found.kernels[-1].min_ms == pytest.approx(0.003)
    assert found.idle_ms > 0
    assert trace_sentence(found).startswith(
        "Nsight Systems, nvtx_kern_sum and cuda_gpu_trace on NVIDIA H100 80GB HBM3: 5 queries. The layer is"
    )


def test_sums_alone_state_that_gaps_are_not_known(tmp_path, folder):
    found = of_engine(tmp_path, folder, {"r.csv": "range_kernels"}).kernels
    assert (found.traced_ms, found.idle_ms, found.idle_percent, found.gaps) == (None, None, None, [])
    assert "sums without single runs: gaps and idle time are not known" in trace_sentence(found)


def test_totals_alone_state_that_layers_are_not_known(tmp_path, folder):
    found = of_engine(tmp_path, folder, {"r.csv": "kernels"}).kernels
    assert (found.queries, found.launches, found.matched_percent) == (0, 25, 0)
    assert set(found.layers) == {None}
    assert "The report nvtx_kern_sum or a SQLite export has the layers" in trace_sentence(found)


def test_work_of_ranges_without_kernels_is_that_of_layers(tmp_path, folder):
    found = of_engine(tmp_path, folder, {"r.csv": "range_trace"}).kernels
    assert [(each.layer, each.name, each.launches) for each in found.kernels[:2]] == [(0, "", 1), (1, "", 2)]
    assert found.kernels[0].time_ms == pytest.approx(0.02)


def test_a_kernel_of_ranges_inside_each_other_is_given_to_none(tmp_path, folder):
    names = [layer.name for layer in read_engine(folder).layers[:2]]
    export = NsysExport()
    traced_queries(export, [TracedKernel(names[0], "k", 5_000)], 4)
    for each in list(export._rows["NVTX_EVENTS"]):
        if each.get("textId") == export.text(names[0]):
            export.mark(each["start"], each["end"], names[1])
    text = Reports(export.write(tmp_path / "x.sqlite")).range_kernels()
    (folder / "r.csv").write_text(text)
    found = analyze(read_engine(folder)).kernels
    assert [(each.layer, each.launches, each.time_ms) for each in found.kernels] == [
        (None, 1, pytest.approx(0.005))
    ]


def test_reports_of_several_traces_are_noted(tmp_path, folder):
    found = of_engine(tmp_path, folder, {"a_gpukernsum.csv": "kernels", "b_gpukernsum.csv": "kernels"})
    assert found.kernels is None
    notes = [note.message for note in read_engine(folder).notes if note.slug == "kernels-not-read"]
    assert len(notes) == 1
    assert notes[0].startswith("The folder has reports of 2 traces of Nsight Systems, of which none was")


def test_a_report_may_be_named_or_given_alone(tmp_path, folder):
    of_engine(tmp_path, folder, {"r.csv": "range_kernels"})
    moved = (folder / "r.csv").rename(tmp_path / "any.csv")
    assert len(read_engine(folder, files={"kernels": moved}).kernels.sums) == 10
    assert len(read_engine(folder, moved).kernels.sums) == 10


def test_a_region_is_known_by_the_ranges_of_myelin(tmp_path):
    export = NsysExport()
    traced_queries(export, KERNELS[3:4], 2)
    assert export._rows["NVTX_EVENTS"][-1]["eventType"] != START_END
    trace = read_reports([Reports(export.write(tmp_path / "x.sqlite")).range_kernels()], "x.csv")
    assert [each.place for each in trace.sums] == ["query", "layer", "region"]


@pytest.mark.parametrize(
    ("unit", "total"),
    [("(ns)", 2), ("", 2), ("(us)", 2_000), ("(ms)", 2_000_000), ("(sec)", 2 * 10**9), ("(s)", 2 * 10**9)],
)
def test_whole_numbers_have_the_unit_of_their_heading(unit, total):
    trace = read_reports([f"Time (%),Total Time {unit},Instances,Name\n100.0,2,1,k\n"], "x.csv")
    assert [each.total_ns for each in trace.sums] == [total]


def test_an_unknown_unit_is_no_time():
    with pytest.raises(InputError, match="has no row of a kernel"):
        read_reports(["Time (%),Total Time (ticks),Instances,Name\n100.0,2,1,k\n"], "x.csv")


def test_a_line_end_inside_a_line_is_none_of_a_report():
    assert has_reports(f"{GPU_TRACE}\n")
    assert not has_reports(GPU_TRACE.replace("Duration", "Dura\rtion"))
