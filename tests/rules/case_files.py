"""Cases of the rules: small engines in JSON, each with the places where its rule must find something.

A case is a file `cases/CODE/*.json`; `done-*.json` is an engine that follows the rule's advice, and
`cannot-be-done.json` says of which rules there can be none. Its keys, all but `expect` optional:

* `why`: what it shows, for people.
* `layers`: records as TensorRT's inspector writes them, with shorthands: a tensor may be a text
  "name | format | 1x64x56x56", and "ms" is the layer's mean time in the profile, "median_ms" its median if
  that is another one, null if the profile has none. A text is a layer of a file that has only names, and so
  is a record without further keys.
* `listed_in_log`: the layers are listed in a verbose log, which states no bindings; there is no other file.
* `log`: lines of a log of trtexec, beside the layers or instead of them.
* `logs`: by file name the throughput in qps and the median latency in ms of a log; of one that states only
  averages the throughput is null. An object after these has other lines of the summary in ms, and "command".
* `log_findings`: of logs that are not shown, each as [file, rule, severity, message, recommendation].
* `another_log`: likewise, of another run.
* `bindings`: names of inputs and outputs; or `io_tensors`, their records as in TensorRT 11.
* `iterations`: of the profile; 100 unless given.
* `queries_ms`: times of the single queries; {"pattern": [...], "times": n}, alone or in a list, repeats some.
* `enqueue_ms`: likewise how long the host takes to enqueue each of them.
* `queries_in_turn`: each begins when the one before ends; else nothing states when they begin.
* `setup`: `build_options`, `inference_options`, `device`, `build_facts`, `tensorrt_version`, `commands`
  of `model.Setup`.
* `measurement`: `throughput_qps`, `walltime_s`, `gpu_time_s`, `warnings`, `averages` and `summary` as in
  `model.Measurement`; a number in the summary is a statistic with equal minimum, maximum, mean and median.
* `gpu_samples`: what X.gpu.json holds.
* `tactics`: by layer what the builder timed for it: by formats as the builder writes them, a list of [kernel,
  tactic, time in ms].
* `execution`: of `model.execution.Execution`: `operators`, and `nodes`, each as [name, operator, provider,
  ms, operators].
* `accuracy`: of `model.accuracy.TensorAccuracy`, by tensor.
* `kernels`: a trace of Nsight Systems: `queries` (8), `between_us` (5), `input_bytes`, and `run`, the kernels
  of a query as [range, name, time in us] with, optionally, {"stream", "delay_us", "overlaps"}.
* `counters`: a CSV of Nsight Compute: [kernel, bytes, percent of the time with active Tensor Cores].
* `gpu`: name of the GPU for the roofline, as in its table.
* `thresholds`: of the rule, spelled with hyphens.
* `turns`: by threshold, the value at which the outcome changes, which is the figure that it bounds.
* `expect`: the places, each {"layers": [names]} and, where the case is about it, "severity", "gain"
  (["bound", ms], ["estimate", low, high] or null), "message" (a part of it), "evidence" (label to text),
  "advised" and "not_advised" (parts of the recommendation, one or a list), "cost" (a part of it); [] where
  the rule must stay quiet, "skipped" where its input is missing.
"""

from __future__ import annotations

import dataclasses
import json
from itertools import accumulate
from pathlib import Path
from typing import Any

from samples.generator.build_log import timed_layer
from samples.generator.nsys import NsysExport, TracedKernel, traced_queries
from trexreport.analyzer import analyze
from trexreport.analyzer.analysis import LogFinding
from trexreport.analyzer.roofline.matching import GpuChoice
from trexreport.analyzer.rules import LintSettings
from trexreport.analyzer.rules.lint import lint
from trexreport.analyzer.rules.registry import Registry
from trexreport.model import Measurement, Setup, Statistic, TraceAverages
from trexreport.model.accuracy import AccuracyResults, TensorAccuracy
from trexreport.model.execution import ExecutedNode, Execution
from trexreport.reader import read_engine

CASES = Path(__file__).with_name("cases")


