"""Whatever the files hold: an engine with its analysis, or one of our errors; never another exception."""

from __future__ import annotations

import json
import random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis import as_json
from trexreport.errors import TrexReportError
from trexreport.model import Source
from trexreport.reader.assemble import assemble
from trexreport.reader.capture import Capture

ROLES = ["graph", "profile", "timing", "metadata", "build-metadata", "profile-metadata", "manifest", "log"]

NAMES = st.sampled_from(["a", "b", "b [profile 1]", "__myl_CastMul_myl3_1", "x", "", "n\0\x1e"]) | st.text(
    max_size=4
)
NUMBERS = (
    st.integers(-3, 100)
    | st.sampled_from([0, 1e-300, 5e-324, 1e308, 10**400, 2**48, 1e12, -1, 0.1])
    | st.floats()
    | st.text(max_size=3)
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | NUMBERS | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=5,
)


def sometimes(strategy):
    """Return what is nearly always of the strategy, and anything else now and then."""
    return st.sampled_from([*[strategy] * 24, ANYTHING]).flatmap(lambda chosen: chosen)


FORMATS = st.sampled_from(
    [
        "Half",
        "Float",
        "Int4",
        "Channel major FP16 format where channel % 8 == 0",
        "Bool",
        "odd",
        "kCHW32 Int8",
    ]
)
EXTENTS = st.lists(st.integers(-1, 70) | st.sampled_from([2**47, 2**48, 10**30]), max_size=6)
TENSOR = st.fixed_dictionaries(
    {"Name": sometimes(NAMES), "Dimensions": sometimes(EXTENTS)},
    optional={"Format/Datatype": sometimes(FORMATS), "Format": sometimes(FORMATS), "Datatype": FORMATS},
)
TENSORS = sometimes(st.lists(sometimes(TENSOR), max_size=3))
WEIGHTS = sometimes(st.fixed_dictionaries({"Type": FORMATS, "Count": NUMBERS}))
KINDS = st.sampled_from(
    ["NoOp", "Convolution", "gemm", "Reformat", "kgen", "shape_call", "CaskDeconvolutionV2", "ConvActPool"]
)
POSITIVE = sometimes(st.lists(st.integers(0, 5) | st.just(2**48), max_size=3))
LAYER = st.fixed_dictionaries(
    {"Name": sometimes(NAMES), "LayerType": sometimes(KINDS), "Inputs": TENSORS, "Outputs": TENSORS},
    optional={
        "ParameterType": sometimes(KINDS),
        "Weights": WEIGHTS,
        "Bias": WEIGHTS,
        "Kernel": POSITIVE,
        "ConvKernel": POSITIVE,
        "ConvOutMaps": NUMBERS,
        "ConvPrePadding": POSITIVE,
        "ConvPostPadding": POSITIVE,
        "ConvStride": POSITIVE,
        "Groups": NUMBERS,
        "StreamId": NUMBERS,
        "Origin": ANYTHING,
        "Metadata": sometimes(NAMES),
        "TacticName": ANYTHING,
    },
)
EXTENT = st.integers(1, 70) | st.sampled_from([0, -1, 2**20, 2**48])


@st.composite
def working_layers(draw):
    """Return a layer whose tensors fit its kind, so that its work is counted."""
    kind, rank = draw(KINDS), draw(st.integers(1, 3))
    dimensions = [draw(st.lists(EXTENT, min_size=rank + 2, max_size=rank + 2)) for _ in range(2)]
    tensors = [
        {"Name": draw(NAMES), "Dimensions": extents, "Format/Datatype": draw(FORMATS)}
        for extents in dimensions
    ]
    record = {"Name": draw(NAMES), "LayerType": kind, "Inputs": tensors[:1], "Outputs": tensors[1:]}
    record["Kernel"] = record["ConvKernel"] = draw(st.lists(EXTENT, min_size=rank, max_size=rank))
    record["ConvPrePadding"] = record["ConvPostPadding"] = [0] * rank
    return {**record, "ConvOutMaps": draw(EXTENT)}


IO_TENSOR = st.fixed_dictionaries(
    {"Name": NAMES, "IOMode": sometimes(st.sampled_from(["Input", "Output"]))},
    optional={
        "Dimensions": sometimes(EXTENTS),
        "DataType": FORMATS,
        "ProfileInfo": sometimes(
            st.lists(sometimes(st.fixed_dictionaries({"MinShape": EXTENTS})), max_size=2)
        ),
    },
)
LAYERS = sometimes(st.lists(sometimes(LAYER | working_layers()), max_size=5))
GRAPH = LAYERS | st.fixed_dictionaries(
    {"Layers": LAYERS},
    optional={
        "Bindings": sometimes(st.lists(NAMES, max_size=3)),
        "I/O Tensors": st.lists(IO_TENSOR, max_size=2),
        "Extra": ANYTHING,
    },
)
ROW = st.fixed_dictionaries(
    {"name": NAMES, "averageMs": NUMBERS},
    optional={"timeMs": NUMBERS, "medianMs": NUMBERS, "percentage": NUMBERS},
)
PROFILE = st.lists(sometimes(ROW), max_size=5) | st.dictionaries(
    NAMES, st.lists(NUMBERS | st.lists(NUMBERS)), max_size=3
)
QUERY = st.dictionaries(
    st.sampled_from(["startEnqMs", "endEnqMs", "startComputeMs", "h2dMs", "computeMs", "d2hMs", "latencyMs"]),
    NUMBERS,
)
LISTS = st.lists(NUMBERS, min_size=5, max_size=5) | st.lists(NUMBERS, min_size=7, max_size=7)
SUMMARY = st.dictionaries(
    st.sampled_from(["Latency", "GPU Compute Time", "Enqueue Time", "Throughput"]), LISTS | NUMBERS
)
METADATA = st.fixed_dictionaries({"performance_summary": sometimes(SUMMARY)})

