"""Further measurements of a set belong to its phases by their names."""

from __future__ import annotations

import pytest
from sets_of_phases import write_set

from trexreport.errors import UsageError
from trexreport.pipeline.captures import CaptureInput
from trexreport.pipeline.phase_runs import with_runs
from trexreport.pipeline.phases import choose_phases


def _set(folder, ms):
    return choose_phases(CaptureInput((str(write_set(folder, ms)),)), (), ())


def test_each_phase_gets_the_runs_of_its_name(tmp_path):
    phases = _set(tmp_path / "now", {"prefill": 1.0, "decode": 2.0})
    # In another order, and with a phase that is not checked.
    _set(tmp_path / "again", {"decode": 2.2, "vision": 9.0, "prefill": 1.1})
    prefill, decode = with_runs(phases, [str(tmp_path / "again")] * 2).read()
    for phase, ms in ((prefill, 1.1), (decode, 2.2)):
        assert len(phase.engine.more_runs) == 2
        assert phase.engine.more_runs[0].compute_ms[0] == pytest.approx(ms, rel=0.1)
    assert not phases.read()[0].engine.more_runs


def test_a_run_that_lacks_a_phase_is_an_error(tmp_path):
    phases = _set(tmp_path / "now", {"prefill": 1.0, "decode": 2.0})
    _set(tmp_path / "again", {"prefill": 1.0, "vision": 2.0})
    with pytest.raises(UsageError, match="has no phase decode, so it is not a further run"):
        with_runs(phases, [str(tmp_path / "again")])
    with pytest.raises(UsageError, match="is one engine"):
        with_runs(phases, [str(tmp_path / "again" / "phase-0")])


def test_the_run_of_a_log_is_of_one_engine(tmp_path):
    folder = write_set(tmp_path / "now", {"prefill": 1.0, "decode": 2.0})
    with pytest.raises(UsageError, match="--log-run is for one engine"):
        choose_phases(CaptureInput((str(folder),), log_run=1), (), ())