def write_capture(case: dict[str, Any], folder: Path) -> None:
    """Write the files that a case describes."""
    layers = [_layer(record) for record in case.get("layers", [])]
    graph = {"Layers": layers, "Bindings": case.get("bindings", [])}
    if "io_tensors" in case:
        graph = {"Layers": layers, "I/O Tensors": case["io_tensors"]}
    if case.get("listed_in_log"):
        (folder / "case.log").write_text("\n".join(["Engine Layer Information:", *map(_log_line, layers)]))
    elif layers or not {"log", "logs"} & case.keys():
        (folder / "case.graph.json").write_text(json.dumps(graph))
    if "log" in case:
        (folder / "case.run.log").write_text("\n".join(case["log"]))
    if "another_log" in case:
        (folder / "case.other.log").write_text("\n".join(case["another_log"]))
    for name, (qps, ms, *more) in case.get("logs", {}).items():
        (folder / name).write_text("\n".join(_log_of_run(qps, ms, *more)))
    records = [record for record in case.get("layers", []) if isinstance(record, dict)]
    times = {record["Name"]: record for record in records if "ms" in record}
    if times:
        (folder / "case.profile.json").write_text(json.dumps(_profile(times, case.get("iterations", 100))))
    if "tactics" in case:
        lines = [
            line
            for name, formats in case["tactics"].items()
            for line in timed_layer(name, "CaskConvolution", formats, "10")
        ]
        (folder / "case.build.log").write_text("\n".join(lines))
    if "kernels" in case:
        _write_trace(case["kernels"], folder / "case.sqlite")
    if "counters" in case:
        active = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"
        rows = [f'"ID","Kernel Name","dram__bytes.sum","{active}"', '"","","byte","%"']
        rows += [
            f'"{number}","{name}","{size}","{share}"'
            for number, (name, size, share) in enumerate(case["counters"])
        ]
        (folder / "case.csv").write_text("\n".join(rows))
    if "gpu_samples" in case:
        (folder / "case.gpu.json").write_text(json.dumps(case["gpu_samples"]))
    if queries := _queries(
        case.get("queries_ms", []), case.get("enqueue_ms", []), in_turn=case.get("queries_in_turn", False)
    ):
        (folder / "case.timing.json").write_text(json.dumps(queries))


def _log_of_run(qps: float | None, ms: float, more: dict[str, Any] | None = None) -> list[str]:
    """Return the lines of a log of a run, after those of its command."""
    figures = {"Latency": ms, "GPU Compute Time": ms} | (more or {})
    command = figures.pop("command", "")
    banner = f"TensorRT.trtexec [TensorRT v8601] # trtexec {command}"
    lines = [f"&&&& RUNNING {banner}"] if command else []
    if qps is None:
        line = f"[I] Average on 10 runs - GPU latency: {ms} ms - Host latency: {ms} ms"
        return [*lines, "=== Performance summary ===", f"[01/02/2025-03:04:05] {line}"]
    lines += ["=== Performance summary ===", f"Throughput: {qps} qps"]
    for title, time in figures.items():
        lines.append(f"{title}: min = {time} ms, max = {time} ms, mean = {time} ms, median = {time} ms")
    prefix = "[01/02/2025-03:04:05] [I] " if command else ""
    return [*lines[:1], *(prefix + line for line in lines[1:]), f"&&&& PASSED {banner}"] if command else lines


def _log_line(record: dict[str, Any]) -> str:
    """Return the line of a layer in a log of TensorRT 8.6."""
    inputs, outputs = (
        ", ".join(
            f"{each['Name']} ({each['Format/Datatype']}[{','.join(map(str, each['Dimensions']))}])"
            for each in record[side]
        )
        for side in ("Inputs", "Outputs")
    )
    return f"Layer({record['LayerType']}): {record['Name']}, Tactic: 0x0, {inputs} -> {outputs}"


def analyze_case(case: dict[str, Any], folder: Path):
    """Return the analysis of a case, without findings."""
    write_capture(case, folder)
    engine = read_engine(folder)
    engine = dataclasses.replace(
        engine,
        setup=Setup(**case.get("setup", {})),
        measurement=_measurement(case.get("measurement", {})),
        accuracy=_accuracy(case["accuracy"]) if "accuracy" in case else None,
        execution=_execution(case["execution"]) if "execution" in case else None,
    )
    gpu = GpuChoice(case["gpu"]) if "gpu" in case else None
    analysis = analyze(engine, registry=Registry(()), gpu=gpu)
    found = [LogFinding(*each) for each in case.get("log_findings", [])]
    return dataclasses.replace(analysis, log_findings=found)


def run_case(case: dict[str, Any], rule, folder: Path):
    """Return the outcome of one rule on a case."""
    analysis = analyze_case(case, folder)
    return analysis, apply_rule(analysis, rule, case.get("thresholds", {}))


def apply_rule(analysis, rule, thresholds: dict[str, float]):
    """Return the outcome of one rule with thresholds as a case spells them."""
    named = {name.replace("-", "_"): value for name, value in thresholds.items()}
    return lint(analysis, Registry((rule,)), LintSettings(thresholds={rule.code: named}))


