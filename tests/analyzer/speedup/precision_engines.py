"""Small engines of two precisions, of which the expected times are known."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "comparison"))

from alignment_plans import plans
from compared_engines import engine_of

from trexreport.analyzer.comparison.compare import compare

__all__ = ["Chain", "costs", "engine_of", "explained", "plans", "tensor"]

GPU = {"Selected Device": "NVIDIA A100-SXM4-40GB"}
#: Times of a convolution by its type. It is compute-bound, and the peaks of the A100 double with each step.
TIMES = {"FP32": 0.2, "FP16": 0.1, "INT8": 0.05}
CHANNELS, SIZE, COUNT = 512, 28, 8
_BYTES = {"FP32": 4, "FP16": 2, "INT8": 1}
_WEIGHTS = {"FP32": "Float", "FP16": "Half", "INT8": "Int8"}
LINEAR, VECTOR = "Row major linear {}", "Thirty-two wide channel vectorized row major {} format"


def tensor(name, data_type, layout=LINEAR):
    return {
        "Name": name,
        "Dimensions": [1, CHANNELS, SIZE, SIZE],
        "Format/Datatype": layout.format(data_type),
    }


class Chain:
    """An engine of convolutions in a row; its input and output are FP32, converted in 6 µs per byte.

    Attributes:
        types: What each convolution reads and multiplies; it writes what the next one reads.
        times: Of each convolution.
        before: Conversions before a convolution, by its number: pairs of what they write and their time.
        names, tactics: Of the convolutions.
        dimensions: Of all tensors.
        gpu: On which it ran.
    """

    def __init__(self, data_type="FP16", count=COUNT):
        self.types = [data_type] * count
        self.times = [TIMES[data_type]] * count
        self.before = {}
        self.names = [f"layer{number}/conv" for number in range(count)]
        self.tactics = [""] * count
        self.dimensions = [1, CHANNELS, SIZE, SIZE]
        self.gpu = GPU

    def records(self):
        """Return the layers with their times."""
        records, times = [], []

        def add(name, kind, read, written, time, **parameters):
            records.append(
                {"Name": name, "LayerType": kind, "Inputs": [read], "Outputs": [written], **parameters}
            )
            times.append(time)

        value = tensor("x", "FP32")

        def convert(name, written, time):
            nonlocal value
            add(f"Reformatting CopyNode for {name}", "Reformat", value, written, time)
            value = written

        convert(
            f"Input Tensor 0 to {self.names[0]}",
            tensor("in", self.types[0]),
            0.006 * (4 + _BYTES[self.types[0]]),
        )
        for number, name in enumerate(self.names):
            for place, (data_type, layout, time) in enumerate(self.before.get(number, ())):
                convert(
                    f"Input Tensor {place} to {name}", tensor(f"r{number}_{place}", data_type, layout), time
                )
            wider = self.before.get(number + 1)
            following = self.types[min(number + 1, len(self.types) - 1)]
            written = tensor(f"t{number}", self.types[number] if wider else following)
            add(
                name,
                "CaskConvolution",
                value,
                written,
                self.times[number],
                ParameterType="Convolution",
                Kernel=[3, 3],
                Stride=[1, 1],
                PrePadding=[1, 1],
                PostPadding=[1, 1],
                Groups=1,
                OutMaps=CHANNELS,
                Weights={"Type": _WEIGHTS[self.types[number]], "Count": 9 * CHANNELS**2},
                TacticName=self.tactics[number],
            )
            value = written
        last = self.types[-1]
        convert(f"Output Tensor 0 to {self.names[-1]}", tensor("y", "FP32"), 0.006 * (4 + _BYTES[last]))
        for record in records:
            for side in (*record["Inputs"], *record["Outputs"]):
                side["Dimensions"] = self.dimensions
        return records, times

    def engine(self, *, gpu=True, timed=True):
        records, times = self.records()
        return engine_of(records, times if timed else None, device=self.gpu if gpu else {})


def explained(high, low, **options):
    """Return the expected speedup of one chain against another."""
    return compare([high.engine(**options), low.engine(**options)]).engines[1].speedup


def costs(speedup):
    return {gap.kind: gap.cost_ms for gap in speedup.gaps}
