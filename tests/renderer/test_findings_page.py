"""What the page shows of findings: the first, their order, what is cut, and the text if there are none."""

from __future__ import annotations

import dataclasses
import re
from html import unescape
from pathlib import Path

import pytest
from finding_samples import finding, gain, many

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis import Finding, Lint, Place, UncheckedRule
from trexreport.analyzer.analysis.timing import Latency, Percentiles
from trexreport.numbers import format_ms, format_number, layer_label
from trexreport.reader import read_engine
from trexreport.renderer.findings_data import finding_ids, findings_data
from trexreport.renderer.findings_page import MAX_PLACES, findings_page
from trexreport.renderer.html import render_html
from trexreport.renderer.html_options import HtmlOptions
from trexreport.wording.gains import savings
from trexreport.wording.sections import section_sentence

SAMPLE = Path(__file__).parents[2] / "samples" / "resnet18-int8-before"
HOSTILE = "</script><img src=x onerror=alert(1)>{{7*7}}\"' onclick=x \x00\u202e\ud800"


@pytest.fixture(scope="module")
def facts():
    return analyze(read_engine(SAMPLE))


def with_lint(facts, lint):
    return dataclasses.replace(facts, lint=lint)


def of(facts, *findings, **changes):
    return with_lint(facts, Lint(findings=list(findings), **{"checked": 40, **changes}))


def html_of(analysis):
    return render_html(analysis, (), HtmlOptions(interactive_charts=False)).decode("utf-8")


def section_of(analysis, name="findings"):
    return re.search(rf'<section id="{name}".*?</section>', html_of(analysis), re.DOTALL).group()


def words(html):
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


class TestFirst:
    def codes(self, facts, *findings):
        return [view.finding.code for view in findings_page(of(facts, *findings)).first]

    def test_five_findings_on_the_engine_are_enough(self, facts):
        found = [
            finding("TRX900", "info", ([1], 0.9), gain_percent=40.0),
            *(finding(f"TRX10{n}", "warning", ([n], 0.1), gain_percent=30.0 - n) for n in range(3)),
            finding("TRX801", "warning", ([1], 0.9), gain_percent=3.0, about="measurement"),
            finding("TRX500", "error", ([1], 0.1), gain_percent=2.0),
            finding("TRX501", "error", ([1], 0.1), gain_percent=1.0),
        ]
        assert self.codes(facts, *found) == ["TRX900", "TRX100", "TRX101", "TRX102", "TRX500"]

    def test_findings_on_files_hide_none_on_layers(self, facts):
        on_files = finding("TRX907", "warning", ([], None))
        on_files = dataclasses.replace(on_files, section="notes", about="measurement")
        region = dataclasses.replace(finding("TRX902", "info", ([1], None)), time_ms=0.3)
        assert self.codes(facts, region) == []
        assert self.codes(facts, region, on_files) == ["TRX902"]
        large = finding("TRX103", "warning", ([1], None))
        assert self.codes(facts, large, region, on_files) == ["TRX103"]
        # It comes first because it concerns more time.
        assert self.codes(facts, region, large, on_files) == ["TRX902", "TRX103"]

    def test_large_savings_on_the_measurement_come_first_where_the_engine_has_none(self, facts):
        transfers = finding("TRX806", "warning", ([1], 0.5), gain_percent=49.8, about="measurement")
        unsteady = finding("TRX801", "warning", ([1], None), about="measurement")
        assert self.codes(facts, unsteady, transfers) == ["TRX806"]
        assert self.codes(facts, unsteady) == []
        on_engine = finding("TRX103", "warning", ([1], None))
        assert self.codes(facts, transfers, on_engine) == ["TRX103"]

    def test_what_hardly_gains_is_no_reason_to_look(self, facts):
        small = [
            finding("TRX100", "warning", ([1], 1e-5), gain_percent=0.01),
            finding("TRX101", "info", ([1], 1e-3), gain_percent=0.9),
            finding("TRX102", "info", ([1], None)),
            finding("TRX103", "error", ([1], 0.0), gain_percent=0.0),
            finding("TRX104", "warning", ([1], None)),
            finding("TRX105", "info", ([1], 0.1), gain_percent=1.0),
        ]
        assert self.codes(facts, *small) == ["TRX103", "TRX104", "TRX105"]

    def test_nothing_is_stated_with_the_number_of_rules(self, facts):
        lint = Lint(checked=38, unchecked=[UncheckedRule("TRX801", "a.b", "skipped", "No profile.")])
        text = words(section_of(with_lint(facts, lint), "overview"))
        assert "Top findings No findings. Nothing worth changing was found on the engine: " in text
        assert "38 rules checked (1 rule skipped: input missing)" in text

    def test_a_line_says_what_and_how_much(self, facts):
        found = finding("TRX102", "warning", ([1], 0.2), ([2], 0.137), gain_percent=30.7)
        text = section_of(of(facts, found), "overview")
        assert 'href="#finding-TRX102"' in text
        shown = "warning Savings est. 31% (0.34 ms) 2 layers are wrong as TRX102 says."
        assert shown in words(text)