FILES = st.fixed_dictionaries(
    {},
    optional={
        "graph": sometimes(GRAPH).map(json.dumps),
        "profile": sometimes(PROFILE).map(json.dumps),
        "timing": sometimes(st.lists(QUERY, max_size=30)).map(json.dumps),
        "profile-metadata": sometimes(METADATA).map(json.dumps),
        "build-metadata": ANYTHING.map(json.dumps),
        "log": st.text(max_size=40),
    },
)


def sources(files):
    return tuple(
        Source(
            role, f"x.{role}", content if isinstance(content, bytes) else content.encode("utf-8", "replace")
        )
        for role, content in files.items()
    )


def check(files, optimization_profile=None):
    """Read and analyze; all figures must add up and be valid JSON."""
    try:
        engine = assemble(Capture("x", sources(files)), optimization_profile)
    except TrexReportError:
        return
    analysis = analyze(engine)
    text = json.dumps(as_json(analysis), allow_nan=False)
    assert text.encode("utf-8")
    hash(engine.notes)
    total = analysis.latency.layer_sum_ms
    shares = [layer.share_percent for layer in analysis.layers if layer.share_percent is not None]
    if shares:
        # Of the rows that a profile lacks, only the time is known.
        assert abs(sum(shares) + 100 * engine.unlisted_ms / total - 100) < 1e-6
    for groups in (
        analysis.by_type,
        analysis.by_precision,
        analysis.by_output_precision,
        analysis.by_tactic,
        analysis.by_stream,
    ):
        listed = (total or 0) - engine.unlisted_ms
        assert abs(sum(group.time_ms or 0 for group in groups) - listed) <= 1e-9 * (total or 0)
    assert all(layer.moved_bytes is None or layer.moved_bytes >= 0 for layer in analysis.layers)
    assert analysis.memory.peak_live_bytes <= analysis.memory.activations_bytes
    for tensor in analysis.tensors:
        assert tensor.alias_of is None or 0 <= tensor.alias_of < len(analysis.tensors)


many = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))


@many
@given(FILES, st.sampled_from([None, None, 0, 1]))
def test_any_values_in_the_right_places(files, optimization_profile):
    check(files, optimization_profile)


@many
@given(
    st.dictionaries(st.sampled_from(ROLES), st.binary(max_size=120) | ANYTHING.map(json.dumps), min_size=1)
)
def test_any_bytes_and_any_json_as_any_file(files):
    check(files)


def damaged(data: bytes, seed: int) -> bytes:
    """Return the data with a few bytes changed, a stretch doubled or left out, or the end cut off."""
    chance = random.Random(seed)
    result = bytearray(data)
    for _ in range(chance.randint(1, 3)):
        start = chance.randrange(len(result) or 1)
        end = min(len(result), start + chance.randrange(1, 60))
        choice = chance.randrange(4)
        if choice == 0:
            result[start : start + 1] = bytes([chance.choice(b'{}[]",:\\0-9eEn\x00\xff')])
        elif choice == 1:
            del result[start:end]
        elif choice == 2:
            result[start:start] = result[start:end]
        else:
            del result[max(1, start) :]
    return bytes(result)


GOOD = {
    "graph": {
        "Layers": [
            {
                "Name": name,
                "LayerType": "CaskConvolution",
                "ParameterType": "Convolution",
                "Kernel": [3, 3],
                "Groups": 1,
                "Weights": {"Type": "Half", "Count": 900},
                "Inputs": [{"Name": source, "Dimensions": [1, 10, 8, 8], "Format/Datatype": "Half"}],
                "Outputs": [{"Name": result, "Dimensions": [1, 10, 8, 8], "Format/Datatype": "Half"}],
                "TacticName": "sm80_xmma",
                "Metadata": "[ONNX Layer: c]",
            }
            for name, source, result in [("a", "x", "t"), ("b", "t", "u"), ("c", "u", "y")]
        ],
        "Bindings": ["x", "y"],
    },
    "profile": [
        {"count": 3},
        *(
            {"name": name, "timeMs": 1.2, "averageMs": 0.4, "medianMs": 0.4, "percentage": 33.3333}
            for name in "abc"
        ),
    ],
    "timing": [{"latencyMs": 1.5 + index / 10, "computeMs": 1.25} for index in range(25)],
    "profile-metadata": {"performance_summary": {"Throughput": 5.0, "Latency": [1.5, 3.9, 2.7, 2.7, 3.9]}},
}


@many
@given(st.sampled_from(sorted(GOOD)), st.integers(0, 2**32))
def test_any_damage_to_a_good_file(role, seed):
    files = {each: json.dumps(content, indent=1).encode() for each, content in GOOD.items()}
    check({**files, role: damaged(files[role], seed)})


def test_the_good_files_are_good():
    files = {role: json.dumps(content) for role, content in GOOD.items()}
    check(files)
    assert assemble(Capture("x", sources(files))).notes == ()
