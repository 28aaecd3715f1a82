"""Clocks and the power limit are restored, however the collector ends."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from waiting import wait_until

from trexreport.collector.gpu import SUSTAINED, GpuOptions, gpu_session
from trexreport.collector.gpu import session as session_module

TDP = 0xFFFFFF01


def options(**changes):
    return GpuOptions(watches=False, **changes)


def test_clocks_are_locked_within_the_block_and_free_after_it(board):
    with gpu_session(options(lock_clocks=1410)) as session:
        assert board["locked"] == [1410, 1410]
    assert board["locked"] is None
    assert session.notes == []
    assert not board.holders()


def test_the_sustained_clock_is_the_one_that_nvml_calls_tdp(board):
    with gpu_session(options(lock_clocks=SUSTAINED)):
        assert board["locked"] == [TDP, TDP]
    assert board["locked"] is None


def test_a_board_without_that_symbol_is_locked_to_its_default_clock(board):
    board.set(knows_tdp=False)
    with gpu_session(options(lock_clocks=SUSTAINED)):
        assert board["locked"] == [1065, 1065]
    assert board["locked"] is None


def test_the_power_limit_goes_back_to_what_it_was_not_to_the_default(board):
    with gpu_session(options(power_limit_w=250)):
        assert board["power_limit_mw"] == 250_000
    assert board["power_limit_mw"] == 300_000


def test_an_error_in_the_block_puts_both_back(board):
    def interrupted():
        with gpu_session(options(lock_clocks=SUSTAINED, power_limit_w=200)):
            assert board["locked"]
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert board["locked"] is None
    assert board["power_limit_mw"] == 300_000


def test_without_the_right_it_says_how_and_goes_on(board):
    board.set(refuses={"nvmlDeviceSetGpuLockedClocks": 4, "nvmlDeviceSetPowerManagementLimit": 4})
    with gpu_session(options(lock_clocks=1410, power_limit_w=250)) as session:
        pass
    clocks, power = session.notes
    assert clocks.startswith("The clocks were not locked: Insufficient Permissions.")
    assert f"sudo nvidia-smi -i {board.uuid} --lock-gpu-clocks=1410" in clocks
    assert "--reset-gpu-clocks" in clocks
    assert "--power-limit=250" in power
    # What was not set is not put back either: another process may have set it.
    assert "nvmlDeviceResetGpuLockedClocks" not in board["calls"]


def test_a_board_that_can_not_be_locked_is_named_with_the_reason(board):
    board.set(refuses={"nvmlDeviceSetGpuLockedClocks": 3})
    with gpu_session(options(lock_clocks=1410)) as session:
        pass
    assert session.notes == ["The clocks were not locked: Not Supported."]


def test_a_power_limit_out_of_range_is_refused_by_the_board(board):
    with gpu_session(options(power_limit_w=9000)) as session:
        pass
    assert session.notes == ["The power limit was not set: Invalid Argument."]
    assert board["power_limit_mw"] == 300_000


def test_nothing_is_locked_that_can_not_be_unlocked(board, monkeypatch, tmp_path):
    monkeypatch.setattr(session_module, "_PROGRAM", tmp_path / "absent.py")
    with gpu_session(options(lock_clocks=1410)) as session:
        assert board["locked"] is None
    assert len(session.notes) == 1
    assert "The clocks were not locked" in session.notes[0]


def test_settings_that_can_not_be_put_back_are_stated_with_the_command(board):
    with gpu_session(options(lock_clocks=1410)) as session:
        board.set(refuses={"nvmlDeviceResetGpuLockedClocks": 999})
    (note,) = session.notes
    assert note.startswith("The GPU's settings may not have been put back.")
    assert note.endswith(f"sudo nvidia-smi -i {board.uuid} --reset-gpu-clocks")


def test_a_holder_that_is_asked_to_end_puts_everything_back(board):
    with gpu_session(options(lock_clocks=1410, power_limit_w=200)):
        (holder,) = board.holders()
        os.kill(holder, signal.SIGINT)
        time.sleep(0.05)
        assert board.holders() == [holder], "Ctrl-C is for the collector"
        os.kill(holder, signal.SIGTERM)
        # The child is waited for by its parent only later: look at the board.
        wait_until(lambda: board["power_limit_mw"] == 300_000 and not board["locked"])


PROGRAM = """
import time
from trexreport.collector.gpu import GpuOptions, gpu_session
with gpu_session(GpuOptions(lock_clocks=1410, power_limit_w=250, interval_ms=5)) as session:
    with session.phase("timing"):
        print("held", flush=True)
        time.sleep(600)
"""


def start():
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=Path(__file__).resolve().parents[2],
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_signal_while_it_measures_puts_everything_back(board, number):
    with start() as collector:
        assert collector.stdout.readline() == "held\n"
        assert board["locked"] == [1410, 1410]
        collector.send_signal(number)
        collector.wait(120)
    board.wait_until_left_alone()
    assert board["locked"] is None
    assert board["power_limit_mw"] == 300_000


@pytest.mark.parametrize("moment", range(8))
def test_killed_at_any_moment_it_leaves_no_setting_and_no_process(board, moment):
    with start() as collector:
        # From before anything is set until after all is.
        time.sleep(0.05 + 0.05 * moment)
        collector.kill()
        collector.wait(120)
    board.wait_until_left_alone()
    assert board["locked"] is None
    assert board["power_limit_mw"] == 300_000
