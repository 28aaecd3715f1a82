"""What a file may say in another way, and what does change figures: by how much and nothing else."""

from __future__ import annotations

import json
import math
import random
import shutil
import zipfile
from functools import cache
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis import as_json
from trexreport.model import Source
from trexreport.reader import read_engine
from trexreport.reader.assemble import assemble
from trexreport.reader.capture import Capture
from trexreport.renderer.html import render_html
from trexreport.renderer.html_options import HtmlOptions

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
ROLES = ("graph", "profile", "timing", "profile.metadata", "build.metadata")
NAMES = ("resnet18-int8-before", "transformer-trt10-myelin")
SEEDS = st.integers(0, 2**32)


def documents_of(name):
    """Return the documents of a sample by role."""
    return {
        role: json.loads((SAMPLES / name / f"{name}.engine.{role}.json").read_text("utf-8")) for role in ROLES
    }


def analyzed(documents, write=json.dumps):
    """Return the analysis of documents as JSON, without the hashes of the files."""
    sources = tuple(
        Source(role.replace(".", "-"), f"x.{role}.json", write(document).encode())
        for role, document in documents.items()
    )
    found = as_json(analyze(assemble(Capture("x", sources))))
    del found["sources"]
    return found


@cache
def plain_analysis(name):
    """Return the analysis of an unaltered sample."""
    return analyzed(documents_of(name))


@pytest.fixture(params=NAMES, scope="module")
def name(request):
    return request.param


@pytest.fixture(scope="module")
def plain(name):
    return plain_analysis(name)


def without(document, *keys):
    """Return a document without these keys, wherever they are."""
    if isinstance(document, dict):
        return {key: without(value, *keys) for key, value in document.items() if key not in keys}
    return [without(each, *keys) for each in document] if isinstance(document, list) else document


def shuffled_keys(value, rng):
    if isinstance(value, dict):
        keys = list(value)
        rng.shuffle(keys)
        return {key: shuffled_keys(value[key], rng) for key in keys}
    return [shuffled_keys(each, rng) for each in value] if isinstance(value, list) else value


# What changes nothing


@settings(max_examples=4)
@given(SEEDS, st.sampled_from([None, 0, 1, "\t"]), st.booleans())
def test_spaces_order_of_keys_and_escapes_change_nothing(seed, indent, as_ascii):
    assert NAMES
    for name in NAMES:
        documents = shuffled_keys(documents_of(name), random.Random(seed))
        other = analyzed(documents, lambda each: json.dumps(each, indent=indent, ensure_ascii=as_ascii))
        assert other == plain_analysis(name)


def test_unknown_keys_are_kept_and_change_no_figure(name, plain):
    documents = documents_of(name)
    documents["graph"]["Something new"] = {"a": [1]}
    for layer in documents["graph"]["Layers"]:
        layer["Something new"] = [{"Name": "no tensor", "Dimensions": [7]}]
        for tensor in (*layer["Inputs"], *layer["Outputs"]):
            tensor["Vendor"] = "x"
    for record in documents["profile"]:
        record["energyJ"] = 5
    for record in documents["timing"]:
        record["endToEndMs"] = 1e6
    other = analyzed(documents)
    assert len(other["layers"]) == len(documents["graph"]["Layers"])
    assert all("Something new" in layer["attributes"] for layer in other["layers"])
    hidden = ("attributes", "settings")
    assert without(other, *hidden) == without(plain, *hidden)


@settings(max_examples=4)
@example(61)
@given(SEEDS)
def test_the_order_of_the_profile_changes_nothing(seed):
    """Times belong to names; only equal names go by order, and here there are none."""
    assert NAMES
    for name in NAMES:
        documents = documents_of(name)
        head, *records = documents["profile"]
        random.Random(seed).shuffle(records)
        documents["profile"] = [head, *records]
        assert analyzed(documents) == plain_analysis(name)


