"""Inputs that rules need, and why a rule is skipped where one is missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

#: An input that a rule may need.
Need = Literal[
    "layers",
    "profile",
    "end-to-end",
    "queries",
    "build-options",
    "run-options",
    "version",
    "gpu-samples",
    "gpu-memory-use",
    "roofline",
    "tactics",
    "accuracy",
    "kernels",
    "counters",
    "logs",
]

#: Why a rule is skipped where an input that it needs is missing.
NEEDS: Mapping[Need, str] = {
    "layers": "The layer information contains only names; build with --profilingVerbosity=detailed.",
    "profile": "There is no profile, so no layer has a time; trtexec --exportProfile writes one.",
    "end-to-end": "There are no end-to-end times; trtexec's log and --exportTimes contain them.",
    "queries": "There are no times of single queries, or too few; trtexec --exportTimes writes them.",
    "build-options": "No file contains the options of the build; trtexec's log of the build does.",
    "run-options": "No file contains the inference options; trtexec's log does.",
    "version": "No file states the TensorRT version that built the engine.",
    "gpu-samples": "The GPU was not monitored during the measurement; trexreport collect monitors it.",
    "gpu-memory-use": "No file shows the GPU's memory in use; trexreport collect and trtexec's log do.",
    "roofline": "The GPU's peaks are not known; --gpu names the GPU.",
    "tactics": "No log states which tactics the builder timed; build with --verbose and keep the log.",
    "accuracy": "No file states the accuracy of the engine; --accuracy gives one.",
    "kernels": "No trace has queries of this engine; --kernels reads the SQLite export of Nsight Systems.",
    "counters": "There are no counts of Nsight Compute; --counters reads its CSV.",
    "logs": "The files are not logs of several measurements.",
}

#: The reasons in place of that of "layers" where there are not even names, or these are the profile's.
NO_LAYER_INFORMATION = (
    "No file contains the layer information; build with --profilingVerbosity=detailed and write it with "
    "--exportLayerInfo."
)
#: The same where a command builds with it.
NOT_EXPORTED = "No file contains the layer information; --exportLayerInfo writes it."
#: The same where the trtexec of the engine exports none.
NO_EXPORT = "No file contains the layer information, which trtexec exports from TensorRT 8.2 on."
#: The reason for rules on an engine whose build failed.
NO_ENGINE = "The run failed and left no engine (TRX921)."
