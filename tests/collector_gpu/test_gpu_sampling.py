"""Samples of the GPU are taken while something is measured, in columns that belong together."""

import json
import subprocess
import sys

import pytest
from waiting import wait_until

from trexreport.collector.gpu import GpuOptions, gpu_session
from trexreport.collector.gpu import watch as watch_module
from trexreport.collector.gpu.device import COLUMNS, open_gpu
from trexreport.collector.gpu.watch import GpuWatch
from trexreport.errors import MissingToolError, UsageError

#: A process of another user, who does not descend from this one.
INIT = "1"


def watch(samples=3, **changes):
    """Watch two phases until each has a number of samples."""
    with gpu_session(GpuOptions(interval_ms=10, **changes)) as session:
        for phase in ("profile", "timing"):
            with session.phase(phase):
                wait_for_samples(session, samples)
    return session


def wait_for_samples(session, count):
    """Wait until `count` more samples have been taken."""
    if count:
        times_s = session._watch.columns["time_s"]
        goal = len(times_s) + count
        wait_until(lambda: len(times_s) >= goal, f"sample {goal}")


class Clock:
    """A clock that a sample, or a wait between two, moves on; it ends the watch at a time."""

    def __init__(self, took_s, end_s):
        self.now_s, self.took_s, self.end_s, self.listed = 0.0, list(took_s), end_s, []

    def monotonic(self):
        return self.now_s

    def sample(self):
        self.now_s += self.took_s.pop(0) if self.took_s else 0.0
        return dict.fromkeys(COLUMNS)

    def processes(self):
        self.listed.append(round(self.now_s, 4))
        return {}

    def wait(self, seconds):
        self.now_s += seconds
        return self.now_s >= self.end_s - 1e-9


@pytest.mark.parametrize(
    ("took_s", "times_s"),
    [
        ([], [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]),
        ([0.04, 0.04], [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]),
        # A sample that takes longer than the interval leaves out moments of the grid, and moves none.
        ([0.0, 0.25], [0.0, 0.1, 0.4, 0.5]),
        ([0.15], [0.0, 0.2, 0.3, 0.4, 0.5]),
    ],
)
def test_samples_are_taken_at_the_moments_of_a_grid(monkeypatch, took_s, times_s):
    clock = Clock(took_s, 0.6)
    monkeypatch.setattr(watch_module.time, "monotonic", clock.monotonic)
    watched = GpuWatch(clock, 100)
    watched._sample_until(clock)
    assert watched.columns["time_s"] == pytest.approx(times_s)


def test_processes_are_listed_once_a_second(monkeypatch):
    clock = Clock([], 3.05)
    monkeypatch.setattr(watch_module.time, "monotonic", clock.monotonic)
    GpuWatch(clock, 250)._sample_until(clock)
    # Once for those before, once at the beginning.
    assert clock.listed == pytest.approx([0.0, 0.0, 1.0, 2.0, 3.0])


def test_columns_are_of_equal_length_and_the_time_grows(board):
    document = watch().document()
    columns = document["samples"]
    assert list(columns) == ["time_s", *COLUMNS]
    assert len({len(column) for column in columns.values()}) == 1
    assert len(columns["time_s"]) >= 6
    assert columns["time_s"] == sorted(set(columns["time_s"]))
    assert set(columns["sm_clock_mhz"]) == {1755}
    assert set(columns["power_w"]) == {312.456}
    assert set(columns["throttle_reasons"]) == {4}


def test_phases_have_the_samples_that_were_taken_in_them(board):
    document = watch().document()
    profile, timing = document["phases"]
    assert (profile["name"], timing["name"]) == ("profile", "timing")
    assert profile["begin_s"] < profile["end_s"] <= timing["begin_s"] < timing["end_s"]
    times_s = document["samples"]["time_s"]
    within = [
        [time_s for time_s in times_s if phase["begin_s"] <= time_s <= phase["end_s"]]
        for phase in (profile, timing)
    ]
    assert min(map(len, within)) >= 3
    assert set(times_s) == {*within[0], *within[1]}


def test_the_document_says_what_was_held_and_is_json(board):
    document = watch(lock_clocks=1410, power_limit_w=250).document()
    assert document["locked_sm_clock"] == 1410
    assert document["set_power_limit_w"] == 250
    assert set(document["samples"]["sm_clock_mhz"]) == {1410}
    assert document["gpu"]["name"] == "NVIDIA H100 PCIe"
    assert document["gpu"]["driver"] == "570.86.15"
    assert document["gpu"]["cuda"] == "12.8"
    assert json.loads(json.dumps(document)) == document


def test_what_the_board_can_not_report_is_none_and_asked_only_once(board, monkeypatch):
    board.set(refuses={"nvmlDeviceGetPowerUsage": 3, "nvmlDeviceGetUtilizationRates": 13})
    gpu, _ = open_gpu("", {})
    first, second = gpu.sample(), gpu.sample()
    assert first["power_w"] is first["gpu_utilization_percent"] is None
    assert first["sm_clock_mhz"] == 1755
    board.set(refuses={})
    assert gpu.sample() == second, "a quantity that is not supported would be asked for 10 times a second"


