"""A summary of layers of several kinds: its place in the list, and what it says of other findings."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

import pytest
from case_files import analyze_case

from trexreport.analyzer.rules import LintSettings
from trexreport.analyzer.rules.lint import lint
from trexreport.analyzer.rules.registry import Registry, built_in_rules
from trexreport.renderer.engine_summary import engine_summary
from trexreport.renderer.short_document.markdown import render_markdown

REFORMAT = "Reformatting CopyNode for Input Tensor 0 to "


def findings(tmp_path, times, codes, iterations=100):
    """Return the findings of some rules on layers of which only names and times are known."""
    layers = [{"Name": name, "ms": ms} for name, ms in times.items()]
    analysis = analyze_case({"layers": layers, "iterations": iterations}, tmp_path)
    rules = [each for each in built_in_rules() if each.code in codes]
    return lint(analysis, Registry(rules), LintSettings()).findings


@pytest.mark.parametrize(("copies_ms", "first"), [(0.4, "TRX502"), (1.6, "TRX205")])
def test_layers_that_move_data_count_with_the_largest_kind(copies_ms, first, tmp_path):
    times = {
        "/a/Conv": 5.0,
        "/a/Relu": 1.0,
        "/b/Conv": 5.0,
        "/b/Split_output_0 copy": copies_ms,
        "/b/Split_output_1 copy": 0.1,
        f"{REFORMAT}/c/Conv": 0.6,
        "/c/Conv": 5.0,
        "/c/Transpose": 0.6,
        "/d/Conv": 5.0,
    }
    assert next(each.code for each in findings(tmp_path, times, ("TRX205", "TRX502"))) == first


def test_in_a_first_run_what_takes_most_comes_first_though_all_inform(tmp_path):
    times = {"/a/Conv": 5.0, "/a/Relu": 1.5, "/b/Split_output_0 copy": 0.5, "/b/Split_output_1 copy": 0.5}
    found = findings(tmp_path, {**times, "/b/Conv": 5.0}, ("TRX205", "TRX502"), iterations=1)
    assert [(each.code, each.severity) for each in found] == [("TRX502", "info"), ("TRX205", "info")]


def test_of_the_largest_kind_only_what_the_summary_counts_matters(tmp_path):
    """A slow member of a series, which a first run may lengthen, is left out on both sides."""
    times = {"/a/Conv": 5.0, "/a/Relu": 0.8, "/b/Conv": 5.0, "/b/Split_output_0 copy": 1.0}
    times |= {f"/h/Reshape_{at}": ms for at, ms in enumerate((2.0, 0.05, 0.05))}
    found = findings(tmp_path, times, ("TRX205", "TRX502", "TRX915"), iterations=1)
    assert [each.code for each in found if each.code != "TRX915"] == ["TRX205", "TRX502"]


def test_a_summary_leaves_out_what_other_findings_report(tmp_path):
    times = {f"{REFORMAT}/a/Conv": 1.0, "/a/Conv": 9.0}
    alone = {"/b/Split_output_0 copy": 1.0, "/b/Split_output_1 copy": 1.0, "/b/Conv": 9.0}
    (at_input, rest) = sorted(
        findings(tmp_path, times | alone, ("TRX205", "TRX206")), key=lambda each: -each.code.endswith("6")
    )
    assert rest.message.startswith("2 copies take 9.52% of layer time")
    assert rest.gain.high_ms == 2.0
    assert not set(rest.layers) & set(at_input.layers)


def test_what_is_left_of_a_summary_must_matter(tmp_path):
    times = {f"{REFORMAT}/a/Conv": 1.0, "/a/Conv": 9.0, "/b/Conv": 7.4}
    found = findings(tmp_path, {**times, "/b/Split_output_0 copy": 0.7}, ("TRX205", "TRX206"))
    assert {each.code for each in found} == {"TRX206", "TRX205"}
    found = findings(tmp_path, {**times, "/b/Split_output_0 copy": 0.4}, ("TRX205", "TRX206"))
    assert [each.code for each in found] == ["TRX206"]


@pytest.mark.parametrize(("copies_ms", "is_finding"), [(1.0, True), (0.4, False)])
def test_what_no_cause_explains_is_a_finding_if_it_is_much(copies_ms, is_finding, tmp_path):
    """Reformats beside layers that may be plugins are most of what moves data, and copies the rest."""
    times = {}
    for number in range(1, 7):
        times[f"conv{number}"] = 1.5
        times[f"prelu{number} input reformatter 0"] = 0.3
        times[f"prelu{number}"] = 0.3
    found = {
        each.code: each for each in findings(tmp_path, times | {"l copy": copies_ms}, ("TRX205", "TRX207"))
    }
    assert ("TRX205" in found) == is_finding
    if is_finding:
        assert found["TRX205"].message.startswith("1 copy takes")
    else:
        assert [each.code for each in found["TRX207"].consequences] == ["TRX205"]


@pytest.mark.parametrize(("variation", "first"), [(25.6, "TRX801"), (6.5, "TRX806")])
def test_times_that_vary_much_come_before_what_rests_on_them(variation, first, tmp_path):
    times = {"Latency": 3.1, "GPU Compute Time": 2.0, "H2D Latency": 0.8, "D2H Latency": 0.3}
    warning = f"GPU compute time is unstable, with coefficient of variance = {variation}%."
    case = {"layers": [{"Name": "/a/Conv"}], "measurement": {"summary": times, "warnings": [warning]}}
    rules = [each for each in built_in_rules() if each.code in ("TRX801", "TRX806")]
    found = lint(analyze_case(case, tmp_path), Registry(rules), LintSettings()).findings
    assert {each.code for each in found} == {"TRX801", "TRX806"}
    assert found[0].code == first


def test_a_summary_of_times_that_vary_shows_what_may_save_most_before_information_on_the_run(tmp_path):
    """The times that fall are one finding, whatever states them."""
    kernel = "ampere_scudnn_128x64_relu_xregs_large_nn_v1"
    layer = {"LayerType": "CaskConvolution", "ParameterType": "Convolution", "Kernel": [3, 3]}
    layer |= {"Groups": 1, "TacticName": kernel, "ms": 6}
    tensors = [f"{name} | Row major linear FP32 | 1x64x56x56" for name in "xabcy"]
    ends = pairwise(tensors)
    layers = [{"Name": f"c{at}", **layer, "Inputs": [i], "Outputs": [o]} for at, (i, o) in enumerate(ends)]
    device = {"Selected Device": "NVIDIA A30", "Compute Capability": "8.0", "SMs": "56"}
    levels = ((29.0, 14), (18.0, 20), (21.0, 5), (18.0, 25), (21.0, 8))
    case = {
        "layers": layers,
        "queries_ms": [{"pattern": [ms, ms + 0.2], "times": times} for ms, times in levels],
        "measurement": {
            "summary": {"GPU Compute Time": 18.2, "Latency": 20.2, "H2D Latency": 1.0, "D2H Latency": 1.0}
        },
        "setup": {"build_options": {"Precision": "FP32"}, "device": device, "tensorrt_version": "8.6.1"},
    }
    analysis = analyze_case(case, tmp_path)
    outcome = lint(analysis, Registry(built_in_rules()), LintSettings())
    assert "TRX802" not in {each.code for each in outcome.findings}
    text = render_markdown(engine_summary(replace(analysis, lint=outcome))).decode()
    rows = re.findall(r"^\| .* \| (TRX\d+) \|", text, re.MULTILINE)
    assert rows[:2] == ["TRX801", "TRX405"]
    assert "TRX806" in rows[2:]
