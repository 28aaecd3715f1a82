"""CSV of Nsight Compute: bytes and operations of kernels, in the units that each file states."""

import json

import pytest

from trexreport.analyzer import analyze
from trexreport.errors import InputError
from trexreport.model.kernel_counters import CountedKernel, KernelCounters
from trexreport.reader import read_engine
from trexreport.reader.nsight.counters_file import read_counters, write_counters
from trexreport.reader.nsight.ncu_csv import read_ncu_csv
from trexreport.wording.kernels import counters_sentence

RAW = """==PROF== Connected to process 4711 (/usr/bin/trtexec)
&&&& RUNNING TensorRT.trtexec
==PROF== Profiling "a" - 0: 0%....50%....100% - 3 passes
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","dram__bytes_read.sum",{more}
"","","","","","","","Mbyte",{units}
"0","1","trtexec","secret-host","sm80_gemm(float *, int)","1","7","1,234.5",{first}
"1","1","trtexec","secret-host","relu","1","7","n/a",{second}
"""
DETAILS = """"ID","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value"
"0","gemm","Command line profiler metrics","dram__bytes_read.sum","Kbyte","2"
"0","gemm","Command line profiler metrics","dram__bytes_write.sum","byte","500"
"0","gemm","Command line profiler metrics","gpu__time_duration.sum","us","41.28"
"1","gemm","Command line profiler metrics","dram__bytes_read.sum","Gbyte","1"
"""


def raw(more, units, first, second):
    return RAW.format(more=more, units=units, first=first, second=second)


def test_the_raw_page_states_units_in_its_second_row():
    text = raw('"dram__bytes_write.sum","gpu__time_duration.sum"', '"Kbyte","us"', '"500","3"', '"1","4"')
    found = read_ncu_csv(text, "x.csv")
    assert [each.name for each in found.kernels] == ["sm80_gemm(float *, int)", "relu"]
    assert found.kernels[0].dram_bytes == pytest.approx(1_234_500_000 + 500_000)
    # Bytes that were read are not known, so that neither is the sum.
    assert found.kernels[1] == CountedKernel("relu")


def test_the_page_of_details_has_a_row_for_each_metric():
    found = read_ncu_csv(DETAILS, "x.csv")
    assert [each.dram_bytes for each in found.kernels] == [2_500, None]


@pytest.mark.parametrize(
    ("unit", "scale"),
    [("byte", 1), ("Kbyte", 1e3), ("KB", 1e3), ("Mbyte", 1e6), ("Gbyte", 1e9), ("Tbyte", 1e12), ("%", None)],
)
def test_units_of_bytes(unit, scale):
    text = raw('"dram__bytes.sum","sm__ops_path_tensor_src_int8.sum"', f'"{unit}",""', '"2","7"', '"1","0"')
    found = read_ncu_csv(text, "x.csv").kernels
    assert [each.dram_bytes for each in found] == ([2 * scale, 1 * scale] if scale else [None, None])


def test_tensor_operations_are_added_without_counting_parts_twice():
    metrics = {
        "sm__ops_path_tensor_src_fp16_dst_fp32.sum": 100,
        "sm__ops_path_tensor_src_fp16_dst_fp32_sparsity_on.sum": 30,
        "sm__ops_path_tensor_src_fp16_dst_fp32_sparsity_off.sum": 70,
        "sm__ops_path_tensor_src_int8_sparsity_on.sum": 4,
        "sm__ops_path_tensor_src_int8_sparsity_off.sum": 1,
        "sm__ops_path_tensor_src_int8.sum.per_second": 999,
    }
    text = raw(
        ",".join(f'"{name}"' for name in metrics),
        ",".join('""' for _ in metrics),
        ",".join(f'"{value}"' for value in metrics.values()),
        ",".join('"0"' for _ in metrics),
    )
    assert [each.tensor_operations for each in read_ncu_csv(text, "x").kernels] == [105, 0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "is not a CSV of Nsight Compute"),
        (
            "Processing [x]...\nNVTX Range,PID,TID,NVTX Inst,Kern Inst,Total Time (ns),Kernel Name\n",
            "is a report of Nsight Systems, which counts no bytes",
        ),
        ("Time (%),Total Time (ns),Instances,Name\n", "Give it with --kernels"),
        (DETAILS.replace("dram", "other"), "has neither bytes of device memory nor operations"),
        ('"ID","Kernel Name","dram__bytes.sum"\n', "has neither bytes"),
        (f'"ID","Kernel Name","dram__bytes.sum"\n"0","{"x" * 200_000}","1"\n', "can't be read as CSV"),
    ],
)
def test_anything_else_is_one_line(text, message):
    with pytest.raises(InputError, match=message):
        read_ncu_csv(text, "x.csv")


