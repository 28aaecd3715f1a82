"""The public functions for several phases."""

from __future__ import annotations

import pytest
from sets_of_phases import write_set

import trexreport
from trexreport.errors import UsageError


def test_a_set_is_loaded_and_rendered(tmp_path):
    folder = write_set(tmp_path / "asr", {"prefill": 1.0, "decode": 0.9}, {"prefill": 1, "decode": 128})
    page = trexreport.render_phases(
        trexreport.load_phases(folder, times={"decode": 2}), interactive_charts=False
    )
    assert page.title == "Report of prefill + decode"
    assert page.report.together.total_ms == pytest.approx(2.8, rel=0.01)
    again = trexreport.load_phases(page.save(tmp_path / "asr.html"))
    assert [(each.name, each.times) for each in again] == [("prefill", 1), ("decode", 2)]


def test_phases_by_name(tmp_path):
    folder = write_set(tmp_path / "asr", {"a": 1.0, "b": 0.9})
    phases = trexreport.load_phases({"x=y": folder / "phase-0", "z": folder / "phase-1"}, times={"z": 3})
    assert [(each.name, each.times) for each in phases] == [("x=y", None), ("z", 3)]


def test_one_engine_is_no_set(tmp_path):
    folder = write_set(tmp_path / "asr", {"a": 1.0, "b": 0.9})
    with pytest.raises(UsageError, match="is not a set of phases"):
        trexreport.load_phases(folder / "phase-0")