def test_a_passing_failure_is_asked_again(board):
    board.set(refuses={"nvmlDeviceGetPowerUsage": 999})
    gpu, _ = open_gpu("", {})
    assert gpu.sample()["power_w"] is None
    board.set(refuses={})
    assert gpu.sample()["power_w"] == 312.456


def test_drivers_before_535_are_asked_for_reasons_by_the_older_name(board):
    board.set(refuses={"nvmlDeviceGetCurrentClocksEventReasons": 13}, reasons=0x40)
    gpu, _ = open_gpu("", {})
    assert gpu.sample()["throttle_reasons"] == 0x40


def test_processes_of_others_are_listed_and_own_children_are_not(board):
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        board.set(processes={INIT: "/usr/bin/trainer", str(child.pid): "/usr/bin/python3"})
        found = watch().document()["other_processes"]
        child.communicate(b"\n")
    assert found == [{"pid": 1, "program": "/usr/bin/trainer", "memory_bytes": 2**30}]


@pytest.mark.parametrize(("program", "others"), [("trtexec", []), ("trainer", [1])])
def test_a_trtexec_that_comes_later_is_the_collectors_own(board, monkeypatch, program, others):
    # As in a container, where it does not descend from the collector.
    monkeypatch.setattr("trexreport.collector.gpu.watch._PROCESSES_EVERY_S", 0.0)
    with gpu_session(GpuOptions(interval_ms=10)) as session:
        board.set(processes={INIT: f"/opt/tensorrt/bin/{program}"})
        with session.phase("profile"):
            wait_for_samples(session, 3)
    assert [each["pid"] for each in session.document()["other_processes"]] == others


def test_an_earlier_trtexec_counts_as_another_process(board):
    board.set(processes={INIT: "/opt/tensorrt/bin/trtexec"})
    assert [each["pid"] for each in watch().document()["other_processes"]] == [1]


def test_without_nvml_it_says_so_and_goes_on(board):
    board.set(refuses={"nvmlInit": 12})
    session = watch(samples=0, lock_clocks=1410)
    assert session.document() is None
    assert session.notes == [
        "The GPU was not watched or held: NVML can't be used: NVML Shared Library Not Found."
    ]


def test_without_its_package_it_says_how_to_get_it(board, monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", None)
    session = watch(samples=0)
    assert session.notes == [
        "The GPU was not watched: The Python package nvidia-ml-py is not installed. Install trexreport[gpu]."
    ]


def test_the_gpu_of_another_machine_is_left_alone(board):
    session = watch(samples=0, is_remote=True, lock_clocks=1410)
    assert session.document() is None
    assert session.notes == ["The GPU was not watched or held: It is in another machine."]
    assert board["calls"] == []


def test_unwanted_it_asks_nothing(board):
    board.set(refuses={"nvmlInit": 12})
    assert watch(samples=0, watches=False).notes == []


@pytest.mark.parametrize(
    "amounts",
    [
        {"lock_clocks": 0},
        {"lock_clocks": 2**32 + 1410},
        {"power_limit_w": 1e9},
        {"power_limit_w": float("nan")},
        {"interval_ms": 0},
        {"interval_ms": float("inf")},
    ],
)
def test_amounts_that_no_board_has_are_refused(amounts):
    with pytest.raises(UsageError, match="is not a"):
        GpuOptions(**amounts)


TWO = [
    {"uuid": "GPU-a", "pci": "00000000:17:00.0", "name": "NVIDIA L4"},
    {"uuid": "GPU-b", "pci": "00000000:65:00.0", "name": "NVIDIA L4"},
]


@pytest.mark.parametrize(
    ("device", "environment", "uuid"),
    [
        ("", {}, "GPU-a"),
        ("1", {}, "GPU-b"),
        ("", {"CUDA_VISIBLE_DEVICES": "1,0"}, "GPU-b"),
        ("1", {"CUDA_VISIBLE_DEVICES": "1,0"}, "GPU-a"),
        ("", {"CUDA_VISIBLE_DEVICES": "GPU-b"}, "GPU-b"),
        ("GPU-b", {"CUDA_VISIBLE_DEVICES": "GPU-a"}, "GPU-b"),
        ("00000000:65:00.0", {}, "GPU-b"),
    ],
)
def test_the_gpu_that_cuda_would_take_is_watched(board, device, environment, uuid):
    board.set(gpus=TWO)
    gpu, notes = open_gpu(device, environment)
    assert gpu.uuid == uuid
    assert notes == ()


def test_of_several_kinds_it_is_not_certain_which_one_cuda_takes(board):
    board.set(gpus=[TWO[0], {"uuid": "GPU-c", "name": "NVIDIA H100 PCIe"}])
    assert "CUDA_DEVICE_ORDER=PCI_BUS_ID" in open_gpu("1", {})[1][0]
    assert open_gpu("1", {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"})[1] == ()


def test_of_a_slice_of_a_gpu_the_whole_board_is_watched(board):
    board.set(gpus=[TWO[0], {"uuid": "MIG-1", "name": "NVIDIA L4", "mig": True}])
    assert open_gpu("", {"CUDA_VISIBLE_DEVICES": "MIG-1"})[0].uuid == "GPU-a"


def test_a_gpu_that_is_not_there_is_named(board):
    with pytest.raises(MissingToolError, match="NVML does not know GPU 7: Invalid Argument"):
        open_gpu("7", {})
