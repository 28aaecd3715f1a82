"""Read what TensorRT Edge-LLM's `llm_inference` states of its stages, which have times and no layers.

Its profile (`--profileOutputFile`) is JSON: `stages` with `stage_id` and `average_time_per_run_ms`,
`generation` with `average_time_per_token_ms`, and `peak_…_memory_bytes`. With `--dumpProfile` the log has the
same in lines. Source: the example and its utilities of profiling, 2026.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from trexreport.numbers import format_bytes, format_ms, format_percent, middle_ellipsis
from trexreport.reader.json_text import decode_text
from trexreport.reader.values import duration, number
from trexreport.regex import regex

EDGE_LLM = "TensorRT Edge-LLM"
#: What its profile and its log have near their beginning.
PROFILE_MARK = rb'"stage_id": ?"'
LOG_MARK = (
    rb"\] \[llm_inference\.cpp:\d|\bEDGELLM_PLUGIN_PATH\b|=== LLM (?:Prefill|Generation)\b"
    rb"|E2E Time \(actual performance\): \d"
)
_STAGE = regex(r"^([A-Z][\w ]{1,60}) - Total Runs: [^\n]{1,120}, Average: (\S{1,40}) ms", re.MULTILINE)
_TOKEN = regex(
    r"=== LLM Generation[^\n]{0,80}===\n(?:[^=\n][^\n]{0,200}\n){0,9}?"
    r"Average Time per Token: (\S{1,40}) ms"
)
_PEAK = regex(r"^Peak \w{1,20} Memory: [^\n(]{1,80}\((\d{1,18}) bytes\)", re.MULTILINE)
_OTHER_DEVICE = "engine plan file across different models of devices"
_INTEGRATED = "iGPU detected"
_MOST_STAGES = 12
_MOST_BYTES = 2**24
#: More than any GPU or computer of these has.
_LARGEST_MEMORY = 2**42


def stage_times(data: bytes) -> str:
    """Return sentences on the stages that a profile or a log states, each after a space; "" without any."""
    text = decode_text(data[:_MOST_BYTES], "")[0].replace("\r\n", "\n")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        document = None
    return _of_profile(document) if isinstance(document, dict) else _of_log(text)


def _of_profile(document: Mapping[str, Any]) -> str:
    stages = document.get("stages")
    stated = [each for each in stages if isinstance(each, dict)] if isinstance(stages, list) else []
    generation = document.get("generation")
    token = generation.get("average_time_per_token_ms") if isinstance(generation, dict) else None
    peaks = [
        value for key, value in document.items() if key.startswith("peak_") and key.endswith("_memory_bytes")
    ]
    times = [(str(each.get("stage_id", "")), each.get("average_time_per_run_ms")) for each in stated]
    # A log may leave out stages, and one that runs less often than others has no share of a run.
    runs = {number(each.get("total_runs")) for each in stated}
    return _sentences(times, token, peaks, are_all=len(runs) == 1)


def _of_log(text: str) -> str:
    token = _TOKEN.search(text)
    found = _sentences(_STAGE.findall(text), token[1] if token else None, _PEAK.findall(text), are_all=False)
    if _OTHER_DEVICE in text:
        found += " TensorRT warns that an engine was built on another model of device"
        found += ", as it may of the same board." if _INTEGRATED in text else "."
    return found


def _sentences(times: Sequence[tuple[str, Any]], token: Any, peaks: Sequence[Any], *, are_all: bool) -> str:
    """Return sentences on what can be: times above zero, and memory that a GPU may have."""
    known = [
        (middle_ellipsis(name, 60), time)
        for name, value in times[:_MOST_STAGES]
        if name and (time := duration(value))
    ]
    whole = math.fsum(time for _, time in known)
    are_whole = are_all and len(known) == len(times)
    listed = ", ".join(
        f"{name} {format_ms(time)}{f' ({format_percent(time / whole)})' if are_whole else ''}"
        for name, time in sorted(known, key=lambda each: -each[1])
    )
    found = f" Mean time of a run by stage: {listed}." if known else ""
    if time := duration(token):
        found += f" A generated token takes {format_ms(time)}."
    sizes = [size for each in peaks if (size := number(each)) and 0 < size <= _LARGEST_MEMORY]
    return found + (f" Peak memory: {format_bytes(int(max(sizes)))}." if sizes else "")