class TestHeadline:
    def test_is_not_repeated_below(self, facts):
        found = finding("TRX102", "warning", ([3], 0.1))
        (view,) = findings_page(of(facts, dataclasses.replace(found, message=found.places[0].message))).views
        assert (view.finding.message, view.message) == (found.places[0].message, "")

    def test_messages_that_differ_only_in_layer_and_figures_are_of_one_kind(self, facts):
        labels = {index: layer_label(facts.layers[index].name) for index in (1, 2)}
        assert labels[1] != labels[2]
        alike = [Place(f"{labels[at]} takes {at} ms.", [at], None, {"a": "1"}) for at in (1, 2)]
        found = finding("TRX102", "info", places=alike, layers=[1, 2])
        assert not findings_page(of(facts, found)).views[0].with_messages
        others = [alike[0], dataclasses.replace(alike[1], message=f"{labels[2]} waits 2 ms.")]
        found = finding("TRX102", "info", places=others, layers=[1, 2])
        assert findings_page(of(facts, found)).views[0].with_messages

    def test_messages_of_places_are_below_the_names_of_their_layers(self, facts):
        places = [Place(f"It {what} <b>", [at], None, {"a": "1"}) for at, what in ((1, "waits"), (2, "runs"))]
        found = finding("TRX102", "info", places=places, layers=[1, 2])
        document = section_of(of(facts, found))
        cells = re.findall(r"<td>(?:(?!</td>).)*?</a>(?:(?!</td>).)*?<br><span[^>]*>(It [^<]*)", document)
        assert cells == ["It waits &lt;b&gt;", "It runs &lt;b&gt;"]
        assert '<th scope="col">Message</th>' not in document.split("Places of")[1].split("</table>")[0]


class TestIds:
    def test_a_code_with_two_severities_has_two(self):
        found = [finding("TRX102", "warning"), finding("TRX102", "info"), finding("TRX103")]
        assert finding_ids(found) == ["TRX102", "TRX102-info", "TRX103"]

    def test_any_code_gives_a_different_id_that_an_address_can_hold(self):
        found = [finding(code) for code in ("", "<>", '"', HOSTILE, HOSTILE, "é", "x" * 99, "x" * 98)]
        ids = finding_ids(found)
        assert len(set(ids)) == len(found)
        assert all(re.fullmatch(r"[A-Za-z0-9-]{1,60}", each) for each in ids)


