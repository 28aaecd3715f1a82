"""What the doubles of TensorRT and CUDA share: a GPU whose clock moves when something runs on it."""

import json
import os
import random
import time
from pathlib import Path

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
#: Model of each version's double: its layers and their times are those of a sample.
MODELS = {
    "8.6": "resnet18-int8-before",
    "10.0": "transformer-trt10-myelin",
    "10.16": "transformer-trt10-myelin",
    "11.4": "detector-trt11",
}
VERSION = os.environ.get("TENSORRT_DOUBLE", "10.16.0")
FAULT = os.environ.get("TENSORRT_DOUBLE_FAULT", "")


def model_of(version):
    return MODELS[".".join(version.split(".")[:2])]


def sample_file(model, ending):
    return (SAMPLES / model / f"{model}.engine.{ending}.json").read_text("utf-8")


class Gpu:
    """A queue of work with a clock in milliseconds, which is the host's; and what a graph has captured."""

    def __init__(self):
        self._begin = time.perf_counter()
        self.done_ms = 0.0
        self.random = random.Random(1)
        self.captured = None
        self.allocated_bytes = 0

    def run(self, time_ms):
        """Put work into the queue."""
        begin_ms = max(self.done_ms, self._now_ms())
        self.done_ms = begin_ms + time_ms * self.random.uniform(0.99, 1.02)

    def reach(self):
        """Return when the queue, as it is, will have been worked off."""
        return max(self.done_ms, self._now_ms())

    def wait(self, until_ms):
        time.sleep(max(0.0, until_ms - self._now_ms()) / 1000)

    def _now_ms(self):
        return (time.perf_counter() - self._begin) * 1000


GPU = Gpu()


def note_use(name):
    """Keep a name that was used, where a test asks for that."""
    path = os.environ.get("TENSORRT_DOUBLE_USED")
    if path:
        with Path(path).open("a") as file:
            file.write(f"{name}\n")


def layer_times(model):
    """Return name and mean time of each layer that the profiler reports."""
    records = json.loads(sample_file(model, "profile"))
    return [(record["name"], record["averageMs"]) for record in records if "name" in record]
