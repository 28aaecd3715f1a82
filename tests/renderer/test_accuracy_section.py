"""The section on accuracy states what is known, escapes names, and says what it can't."""

from __future__ import annotations

import pytest
from random_networks import compare, engine_of, random_network

from trexreport.analyzer import analyze
from trexreport.model.accuracy import AccuracyResults, TensorAccuracy, TuningTrial
from trexreport.renderer.charts.catalog.accuracy import errors, trials
from trexreport.renderer.engine_summary import engine_summary
from trexreport.renderer.html import render_html
from trexreport.renderer.html_options import HtmlOptions
from trexreport.renderer.layer_column import LayerRow
from trexreport.renderer.layer_columns import LAYER_COLUMNS
from trexreport.renderer.short_document.markdown import render_markdown
from trexreport.wording.accuracy import accuracy_sentence, plan_commands, plan_remarks, plan_sentence

NETWORK = random_network(1007)
OPTIONS = HtmlOptions(interactive_charts=False)


def analysis_of(results, **options):
    return analyze(engine_of(NETWORK, results, with_model=False, **options))


@pytest.fixture(scope="module")
def analysis():
    return analysis_of(compare(NETWORK), precision="INT8")


def section(analysis):
    page = render_html(analysis, (), OPTIONS).decode()
    return page.split('<section id="accuracy"')[1].split("</section>")[0]


def test_the_layer_that_causes_the_error_leads(analysis):
    name = f"/MatMul_{NETWORK.perturbed}"
    assert accuracy_sentence(analysis).startswith(f"The error increases most at {name}: ")
    text = section(analysis)
    assert text.index(name) < text.index("Tensors by increase of the error")
    first_row = text.split("<tbody>")[2].split("</tr>")[0]
    assert name in first_row


def test_the_plan_has_flags_for_each_version(analysis):
    node = f"/MatMul_{NETWORK.perturbed}"
    assert "removes 100% of the error" in plan_sentence(analysis)
    commands = dict(plan_commands(analysis))
    assert commands.pop("trtexec, up to TensorRT 10.x").endswith(f"--layerPrecisions={node}:fp16")
    assert list(commands.values()) == [node]
    assert "ignores names of fused layers" in plan_remarks(analysis)[0]


def test_from_version_11_on_there_is_no_such_flag(analysis):
    from dataclasses import replace

    newer = replace(analysis, identity=replace(analysis.identity, tensorrt_version="11.1.0"))
    assert [title for title, _ in plan_commands(newer)] == ["Nodes to leave out of quantization, or to cast"]
    assert not any("layerPrecisions" in remark for remark in plan_remarks(newer))


@pytest.mark.parametrize(
    ("version", "takes"),
    [("8.2.1", False), ("8.4.3", True), ("10.16.0", True), ("10", True), ("11", False), ("", True)],
)
def test_the_flag_is_written_for_versions_that_have_it(analysis, version, takes):
    from dataclasses import replace

    other = replace(analysis, identity=replace(analysis.identity, tensorrt_version=version))
    assert any("--layerPrecisions" in text for _, text in plan_commands(other)) == takes
    typed = replace(other, commands=["trtexec --onnx=a.onnx --stronglyTyped"])
    assert [title for title, _ in plan_commands(typed)] == ["Nodes to leave out of quantization, or to cast"]


def test_no_flag_overrides_the_nodes_of_quantization(analysis):
    from dataclasses import replace

    layers = [replace(each, origins=[*each.origins, "/q/QuantizeLinear"]) for each in analysis.layers]
    assert len(plan_commands(analysis)) == 2
    assert len(plan_commands(replace(analysis, layers=layers))) == 1


def test_one_of_several_layers_is_stated_to_add_the_error():
    from dataclasses import replace

    results = compare(NETWORK)
    last = f"t{len(NETWORK.nodes) - 1}"
    # Of a file without sizes: those of the simulation are not the engine's.
    some = replace(
        results, tensors=tuple(replace(each, elements=None) for each in results.tensors if each.name == last)
    )
    found = analysis_of(some, precision="INT8")
    count = found.accuracy.tensors[0].between_count
    assert count > 1
    assert f"one of {count} layers adds it." in accuracy_sentence(found)
    assert "one of them adds the error" in plan_sentence(found)
    assert f"one of {count} layers</td>" in section(found)
    assert '<th scope="col">Remark</th>' not in section(analysis_of(results))
    assert f"and {count - 1} layers before: one of them adds the error" in section(found)
    flags = dict(plan_commands(found))["trtexec, up to TensorRT 10.x"]
    assert flags.count(":fp16") == count


