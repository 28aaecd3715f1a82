"""A profile that lacks rows: the percentages of the others give the whole."""

from __future__ import annotations

import json

import pytest

from trexreport.analyzer import analyze
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.engine.trx907_incomplete_files import incomplete_files
from trexreport.analyzer.rules.quantization.trx301_unfused_qdq import unfused_qdq
from trexreport.model import Source
from trexreport.reader import assemble
from trexreport.reader.capture import Capture

#: Sums in ms over 100 iterations; the input is quantized first.
ALL = {
    "QuantizeLinear_1": 40.0,
    **{f"Conv_{index}": 8.0 + index for index in range(2, 30)},
    "Softmax_30": 9.0,
}
WHOLE = sum(ALL.values())
SLUG = "profile-rows-missing"


def as_table(rows, *, total):
    lines = [
        f"[I] {name:>20} {ms:11.2f} {ms / 100:16.4f} {100 * ms / WHOLE:8.1f}" for name, ms in rows.items()
    ]
    end = [f"[I] {'Total':>20} {WHOLE:11.2f} {WHOLE / 100:16.4f} {100.0:8.1f}"] if total else []
    head = ["[I] === Profile (100 iterations ) ===", "[I]     Layer   Time (ms)   Avg. Time (ms)   Time %"]
    return Source("log", "run.log", "\n".join([*head, *lines, *end]).encode())


def as_json(rows):
    records = [
        {"name": name, "timeMs": ms, "averageMs": ms / 100, "percentage": round(100 * ms / WHOLE, 4)}
        for name, ms in rows.items()
    ]
    return Source("profile", "x.profile.json", json.dumps([{"count": 100}, *records]).encode())


FORMS = {
    "json": as_json,
    "table": lambda rows: as_table(rows, total=False),
    "table with its total": lambda rows: as_table(rows, total=True),
}


def analysis_of(form, rows):
    return analyze(assemble(Capture("x", (FORMS[form](rows),))))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("first", "last"), [(0, 3), (0, 1), (0, 20), (5, 12), (10, 30)])
def test_shares_are_of_all_layers_where_rows_are_missing(form, first, last):
    rows = dict(list(ALL.items())[first:last])
    analysis = analysis_of(form, rows)
    assert SLUG in [note.slug for note in analysis.notes]
    assert "impossible" not in str([note.slug for note in analysis.notes])
    assert analysis.latency.layer_sum_ms == pytest.approx(WHOLE / 100, rel=0.02)
    for layer, ms in zip(analysis.layers, rows.values(), strict=True):
        assert layer.share_percent == pytest.approx(100 * ms / WHOLE, rel=0.02)
    hits = (
        incomplete_files.check(Context(analysis)),
        unfused_qdq.check(Context(analysis), gain_percent=0.0, output_percent=0.0),
    )
    assert "lists " in str([hit.message for hit in hits[0]])
    assert "ends of the network" not in str([hit.message for hit in hits[1]])


@pytest.mark.parametrize("form", FORMS)
def test_a_whole_profile_lacks_nothing(form):
    analysis = analysis_of(form, ALL)
    assert SLUG not in [note.slug for note in analysis.notes]
    assert analysis.latency.layer_sum_ms == pytest.approx(WHOLE / 100)


@pytest.mark.parametrize("form", FORMS)
def test_percentages_that_contradict_the_times_give_no_whole(form):
    odd = FORMS[form]({"Conv_2": ALL["Conv_2"], "Conv_3": ALL["Conv_3"]})
    share = (
        f"{100 * ALL['Conv_3'] / WHOLE:.1f}" if odd.role == "log" else round(100 * ALL["Conv_3"] / WHOLE, 4)
    )
    data = odd.data.decode().replace(f"{share}", "55.0")
    assert data != odd.data.decode()
    engine = assemble(Capture("x", (Source(odd.role, odd.name, data.encode()),)))
    assert engine.unlisted_ms == 0 or form == "table with its total"


def test_parts_of_one_are_no_percentages():
    data = json.loads(as_json(ALL).data)
    for row in data[1:]:
        row["percentage"] /= 100
    engine = assemble(Capture("x", (Source("profile", "x.profile.json", json.dumps(data).encode()),)))
    assert engine.unlisted_ms == 0
    assert all(layer.time.share_percent is None for layer in engine.layers)
    assert 'percentage = "1.0000 in all" does not add up to 100' in " ".join(
        note.message for note in engine.notes
    )


def test_the_time_of_missing_rows_must_fit_the_queries():
    data = json.loads(as_json(ALL).data)
    for row in data[1:]:
        row["percentage"] /= 40
    queries = [{"latencyMs": WHOLE / 100, "computeMs": WHOLE / 100, "h2dMs": 0, "d2hMs": 0}] * 200
    files = (
        Source("profile", "x.profile.json", json.dumps(data).encode()),
        Source("timing", "x.timing.json", json.dumps(queries).encode()),
        Source("profile-metadata", "x.profile.metadata.json", b'{"inference_options": {"Streams": "1"}}'),
    )
    assert [each.code for each in assemble(Capture("x", files)).contradictions] == ["total-layer-time"]
