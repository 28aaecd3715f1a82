"""Running rules: what a rule may promise, what a broken one costs, and what the settings change."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import math
from dataclasses import replace

import pytest
from case_files import CASES, analyze_case
from hypothesis import given
from hypothesis import strategies as st
from onnx_engines import fused_engine

from trexreport.analyzer import analyze
from trexreport.analyzer.rules import Hit, LintSettings, Suppression, Threshold, bound, estimate, rule
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.lint import lint
from trexreport.analyzer.rules.registry import Registry, built_in_rules

INT8, FP16 = "Row major Int8 format", "Row major linear FP16 format"


@pytest.fixture
def chain(tmp_path):
    """Three layers of 1, 2 and 3 ms in a row."""
    layers = [
        {
            "Name": f"layer {number}",
            "LayerType": "Reformat",
            "ms": float(number),
            "Inputs": [f"t{number - 1} | {INT8} | 8x8"],
            "Outputs": [f"t{number} | {INT8} | 8x8"],
        }
        for number in (1, 2, 3)
    ]
    return analyze_case({"layers": layers, "bindings": ["t0", "t3"]}, tmp_path)


def make(check, code="ABC100", name="test.rule", severity="warning", many="{count} places.", **options):
    check.__doc__ = (
        "A title.\n\nCost:\n    c\nRecommendation:\n    a\nFalse alarm:\n    f\nEst. savings:\n    b\n"
    )
    return rule(code, name, severity, many=many, **options)(check)


def each_layer(gain_ms):
    gain = None if gain_ms is None else bound(gain_ms)
    return make(lambda context: (Hit("It is.", (layer,), gain) for layer in context.layers))


def run(analysis, *rules, **settings):
    return lint(analysis, Registry(rules), LintSettings(**settings))


def test_a_place_promises_no_more_than_its_layers_take(chain):
    (finding,) = run(chain, each_layer(gain_ms=2.5)).findings
    found = [(place.layers, place.gain.high_ms) for place in finding.places]
    assert found == [([2], 2.5), ([1], 2.0), ([0], 1.0)]
    assert (finding.gain.kind, finding.gain.low_ms, finding.gain.high_ms) == ("bound", 0.0, 5.5)
    assert finding.gain.high_percent == pytest.approx(100 * 5.5 / 6)


def test_a_layer_in_several_places_counts_once(chain):
    twice = make(lambda context: [Hit("It is.", (context.layers[2],), bound(3.0))] * 2)
    (finding,) = run(chain, twice).findings
    assert (finding.gain.high_ms, finding.time_ms, finding.layers) == (3.0, 3.0, [2])


def test_a_place_without_layers_is_the_whole_engine(chain):
    (finding,) = run(chain, make(lambda _: [Hit("It is.", gain=bound(100.0))])).findings
    assert (finding.gain.high_ms, finding.layers, finding.time_ms) == (6.0, [], None)


def test_what_was_not_measured_promises_nothing(tmp_path):
    analysis = analyze_case({"layers": [{"Name": "layer", "LayerType": "Reformat"}]}, tmp_path)
    rules = (
        each_layer(gain_ms=1.0),
        make(lambda _: [Hit("x", (), bound(1.0))], code="ABC101", name="test.whole"),
    )
    findings = run(analysis, *rules).findings
    assert [(finding.gain, finding.time_ms) for finding in findings] == [(None, None)] * 2


def test_an_unknown_gain_is_not_a_gain_of_zero(chain):
    (finding,) = run(chain, each_layer(gain_ms=None)).findings
    assert finding.gain is None


@given(
    gains=st.lists(
        st.one_of(
            st.none(),
            st.floats(-10, 100).map(bound),
            st.tuples(st.floats(-10, 100), st.floats(0, math.inf)).map(lambda at: estimate(at[0], sum(at))),
        ),
        min_size=1,
        max_size=8,
    ),
    data=st.data(),
)
def test_no_finding_promises_more_than_the_time_of_its_layers(chain_analysis, gains, data):
    layers = st.lists(st.sampled_from(chain_analysis.layers), max_size=3, unique_by=lambda each: each.index)
    hits = [Hit("It is.", tuple(data.draw(layers)), gain) for gain in gains]
    (finding,) = run(chain_analysis, make(lambda _: hits)).findings
    time_ms = finding.time_ms if finding.layers else 6.0
    for place in finding.places:
        limit = sum(chain_analysis.layers[layer].avg_ms for layer in place.layers) if place.layers else 6.0
        assert place.gain is None or 0 <= place.gain.low_ms <= place.gain.high_ms <= limit * (1 + 1e-9)
    known = [place.gain for place in finding.places if place.gain]
    assert bool(known) == (finding.gain is not None)
    if finding.gain is not None:
        whole = time_ms if all(place.layers for place in finding.places) else time_ms + 6.0
        assert 0 <= finding.gain.low_ms <= finding.gain.high_ms <= whole * (1 + 1e-9)
        assert finding.gain.high_ms <= sum(gain.high_ms for gain in known) * (1 + 1e-9)
        assert finding.gain.low_ms <= sum(gain.low_ms for gain in known) * (1 + 1e-9)
        certain = all(gain.kind == "bound" for gain in known) and len(known) == len(finding.places)
        assert (finding.gain.kind == "bound") == certain


@pytest.fixture(scope="module")
def chain_analysis(tmp_path_factory):
    return chain.__wrapped__(tmp_path_factory.mktemp("chain"))


def test_a_broken_rule_is_reported_and_the_others_live_on(chain):
    def breaks(context):
        yield Hit("Before it breaks.", (context.layers[0],))
        raise ZeroDivisionError("by\nnothing")

    outcome = run(chain, make(breaks, code="ABC101", name="test.breaks"), each_layer(gain_ms=1.0))
    (broken,) = outcome.unchecked
    assert (broken.code, broken.why) == ("ABC101", "broken")
    assert broken.reason == "The rule raised ZeroDivisionError: by nothing."
    assert [finding.code for finding in outcome.findings] == ["ABC100"]
    assert outcome.checked == 1


@pytest.mark.parametrize(
    ("case", "need"),
    [
        ({"layers": []}, "layers"),
        ({"layers": [{"Name": "a", "LayerType": "Reformat"}]}, "profile"),
        ({"layers": [{"Name": "a", "LayerType": "Reformat", "ms": 1.0}]}, "end-to-end"),
        ({"layers": [{"Name": "a", "LayerType": "Reformat"}]}, "queries"),
        ({"layers": [{"Name": "a", "LayerType": "Reformat"}]}, "build-options"),
        ({"layers": [{"Name": "a", "LayerType": "Reformat"}]}, "run-options"),
        ({"layers": [{"Name": "a", "LayerType": "Reformat"}]}, "version"),
        ({"layers": [{"Name": "a", "LayerType": "Reformat"}]}, "roofline"),
        ({"layers": [{"Name": "a", "LayerType": "Reformat"}]}, "gpu-samples"),
        ({"layers": [{"Name": "a", "LayerType": "Reformat"}]}, "gpu-memory-use"),
    ],
)
def test_a_rule_whose_input_is_missing_is_skipped_with_the_reason(case, need, tmp_path):
    if not case["layers"]:
        case["layers"] = ["only a name"]
    from trexreport.analyzer.rules.needs import NEEDS

    (tmp_path / "x").mkdir()
    analysis = analyze_case_with_names(case, tmp_path / "x")
    outcome = run(analysis, make(lambda _: [Hit("It is.")], needs=(need,)))
    assert [(each.why, each.reason) for each in outcome.unchecked] == [("skipped", NEEDS[need])]
    assert not outcome.findings


@pytest.mark.parametrize("role", ["profile", "timing"])
def test_without_layer_information_no_reason_speaks_of_names(role, tmp_path):
    import json

    from trexreport.analyzer import analyze
    from trexreport.analyzer.rules.needs import NO_LAYER_INFORMATION
    from trexreport.reader import read_engine

    query = {"startEnqMs": 0, "endEnqMs": 0, "h2dMs": 0, "computeMs": 1, "d2hMs": 0, "latencyMs": 1}
    row = {"name": "conv1", "timeMs": 9.0, "averageMs": 1.0, "percentage": 100.0}
    content = {"profile": [{"count": 9}, row], "timing": [query] * 9}[role]
    (tmp_path / f"x.{role}.json").write_text(json.dumps(content))
    analysis = analyze(read_engine(tmp_path), registry=Registry(()))
    outcome = run(analysis, make(lambda _: [Hit("It is.")], needs=("layers",)))
    assert [each.reason for each in outcome.unchecked] == [NO_LAYER_INFORMATION]


@pytest.mark.parametrize(
    ("version", "flags", "reason"),
    [
        ("v100300", "--profilingVerbosity=detailed", "NOT_EXPORTED"),
        ("v100300", "", "NO_LAYER_INFORMATION"),
        ("v8001", "", "NO_EXPORT"),
    ],
)
def test_no_reason_advises_what_the_command_has_or_the_version_lacks(version, flags, reason, tmp_path):
    from trexreport.analyzer import analyze
    from trexreport.analyzer.rules import needs
    from trexreport.reader import read_engine

    command = f"TensorRT.trtexec [TensorRT {version}] # trtexec --onnx=m.onnx {flags}"
    summary = (
        "[I] GPU Compute Time: min = 1 ms, max = 1 ms, mean = 1 ms, median = 1 ms, percentile(99%) = 1 ms"
    )
    lines = [f"&&&& RUNNING {command}", "[I] === Performance summary ===", "[I] Throughput: 900 qps", summary]
    (tmp_path / "x.log").write_text("\n".join([*lines, f"&&&& PASSED {command}", ""]))
    analysis = analyze(read_engine(tmp_path), registry=Registry(()))
    outcome = run(analysis, make(lambda _: [Hit("It is.")], needs=("layers",)))
    assert [each.reason for each in outcome.unchecked] == [getattr(needs, reason)]


def analyze_case_with_names(case, folder):
    if case["layers"] != ["only a name"]:
        return analyze_case(case, folder)
    import json

    from trexreport.analyzer import analyze
    from trexreport.reader import read_engine

    (folder / "x.graph.json").write_text(json.dumps({"Layers": ["only a name"], "Bindings": []}))
    return analyze(read_engine(folder), registry=Registry(()))


def test_findings_are_sorted_by_what_they_could_gain(chain):
    rules = [
        make(
            lambda c: [Hit("x", (c.layers[0],), bound(0.01))],
            code="ABC101",
            name="test.little",
            severity="error",
        ),
        make(
            lambda c: [Hit("x", (c.layers[2],), bound(3.0))], code="ABC102", name="test.much", severity="info"
        ),
        make(lambda _: [Hit("x")], code="ABC103", name="test.unknown", severity="error"),
        make(lambda c: [Hit("x", (c.layers[1],), bound(0.9))], code="ABC104", name="test.some"),
        make(lambda _: [Hit("x")], code="ABC105", name="test.unknown-info", severity="info"),
    ]
    codes = [finding.code for finding in run(chain, *rules).findings]
    assert codes == ["ABC103", "ABC102", "ABC104", "ABC101", "ABC105"]


def test_without_times_what_concerns_most_comes_first_and_the_files_last(tmp_path):
    layers = [{"Name": f"layer {number}", "LayerType": "Reformat"} for number in range(3)]
    untimed = analyze_case({"layers": layers}, tmp_path)
    rules = [
        make(lambda _: [Hit("x")], code="ABC101", name="test.files", section="notes"),
        make(lambda c: [Hit("x", c.layers[:1])], code="ABC102", name="test.one"),
        make(lambda c: [Hit("x", c.layers)], code="ABC103", name="test.all"),
        make(lambda _: [Hit("x")], code="ABC104", name="test.whole"),
        make(lambda c: [Hit("x", c.layers)], code="ABC105", name="test.info", severity="info"),
        make(lambda _: [Hit("x")], code="ABC106", name="test.broken", severity="error", section="notes"),
    ]
    codes = [finding.code for finding in run(untimed, *rules).findings]
    # Information counts a third of its layers.
    assert codes == ["ABC104", "ABC103", "ABC102", "ABC105", "ABC106", "ABC101"]


FLOAT = "Row major linear FP32 | "


@pytest.mark.parametrize(
    ("gpu", "kernel", "shape", "first"),
    [
        # The product takes longest, by the roofline or by its operations; without these the layers count.
        ("A100 80GB PCIe", [3, 3], "1x256x14x14", "ABC101"),
        (None, [3, 3], "1x256x14x14", "ABC101"),
        (None, None, "1x256x14x14", "ABC102"),
        # What is moved is more than the product.
        ("A100 80GB PCIe", [1, 1], "1x256x4x4", "ABC102"),
    ],
)
def test_without_times_what_does_the_most_work_comes_first(gpu, kernel, shape, first, tmp_path):
    weights = {"Weights": {"Type": "Float", "Count": math.prod(kernel or [3, 3]) * 256 * 256}}
    product = {"Name": "conv", "LayerType": "CaskConvolution", "ParameterType": "Convolution", **weights}
    if kernel:
        product |= {"Kernel": kernel, "Groups": 1, "OutMaps": 256}
    product |= {"Inputs": [f"x | {FLOAT}{shape}"], "Outputs": [f"y | {FLOAT}{shape}"]}
    copies = [
        {"Name": f"copy {number}", "LayerType": "Shuffle", "ParameterType": "Shuffle"}
        | {"Inputs": [f"a{number} | {FLOAT}1x64x28x28"], "Outputs": [f"a{number + 1} | {FLOAT}1x64x28x28"]}
        for number in range(3)
    ]
    case = {"layers": [product, *copies], "bindings": ["x", "y", "a0", "a3"]}
    untimed = analyze_case(case | ({"gpu": gpu} if gpu else {}), tmp_path)
    rules = [
        make(lambda c: [Hit("x", c.layers[:1])], code="ABC101", name="test.product"),
        make(lambda c: [Hit("x", c.layers[1:])], code="ABC102", name="test.copies"),
    ]
    assert run(untimed, *rules).findings[0].code == first


@pytest.mark.parametrize("severity", ["warning", "info"])
@pytest.mark.parametrize(("share", "is_first"), [(0.5, False), (0.9, False), (1.1, True), (3.0, True)])
def test_a_finding_without_estimate_counts_with_a_third_of_its_time(severity, share, is_first, chain):
    def by_time(context):
        return [Hit("x", (context.layers[2],), severity=severity)]

    def by_gain(context):
        return [
            Hit("x", (context.layers[0],), bound(context.layers[2].avg_ms / 3 / share), severity=severity)
        ]

    rules = make(by_gain, code="ABC101", name="test.gain"), make(by_time, code="ABC102", name="test.time")
    codes = [finding.code for finding in run(chain, *rules).findings]
    assert codes == (["ABC102", "ABC101"] if is_first else ["ABC101", "ABC102"])


@pytest.mark.parametrize("make_gain", [lambda ms: bound(ms / 10), lambda _: None])
def test_information_comes_after_warnings_of_similar_size(make_gain, chain):
    def check(context):
        yield Hit("x", (context.layers[2],), make_gain(context.layers[2].avg_ms), severity="info")
        yield Hit("x", (context.layers[1],), make_gain(context.layers[1].avg_ms))

    assert [each.severity for each in run(chain, make(check)).findings] == ["warning", "info"]


@pytest.mark.parametrize(
    ("code", "is_first"),
    [
        ("ABC102", False),
        ("TRX205", True),
        ("TRX509", True),
        ("TRX911", True),
        ("TRX914", True),
        ("TRX918", True),
    ],
)
def test_where_most_of_the_time_goes_counts_like_a_warning(code, is_first, chain):
    def dominant(context):
        yield Hit("x", (context.layers[2],), severity="info")

    def by_gain(context):
        yield Hit("x", (context.layers[0],), bound(context.layers[2].avg_ms / 8))

    rules = make(by_gain, code="ABC101", name="test.gain"), make(dominant, code=code, name="test.dominant")
    found = [finding.code for finding in run(chain, *rules).findings]
    assert found == ([code, "ABC101"] if is_first else ["ABC101", code])


@pytest.mark.parametrize(("code", "is_first"), [("ABC102", True), ("TRX508", False), ("TRX512", False)])
def test_layers_that_may_be_fast_already_count_with_a_tenth(code, is_first, chain):
    def informs(context):
        yield Hit("x", (context.layers[2],), severity="info")

    def by_gain(context):
        yield Hit("x", (context.layers[0],), bound(context.layers[2].avg_ms / 20))

    rules = make(by_gain, code="ABC101", name="test.gain"), make(informs, code=code, name="test.informs")
    assert (run(chain, *rules).findings[0].code == code) is is_first


@pytest.mark.parametrize("severity", ["warning", "info"])
@pytest.mark.parametrize("code", ["TRX902", "TRX903"])
@pytest.mark.parametrize(("share", "is_first"), [(0.9, False), (1.1, True)])
def test_what_nothing_shows_counts_with_a_third_of_its_time(code, severity, share, is_first, chain):
    """And with what else its fix saves: the reformats next to a plugin."""

    def by_time(context):
        gain = of_layers("estimate", [(context.layers[1], 0.0, 0.2)], "removed-layers")
        return [Hit("x", (context.layers[2], context.layers[1]), gain, severity=severity)]

    def by_gain(context):
        return [Hit("x", (context.layers[1],), bound((context.layers[2].avg_ms / 3 + 0.1) / share))]

    rules = make(by_gain, code="ABC101", name="test.gain"), make(by_time, code=code, name="test.hidden")
    found = [finding.code for finding in run(chain, *rules).findings]
    assert found == ([code, "ABC101"] if is_first else ["ABC101", code])


@pytest.mark.parametrize(
    ("code", "type_", "is_first"),
    [
        ("TRX914", "TopK", True),
        ("TRX914", "CaskConvolution", False),
        ("TRX914", "", True),
        ("TRX918", "", True),
        ("ABC102", "CaskConvolution", True),
    ],
)
def test_what_dominates_counts_less_where_other_rules_say_what_is_slow(code, type_, is_first, tmp_path):
    """Only of convolutions and matrix multiplications other rules say what is slow."""
    slow = {"Name": "slow", "ms": 1.0} | ({"LayerType": type_, "Inputs": [], "Outputs": []} if type_ else {})
    analysis = analyze_case({"layers": [slow, {"Name": "other", "ms": 1.0}]}, tmp_path)

    def by_gain(context):
        yield Hit("x", (context.layers[1],), bound(0.2))

    by_names = {"needs": ("profile",)}
    rules = (
        make(by_gain, code="ABC101", name="test.gain", **by_names),
        make(lambda c: [Hit("x", c.layers[:1])], code=code, name="test.dominant", **by_names),
    )
    found = [finding.code for finding in run(analysis, *rules).findings]
    assert found == ([code, "ABC101"] if is_first else ["ABC101", code])


@pytest.mark.parametrize(
    ("code", "idle", "severity", "is_first"),
    [
        ("TRX805", 0.2, "warning", True),
        ("TRX805", 0.05, "warning", False),
        ("TRX805", 0.2, "info", False),
        ("ABC102", 0.2, "warning", False),
    ],
)
def test_a_gpu_that_waits_for_the_host_comes_before_what_faster_kernels_save(
    code, idle, severity, is_first, chain
):
    def by_gain(context):
        yield Hit("x", (context.layers[2],), bound(0.9 * context.layers[2].avg_ms))

    def gap(context):
        yield Hit("x", (), estimate(0.0, idle * context.query_ms, "measured-gap"), severity=severity)

    rules = (
        make(by_gain, code="ABC101", name="test.gain"),
        make(gap, code=code, name="test.gap"),
    )
    found = [finding.code for finding in run(chain, *rules).findings]
    assert found == ([code, "ABC101"] if is_first else ["ABC101", code])


@pytest.mark.parametrize(("code", "is_first"), [("TRX407", True), ("TRX706", True), ("TRX905", False)])
def test_an_option_that_concerns_all_layers_counts_with_all_of_them(code, is_first, chain):
    """Where no layer is named, a third of a tenth of all is more than savings of 3%."""

    def of_all(_):
        yield Hit("x", severity="info")

    def by_gain(context):
        yield Hit("x", (context.layers[0],), bound(0.03 * context.total_ms))

    rules = make(by_gain, code="ABC101", name="test.gain"), make(of_all, code=code, name="test.option")
    found = [finding.code for finding in run(chain, *rules).findings]
    assert found == ([code, "ABC101"] if is_first else ["ABC101", code])


def test_launches_that_limit_a_run_are_about_the_engine(tmp_path):
    def about(name, transfers_ms=0.7):
        case = json.loads((CASES / "TRX805" / name).read_text("utf-8"))
        rules = [each for each in built_in_rules() if each.code in ("TRX805", "TRX806")]
        case["measurement"]["summary"] |= {"H2D Latency": transfers_ms, "Latency": 1.0 + transfers_ms}
        return {each.code: each.about for each in run(analyze_case(case, tmp_path), *rules).findings}

    assert about("fires.json") == {"TRX805": "engine", "TRX806": "measurement"}
    # Transfers do so where they take most of a query.
    assert about("fires.json", transfers_ms=1.2) == {"TRX805": "engine", "TRX806": "engine"}
    assert about("info-profiled-run.json") == {"TRX805": "measurement", "TRX806": "measurement"}


def test_hits_of_other_severity_are_findings_of_their_own(chain):
    def check(context):
        yield Hit("One.", (context.layers[0],))
        yield Hit("Two.", (context.layers[1],))
        yield Hit("Slight.", (context.layers[2],), severity="info")

    warning, info = run(chain, make(check)).findings
    assert (warning.severity, warning.message, warning.layers) == ("warning", "2 places.", [0, 1])
    assert (info.severity, info.message, info.layers) == ("info", "Slight.", [2])


def test_settings_choose_rules_severities_and_thresholds(chain):
    seen = []

    def check(context, *, least_ms):
        seen.append(least_ms)
        return [Hit("It is.", (context.layers[0],), severity="info")]

    bound = Threshold("least_ms", 1.0, 0.0, 10.0, "Time.")
    sized = make(check, code="ABC101", name="size.sized", thresholds=(bound,))
    other = make(lambda _: [Hit("x")], code="XYZ100", name="other.rule")
    assert [f.code for f in run(chain, sized, other, select=("ABC1",)).findings] == ["ABC101"]
    assert [
        f.code for f in run(chain, sized, other, select=("size", "other"), ignore=("ABC101",)).findings
    ] == ["XYZ100"]
    (finding,) = run(
        chain, sized, severities={"ABC101": "error"}, thresholds={"ABC101": {"least_ms": 4.0}}
    ).findings
    assert finding.severity == "error"
    assert seen == [1.0, 4.0]


def test_a_suppression_keeps_quiet_what_it_fits_and_says_so(chain):
    kept = Suppression("ABC100", "known", layers="layer [12]", position="Entry 1")
    outcome = run(chain, each_layer(gain_ms=1.0), suppressions=(kept,))
    assert [chain.layers[i].name for f in outcome.findings for i in f.layers] == ["layer 3"]
    assert [(s.code, s.reason, s.place.layers) for s in outcome.suppressed] == [
        ("ABC100", "known", [0]),
        ("ABC100", "known", [1]),
    ]
    assert not outcome.remarks


def test_what_is_kept_quiet_has_the_severity_that_it_would_have_had(chain):
    def check(context):
        yield Hit("It is.", (context.layers[0],))
        yield Hit("Slight.", (context.layers[1],), severity="info")

    quiet = (Suppression("ABC100", "known"),)
    outcome = run(chain, make(check), suppressions=quiet)
    assert [each.severity for each in outcome.suppressed] == ["warning", "info"]
    outcome = run(chain, make(check), suppressions=quiet, severities={"ABC100": "error"})
    assert [each.severity for each in outcome.suppressed] == ["error", "error"]


def test_a_suppression_that_matches_nothing_or_has_expired_is_remarked(chain):
    today = dt.date(2030, 5, 17)
    suppressions = (
        Suppression("ABC100", "r", layers="nowhere*", position="Entry 1"),
        Suppression("test", "r", until=dt.date(2030, 5, 16), position="Entry 2"),
        Suppression("test", "r", layers="layer 1", until=today, position="Entry 3"),
    )
    outcome = run(chain, each_layer(gain_ms=1.0), suppressions=suppressions, today=today)
    assert outcome.remarks == [
        "Entry 1 of ABC100 in layers 'nowhere*' matches nothing; remove it.",
        "Entry 2 of test expired on 2030-05-16.",
    ]
    assert len(outcome.suppressed) == 1


def test_a_suppression_of_a_rule_that_did_not_run_is_not_called_useless(chain):
    skipped = make(lambda _: [], needs=("queries",))
    outcome = run(chain, skipped, suppressions=(Suppression("ABC100", "r"),))
    assert not outcome.remarks


def test_fingerprints_differ_between_places_and_last_between_runs(chain):
    rules = (each_layer(gain_ms=1.0), make(lambda _: [Hit("x"), Hit("x")], code="ABC101", name="test.whole"))
    first, second = (run(chain, *rules) for _ in range(2))
    prints = [place.fingerprint for finding in first.findings for place in finding.places]
    assert prints == [place.fingerprint for finding in second.findings for place in finding.places]
    assert len(set(prints)) == len(prints) == 5


@pytest.mark.parametrize(
    "arguments",
    [
        ("lower100", "test.rule", "warning"),
        ("ABC100", "norule", "warning"),
        ("ABC100", "test.rule", "fatal"),
    ],
)
def test_a_malformed_rule_is_refused_when_it_is_made(arguments):
    with pytest.raises(ValueError, match=arguments[0]):
        rule(*arguments, many="{count}")(lambda _: [])


def test_a_rule_documents_itself_in_full():
    def check(context):
        """A title.

        Cost:
            c
        """

    with pytest.raises(ValueError, match="no part 'Recommendation:'"):
        rule("ABC100", "test.rule", "info", many="{count}")(check)


def test_neighbors_are_found_past_no_ops_and_what_is_looked_through(tmp_path):
    layers = [
        {"Name": "a", "LayerType": "X", "Inputs": [f"in | {INT8} | 8"], "Outputs": [f"t | {INT8} | 8"]},
        {"Name": "n", "LayerType": "NoOp", "Inputs": [f"t | {INT8} | 8"], "Outputs": [f"u | {INT8} | 8"]},
        {"Name": "r", "LayerType": "Reformat", "Inputs": [f"u | {INT8} | 8"], "Outputs": [f"v | {FP16} | 8"]},
        {"Name": "b", "LayerType": "Y", "Inputs": [f"v | {FP16} | 8"], "Outputs": [f"out | {FP16} | 8"]},
        {"Name": "c", "LayerType": "Y", "Inputs": [f"t | {INT8} | 8"], "Outputs": [f"w | {INT8} | 8"]},
    ]
    context = Context(analyze_case({"layers": layers, "bindings": ["in", "out"]}, tmp_path))
    a, _, r, b, c = context.layers
    assert context.successors(a) == [r, c]
    assert context.successors(a, through=context.is_reformat) == [b, c]
    assert context.predecessors(b) == [r]
    assert context.predecessors(b, through=context.is_reformat) == [a]
    assert context.is_output(b.outputs[0].tensor)
    assert context.is_input(a.inputs[0].tensor)
    assert not context.is_output(a.outputs[0].tensor)


def test_a_message_names_its_first_layer_on_one_line_and_shortened(chain_analysis):
    first, *others = chain_analysis.layers
    named = dataclasses.replace(first, name="a\nb" + 60 * "c" + "end")
    analysis = dataclasses.replace(chain_analysis, layers=[named, *others])

    def check(context):
        yield Hit("{layer} runs {twice}.", context.layers[:2])
        yield Hit("{layer} is one.")

    places = [
        place.message
        for finding in lint(analysis, Registry((make(check),))).findings
        for place in finding.places
    ]
    name = "a b" + 19 * "c" + "\N{HORIZONTAL ELLIPSIS}" + 18 * "c" + "end"
    assert len(name) == 44
    assert places == ["the engine is one.", f"{name} runs {{twice}}."]


@pytest.mark.parametrize(
    ("found", "listed"),
    [
        (("INT8 and FP16", "INT8", "INT8 and FP16"), "INT8 and FP16 or INT8"),
        (("INT8", "FP16", "FP8"), "FP8, FP16 or INT8"),
    ],
)
def test_a_summary_of_several_places_lists_the_values_of_its_evidence(found, listed, chain_analysis):
    def check(context):
        for layer, types in zip(context.layers, found, strict=True):
            yield Hit("{layer} is.", (layer,), None, {"Types": types})

    check.__doc__ = make(lambda _: ()).check.__doc__
    mixed = rule("ABC100", "test.rule", "warning", many="{count} layers mix {Types}.")(check)
    (finding,) = lint(chain_analysis, Registry((mixed,))).findings
    assert finding.message == f"3 layers mix {listed}."


def test_a_summary_of_several_places_states_the_time_of_their_layers(tmp_path):
    def found(together):
        def check(context):
            one, other, *rest = context.layers
            return [Hit("x", (one,)), Hit("x", (other, *rest[:together]))]

        made = make(check, many="{count} layers wait{extent}.")
        (finding,) = run(in_engine(tmp_path, 1.0, 2.0, 3.0, 4.0), made).findings
        return finding.message

    assert found(0) == "2 layers wait (30.0% of layer time, 3.00\u00a0ms)."
    assert found(1) == "2 layers wait, which affects 3 layers (60.0% of layer time, 6.00\u00a0ms)."


def in_engine(tmp_path, *times):
    """Return the analysis of layers with these times in ms."""
    layers = [
        {"Name": f"layer {number}", "LayerType": "Pooling", "ms": time_ms}
        for number, time_ms in enumerate(times)
    ]
    return analyze_case({"layers": layers}, tmp_path)


def first_layers(number, code="TRX999", name="test.rule", **options):
    def check(context):
        return [Hit("x", (layer,)) for layer in context.layers[:number]]

    return make(check, code, name, **options)


@pytest.mark.parametrize(("rest_ms", "severity"), [(9.0, "warning"), (38.5, "warning"), (39.5, "info")])
def test_a_warning_about_less_than_a_fortieth_of_the_time_is_information(tmp_path, rest_ms, severity):
    analysis = in_engine(tmp_path, 0.5, 0.5, rest_ms - 0.5, 0.5)
    (finding,) = run(analysis, first_layers(2)).findings
    assert (finding.severity, len(finding.places)) == (severity, 2)


@pytest.mark.parametrize(
    ("gain_ms", "severities"),
    [(0.0, []), (0.9, []), (1.1, ["info"]), (2.4, ["info"]), (2.6, ["warning"]), (None, ["warning"])],
)
def test_a_warning_that_saves_little_is_information_and_one_that_saves_next_to_nothing_none(
    tmp_path, gain_ms, severities
):
    gain = None if gain_ms is None else bound(gain_ms)
    saves = make(lambda context: [Hit("x", context.layers[:1], gain)], "TRX999")
    found = run(in_engine(tmp_path, 50.0, 50.0), saves).findings
    assert [finding.severity for finding in found] == severities


@pytest.mark.parametrize(
    ("options", "settings"),
    [
        ({"name": "measurement.test"}, {}),
        ({"code": "ABC100"}, {}),
        ({}, {"severities": {"TRX999": "info"}}),
        ({}, {"thresholds": {"TRX999": {"gain_percent": 0.1}}}),
        ({}, {"select": ("TRX999",)}),
    ],
)
def test_what_saves_next_to_nothing_stays_where_the_configuration_asks_for_it(tmp_path, options, settings):
    def check(context, **_):
        return [Hit("x", context.layers[:1], bound(0.5), severity="info")]

    (finding,) = run(
        in_engine(tmp_path, 50.0, 50.0), make(check, **{"code": "TRX999"} | options), **settings
    ).findings
    assert finding.severity == "info"


@pytest.mark.parametrize(
    ("settings", "runs"),
    [
        ({}, False),
        ({"ignore": ("TRX1",)}, False),
        ({"select": ("TRX9",)}, True),
        ({"severities": {"TRX999": "warning"}}, True),
        ({"thresholds": {"TRX999": {}}}, True),
    ],
)
def test_a_rule_on_request_runs_if_the_configuration_speaks_of_it(chain, settings, runs):
    found = run(chain, make(lambda _: [Hit("x")], "TRX999", on_request=True), **settings)
    assert [each.code for each in found.findings] == ["TRX999"] * runs
    assert [each.reason for each in found.unchecked] == ["It runs on request: --select TRX999."] * (not runs)


def test_what_something_of_little_worth_explains_in_part_is_a_finding_of_its_own(tmp_path):
    cause = make(
        lambda context: [Hit("x", context.layers[:1], bound(0.5))], "TRX999", explains={"share": ("TRX998",)}
    )
    summary = first_layers(1, "TRX998", "test.summary")
    (finding,) = run(in_engine(tmp_path, 50.0, 50.0), cause, summary).findings
    assert (finding.code, finding.severity) == ("TRX998", "warning")


@pytest.mark.parametrize(
    ("options", "settings", "severity"),
    [
        ({}, {}, "info"),
        ({"severity": "error"}, {}, "error"),
        ({"name": "measurement.test"}, {}, "warning"),
        ({"code": "ABC100"}, {}, "warning"),
        ({}, {"severities": {"TRX999": "warning"}}, "warning"),
    ],
)
def test_what_concerns_the_run_or_was_stated_keeps_its_severity(tmp_path, options, settings, severity):
    (finding,) = run(in_engine(tmp_path, 0.5, 99.5), first_layers(1, **options), **settings).findings
    assert finding.severity == severity


def test_the_time_of_what_a_warning_explains_counts_and_so_does_its_own_severity(tmp_path):
    cause = first_layers(1, explains={"layers": ("TRX998",)})
    large = first_layers(1, "TRX998", "test.other", explains={})
    (finding,) = run(in_engine(tmp_path, 0.5, 99.5), cause, large).findings
    assert [finding.severity, *(each.severity for each in finding.consequences)] == ["info", "info"]

    def both(context):
        return [Hit("x", context.layers)]

    spread = make(both, "TRX998", "test.other")
    engine_wide = first_layers(1, explains={"engine": ("TRX998",)})
    (finding,) = run(in_engine(tmp_path, 0.5, 99.5), engine_wide, spread).findings
    assert [finding.severity, *(each.severity for each in finding.consequences)] == ["warning", "warning"]


def test_without_times_a_warning_stays(tmp_path):
    analysis = analyze_case({"layers": [{"Name": "layer", "LayerType": "Pooling"}]}, tmp_path)
    (finding,) = run(analysis, first_layers(1)).findings
    assert finding.severity == "warning"


def test_what_concerns_the_report_is_never_listed_with_the_engine():
    about_report = [each for each in built_in_rules() if "concerns the report" in each.savings]
    assert {each.code for each in about_report} >= {"TRX701", "TRX901", "TRX907"}
    assert {each.section for each in about_report} == {"notes"}


def test_on_the_measurement_the_more_severe_comes_first(chain):
    gain = bound(2.0)
    slow = make(lambda context: [Hit("x", context.layers, gain)], "ABC801", "measurement.a", "info")
    unsteady = make(lambda _: [Hit("x", ())], "ABC802", "measurement.b", "warning")
    assert [each.code for each in run(chain, slow, unsteady).findings] == ["ABC802", "ABC801"]


def test_a_place_states_nodes_that_its_layers_do_not_name_and_source_lines():
    analysis = analyze(fused_engine(60, "myelin", 1).read())
    (finding,) = run(analysis, each_layer(gain_ms=None)).findings
    model = analysis.onnx
    checked = 0
    for place in finding.places:
        nodes = [model.nodes[index] for index in model.layer_nodes[place.layers[0]]]
        stated = place.evidence.get("nodes", "").partition(" and ")[0].split(", ")
        assert stated == [node.name for node in nodes][:3] or not nodes
        assert place.evidence.get("source", "").split(", ")[0] == (nodes[0].source if nodes else "")
        checked += bool(nodes)
    assert checked > 5


def test_a_place_without_a_model_states_none(chain):
    (finding,) = run(chain, each_layer(gain_ms=None)).findings
    assert finding.places
    assert all(not place.evidence for place in finding.places)


@pytest.mark.parametrize("knows_runs", [False, True])
def test_that_the_only_run_may_be_the_first_comes_before_what_it_shows(knows_runs, tmp_path):
    names = ["Reformatting CopyNode for Input Tensor 0 to Conv_0", "Conv_0 copy", "Conv_0", "Conv_1"]
    setup = {"inference_options": {"Warmup": "200 ms"}} if knows_runs else {}
    case = {"layers": [{"Name": name, "ms": 2.0} for name in names], "iterations": 1, "setup": setup}
    outcome = lint(analyze_case(case, tmp_path), Registry(tuple(built_in_rules())))
    found = [(each.code, each.severity) for each in outcome.findings if each.code in {"TRX205", "TRX804"}]
    first = ("TRX804", "warning")
    assert found == ([("TRX205", "warning"), first] if knows_runs else [first, ("TRX205", "info")])


def test_that_the_host_limits_the_run_comes_before_that_its_times_vary(chain):
    enqueue = make(lambda _: [Hit("x", ())], "TRX805", "measurement.a", "warning")
    unsteady = make(lambda _: [Hit("x", ())], "TRX801", "measurement.b", "warning")
    assert [each.code for each in run(chain, unsteady, enqueue).findings] == ["TRX805", "TRX801"]


def test_findings_without_advice_are_the_same_and_say_nothing_of_what_to_do(chain):
    registry = Registry((each_layer(gain_ms=1.0),))
    (full,) = lint(chain, registry).findings
    (short,) = lint(chain, registry, with_advice=False).findings
    assert (full.cost, full.recommendation) == ("c", "a")
    assert short == replace(full, savings="", cost="", recommendation="", false_alarm="")
