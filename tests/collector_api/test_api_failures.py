"""What goes wrong is one line that says what, in which words TensorRT stated it, and with which exit code."""

from __future__ import annotations

import subprocess
import sys

import pytest

from trexreport.collector.backends import PROGRAM, open_api_backend
from trexreport.errors import MissingToolError, ToolFailedError


def failure(api, fault, *flags, version="10.16.0", **others):
    with pytest.raises(ToolFailedError) as raised:
        api.collect(version, *flags, fault=fault, **others)
    error = raised.value
    assert error.exit_code == 5
    assert "\n" not in str(error)
    assert "trtexec" not in str(error)
    return error


@pytest.mark.parametrize("version", ["8.6.1", "10.0.1"])
def test_a_model_that_can_not_be_parsed_gives_the_parsers_message(api, version):
    error = failure(api, "parse", version=version)
    assert "The build run failed: TensorRT knows no operator Frobnicate" in str(error)
    stated = " ".join(error.details)
    # Only later versions know nodes by name.
    assert ("(/head/Frob Frobnicate)" in stated) == (version == "10.0.1")
    assert "In node 5" in stated


def test_a_build_that_fails_names_the_node(api):
    error = failure(api, "build")
    assert "TensorRT found no kernel for conv_17" in str(error)
    assert not api.path("").exists()


def test_an_empty_plan_is_no_engine(api):
    assert "The engine could not be built" in str(failure(api, "empty"))


def test_too_little_memory_for_the_inputs(api):
    error = failure(api, "memory")
    assert "There was not enough memory" in str(error)
    assert error.details[0] == "Cuda failure: out of memory (cudaMalloc)"


def test_too_little_memory_for_the_context(api):
    assert "There was not enough memory" in str(failure(api, "context"))


def test_an_engine_of_another_version_is_named_with_both_versions(api):
    api.collect("10.0.1")
    engine = api.folder.parent / "old.engine"
    api.path("").rename(engine)
    api.folder = api.folder.parent / "second"
    error = failure(api, "", source=engine)
    assert "The engine is of TensorRT 10.0.1, and what loads it is of 10.16.0." in str(error)


def test_a_file_that_is_no_engine(api):
    engine = api.folder.parent / "any.engine"
    engine.write_bytes(b"\x00 no plan")
    error = failure(api, "", source=engine)
    assert "built by another version of TensorRT, or is damaged" in str(error)


def test_an_engine_of_a_tensorrt_that_can_not_begin(api):
    api.collect("10.16.0")
    engine = api.folder.parent / "whole.engine"
    api.path("").rename(engine)
    api.folder = api.folder.parent / "second"
    error = failure(api, "runtime", source=engine)
    assert any("factory function returned nullptr" in line for line in error.details)


def test_no_gpu(api):
    assert "There is no GPU that TensorRT could use" in str(failure(api, "no-gpu"))
    assert "The GPU driver is too old" in str(failure(api, "no-driver"))


def test_a_crash_is_named_and_leaves_what_was_finished(api):
    assert "TensorRT crashed (SIGSEGV)" in str(failure(api, "crash"))


def test_queries_that_are_refused(api):
    error = failure(api, "enqueue")
    assert "A query could not be enqueued." in error.details


def test_a_build_that_hangs_is_ended(api):
    error = failure(api, "hang", timeout_s=2)
    assert "was ended after 2 s" in str(error)


def test_a_dynamic_model_without_shapes_says_which_input(api):
    error = failure(api, "", version="11.4.0")
    assert "The model has dynamic shapes and none were given" in str(error)
    assert "Input images has dynamic or shape inputs (-1x3x640x640)" in error.details[0]


@pytest.mark.parametrize(
    "shapes", ["pictures:1x3x640x640", "images:1x3x640x640,more:1", "images:9x3x640x640"]
)
def test_shapes_that_do_not_fit(api, shapes):
    flags = (f"--shapes={shapes}", "--minShapes=images:1x3x640x640", "--maxShapes=images:8x3x640x640")
    assert "The shapes do not fit the model or the engine" in str(failure(api, "", *flags, version="11.4.0"))


def test_a_range_that_is_none(api):
    flags = (
        "--minShapes=images:8x3x640x640",
        "--optShapes=images:4x3x640x640",
        "--maxShapes=images:1x3x640x640",
    )
    error = failure(api, "", *flags, version="11.4.0")
    assert "does not take the optimization profile" in error.details[0]


def test_a_plugin_that_is_not_there(api):
    error = failure(api, "", "--staticPlugins=/absent/plugin.so")
    assert error.details[0] == "The plugin library /absent/plugin.so can't be loaded."


@pytest.mark.parametrize(
    ("version", "flag", "lacking"),
    [
        ("10.0.1", "--maxTactics=3", "max_num_tactics"),
        ("10.0.1", "--int4", "builder flag INT4"),
        ("8.6.1", "--memPoolSize=tacticSharedMem:1", "memory pool TACTIC_SHARED_MEMORY"),
    ],
)
def test_the_program_itself_says_what_its_version_does_not_have(api, version, flag, lacking):
    api.be(version)
    words = [f"--onnx={api.model}", f"--saveEngine={api.model}.engine", "--skipInference", flag]
    done = subprocess.run([*PROGRAM, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"[E] TensorRT {version} has no {lacking}." in done.stdout
    assert done.stdout.splitlines()[-1].startswith("&&&& FAILED TensorRT.trexreport")


def test_without_tensorrt_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(sys, "path", [path for path in sys.path if "doubles" not in path])
    monkeypatch.setitem(sys.modules, "tensorrt", None)
    with pytest.raises(MissingToolError) as raised:
        open_api_backend()
    assert raised.value.exit_code == 4
    assert str(raised.value).startswith("The Python package tensorrt is not installed.")
    assert "trexreport[tensorrt]" in raised.value.hint


def test_without_cuda_python_it_says_how_to_get_it(tmp_path, monkeypatch):
    (tmp_path / "tensorrt.py").touch()
    (tmp_path / "cuda").mkdir()  # as other packages of NVIDIA's leave it
    monkeypatch.setattr(sys, "path", [str(tmp_path), *(path for path in sys.path if "doubles" not in path)])
    for name in [name for name in sys.modules if name.split(".")[0] in {"cuda", "tensorrt"}]:
        monkeypatch.delitem(sys.modules, name)
    # To look for it imports the folder, which is to be forgotten again even if nothing was there before.
    monkeypatch.setitem(sys.modules, "cuda", None)
    monkeypatch.delitem(sys.modules, "cuda")
    with pytest.raises(MissingToolError, match="cuda-python is not installed"):
        open_api_backend()


def test_a_tensorrt_whose_library_is_missing_is_a_missing_tool(api, tmp_path, monkeypatch):
    folder = tmp_path / "broken"
    folder.mkdir()
    text = "libnvinfer.so.10: cannot open shared object file: No such file or directory"
    (folder / "tensorrt.py").write_text(f"raise ImportError({text!r})\n")
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=":")
    api.be("10.16.0")
    with pytest.raises(MissingToolError) as raised:
        open_api_backend()
    assert "can't be used: libnvinfer.so.10: cannot open shared object file" in str(raised.value)
