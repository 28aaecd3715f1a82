"""The page of a comparison without its script: what it says is right, whole and harmless."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hostile_captures import hostile_capture

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis.compared_rows import Share
from trexreport.analyzer.analysis.waterfall import Step, Waterfall
from trexreport.analyzer.comparison.compare import compare
from trexreport.numbers import counted, format_ms, format_percent, format_signed
from trexreport.reader import read_engine
from trexreport.renderer.comparison.charts import comparison_charts
from trexreport.renderer.comparison.figures import FIGURES, figure_rows, stated_figures
from trexreport.renderer.comparison.html import render_comparison_html
from trexreport.renderer.comparison.intervals import Interval, draw_intervals
from trexreport.renderer.comparison.rows import engines_with, in_common, share_views, tactic_changes
from trexreport.renderer.comparison.speedups import speedup_views
from trexreport.renderer.comparison.waterfall_chart import MAX_STEPS, added_up, draw_waterfall
from trexreport.renderer.engine_summary import engine_summary
from trexreport.renderer.palette import color
from trexreport.wording.comparison import ranking, signed_ms, signed_percent, why
from trexreport.wording.speedup import gap_title, speedup_sentences
from trexreport.wording.verdict import reason_sentences

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
BEFORE, AFTER = SAMPLES / "resnet18-int8-before", SAMPLES / "resnet18-int8-after"
SECTIONS = [
    "overview",
    "breakdown",
    "speedup",
    "rows",
    "figures",
    "model",
    "precision",
    "findings",
    "graph",
    "conditions",
    "provenance",
]


def compared(*captures, baseline=0, focus=None, others=()):
    engines = [read_engine(capture) for capture in captures]
    analyses = [analyze(engine) for engine in engines]
    comparison = compare(engines, baseline=baseline, analyses=analyses, others=others)
    return comparison, render_comparison_html(comparison, analyses, focus).decode("utf-8")


def test_the_share_of_common_operator_names_is_a_percentage():
    comparison, page = compared(SAMPLES / "accuracy" / "resnet18-fp16", BEFORE)
    share = in_common(comparison, comparison.by_operator, 1)
    assert 0.01 < share < 0.5
    assert f"{format_percent(share)} of the operator names are in both" in page


def plain(text):
    """The text with all its spaces as one blank, as the sections below have it."""
    return re.sub(r"\s+", " ", text)


class Texts(HTMLParser):
    """The texts of a page by section, without what is in scripts and styles."""

    def __init__(self, page):
        super().__init__()
        self.sections, self.section, self.silent = {}, "", 0
        self.elements = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag == "section":
            self.section = dict(attributes)["id"]
        self.silent += tag in ("script", "style")

    def handle_endtag(self, tag):
        self.silent -= tag in ("script", "style")

    def handle_data(self, text):
        if not self.silent:
            self.sections[self.section] = self.sections.get(self.section, "") + text

    def __getitem__(self, section):
        return plain(self.sections[section])


@pytest.fixture(scope="module")
def pair():
    comparison, page = compared(BEFORE, AFTER)
    return comparison, page, Texts(page)


def test_every_section_is_there_and_has_its_link(pair):
    _, page, texts = pair
    assert [attributes["id"] for tag, attributes in texts.elements if tag == "section"] == SECTIONS
    for section in SECTIONS:
        assert f'<a href="#{section}">' in page


def test_the_verdict_comes_first_with_its_reason_and_its_cause(pair):
    comparison, _, texts = pair
    engine = comparison.engines[1]
    first = texts["overview"]
    assert engine.verdict.verdict == "faster"
    assert "faster" in first
    assert plain(reason_sentences(engine.verdict)[0]) in first
    assert plain(why(comparison, 1)) in first


def test_every_waterfall_names_its_steps_and_both_ends(pair):
    comparison, _, texts = pair
    shown = texts["breakdown"]
    assert comparison.engines[1].waterfalls
    for waterfall in comparison.engines[1].waterfalls:
        for step in added_up(waterfall.steps):
            assert plain(f"{step.name} baseline: ") in shown
            assert f"difference: {plain(signed_ms(step.difference_ms))}" in shown
        assert plain(format_ms(waterfall.baseline_ms)) in shown
        assert plain(format_ms(waterfall.candidate_ms)) in shown


def test_the_expected_speedup_and_each_part_are_shown(pair):
    comparison, page, texts = pair
    speedup, shown = comparison.engines[1].speedup, texts["speedup"]
    for sentence in speedup_sentences(speedup):
        assert plain(sentence) in shown
    assert len(speedup.gaps) > 4
    for gap in speedup.gaps:
        assert gap_title(speedup, gap) in shown
        assert plain(signed_ms(gap.cost_ms)) in shown
    largest = speedup.gaps[0].places[0]
    row = comparison.row_of[0][largest.reference_layers[0]]
    assert f'href="#R{row}">' in page[page.index("speedup-places") :]


def test_tooltips_of_the_expected_speedup_state_the_expected_time_and_differences_from_it(pair):
    comparison, _, _ = pair
    speedup = comparison.engines[1].speedup
    (view,) = speedup_views(comparison, 1)
    for svg in (view.svg, view.narrow_svg):
        titles = [unescape(each) for each in re.findall(r"<title>(.*?)</title>", svg, re.DOTALL)]
        label, begin, expected, *gaps, end = titles
        assert label == f"From {speedup.reference} to the expected and the measured time of {speedup.engine}"
        assert {begin.split(", ")[-1], end.split(", ")[-1]} == {speedup.metric}
        assert expected.split("\n")[1:] == [
            f"reference: {format_ms(speedup.reference_ms)}",
            f"expected: {format_ms(speedup.expected_ms)}",
            f"difference: {signed_ms(speedup.expected_ms - speedup.reference_ms)}",
        ]
        assert len(gaps) == len(speedup.gaps)
        for text, gap in zip(gaps, speedup.gaps, strict=True):
            layers = {layer for each in gap.places for layer in each.layers}
            layers = layers or {layer for each in gap.places for layer in each.reference_layers}
            count = f" in {counted(len(layers), 'layer')}" if layers else ""
            assert text == f"{gap_title(speedup, gap)}\ndifference: {signed_ms(gap.cost_ms)}{count}"


@pytest.mark.parametrize(
    ("nodes", "text"), [(["/a"], "ONNX node /a"), (["/a", "/b"], "ONNX nodes /a, /b"), ([], "")]
)
def test_a_single_node_of_a_place_is_in_the_singular(pair, nodes, text):
    engine = pair[0].engines[1]
    place = dataclasses.replace(engine.speedup.gaps[0].places[0], nodes=nodes, sources=[], reasons=[])
    gap = dataclasses.replace(engine.speedup.gaps[0], places=[place])
    speedup = dataclasses.replace(engine.speedup, gaps=[gap])
    engines = [pair[0].engines[0], dataclasses.replace(engine, speedup=speedup)]
    (view,) = speedup_views(dataclasses.replace(pair[0], engines=engines), 1)
    assert re.findall("ONNX.*", view.gaps[0].places[0].details) == [text] * bool(text)


def test_engines_of_one_precision_have_no_such_section():
    comparison, page = compared(BEFORE, BEFORE)
    assert comparison.engines[1].speedup is None
    assert 'id="speedup"' not in page
    assert '"#speedup"' not in page


def test_without_times_the_section_says_why_nothing_is_expected(tmp_path):
    for capture in (BEFORE, AFTER):
        (tmp_path / capture.name).mkdir()
        shutil.copy(next(capture.glob("*.graph.json")), tmp_path / capture.name)
    comparison, page = compared(tmp_path / BEFORE.name, tmp_path / AFTER.name)
    assert comparison.engines[1].speedup.obstacle == "no-layer-times"
    shown = Texts(page)["speedup"]
    assert "There is no expected speedup, as layers were not measured in both engines." in shown
    assert "Reformat layers, Q/DQ included: 12 → 2." in shown
    assert "<table" not in page[page.index('id="speedup"') : page.index('id="rows"')]


def test_steps_that_are_added_up_keep_the_sum(pair):
    comparison, _, _ = pair
    waterfall = next(each for each in comparison.engines[1].waterfalls if each.by == "block")
    shown = added_up(waterfall.steps, 4)
    assert len(shown) == 4
    assert sum(step.difference_ms for step in shown) == pytest.approx(waterfall.difference_ms, abs=1e-9)
    assert len(added_up(waterfall.steps)) <= MAX_STEPS


def test_the_rows_without_script_are_those_that_differ_most(pair):
    comparison, page, texts = pair
    ids = [int(found) for found in re.findall(r'<tr id="R(\d+)">', page)]
    differences = [abs(comparison.rows[at].sides[1].difference_ms or 0.0) for at in ids]
    assert differences == sorted(differences, reverse=True)
    assert len(ids) == min(60, len(comparison.rows))
    first = comparison.rows[ids[0]]
    assert format_signed(first.sides[1].difference_ms) in texts["rows"]
    assert "Difference (ms)" in texts["rows"]


def test_links_of_the_page_lead_somewhere(pair):
    comparison, _, texts = pair
    ids = {attributes["id"] for _, attributes in texts.elements if attributes.get("id")}
    layers = len(comparison.row_of[1])
    assert texts.elements
    for tag, attributes in texts.elements:
        target = attributes.get("href") or ""
        if tag == "a" and target.startswith("#") and not target.startswith(("#filter=", "#tensor=")):
            row = re.fullmatch(r"#R(\d+)", target)
            layer = re.fullmatch(r"#L(\d+)", target)
            known = target[1:] in ids
            assert known or (row and int(row[1]) < len(comparison.rows)) or (layer and int(layer[1]) < layers)


def test_figures_say_how_much_they_differ(pair):
    comparison, _, texts = pair
    before, after = (engine.figures for engine in comparison.engines)
    shown = texts["figures"]
    assert plain(format_ms(after.latency_ms)) in shown
    percent = 100 * (after.latency_ms / before.latency_ms - 1)
    assert f"−{abs(percent):.3g}%" in shown


def test_five_engines_with_another_baseline_and_focus():
    captures = [BEFORE, AFTER, BEFORE, AFTER, AFTER]
    comparison, page = compared(*captures, baseline=1, focus=2)
    texts = Texts(page)
    assert page.count('class="verdict verdict-') == 4
    assert [a.get("value") for tag, a in texts.elements if tag == "option" and "selected" in a] == ["1", "2"]
    assert comparison.engines[1].verdict is None


def test_many_engines_keep_the_first_screen_short():
    _, page = compared(*[BEFORE, AFTER] * 4)
    assert page.count('class="verdict verdict-') == 4
    assert "Verdicts of 3 more engines" in page


def test_engines_without_times_still_compare_in_structure(tmp_path):
    captures = []
    for source in (BEFORE, AFTER):
        target = tmp_path / source.name
        target.mkdir()
        graph = next(source.glob("*.graph.json"))
        shutil.copy(graph, target)
        captures.append(target)
    _, page = compared(*captures)
    texts = Texts(page)
    assert "inconclusive" in texts["overview"]
    assert "so there is no breakdown" in texts["breakdown"]
    # The compressed script may hold any letters.
    assert "NaN" not in re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert "None" not in "".join(texts.sections.values())


def test_an_engine_against_itself_differs_nowhere():
    comparison, page = compared(BEFORE, BEFORE)
    assert comparison.engines[1].verdict.verdict == "no-change"
    assert "No difference: every part takes exactly as long as in the baseline." in page
    assert "chart-waterfall" not in page.split("</style>")[1]


def test_one_engine_against_what_is_none(tmp_path):
    from trexreport.reader.latency_file import read_latencies

    comparison, page = compared(BEFORE, others=read_latencies(["PyTorch eager=12.3ms"]))
    texts = Texts(page)
    speedup = comparison.external_latencies[0].speedups[0]
    assert f"{speedup:.3g}×" in texts["overview"]
    assert "resnet18-int8-before vs. PyTorch eager" in texts["overview"]
    assert re.findall(r'<section id="([^"]+)"', page) == ["overview", "figures", "provenance"]


HOSTILE = "</script><img src=x onerror=alert(1)>\"'&{{7*7}}\u202e"


def test_hostile_names_are_data(tmp_path):
    one, two = (hostile_capture(tmp_path / name, HOSTILE) for name in "ab")
    _, harmless = compared(*(hostile_capture(tmp_path / name, "harmless") for name in "cd"))
    _, page = compared(one, two)
    names = {tag for tag, _ in Texts(page).elements}
    assert names == {tag for tag, _ in Texts(harmless).elements}
    assert "<img" not in page
    assert "\u202e" not in page


def test_a_waterfall_of_a_hostile_name_is_data(pair):
    comparison, _, _ = pair
    waterfall = comparison.engines[1].waterfalls[0]
    svg = draw_waterfall(waterfall, (HOSTILE, "b" * 5000), lambda _: "", 388)
    assert "<img" not in svg
    assert "b" * 100 not in re.sub(r"<title>.*?</title>", "", svg, flags=re.DOTALL)


@pytest.mark.parametrize("value", [1.0, 0.001, 1000.0, 1.0001])
@pytest.mark.parametrize("width", [388, 1040])
def test_intervals_stay_on_their_sheet_and_mark_the_baseline(value, width):
    svg = draw_intervals([Interval("a", value, value * 0.99, value * 1.01, "same", "neutral")], 2.0, width)
    assert re.search(r">×1(\.0+)?<", svg)
    places = re.findall(r'\bc?x="(-?[\d.]+)"', svg)
    assert len(places) > 3
    for x in places:
        assert -20 <= float(x) <= width


def test_the_ticks_of_intervals_have_equal_decimals():
    for low, high in ((0.97, 1.02), (0.8, 1.1), (0.4, 0.7), (0.1, 3.0)):
        svg = draw_intervals([Interval("a", low, low, high, "same", "neutral")], 2.0, 1040)
        numbers = re.findall(r">×([\d.]+)<", svg)
        assert len(numbers) > 2
        assert len({len(number.partition(".")[2]) for number in numbers}) == 1, numbers


def test_nothing_to_draw_is_no_drawing():
    assert not draw_intervals([], 2.0, 1040)


@pytest.mark.parametrize(
    ("value", "of", "shown"),
    [
        (2.0, 1.0, "+100%"),
        (0.5, 1.0, "−50.0%"),
        # With as many decimals as in the sentence beside it.
        (1.000581, 1.0, "+0.06%"),
        (1.0, 1.0, "0%"),
        (None, 1.0, ""),
        (1.0, 0.0, ""),
    ],
)
def test_percentages_have_their_sign(value, of, shown):
    assert signed_percent(value, of) == shown


def test_a_comparison_shows_and_saves_itself(tmp_path):
    import trexreport
    from trexreport.errors import UsageError

    engines = [trexreport.load(path) for path in (BEFORE, AFTER)]
    page = trexreport.render_comparison(engines)
    assert page.comparison.engines[1].verdict.verdict == "faster"
    assert page._repr_html_().startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;')
    saved = page.save(tmp_path / "page.html")
    assert saved.read_bytes() == compared(BEFORE, AFTER)[1].encode()
    with pytest.raises(UsageError, match="no engine 7"):
        trexreport.render_comparison(engines, focus=7)


def test_a_page_says_that_its_captures_are_synthetic(pair):
    assert "These captures are synthetic: they were not measured on a GPU." in pair[2]["overview"]


def test_of_several_engines_the_page_says_which_is_fastest():
    comparison, page = compared(BEFORE, AFTER, BEFORE)
    assert plain(ranking(comparison)) in Texts(page)["overview"]
    assert ranking(comparison).startswith("resnet18-int8-after (")


def test_tactics_are_compared_with_those_of_the_same_precision():
    comparison, _ = compared(BEFORE, AFTER, BEFORE)
    alone, among_others = (tactic_changes(each, 1) for each in (compared(BEFORE, AFTER)[0], comparison))
    assert [view.label for view in alone[1]] == [view.label for view in among_others[1]]
    row = next(
        row for row in comparison.rows if all(any(m.tactic for m in side.members) for side in row.sides)
    )
    sides = []
    for side, precision, tactic in zip(row.sides, ("FP32", "FP16", "FP32"), ("a", "b", "c"), strict=True):
        (member, *_) = [each for each in side.members if not each.is_helper]
        member = dataclasses.replace(member, precision=precision, output_precision=precision, tactic=tactic)
        sides.append(dataclasses.replace(side, members=[member]))

    def count(*members):
        found = [dataclasses.replace(side, members=[each]) for side, each in zip(sides, members, strict=True)]
        rows = [dataclasses.replace(row, sides=found)]
        return tactic_changes(dataclasses.replace(comparison, rows=rows), 1)[0]

    first, second, third = (side.members[0] for side in sides)
    assert count(first, second, third) == 1
    assert count(first, second, dataclasses.replace(third, tactic="a")) == 0


def test_names_that_neither_engine_has_differ_by_nothing_known(pair):
    comparison, _, _ = pair
    shares = [
        Share(["x"], [0, 0], [None, None]),
        Share(["y"], [1, 1], [1.0, 1.0]),
        Share(["z"], [0, 1], [None, 2.0]),
        Share(["not measured"], [2, 1], [None, 3.0]),
    ]
    differences = {view.label: view.difference for view in share_views(comparison, shares, 1)}
    assert differences == {"y": "0", "z": "+2.00", "not measured": "–"}


def test_an_engine_that_names_nothing_alike_has_no_column():
    comparison, _ = compared(BEFORE, AFTER, BEFORE)
    shares = [
        Share(["x"], [1, 1, 0], [1.0, 2.0, None]),
        Share(["y"], [1, 0, 0], [1.0, None, None]),
        Share(["z"], [0, 0, 3], [None, None, 3.0]),
        Share([], [1, 1, 1], [1.0, 1.0, 1.0]),
    ]
    assert engines_with(comparison, shares, 1) == [0, 1]
    assert [view.label for view in share_views(comparison, shares, 1)] == [
        "x",
        "y",
        "layers without names of the model",
    ]
    alike = [*shares, Share(["w"], [1, 0, 1], [1.0, None, 1.0])]
    assert engines_with(comparison, alike, 1) == [0, 1, 2]
    analyses = [analyze(read_engine(each)) for each in (BEFORE, AFTER, BEFORE)]
    page = render_comparison_html(dataclasses.replace(comparison, by_operator=shares), analyses, 1)
    text = Texts(page.decode("utf-8"))["model"]
    assert "Without engines that have no operator in common with these: " in text
    rows = page.decode("utf-8").partition('aria-label="Time by operator"')[2].partition("</table>")[0]
    assert rows.count("<th ") == 4


def test_an_engine_without_times_has_no_bar_of_length_zero(pair):
    comparison, _, _ = pair
    first, second = comparison.engines
    figures = dataclasses.replace(first.figures, layer_sum_ms=None)
    engines = [dataclasses.replace(first, figures=figures), second]
    charts = comparison_charts(dataclasses.replace(comparison, engines=engines))
    for key in ("by-type", "by-precision"):
        assert {name for series in charts[key].series for name in series.y} == {second.name}


def test_layers_are_counted_by_type_and_precision_also_without_times(pair):
    comparison, _, _ = pair
    first, second = comparison.engines
    unmeasured = dataclasses.replace(first, figures=dataclasses.replace(first.figures, layer_sum_ms=None))
    names_only = dataclasses.replace(
        second, name="names", identity=dataclasses.replace(second.identity, names_only=True)
    )
    charts = comparison_charts(dataclasses.replace(comparison, engines=[unmeasured, second, names_only]))
    for key, attribute in (("type-counts", "by_type"), ("precision-counts", "by_precision")):
        shown = {series.name: series for series in charts[key].series}
        assert {series.y for series in shown.values()} == {(first.name, second.name)}
        counts = [{group.name: group.count for group in getattr(each, attribute)} for each in (first, second)]
        assert {name: series.x for name, series in shown.items()} == {
            name: tuple(of_engine.get(name, 0) for of_engine in counts) for name in shown
        }
        assert sum(map(len, counts)) > 0
        assert {type(value) for series in shown.values() for value in series.x} == {int}


def test_charts_of_a_kind_have_their_groups_in_one_order(pair):
    comparison, _, _ = pair
    first, second = comparison.engines
    group = first.by_type[0]
    groups = [
        dataclasses.replace(group, name=name, time_ms=time_ms, count=count)
        for name, time_ms, count in (
            ("Convolution", 9.0, 1),
            ("Pooling", 5.0, 7),
            ("Reformat", 2.0, 9),
            ("CaskConvolution", 1.0, 2),
        )
    ]
    engines = [dataclasses.replace(each, by_type=groups) for each in (first, second)]
    charts = comparison_charts(dataclasses.replace(comparison, engines=engines))
    names = [[series.name for series in charts[key].series] for key in ("by-type", "type-counts")]
    # Those of one color follow each other.
    assert names == [["CaskConvolution", "Convolution", "Reformat", "Pooling"]] * 2
    assert charts["type-counts"].summary.startswith("Reformat ")


def test_an_engine_whose_layers_are_unknown_does_not_count_as_zero_layers(pair):
    comparison, _, _ = pair
    first, second = comparison.engines
    unknown = dataclasses.replace(second, by_type=[], by_precision=[])
    charts = comparison_charts(dataclasses.replace(comparison, engines=[first, unknown]))
    assert charts["type-counts"].series[0].y == (first.name,)
    assert unknown.name not in charts["precision-counts"].series[0].y


def test_sizes_of_which_a_part_is_not_known_are_no_percentages(pair):
    comparison, _, _ = pair
    candidate = comparison.engines[1]
    column = [column.title for column in FIGURES].index("Weights")

    def weights(**figures):
        changed = dataclasses.replace(candidate, figures=dataclasses.replace(candidate.figures, **figures))
        ((_, _), (_, cells)) = figure_rows(
            dataclasses.replace(comparison, engines=[comparison.engines[0], changed])
        )
        return plain(cells[column].text), cells[column].change

    assert weights(weights_bytes=12) == ("12 B", "−100%")
    assert weights(weights_bytes=12, weights_unknown=3) == ("≥ 12 B", "")
    assert weights(weights_bytes=None, weights_unknown=3) == ("–", "")
    # Those of three layers of a thousand are not the size of the engine's.
    assert weights(weights_bytes=12, weights_unknown=997, layers=1000) == ("–", "")


def test_times_of_host_and_transfers_that_no_engine_states_have_no_column(pair):
    comparison, _, _ = pair

    def titles(**times):
        figures = dataclasses.replace(comparison.engines[1].figures, **times)
        changed = dataclasses.replace(comparison.engines[1], figures=figures)
        stated = dataclasses.replace(comparison, engines=[comparison.engines[0], changed])
        return {column.title for column in stated_figures(stated)}

    unknown = {"transfers_ms": None, "enqueue_ms": None}
    ours = dataclasses.replace(comparison.engines[0].figures, **unknown)
    baseline = dataclasses.replace(comparison.engines[0], figures=ours)
    comparison = dataclasses.replace(comparison, engines=[baseline, comparison.engines[1]])
    always = titles(**unknown)
    assert titles(**unknown | {"transfers_ms": 0.03}) - always == {"Transfers"}
    assert titles(**unknown | {"enqueue_ms": 0.03}) - always == {"Median enqueue time"}


def waterfall_of(baseline_ms, *differences):
    steps = [Step(f"step {n}", each, 1.0, 1.0 + each, 1, 1) for n, each in enumerate(differences)]
    return Waterfall("cause", baseline_ms, baseline_ms + sum(differences), sum(differences), steps)


def test_a_waterfall_begins_at_zero_and_has_both_totals():
    svg = draw_waterfall(waterfall_of(2.0, -1.2, 0.3), ("before", "after"), lambda _: "")
    assert svg.count(f'fill="{color("neutral")}"') == 2
    assert ">0.0 ms<" in svg
    assert "axis not from 0" not in svg


def test_a_waterfall_of_small_steps_says_that_it_does_not_begin_at_zero():
    svg = draw_waterfall(waterfall_of(2.0, -0.02, 0.01), ("before", "after"), lambda _: "")
    assert svg.count(f'fill="{color("neutral")}"') == 2
    assert "axis not from 0" in svg


def test_a_step_may_have_a_color_of_its_own():
    colored = draw_waterfall(
        waterfall_of(2.0, -1.0), ("a", "b"), lambda _: "", role_of=lambda _: "precision:INT8"
    )
    assert color("precision:INT8") in colored
    assert color("change:faster") not in colored


def test_the_throughput_is_written_as_in_the_summary_of_each_engine(pair):
    comparison, _, _ = pair
    at = [column.field for column in FIGURES].index("throughput_qps")
    compared = [plain(cells[at].text) for _, cells in figure_rows(comparison)]
    alone = [
        plain(figure.value)
        for folder in (BEFORE, AFTER)
        for block in engine_summary(analyze(read_engine(folder))).blocks
        for figure in getattr(block, "figures", ())
        if figure.label == "Throughput"
    ]
    assert [f"{text} qps" for text in compared] == alone == ["1,249 qps", "1,722 qps"]


def contradicted(folder):
    """A capture whose queries take five times as long as its metadata say."""
    capture = shutil.copytree(BEFORE, folder)
    timing = next(capture.glob("*.timing.json"))
    queries = json.loads(timing.read_text())
    for query in queries:
        query.update({key: 5 * value for key, value in query.items() if key.endswith("Ms")})
    timing.write_text(json.dumps(queries))
    return capture


def test_captures_with_the_same_contradiction_have_one_notice(tmp_path):
    captures = [contradicted(tmp_path / name) for name in ("one", "two")]
    _, page = compared(BEFORE, *captures, BEFORE)
    shown = " ".join(Texts(page)["overview"].split())
    assert page.count('class="notice contradictions"') == 1
    assert "Files of 2 captures contradict each other, so query times" in shown
    assert "Collect them again." in shown
    assert shown.count("Contradictory times: ") == 2


def test_headings_keep_what_makes_names_different(tmp_path):
    for day in ("2024-05-09", "2024-05-10"):
        name = f"detector-of-today-{day}-with-int8-residuals"
        shutil.copytree(BEFORE, tmp_path / name)
        for file in (tmp_path / name).iterdir():
            file.rename(file.with_name(file.name.replace(BEFORE.name, name)))
    _, page = compared(*sorted(tmp_path.iterdir()))
    for table in ("Time by operator", "Equal or unknown conditions"):
        head = page.partition(f'aria-label="{table}"')[2].partition("</thead>")[0]
        headings = re.findall(r"<th [^>]*>([^<]*)</th>", head)
        assert len(set(headings)) == len(headings) >= 4, headings


@pytest.mark.parametrize(("engines", "place"), [(2, -1), (4, 1)])
def test_the_effect_of_a_condition_is_in_view_beside_many_engines(engines, place):
    _, page = compared(BEFORE, *[AFTER] * (engines - 1))
    table = page.partition('aria-label="Conditions"')[2].partition("</table>")[0]
    assert re.findall(r"<th [^>]*>([^<]*)</th>", table.partition("</thead>")[0])[place] == "Effect"
    first = table.partition("<tbody>")[2].partition("</tr>")[0]
    assert 'class="effect"' in re.findall(r"<t[hd][^>]*>", first)[place]


def test_what_files_contradict_is_stated_once(tmp_path):
    comparison, page = compared(BEFORE, contradicted(tmp_path / "contradicted"))
    message = " ".join(comparison.engines[1].contradictions[0].message.split())
    shown = " ".join(Texts(page)["overview"].split())
    assert shown.count(message) == 1
    assert "Files of the candidate contradict each other." in shown
    assert message in " ".join(" ".join(reason_sentences(comparison.engines[1].verdict)).split())


@pytest.mark.parametrize("turned", [False, True])
def test_how_contradicted_times_differ_is_not_stated(tmp_path, turned):
    engines = [BEFORE, contradicted(tmp_path / "contradicted")]
    comparison, page = compared(*(reversed(engines) if turned else engines))
    verdict = comparison.engines[1].verdict
    assert [reason.code for reason in verdict.reasons] == ["contradictory-files"]
    assert verdict.median_ratio is verdict.p99_ratio is verdict.run_allowance_percent is None
    shown = " ".join(Texts(page)["overview"].split())
    for text in ("times as", "% CI", "one run of each", " → 4.00"):
        assert text not in shown, text
    cells = [[cell.change for cell in cells[:3]] for _, cells in figure_rows(comparison)]
    assert cells[turned] == [""] * 3
    assert cells[not turned] == ["files contradict it"] * 3