def test_names_of_files_and_what_they_are_packed_in_change_nothing(name, tmp_path):
    def content(*paths, **files):
        found = without(as_json(analyze(read_engine(*paths, files=files, name="x"))), "sources")
        # Their messages name files.
        return {**found, "notes": [note["slug"] for note in found["notes"]]}

    origin = SAMPLES / name
    expected = content(origin)
    other, nested = tmp_path / "other", tmp_path / "nested"
    other.mkdir()
    for path in origin.iterdir():
        shutil.copy(path, other / path.name.replace(f"{name}.engine", "zz top"))
    shutil.copytree(origin, nested / "deep" / name)
    packed = tmp_path / "packed.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for path in sorted(origin.iterdir(), reverse=True):
            archive.write(path, f"inner/{path.name}")
    engine = read_engine(origin, name="x")
    report = tmp_path / "report.html"
    report.write_bytes(render_html(analyze(engine), engine.sources, HtmlOptions(interactive_charts=False)))
    assert content(other) == expected
    # The same capture twice, all files one by one, and each with what it is.
    assert content(origin, origin) == expected
    assert content(*sorted(origin.iterdir(), reverse=True)) == expected
    roles = {role.replace(".", "-"): origin / f"{name}.engine.{role}.json" for role in ROLES}
    assert content(**roles) == expected
    assert content(nested / "deep" / name) == expected
    assert content(packed) == expected
    assert content(report) == expected


# Other names


def renamed_tensors(documents, rename):
    for layer in documents["graph"]["Layers"]:
        for key in ("Inputs", "Outputs", "Constants"):
            for tensor in layer.get(key, []):
                tensor["Name"] = rename(tensor["Name"])
    documents["graph"]["Bindings"] = [rename(name) for name in documents["graph"]["Bindings"]]
    options = documents["profile.metadata"]["inference_options"]
    if shape := options.get("Input inference shape"):
        name, _, extents = shape.rpartition("=")
        options["Input inference shape"] = f"{rename(name)}={extents}"


def numbers_of(value):
    """Return a document with nothing but its numbers, in its order."""
    if isinstance(value, dict):
        return [numbers_of(each) for each in value.values()]
    if isinstance(value, list):
        return [numbers_of(each) for each in value]
    return value if isinstance(value, (int, float)) or value is None else ""


#: What is neither a name nor worded with one.
FIGURES = (
    *("latency", "stability", "memory", "by_type", "by_precision", "by_output_precision", "by_tactic"),
    *("by_stream", "by_type_and_precision", "reformats_by_origin", "roofline"),
)


def test_other_names_of_tensors_change_no_figure(name, plain):
    documents, known = documents_of(name), {}

    def rename(text):
        if text.startswith("l2_cache_"):
            return text
        return known.setdefault(text, f'tensor {len(known)} ü \\ " <b>')

    renamed_tensors(documents, rename)
    other = analyzed(documents)
    for figure in FIGURES:
        assert other[figure] == plain[figure], figure
    for key in ("layers", "tensors", "reformats", "blocks"):
        assert numbers_of(without(other[key], "attributes")) == numbers_of(without(plain[key], "attributes"))
    assert findings_of(other) == findings_of(plain)


def findings_of(analysis):
    """Return which rules found what on which layers, and what it could gain."""
    return [
        (each["code"], each["gain"], [place["layers"] for place in each["places"]])
        for each in analysis["lint"]["findings"]
    ]


def test_other_names_of_layers_change_no_figure(plain, name):
    """Names of Myelin's kernels say what they do, so only those that are mere names are changed."""
    documents = documents_of(name)

    def rename(text):
        return text if text.startswith(("__", "Reformatting")) or "_myl" in text else f"layer <{text}>"

    for layer in documents["graph"]["Layers"]:
        layer["Name"] = rename(layer["Name"])
    for record in documents["profile"][1:]:
        record["name"] = rename(record["name"])
    other = analyzed(documents)
    for figure in FIGURES:
        assert other[figure] == plain[figure], figure
    hidden = ("attributes", "name", "key")
    assert without(other["layers"], *hidden) == without(plain["layers"], *hidden)
    assert other["tensors"] == plain["tensors"]
    assert findings_of(other) == findings_of(plain)


# Other times


def without_stamps(documents, *kept):
    """Leave out stamps, which agree with the durations only in the digits and the order that were written."""
    for record in documents["timing"]:
        for span in {"Enq", "H2d", "Compute", "D2h"}.difference(kept):
            for end in ("start", "end"):
                record.pop(f"{end}{span}Ms", None)


