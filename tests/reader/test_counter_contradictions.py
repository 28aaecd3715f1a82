"""Counts of another engine, or of another GPU, contradict the capture they are given with."""

import json

import pytest

from samples.generator.nsys import NsysExport, TracedKernel, traced_queries
from trexreport.analyzer import analyze
from trexreport.analyzer.rules.context import Context
from trexreport.reader import read_engine
from trexreport.reader.nsight.counters_file import read_counters, write_counters
from trexreport.reader.nsight.ncu_csv import read_ncu_csv
from trexreport.wording.contradictions import contradiction_sentences
from trexreport.wording.kernels import counters_sentence

TACTICS = [f"sm90_xmma_gemm_{number}" for number in range(5)]


def text(kernels, capability="9.0"):
    rows = [f'"{number}","{name}","{capability}","5000000"' for number, name in enumerate(kernels)]
    return "\n".join(['"ID","Kernel Name","CC","dram__bytes.sum"', '"","","","byte"', *rows])


def engine_with(folder, kernels, tactics=TACTICS, trace=(), **options):
    layers = [
        {"Name": f"l{place}", "LayerType": "kgen", "TacticName": tactic}
        for place, tactic in enumerate(tactics)
    ]
    (folder / "x.graph.json").write_text(json.dumps({"Layers": layers, "Bindings": []}))
    (folder / "x.build.log").write_text(
        "[I] === Device Information ===\n[I] Selected Device: NVIDIA H100\n[I] Compute Capability: 9.0\n"
    )
    (folder / "x.csv").write_text(text(kernels, **options))
    if trace:
        export = NsysExport()
        traced_queries(export, [TracedKernel(f"l{at}", name, 5_000) for at, name in enumerate(trace)], 2)
        export.write(folder / "x.sqlite")
    return read_engine(folder)


def codes(*arguments, **options):
    return [each.code for each in engine_with(*arguments, **options).contradictions]


def test_counts_of_the_engine_contradict_nothing(tmp_path):
    assert codes(tmp_path, [f"{name}_kernel__5x_cudnn" for name in TACTICS]) == []
    assert codes(tmp_path, [TACTICS[0], *(f"other{number}" for number in range(9))]) == []
    assert codes(tmp_path, ["other1", "other2"]) == []
    assert codes(tmp_path, ["a1", "a2", "a3"], tactics=["0x1234567", "0x1234568", "0x1234569"]) == []


def test_counts_of_another_engine_are_found_and_belong_to_no_layer(tmp_path):
    engine = engine_with(tmp_path, [f"ampere_net_{number}" for number in range(4)])
    (found,) = engine.contradictions
    assert found.code == "counted-kernels"
    assert "4 kernels beginning with 'ampere_net_0'" in found.message
    analysis = analyze(engine)
    assert "measured bytes and operations are not known" in contradiction_sentences(engine.contradictions)[0]
    assert "of another engine or GPU" in counters_sentence(analysis.counters)
    assert "TRX908" in {each.code for each in analysis.lint.findings}


def test_a_trace_shows_which_kernels_an_engine_runs(tmp_path):
    own = ["myl_one", "myl_two", "myl_three"]
    assert codes(tmp_path, own, tactics=["layer_a", "layer_b", "layer_c"], trace=own) == []
    assert codes(tmp_path, ["k1", "k2", "k3"], tactics=["", ""], trace=own) == ["counted-kernels"]


@pytest.mark.parametrize(
    ("capability", "expected"), [("8.9", ["counted-gpu"]), ("9.0", []), ("x", []), ("", [])]
)
def test_counts_of_another_gpu_are_found(tmp_path, capability, expected):
    engine = engine_with(tmp_path, TACTICS, capability=capability)
    assert [each.code for each in engine.contradictions] == expected
    assert all("compute capability 8.9" in each.message for each in engine.contradictions)
    found = analyze(engine).counters
    assert (found.is_other, len(found.layers)) == (bool(expected), 0 if expected else 5)


@pytest.mark.parametrize(("capability", "needed"), [("9.0", True), ("8.9", False)])
def test_rules_on_counts_need_those_of_the_engine(tmp_path, capability, needed):
    analysis = analyze(engine_with(tmp_path, TACTICS, capability=capability))
    assert Context(analysis).has("counters") is needed


def test_the_gpu_is_kept(tmp_path):
    found = read_ncu_csv(text(TACTICS, "8.9"), "x.csv")
    assert found.compute_capability == 89
    assert read_counters(write_counters(found).decode(), "x") == (found, [])
    several = text(TACTICS, "8.9").replace('"8.9"', '"9.0"', 1)
    assert read_ncu_csv(several, "x.csv").compute_capability is None


@pytest.mark.parametrize(("newest", "found"), [("sm90", []), ("sm100", ["kernels"])])
def test_kernels_that_ran_are_of_the_gpu(tmp_path, newest, found):
    others = [f"{newest}_other_{number}" for number in range(3)]
    assert codes(tmp_path, [*TACTICS, *others]) == found
    assert codes(tmp_path, TACTICS, trace=[*TACTICS, *others]) == found