def _accuracy(tensors: dict[str, dict[str, Any]]) -> AccuracyResults:
    found = tuple(TensorAccuracy(name, **figures) for name, figures in tensors.items())
    return AccuracyResults("polygraphy-outputs", ("accuracy.json",), tensors=found)


def _write_trace(parts: dict[str, Any], path: Path) -> None:
    export = NsysExport()
    kernels = [
        TracedKernel(
            name,
            kernel,
            int(1000 * us),
            stream=more.get("stream", 7),
            launch_delay_ns=int(1000 * more.get("delay_us", 0)),
            overlaps=more.get("overlaps", False),
        )
        for name, kernel, us, more in ((*each, {})[:4] for each in parts["run"])
    ]
    traced_queries(
        export,
        kernels,
        parts.get("queries", 8),
        between_ns=int(1000 * parts.get("between_us", 5)),
        input_bytes=parts.get("input_bytes", 0),
    )
    export.write(path)


def _layer(record: str | dict[str, Any]) -> str | dict[str, Any]:
    if isinstance(record, str):
        return record
    layer = {key: value for key, value in record.items() if key not in ("ms", "median_ms")}
    for key in ("Inputs", "Outputs", "Constants"):
        if key in layer:
            layer[key] = [_tensor(each) for each in layer[key]]
    return layer["Name"] if layer.keys() == {"Name"} else layer


def _tensor(text: str | dict[str, Any]) -> dict[str, Any]:
    if not isinstance(text, str):
        return text
    name, layout, extents = (part.strip() for part in text.split("|"))
    dimensions = [int(extent) for extent in extents.split("x")] if extents else []
    return {"Name": name, "Location": "Device", "Dimensions": dimensions, "Format/Datatype": layout}


def _profile(times: dict[str, dict[str, Any]], iterations: int) -> list[dict[str, Any]]:
    total = sum(record["ms"] for record in times.values())
    records = []
    for name, record in times.items():
        median_ms = record.get("median_ms", record["ms"])
        records.append(
            {"name": name, "timeMs": record["ms"] * iterations, "averageMs": record["ms"]}
            | ({} if median_ms is None else {"medianMs": median_ms})
            | {"percentage": 100 * record["ms"] / total if total else 0}
        )
    return [{"count": iterations}, *records]


def _queries(parts: Any, enqueued: Any, *, in_turn: bool) -> list[dict[str, float]]:
    times = _repeated(parts)
    starts = [{"startComputeMs": at} if in_turn else {} for at in accumulate(times, initial=0.0)]
    ends = _repeated(enqueued) or [0.0] * len(times)
    same = {"startEnqMs": 0.0, "h2dMs": 0.0, "d2hMs": 0.0}
    return [
        {**same, "endEnqMs": end, **start, "computeMs": time, "latencyMs": time}
        for end, start, time in zip(ends, starts, times, strict=False)
    ]


def _repeated(parts: list[float | dict[str, Any]] | dict[str, Any]) -> list[float]:
    """Return the times that a case states, each as often as it says."""
    times: list[float] = []
    for part in [parts] if isinstance(parts, dict) else parts:
        times += part["pattern"] * part["times"] if isinstance(part, dict) else [part]
    return times


def _execution(parts: dict[str, Any]) -> Execution:
    rest = {key: parts[key] for key in ("operators", "stated_copies", "options") if key in parts}
    return Execution(
        parts.get("framework", "torch-tensorrt" if "operators" in parts else "onnx-runtime"),
        "execution.json",
        tuple(ExecutedNode(*node) for node in parts.get("nodes", ())),
        builds=tuple((name, ms) for name, ms in parts.get("builds", ())),
        **rest,
    )


def _measurement(parts: dict[str, Any]) -> Measurement:
    summary = {
        name: Statistic(value, value, value, value) if isinstance(value, (int, float)) else _statistic(value)
        for name, value in parts.get("summary", {}).items()
    }
    return Measurement(
        throughput_qps=parts.get("throughput_qps"),
        walltime_s=parts.get("walltime_s"),
        gpu_time_s=parts.get("gpu_time_s"),
        summary=summary,
        warnings=tuple(parts.get("warnings", ())),
        averages=TraceAverages(**parts["averages"]) if "averages" in parts else None,
    )


def _statistic(parts: dict[str, Any]) -> Statistic:
    ranks = {float(rank): time for rank, time in parts.get("percentiles", {}).items()}
    return Statistic(**{**parts, "percentiles": ranks})
