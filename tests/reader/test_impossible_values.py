"""Values that nothing can have count as unknown and are noted with file and place; good files have none."""

from __future__ import annotations

import json
import random

import pytest

from trexreport.model import IMPOSSIBLE, UNUSUAL
from trexreport.reader import read_engine

TENSORS = {
    name: {"Name": name, "Dimensions": [1, 8, 8, 8], "Format/Datatype": "Row major linear FP16 format"}
    for name in "xyz"
}
CONVOLUTION = {
    "LayerType": "CaskConvolution",
    "ParameterType": "Convolution",
    "Kernel": [3, 3],
    "Stride": [1, 1],
    "PrePadding": [1, 1],
    "PostPadding": [1, 1],
    "Dilation": [1, 1],
    "Groups": 1,
    "OutMaps": 8,
    "Weights": {"Type": "Half", "Count": 576},
}
GRAPH = {
    "Layers": [
        {"Name": "a", **CONVOLUTION, "Inputs": [TENSORS["x"]], "Outputs": [TENSORS["y"]]},
        {"Name": "b", **CONVOLUTION, "Inputs": [TENSORS["y"]], "Outputs": [TENSORS["z"]]},
    ],
    "Bindings": ["x", "z"],
}
PROFILE = [
    {"count": 10},
    {"name": "a", "timeMs": 10, "averageMs": 1, "medianMs": 1, "percentage": 25},
    {"name": "b", "timeMs": 30, "averageMs": 3, "medianMs": 3, "percentage": 75},
]
TIMING = [
    {"startEnqMs": at, "endEnqMs": at + 0.5, "h2dMs": 0.25, "computeMs": 4, "d2hMs": 0, "latencyMs": 4.25}
    for at in range(40)
]
METADATA = {"performance_summary": {"Throughput": 200.0, "Latency": [4, 5, 4.25, 4.2, 4.3, 4.4, 4.9]}}
FILES = {"graph": GRAPH, "profile": PROFILE, "timing": TIMING, "profile_metadata": METADATA}
#: No count, time, percentage or extent of these files is one of them; -1 is legal for an extent alone.
NOTHING = [-5, 0.5001, 1e30, 1.5e9 + 0.5, "12", None, float("nan"), [], {}]


def numbers(document, path=()):
    """Yield the path of every number."""
    if isinstance(document, (dict, list)):
        for key, value in document.items() if isinstance(document, dict) else enumerate(document):
            yield from numbers(value, (*path, key))
    elif not isinstance(document, str):
        yield path


def changed(document, path, value):
    copy = json.loads(json.dumps(document))
    holder = copy
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    return copy


PLACES = [
    (role, path)
    for role, document in FILES.items()
    if role != "timing"
    for path in numbers(document)
    if role != "profile_metadata" or path[-1] == "Throughput"
] + [("timing", (20, key)) for key in ("h2dMs", "computeMs", "d2hMs", "latencyMs")]


def noted(engine):
    """Return the files that a diagnostic names."""
    return {note.source for note in engine.notes if note.severity != "info"}


def test_good_files_have_none(capture):
    assert not noted(read_engine(capture(**FILES)))


@pytest.mark.parametrize(("role", "path"), PLACES, ids=str)
def test_every_number_is_checked(capture, role, path):
    for value in NOTHING:
        if role == "profile_metadata" and value in ("12", 0.5001, 1.5e9 + 0.5):
            continue  # a throughput may have a fraction, and TREx writes some numbers as texts
        if path[-1] == "medianMs" and value == 0.5001:
            continue  # half of the iterations may take half of the average
        document = changed(FILES[role], path, value)
        engine = read_engine(capture(**{**FILES, role: document}))
        assert f"x.{role.replace('_', '.')}.json" in noted(engine), value


@pytest.mark.parametrize(("extent", "codes"), [(64, []), (2**34, ["tensor-size"])])
def test_no_tensor_is_larger_than_the_memory_of_the_gpu(capture, extent, codes):
    use = {**TENSORS["x"], "Dimensions": [1, 8, extent]}
    graph = {"Layers": [{"Name": "a", "LayerType": "Softmax", "Inputs": [use], "Outputs": [TENSORS["z"]]}]}
    metadata = {**METADATA, "device_information": {"Device Global Memory": "80994 MiB"}}
    engine = read_engine(capture(graph=graph, profile_metadata=metadata))
    assert [each.code for each in engine.contradictions] == codes


@pytest.mark.parametrize(("seconds", "is_possible"), [(3.0, True), (0.004, False)])
def test_no_query_takes_longer_than_the_run(capture, seconds, is_possible):
    summary = {**METADATA["performance_summary"], "Total Host Walltime": seconds}
    engine = read_engine(capture(graph=GRAPH, profile_metadata={"performance_summary": summary}))
    assert bool(engine.measurement.summary) is is_possible
    messages = " ".join(each.message for each in engine.notes if each.slug == IMPOSSIBLE)
    assert ("is longer than the run of 0.004 s" in messages) is not is_possible


