"""State the figures in results of benchmarks that have no layers: Triton's, TensorRT-LLM's and those in JSON.

perf_analyzer: for each "Request concurrency: 1" a "Throughput: 219.6 infer/sec", "p99 latency: 11129 usec"
and "Avg request latency: 4180 usec (overhead 2 usec + queue 30 usec + compute input 3012 usec + compute infer
1100 usec + compute output 36 usec)". trtllm-bench: "Total Output Throughput (tokens/sec): 6957.3030". JSON of
other programs: members whose names say what is measured, such as "output_tokens_per_sec".
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from trexreport.numbers import format_ms, format_percent, format_rate, join_names
from trexreport.reader.json_text import decode_text
from trexreport.reader.trtexec_lines import without_colors
from trexreport.reader.values import mapping, number
from trexreport.regex import regex

_US_IN_MS = 1e3
_MOST_BYTES = 2**24
_LOAD = regex(r"\bRequest (concurrency|rate): (\d{1,12}(?:\.\d{1,12})?)", re.ASCII | re.IGNORECASE)
_THROUGHPUT = regex(r"Throughput: (\d{1,12}(?:\.\d{1,12})?) infer/sec", re.ASCII)
_P99 = regex(r"p99 latency: (\d{1,12}(?:\.\d{1,12})?) usec", re.ASCII)
_SERVER = regex(r"Avg request latency: (\d{1,12}) usec \(([^()]{1,400})\)", re.ASCII)
_PART = regex(r"(queue|compute input|compute infer|compute output) (\d{1,12}) usec", re.ASCII)
#: What Triton calls the copies of inputs and outputs, and the engine.
_PARTS = {
    "queue": "the queue",
    "compute input": "inputs",
    "compute infer": "the engine",
    "compute output": "outputs",
}
_LLM = regex(
    r"(Request Throughput|Total Output Throughput|Total Token Throughput) \((req|tokens)/sec\): {1,60}"
    r"(\d{1,12}(?:\.\d{1,12})?)",
    re.ASCII,
)
_LLM_MS = regex(r"Average request latency \(ms\): {1,60}(\d{1,12}(?:\.\d{1,12})?)", re.ASCII)
_OLD_LLM = regex(r"\[BENCHMARK\] [^\n]{0,2000}?\btokens_per_sec (\d{1,12}(?:\.\d{1,12})?)", re.ASCII)
_PYTORCH = regex(r"= PYTORCH BACKEND", re.ASCII)
_NAMED = regex(
    r"(?i)(?:tok(?:en)?s?_?(?:per|/)_?s|\btps\b|throughput|\bqps\b|\bfps\b|latency|ttft|tpot|\bitl\b)"
)
_TOKENS = regex(r"(?i)tok(?:en)?s?_?(?:per|/)_?s|token_throughput|_tps$|^tps$")
_MOST_NAMED, _LONGEST = 4, 60


def benchmark_figures(data: bytes) -> str:
    """Return sentences on what is stated, each after a space; an empty text if nothing is."""
    text = without_colors(decode_text(data[:_MOST_BYTES], "")[0])
    if text.lstrip().startswith("{"):
        return _of_json(text)
    return _of_triton(text) or _of_llm(text)


def _of_triton(text: str) -> str:
    """Return the load with the highest throughput, and what takes the time of a request in the server."""
    loads = list(_LOAD.finditer(text))
    ends = [*(each.start() for each in loads[1:]), *([len(text)] if loads else [])]
    best: tuple[float, str] = (0.0, "")
    for load, end in zip(loads, ends, strict=True):
        part = text[load.end() : end]
        throughput, p99 = _THROUGHPUT.search(part), _P99.search(part)
        if throughput and float(throughput[1]) > best[0]:
            slowest = f", p99 {format_ms(float(p99[1]) / _US_IN_MS)}" if p99 else ""
            rate = format_rate(float(throughput[1]))
            says = f" At {load[1].lower()} {load[2]}: {rate} infer/s{slowest}.{_in_server(part)}"
            best = (float(throughput[1]), says)
    return best[1]


def _in_server(part: str) -> str:
    found = _SERVER.search(part)
    whole = int(found[1]) if found else 0
    times = [(name, int(us)) for name, us in _PART.findall(found[2] if found else "")]
    if not whole or not times:
        return ""
    shares = join_names(
        [
            f"{_PARTS[name]} {format_percent(us / whole)}"
            for name, us in sorted(times, key=lambda each: -each[1])
        ]
    )
    return f" A request takes {format_ms(whole / _US_IN_MS)} in the server: {shares}."


def _of_llm(text: str) -> str:
    stated = {name: f"{format_rate(float(value))} {_unit(unit)}" for name, unit, value in _LLM.findall(text)}
    if found := _LLM_MS.search(text):
        stated["Average request latency"] = format_ms(float(found[1]))
    if not stated and (old := _OLD_LLM.search(text)):
        stated["Throughput"] = f"{format_rate(float(old[1]))} tokens/s"
    listed = f" {', '.join(f'{name} {value}' for name, value in stated.items())}." if stated else ""
    backend = " It ran PyTorch's backend, without an engine of TensorRT." if _PYTORCH.search(text) else ""
    return listed + backend if stated else ""


def _unit(unit: str) -> str:
    return "requests/s" if unit == "req" else "tokens/s"


def _of_json(text: str) -> str:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    found = [
        f"{key[:_LONGEST]} {format_rate(value)}{' tokens/s' if _TOKENS.search(key) else ''}"
        for key, value in _members(document)
        if _NAMED.search(key) and math.isfinite(value)
    ]
    return f" It states {', '.join(found[:_MOST_NAMED])}." if found else ""


def _members(document: Any) -> Iterator[tuple[str, float]]:
    """Yield the numbers of a document and of the objects in it, by name."""
    for key, value in mapping(document).items():
        inner = {f"{key}.{name}": each for name, each in mapping(value).items()}
        for name, each in (inner or {str(key): value}).items():
            if isinstance(each, (int, float)) and (amount := number(each)) is not None:
                yield name, amount