class TestSection:
    def test_findings_keep_the_order_of_the_lint(self, facts):
        lint = many(facts)
        ids = re.findall(r'<details class="finding" id="finding-([^"]+)"', section_of(with_lint(facts, lint)))
        assert ids == [each.code for each in lint.findings]

    def test_places_are_cut_and_the_rest_is_reachable(self, facts):
        places = [([at], 0.1) for at in range(MAX_PLACES + 3)]
        section = section_of(of(facts, finding("TRX102", "warning", *places)))
        assert section.count("<tr><td") == MAX_PLACES
        assert '<a href="#filter=finding%3A%22TRX102%22">3 more places</a>' in section

    def test_messages_that_differ_in_figures_only_stand_once(self, facts):
        alike = [Place(f"It takes {at} ms as INT{at}.", [at], gain(0.1), {"types": "INT8"}) for at in (1, 2)]
        found = finding("TRX102", "warning", places=alike, layers=[1, 2])
        view = findings_page(of(facts, found)).views[0]
        assert (view.message, view.with_messages) == ("It takes 1 ms as INT1.", False)
        bare = [dataclasses.replace(place, evidence={}) for place in alike]
        assert findings_page(of(facts, dataclasses.replace(found, places=bare))).views[0].with_messages
        other = [alike[0], dataclasses.replace(alike[1], message="It is something else.")]
        view = findings_page(of(facts, dataclasses.replace(found, places=other))).views[0]
        assert (view.message, view.with_messages) == ("", True)

    def test_evidence_of_all_places_has_columns(self, facts):
        places = [Place("It is.", [1], None, {"a": "1"}), Place("It is.", [2], None, {"b": "2", "a": "3"})]
        view = findings_page(of(facts, finding("TRX102", "info", places=places, layers=[1, 2]))).views[0]
        assert view.labels == ["a", "b"]
        assert [row.evidence for row in view.rows] == [["1", ""], ["3", "2"]]

    def test_a_single_place_says_nothing_twice(self, facts):
        time = format_number(facts.layers[1].avg_ms)
        place = Place(f"It runs for {time} ms.", [1], gain(0.05), {"types": "INT8", "shape": ""})
        found = finding("TRX102", "warning", places=[place], layers=[1], gain=gain(0.05))
        section = section_of(of(facts, found)).split('<details class="finding"')[1]
        assert '<th scope="row">Types</th><td>INT8</td>' in section
        assert '<th scope="row">Shape</th><td>–</td>' in section
        assert "<thead>" not in section
        assert (words(section).count(f"{time} ms"), section.count(savings(gain(0.05)))) == (1, 1)
        mute = dataclasses.replace(place, message="It runs.")
        section = section_of(of(facts, finding("TRX102", "warning", places=[mute], layers=[1])))
        assert words(section).count(f"Avg. time {time} ms") == 1

    def test_a_rules_texts_stand_once(self, facts):
        found = [finding("TRX102", "warning", ([1], 0.1)), finding("TRX102", "info", ([2], None))]
        section = section_of(of(facts, *found))
        assert section.count("<dd") == 5
        assert section.count("Fix it.") == 1
        assert '<a href="#finding-TRX102">the other finding of this rule</a>' in section

    def test_what_was_not_reported_is_listed(self, facts):
        section = section_of(with_lint(facts, many(facts)))
        text = words(section)
        assert "These rules failed" in text
        assert "XYZ100 other.the reason: The rule raised the reason." in text
        assert "3 places suppressed by the configuration the reason TRX102 (3 places)" in text
        assert "Rules skipped because of missing input the reason TRX801, TRX802" in text
        assert "Configuration the reason" in text
        assert "30 findings" not in text
        assert (
            "9 errors, 9 warnings, 9 for information, 3 on the measurement (1 error); 50 rules checked"
            in text
        )

    def test_no_bounds_are_explained_where_there_are_none(self, facts):
        assert "is an estimate" in section_of(of(facts, finding("TRX102", "info", ([1], 0.1))))
        assert "is an estimate" not in section_of(of(facts, finding("TRX102", "info", ([1], None))))

    def test_without_a_profile_nothing_is_measured(self, capture):
        layer = {"Name": "a", "LayerType": "Convolution", "Inputs": [], "Outputs": []}
        bare = analyze(read_engine(capture(graph={"Layers": [layer], "Bindings": []})))
        section = section_of(of(bare, finding("TRX102", "warning", ([0], None), ([0], None))))
        assert "Time (ms)" not in section
        assert "Savings (ms)" not in section
        assert "1 layer<" in section
        assert "not estimated" in section

    def test_the_static_table_links_to_findings(self, facts):
        section = section_of(of(facts, finding("TRX102", "warning", ([1], 0.1))), "layers")
        row = re.search(r'<tr id="L1">.*?</tr>', section).group()
        assert '<a class="mark mark-warning" href="#finding-TRX102">TRX102</a>' in row
        assert section.count("#finding-") == 1
        assert "Findings" not in section_of(of(facts), "layers")


