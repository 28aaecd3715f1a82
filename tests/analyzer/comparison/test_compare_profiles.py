"""Engines of which only the profile is known: their layers are names with times."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from compared_engines import check_sums, engine_of, waterfall
from test_compare import COPIES

from trexreport.analyzer.comparison.compare import compare
from trexreport.reader import read_engine

CONVOLUTIONS = [f"conv{number} + relu{number}" for number in range(1, 7)]
LISTED = "{" + ",".join(f"conv{number},relu{number}" for number in range(1, 7)) + "}"
REGION = "{ForeignNode[conv1...relu6]}"


@pytest.fixture
def profiled(tmp_path):
    """Return a function that makes an engine of names to times."""

    def make(**times):
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.profile.json"
        entries = [{"name": name, "timeMs": 10 * ms, "averageMs": ms} for name, ms in times.items()]
        path.write_text(json.dumps([{"count": 10}, *entries]), "utf-8")
        return read_engine(path)

    return make


@pytest.fixture
def on_gpu(profiled):
    return profiled(**dict.fromkeys(CONVOLUTIONS, 0.1), prob=0.01)


def dla_part(name, reformat):
    """Return the layers of a part on a DLA, of which the last waits for it."""
    return {"data to nvm": 0.04, name: 0.15, "data copy finish": 0.02, reformat: 0.9, "prob": 0.01}


@pytest.mark.parametrize(
    "layers",
    [
        dla_part(LISTED, f"{LISTED} output reformatter 0"),
        dla_part(REGION, f"Reformatting CopyNode for Output Tensor 0 to {REGION}"),
    ],
    ids=["listed", "region"],
)
def test_a_part_on_a_dla_does_the_work_of_layers_on_the_gpu(profiled, on_gpu, layers):
    comparison = compare([on_gpu, profiled(**layers)])
    check_sums(comparison)
    there = comparison.engines[1]
    assert there.verdict.verdict == "slower"
    assert there.blocking_conditions == []
    assert {tuple(len(side.members) for side in row.sides) for row in comparison.rows} == {(6, 3), (1, 2)}
    causes = waterfall(comparison, 1, "cause")
    assert causes["fused"].difference_ms == pytest.approx(0.15 - 0.6)


def test_layers_outside_of_a_region_are_not_its_own(profiled, on_gpu):
    names = [CONVOLUTIONS[0], "{ForeignNode[conv2...relu4]}", *CONVOLUTIONS[4:]]
    comparison = compare([on_gpu, profiled(**dict.fromkeys(names, 0.1), prob=0.01)])
    sizes = [tuple(len(side.members) for side in row.sides) for row in comparison.rows]
    assert sorted(sizes) == [(1, 1)] * 4 + [(3, 1)]


def test_reformats_are_known_by_their_names(profiled, on_gpu):
    copies = {
        "conv1 + relu1 input reformatter 0": 0.05,
        "Reformatting CopyNode for Input Tensor 0 to prob": 0.02,
    }
    comparison = compare([on_gpu, profiled(**dict.fromkeys(CONVOLUTIONS, 0.1), prob=0.01, **copies)])
    assert [each.figures.reformats for each in comparison.engines] == [0, 2]
    assert waterfall(comparison, 1, "cause")["reformats added"].difference_ms == pytest.approx(0.07)
    assert len(comparison.rows) == 7


def test_fewer_reformats_that_take_longer_are_not_removed_ones(profiled):
    names = [f"conv1 {side} reformatter 0" for side in ("input", "output")]
    one = profiled(conv1=0.1, **dict.fromkeys(names, 0.01))
    causes = waterfall(compare([one, profiled(conv1=0.1, **{names[1]: 0.5})]), 1, "cause")
    assert causes["reformats slower"].difference_ms == pytest.approx(0.48)


def test_names_do_not_show_how_much_work_was_done(profiled, on_gpu):
    (_, there) = compare([on_gpu, profiled(**dict.fromkeys(CONVOLUTIONS, 0.5), prob=0.01)]).engines
    assert "unknown-work" in {each.code for each in there.verdict.reasons}


def test_a_finding_on_layers_is_not_resolved_where_no_layers_are_known(profiled):
    copies = {f"conv{number} input reformatter 0": 0.1 for number in range(4)}
    one = profiled(**{f"conv{number}": 0.1 for number in range(4)}, **copies)
    other = replace(engine_of(COPIES, latencies=[1.0, 1.1, 1.2]), layers=())
    resolved = compare([one, other]).engines[1].resolved_findings
    assert {each.code: each.checked for each in resolved}["TRX205"] is False


def test_a_finding_on_the_measurement_is_not_resolved_without_one():
    one = engine_of(COPIES, [0.002] * 3, latencies=[1.0, 1.1, 1.2])
    resolved = {
        each.code: each.checked for each in compare([one, engine_of(COPIES)]).engines[1].resolved_findings
    }
    assert resolved["TRX804"] is False


def log_of(model, median_ms):
    """Return the log of a run that states no shapes."""
    times = f"min = {median_ms} ms, max = {median_ms} ms, mean = {median_ms} ms, median = {median_ms} ms"
    return f"""&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --onnx={model} --fp16
[11/20/2025-10:10:11] [I] === Model Options ===
[11/20/2025-10:10:11] [I] Format: ONNX
[11/20/2025-10:10:11] [I] Model: {model}
[11/20/2025-10:10:11] [I] === Performance summary ===
[11/20/2025-10:10:11] [I] H2D Latency: min = 0.2 ms, max = 0.2 ms, mean = 0.2 ms, median = 0.2 ms
[11/20/2025-10:10:11] [I] GPU Compute Time: {times}
"""


@pytest.mark.parametrize(("model", "is_known"), [("a.onnx", True), ("b.onnx", False)])
def test_logs_of_two_model_files_may_be_of_two_networks(tmp_path, model, is_known):
    engines = []
    for name, text in (("one", log_of("a.onnx", 6.0)), ("other", log_of(model, 3.0))):
        path = tmp_path / f"{name}.log"
        path.write_text(text, "utf-8")
        engines.append(read_engine(path))
    verdict = compare(engines).engines[1].verdict
    assert ("unknown-work" not in {each.code for each in verdict.reasons}) is is_known