def test_a_profile_of_no_iteration(capture):
    engine = read_engine(capture(graph=GRAPH, profile=[{"count": 0}, *PROFILE[1:]]))
    messages = " ".join(each.message for each in engine.notes if each.slug == IMPOSSIBLE)
    assert "count = 0 is not a number of iterations that took time" in messages


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"GPU Compute Time": [5, 7, 6, 6, 6, 6, 6]}, "is more than the latency that it is a part of, 4.25"),
        (
            {"GPU Compute Time": [3] * 7, "H2D Latency": [1] * 7, "D2H Latency": [1] * 7},
            "Latency mean = 4.25 is not the sum of transfers and GPU compute time, 5",
        ),
        ({"Total Host Walltime": 0.004}, "is less than one query in the run of 0.004 s"),
    ],
)
def test_figures_of_a_summary_must_fit_together(capture, change, why):
    summary = {**METADATA["performance_summary"], **change}
    engine = read_engine(capture(graph=GRAPH, profile_metadata={"performance_summary": summary}))
    assert why in " ".join(each.message for each in engine.notes if each.slug == IMPOSSIBLE)


def test_a_key_that_is_stated_twice(capture):
    text = json.dumps(GRAPH).replace('"Count": 576', '"Count": 576, "Count": 1', 1)
    engine = read_engine(capture(graph=text))
    assert engine.layers[0].weights[0].count is None
    (note,) = [each for each in engine.notes if each.slug == IMPOSSIBLE and '"Count"' in each.message]
    assert note.source == "x.graph.json"


def test_a_kernel_beyond_its_input(capture):
    graph = changed(GRAPH, ("Layers", 0, "Kernel"), [70, 70])
    engine = read_engine(capture(graph=graph))
    assert "does not fit in its padded input 10×10" in " ".join(each.message for each in engine.notes)
    assert engine.layers[0].attributes["Kernel"] is None


@pytest.mark.parametrize(("maps", "is_possible"), [(24, True), (16, False), (8, False)])
def test_merged_convolutions_have_the_maps_of_all_their_outputs(capture, maps, is_possible):
    outputs = [{**TENSORS["z"], "Name": name} for name in ("z", "u", "v")]
    weights = {"Type": "Half", "Count": 24 * 8 * 9}
    layer = {**CONVOLUTION, "Name": "a || b || c", "OutMaps": maps, "Weights": weights}
    graph = {
        "Layers": [{**layer, "Inputs": [TENSORS["x"]], "Outputs": outputs}],
        "Bindings": ["x", "z", "u", "v"],
    }
    engine = read_engine(capture(graph=graph))
    assert (IMPOSSIBLE not in {note.slug for note in engine.notes}) == is_possible
    assert (engine.layers[0].attributes["Kernel"] == [3, 3]) == is_possible


def test_a_long_name_is_cut_in_its_middle_and_visibly(capture):
    graph = json.loads(json.dumps(GRAPH))
    graph["Layers"][0] |= {"Name": f"/first/{'x' * 80}/Conv", "Kernel": [5, 5]}
    messages = " ".join(each.message for each in read_engine(capture(graph=graph)).notes)
    assert f"'/first/{'x' * 23}…{'x' * 24}/Conv'.Kernel" in messages


def test_an_entry_that_repeats_a_layer_is_called_so(capture):
    engine = read_engine(capture(graph=GRAPH, profile=[*PROFILE, PROFILE[1]]))
    messages = [each.message for each in engine.notes if each.slug == IMPOSSIBLE]
    assert any("repeat a layer's" in each for each in messages)
    assert not [each for each in engine.notes if each.slug == "profile-without-layer"]


def rounded_profile(decimals, digits, *, of_exact):
    """Return a profile of one run with a few large and many tiny layers, as a table rounds them."""
    generator = random.Random(f"{decimals} {digits} {of_exact}")
    exact = [generator.uniform(0.2, 3.5) for _ in range(5)]
    exact += [generator.uniform(0.001, 0.03) for _ in range(200)]
    times = [round(each, decimals) for each in exact]
    base = exact if of_exact else times
    shares = [round(100 * part / sum(base), digits) for part in base]
    return [
        {"count": 1},
        *(
            {"name": f"l{at}", "timeMs": ms, "averageMs": ms, "percentage": share}
            for at, (ms, share) in enumerate(zip(times, shares, strict=True))
        ),
    ]


@pytest.mark.parametrize("of_exact", [True, False], ids=["of exact times", "of rounded times"])
@pytest.mark.parametrize("digits", [1, 2, 4])
@pytest.mark.parametrize("decimals", [2, 3, 4])
def test_percentages_fit_times_as_far_as_their_digits_show(capture, decimals, digits, of_exact):
    profile = rounded_profile(decimals, digits, of_exact=of_exact)
    assert IMPOSSIBLE not in {each.slug for each in read_engine(capture(profile=profile)).notes}
    for row in (1, 3, 100):
        wrong = changed(profile, (row, "percentage"), profile[row]["percentage"] * 1.05 + 0.5)
        (note,) = [n for n in read_engine(capture(profile=wrong)).notes if n.slug == IMPOSSIBLE]
        assert f"'l{row - 1}'.percentage" in note.message


