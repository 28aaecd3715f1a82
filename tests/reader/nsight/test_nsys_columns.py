"""The tables that `nsys stats` prints as text are read as its CSV reports are."""

import shutil
from dataclasses import replace

import pytest
from conftest import SAMPLES

from trexreport.analyzer import analyze
from trexreport.reader import read_engine
from trexreport.reader.nsight.nsys_columns import as_csv
from trexreport.renderer.summary_blocks import kernels_summary

NAME = "resnet18-int8-before"
NEWER = """\
[5/8] Executing 'cuda_gpu_kern_sum' stats report

 ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):

 Time (%)  Total Time (ns)  Instances  Avg (ns)  Min (ns)  Max (ns)  StdDev (ns)           Name
 --------  ---------------  ---------  --------  --------  --------  -----------  ----------------------
     75.0            9,000          3   3,000.0     2,900     3,100        100.0  void conv<float, 4>(i…
     25.0            3,000          2   1,500.0     1,500     1,500          0.0  __myl_Add

[6/8] Executing 'cuda_gpu_mem_time_sum' stats report

 ** CUDA GPU MemOps Summary (by Time) (cuda_gpu_mem_time_sum):

 Time (%)  Total Time (ns)  Count  Avg (ns)  Med (ns)  Min (ns)  Max (ns)  StdDev (ns)      Operation
 --------  ---------------  -----  --------  --------  --------  --------  -----------  --------------------
    100.0              500      1     500.0     500.0       500       500          0.0  [CUDA memcpy HtoD]
"""
OLDER = """\
CUDA Kernel Statistics (nanoseconds)

Time(%)      Total Time   Instances         Average         Minimum         Maximum  Name
-------  --------------  ----------  --------------  --------------  --------------  ----------
   75.0            9000           3          3000.0            2900            3100  void conv<float, 4>(…
   25.0            3000           2          1500.0            1500            1500  __myl_Add


CUDA Memory Operation Statistics (nanoseconds)

Time(%)      Total Time  Operations         Average         Minimum         Maximum  Name
-------  --------------  ----------  --------------  --------------  --------------  ----------
  100.0             500           1           500.0             500             500  [CUDA memcpy HtoD]
"""
#: A number is wider than its column.
WIDE = """\
 Total Time (ns)  Instances  Name
 -------  -----  ----
   9000000000      3  conv 1
     3000      2  b
"""


@pytest.mark.parametrize("text", [NEWER, NEWER.replace("\n", "\r\n"), OLDER])
def test_kernels_of_printed_tables_are_read(tmp_path, text):
    path = tmp_path / "stats.txt"
    path.write_bytes(text.encode())
    trace = read_engine(SAMPLES / NAME, path).kernels
    found = [(trace.configs[each.config].name, each.runs, each.total_ns) for each in trace.sums]
    assert found == [("conv", 3, 9_000), ("__myl_Add", 2, 3_000)]
    assert trace.reports == ("cuda_gpu_kern_sum",)
    assert trace.rows_left_out == 0


def test_cells_wider_than_their_column_are_divided_at_spaces():
    assert as_csv(WIDE).splitlines()[1:] == ["9000000000,3,conv 1", "3000,2,b"]


def test_other_texts_stay_as_they_are():
    assert as_csv("a  b\n----\n\n-- --x\n") == "a  b\n----\n\n-- --x\n"


def test_printed_tables_beside_a_capture_are_read(tmp_path):
    folder = shutil.copytree(SAMPLES / NAME, tmp_path / NAME)
    (folder / "nsys.txt").write_text(NEWER, "utf-8")
    assert len(read_engine(folder).kernels.sums) == 2


@pytest.mark.parametrize("is_folder", [True, False])
def test_printed_tables_alone_are_a_capture(tmp_path, is_folder):
    path = tmp_path / "nsys.txt"
    path.write_text(NEWER, "utf-8")
    engine = read_engine(tmp_path if is_folder else path)
    assert not engine.layers
    assert len(engine.kernels.sums) == 2
    (section,) = kernels_summary(analyze(engine))
    assert [row[1:] for row in section.blocks[-1].entries] == [
        (3, pytest.approx(75), 0.009),
        (2, pytest.approx(25), 0.003),
    ]


def test_a_kernel_of_few_queries_is_launched(tmp_path):
    path = tmp_path / "nsys.txt"
    path.write_text(NEWER, "utf-8")
    analysis = analyze(read_engine(path))
    kernels = [replace(each, launches=0.25) for each in analysis.kernels.kernels]
    (section,) = kernels_summary(replace(analysis, kernels=replace(analysis.kernels, kernels=kernels)))
    table = section.blocks[-1]
    assert table.columns[1].write(table.entries[0][1]) == "0.250"
