"""A profile without a count whose sums are its averages is of one run."""

from __future__ import annotations

import json

import pytest

from trexreport.reader import read_engine

ROWS = [
    {"name": "a", "timeMs": 1.0, "averageMs": 1.0, "medianMs": 1.0, "percentage": 25},
    {"name": "b", "timeMs": 3.0, "averageMs": 3.0, "medianMs": 3.0, "percentage": 75},
]


def _iterations(path, rows):
    path.write_text(json.dumps(rows))
    return read_engine(path).profiled_iterations


@pytest.mark.parametrize("left_out", [(), ("medianMs",), ("medianMs", "percentage")])
def test_sums_that_are_the_averages_are_of_one_run(tmp_path, left_out):
    rows = [{key: value for key, value in row.items() if key not in left_out} for row in ROWS]
    assert _iterations(tmp_path / "net.profile.json", rows) == 1


@pytest.mark.parametrize("change", [{"timeMs": 30.0, "averageMs": 3.0}, {"medianMs": 2.9}, {"timeMs": None}])
def test_other_figures_state_no_number_of_runs(tmp_path, change):
    assert _iterations(tmp_path / "net.profile.json", [ROWS[0], {**ROWS[1], **change}]) is None