def test_hostile_texts_are_data(facts):
    harmless, hostile = (html_of(with_lint(facts, many(facts, text=text))) for text in ("harmless", HOSTILE))
    for tag in ("<script", "<img", "<section", "<details", "<a ", "<tr", "<td", "<dd", "<li"):
        assert hostile.count(tag) == harmless.count(tag), tag
    assert "{{7*7}}" in hostile
    assert "\x00" not in hostile


class TestData:
    def test_each_message_is_there_once(self, facts):
        (record,) = findings_data(of(facts, finding("TRX102", "warning", ([1, 2], 1 / 3), ([3], None))))
        assert record["messages"] == ["It shows something."]
        assert record["places"] == [[[1, 2], "est. 0.33\u00a0ms", 0], [[3], None, 0]]

    def test_messages_are_cut_and_places_are_not(self, facts):
        places = [Place(f"Message {at}.", [at % 30]) for at in range(2000)]
        (record,) = findings_data(of(facts, finding("TRX102", "info", places=places)))
        assert len(record["messages"]) == 200
        assert len(record["places"]) == 2000
        assert record["places"][199][2] == 199
        assert record["places"][200][2] is None


@pytest.mark.parametrize(
    ("lint", "expected"),
    [
        (Lint(), "No rule was checked."),
        (
            Lint(unchecked=[UncheckedRule("a", "b", why, "") for why in ("skipped", "broken", "skipped")]),
            "No rule was checked (2 rules skipped: input missing, 1 rule failed).",
        ),
        (
            Lint(findings=[finding("TRX1", "warning", ([0], None))], checked=2),
            "1 warning; 2 rules checked.",
        ),
        (
            Lint(findings=[finding("TRX907", "error", about="measurement")], checked=2),
            "1 finding on the measurement (1 error); 2 rules checked.",
        ),
        (
            Lint(
                findings=[
                    finding("TRX1", "info", ([0], 0.1), gain_percent=None),
                    finding("TRX2", "error", ([0], 0.25), gain_percent=None),
                ],
                checked=2,
            ),
            "1 error, 1 for information; 2 rules checked. Largest savings: TRX2, est. 0.25\u00a0ms.",
        ),
        (
            Lint(
                findings=[
                    finding("TRX1", "info", ([0], 0.5), gain_percent=None),
                    finding("TRX2", "warning", ([0], 0.25), gain_percent=None),
                ],
                checked=2,
            ),
            "1 warning, 1 for information; 2 rules checked. Largest savings: TRX1, est. 0.50\u00a0ms.",
        ),
    ],
)
def test_the_sentence(facts, lint, expected):
    assert section_sentence(with_lint(facts, lint), "findings") == expected


def sentence_of(facts, *findings, **changes):
    changed = dataclasses.replace(facts, **changes)
    return section_sentence(with_lint(changed, Lint(findings=list(findings), checked=2)), "findings")


def test_the_share_is_of_the_times_that_the_tables_show(facts):
    by_medians = dataclasses.replace(finding("TRX1", "info", ([0, 1], None)), layers=[0, 1], time_ms=1e-6)
    share = sum(each.share_percent for each in facts.layers[:2])
    (view,) = findings_page(of(facts, by_medians)).views
    assert view.share_percent == pytest.approx(share)


def test_nothing_worth_changing_is_stated_with_what_takes_the_time(facts):
    text = sentence_of(facts)
    first, kind = facts.by_type[0], facts.by_precision[0]
    assert text.startswith(
        f"Nothing worth changing was found on the engine: {first.count} {first.name} layers take "
    )
    assert f", layers that read {kind.name} take " in text
    assert text.endswith(" 2 rules checked; no findings.")
    assert " of the roofline. " in text
    # Layers without a roofline, such as those whose operations are not known, are left out of it.
    total = dataclasses.replace(facts.roofline.total, time_ms=0.5 * facts.latency.layer_sum_ms)
    few = dataclasses.replace(facts.roofline, total=total)
    assert "of the roofline" not in sentence_of(facts, roofline=few)
    # What concerns the run alone changes nothing of that; information on the engine and errors do.
    of_run = {"about": "measurement", "section": "latency"}
    assert "Nothing worth changing" in sentence_of(facts, finding("TRX801", "warning", ([], None), **of_run))
    assert "Nothing" not in sentence_of(facts, finding("TRX1", "info", ([0], None)))
    assert "Nothing" not in sentence_of(facts, finding("TRX908", "error", ([], None), **of_run))


