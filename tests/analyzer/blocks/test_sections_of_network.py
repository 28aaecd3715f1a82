"""The layer time by few sections: modules, repeated ones as one, and runs of similar times."""

from __future__ import annotations

import itertools
import json
import math

import pytest
from graph_plans import analysis_of, chain
from hypothesis import given
from hypothesis import strategies as st

from trexreport.analyzer import analyze
from trexreport.analyzer.blocks.sections import runs_of_similar_times
from trexreport.errors import UsageError
from trexreport.model import Source
from trexreport.reader import assemble
from trexreport.reader.capture import Capture
from trexreport.renderer.charts.catalog.each_layer import by_layer
from trexreport.renderer.engine_summary import engine_summary
from trexreport.renderer.short_document.markdown import render_markdown
from trexreport.renderer.timeline.schedule import schedule_of
from trexreport.renderer.timeline.trace import write_trace


def sections(names_and_times):
    names, times = zip(*names_and_times, strict=True)
    layers = [{**layer, "ms": ms} for layer, ms in zip(chain(names), times, strict=True)]
    analysis = analysis_of(layers)
    return analysis, [(each.name, each.count, round(each.time_ms, 6)) for each in analysis.blocks.sections]


def decoder(times):
    """Return the layers of a decoder, whose blocks take the given times."""
    found = [("/embed/Gather", 0.1)]
    for number, ms in enumerate(times):
        found += [(f"/layers.{number}/attn/{part}/MatMul", ms * 0.1) for part in ("q", "k", "out")]
        found += [(f"/layers.{number}/mlp/{part}/MatMul", ms * 0.35) for part in ("up", "down")]
    return [*found, ("/lm_head/MatMul", 1.0)]


def test_repeated_modules_are_one_section_each():
    analysis, found = sections(decoder([1.0] * 6))
    assert found == [
        ("layers.*/attn", 18, 1.8),
        ("layers.*/mlp/up", 6, 2.1),
        ("layers.*/mlp/down", 6, 2.1),
        ("lm_head", 1, 1.0),
        ("(others)", 1, 0.1),
    ]
    text = render_markdown(engine_summary(analysis)).decode()
    assert "Module" in text
    assert "/attn" in text


def test_modules_of_other_times_stay_apart():
    _, found = sections(decoder([1.0] * 4 + [9.0] * 4))
    assert [name for name, *_ in found] == ["layers.0 – layers.3", "layers.4 – layers.7", "(others)"]


def test_stages_of_other_layers_stay_apart():
    stages = [(f"/stage{number}/{kind}/Conv", 1.0) for number in range(4) for kind in ("a", "b", "c")]
    _, found = sections([*stages, ("/head/Gemm", 1.0)])
    assert found == [*((f"stage{number}", 3, 3.0) for number in range(4)), ("head", 1, 1.0)]


def test_layers_without_modules_are_cut_where_their_times_change():
    times = [0.1] * 8 + [0.02] * 20 + [1.5] + [0.05] * 8
    names = [f"Conv_{number} + Relu_{number}" for number in range(len(times))]
    names[-1] = "Reformatting CopyNode for Input Tensor 0 to PWN(Sigmoid_36)"
    analysis, found = sections(zip(names, times, strict=True))
    assert found == [
        ("Conv_0 – Conv_7", 8, 0.8),
        ("Conv_8 – Conv_27", 20, 0.4),
        ("Conv_28", 1, 1.5),
        ("Conv_29 – Sigmoid_36", 8, 0.4),
    ]
    assert "Layers in order" in render_markdown(engine_summary(analysis)).decode()


def test_layers_of_equal_times_have_no_sections():
    assert sections((f"Conv_{number}", 0.1) for number in range(40))[1] == []


def test_names_outside_of_modules_belong_to_none():
    stem = [{"name": f"Conv_{number}", "averageMs": 0.1} for number in range(10)]
    heads = [{"name": f"head_{part}/conv/Conv", "averageMs": 0.5} for part in ("a", "b", "c", "d", "e")]
    profile = Source("profile", "p", json.dumps([{"count": 10}, *stem, *heads]).encode())
    blocks = analyze(assemble(Capture("engine", (profile,)))).blocks
    assert blocks.basis == "names"
    assert (blocks.sections[0].name, blocks.sections[0].count) == ("Conv_0 – Conv_9", 10)


def test_few_layers_have_no_sections():
    assert sections([("/a/Conv", 1.0), ("/b/Conv", 2.0), ("/c/Conv", 3.0)])[1] == []


@given(st.lists(st.floats(0, 100), max_size=300))
def test_runs_cover_the_sequence(times):
    found = runs_of_similar_times(times)
    assert len(found) != 1
    if found:
        assert found[0][0] == 0
        assert found[-1][1] == len(times)
        assert all(before[1] == after[0] for before, after in itertools.pairwise(found))
        assert all(math.fsum(times[start:end]) > 0 for start, end in found)


@pytest.mark.parametrize("count", [1000, 20_000])
def test_long_sequences_are_cut_between_parts(count):
    times = [1.0] * (count // 2) + [5.0] * (count // 2)
    assert runs_of_similar_times(times) == [(0, count // 2), (count // 2, count)]


@pytest.mark.parametrize("count", [101, 199, 1_001, 20_001])
def test_long_sequences_of_equal_times_are_one_run(count):
    assert runs_of_similar_times([1.0] * count) == []


@given(st.lists(st.tuples(st.sampled_from(["/a.0", "/a.1", "/b", "", "/c/d"]), st.floats(0, 9)), max_size=60))
def test_sections_hold_all_layer_time(parts):
    layers = [(f"{path}/Conv_{number}", ms) for number, (path, ms) in enumerate(parts)]
    if not layers:
        return
    _, found = sections(layers)
    assert not found or sum(ms for *_, ms in found) == pytest.approx(sum(ms for _, ms in parts), abs=1e-3)


def profile_of(rows):
    table = [{"count": 10}, *({"name": name, "timeMs": 10 * ms, "averageMs": ms} for name, ms in rows)]
    return analyze(assemble(Capture("x", [Source("profile", "x.profile.json", json.dumps(table).encode())])))


def test_modules_of_a_table_sorted_by_time_are_in_the_order_of_their_names():
    names = [f"/model.{number}/{part}/Conv" for number in range(12) for part in ("cv1", "cv2")]
    # Of modules at both ends of the table each is far from its neighbors.
    rows = [(name, 0.1 + (at * 17 % 24) / 10 + 3.0 * (at < 8)) for at, name in enumerate(names)]
    in_order = profile_of(rows)
    by_time = profile_of(sorted(rows, key=lambda row: -row[1]))
    expected = ["model.0 – model.3", "model.4 – model.11"]
    for analysis in (in_order, by_time):
        assert [each.name for each in analysis.blocks.sections] == expected
    assert by_layer(in_order).x.title == "Layer (execution order)"
    assert by_layer(by_time).x.title == "Layer (order in the file)"
    assert schedule_of(in_order) is not None
    assert schedule_of(by_time) is None
    with pytest.raises(UsageError, match="sorted by time"):
        write_trace(by_time)


def test_a_table_sorted_by_time_without_modules_has_no_runs_of_layers():
    rows = [(f"Conv_{at * 7 % 24}", 1.0 + at * at / 10) for at in range(24)]
    assert profile_of([*rows[:12], *rows[12:][::-1]]).blocks.sections
    assert profile_of(rows[::-1]).blocks.sections == ()
