"""What was measured, on what, and how the engine was built."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import field

from trexreport.lazy_dataclass import dataclass
from trexreport.model.capture import Source

#: (minimum, optimum, maximum) extents of an input in an optimization profile.
ShapeRange = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True)
class Statistic:
    """One line of trtexec's performance summary, in milliseconds.

    Attributes:
        percentiles: Percentage to milliseconds, such as {90.0: 0.27, 99.0: 0.28}.
    """

    min_ms: float
    max_ms: float
    mean_ms: float
    median_ms: float
    percentiles: Mapping[float, float] = field(default_factory=dict)


@dataclass(frozen=True)
class QueryTimes:
    """The timed inferences (queries) in the order of the file; columns of equal length, in milliseconds.

    Attributes:
        latency_ms, compute_ms, h2d_ms, d2h_ms, enqueue_ms: How long each took.
        start_ms: When each began on the GPU, since the warm-up began; empty if it is not known for all.
    """

    latency_ms: tuple[float, ...]
    compute_ms: tuple[float, ...] = ()
    h2d_ms: tuple[float, ...] = ()
    d2h_ms: tuple[float, ...] = ()
    enqueue_ms: tuple[float, ...] = ()
    start_ms: tuple[float, ...] = field(default=(), compare=False, repr=False)

    def __len__(self) -> int:
        return len(self.latency_ms)


@dataclass(frozen=True)
class ExternalLatency:
    """How long something takes that is not a TensorRT engine, as its user measured it.

    Attributes:
        name: Such as "PyTorch eager".
        runs_ms: Of each measurement the times in their order, in milliseconds; a single time is an average.
        files: Paths of the files that hold them, as given.
        sources: These files.
    """

    name: str
    runs_ms: tuple[tuple[float, ...], ...]
    files: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True)
class TraceAverages:
    """Averages over queries that follow each other, as trtexec prints them.

    Attributes:
        queries: How many queries each is the average of (--avgRuns).
        gpu_ms: The averages of GPU compute time in order, in milliseconds.
        latency_ms: Those of latency; empty where they are not stated.
        enqueue_ms: Those of enqueue time; empty where they are not stated.
    """

    queries: int
    gpu_ms: tuple[float, ...]
    latency_ms: tuple[float, ...] = ()
    enqueue_ms: tuple[float, ...] = ()

    @property
    def gpu_mean_ms(self) -> float | None:
        """The mean GPU compute time, in milliseconds; None where it is not stated."""
        return math.fsum(self.gpu_ms) / len(self.gpu_ms) if self.gpu_ms else None

    @property
    def averaged(self) -> int:
        """Of how many queries the averages are together."""
        return self.queries * len(self.gpu_ms)


@dataclass(frozen=True)
class Measurement:
    """The end-to-end measurement as trtexec reports it; every part may be missing.

    Attributes:
        throughput_qps: Throughput in qps.
        summary: Statistics by trtexec's name: "Latency", "GPU Compute Time", "Enqueue Time",
            "H2D Latency", "D2H Latency".
        walltime_s: Total host wall time.
        gpu_time_s: Total GPU compute time.
        warnings: trtexec's own warnings about the measurement.
        warmup_queries, timed_queries: How many queries warmed up, and how many were timed.
        averages: Those of several queries each, if a log states them.
        timed_s: In which time the queries were timed.
    """

    throughput_qps: float | None = None
    summary: Mapping[str, Statistic] = field(default_factory=dict)
    walltime_s: float | None = None
    gpu_time_s: float | None = None
    warnings: tuple[str, ...] = ()
    warmup_queries: int | None = None
    timed_queries: int | None = None
    averages: TraceAverages | None = None
    timed_s: float | None = None

    @property
    def timed_qps(self) -> float | None:
        """Timed queries over their time, of which trtexec makes its throughput; None where not stated."""
        return self.timed_queries / self.timed_s if self.timed_queries and self.timed_s else None


#: Averages of this part of the queries have the mean of all of them.
_MOST_OF_ALL = 0.9
#: Copies that take this many times as long as the fastest wait for others.
_QUEUED = 3.0


def copy_ms(min_ms: float, median_ms: float) -> float:
    """Return what a copy takes: the median, or the minimum where most copies wait, as for other queries."""
    return min_ms if 0 < _QUEUED * min_ms < median_ms else median_ms


def gpu_busy_percent(measurement: Measurement, throughput_qps: float | None) -> float | None:
    """Return total GPU compute time in percent of the wall time; None where not stated.

    Where the totals are missing, the mean GPU compute time times the throughput is the same, and the mean
    of a log's averages is as good, unless the log is an excerpt that has some of them.

    Args:
        measurement: What was measured.
        throughput_qps: The throughput in queries, where it is known.
    """
    if measurement.gpu_time_s is not None and measurement.walltime_s:
        return 100 * measurement.gpu_time_s / measurement.walltime_s
    compute, averages = measurement.summary.get("GPU Compute Time"), measurement.averages
    least = _MOST_OF_ALL * (measurement.timed_queries or 0)
    of_averages = averages.gpu_mean_ms if averages and averages.averaged >= least else None
    mean_ms = compute.mean_ms if compute else of_averages
    return mean_ms * throughput_qps / 10 if mean_ms is not None and throughput_qps else None


@dataclass(frozen=True)
class Setup:
    """How the engine was built and run, in trtexec's own key and value texts.

    Attributes:
        model_options, build_options, inference_options, device: Sections of trtexec's banner.
        build_facts: Figures from the build log, such as "Engine size" or "Engine built in".
        tensorrt_version: Such as "10.16.1", or empty if no file says it.
        run_versions: All versions that one run states, where these are several.
        run_commands: The command with which a run began and that with which it ended, where these differ.
        commands: Command lines found in logs.
        io_shapes: Extents of the inputs and outputs that trtexec created, by name, such as "4x1x28x28".
        io_types: Their types, such as "FP16", which trtexec states since 10.
        input_names: Which of these are inputs.
        shape_ranges: (minimum, optimum, maximum) extents of inputs, by optimization profile and name.
        heading: What a page calls the run in a heading that names a batch size; empty without one.
        listed_layers: Names of the layers that the builder listed before it timed them.
    """

    model_options: Mapping[str, str] = field(default_factory=dict)
    build_options: Mapping[str, str] = field(default_factory=dict)
    inference_options: Mapping[str, str] = field(default_factory=dict)
    device: Mapping[str, str] = field(default_factory=dict)
    build_facts: Mapping[str, str] = field(default_factory=dict)
    tensorrt_version: str = ""
    run_versions: tuple[str, ...] = ()
    run_commands: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    io_shapes: Mapping[str, str] = field(default_factory=dict)
    io_types: Mapping[str, str] = field(default_factory=dict)
    input_names: tuple[str, ...] = ()
    shape_ranges: Mapping[tuple[int, str], ShapeRange] = field(default_factory=dict)
    heading: str = ""
    listed_layers: tuple[str, ...] = ()

    def inputs(self) -> dict[str, tuple[int, ...]]:
        """Return the extents of the inputs that trtexec created, by name."""
        return self._extents(self.input_names)

    def outputs(self) -> dict[str, tuple[int, ...]]:
        """Return the extents of the outputs that trtexec created, by name."""
        return self._extents(name for name in self.io_shapes if name not in self.input_names)

    def _extents(self, names: Iterable[str]) -> dict[str, tuple[int, ...]]:
        shapes = ((name, self.io_shapes.get(name, "")) for name in names)
        return {name: tuple(map(int, text.split("x"))) for name, text in shapes if text}
