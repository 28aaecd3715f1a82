"""Put the files of a capture together into one engine."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from trexreport.errors import InputError
from trexreport.model import Engine, FileFacts, GpuSamples, InputWarning, Layer, QueryTimes, Setup, Source
from trexreport.model.accuracy import AccuracyResults
from trexreport.model.execution import Execution
from trexreport.model.kernel_counters import KernelCounters
from trexreport.model.kernel_trace import KernelTrace
from trexreport.model.onnx import OnnxModel
from trexreport.model.tactics import BuildTactics
from trexreport.numbers import list_names
from trexreport.reader import graph_file, layer_names
from trexreport.reader.bindings import one_sided, resolve_bindings
from trexreport.reader.capture import Capture
from trexreport.reader.contradictions import with_contradictions
from trexreport.reader.edge_llm import LayerTable, read_end_to_end, read_layer_table
from trexreport.reader.gpu_file import read_gpu_samples
from trexreport.reader.graph_file import LayerGraph, RawLayer, read_graph
from trexreport.reader.join import join_profile
from trexreport.reader.json_text import decode_text
from trexreport.reader.layer_values import check_layers
from trexreport.reader.logged_layers import MARKS, with_logged_layers
from trexreport.reader.manifest_file import device_of
from trexreport.reader.optimization_profiles import choose_profile
from trexreport.reader.profile_file import LayerProfile, read_profile
from trexreport.reader.roles import run_number
from trexreport.reader.samples_file import read_layer_samples, with_samples
from trexreport.reader.setup_facts import SetupFacts
from trexreport.reader.setup_files import describe_setup_files, join_setup, read_setup
from trexreport.reader.tactics import read_tactics
from trexreport.reader.timing_file import read_timing, without_warmup
from trexreport.reader.values import records, text
from trexreport.reader.versions import TensorVersions

_NAMES_ONLY_HINT = "Build the engine again with --profilingVerbosity=detailed."
_NO_PROFILE_HINT = "Run trtexec with --exportProfile and --separateProfileRun to measure each layer."

_Content = TypeVar("_Content")


def assemble(
    capture: Capture,
    optimization_profile: int | None = None,
    name: str | None = None,
    stated_roles: Iterable[str] = (),
) -> Engine:
    """Read every file of the capture and join them.

    Args:
        capture: The files.
        optimization_profile: The one whose layers to take; None for the one that was profiled, else 0.
        name: Title of the engine, instead of the one that the file names give.
        stated_roles: Roles of files that the user named one by one: damage in these is an error,
            whereas a damaged companion that was only found is noted and left out.

    Raises:
        InputError: The graph file or a stated file is damaged, the optimization profile is unknown, or
            nothing usable was found at all.
    """
    stated = set(stated_roles)
    reading = _Reading(capture.sources, stated)
    graph_in_file, profile_in_file = reading.graph(), reading.profile()
    setup_files = read_setup(capture.sources, stated)
    runs, gpu = reading.runs(setup_files), reading.gpu()
    execution, onnx, tactics = reading.execution(), reading.onnx(), reading.tactics()
    facts = _with_conditions(join_setup(setup_files), reading.conditions())
    kernels = reading.kernels()
    notes = [*capture.notes, *reading.notes, *facts.notes]
    profile = profile_in_file or facts.profile
    graph = with_logged_layers(graph_in_file or _graph_from_profile(profile), reading.logs())
    if not (graph_in_file or graph.layers or runs or execution or tactics) and facts.is_empty:
        raise _nothing_usable(capture.name, facts.errors)
    is_known = graph_in_file is not None or bool(graph.layers and not graph.names_only)
    if not is_known:
        notes.append(_no_graph_note(profile, graph))
    wanted = optimization_profile if optimization_profile is not None else capture.optimization_profile
    chosen = choose_profile(graph, profile, wanted)
    versions = TensorVersions()
    layers = tuple(read_layer(index, raw, key, versions) for index, raw, key in _keyed(chosen.layers))
    if profile is not None:
        layers, join_notes = join_profile(layers, profile, _name_of(capture.sources, "profile"))
        notes += [*profile.notes, *join_notes]
    bindings, binding_notes = resolve_bindings(graph, layers, chosen.index, facts.setup)
    notes += [*graph.notes, *chosen.notes, *binding_notes, *_layer_notes(layers, versions.rewritten)]
    notes += _missing_notes(graph if is_known else None, layers, profile, runs, facts)
    engine = Engine(
        name=name or capture.name,
        layers=layers,
        bindings=bindings,
        names_only=graph.names_only,
        optimization_profiles=chosen.available,
        optimization_profile=chosen.index,
        unlisted_ms=_listed_ms(layers) * (profile.unlisted_part if profile else 0.0),
        profiled_iterations=profile.iterations if profile else None,
        times_are_sums=bool(profile and profile.is_sum),
        measurement=facts.measurement,
        queries=runs[0] if runs else None,
        more_runs=tuple(runs[1:]),
        gpu=gpu,
        kernels=kernels,
        counters=reading.counters(),
        accuracy=reading.accuracy(),
        execution=execution,
        onnx=onnx,
        tactics=tactics,
        setup=facts.setup,
        engine_metadata={**graph.metadata, **facts.extra},
        sources=capture.sources,
        notes=tuple(dict.fromkeys(notes)),
        files=(*reading.facts, *describe_setup_files(setup_files, reading.timing_names)),
    )
    return with_contradictions(engine)


def _with_conditions(facts: SetupFacts, conditions: Mapping[str, str]) -> SetupFacts:
    if not conditions:
        return facts
    options = {**conditions, **facts.setup.inference_options}
    return replace(facts, setup=replace(facts.setup, inference_options=options))


class _Reading:
    """Reads the files of one capture by role and collects what was noted."""

    def __init__(self, sources: Sequence[Source], stated_roles: set[str]) -> None:
        self._sources = sources
        self._stated = stated_roles
        self._table: LayerTable | None = None
        self.notes: list[InputWarning] = []
        self.facts: list[FileFacts] = []

    def graph(self) -> LayerGraph | None:
        source = self._source("graph")
        table = self._layer_table()
        if source is None and table is not None:
            return table.graph
        graph = check_layers(read_graph(self._text(source), source.name), source.name) if source else None
        if source and graph:
            names = tuple((layer.name, None) for layer in graph.layers)
            self.facts.append(FileFacts(source.name, source.role, layer_times=names))
        return graph

    def profile(self) -> LayerProfile | None:
        profile = self._content(self._source("profile"), read_profile, "latency", "layers")
        samples = self._content(self._source("samples"), read_layer_samples, "latency", "layers")
        if (table := self._layer_table()) is not None:
            is_used = profile is None and samples is None
            self._note_table(table, is_used=is_used)
            if is_used:
                return table.profile
        for role, rows in (("profile", profile), ("samples", samples)):
            if rows is not None:
                times = tuple((row.name, None if rows.is_sum else row.time) for row in rows.rows)
                self.facts.append(FileFacts(_name_of(self._sources, role), role, layer_times=times))
        if profile is None or samples is None:
            return profile or samples
        return with_samples(profile, samples, _name_of(self._sources, "samples"))

    def _note_table(self, table: LayerTable, *, is_used: bool) -> None:
        """Hold the layers of a table against those of other files; times of another phase may differ."""
        name = _name_of(self._sources, "layer-table")
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
        whole = self._measured(self._source("end-to-end"), read_end_to_end)
        return {**(whole or {}), **(table.conditions if table else {})}

    def runs(self, setup_files: Sequence[tuple[Source, SetupFacts]]) -> list[QueryTimes]:
        """Return each measurement of the queries; those without queries are left out."""
        stated = [facts.measurement for _, facts in setup_files]
        counts = [
            (each.warmup_queries, each.timed_queries)
            for each in stated
            if each.warmup_queries and each.timed_queries
        ]
        sources = [source for source in self._sources if source.role in ("timing", "timing-run")]
        found = []
        for source in sources:
            queries = self._measured(source, read_timing)
            if queries:
                queries, warmup_notes = without_warmup(queries, counts, source.name)
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
        marks = [mark.encode() for mark in MARKS]
        for source in self._sources:
            if source.role == "log" and any(mark in source.data for mark in marks):
                yield decode_text(source.data, source.name)[0]

    def tactics(self) -> BuildTactics | None:
        """Return what the builder timed, as the first log that lists it states; None without one."""
        found = (read_tactics(source.data) for source in self._sources if source.role == "log")
        return next((each for each in found if each), None)

    def gpu(self) -> GpuSamples | None:
        """Return what the GPU did; None if it was not watched."""
        source = self._source("gpu")
        samples = self._measured(source, read_gpu_samples) or None
        if source and samples:
            setup = Setup(device=device_of({**samples.facts}))
            self.facts.append(FileFacts(source.name, source.role, setup=setup))
        return samples

    def execution(self) -> Execution | None:
        """Return where nodes run; None if no file states it."""
        source = self._source("execution")
        if source is None:
            return None
        # Imported late: few captures have one.
        from trexreport.reader.execution import read_execution

        if self._source("graph") is None:
            execution, notes = read_execution(self._text(source), source.name)
            self.notes += notes
            return execution
        return self._measured(source, read_execution)

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

        found = self._content(source, read_counters, "roofline")
        return found[0] if found else None

    def kernels(self) -> KernelTrace | None:
        """Return the kernels of a trace; None if there is none."""
        source = self._source("kernels")
        if source is None:
            return None
        from trexreport.reader.nsight.trace_file import read_trace

        found = self._content(source, read_trace, "kernels")
        if found is None:
            return None
        self.notes += found[1]
        return found[0]

    def accuracy(self) -> AccuracyResults | None:
        """Return how accurate the engine is; None if it is not known."""
        source = self._source("accuracy")
        if source is None:
            return None
        from trexreport.reader.accuracy.results_file import read_results_file

        return self._content(source, read_results_file, "accuracy")

    def _source(self, role: str) -> Source | None:
        return next((source for source in self._sources if source.role == role), None)

    def _text(self, source: Source) -> str:
        content, notes = decode_text(source.data, source.name)
        self.notes += notes
        return content

    def _measured(
        self, source: Source | None, read: Callable[[str, str], tuple[_Content, list[InputWarning]]]
    ) -> _Content | None:
        """Return the content of a file of the measurement, and keep its notes."""
        found = self._content(source, read, "timing")
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
            return read(self._text(source), source.name)
        except InputError as error:
            if source.role in self._stated or self._source("graph") is None:
                raise
            self.notes.append(InputWarning("degraded", "file-left-out", str(error), source.name, affects))
            return None


def _keyed(layers: Sequence[RawLayer]) -> Iterable[tuple[int, RawLayer, str]]:
    """Give each layer a unique key: its name, with a running number where the name is taken."""
    taken = {raw.name for raw in layers}
    counts: dict[str, int] = {}
    for index, raw in enumerate(layers):
        key = raw.name
        count = counts.get(raw.name, 0) + 1
        while count > 1 and (key := f"{raw.name} ({count})") in taken:
            count += 1
        counts[raw.name] = count
        yield index, raw, key


def read_layer(index: int, raw: RawLayer, key: str, versions: TensorVersions) -> Layer:
    """Return a layer of its record; `versions` counts the values of names, in the order of the layers."""
    record = raw.record
    return Layer(
        index=index,
        key=key,
        name=raw.name,
        type=graph_file.layer_type(record),
        subtype=text(record.get("LayerType")),
        inputs=versions.read(graph_file.read_tensors(record, "Inputs")),
        outputs=versions.written(graph_file.read_tensors(record, "Outputs")),
        constants=graph_file.read_tensors(record, "Constants"),
        weights=graph_file.read_weights(record),
        tactic=text(record.get("TacticName")),
        stream=graph_file.stream(record),
        origins=layer_names.origins(text(record.get("Metadata"))) or layer_names.torch_origins(raw.name),
        operations=layer_names.myelin_operations(raw.name),
        attributes=record,
    )


def _listed_ms(layers: Sequence[Layer]) -> float:
    return math.fsum(layer.time.avg_ms for layer in layers if layer.time is not None)


def _graph_from_profile(profile: LayerProfile | None) -> LayerGraph:
    rows = profile.rows if profile else ()
    return LayerGraph(tuple(RawLayer(row.name, {}) for row in rows), names_only=bool(rows))


def _no_graph_note(profile: LayerProfile | None, graph: LayerGraph) -> InputWarning:
    source = "profile" if profile else "log"
    known = (
        f"the layers are known by name from the {source} alone"
        if graph.layers
        else "nothing is known of the layers"
    )
    return InputWarning(
        "degraded",
        "no-graph",
        f"There is no layer information: {known}.",
        affects=("graph", "layers", "memory", "precision"),
        hint="Run trtexec with --exportLayerInfo and --profilingVerbosity=detailed.",
    )


def _nothing_usable(name: str, errors: Sequence[str]) -> InputError:
    if errors:
        return InputError(
            f"{name}: its log holds errors and no figures. The first error: {errors[0][:300]}",
            "Fix what the log reports, and run trtexec again.",
        )
    return InputError(
        f"{name}: nothing in its files can be used.", "A capture has a *.graph.json from trtexec."
    )


def _missing_notes(
    graph: LayerGraph | None,
    layers: Sequence[Layer],
    profile: LayerProfile | None,
    runs: Sequence[QueryTimes],
    facts: SetupFacts,
) -> list[InputWarning]:
    """Return notes on what the report lacks because its files are missing, or hold names alone."""
    notes = []
    if graph and graph.names_only:
        message = "The layers have names and nothing else: the engine was built without detailed verbosity."
        affects = ("graph", "memory", "precision")
        notes.append(InputWarning("degraded", "names-only", message, "", affects, _NAMES_ONLY_HINT))
    if profile is None and layers:
        message = "There is no profile, so no layer has a time."
        notes.append(
            InputWarning("degraded", "no-profile", message, "", ("latency", "layers"), _NO_PROFILE_HINT)
        )
    if not runs:
        message = "There are no times of single queries, so nothing is known of how steady they were."
        hint = "Run trtexec with --exportTimes."
        notes.append(InputWarning("info", "no-timing", message, "", ("timing",), hint))
    if facts.is_empty:
        message = "No metadata file or log says on which device and how the engine was built and run."
        hint = "Keep trtexec's log beside the graph file."
        notes.append(InputWarning("info", "no-setup", message, "", ("overview", "build"), hint))
    return notes


def _runs_note(count: int) -> InputWarning:
    message = f"The queries were measured {count} times: the report shows the first run, comparisons use all."
    return InputWarning("info", "several-runs", message, "", ("timing",))


def _layer_notes(layers: Sequence[Layer], rewritten: set[str]) -> list[InputWarning]:
    notes = []
    doubles = sum(layer.key != layer.name for layer in layers)
    if doubles:
        message = f"Layers with the name of an earlier one, distinguished by their order: {doubles}."
        notes.append(InputWarning("repaired", "duplicate-names", message))
    if rewritten:
        message = f"Tensor names that stand for several values in turn, each counted apart: {len(rewritten)}."
        notes.append(InputWarning("info", "reused-tensor-names", message))
    missing = one_sided(layers)
    if missing:
        message = f"No layer states its {missing}s: connections, I/O tensors and memory are unknown."
        hint = "Give the file of trtexec's --exportLayerInfo as it is."
        notes.append(InputWarning("degraded", "one-sided", message, "", ("graph", "memory"), hint))
    shapes = [[tensor.dimensions for tensor in (*layer.inputs, *layer.outputs)] for layer in layers]
    dynamic = sum(any(-1 in dimensions for dimensions in each) for each in shapes)
    if dynamic and not any(_states_shapes(layer) for layer in layers):
        message = "No tensor states its shape, so no size is known."
        notes.append(InputWarning("degraded", "no-shapes", message, "", ("memory",)))
    elif dynamic:
        message = f"Layers with tensors of dynamic shape, whose size is unknown: {dynamic}."
        hint = (
            "Export the layer information in the run that measures, with --shapes; "
            "Myelin kernels keep unknown shapes even then."
        )
        notes.append(InputWarning("degraded", "dynamic-shapes", message, "", ("memory",), hint))
    return [*notes, *_format_notes(layers)]


def _states_shapes(layer: Layer) -> bool:
    tensors = (each for key in ("Inputs", "Outputs") for each in records(layer.attributes.get(key)))
    return any(isinstance(each.get("Dimensions"), list) for each in tensors)


def _format_notes(layers: Sequence[Layer]) -> list[InputWarning]:
    unknown = {
        tensor.format.text
        for layer in layers
        for tensor in (*layer.inputs, *layer.outputs)
        if tensor.format.bits is None
    }
    if not unknown:
        return []
    shown = list_names([repr(each) for each in sorted(unknown)], 3)
    message = f"Tensor formats that are not known, so that sizes count as unknown: {shown}."
    return [InputWarning("degraded", "unknown-formats", message, "", ("memory", "precision"))]


def _name_of(sources: Sequence[Source], role: str) -> str:
    return next((source.name for source in sources if source.role == role), "the log")