def test_what_files_do_not_show_may_be_wrong(facts):
    untimed = dataclasses.replace(facts.latency, layer_sum_ms=None)
    names = dataclasses.replace(facts.identity, names_only=True)
    start = "Nothing was found on the engine; without"
    assert sentence_of(facts, latency=untimed).startswith(f"{start} layer times few problems show. ")
    assert sentence_of(facts, identity=names).startswith(f"{start} layer information few problems show. ")
    operation = dataclasses.replace(facts.by_type[0], name="convolution", share_percent=93.0)
    of_names = sentence_of(facts, identity=names, by_operation=[operation])
    assert " few problems show. By name, convolution takes 93.0% of layer time. " in of_names
    assert sentence_of(facts, latency=untimed, identity=names).startswith(f"{start} layer information and")
    of_log = sentence_of(facts, layers=[])
    assert of_log.startswith("Only the GPU limits the throughput: it computes 99.6% of the run's wall time.")
    assert of_log.endswith(" 2 rules checked; no findings.")
    assert "INT8" not in of_log
    on_dla = sentence_of(facts, layers=[], commands=["trtexec --onnx=a.onnx --useDLACore=0"])
    assert on_dla.startswith("Only GPU and DLA limit the throughput: they compute 99.6% of ")
    # What only informs of the build takes no time.
    informed = sentence_of(facts, finding("TRX1", "info", ([], None)), layers=[])
    assert informed.startswith("Only the GPU limits the throughput: ")
    assert "Only the GPU" not in sentence_of(facts, finding("TRX1", "warning", ([], None)), layers=[])
    half = dataclasses.replace(facts.identity, precisions="FP32+FP16", tensorrt_version="8.6.1")
    gpu = dataclasses.replace(facts.roofline.gpu, tensor_tflops={"FP16": 65.0, "INT8": 130.0, "FP8": 130.0})
    roofline = dataclasses.replace(facts.roofline, gpu=gpu)
    of_half = sentence_of(facts, layers=[], identity=half, roofline=roofline)
    assert "The builder was not allowed INT8, which the GPU multiplies at up to 2.0 times the rate" in of_half
    changing = dataclasses.replace(facts.stability, is_steady=False)
    assert "INT8" not in sentence_of(facts, layers=[], identity=half, roofline=roofline, stability=changing)
    named = dataclasses.replace(half, precisions="", named_precisions="FP16")
    of_name = sentence_of(facts, layers=[], identity=named, roofline=roofline)
    assert "By its name the engine is of FP16, and not of INT8, which the GPU multiplies" in of_name
    later = dataclasses.replace(half, tensorrt_version="10.3.0")
    assert "INT8 or FP8" in sentence_of(facts, layers=[], identity=later, roofline=roofline)
    quantized = dataclasses.replace(half, precisions="FP32+FP16+INT8")
    assert "INT8" not in sentence_of(facts, layers=[], identity=quantized, roofline=roofline)
    # Enqueuing takes as long as the GPU computes where the host waits for each profiled layer.
    latency = dataclasses.replace(facts.latency, enqueue=facts.latency.gpu_compute)
    profiled = ["trtexec --onnx=m.onnx --exportProfile=p.json"]
    assert "Only the GPU" not in sentence_of(facts, layers=[], latency=latency, commands=profiled)


