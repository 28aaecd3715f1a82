"""The flags of trtexec that the API backend's program takes."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trexreport.collector.backends import ApiBackend
from trexreport.collector.commands import plan_commands
from trexreport.collector.jobs import Job
from trexreport.collector.polygraphy import Polygraphy
from trexreport.collector.tensorrt_api.options import KNOWN, Request, ShapeRange, read_request, read_shapes
from trexreport.collector.versions import Version
from trexreport.errors import UsageError


@pytest.mark.parametrize(
    "text", ["8.6.1", "9.3.0", "10.0.1", "10.7.0", "10.13.3", "10.16.0", "11.0.0", "11.4.0"]
)
def test_the_collectors_own_flags_are_known_for_every_version(text):
    job = Job("m.onnx", "out", ("--shapes=x:1x3",), program=("p",), runs=2)
    commands = plan_commands(job, Version.parse(text)).commands
    assert [command.stage.value for command in commands] == ["build", "profile", "timing", "timing"]
    for command in commands:
        request = read_request(command.words[1:])
        assert request.measures == (command.stage.value != "build")
        if request.measures:
            major = Version.parse(text).major
            assert request.uses_graph(major)
            assert request.spins(major)
            assert not request.transfers(major)


@pytest.mark.parametrize("major", [8, 10, 11])
def test_defaults_are_those_of_the_versions_trtexec(major):
    plain = read_request([])
    assert plain.transfers(major) == (major < 11)
    assert plain.uses_graph(major) == plain.spins(major) == (major >= 11)


def test_shapes_alone_are_the_whole_range():
    request = read_request(["--shapes=x:4x3,'y:0':scalar,z:"])
    assert request.profiles == (ShapeRange(request.shapes, request.shapes, request.shapes),)
    assert request.shapes == {"x": (4, 3), "y:0": (), "z": ()}
    assert request.profiles[0].of("x") == ((4, 3), (4, 3), (4, 3))


def test_what_is_missing_of_a_range_is_the_nearest():
    (range_,) = read_request(["--minShapes=x:1", "--maxShapes=x:8"]).profiles
    assert range_.of("x") == ((1,), (8,), (8,))
    assert range_.names == ["x"]


def test_profiles_are_distinguished():
    first, second = read_request(
        ["--profile=0", "--optShapes=x:2", "--profile=1", "--optShapes=x:7", "--useProfile=1"]
    ).profiles
    assert (first.opt, second.opt) == ({"x": (2,)}, {"x": (7,)})


def test_profiles_that_leave_one_out_are_refused():
    with pytest.raises(UsageError, match="leave none out"):
        read_request(["--profile=1", "--optShapes=x:2"])


def test_pools_are_in_mib():
    request = read_request(["--memPoolSize=workspace:0.5,tacticSharedMem:1"])
    assert request.pools_bytes == {"WORKSPACE": 2**19, "TACTIC_SHARED_MEMORY": 2**20}


@pytest.mark.parametrize(
    "word",
    [
        "--useDLACore=first",
        "--inputIOFormats=fp16",
        "--inputIOFormats=fp17:chw",
        "--layerPrecisions=conv",
        "--layerPrecisions=conv:fp16+fp32",
        "--tacticSources=CUDNN",
        "--preview=+unknown",
        "--hardwareCompatibilityLevel=volta",
        "--weightStreamingBudget=101%",
        "--weightStreamingBudget=much",
        "--tilingOptimizationLevel=4",
        "--safe",
        "--duration=-1",
        "--duration=long",
        "--iterations",
        "--infStreams=2",
        "--sparsity=force",
        "--profilingVerbosity=loud",
        "--memPoolSize=dlaSDRAM:1",
        "--shapes=x",
        "--shapes=x:1xa",
    ],
)
def test_what_can_not_be_done_is_refused_in_one_line(word):
    with pytest.raises(UsageError) as raised:
        read_request([word])
    assert "\n" not in str(raised.value)


@given(
    st.dictionaries(
        st.from_regex(r"[A-Za-z_][\w.:/]{0,8}[\w]", fullmatch=True), st.lists(st.integers(-1, 999))
    )
)
def test_shapes_are_read_as_written(shapes):
    text = ",".join(f"'{name}':{'x'.join(map(str, sizes))}" for name, sizes in shapes.items())
    assert read_shapes(text) == {name: tuple(sizes) for name, sizes in shapes.items()}


@given(st.sampled_from(sorted(KNOWN)), st.text(max_size=12))
def test_any_value_is_read_or_refused(name, value):
    with suppress(UsageError):
        assert isinstance(read_request([f"--{name}={value}"]), Request)


def test_polygraphy_runs_beside_the_bindings():
    backend = ApiBackend(("python", "-m", "program"), Version(10, 13))
    plan = backend.plan(Job("m.onnx", "out", ("--fp16",), runs=1, accuracy=Polygraphy()))
    assert plan.commands[-1].words[:3] == ("polygraphy", "run", "m.onnx")
    # The program takes its own flags alone.
    assert [each.words[:3] for each in plan.commands[:-1]] == [("python", "-m", "program")] * 3


def test_debug_tensors_are_those_of_trtexec():
    with pytest.raises(UsageError, match="runs trtexec"):
        ApiBackend(("python",), Version(10, 13)).plan(Job("m.onnx", "out", accuracy="trtexec"))