def scaled(documents, factor):
    """Return the documents of a GPU that takes `factor` times as long for everything."""
    for record in documents["profile"][1:]:
        for key in ("timeMs", "averageMs", "medianMs"):
            record[key] *= factor
    without_stamps(documents, "Enq")
    for record in documents["timing"]:
        for key in record:
            record[key] *= factor
    summary = documents["profile.metadata"]["performance_summary"]
    for key, value in summary.items():
        if isinstance(value, list):
            summary[key] = [each * factor for each in value]
        else:
            summary[key] = value / factor if key == "Throughput" else value * factor
    return documents


def times_by(value, factor, key=""):
    """Return figures with times multiplied and rates divided; percentages and counts stay."""
    if isinstance(value, dict):
        return {name: times_by(each, factor, name) for name, each in value.items()}
    if isinstance(value, list):
        return [times_by(each, factor, key) for each in value]
    is_percentile = key.isdecimal()
    if isinstance(value, float) and (key.endswith("_ms") or is_percentile):
        return value * factor
    if isinstance(value, float) and key.endswith(("_qps", "_gbs", "tflops")):
        return value / factor
    return value


@pytest.mark.parametrize("factor", [0.5, 2.0, 1024.0])
def test_all_times_scale_together(name, plain, factor):
    """By powers of two every figure scales to the last bit, and no share moves."""
    other = analyzed(scaled(documents_of(name), factor))
    # The GPU's peaks do not scale: what is compared with them is left out.
    for key in FIGURES:
        if key != "roofline":
            expected = times_by(plain[key], factor, key)
            if key == "latency":
                expected["gap_reasons"] = other[key]["gap_reasons"]
            assert other[key] == expected, key
    hidden = ("roof", "excess", "attributes")
    assert without(other["layers"], *hidden) == times_by(without(plain["layers"], *hidden), factor)
    assert other["blocks"] == times_by(without_precision(plain["blocks"], factor), factor)
    assert other["reformats"] == times_by(plain["reformats"], factor)
    assert other["tensors"] == plain["tensors"]


def without_precision(blocks, factor):
    """Return blocks whose times by precision, which bear no unit in their keys, are scaled."""
    items = [
        {**block, "precision_ms": {key: ms * factor for key, ms in block["precision_ms"].items()}}
        for block in blocks["items"]
    ]
    return {**blocks, "items": items}


@settings(max_examples=4)
@example(61)
@given(SEEDS)
def test_the_order_of_queries_changes_only_what_is_about_order(seed):
    assert NAMES
    for name in NAMES:
        documents = documents_of(name)
        without_stamps(documents)
        expected = analyzed(documents)
        random.Random(seed).shuffle(documents["timing"])
        other = analyzed(documents)
        of_order = ("drift_percent", "is_drifting", "positions", "times_ms", "changes")
        assert without(other["stability"], *of_order) == without(expected["stability"], *of_order)
        for key in ("latency", "memory", "layers", "by_type", "roofline"):
            assert other[key] == expected[key]


@settings(max_examples=8)
@given(SEEDS)
def test_layers_that_do_not_depend_on_each_other_may_run_in_any_order(seed):
    rng = random.Random(seed)
    assert NAMES
    for name in NAMES:
        documents = documents_of(name)
        expected = plain_analysis(name)
        layers = documents["graph"]["Layers"]
        order = list(range(len(layers)))
        for _ in range(4):
            at = rng.randrange(len(layers) - 1)
            if tensors_of(layers[at]).isdisjoint(tensors_of(layers[at + 1])):
                layers[at], layers[at + 1] = layers[at + 1], layers[at]
                order[at], order[at + 1] = order[at + 1], order[at]
        other = analyzed(documents)
        for key in ("by_type", "by_precision", "by_output_precision", "by_tactic", "by_stream"):
            assert other[key] == expected[key]
        same = ("weights_bytes", "activations_bytes", "activations", "bindings_bytes", "padding_bytes")
        assert all(other["memory"][key] == expected["memory"][key] for key in same)
        assert other["latency"]["layer_sum_ms"] == expected["latency"]["layer_sum_ms"]
        moved = [expected["layers"][at] for at in order]
        hidden = ("index", "tensor")
        assert without(other["layers"], *hidden) == without(moved, *hidden)
        assert edges_of(other) == edges_of(expected)


