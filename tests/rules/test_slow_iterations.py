"""Without medians, other layers of its name and GPU compute time show a slow iteration of a layer."""

from __future__ import annotations

import json

import pytest

from trexreport.analyzer import analyze
from trexreport.analyzer.rules.context import Context
from trexreport.reader import read_engine

SLOW, USUAL = 20.0, 0.5
TIME = "min = {0} ms, max = {0} ms, mean = {0} ms, median = {0} ms, percentile(99%) = {0} ms"


def _engine(tmp_path, times, gpu_ms, **more):
    rows = [{"count": 35}]
    for name, ms in times.items():
        rows.append({"name": name, "timeMs": 35 * ms, "averageMs": ms, "percentage": 0.0} | more)
    whole = sum(row.get("averageMs", 0.0) for row in rows)
    for row in rows[1:]:
        row["percentage"] = 100 * row["averageMs"] / whole
    (tmp_path / "m.profile.json").write_text(json.dumps(rows))
    (tmp_path / "m.log").write_text(f"[I] GPU Compute Time: {TIME.format(gpu_ms)}\n")
    return analyze(read_engine(tmp_path))


def _times(alike=4):
    convs = {f"Conv_{7 * at} + Add_{7 * at + 1}": USUAL for at in range(alike)}
    others = {f"Pool_{at}": 0.3 for at in range(20)}
    return {"Conv_80 + Add_83": SLOW} | convs | others


def _found(analysis):
    return [finding for finding in analysis.lint.findings if finding.code == "TRX814"]


def test_the_slow_iteration_is_named_and_findings_are_without_it(tmp_path):
    analysis = _engine(tmp_path, _times(), 8.5)
    (finding,) = _found(analysis)
    assert finding.message.replace("\u00a0", " ").startswith(
        "Conv_80 + Add_83 takes 20.0 ms on average, others of such a name at most 0.500 ms"
    )
    assert "TRX914" not in {each.code for each in analysis.lint.findings}
    context = Context(analysis)
    assert context.total_ms == pytest.approx(8.5)
    assert context.layer_time_name == "layer time without outliers"
    assert analysis.layers[0].avg_ms == SLOW


@pytest.mark.parametrize(
    ("times", "gpu_ms", "more"),
    [
        (_times(), 28.0, {}),
        (_times(), 20.0, {}),
        (_times(alike=2), 7.5, {}),
        (_times() | {"Conv_80 + Add_83": 3.9}, 8.5, {}),
        (_times(), 8.5, {"medianMs": 0.3}),
    ],
    ids=["it takes that long", "the difference is another", "few alike", "hardly longer", "medians"],
)
def test_other_long_layers_are_no_slow_iteration(tmp_path, times, gpu_ms, more):
    analysis = _engine(tmp_path, times, gpu_ms, **more)
    assert not [each for each in _found(analysis) if "others of such a name" in each.message]
