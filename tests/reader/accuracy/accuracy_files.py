"""Accuracy files as their producers write them, made of arrays."""

from __future__ import annotations

import base64
import io
import json

import numpy as np


def npy(array):
    """Return an array as Polygraphy encodes it."""
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    return {"array": base64.b64encode(file.getvalue()).decode(), "polygraphy_class": "ndarray"}


def lazy(array):
    return {"values": npy(array), "polygraphy_class": "LazyArray"}


def iteration(arrays, runner="trt"):
    outputs = {name: lazy(array) for name, array in arrays.items()}
    return {"outputs": outputs, "runtime": 0.1, "runner_name": runner, "polygraphy_class": "IterationResult"}


def run_results(**runners):
    """Return outputs of runners: name (underscores become hyphens) to one object of arrays per iteration."""
    lst = [
        [name.replace("_", "-"), [iteration(each, name) for each in iterations]]
        for name, iterations in runners.items()
    ]
    return json.dumps({"lst": lst, "polygraphy_class": "RunResults"}).encode()


def accuracy_results(
    functions, pair=("trt-runner-N0-11/22/26-12:34:25", "onnxrt-runner-N0-11/22/26-12:34:23")
):
    """Return results of a comparison: one list of {tensor: result} for each function."""
    lst = [
        {"lst": [[list(pair), iterations]], "aggregation": "per_sample", "polygraphy_class": "AccuracyResult"}
        for iterations in functions
    ]
    return json.dumps({"lst": lst, "polygraphy_class": "AccuracyResults"}).encode()


def snr(value):
    return {"snr": value, "thresholds": None, "polygraphy_class": "SnrResult"}


def cosine(value):
    return {"cosine_similarity": value, "thresholds": None, "polygraphy_class": "CosineSimilarityResult"}


def elementwise(**figures):
    return {**figures, "thresholds": None, "passed": None, "polygraphy_class": "OutputCompareResult"}


def summary(engine="model.engine", **tensors):
    """Return trtexec's summary of debug tensors: name to (min, max)."""
    return json.dumps(
        {
            "metadata": {"title": "Debug tensors", "engine_name": engine, "command_line": "trtexec"},
            "tensors": [
                {
                    "name": name,
                    "shape": [1, 8],
                    "type": "Half",
                    "statistics": {"min": low, "max": high, "avg": 0, "elements": "0, 0, ..."},
                }
                for name, (low, high) in tensors.items()
            ],
        }
    ).encode()


def cache(*trials, algorithm="cosine"):
    header = {"tuner_version": "1.0", "accuracy_algorithm": algorithm, "searching_algorithm": "fast"}
    return "\n".join(map(json.dumps, (header, *trials))).encode()
