"""Fail if reading a large ONNX model takes more than it may: CPU time, as a ratio to a reference, and memory.

Usage: python benchmarks/onnx_reading.py [--nodes N] [--weights-mb N] [--rounds N]

The file has 20,000 nodes with what PyTorch's exporter writes of each, and 500 MB of weights inside, unless
given. The reference is plain Python that reads as many nodes as JSON several times; the least cost of the
rounds counts, and there are no more rounds than it takes to be within the limits, as in `speed.py`.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from measuring import cost_of

#: CPU time in times of the reference, and peak memory: the upper limits.
MOST_RATIO = 0.8
MOST_MB = 100
WEIGHTS = 400
READ = """
import sys
from pathlib import Path
from trexreport.reader.onnx import read_onnx
assert len(read_onnx(Path(sys.argv[1])).graph.nodes) == int(sys.argv[2])
"""
REFERENCE = """
import collections, json, sys
text = open(sys.argv[1]).read()
for _ in range(5):
    nodes = json.loads(text)
    collections.Counter(tensor for each in nodes for tensor in each["inputs"])
    json.dumps(sorted(nodes, key=lambda each: (each["op_type"], each["name"])), indent=1)
"""


def field(number: int, value: bytes | str | int) -> bytes:
    """Return a field of protobuf's wire format."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def varint(number: int) -> bytes:
    """Return a number as protobuf writes it."""
    low, number = number & 0x7F, number >> 7
    return bytes([low | 0x80]) + varint(number) if number else bytes([low])


def nodes(count: int) -> Iterator[dict[str, Any]]:
    """Yield nodes as of a decoder: the stack traces of its layers are the same."""
    for index in range(count):
        layer, kind = divmod(index, 40)
        scope = f"model.layers.{layer}.mlp.gate_{kind}"
        yield {
            "name": f"node_linear_{index}",
            "op_type": "MatMul" if kind % 2 else "Add",
            "inputs": [f"add_{index - 1}", f"{scope}.weight"],
            "outputs": [f"add_{index}"],
            "metadata": {
                "namespace": f": decoder.Model/{scope}: decoder.MLP/linear_{index}: aten.linear.default",
                "pkg.torch.onnx.class_hierarchy": "['decoder.Model', 'decoder.Layer', 'decoder.MLP', 'aten']",
                "pkg.torch.onnx.name_scopes": f"['', 'model', 'model.layers.{layer}', '{scope}']",
                "pkg.torch.onnx.fx_node": f"%linear_{index} : [num_users=1] = call_function[target=linear]",
                "pkg.torch.onnx.stack_trace": "".join(
                    f'File "decoder/model.py", line {100 * depth + kind}, in forward\n  x = self.layer(x)\n'
                    for depth in range(8)
                ),
            },
        }


def write_model(path: Path, count: int, weights_bytes: int) -> None:
    """Write a model with its weights in the file; they are zeros, as no reader of the structure looks."""
    parts = []
    for node in nodes(count):
        body = [
            *(field(1, name) for name in node["inputs"]),
            *(field(2, name) for name in node["outputs"]),
            field(3, node["name"]),
            field(4, node["op_type"]),
            *(field(5, field(1, name) + field(3, 1) + field(20, 2)) for name in ("axis", "keepdims")),
            *(field(9, field(1, key) + field(2, text)) for key, text in node["metadata"].items()),
        ]
        parts.append(field(1, b"".join(body)))
        shape = b"".join(field(1, field(1, extent)) for extent in (1, 2048, 4096))
        of_tensor = field(1, field(1, 10) + field(2, shape))
        parts.append(field(13, field(1, node["outputs"][0]) + field(2, of_tensor)))
    each = weights_bytes // WEIGHTS
    heads = []
    for index in range(WEIGHTS):
        described = field(1, each // 2) + field(2, 10) + field(8, f"weight_{index}")
        raw = varint(9 << 3 | 2) + varint(each)
        heads.append(varint(5 << 3 | 2) + varint(len(described) + len(raw) + each) + described + raw)
    size = sum(map(len, parts)) + sum(map(len, heads)) + WEIGHTS * each
    with path.open("wb") as file:
        file.write(
            field(1, 10) + field(2, "pytorch") + field(8, field(2, 20)) + varint(7 << 3 | 2) + varint(size)
        )
        zeros = bytes(each)
        for head in heads[::2]:
            file.write(head + zeros)
        file.writelines(parts)
        for head in heads[1::2]:
            file.write(head + zeros)


def main() -> None:
    """Print the cost of reading; end with 1 if it is above a limit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=20_000)
    parser.add_argument("--weights-mb", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model, plain = Path(folder) / "model.onnx", Path(folder) / "nodes.json"
        write_model(model, options.nodes, options.weights_mb * 10**6)
        plain.write_text(json.dumps(list(nodes(options.nodes))), encoding="utf-8")
        read = [sys.executable, "-c", READ, str(model), str(options.nodes)]
        reference = [sys.executable, "-c", REFERENCE, str(plain)]
        costs = []
        for _ in range(options.rounds):
            costs.append((cost_of(read), cost_of(reference)))
            cpu_s, reference_s = (min(each[side].cpu_s for each in costs) for side in (0, 1))
            peak_mb = min(each[0].peak_mb for each in costs)
            ratio = cpu_s / reference_s
            if len(costs) > 1 and ratio <= MOST_RATIO and peak_mb <= MOST_MB:
                break
    print(f"CPU time {cpu_s:.2f} s, {ratio:.2f} of {MOST_RATIO} times the reference ({reference_s:.2f} s)")
    print(f"peak memory {peak_mb:.0f} of {MOST_MB} MB")
    if ratio > MOST_RATIO or peak_mb > MOST_MB:
        sys.exit("More than allowed.")


if __name__ == "__main__":
    main()
