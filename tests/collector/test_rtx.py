"""Commands for tensorrt_rtx, the program of TensorRT for RTX, and a capture that is made with it."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from trexreport.cli import main
from trexreport.collector.arguments import read_arguments
from trexreport.collector.backends import choose_backend
from trexreport.collector.commands import plan_commands
from trexreport.collector.flags import flag_table, rtx_flag_table, table_for
from trexreport.collector.jobs import Job
from trexreport.collector.trtexec import find_trtexec
from trexreport.collector.versions import Version, trtexec_version
from trexreport.errors import MissingToolError, UsageError
from trexreport.reader import read_engine

RTX = Version(1, 4)
#: It is built from the source of trtexec, whose first line has that name.
BANNER = "&&&& RUNNING TensorRT.trtexec [TensorRT v10400] [b76] # tensorrt_rtx --help"


def _plan(*arguments, **changes):
    return plan_commands(Job("m.onnx", "out", arguments, ("tensorrt_rtx",), runs=1, **changes), RTX)


def _flags(command):
    return [word.partition("=")[0] for word in command.words[1:]]


def test_its_version_is_known_by_its_banner():
    assert trtexec_version(BANNER) == RTX
    assert (RTX.program, RTX.product) == ("tensorrt_rtx", "TensorRT for RTX 1.4.0")
    assert not Version(8, 2).is_rtx


def test_commands_are_those_of_trtexec_without_what_it_lacks():
    plan = _plan()
    assert [_flags(command) for command in plan.commands] == [
        ["--onnx", "--saveEngine", "--skipInference", "--profilingVerbosity"],
        [
            *("--loadEngine", "--exportLayerInfo", "--exportProfile", "--profilingVerbosity"),
            *("--separateProfileRun", "--useCudaGraph", "--noDataTransfers", "--useSpinWait"),
            *("--warmUp", "--duration", "--iterations", "--avgRuns"),
        ],
        [
            *("--loadEngine", "--exportTimes", "--useCudaGraph", "--noDataTransfers", "--useSpinWait"),
            *("--warmUp", "--duration", "--iterations", "--avgRuns"),
        ],
    ]
    assert all(command.words[0] == "tensorrt_rtx" for command in plan.commands)
    assert any("NVIDIA's documentation" in note for note in plan.notes)


def test_its_own_flags_go_to_the_runs_that_they_are_for():
    build, profile, timing = _plan(
        "useGpu", "runtimeCacheFile=a.cache", "--specializeStrategyDS=eager"
    ).commands
    assert "--useGpu" in build.words
    assert "--runtimeCacheFile=a.cache" not in build.words
    for command in (profile, timing):
        assert {"--runtimeCacheFile=a.cache", "--specializeStrategyDS=eager"} <= set(command.words)
        assert "--useGpu" not in command.words


def test_its_word_for_cuda_graphs_replaces_that_of_trtexec():
    _, _, timing = _plan("--rtxCudaGraphStrategy=disable").commands
    assert "--useCudaGraph" not in timing.words
    assert "--rtxCudaGraphStrategy=disable" in timing.words


@pytest.mark.parametrize("flag", sorted(set(rtx_flag_table().reasons)))
def test_what_it_lacks_is_refused_with_a_reason(flag):
    with pytest.raises(UsageError) as refused:
        _plan(f"--{flag}" if flag in rtx_flag_table().switches else f"--{flag}=x:1")
    assert f"tensorrt_rtx does not take --{flag}. {rtx_flag_table().reasons[flag]}" in str(refused.value)


def test_an_unknown_flag_is_passed_on_with_a_note():
    plan = _plan("--novel=1")
    assert "--novel=1" in plan.commands[0].words
    assert any("--novel is not known here" in note for note in plan.notes)


def test_shapes_of_a_dynamic_model_are_those_of_the_newest_trtexec():
    given = ("minShapes=x:1x3", "optShapes=x:4x3", "maxShapes=x:8x3")
    assert "--shapes=x:4x3" in _plan(*given).commands[2].words


def test_each_program_has_its_table():
    assert table_for(RTX) is rtx_flag_table()
    assert table_for(Version(10, 3)) is flag_table()
    assert read_arguments(("useGpu",), rtx_flag_table())[0].name == "useGpu"


def test_it_is_found_on_the_path_alone(tmp_path):
    program = tmp_path / "tensorrt_rtx"
    program.write_text("")
    program.chmod(0o755)
    environment = {"PATH": str(tmp_path), "TREXREPORT_TRTEXEC": "trtexec"}
    assert find_trtexec(environment=environment, tool="tensorrt_rtx") == (str(program),)
    with pytest.raises(MissingToolError, match="tensorrt_rtx was not found"):
        find_trtexec(environment={"PATH": ""}, tool="tensorrt_rtx")


def test_trtexec_and_the_bindings_are_not_taken_for_it(double):
    with pytest.raises(UsageError, match="not tensorrt_rtx"):
        choose_backend("auto", shlex.join(double.program), tool="tensorrt_rtx")
    with pytest.raises(UsageError, match="--backend api"):
        choose_backend("api", None, tool="tensorrt_rtx")


def test_a_version_of_trtexec_is_none_of_it(tmp_path):
    (tmp_path / "m.onnx").write_bytes(b"x")
    words = ("collect", str(tmp_path / "m.onnx"), "-o", str(tmp_path / "out"), "--tool", "tensorrt_rtx")
    result = CliRunner().invoke(main, [*words, "--dry-run", "--for-version", "10.3"])
    assert result.exit_code == 2
    assert "tensorrt_rtx has no version 10.3.0" in result.output


def test_a_capture_is_made_with_it(tmp_path, double):
    """The double of trtexec 11.1 answers; what is before it takes the flags of RTX and states its version."""
    double.wish(version="11.1.0")
    program = tmp_path / "tensorrt_rtx"
    program.write_text(
        f"#!{sys.executable}\nimport subprocess, sys\n"
        "words = [each for each in sys.argv[1:] if not each.startswith('--runtimeCacheFile')]\n"
        f"run = subprocess.run([*{double.program!r}, *words], capture_output=True, text=True)\n"
        "text = (run.stdout + run.stderr).replace('v110100', 'v10400').replace('11.1.0', '1.4.0')\n"
        "print(text)\nsys.exit(run.returncode)\n"
    )
    program.chmod(0o755)
    model = Path(tmp_path / "m.onnx")
    model.write_bytes(b"x")
    words = ("collect", str(model), "-o", str(tmp_path / "out"), "--trtexec", str(program), "--runs", "0")
    result = CliRunner().invoke(main, [*words, "--gpu-interval", "0", "runtimeCacheFile=a.cache"])
    assert result.exit_code == 0, result.output
    engine = read_engine(tmp_path / "out")
    assert engine.setup.tensorrt_version == "RTX 1.4.0"
    assert engine.layers
    assert engine.queries is not None
