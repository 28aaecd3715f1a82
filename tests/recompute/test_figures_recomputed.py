"""Figures of every real engine and every sample are what plain arithmetic makes of the files."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from fractions import Fraction

import pytest
from engines_here import ALL, REAL, folder_of
from raw_engine import BITS, RawEngine, data_type, elements, size_of

from trexreport.analyzer import analyze
from trexreport.reader import read_engine

close = pytest.approx


@pytest.fixture(params=ALL, scope="module")
def pair(request):
    folder = folder_of(request.param, request)
    return RawEngine(folder), analyze(read_engine(folder))


def test_all_engines_are_here(engines_folder):
    assert sorted(path.name for path in engines_folder.iterdir() if path.is_dir()) == sorted(REAL)


def optional(value, **tolerance):
    return None if value is None else close(value, **tolerance)


# Times


def test_times_and_shares(pair):
    raw, analysis = pair
    assert [layer.name for layer in analysis.layers] == [layer.name for layer in raw.layers]
    assert [layer.avg_ms for layer in analysis.layers] == [optional(layer.time) for layer in raw.layers]
    latency = analysis.latency
    assert latency.layer_sum_ms == optional(raw.sum_ms(), rel=1e-12)
    assert latency.profiled_layers == len(raw.timed)
    assert latency.profiled_iterations == raw.iterations
    assert [layer.share_percent for layer in analysis.layers] == [
        optional(raw.share(layer.time), abs=1e-12) for layer in raw.layers
    ]
    if raw.timed:
        assert math.fsum(layer.share_percent or 0 for layer in analysis.layers) == close(100)


def test_no_time_of_the_profile_is_lost(pair):
    raw, analysis = pair
    assert raw.unused_times == 0
    assert not [note for note in analysis.notes if note.slug == "profile-without-layer"]


def test_medians_and_spreads_of_layers(pair):
    raw, analysis = pair
    assert raw.layers
    for layer, facts in zip(raw.layers, analysis.layers, strict=True):
        if layer.samples is None:
            assert facts.median_ms == optional(layer.median)
            assert facts.spread_ms is None
        else:
            assert facts.median_ms == close(statistics.median(layer.samples))
            assert facts.spread_ms == [raw.percentile(layer.samples, rank) for rank in (10, 50, 90, 99)]


GROUPINGS = {
    "by_type": lambda layer: layer.type,
    "by_precision": lambda layer: layer.precision,
    "by_output_precision": lambda layer: layer.output_precision,
    "by_tactic": lambda layer: layer.record.get("TacticName"),
    "by_stream": lambda layer: f"stream {layer.record['StreamId']}" if "StreamId" in layer.record else "",
}


@pytest.mark.parametrize("name", GROUPINGS)
def test_number_and_time_of_groups(pair, name):
    raw, analysis = pair
    expected = raw.groups(GROUPINGS[name])
    found = getattr(analysis, name)
    assert {group.name: (group.count, optional(group.time_ms)) for group in found} == expected
    for group in found:
        time = expected[group.name][1]
        assert group.share_percent == optional(raw.share(time), abs=1e-9)
    times = [group.time_ms or 0 for group in found]
    assert times == sorted(times, reverse=True)
    assert math.fsum(times) == close(raw.sum_ms() or 0)


def test_number_and_time_by_type_and_precision(pair):
    raw, analysis = pair
    expected = raw.groups(lambda layer: (layer.type or "not stated", layer.precision or "not stated"))
    found = {
        (each.type, each.precision): (each.group.count, optional(each.group.time_ms))
        for each in analysis.by_type_and_precision
    }
    assert found == expected


# Bytes and work


def test_bytes_of_layers(pair):
    raw, analysis = pair
    assert raw.layers
    for layer, facts in zip(raw.layers, analysis.layers, strict=True):
        if not layer.type:
            # Of a name alone nothing is known.
            sizes = (facts.input_bytes, facts.output_bytes, facts.weights_bytes, facts.weights_count)
            assert (*sizes, facts.moved_bytes) == (None,) * 5, layer.name
            continue
        assert facts.input_bytes == layer.side_bytes(layer.inputs), layer.name
        assert facts.output_bytes == layer.side_bytes(layer.outputs), layer.name
        assert facts.weights_bytes == layer.weights_bytes(), layer.name
        assert facts.weights_count == sum(count for _, count in layer.owned()), layer.name
        assert facts.moved_bytes == layer.moved_bytes(), layer.name


def test_work_of_convolutions(pair):
    raw, analysis = pair
    assert raw.layers
    for layer, facts in zip(raw.layers, analysis.layers, strict=True):
        if layer.type in {"Convolution", "Deconvolution", "ConvActPool"}:
            assert facts.work.macs == layer.convolution_macs(), layer.name
            stated = [count for key in ("Weights", "ConvWeights") if (count := count_of(layer, key))]
            # The file states the number of weights, which shows whether the shapes were read correctly.
            assert stated in ([], [facts.work.n * facts.work.k])


def count_of(layer, key):
    return (layer.record.get(key) or {}).get("Count", 0)


def test_work_of_matrix_products(pair):
    """Of A [m, k] and B [k, n], the elements of A times those of B over those of the result are k k.

    Where the file lists the weights, a second input is a residual.
    """
    raw, analysis = pair
    assert raw.layers
    for layer, facts in zip(raw.layers, analysis.layers, strict=True):
        if layer.type not in {"gemm", "MatrixMultiply"} or facts.work is None:
            continue
        result = layer.outputs[0]
        assert facts.work.macs == elements(result) * facts.work.k
        if len(layer.inputs) == 1:
            assert layer.inputs[0]["Dimensions"][-1] == facts.work.k
            continue
        if layer.constants:
            (weights,) = layer.constants
            assert elements(weights) == facts.work.n * facts.work.k, layer.name
            continue
        left, right = layer.inputs[:2]
        # One of them may be the same for all products.
        one, other, products = (math.prod(each["Dimensions"][:-2]) for each in (left, right, result))
        squared = Fraction(elements(left) * elements(right) * products, elements(result) * one * other)
        assert squared == facts.work.k**2, layer.name


def test_counted_work_is_stated_as_one_product(pair):
    _, analysis = pair
    assert analysis.layers
    for facts in analysis.layers:
        if facts.work is not None:
            work = facts.work
            assert work.macs == work.batch * work.m * work.n * work.k, facts.name
            assert facts.flops == 2 * work.macs


def test_operations_of_other_layers(pair):
    raw, analysis = pair
    assert raw.layers
    for layer, facts in zip(raw.layers, analysis.layers, strict=True):
        if facts.work is None and layer.type != "Reduce":
            assert facts.flops == layer.flops(), layer.name


def test_rates(pair):
    raw, analysis = pair
    assert raw.layers
    for layer, facts in zip(raw.layers, analysis.layers, strict=True):
        moved, hidden = layer.moved_bytes(), 0
        if facts.work is not None:
            work = facts.work
            # An input of the size of the result may be a residual that the kernel adds.
            like = [each for each in layer.inputs if elements(each) == elements(layer.outputs[0])]
            operands = len(layer.inputs) - (bool(like) and "Add" in layer.name and len(layer.inputs) > 1)
            if operands == 1 and not layer.owned() and work.kind == "matrix multiplication":
                stated = [elements(each) or 0 for each in layer.constants]
                if max(stated, default=0) < work.n * work.k:
                    hidden = math.ceil(work.n * work.k * BITS[data_type(layer.inputs[0])] / 8)
            assert work.hidden_weights_bytes == hidden, layer.name
        touched = moved + hidden if moved else moved
        rate = touched / layer.time / 1e6 if touched and layer.time else None
        assert facts.bandwidth_gbs == optional(rate), layer.name
        if facts.work is not None:
            assert facts.work.intensity == optional(2 * facts.work.macs / touched if touched else None)
            assert facts.work.tflops == optional(
                2 * facts.work.macs / layer.time / 1e9 if layer.time else None
            )


def test_the_roof(pair):
    """A layer takes at least as long as its bytes, and as its operations at the peak that it has."""
    raw, analysis = pair
    gpu = analysis.roofline.gpu
    total_ms = roof_ms = headroom_ms = 0.0
    for layer, facts in zip(raw.layers, analysis.layers, strict=True):
        roof = facts.roof
        if roof is None:
            continue
        moved = layer.least_bytes(facts.work.hidden_weights_bytes if facts.work else 0)
        memory_ms = moved / gpu.bandwidth_gbs / 1e6
        compute_ms = 0.0
        if roof.peak_tflops is not None:
            assert roof.peak_tflops in {*gpu.tensor_tflops.values(), *gpu.vector_tflops.values()}
            compute_ms = (facts.flops or 0) / roof.peak_tflops / 1e9
        assert roof.roof_ms == close(max(memory_ms, compute_ms)), layer.name
        if compute_ms != close(memory_ms):
            assert roof.roof == ("compute" if compute_ms > memory_ms else "memory")
        assert facts.excess != "impossible"
        if layer.time:
            if 100 * roof.roof_ms < 33 * layer.time:
                assert roof.bound == "latency" or facts.work
            assert roof.reached_percent == close(100 * roof.roof_ms / layer.time)
            assert roof.headroom_ms == close(max(layer.time - roof.roof_ms, 0), abs=1e-12)
            total_ms += layer.time
            roof_ms += min(layer.time, roof.roof_ms)
            headroom_ms += roof.headroom_ms
    whole = analysis.roofline.total
    assert (whole is not None) == bool(total_ms)
    if whole is not None:
        assert (whole.time_ms, whole.roof_ms) == (close(total_ms), close(roof_ms))
        assert whole.headroom_ms == close(headroom_ms)
        assert math.fsum(group.time_ms for group in analysis.roofline.by_type) == close(total_ms)


# Memory and graph


def test_memory(pair):
    raw, analysis = pair
    memory = analysis.memory
    flowing = [raw.values[key] for key in raw.activations()]
    assert memory.activations == len(flowing)
    assert memory.activations_unknown == flowing.count(None)
    assert memory.activations_bytes == sum(size or 0 for size in flowing)
    bound = [raw.values[key] for key, role in raw.roles().items() if role in {"input", "output"}]
    assert memory.bindings == len(bound)
    assert memory.bindings_bytes == sum(size or 0 for size in bound)
    assert memory.live_bytes == raw.live_bytes()
    assert memory.peak_live_bytes == max(raw.live_bytes())
    if memory.peak_layer is not None:
        assert memory.live_bytes[memory.peak_layer] == memory.peak_live_bytes


def test_weights(pair):
    raw, analysis = pair
    memory, constants = analysis.memory, raw.constants()
    owned = [each for layer in raw.layers for each in layer.owned()]
    owned_bytes = sum(math.ceil(count * BITS[kind] / 8) for kind, count in owned)
    assert memory.constants == len(constants)
    assert memory.constants_bytes == sum(size or 0 for _, size in constants.values())
    assert memory.weights_bytes == owned_bytes + memory.constants_bytes
    assert memory.weights_unknown == sum(size is None for _, size in constants.values())
    counts = Counter()
    for kind, count in owned:
        counts[kind] += count
    for kind, size in constants.values():
        if kind is not None and size is not None:
            counts[kind] += size * 8 // BITS[kind]
    assert {group.name: group.count for group in memory.weights_by_type} == counts


def test_tensors_and_edges(pair):
    raw, analysis = pair
    assert len(analysis.tensors) == len(raw.values)
    roles = Counter(raw.roles().values())
    assert Counter(tensor.role for tensor in analysis.tensors) == roles
    found = sorted(
        (writer, tensor.name, reader)
        for tensor in analysis.tensors
        for writer in tensor.producers
        for reader in tensor.consumers
    )
    assert found == raw.edges()


def test_bindings(pair):
    raw, analysis = pair
    assert [binding.name for binding in analysis.bindings] == raw.bindings
    for mode, names in (("input", raw.inputs), ("output", raw.outputs)):
        assert [each.name for each in analysis.bindings if each.mode == mode] == names


def test_layers_of_the_model(pair):
    raw, analysis = pair
    assert [list(layer.origins) for layer in analysis.layers] == [layer.origins() for layer in raw.layers]


def test_reformats(pair):
    raw, analysis = pair
    expected = {layer.index for layer in raw.layers if layer.is_reformat()}
    assert {each.layer for each in analysis.reformats if each.kind == "reformat"} == expected
    by_origin = raw.groups(lambda layer: layer.origin() if layer.index in expected else "none")
    by_origin.pop("none", None)
    found = {
        each.name: (each.count, optional(each.time_ms))
        for each in analysis.reformats_by_origin
        if each.kind == "reformat"
    }
    assert found == by_origin
    for each in analysis.reformats_by_origin:
        assert each.share_percent == optional(raw.share(each.time_ms), abs=1e-9)
    for each in analysis.reformats:
        layer = raw.layers[each.layer]
        kinds = [data_type(side[0]) for side in (layer.inputs, layer.outputs) if side]
        if len(kinds) == 2:
            assert ("data type" in each.change) == (kinds[0] != kinds[1])


def test_blocks_add_up(pair):
    raw, analysis = pair
    items = analysis.blocks.items
    assert items[0].time_ms == optional(raw.sum_ms())
    for block in items:
        inside = [raw.layers[at] for first, last in block.ranges for at in range(first, last + 1)]
        times = [layer.time for layer in inside if layer.time is not None]
        assert block.time_ms == optional(math.fsum(times) if times else None)
        assert block.count == sum(not layer.structural for layer in inside)
        if block.children:
            assert sum(items[child].count for child in block.children) == block.count


# Queries


def test_queries(pair):
    raw, analysis = pair
    if raw.timing is None:
        assert analysis.stability is None
        return
    times = raw.column("computeMs")
    found = analysis.stability
    figures = found.percentiles
    assert found.queries == len(times)
    assert (figures.min_ms, figures.max_ms) == (min(times), max(times))
    assert figures.mean_ms == close(statistics.fmean(times))
    assert figures.median_ms == close(statistics.median(times))
    assert figures.percentiles == {str(rank): raw.percentile(times, rank) for rank in (90, 95, 99)}
    assert found.variation_percent == close(100 * statistics.pstdev(times) / statistics.fmean(times))
    assert sum(found.histogram_counts) == len(times)
    tenth = len(times) // 10
    first, last = statistics.median(times[:tenth]), statistics.median(times[-tenth:])
    assert found.drift_percent == close(100 * (last / first - 1), abs=1e-9)
    assert [times[at] for at in found.positions] == found.times_ms
    assert {min(times), max(times)} <= set(found.times_ms)


SUMMARIES = {
    "Latency": "end_to_end",
    "GPU Compute Time": "gpu_compute",
    "Enqueue Time": "enqueue",
    "H2D Latency": "h2d",
    "D2H Latency": "d2h",
}


def test_what_trtexec_sums_up(pair):
    raw, analysis = pair
    if raw.summary is None:
        assert analysis.latency.throughput_qps is None
        return
    assert analysis.latency.throughput_qps == raw.summary["Throughput"]
    for title, name in SUMMARIES.items():
        stated, found = raw.summary[title], getattr(analysis.latency, name)
        assert [found.min_ms, found.max_ms, found.mean_ms, found.median_ms] == stated[:4]
        ranks = {5: ("99",), 7: ("90", "95", "99")}[len(stated)]
        assert found.percentiles == dict(zip(ranks, stated[4:], strict=True))
    # The file has 6 digits and, up to TensorRT 8.4, the queries that warmed up as well.
    queries, stated = analysis.stability.percentiles, raw.summary["GPU Compute Time"]
    assert queries.median_ms == close(stated[3], rel=0.02)
    assert queries.p99_ms == close(stated[-1], rel=0.05)


def test_the_total_layer_time_against_the_query_time(pair):
    raw, analysis = pair
    whole = analysis.latency.gpu_compute or analysis.latency.end_to_end
    if whole is None or raw.sum_ms() is None:
        assert analysis.latency.gap_percent is None
    else:
        assert analysis.latency.gap_percent == close(100 * (raw.sum_ms() - whole.median_ms) / whole.median_ms)


def test_padding(pair):
    raw, analysis = pair
    owners, added = raw.owners(), 0
    for key, tensor in raw.padded.items():
        count, size = elements(tensor), size_of(tensor)
        if key not in owners and count is not None and size is not None:
            added += size - math.ceil(count * BITS[data_type(tensor)] / 8)
    assert analysis.memory.padding_bytes == added