def test_names_that_the_flag_can_not_take_are_left_out_and_counted():
    from dataclasses import replace

    analysis = analysis_of(compare(NETWORK), precision="INT8")
    plan = [replace_step(analysis.accuracy.plan[0], ["a,b:c", "fine"])]
    changed = replace(analysis, accuracy=replace(analysis.accuracy, plan=plan))
    assert dict(plan_commands(changed))["trtexec, up to TensorRT 10.x"].endswith("=fine:fp16")
    assert any("can't take" in remark for remark in plan_remarks(changed))
    plan = [replace_step(analysis.accuracy.plan[0], ["a,b:c"])]
    changed = replace(analysis, accuracy=replace(analysis.accuracy, plan=plan))
    assert [title for title, _ in plan_commands(changed)] == [
        "Nodes to leave out of quantization, or to cast"
    ]
    assert any("can't take" in remark for remark in plan_remarks(changed))


def replace_step(step, nodes):
    from dataclasses import replace

    return replace(step, nodes=nodes)


def test_the_columns_of_the_layers_have_error_and_increase(analysis):
    columns = {each.key: each for each in LAYER_COLUMNS}
    row = LayerRow(analysis.layers[NETWORK.perturbed], analysis)
    error = columns["error_percent"].cell(row)
    assert error > 0
    assert columns["error_increase_percent"].cell(row) == pytest.approx(error)
    assert (
        columns["error_percent"].cell(LayerRow(analysis.layers[0], analysis_of(AccuracyResults("metrics"))))
        is None
    )


def test_hostile_names_are_escaped():
    name = '<script>alert(1)</script>&"' + "x" * 3000
    results = AccuracyResults(
        "figures",
        (name,),
        name,
        name,
        measure=name,
        tensors=(TensorAccuracy(name, value=1.0),),
        metrics={name: 1.0},
    )
    text = section(analysis_of(results))
    assert "<script>alert" not in text
    assert "None of the 1 tensor is in this engine" in text
    assert render_markdown(engine_summary(analysis_of(results)))


@pytest.mark.parametrize(
    ("tensor", "part"),
    [
        (
            TensorAccuracy("t1", candidate_non_finite=True, reference_non_finite=False),
            "NaN or infinity begins at",
        ),
        (TensorAccuracy("t1", relative_error=0.0), "No tensor differs from the reference."),
        (TensorAccuracy("t1", candidate_range=(0.0, 1.0)), "Only ranges of tensors are known."),
        (TensorAccuracy("t1", mean_abs_error=2.0), "The largest error is 2"),
        (TensorAccuracy("t1", has_other_shape=True), ""),
    ],
)
def test_the_sentence_states_no_more_than_is_known(tensor, part):
    analysis = analysis_of(AccuracyResults("figures", ("a",), tensors=(tensor,)))
    assert part in accuracy_sentence(analysis)
    assert "None" not in section(analysis)
    assert "nan" not in section(analysis).lower().replace("nan or infinity", "")


def test_tried_builds_are_a_table_and_a_chart():
    tried = (
        TuningTrial(1, 1.0, {"y": 0.5}),
        TuningTrial(2, 2.0, {"y": 0.1}),
        TuningTrial(3, 2.5, {"y": 0.2}),
        TuningTrial(4, None, {}, failure="crash"),
    )
    analysis = analysis_of(AccuracyResults("tuning-cache", ("t",), measure="cosine", trials=tried))
    assert [each.is_best for each in analysis.accuracy.trials] == [True, True, False, False]
    assert "tried 4 builds, 1 of which failed" in accuracy_sentence(analysis)
    assert [len(each.x) for each in trials(analysis).series] == [1, 2]
    assert errors(analysis) is None
    assert "Builds that were tried" in section(analysis)


def test_without_a_file_there_is_no_section():
    from dataclasses import replace

    engine = engine_of(NETWORK, AccuracyResults("metrics"), with_model=False)
    page = render_html(analyze(replace(engine, accuracy=None)), (), OPTIONS).decode()
    assert 'id="accuracy"' not in page


def test_ranges_alone_are_no_errors():
    tensors = [TensorAccuracy(f"t{at}", candidate_range=(0, 1), reference_range=(0, 1)) for at in (2, 9)]
    found = analysis_of(AccuracyResults("debug-tensors", ("a",), tensors=tuple(tensors)))
    text = section(found)
    assert "Ranges of tensors" in text
    assert "increase of the error" not in text
    assert "range only" not in text
    assert "one of" not in text


def test_nan_begins_at_one_of_the_layers_before():
    tensors = tuple(
        TensorAccuracy(f"t{at}", candidate_non_finite=at == 9, candidate_range=(0, 1)) for at in (2, 9)
    )
    found = analysis_of(AccuracyResults("debug-tensors", ("a",), tensors=tensors))
    count = found.accuracy.tensors[0].between_count
    assert count > 1
    assert accuracy_sentence(found).startswith(
        f"NaN or infinity begins at one of {count} layers, the last of"
    )
    assert f"begins at one of {count} layers" in section(found)