@pytest.mark.parametrize(
    ("name", "kind", "extents", "refused"),
    [
        ("s", "Shuffle", [1, 8, 64], False),
        ("s", "Shuffle", [1, 8, 65], True),
        ("s", "Shuffle", [1, 8, 32], True),
        ("s", "Slice", [1, 8, 32], False),
        ("__myl_ReshTran_myl0_3", "kgen", [1, 64, 8], False),
        ("__myl_ReshTran_myl0_3", "kgen", [4, 64, 8], True),
        # It may read a part of a tensor, and others may repeat one.
        ("__myl_ReshTran_myl0_3", "kgen", [1, 16, 8], False),
        ("__myl_ReshRepeTran_myl0_3", "kgen", [4, 64, 8], False),
    ],
)
def test_a_layer_that_moves_elements_keeps_their_number(tmp_path, name, kind, extents, refused):
    out = {"Name": "r", "Dimensions": extents, "Format/Datatype": "Row major linear FP16 format"}
    layer = {"Name": name, "LayerType": kind, "Inputs": [TENSORS["x"]], "Outputs": [out]}
    (tmp_path / "x.graph.json").write_text(json.dumps({"Layers": [layer], "Bindings": ["x", "r"]}))
    engine = read_engine(tmp_path)
    noted = [note for note in engine.notes if note.slug == IMPOSSIBLE]
    assert len(noted) == refused
    (found,) = engine.layers[0].outputs
    assert (found.size_bytes is None) == refused


def test_percentages_may_be_shares_of_medians(capture):
    times = [(10.0, 9.9, 30.0), (20.0, 13.2, 40.0), (11.0, 9.9, 30.0)]
    rows = [
        {"name": name, "timeMs": total, "averageMs": total / 10, "medianMs": ms / 10, "percentage": share}
        for name, (total, ms, share) in zip("abc", times, strict=True)
    ]
    assert IMPOSSIBLE not in {n.slug for n in read_engine(capture(profile=[{"count": 10}, *rows])).notes}
    rows[1]["percentage"] = 41.0
    (note,) = [n for n in read_engine(capture(profile=[{"count": 10}, *rows])).notes if n.slug == IMPOSSIBLE]
    assert "percentage" in note.message


@pytest.mark.parametrize(
    ("kind", "stride", "out", "noted"),
    [
        # (16 - 1) * 4 + 8 - 3 - 3 = 62
        ("CaskDeconvolution", 4, 62, ""),
        ("CaskDeconvolution", 4, 64, UNUSUAL),
        # A padding of 1 on each side: (16 - 1) * 4 + 8 - 2
        ("CaskDeconvolution", 4, 66, UNUSUAL),
        ("CaskDeconvolution", 4, 99, IMPOSSIBLE),
        # (16 + 3 + 3 - 8) / 2 + 1 = 8
        ("CaskConvolution", 2, 8, ""),
        ("CaskConvolution", 2, 9, UNUSUAL),
        ("CaskConvolution", 2, 16, IMPOSSIBLE),
    ],
)
def test_a_padding_is_wrong_where_the_weights_are_those_of_the_kernel(capture, kind, stride, out, noted):
    def tensor(name, extent):
        return {**TENSORS[name], "Dimensions": [1, 8, 1, extent]}

    layer = {
        **CONVOLUTION,
        "Name": "up",
        "LayerType": kind,
        "ParameterType": kind.removeprefix("Cask"),
        "Kernel": [1, 8],
        "Stride": [1, stride],
        "PrePadding": [0, 3],
        "PostPadding": [0, 3],
        "Weights": {"Type": "Half", "Count": 8 * 8 * 8},
        "Inputs": [tensor("x", 16)],
        "Outputs": [tensor("z", out)],
    }
    graph = {"Layers": [layer], "Bindings": ["x", "z"]}
    engine = read_engine(capture(graph=graph))
    found = [note for note in engine.notes if note.slug in (IMPOSSIBLE, UNUSUAL)]
    assert [note.slug for note in found] == [noted] * bool(noted)
    assert not noted or ("'up'.PrePadding" in found[0].message) == (noted == UNUSUAL)
    assert (engine.layers[0].attributes.get("Kernel") is None) == (noted == IMPOSSIBLE)
    # The kernel confirms them.
    assert engine.layers[0].attributes["Weights"]["Count"] == 8 * 8 * 8
    if noted == IMPOSSIBLE:
        made = {"CaskDeconvolution": 62, "CaskConvolution": 8}[kind]
        assert f"makes 1×{made} of 1×16, and the output is 1×{out}" in found[0].message
    # Other weights are those of another kernel: that is wrong.
    layer["Weights"]["Count"] += 8 * 8
    found = [note.slug for note in read_engine(capture(graph=graph)).notes]
    assert (IMPOSSIBLE in found) == (bool(noted) or kind == "CaskConvolution")