def test_few_queries_show_by_steady_times_and_small_copies_that_only_the_gpu_limits(facts):
    def sentence(compute_ms=2480.0, longest_ms=2481.0, latency_ms=2495.0, wall_s=27.28):
        compute = Percentiles("summary", 10, compute_ms, compute_ms, compute_ms, longest_ms)
        whole = Percentiles("summary", 10, latency_ms, latency_ms, latency_ms, latency_ms)
        latency = Latency(
            gpu_compute=compute,
            end_to_end=whole,
            throughput_qps=10 / wall_s,
            gpu_busy_percent=compute_ms / wall_s,
        )
        return sentence_of(facts, layers=[], latency=latency)

    text = sentence()
    assert text.startswith(
        "Only the GPU limits the throughput: GPU compute time varies by 0.04% and is 99.4% of "
    )
    assert (
        " the rest of the wall time is as long as one query, likely one of the warm-up. A profile shows"
        in text
    )
    # Times that vary, large copies, and a wall time that no query explains may have other limits.
    for other in ({"longest_ms": 2600.0}, {"latency_ms": 2700.0}, {"wall_s": 26.0}):
        assert "Only the GPU" not in sentence(**other)


def test_savings_of_the_run_do_not_hide_those_of_the_engine(facts):
    of_run = finding("TRX806", "info", ([], 0.5), about="measurement")
    of_engine = finding("TRX205", "warning", ([0], 0.2))
    assert "Largest savings: TRX205, " in sentence_of(facts, of_engine, of_run)
    assert "Largest savings, of the run: TRX806, " in sentence_of(facts, of_run)


def test_what_savings_are_a_percentage_of_is_stated(facts):
    """Those of layers are part of layer time, those of the run of the latency."""
    layers_ms, query_ms = facts.latency.layer_sum_ms, facts.latency.end_to_end.median_ms

    def saving(code, part, whole_ms):
        return finding(code, "warning", ([0], part * whole_ms), gain_percent=100 * part)

    of_layers = saving("TRX205", 0.1, layers_ms)
    text = sentence_of(facts, of_layers)
    assert text.endswith(f" Savings are in percent of layer time ({format_ms(layers_ms)}).")
    text = sentence_of(facts, of_layers, saving("TRX806", 0.2, query_ms))
    assert f"percent of layer time ({format_ms(layers_ms)}); those of TRX806 of " in text
    assert text.endswith(f" ({format_ms(query_ms)}).")
    # Medians of layers add up to less.
    text = sentence_of(facts, saving("TRX205", 0.1, 0.9 * layers_ms))
    assert "percent of layer time without outliers" in text
    assert "percent of" not in sentence_of(facts, finding("TRX914", "info", ([0], None)))


def test_the_findings_of_the_walkthrough_are_at_the_top(engines_folder, engine_source):
    analysis = analyze(read_engine(engines_folder / "a100-resnet18-qat"))
    page = findings_page(analysis)
    first: dict[str, Finding] = {view.finding.code: view.finding for view in page.first}
    # The pooling of the generated engine saves less than 1%.
    assert list(first) == ["TRX302", "TRX206"] + ["TRX303"] * (engine_source == "real")
    assert len(first["TRX302"].places) == 8
    # The convolutions with these float outputs are listed below.
    below = {each.finding.code: each.finding for each in page.views[0].consequences}
    assert len(below["TRX102"].places) == 11


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Plain words.", [("Plain words.", False)]),
        ("Use `x()` here", [("Use ", False), ("x()", True), (" here", False)]),
        (
            "(--fp16, or -q; --opt=a:b, then",
            [
                ("(", False),
                ("--fp16", True),
                (", or ", False),
                ("-q", True),
                ("; ", False),
                ("--opt=a:b", True),
                (", then", False),
            ],
        ),
        ("layer-wise 3-4 – a -- b", [("layer-wise 3-4 – a -- b", False)]),
        ("one ` alone", [("one ` alone", False)]),
        ("`<b>`", [("<b>", True)]),
    ],
)
def test_code_in_a_rules_text_is_distinguished_from_words(facts, text, parts):
    found = finding(
        "TRX102", "warning", ([5], None), cost="", false_alarm="", savings="", recommendation=text
    )
    page = findings_page(of(facts, found))
    assert page.views[0].explanations == {"Recommendation": [parts]}


def test_each_paragraph_of_a_rules_text_is_its_own(facts):
    found = finding("TRX102", "warning", ([5], None), cost="One.\nTwo.")
    page = findings_page(of(facts, found))
    assert page.views[0].explanations["Cost"] == [[("One.", False)], [("Two.", False)]]