@pytest.mark.parametrize("value", ["-1", "nan", "inf", "1e400", "x", "", "1e30"])
def test_impossible_values_are_unknown(value):
    rows = DETAILS.replace('"Gbyte","1"', f'"Gbyte","{value}"')
    assert read_ncu_csv(rows, "x").kernels[1].dram_bytes is None


@pytest.mark.parametrize(("percent", "expected"), [(100.2, 100.2), (100_000, None), (-1, None)])
def test_a_part_of_more_than_the_whole_is_unknown(percent, expected):
    written = write_counters(KernelCounters("x.csv", (CountedKernel("a", 1.0, 2.0, percent),)))
    counters, notes = read_counters(written.decode(), "x")
    assert counters.kernels[0].tensor_active_percent == expected
    assert [note.slug for note in notes] == ["impossible-values"] * (expected is None)


@pytest.mark.parametrize("kernels", [5, "a", {"name": "a"}, None])
def test_what_is_no_list_of_kernels_has_none(kernels):
    document = json.loads(write_counters(KernelCounters("x.csv", (CountedKernel("a", 1.0, 2.0, 3.0),))))
    counters, notes = read_counters(json.dumps(document | {"kernels": kernels, "impossible": -5}), "x")
    assert (counters.kernels, counters.impossible, notes) == ((), 0, [])


def test_counts_are_the_same_when_read_again_and_name_no_host():
    found = KernelCounters("x.csv", (CountedKernel("a", 1.0, None, 5.0), CountedKernel("b", None, 3.0, None)))
    written = write_counters(found)
    assert read_counters(written.decode(), "x") == (found, [])
    text = raw('"dram__bytes_write.sum","a__b.sum"', '"Kbyte",""', '"500","3"', '"1","4"')
    assert b"secret" not in write_counters(read_ncu_csv(text, "x.csv"))


def test_the_csv_in_a_folder_or_named_becomes_a_file_of_the_capture(tmp_path):
    (tmp_path / "x.graph.json").write_text('{"Layers": ["a"], "Bindings": []}')
    (tmp_path / "any.csv").write_text(DETAILS)
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    found, named = (
        read_engine(tmp_path),
        read_engine(tmp_path / "x.graph.json", files={"counters": tmp_path / "any.csv"}),
    )
    for engine in (found, named):
        assert len(engine.counters.kernels) == 2
        assert [each.name for each in engine.sources if each.role == "counters"] == ["x.counters.json"]


def test_a_header_of_other_columns_is_one_line():
    with pytest.raises(InputError, match="has no columns ID and Kernel Name"):
        read_ncu_csv('"ID","Old Kernel Name","dram__bytes.sum"\n"","","byte"\n"0","a","1"\n', "x.csv")


def test_a_name_may_have_line_breaks():
    text = '"ID","Kernel Name","dram__bytes.sum"\n"","","byte"\n"0","a\u2028b\nc","1"\n"1","d","2"\n'
    assert [each.name for each in read_ncu_csv(text, "x.csv").kernels] == ["a\u2028b\nc", "d"]


def test_what_trtexec_prints_before_the_table_makes_it_no_log(tmp_path):
    printed = "&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec\n[I] Throughput: 3 qps\n"
    (tmp_path / "layers.json").write_text('{"Layers": ["a", "b"]}')
    (tmp_path / "counters.csv").write_text(printed + DETAILS)
    for engine in (read_engine(tmp_path), read_engine(tmp_path / "layers.json", tmp_path / "counters.csv")):
        assert len(engine.counters.kernels) == 2
        assert {source.role for source in engine.sources} == {"graph", "counters"}


def test_counts_of_another_engine_are_called_so(tmp_path):
    (tmp_path / "layers.json").write_text('{"Layers": ["a", "b"]}')
    (tmp_path / "counters.csv").write_text(DETAILS)
    facts = analyze(read_engine(tmp_path)).counters
    assert "none of which is known to be of a layer" in counters_sentence(facts)


COUNTS = '"dram__bytes_write.sum","sm__ops_path_tensor_src_fp16.sum","{}"'.format(
    "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"
)


