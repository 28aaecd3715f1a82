"""Times that TensorRT's own profiler prints, a line for each layer."""

from __future__ import annotations

import pytest

from trexreport.errors import InputError
from trexreport.reader import read_engine
from trexreport.reader.printed_times import printed_times, prints_times
from trexreport.reader.profile_file import read_profile
from trexreport.reader.roles import role_of_marks

LAYERS = {
    "Reformatting CopyNode for Input Tensor 0 to conv1 + relu1": 0.03072,
    "conv1 + relu1": 0.120832,
    "pool: 2": 0.055296,
    "fc + (Unnamed Layer* 143) [Shuffle]": 0.0768,
    "Softmax": 1e-05,
}
BEFORE = (
    "[01/31/2022-21:09:23] [TRT] [W] Your ONNX model has been generated with INT64 weights.\nImage 1: cat\n"
)


def _printed(runs=1, ending="\n"):
    lines = [f"{name}: {time_ms * run}ms" for run in range(1, runs + 1) for name, time_ms in LAYERS.items()]
    return BEFORE + ending.join([*lines, ""])


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_run(tmp_path, ending):
    path = tmp_path / "out.log"
    path.write_bytes(_printed(ending=ending).encode())
    engine = read_engine(path)
    assert {layer.name: layer.time.avg_ms for layer in engine.layers} == LAYERS
    assert engine.profiled_iterations == 1


def test_several_runs():
    profile = read_profile(_printed(3), "out.log")
    assert [(row.name, row.time.avg_ms) for row in profile.rows] == [
        (name, pytest.approx(2 * time_ms)) for name, time_ms in LAYERS.items()
    ]
    assert profile.iterations == 3
    assert printed_times(_printed(3))["conv1 + relu1"] == pytest.approx([0.120832, 0.241664, 0.362496])


def test_the_file_is_a_profile_whatever_its_name():
    assert role_of_marks(_printed().encode()) == "profile"


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"Frame {number} + overlay: {number}.5ms\n" for number in range(4)),
        "".join(f"Frame {number}: {number}.5ms\n" for number in range(40)),
        _printed() + "=== Performance summary ===\n",
        "conv1 + relu1: 0.1 s\n" * 10,
        "",
    ],
)
def test_other_output_is_none(text):
    assert not prints_times(text)


def test_what_prints_no_times_stays_an_error():
    with pytest.raises(InputError, match="is not JSON"):
        read_profile("conv1 + relu1: slow\n" * 10, "x.profile.json")
