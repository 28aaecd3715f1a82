"""A Jetson is described by its own files and programs, and watched by tegrastats where NVML is absent."""

from __future__ import annotations

import os

import pytest

from trexreport.collector.gpu import GpuOptions, gpu_session
from trexreport.collector.gpu import session as gpu_sessions
from trexreport.collector.gpu.device import COLUMNS
from trexreport.collector.gpu.jetson import describe_board
from trexreport.collector.gpu.tegrastats import Tegra
from trexreport.errors import MissingToolError
from trexreport.reader.tegrastats import read_line

pytestmark = pytest.mark.skipif(os.name != "posix", reason="trexreport collects on POSIX systems")

#: Lines in the forms of Orin Nano, AGX Orin without rights, Xavier, TX2 and Nano.
LINES = {
    "RAM 3012/7620MB (lfb 4x4MB) CPU [3%@1510,off] EMC_FREQ 12%@2133 GR3D_FREQ 98%@[1007] cpu@50C "
    "gpu@52.5C VDD_IN 9001mW/9001mW VDD_CPU_GPU_CV 4123mW/4000mW": (1007, 2133, 98, 12, 52.5, 4.123),
    "RAM 1/2MB GR3D_FREQ 7% GPU@-256C VDD_GPU_SOC 3000mW/3000mW": (None, None, 7, None, None, 3.0),
    "RAM 1/2MB EMC_FREQ 5%@1600 GR3D_FREQ 45%@318 GPU@35C GPU 250mW/200mW": (318, 1600, 45, 5, 35.0, 0.25),
    "EMC_FREQ 1% GR3D_FREQ 0%@114 GPU@39.5C VDD_SYS_GPU 152/152": (114, None, 0, 1, 39.5, 0.152),
    "GR3D_FREQ 21%@921 POM_5V_IN 2000/2000 POM_5V_GPU 120/120 GPU@31C": (921, None, 21, None, 31.0, 0.12),
}


@pytest.mark.parametrize(("line", "expected"), LINES.items())
def test_lines_of_tegrastats(line, expected):
    found, _ = read_line(line)
    names = ("sm_clock_mhz", "memory_clock_mhz", "gpu_utilization_percent", "memory_utilization_percent")
    assert tuple(found[name] for name in (*names, "temperature_c", "power_w")) == expected
    assert tuple(found) == COLUMNS


@pytest.mark.parametrize("line", ["", "GR3D_FREQ", "GR3D_FREQ x%@[y]", "gpu@C", "VDD_GPU mW/1", "\0" * 99])
def test_what_a_line_does_not_state_is_unknown(line):
    assert set(read_line(line)[0].values()) == {None}


@pytest.fixture
def programs(tmp_path, monkeypatch):
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    def put(name, script):
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
        return str(folder / name)

    return put


LINE = next(iter(LINES))


def without_nvml(monkeypatch):
    def refuse(*_):
        raise MissingToolError("NVML can't be used.")

    monkeypatch.setattr(gpu_sessions, "open_gpu", refuse)


def test_the_gpu_is_watched_with_tegrastats(programs, monkeypatch):
    without_nvml(monkeypatch)
    programs("tegrastats", f"while :; do echo '{LINE}'; sleep 0.01; done")
    with gpu_session(GpuOptions(interval_ms=10, lock_clocks=900)) as session, session.phase("timing"):
        process = session._gpu._process
    document = session.document()
    assert process.poll() is not None
    assert set(document["samples"]["sm_clock_mhz"]) == {1007}
    assert "watched with tegrastats" in session.notes[0]
    assert "rail VDD_CPU_GPU_CV" in session.notes[0]
    assert "jetson_clocks" in session.notes[1]


@pytest.mark.parametrize("script", ["exit 1", "echo nothing of a GPU; exec sleep 60"])
def test_a_tegrastats_that_states_nothing(programs, monkeypatch, script):
    monkeypatch.setattr("trexreport.collector.gpu.tegrastats._FIRST_LINE_S", 0.3)
    without_nvml(monkeypatch)
    programs("tegrastats", script)
    with gpu_session(GpuOptions()) as session:
        pass
    assert session.document() is None
    assert session.notes == ["The GPU was not watched: NVML can't be used."]


def test_the_clock_of_the_kernel_where_tegrastats_states_none(programs, tmp_path):
    clock = tmp_path / "devfreq" / "17000000.ga10b"
    clock.mkdir(parents=True)
    (clock / "cur_freq").write_text("918000000\n")
    (clock / "max_freq").write_text("1020000000\n")
    tegra = Tegra(programs("tegrastats", "echo GR3D_FREQ 7%; exec sleep 60"), 10, clock.parent)
    try:
        assert tegra.sample()["sm_clock_mhz"] == 918
        assert tegra.describe()["max_sm_clock_mhz"] == 1020
    finally:
        tegra.close()


def test_a_board_and_its_power_mode(programs, tmp_path):
    programs("nvpmodel", "echo 'NV Power Mode: MAXN'; echo 0")
    (tmp_path / "model").write_bytes(b"NVIDIA Jetson Orin Nano Developer Kit\0")
    (tmp_path / "release").write_text("# R36 (release), REVISION: 4.3, GCID: 38968081, BOARD: generic\n")
    facts, versions = describe_board(tmp_path / "model", tmp_path / "release")
    assert facts == {"power_mode": "MAXN", "board": "NVIDIA Jetson Orin Nano Developer Kit"}
    assert versions == {"jetson_linux": "36.4.3"}


@pytest.mark.parametrize("script", ["exit 1", "echo 'NV Power Mode:'", "kill -9 $$"])
def test_machines_that_are_no_board(programs, tmp_path, script):
    programs("nvpmodel", script)
    assert describe_board(tmp_path / "model", tmp_path / "release") == ({}, {})
