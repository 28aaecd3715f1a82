"""Runs under Nsight's tools: few queries, at the end, and where trtexec is."""

import os
import re
import stat

import pytest

from trexreport.collector.commands import plan_commands
from trexreport.collector.jobs import Job
from trexreport.collector.nsight import check_tools
from trexreport.collector.request import CollectRequest
from trexreport.collector.script import render_script
from trexreport.collector.versions import Version
from trexreport.errors import MissingToolError


def planned(*arguments, version="10.3.0", program=("trtexec",), tools=("nsys", "ncu"), **more):
    job = Job("m.onnx", "out", arguments, program=program, tools=tools, **more)
    return plan_commands(job, Version.parse(version))


def under(plan, tool):
    (command,) = (each for each in plan.commands if each.tool == tool)
    return command


@pytest.mark.parametrize("version", ["8.5.3", "10.3.0", "11.0"])
def test_the_tools_run_trtexec_once_more_with_few_queries(version):
    plan = planned("duration=60", "iterations=9999", version=version)
    assert [each.tool for each in plan.commands] == [None] * 5 + ["nsys", "ncu"]
    for tool, queries in (("nsys", "30"), ("ncu", "1")):
        words = under(plan, tool).words
        assert words[0] == tool
        assert f"--iterations={queries}" in words
        assert "--duration=0" in words
        assert not {"--duration=60", "--iterations=9999", "--separateProfileRun"} & set(words)
        assert "--loadEngine=out/m.engine" in words


def test_each_tool_writes_one_file_of_the_capture_and_no_log_of_trtexec():
    plan = planned()
    nsys, ncu = under(plan, "nsys"), under(plan, "ncu")
    assert (nsys.writes, nsys.log) == (("out/m.engine.nsys.sqlite",), "out/m.engine.nsys.out")
    assert (ncu.writes, ncu.log) == (("out/m.engine.ncu.csv",), "out/m.engine.ncu.out")
    assert "--output=out/m.engine.nsys" in nsys.words
    assert {"--export=sqlite", "--cuda-graph-trace=node", "--trace=cuda,nvtx"} <= set(nsys.words)
    assert {"--log-file=out/m.engine.ncu.csv", "--launch-count=2000"} <= set(ncu.words)


def test_arguments_of_the_measurement_are_kept():
    words = under(planned("shapes=x:1x3", "noCudaGraph"), "nsys").words
    assert "--shapes=x:1x3" in words
    assert "--useCudaGraph" not in words


def test_a_tool_is_where_trtexec_is():
    inside = under(planned(program=("docker", "run", "image", "trtexec")), "nsys").words
    assert inside[:4] == ("docker", "run", "image", "nsys")
    assert "trtexec" in inside
    remote = under(planned(program=("ssh", "host", "trtexec")), "nsys").words
    assert remote[:3] == ("ssh", "host", "nsys")
    assert any(word.startswith("--output=/") for word in remote)


def test_without_the_options_nothing_runs_under_a_tool():
    assert {each.tool for each in planned(tools=()).commands} == {None}
    assert {each.tool for each in planned(measures=False).commands} == {None}


def test_the_script_has_the_runs():
    script = render_script(planned())
    assert "nsys \\\n    profile" in script
    assert "written out/m.engine.ncu.csv" in script


def test_a_missing_tool_is_named_before_anything_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingToolError, match=r"ncu was not found\. It comes with Nsight Compute"):
        check_tools(("ncu",), ("trtexec",))
    check_tools(("ncu",), ("docker", "run", "image", "trtexec"))
    program = tmp_path / "ncu"
    program.write_text("#!/bin/sh\n")
    os.chmod(program, stat.S_IRWXU)  # noqa: PTH101
    check_tools(("ncu",), ("trtexec",))


def test_the_request_passes_the_tools_on():
    request = CollectRequest((), "auto", None, 1, None, None, None, 0, quiet=True, verbose=False, ncu=True)
    assert request.job("m.onnx", "out").tools == ("ncu",)


def test_operations_of_tensor_cores_are_counted_once_for_each_type():
    words = under(planned(), "ncu").words
    (metrics,) = [word for word in words if word.startswith("--metrics=")]
    pattern = re.compile(metrics.rpartition("regex:")[2])
    names = ("src_int8.sum", "src_fp16_dst_fp32.sum", "src_fp16_dst_fp32_sparsity_on.sum", "src_int8.avg")
    found = [name for name in names if pattern.search(f"sm__ops_path_tensor_{name}")]
    assert found == ["src_int8.sum", "src_fp16_dst_fp32.sum"]
    # ncu separates metrics by commas.
    assert "," not in pattern.pattern
