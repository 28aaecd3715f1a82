"""Read the files of a capture by their roles."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from trexreport.errors import InputError
from trexreport.model import FileFacts, GpuSamples, InputWarning, QueryTimes, Setup, Source
from trexreport.model.accuracy import AccuracyResults
from trexreport.model.execution import Execution
from trexreport.model.kernel_counters import KernelCounters
from trexreport.model.kernel_trace import KernelTrace
from trexreport.model.onnx import OnnxModel
from trexreport.model.tactics import BuildTactics
from trexreport.reader.concatenations import with_parts
from trexreport.reader.edge_llm import LayerTable, read_end_to_end, read_layer_table
from trexreport.reader.foreign_files import explained
from trexreport.reader.graph_file import LayerGraph, read_graph
from trexreport.reader.json_text import decode_text
from trexreport.reader.layer_agreement import check_agreement
from trexreport.reader.layer_profile import LayerProfile
from trexreport.reader.layer_values import check_layers
from trexreport.reader.manifest_file import device_of
from trexreport.reader.profile_file import read_profile
from trexreport.reader.roles import run_number
from trexreport.reader.setup_facts import SetupFacts
from trexreport.reader.timing_file import read_timing
from trexreport.reader.warm_up import without_warm_up
from trexreport.remembered import Remembered

_Content = TypeVar("_Content")
#: Layers of runs of one model, which a site has many of: how large the largest file of them is, and all.
_LARGEST_REMEMBERED, _MOST_REMEMBERED = 2**18, 2**21
_graphs: Remembered[tuple[str, bytes], tuple[LayerGraph, list[InputWarning]]] = Remembered(
    _MOST_REMEMBERED, lambda file, _: len(file[1])
)


class CaptureReading:
    """Reads the files of one capture by role and collects what was noted.

    Args:
        sources: The files.
        stated_roles: Roles of files that the user named: damage in these is an error.

    Attributes:
        notes: What was noted while the files were read.
        facts: What single files state, to be compared with each other.

    Methods raise InputError for a damaged file that the user named, or without layer information.
    """

    def __init__(self, sources: Sequence[Source], stated_roles: set[str]) -> None:
        self._sources = sources
        self._stated = stated_roles
        self._table: LayerTable | None = None
        self.notes: list[InputWarning] = []
        self.facts: list[FileFacts] = []

    def graph(self) -> LayerGraph | None:
        """Return the layers; None if no file lists them."""
        source = self._source("graph")
        table = self._layer_table()
        if source is None and table is not None:
            return table.graph
        graph = None
        if source:
            graph, notes = _graph_of(source)
            self.notes += notes
            names = tuple((layer.name, None) for layer in graph.layers)
            self.facts.append(FileFacts(source.name, source.role, layer_times=names))
        return graph

    def profile(self) -> LayerProfile | None:
        """Return the times of the layers, with those of each iteration if known; None without times."""
        profile = self._content(self._source("profile"), read_profile, "latency", "layers")
        samples = self._samples()
        if (table := self._layer_table()) is not None:
            is_used = profile is None and samples is None
            self._note_table(table, is_used=is_used)
            if is_used:
                return table.profile
        for role, rows in (("profile", profile), ("samples", samples)):
            if rows is not None:
                times = tuple((row.name, None if rows.is_sum else row.time) for row in rows.rows)
                self.facts.append(FileFacts(name_of(self._sources, role), role, layer_times=times))
        if profile is None or samples is None:
            return profile or samples
        from trexreport.reader.samples_file import with_samples

        return with_samples(profile, samples, name_of(self._sources, "samples"))

    def _samples(self) -> LayerProfile | None:
        source = self._source("samples")
        if source is None:
            return None
        # Imported late: few captures have the times of each iteration.
        from trexreport.reader.samples_file import read_layer_samples

        return self._content(source, read_layer_samples, "latency", "layers")

    def _note_table(self, table: LayerTable, *, is_used: bool) -> None:
        """Hold the layers of a table against those of other files; times of another phase may differ."""
        name = name_of(self._sources, "layer-table")
        times = tuple((row.name, row.time if is_used else None) for row in table.profile.rows)
        self.facts.append(FileFacts(name, "layer-table", layer_times=times))
        if not is_used:
            message = f"The times in {name} are not used, as another file has times of the layers."
            self.notes.append(InputWarning("info", "layer-table-not-used", message, name, ("latency",)))

    def _layer_table(self) -> LayerTable | None:
        """Return the layers and times that TensorRT Edge-LLM wrote, read once."""
        if self._table is None:
            source = self._source("layer-table")
            self._table = self._content(source, read_layer_table, "latency", "layers")
        return self._table

    def conditions(self) -> dict[str, str]:
        """Return what TensorRT Edge-LLM measured, and at which lengths: name to text."""
        table = self._layer_table()
        whole = self._noted(self._source("end-to-end"), read_end_to_end, "timing")
        return {**(whole or {}), **(table.conditions if table else {})}

    def runs(self, setup_files: Sequence[tuple[Source, SetupFacts]]) -> list[QueryTimes]:
        """Return each measurement of the queries; those without queries are left out."""
        stated = [facts for _, facts in setup_files]
        sources = [source for source in self._sources if source.role in ("timing", "timing-run")]
        found = []
        for source in sources:
            queries = self._noted(source, read_timing, "timing")
            if queries:
                queries, warmup_notes = without_warm_up(queries, stated, source.name)
                self.notes += warmup_notes
            found.append((source, queries))
        runs = [queries for _, queries in found if queries]
        self.facts += [
            FileFacts(source.name, source.role, run_number(source.name), queries=queries)
            for source, queries in found
            if queries
        ]
        if len(runs) > 1:
            self.notes.append(_runs_note(len(runs)))
        return runs

    @property
    def timing_names(self) -> list[str]:
        """Names of the files of query times."""
        return [source.name for source in self._sources if source.role in ("timing", "timing-run")]

    def logs(self) -> Iterator[str]:
        """Yield the texts of the logs that list the layers of a build."""
        logs = [source for source in self._sources if source.role == "log"]
        if not logs:
            return
        # Imported late, as below: a capture may have no log.
        from trexreport.reader.logged_layers import MARKS

        marks = [mark.encode() for mark in MARKS]
        for source in logs:
            if any(mark in source.data for mark in marks):
                yield decode_text(source.data, source.name)[0]

    def tactics(self) -> BuildTactics | None:
        """Return what the builder timed, as the first log that lists it states; None without one."""
        logs = [source for source in self._sources if source.role == "log"]
        if not logs:
            return None
        from trexreport.reader.tactics import read_tactics

        found = ((source.name, read_tactics(source.data)) for source in logs)
        return next((replace(each, file=name) for name, each in found if each), None)

    def gpu(self) -> GpuSamples | None:
        """Return what the GPU did; None if it was not watched."""
        source = self._source("gpu")
        if source is None:
            return None
        from trexreport.reader.gpu_file import read_gpu_samples

        samples = self._noted(source, read_gpu_samples, "timing") or None
        if samples:
            setup = Setup(device=device_of({**samples.facts}))
            self.facts.append(FileFacts(source.name, source.role, setup=setup))
        return samples

    def execution(self) -> Execution | None:
        """Return where nodes run; None if no file states it."""
        source = self._source("execution")
        if source is None:
            return None
        # Imported late: few captures have one.
        from trexreport.reader.execution import notes_on_failure, read_execution

        if self._source("graph") is None:
            execution, notes = read_execution(content := self._text(source), source.name)
            self.notes += [*notes, *notes_on_failure(content, source.name)]
            return execution
        return self._noted(source, read_execution, "timing")

    def onnx(self) -> OnnxModel | None:
        """Return the structure of the model; None if it is not known."""
        source = self._source("onnx")
        if source is None:
            return None
        from trexreport.reader.onnx.structure import read_structure

        return self._content(source, read_structure, "model")

    def counters(self) -> KernelCounters | None:
        """Return what Nsight Compute counted in kernels; None if it did not."""
        source = self._source("counters")
        if source is None:
            return None
        from trexreport.reader.nsight.counters_file import read_counters

        return self._noted(source, read_counters, "roofline")

    def kernels(self) -> KernelTrace | None:
        """Return the kernels of a trace; None if there is none."""
        source = self._source("kernels")
        if source is None:
            return None
        from trexreport.reader.nsight.trace_file import read_trace

        return self._noted(source, read_trace, "kernels")

    def accuracy(self) -> AccuracyResults | None:
        """Return how accurate the engine is; None if it is not known."""
        source = self._source("accuracy")
        if source is None:
            return None
        from trexreport.reader.accuracy.results_file import read_results_file, unknown_tensors

        found = self._noted(source, read_results_file, "accuracy")
        if found is not None:
            self.notes += unknown_tensors(found)
        return found

    def _source(self, role: str) -> Source | None:
        return next((source for source in self._sources if source.role == role), None)

    def _text(self, source: Source) -> str:
        content, notes = decode_text(source.data, source.name)
        self.notes += notes
        return content

    def _noted(
        self,
        source: Source | None,
        read: Callable[[str, str], tuple[_Content, Sequence[InputWarning]]],
        *affects: str,
    ) -> _Content | None:
        """Return the content of a file, and keep its notes."""
        found = self._content(source, read, *affects)
        if found is None:
            return None
        self.notes += found[1]
        return found[0]

    def _content(
        self, source: Source | None, read: Callable[[str, str], _Content], *affects: str
    ) -> _Content | None:
        """Return the content of a file, None without one; damage in one that was only found is noted."""
        if source is None:
            return None
        try:
            with explained(source):
                return read(self._text(source), source.name)
        except InputError as error:
            if source.role in self._stated or self._source("graph") is None:
                raise
            self.notes.append(InputWarning("degraded", "file-left-out", str(error), source.name, affects))
            return None


def _graph_of(source: Source) -> tuple[LayerGraph, list[InputWarning]]:
    """Return the layers of a file, and notes of its encoding."""
    if len(source.data) > _LARGEST_REMEMBERED:
        return _read_graph(source)
    return _graphs.get((source.name, source.data), lambda: _read_graph(source))


def _read_graph(source: Source) -> tuple[LayerGraph, list[InputWarning]]:
    content, notes = decode_text(source.data, source.name)
    with explained(source):
        read = read_graph(content, source.name)
    graph = check_layers(with_parts(read), source.name)
    return check_agreement(graph, source.name), notes


def _runs_note(count: int) -> InputWarning:
    message = f"The queries were measured {count} times: the report shows the first run, comparisons use all."
    return InputWarning("info", "several-runs", message, "", ("timing",))


def name_of(sources: Sequence[Source], role: str) -> str:
    """Return the name of the file with a role, for notes."""
    return next((source.name for source in sources if source.role == role), "the log")