def tensors_of(layer):
    return {tensor["Name"] for key in ("Inputs", "Outputs") for tensor in layer[key]}


def edges_of(analysis):
    names = [layer["key"] for layer in analysis["layers"]]
    return sorted(
        (names[writer], tensor["name"], names[reader])
        for tensor in analysis["tensors"]
        for writer in tensor["producers"]
        for reader in tensor["consumers"]
    )


# Sums of any engine

TIMES = st.floats(0, 1e6, allow_nan=False) | st.sampled_from([0.0, 1e-9, 0.1, 5e-324, 1e12])
KINDS = ["CaskConvolution", "Reformat", "NoOp", "kgen", "gemm", "Constant", "signal", "PointWiseV2"]


@st.composite
def engines(draw):
    """Return layers in a chain, some of equal names, and a profile that may leave layers out."""
    count = draw(st.integers(1, 30))
    layers, records = [], [{"count": 10}]
    for at in range(count):
        name = draw(st.sampled_from(["a", "b", f"layer{at}", f"/m.{at // 4}/x{at}", f"__myl_Add_myl0_{at}"]))
        shape = draw(st.lists(st.integers(-1, 9), min_size=1, max_size=4))
        kind = draw(st.sampled_from(["Half", "Float", "Int8", "odd", "Bool"]))
        tensors = [
            {"Name": f"t{each}", "Dimensions": shape, "Format/Datatype": kind} for each in (at, at + 1)
        ]
        layers.append(
            {
                "Name": name,
                "LayerType": draw(st.sampled_from(KINDS)),
                "Inputs": tensors[:1],
                "Outputs": tensors[1:],
                "StreamId": draw(st.integers(0, 2)),
            }
        )
        if draw(st.integers(0, 9)):
            records.append({"name": name, "averageMs": draw(TIMES)})
    return {"graph": {"Layers": layers, "Bindings": ["t0", f"t{count}"]}, "profile": records}


@settings(max_examples=80)
@given(engines())
def test_shares_and_groups_of_any_engine_add_up(documents):
    found = analyzed(documents)
    times = [layer["avg_ms"] for layer in found["layers"] if layer["avg_ms"] is not None]
    total = found["latency"]["layer_sum_ms"]
    assert total == (math.fsum(times) if times else None)
    shares = [each["share_percent"] for each in found["layers"] if each["share_percent"] is not None]
    if total:
        assert math.fsum(shares) == pytest.approx(100, rel=1e-9)
    else:
        assert not shares
    for key in ("by_type", "by_precision", "by_output_precision", "by_tactic", "by_stream"):
        assert math.fsum(each["time_ms"] or 0 for each in found[key]) == pytest.approx(total or 0)
        known = [each["share_percent"] for each in found[key] if each["share_percent"] is not None]
        assert not known or math.fsum(known) == pytest.approx(100)
    parts = {}
    for each in found["by_type_and_precision"]:
        count, time = parts.get(each["type"], (0, 0.0))
        parts[each["type"]] = (count + each["group"]["count"], time + (each["group"]["time_ms"] or 0.0))
    assert parts == {
        each["name"]: (each["count"], pytest.approx(each["time_ms"] or 0.0)) for each in found["by_type"]
    }
    memory = found["memory"]
    assert memory["peak_live_bytes"] == max(memory["live_bytes"]) <= memory["activations_bytes"]
    root = found["blocks"]["items"][0]
    assert (root["time_ms"] or 0) == pytest.approx(total or 0)
    for block in found["blocks"]["items"]:
        if block["children"]:
            inside = [found["blocks"]["items"][child]["time_ms"] or 0 for child in block["children"]]
            assert math.fsum(inside) == pytest.approx(block["time_ms"] or 0)
    for finding in found["lint"]["findings"]:
        assert finding["gain"] is None or 0 <= finding["gain"]["high_ms"] <= (total or 0) * (1 + 1e-9)
