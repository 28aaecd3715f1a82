"""What is stated as the cause of a gap: only what the files show."""

from __future__ import annotations

import pytest
from precision_engines import COUNT, GPU, LINEAR, TIMES, VECTOR, Chain, engine_of, explained

from trexreport.analyzer.comparison.compare import compare


def test_a_layer_without_qdq_in_a_model_with_qdq():
    candidate = Chain("INT8")
    candidate.types[4], candidate.times[4] = "FP16", 0.1
    candidate.names = [f"{name} + QuantizeLinear_{at}" for at, name in enumerate(candidate.names)]
    (gap,) = explained(Chain("FP16"), candidate).gaps
    assert list(gap.places[0].reasons) == ["missing-qdq"]


@pytest.mark.parametrize("formats", [[LINEAR], [LINEAR, VECTOR], [LINEAR, VECTOR, LINEAR]])
def test_qdq_before_conversions_is_qdq_of_a_layer(formats):
    candidate = Chain("INT8")
    candidate.types[4], candidate.times[4] = "FP16", 0.1
    candidate.before[4] = [("FP16", layout, 0.01) for layout in formats]
    candidate.names[0] += " + QuantizeLinear_1"
    reasons = [list(gap.places[0].reasons) for gap in explained(Chain("FP16"), candidate).gaps]
    assert reasons[0] == ["faster-tactic"]


def test_a_copy_changes_no_layout():
    candidate = Chain("INT8")
    candidate.before[3] = [("INT8", LINEAR, 0.013)]
    (gap,) = explained(Chain("FP16"), candidate).gaps
    assert (gap.kind, list(gap.places[0].reasons)) == ("reformats", [])


@pytest.mark.parametrize("time", [0.08, 0.12])
@pytest.mark.parametrize("tactic", ["", "ampere_scudnn_128x64_relu_interior_nn_v1"])
def test_cuda_cores_are_a_cause_only_where_they_are_new(tactic, time):
    reference, candidate = Chain("FP16"), Chain("INT8")
    candidate.times[2] = time
    candidate.tactics[2] = "ampere_scudnn_128x64_relu_interior_nn_v1"
    reference.tactics[2] = tactic
    (gap,) = explained(reference, candidate).gaps
    assert ("cuda-cores" in gap.places[0].reasons) == (not tactic)


@pytest.mark.parametrize(
    ("tactic", "is_stated"),
    [("", False), ("sm80_xmma_fprop_implicit_gemm_interleaved_i8i8_i8i32_f32_tensor16x8x32", True)],
)
def test_cuda_cores_were_left_only_where_the_new_kernel_is_known(tactic, is_stated):
    reference, candidate = Chain("FP16"), Chain("INT8")
    reference.tactics[2] = "ampere_scudnn_128x64_relu_interior_nn_v1"
    candidate.times[2], candidate.tactics[2] = 0.02, tactic
    (gap,) = explained(reference, candidate).gaps
    assert gap.kind == "more-speedup"
    assert ("left-cuda-cores" in gap.places[0].reasons) == is_stated


def test_cuda_cores_are_no_cause_where_nothing_is_multiplied():
    engines = []
    for name, time in (("FP16", 0.04), ("INT8", 0.06)):
        records, times = Chain(name, count=2).records()
        read = records[1]["Outputs"][0]
        written = dict(read, Name="relu")
        relu = {"Name": "relu", "LayerType": "PointWise", "ParameterType": "PointWise"}
        relu |= {"Inputs": [read], "Outputs": [written], "TacticName": "generatedNativePointwise"}
        records[2]["Inputs"] = [written]
        records.insert(2, relu)
        times.insert(2, time)
        engines.append(engine_of(records, times, device=GPU))
    (gap,) = compare(engines).engines[1].speedup.gaps
    assert gap.kind == "slower-layers"
    assert "cuda-cores" not in gap.places[0].reasons


@pytest.fixture
def unknown_peak():
    """Two engines on a GPU of which the peak of INT8 is not known; one layer fell back."""
    chains = Chain("FP16"), Chain("INT8")
    chains[1].types[4], chains[1].times[4] = "FP16", 0.1
    for chain in chains:
        chain.gpu = {"Selected Device": "NVIDIA B300 SXM6 AC"}
    return explained(*chains)


def test_a_type_of_unknown_peak_is_not_a_type_that_the_gpu_lacks(unknown_peak):
    gap = unknown_peak.gaps[0]
    assert (gap.kind, list(gap.places[0].reasons)) == ("fallback", ["faster-tactic"])


def test_a_type_of_unknown_peak_is_expected_by_bytes(unknown_peak):
    expected = explained(Chain("FP16"), Chain("INT8"), gpu=False).expected_ms
    assert unknown_peak.expected_ms == pytest.approx(expected, rel=0.01)
    assert unknown_peak.basis_ms["bytes"] == pytest.approx(COUNT * TIMES["FP16"])
