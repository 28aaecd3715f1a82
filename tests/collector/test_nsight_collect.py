"""A capture made with --nsys and --ncu: stand-ins for the tools write their files and start trtexec."""

import os
import shlex
import sys
from pathlib import Path

import pytest
from collected import UNWATCHED, Progress, names

from samples.generator.nsys import NsysExport, TracedKernel, traced_queries
from trexreport.collector.collect import collect
from trexreport.collector.jobs import Job
from trexreport.collector.trtexec import TrtexecBackend
from trexreport.collector.versions import Version
from trexreport.errors import ToolFailedError
from trexreport.reader import read_engine

pytestmark = pytest.mark.skipif(os.name != "posix", reason="trexreport collects on POSIX systems")

#: Copies the file that it is to write, and runs what follows its own options.
TOOL = """#!{python}
import os, shutil, sys
words = sys.argv[1:]
(target,) = (word.partition("=")[2] for word in words if word.startswith(("--output=", "--log-file=")))
if os.environ.get("NSIGHT_FAILS"):
    sys.exit(3)
shutil.copy({source!r}, target + {ending!r})
start = next(place for place, word in enumerate(words) if not word.startswith("-") and {first!r} in word)
os.execv(words[start], words[start:])
"""


@pytest.fixture
def tools(tmp_path, monkeypatch, double):
    """Put stand-ins for both tools on PATH."""
    export = NsysExport()
    traced_queries(export, [TracedKernel("conv", "a_kernel", 5_000)], 3)
    trace = export.write(tmp_path / "trace.db")
    counts = tmp_path / "counts.txt"
    counts.write_text('"ID","Kernel Name","dram__bytes.sum"\n"","","byte"\n"0","a_kernel","5"\n')
    folder = tmp_path / "tools"
    folder.mkdir()
    program = folder / "trtexec"
    program.write_text(f'#!/bin/sh\nexec {shlex.join(double.program)} "$@"\n')
    program.chmod(0o755)
    for name, source, ending in (("nsys", trace, ".sqlite"), ("ncu", counts, "")):
        text = TOOL.format(python=sys.executable, source=str(source), ending=ending, first=str(program))
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return str(program)


def made(tmp_path, program, double, model, version="10.3.0"):
    double.wish(version)
    job = Job(str(model), str(tmp_path / "out"), runs=1, tools=("nsys", "ncu"))
    collect(job, TrtexecBackend((program,), Version.parse(version)), Progress(), UNWATCHED)
    return tmp_path / "out"


def test_the_capture_has_the_files_of_both_tools(tools, tmp_path, double, model):
    folder = made(tmp_path, tools, double, model)
    files = {"m.engine.nsys.sqlite", "m.engine.nsys.out", "m.engine.ncu.csv", "m.engine.ncu.out"}
    assert files <= names(folder)
    engine = read_engine(folder)
    assert len(engine.kernels.runs) == 3
    assert [each.dram_bytes for each in engine.counters.kernels] == [5]
    # What trtexec prints under a tool is not a measurement.
    assert not [each.name for each in engine.sources if each.name.endswith(".out")]


def test_a_tool_that_fails_is_named(tools, tmp_path, double, model, monkeypatch):
    monkeypatch.setenv("NSIGHT_FAILS", "1")
    with pytest.raises(ToolFailedError, match="The nsys run failed: nsys failed with exit status 3"):
        made(tmp_path, tools, double, model)
    assert not Path(tmp_path / "out" / "m.engine.nsys.sqlite").exists()
