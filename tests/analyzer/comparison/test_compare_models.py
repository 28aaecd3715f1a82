"""Engines of one model are distinguished from engines of different models; only the former get a verdict."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest
from alignment_plans import analysis_of, convolution, layer
from compared_engines import engine_of
from generator.models import encoder, residual_network
from generator.pairs import MUTATIONS, make_pair

from trexreport.analyzer.analysis.engine import BindingFacts
from trexreport.analyzer.comparison.align import align
from trexreport.analyzer.comparison.compare import compare
from trexreport.analyzer.comparison.compare_models import multiply_adds, unlike_work
from trexreport.model import Binding, Engine, QueryTimes
from trexreport.reader import read_engine
from trexreport.wording.verdict import reason_sentences

NETWORKS = {
    "residual": residual_network(2),
    "deeper residual": residual_network(3),
    "encoder": encoder(3),
    "deeper encoder": encoder(6),
}


def unlike(one, other):
    return unlike_work(align([one, other]), [one, other], 1)


def plans_of(network, mutation, **options):
    pair = make_pair(NETWORKS[network], mutation, **options)
    return [analysis_of(plan.engine.graph_json()) for plan in pair]


def test_each_pair_of_real_engines_is_judged_by_what_it_is(engines_folder):
    folders = sorted(path for path in engines_folder.iterdir() if path.is_dir())
    analyses = {folder.name: analysis_of(folder) for folder in folders}
    assert len(analyses) >= 13
    for name, analysis in analyses.items():
        assert not unlike(analysis, analysis), name
    for one, other in combinations(analyses, 2):
        is_same = "resnet18" in one and "resnet18" in other
        there, back = unlike(analyses[one], analyses[other]), unlike(analyses[other], analyses[one])
        assert bool(there) == bool(back) == (not is_same), (one, other, there)


def test_other_engines_beside_them_do_not_matter(engines_folder):
    names = ["a100-resnet18-fp16", "rtx3090-resnet50-fp16", "orin-bev-trt8.6", "rtx3060-resnet18-fp16-trt10"]
    engines = [read_engine(engines_folder / name) for name in names]
    for baseline in range(len(names)):
        comparison = compare(engines, baseline=baseline)
        alike = [
            name == names[baseline] or ("resnet18" in name and "resnet18" in names[baseline])
            for name in names
        ]
        assert ["model" not in each.blocking_conditions for each in comparison.engines] == alike


@pytest.mark.parametrize("mutation", MUTATIONS)
@pytest.mark.parametrize("network", ["residual", "encoder"])
def test_builds_of_one_network_are_one_model(network, mutation):
    for metadata in (True, False):
        for names in ("paths", "serial"):
            assert not unlike(*plans_of(network, mutation, metadata=metadata, names=names))


@pytest.mark.parametrize(("one", "other"), list(combinations(NETWORKS, 2)))
def test_builds_of_two_networks_without_common_names_are_not(one, other):
    left, _ = plans_of(one, "all", metadata=False, names="serial")
    _, right = plans_of(other, "all", metadata=False, names="serial")
    assert unlike(left, right).code.startswith("different-model-by-")
    assert unlike(right, left)


def test_a_model_that_lost_layers_but_kept_its_names_is_compared():
    left, right = (
        plans_of(network, "precision", metadata=True)[1] for network in ("deeper residual", "residual")
    )
    assert not unlike(left, right)
    assert multiply_adds(left) != multiply_adds(right)


def convolutions(count, maps=8, prefix="conv"):
    return [
        convolution(f"{prefix}{at}", [f"{prefix}{at - 1}" if at else "input"], [f"{prefix}{at}"], maps)
        for at in range(count)
    ]


def test_the_work_is_stated():
    # 3 x 3 kernels on 8 channels: 72 for each of 8 x 4 x 4 outputs.
    small, large = analysis_of(convolutions(1)), analysis_of(convolutions(300, 64, "/other/"))
    assert multiply_adds(small) == "9,216"
    assert multiply_adds(large) == "22.1 million"
    found = unlike(small, large)
    assert found.values["multiply-adds"] == ("9,216", "22.1 million")


def test_unlike_engines_get_no_verdict():
    comparison = compare(
        [engine_of(convolutions(1), [1.0]), engine_of(convolutions(5, 64, "/b/"), [9.0] * 5)]
    )
    candidate = comparison.engines[1]
    assert (candidate.verdict.verdict, candidate.verdict.basis) == ("inconclusive", "averages")
    assert reason_sentences(candidate.verdict)[0].startswith("Different models: ")
    # What the times say is kept.
    assert "45.0 times as long" in reason_sentences(candidate.verdict)[1]
    assert candidate.blocking_conditions[0] == "model"


def opaque(name, inputs=("input",), outputs=("output",)):
    return layer(name, "Myelin", inputs, outputs)


def test_one_opaque_layer_may_be_the_whole_model():
    kernels = analysis_of([layer(f"kernel{at}", "kgen", [f"t{at}"], [f"t{at + 1}"]) for at in range(9)])
    foreign = analysis_of([opaque("{ForeignNode[/a/Conv.../z/Add]}", ["t0"], ["t9"])])
    products = analysis_of(convolutions(6))
    assert not unlike(foreign, products)
    assert unlike(kernels, products)


def test_an_opaque_layer_of_another_interface_is_another_model():
    def analysis(records, **shapes):
        bindings = [
            BindingFacts(f"{mode} {at}", mode, shape, "FP32", None)
            for mode, of_mode in shapes.items()
            for at, shape in enumerate(of_mode)
        ]
        return replace(analysis_of(records), bindings=bindings)

    foreign = opaque("{ForeignNode[/a/Conv.../z/Add]}")
    hiding = [foreign, *convolutions(1), *convolutions(6, 64, "/o/")]
    image = {"input": [[1, 8, 4, 4]], "output": [[1, 8, 4, 4]]}
    words = {"input": [[1, 77], [1, 77]], "output": [[1, 77, 768]]}
    found = unlike(analysis(convolutions(6), **image), analysis(hiding, **words))
    assert found.values["outputs"] == ("8×4×4", "77×768")
    # What is hidden may be the rest, if what goes in and comes out is the same.
    assert not unlike(analysis(convolutions(6), **image), analysis(hiding, **image))


def test_another_amount_of_work_gets_no_verdict():
    def batch(size):
        records = [layer("/a/Relu", reads=[("input", [size, 8, 4, 4])], writes=[("a", [size, 8, 4, 4])])]
        engine = engine_of(records, [float(size)])
        return replace(engine, bindings=(Binding("input", "input", engine.layers[0].inputs[0]),))

    candidate = compare([batch(1), batch(4)]).engines[1]
    assert candidate.verdict.verdict == "inconclusive"
    assert reason_sentences(candidate.verdict)[0] == (
        "Different amounts of work: batch 4 vs. 1 and input shapes 4×8×4×4 vs. 1×8×4×4."
    )
    assert candidate.blocking_conditions == ["batch", "input shapes"]
    same = compare([batch(4), batch(4)]).engines[1]
    assert (reason_sentences(same.verdict)[0], same.blocking_conditions) == ("Both times are equal.", [])


def test_channels_first_or_last_are_the_same_amount():
    def image(*extents):
        records = [layer("/a/Relu", reads=[("input", list(extents))], writes=[("a", list(extents))])]
        engine = engine_of(records, [1.0])
        return replace(engine, bindings=(Binding("input", "input", engine.layers[0].inputs[0]),))

    first, last, larger = image(2, 3, 8, 9), image(2, 8, 9, 3), image(2, 3, 8, 10)
    comparison = compare([first, last, larger])
    (shapes,) = (each for each in comparison.conditions if each.name == "input shapes")
    assert shapes.differs
    assert [engine.blocking_conditions for engine in comparison.engines] == [[], [], ["input shapes"]]
    assert reason_sentences(comparison.engines[1].verdict)[0] == "Both times are equal."


def test_engines_without_layers_may_be_anything():
    timing = Engine("times", (), queries=QueryTimes((1.0,) * 200))
    other = engine_of(convolutions(3))
    for pair in ([timing, other], [other, timing], [timing, timing]):
        assert "model" not in compare(pair).engines[1].blocking_conditions


def test_unknown_work_is_reported_as_unknown():
    small, nothing = analysis_of(convolutions(1)), analysis_of([layer("x", "NoOp", ["input"], ["y"])])
    assert unlike(small, nothing).values["multiply-adds"] == ("9,216", "")
    assert unlike(nothing, small).values["multiply-adds"] == ("", "9,216")
