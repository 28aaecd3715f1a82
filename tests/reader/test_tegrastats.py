"""A log of tegrastats beside a capture is what the GPU did, and files of other kinds are left out."""

from __future__ import annotations

import json

import pytest

from trexreport.errors import InputError
from trexreport.reader import read_engine

PROFILE = [{"count": 10}, {"name": "a", "timeMs": 10.0, "averageMs": 1.0, "medianMs": 1.0, "percentage": 100}]
LINE = (
    "{}RAM 1644/7486MB (lfb 14x4MB) CPU [1%@1728] EMC_FREQ 5%@3199 GR3D_FREQ {}%@[1016] gpu@52.5C "
    "VDD_CPU_GPU_CV 4123mW/4000mW\n"
)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "x.profile.json").write_text(json.dumps(PROFILE))
    return tmp_path


def log_of(stamps, use=99):
    return "".join(LINE.format(stamp, use) for stamp in stamps)


@pytest.mark.parametrize(
    ("stamps", "times"),
    [
        (["", "", ""], (0, 1, 2)),
        ([f"08-21-2026 23:47:0{at} " for at in (7, 7, 8, 8, 9)], (0, 0.5, 1, 1.5, 2)),
        (["99-99-2026 23:47:07 ", "99-99-2026 23:47:09 "], (0, 1)),
        (["08-21-2026 23:47:07 "] * 2, (0, 1)),
    ],
)
def test_samples_of_tegrastats(folder, stamps, times):
    (folder / "power.log").write_text(log_of(stamps))
    for engine in (read_engine(folder), read_engine(folder / "x.profile.json", folder / "power.log")):
        assert engine.gpu is not None
        assert engine.gpu.time_s == times
        assert engine.gpu.sm_clock_mhz == (1016,) * len(times)
        assert engine.gpu.gpu_utilization_percent == (99,) * len(times)


def test_a_log_alone_is_to_be_given_with_a_capture(tmp_path):
    (tmp_path / "power.log").write_text(log_of([""]))
    for place in (tmp_path, tmp_path / "power.log"):
        with pytest.raises(
            InputError, match=r"power has samples of the GPU, and no layers or times"
        ) as error:
            read_engine(place)
        assert error.value.hint.endswith("trexreport report CAPTURE FILE.")


def test_an_engine_is_not_called_after_it(folder):
    (folder / "power.log").write_text(log_of([""]))
    assert read_engine(folder).name == read_engine(folder / "x.profile.json").name == "x"
    banner = "&&&& RUNNING TensorRT.trtexec [TensorRT v8401] # trtexec --onnx=m.onnx\n"
    (folder / "x.profile.json").rename(folder / "z.json")
    assert read_engine(folder).name == "z"
    (folder / "z.json").unlink()
    (folder / "run_of_model.log").write_text(banner)
    assert read_engine(folder).name == "run_of_model"


def test_impossible_values_are_left_out(folder):
    (folder / "power.log").write_text(log_of([""], 999))
    engine = read_engine(folder)
    assert engine.gpu is not None
    assert engine.gpu.gpu_utilization_percent == (None,)


def test_of_several_none_is_read(folder):
    (folder / "a.log").write_text(log_of([""]))
    (folder / "b.log").write_text(log_of(["", ""]))
    engine = read_engine(folder)
    assert engine.gpu is None
    assert "such as a.log and b.log" in next(
        note.message for note in engine.notes if note.slug == "several-of-one-kind"
    )


@pytest.mark.parametrize(
    ("content", "what"),
    [('{"iters": 200, "latency_ms_mean": 41.5}', "JSON with 'iters'"), ("Entity,SMACT\n", "a table of DCGM")],
)
def test_files_of_another_kind_are_left_out_beside_others(folder, content, what):
    other = folder / "bench.json"
    other.write_text(content)
    notes = read_engine(folder / "x.profile.json", other).notes
    assert what in next(note.message for note in notes if note.slug == "other-file")
    with pytest.raises(InputError, match="bench"):
        read_engine(other)


def test_a_damaged_file_is_refused_beside_others_too(folder):
    (folder / "cut.json").write_text('{"Layers": [')
    with pytest.raises(InputError, match="cut"):
        read_engine(folder / "x.profile.json", folder / "cut.json")


def test_cores_are_read_while_the_gpu_is_busy(folder):
    line = "RAM 3/7MB (lfb 1x4MB) CPU [{}%@729,96%@{},off] EMC_FREQ 5%@3199 GR3D_FREQ {}%@[408] gpu@52.5C\n"
    (folder / "power.log").write_text(
        line.format(1, 1500, 0) + line.format(7, 729, 30) + line.format(100, 729, 32)
    )
    assert read_engine(folder).gpu.facts == {
        "cpu_busiest_core_percent": 98,
        "cpu_clock_mhz": 729,
        "cpu_cores": 3,
        "cpu_cores_on": 2,
    }


@pytest.mark.parametrize("cpu", ["", "CPU [off,off] ", "CPU [5%,7%] "])
def test_lines_without_clocks_of_cores_state_no_cpu(folder, cpu):
    (folder / "power.log").write_text(f"RAM 3/7MB (lfb 1x4MB) {cpu}GR3D_FREQ 30%@[408]\n")
    assert not read_engine(folder).gpu.facts
