"""Plans for the tests of alignment, and what to ask of a result."""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

from hypothesis import strategies as st

from trexreport.analyzer import analyze
from trexreport.analyzer.rules.registry import Registry
from trexreport.reader import read_engine

sys.path.insert(0, str(Path(__file__).parents[3] / "samples"))

NAMES = ["/a/Conv", "/a/Relu", "/b/Conv", "conv1", "Conv_2", "Add_3", "PWN(/a/Mul)", "__myl_MulAdd_myl0_3"]
KINDS = ["CaskConvolution", "PointWiseV2", "kgen", "gemm", "Reformat", "NoOp", "Constant", "signal"]


def analysis_of(plan):
    """Return the analysis of a path, of the text of a plan, or of a list of layers."""
    if isinstance(plan, Path):
        return analyze(read_engine(plan), registry=Registry(()))
    if not isinstance(plan, str):
        plan = json.dumps({"Layers": list(plan), "Bindings": []})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.engine.graph.json"
        path.write_text(plan, "utf-8")
        return analyze(read_engine(path), registry=Registry(()))


def layer(name, kind="PointWiseV2", reads=(), writes=(), **parameters):
    """Return a layer's record; tensors are names, or pairs of a name and extents."""
    return {
        "Name": name,
        "LayerType": kind,
        "Inputs": [tensor(each) for each in reads],
        "Outputs": [tensor(each) for each in writes],
        **parameters,
    }


def tensor(name):
    name, extents = (name, [1, 8, 4, 4]) if isinstance(name, str) else name
    return {"Name": name, "Dimensions": extents, "Format/Datatype": "Row major linear FP32"}


def metadata(*nodes):
    return "\x1e".join(f"[ONNX Layer: {node}]" for node in nodes)


def convolution(name, reads, writes, maps=8, **parameters):
    return layer(
        name,
        "CaskConvolution",
        reads,
        [(name, [1, maps, 4, 4]) for name in writes],
        ParameterType="Convolution",
        Kernel=[3, 3],
        Stride=[1, 1],
        Groups=1,
        OutMaps=maps,
        Weights={"Type": "Float", "Count": maps * 72},
        **parameters,
    )


@st.composite
def plans(draw):
    """Return the records of a random plan: odd, but one that could stand in a file."""
    records = []
    known = ["input"]
    for position in range(draw(st.integers(1, 12))):
        kind = draw(st.sampled_from(KINDS))
        parts = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3))
        reads = draw(st.lists(st.sampled_from(known), max_size=3))
        written = draw(st.sampled_from(["t", "/a/Conv_output_0", "__mye7", f"t{position}"]))
        nodes = draw(st.lists(st.sampled_from(NAMES), max_size=3))
        parameters = {"Metadata": metadata(*nodes)} if nodes else {}
        if kind == "CaskConvolution":
            maps = draw(st.sampled_from([8, 16]))
            records.append(convolution(" + ".join(parts), reads or ["input"], [written], maps, **parameters))
        else:
            prefix = draw(st.sampled_from(["", "Reformatting CopyNode for Input Tensor 0 to "]))
            records.append(layer(prefix + " + ".join(parts), kind, reads, [written], **parameters))
        known.append(written)
    return records


def members(row, engine):
    return [*row.layers[engine], *row.helpers[engine]]


def found_pairs(alignment, left=0, right=1):
    """Return the pairs of layers of two engines that stand in one row."""
    return {
        (one, other) for row in alignment.rows for one in members(row, left) for other in members(row, right)
    }


def f1(found, true):
    return 2 * len(found & true) / (len(found) + len(true))


def check_is_partition(alignment, analyses):
    """Check that every layer is in exactly one row, the one that `row_of` gives."""
    for engine, analysis in enumerate(analyses):
        count = Counter(index for row in alignment.rows for index in members(row, engine))
        assert count == Counter(range(len(analysis.layers)))
        for index, position in enumerate(alignment.row_of[engine]):
            assert index in members(alignment.rows[position], engine)
    for row in alignment.rows:
        assert any(row.layers), "a row without a layer that computes"


def named(alignment, analyses):
    """Return the rows as tuples of the names of the layers that compute, one for each engine."""
    return [
        tuple(
            tuple(analysis.layers[index].name for index in row.layers[engine])
            for engine, analysis in enumerate(analyses)
        )
        for row in alignment.rows
    ]
