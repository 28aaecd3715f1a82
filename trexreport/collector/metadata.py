"""Write TREx's metadata files from trtexec's logs, so that older tools can read the capture.

Source of the form: parse_trtexec_log.py of NVIDIA's trt-engine-explorer, which keeps three sections of each
log and the figures of the summary without their names. Unlike there, no value is cut at its second colon.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from trexreport.reader.setup_facts import SetupFacts
from trexreport.reader.trtexec_log import read_trtexec_log

#: The percentiles that a list of figures may stand for, as nothing in the file says which they are.
_PERCENTILES = ((99.0,), (90.0, 95.0, 99.0))
_NUMBERS = {
    "Compute Capability": "",
    "SMs": "",
    "Compute Clock Rate": "GHz",
    "Memory Clock Rate": "GHz",
    "Memory Bus Width": "bits",
}


def build_metadata(log: str) -> bytes:
    """Return the content of X.engine.build.metadata.json."""
    setup = read_trtexec_log(log, "").setup
    return _document(
        {
            "model_options": dict(setup.model_options),
            "build_options": dict(setup.build_options),
            "device_information": dict(setup.device),
        }
    )


def profile_metadata(log: str) -> bytes:
    """Return the content of X.engine.profile.metadata.json for the log of a run that measured."""
    facts = read_trtexec_log(log, "")
    return _document(
        {
            "performance_summary": _summary(facts),
            "inference_options": dict(facts.setup.inference_options),
            "device_information": _device(facts.setup.device),
        }
    )


def _summary(facts: SetupFacts) -> dict[str, Any]:
    measured = facts.measurement
    summary: dict[str, Any] = {"Throughput": measured.throughput_qps}
    for name, each in measured.summary.items():
        if tuple(sorted(each.percentiles)) in _PERCENTILES:
            percentiles = (value for _, value in sorted(each.percentiles.items()))
            summary[name] = [each.min_ms, each.max_ms, each.mean_ms, each.median_ms, *percentiles]
    summary["Total Host Walltime"] = measured.walltime_s
    summary["Total GPU Compute Time"] = measured.gpu_time_s
    return {name: value for name, value in summary.items() if value is not None}


def _device(device: Mapping[str, str]) -> dict[str, Any]:
    """Return the device with the numbers that TREx makes of some texts."""
    found: dict[str, Any] = dict(device)
    for name, unit in _NUMBERS.items():
        if name in found:
            try:
                found[name] = float(found[name].partition(" (")[0].removesuffix(unit))
            except ValueError:
                continue
    return found


def _document(content: Mapping[str, Any]) -> bytes:
    return (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode()
