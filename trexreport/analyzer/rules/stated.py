"""What the files of a capture state besides its layers, as rules ask for it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from trexreport.analyzer.analysis import Analysis, LayerFacts
from trexreport.analyzer.analysis.contradictions import of_the_trace
from trexreport.analyzer.analysis.enqueue import EnqueueState, enqueue_state
from trexreport.analyzer.analysis.failures import has_no_engine
from trexreport.analyzer.analysis.timing import TwoModes
from trexreport.analyzer.kernels import read_kernel
from trexreport.analyzer.thresholds import release_numbers
from trexreport.model.commands import exports_no_layers
from trexreport.regex import regex

#: From this version on trtexec enables CUDA graphs and waiting in a loop unless they are switched off.
_ENABLED_SINCE = (11, 0)
_GRAPH = ("CUDA Graph", "--useCudaGraph", "--noCudaGraph")
#: What the format of a log shows to be of trtexec 7 or earlier counts as.
_EARLIEST = (7, 0)
#: Part of the first of trtexec's warnings where it cannot capture a CUDA graph.
REFUSED_GRAPH = "CUDA graph capture on the stream has failed"
_JETSON_NAMES = ("orin", "xavier", "thor", "tegra", "jetson")
#: The same as words of commands and names, as in "net_orin_fp16.engine"; Xavier is a user's name, too.
_NAMED_JETSON = regex(
    r"(?<![a-z])(?:orin|(?<!/home/)(?<!/users/)xavier|tegra|jetson)(?![a-z])", re.ASCII | re.IGNORECASE
)
#: Compute capabilities, times ten, of GPUs in Jetson and DRIVE modules alone.
_JETSON_CAPABILITIES = frozenset({53, 62, 72, 87, 101, 110})
#: What only command lines of Windows have.
_WINDOWS = regex(r"\.exe\b|=[\"']?[A-Za-z]:\\|--(?:onnx|saveEngine|loadEngine)=[\"']?[A-Za-z]:/", re.ASCII)
_STREAMS = regex(r"--(?:infStreams|streams)[= ](\d+)", re.ASCII)


class StatedFacts:
    """The options, versions and measurements that the files state; the base of `Context`."""

    analysis: Analysis
    layers: Sequence[LayerFacts]
    total_ms: float

    def has(self, need: str) -> bool:
        """Return whether an input that rules may need is there; keys as in `rule.NEEDS`."""
        return self.known_inputs[need]

    @cached_property
    def known_inputs(self) -> dict[str, bool]:
        """Of each input that rules may need whether it is there; keys as in `rule.NEEDS`."""
        analysis = self.analysis
        stability, counters, kernels = analysis.stability, analysis.counters, analysis.kernels
        is_traced = kernels is not None and kernels.traced_queries > 0
        return {
            "layers": bool(self.layers) and not analysis.identity.names_only,
            "profile": self.total_ms > 0,
            "end-to-end": analysis.latency.end_to_end is not None,
            "queries": stability is not None and stability.can_judge,
            "build-options": bool(analysis.settings.get("Builder")),
            "run-options": bool(analysis.settings.get("Inference")),
            "version": self.version is not None,
            "gpu-samples": analysis.gpu_watch is not None,
            "gpu-memory-use": analysis.gpu_watch is not None or self.memory_at_start_mib is not None,
            "accuracy": analysis.accuracy is not None,
            "roofline": analysis.roofline.gpu is not None,
            "logs": bool(analysis.logs),
            "tactics": analysis.tactics is not None,
            "counters": counters is not None and not counters.is_other,
            "kernels": is_traced and not of_the_trace(analysis.contradictions),
        }

    @cached_property
    def has_layer_information(self) -> bool:
        """Whether a file describes the layers, if only by their names; a profile does not."""
        return all(note.slug != "no-graph" for note in self.analysis.notes)

    @cached_property
    def exports_no_layers(self) -> bool:
        """Whether the trtexec that built the engine is known to export no layer information."""
        settings, version = self.analysis.settings, self.analysis.identity.tensorrt_version
        return exports_no_layers(version, settings.get("Builder", {}), settings.get("Build figures", {}))

    def is_enabled(self, option: str, flag: str, opposite: str) -> bool | None:
        """Return whether an inference option that a flag enables is on; None where nothing shows it.

        Args:
            option: Its name in trtexec's log.
            flag: What enables it, up to TensorRT 10; it is the default from 11 on.
            opposite: What switches it off from TensorRT 11 on.
        """
        stated = self._stated(option, flag, opposite)
        return stated if stated is not None or self.version is None else self.version >= _ENABLED_SINCE

    def _stated(self, option: str, flag: str, opposite: str) -> bool | None:
        """Return what the files say of an inference option, as `is_enabled` describes it."""
        if stated := self.run_option(option):
            return stated == "Enabled"
        flags = {word.partition("=")[0] for command in self.analysis.commands for word in command.split()}
        return flag in flags if flag in flags or opposite in flags else None

    @property
    def two_modes(self) -> TwoModes | None:
        """The two groups that the query times form; None if they form one, or are not known."""
        return self.analysis.stability.two_modes if self.analysis.stability else None

    @cached_property
    def is_graph_refused(self) -> bool:
        """Whether trtexec states that TensorRT refuses to run the engine as a CUDA graph."""
        return any(REFUSED_GRAPH in warning for warning in self.analysis.measurement_warnings)

    @cached_property
    def uses_cuda_graph(self) -> bool | None:
        """Whether queries ran as a CUDA graph; None where nothing shows it."""
        return False if self.is_graph_refused else self.is_enabled(*_GRAPH)

    @property
    def is_graph_by_version(self) -> bool:
        """Whether only the version shows if queries ran as a CUDA graph, as that is its default."""
        return self.version is not None and not self.is_graph_refused and self._stated(*_GRAPH) is None

    @cached_property
    def is_jetson(self) -> bool | None:
        """Whether the GPU shares memory with the CPU, as in Jetson and DRIVE; None if not known.

        Where the files state no GPU, names of engines, folders and logs may.
        """
        capability, name = self.stated_compute_capability, self.analysis.identity.gpu.casefold()
        if any(each in name for each in _JETSON_NAMES) or capability in _JETSON_CAPABILITIES:
            return True
        commands = self.analysis.commands
        if name or capability is not None or any(map(_WINDOWS.search, commands)):
            return False
        names = [*commands, self.analysis.identity.name, *(each.name for each in self.analysis.sources)]
        return any(map(_NAMED_JETSON.search, names)) or None

    @cached_property
    def has_no_engine(self) -> bool:
        """Whether the run failed, and nothing shows that it left an engine."""
        return has_no_engine(self.analysis)

    @cached_property
    def enqueue_state(self) -> EnqueueState:
        """Why enqueuing takes about as long as the GPU computes; empty if it does not."""
        analysis = self.analysis
        version = analysis.identity.tensorrt_version
        return enqueue_state(analysis.latency, analysis.layers, analysis.commands, version)

    @cached_property
    def version(self) -> tuple[int, int] | None:
        """Major and minor version of TensorRT; 7.0 where only the format of the log shows trtexec 7."""
        numbers = release_numbers(self.analysis.identity.tensorrt_version, 2)
        if len(numbers) == 2:
            return numbers[0], numbers[1]
        return _EARLIEST if self.exports_no_layers else None

    def build_option(self, key: str) -> str:
        """Return the text of one of trtexec's build options, or an empty text."""
        return self.analysis.settings.get("Builder", {}).get(key, "")

    def build_fact(self, key: str) -> str:
        """Return the text of one of the figures of the build log, or an empty text."""
        return self.analysis.settings.get("Build figures", {}).get(key, "")

    def run_option(self, key: str) -> str:
        """Return the text of one of trtexec's inference options, or an empty text."""
        return self.analysis.settings.get("Inference", {}).get(key, "")

    @cached_property
    def memory_at_start_mib(self) -> float | None:
        """The GPU's memory in use when the first run of the log began, in MiB; None where not stated."""
        return self._memory_mib("GPU memory in use at the start")

    @cached_property
    def memory_in_use_mib(self) -> float | None:
        """The GPU's memory in use beside the build, else at the start, in MiB; None where not stated."""
        return self._memory_mib("GPU memory in use beside the build") or self.memory_at_start_mib

    def _memory_mib(self, fact: str) -> float | None:
        amount = self.build_fact(fact).removesuffix(" MiB")
        return float(amount) if amount.isascii() and amount.isdecimal() else None

    @cached_property
    def may_be_first_run(self) -> bool:
        """Whether each layer was timed once and no file shows that the engine ran before."""
        analysis = self.analysis
        known = analysis.stability or analysis.latency.end_to_end or analysis.settings.get("Inference")
        return analysis.latency.profiled_iterations == 1 and not known

    @cached_property
    def has_one_stream(self) -> bool | None:
        """Whether one query after another runs; None where no file states the number of streams."""
        return None if not self.stated_streams else set(self.stated_streams) == {"1"}

    @cached_property
    def stated_streams(self) -> Sequence[str]:
        """The numbers of streams that the log states, else each command."""
        stated = self.run_option("Inference Streams") or self.run_option("Streams")
        flags = (_STREAMS.search(command) for command in self.analysis.commands)
        return [stated] if stated else [found[1] for found in flags if found]

    @cached_property
    def requested_precisions(self) -> frozenset[str]:
        """The types that the builder was allowed to use, such as FP32 and FP16; empty if not stated."""
        words = self.analysis.identity.precisions.replace("+", " ").replace(",", " ").split()
        return frozenset(word.upper() for word in words)

    @cached_property
    def allows_only_fp32(self) -> bool:
        """Whether the builder was certainly allowed no other type, even where a layer hides its own."""
        if self.requested_precisions != {"FP32"}:
            return False
        if self.version is not None and self.version < (9, 0):
            return True
        # Later ones may take the types from the network, which only the command of the build shows.
        builds = [each for each in self.analysis.commands if "--onnx" in each]
        return self.version is not None and self.version < (11, 0) and bool(builds)

    @cached_property
    def stated_compute_capability(self) -> int | None:
        """The GPU's compute capability times ten, as the capture or the GPU's entry states it."""
        gpu = self.analysis.roofline.gpu
        stated = gpu.compute_capability if gpu else ""
        stated = stated or self.analysis.settings.get("Device", {}).get("Compute Capability", "")
        major, dot, minor = stated.partition(".")
        is_number = dot and all(part.isascii() and part.isdecimal() for part in (major, minor))
        return 10 * int(major) + int(minor) if is_number else None

    @cached_property
    def min_compute_capability(self) -> int | None:
        """The GPU's compute capability times ten: as stated, else at least that of the newest kernel."""
        if self.stated_compute_capability is not None:
            return self.stated_compute_capability
        tactics = dict.fromkeys(layer.tactic for layer in self.layers)
        found = [read_kernel(tactic).architecture for tactic in tactics]
        return max((each for each in found if each is not None), default=None)