@pytest.mark.parametrize("cell", ["-3", "NaN", "inf", "1e31", "abc", "1,5,2", "5%", "0x10", "\u0661"])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_counts_that_no_kernel_has_are_unknown_and_noted(cell, place):
    cells = ["500", "7", "50"]
    cells[place] = cell
    text = raw(COUNTS, '"byte","","%"', '"500","7","50"', ",".join(f'"{each}"' for each in cells))
    found = read_ncu_csv(text.replace('"n/a"', '"1"'), "x.csv")
    assert found.kernels[0].tensor_active_percent == 50
    values = found.kernels[1]
    assert [values.dram_bytes, values.tensor_operations, values.tensor_active_percent][place] is None
    assert found.impossible == 1
    metric = COUNTS.split(",")[place].strip('"')
    (note,) = read_counters(write_counters(found).decode(), "x.counters.json")[1]
    assert f"in x.counters.json count as unknown: 1, such as {metric} of ID 1." in note.message


def test_other_percentages_and_units_are_noted():
    # Passes in which a kernel takes more or less time make more than the whole.
    rows = ('"500","7","107.1"', '"500","7","50"')
    found = read_ncu_csv(raw(COUNTS, '"byte","","%"', *rows), "x.csv")
    assert (found.kernels[0].tensor_active_percent, found.impossible) == (107.1, 0)
    assert read_counters(write_counters(found).decode(), "x") == (found, [])
    rows = ('"500","7","150"', '"500","7","50"')
    assert read_ncu_csv(raw(COUNTS, '"byte","","%"', *rows), "x.csv").impossible == 1
    assert read_ncu_csv(raw(COUNTS, '"furlong","","%"', *rows), "x.csv").impossible == 3


@pytest.mark.parametrize("cells", ['"","n/a","(!) n/a"', '"(!) nan","nan","no data"'])
def test_what_was_not_collected_or_is_not_counted_is_not_damage(cells):
    found = read_ncu_csv(raw(COUNTS, '"byte","","%"', '"500","7","50"', cells), "x.csv")
    assert (found.impossible, found.kernels[1]) == (0, CountedKernel("relu"))
    assert read_counters(write_counters(found).decode(), "x") == (found, [])


def test_rows_without_a_kernel_are_noted():
    text = raw('"dram__bytes_write.sum"', '"byte"', '"500"', '"500"')
    last = text.splitlines()[-1]
    for more in (last, last.replace('"1"', '"x"', 1), last[:40]):
        found = read_ncu_csv(f"{text}{more}\n", "x.csv")
        assert (len(found.kernels), found.impossible) == (2, 1)
    assert read_ncu_csv(f"{text}==PROF== Disconnected, from process\n", "x.csv").impossible == 0


def test_a_metric_that_is_stated_twice_is_unknown():
    more = '"1","gemm","Other","dram__bytes_read.sum","Gbyte","{}"\n'
    once = DETAILS.replace(
        '"Gbyte","1"\n', '"Gbyte","1"\n"1","gemm","x","dram__bytes_write.sum","byte","0"\n'
    )
    assert read_ncu_csv(once + more.format(1), "x.csv").kernels[1].dram_bytes == 1e9
    found = read_ncu_csv(once + more.format(2), "x.csv")
    assert (found.kernels[1].dram_bytes, found.impossible) == (None, 1)
    with pytest.raises(InputError, match="has a column twice"):
        read_ncu_csv(raw('"dram__bytes_read.sum"', '"byte"', '"500"', '"500"'), "x.csv")


@pytest.mark.parametrize(("number", "expected"), [("1234.5", 1234.5), ("1.234,5", 1234.5), ("1,5", 1.5)])
@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_a_spreadsheet_may_have_written_it(number, expected, delimiter):
    rows = ["ID|CC|Kernel Name|dram__bytes.sum", "|||byte", f"0|9.0|gemm|{number}"]
    found = read_ncu_csv("\n".join(rows).replace("|", delimiter), "x.csv")
    assert (found.kernels[0].dram_bytes, found.compute_capability, found.impossible) == (expected, 90, 0)


@pytest.mark.parametrize(("number", "expected"), [("1,38", 1.38), ("1.234,5", 1234.5), ("1,234", 1234)])
def test_ncu_writes_decimal_commas_in_some_languages(number, expected):
    text = f'"ID","Kernel Name","dram__bytes.sum"\n"","","byte"\n"0","a","{number}"\n"1","b","7"\n'
    found = read_ncu_csv(text, "x.csv")
    assert ([each.dram_bytes for each in found.kernels], found.impossible) == ([expected, 7], 0)


@pytest.mark.parametrize("capability", ["-8.0", "abc", "8"])
def test_an_impossible_compute_capability_is_noted(capability):
    found = read_ncu_csv(
        f'"ID","CC","Kernel Name","dram__bytes.sum"\n"","","","byte"\n"0","{capability}","k","1"', "x"
    )
    assert (found.compute_capability, found.first_impossible) == (None, "CC of ID 0")


@pytest.mark.parametrize("page", ["raw", "details"])
def test_rows_in_any_order_are_kernels_in_the_order_of_their_numbers(page):
    if page == "raw":
        header = '"ID","Kernel Name","dram__bytes.sum"'
        rows = ['"","","byte"', *(f'"{number}","k{number}","{number}"' for number in range(12))]
    else:
        header = '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"'
        rows = [
            f'"{number}","k{number}","dram__bytes_{part}.sum","byte","{number if part == "read" else 0}"'
            for number in range(12)
            for part in ("read", "write")
        ]
    expected = tuple(CountedKernel(f"k{number}", float(number)) for number in range(12))
    for order in (rows, rows[::-1], sorted(rows, key=lambda row: row.split(",")[-1])):
        found = read_ncu_csv("\n".join([header, *order]) + "\n", "x.csv")
        assert (found.kernels, found.impossible) == (expected, 0)


def test_a_number_that_is_there_again_is_noted_and_counts_once():
    text = '"ID","Kernel Name","dram__bytes.sum"\n"","","byte"\n"0","a","1"\n"1","b","2"\n"0","a","3"\n'
    found = read_ncu_csv(text, "x.csv")
    assert found.kernels == (CountedKernel("a", 1.0), CountedKernel("b", 2.0))
    assert (found.impossible, found.first_impossible) == (1, "a second row of ID 0")


@pytest.mark.parametrize("layout", ["raw", "details"])
def test_a_number_of_very_many_digits_is_no_number_of_a_kernel(layout):
    number = "9" * 5_000
    if layout == "raw":
        text = f'"ID","Kernel Name","dram__bytes.sum"\n"","","byte"\n"0","a","1"\n"{number}","b","2"\n'
    else:
        titles = '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"'
        rows = (f'"{each}","a","dram__bytes.sum","byte","1"' for each in ("0", number))
        text = "\n".join([titles, *rows, ""])
    found = read_ncu_csv(text, "x.csv")
    assert found.kernels == (CountedKernel("a", 1.0),)
    assert (found.impossible, found.first_impossible) == (1, f"the row of ID {number[:20]!r}")


@pytest.mark.parametrize(
    ("numbers", "lacking"), [([0, 1, 2], 0), ([2, 0, 1], 0), ([0, 2], 1), ([1, 2], 1), ([0, 9], 8)]
)
def test_numbers_without_a_row_are_noted(numbers, lacking):
    rows = "".join(f'"{number}","a","1"\n' for number in numbers)
    found = read_ncu_csv(f'"ID","Kernel Name","dram__bytes.sum"\n"","","byte"\n{rows}', "x.csv")
    kept, notes = read_counters(write_counters(found).decode(), "x")
    assert (found.lacking, kept) == (lacking, found)
    assert [note.slug for note in notes] == ["counts-missing"] * (lacking > 0)


def test_an_impossible_count_is_named_with_its_place():
    document = json.loads(write_counters(KernelCounters("x.csv", (CountedKernel("a", 1.0),))))
    kernels = [{"name": "a", "dram_bytes": 1.0}, {"name": "b", "tensor_operations": -1}]
    (note,) = read_counters(json.dumps(document | {"kernels": kernels}), "x.counters.json")[1]
    assert "kernels[1].tensor_operations = -1" in note.message


@pytest.mark.parametrize(("ending", "impossible"), [('"5"\n', 0), ('"5"', 0), ('"5', 1)])
def test_a_row_that_is_cut_is_noted(ending, impossible):
    text = raw('"dram__bytes_write.sum","gpu__time_duration.sum"', '"Kbyte","us"', '"500","3"', '"1","4"')
    cut = text[: text.rindex('"4"')] + ending
    assert read_ncu_csv(cut, "x.csv").impossible == impossible


def test_a_key_twice_in_kept_counts_is_noted():
    text = write_counters(KernelCounters("x.csv", (CountedKernel("a", 1.0),))).decode()
    doubled = text.replace('"dram_bytes":1.0', '"dram_bytes":1.0,"dram_bytes":7.0')
    assert doubled != text
    counters, notes = read_counters(doubled, "x.counters.json")
    assert counters.kernels[0].dram_bytes is None
    assert any("is stated a second time" in note.message for note in notes)
