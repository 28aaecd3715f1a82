"""Put the files of a capture together into one engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from trexreport.errors import InputError
from trexreport.model import Engine, GpuSamples, InputWarning, Layer, QueryTimes, Source
from trexreport.reader import graph_file, layer_names
from trexreport.reader.bindings import resolve_bindings
from trexreport.reader.gpu_file import read_gpu_samples
from trexreport.reader.graph_file import LayerGraph, RawLayer, read_graph
from trexreport.reader.join import join_profile
from trexreport.reader.json_text import decode_text
from trexreport.reader.locate import Capture
from trexreport.reader.optimization_profiles import choose_profile
from trexreport.reader.profile_file import LayerProfile, read_profile
from trexreport.reader.samples_file import read_layer_samples, with_samples
from trexreport.reader.setup_facts import SetupFacts
from trexreport.reader.setup_files import read_setup
from trexreport.reader.timing_file import read_timing
from trexreport.reader.values import text
from trexreport.reader.versions import TensorVersions

_NAMES_ONLY_HINT = "Build the engine again with --profilingVerbosity=detailed."
_NO_PROFILE_HINT = "Run trtexec with --exportProfile and --separateProfileRun to measure each layer."


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
    reading = _Reading(capture, set(stated_roles))
    graph, profile = reading.graph(), reading.profile()
    runs, facts, gpu = reading.runs(), reading.setup(), reading.gpu()
    queries = runs[0] if runs else None
    notes = [*capture.notes, *reading.notes, *facts.notes]
    if profile is None and facts.profile is not None:
        profile = facts.profile
    if graph is None and profile is None and queries is None and facts.is_empty:
        raise _nothing_usable(capture.name, facts.errors)
    has_graph = graph is not None
    if graph is None:
        graph = _graph_from_profile(profile)
        notes.append(_no_graph_note(profile))
    wanted = optimization_profile if optimization_profile is not None else capture.optimization_profile
    chosen = choose_profile(graph, profile, wanted)
    versions = TensorVersions()
    layers = tuple(_layer(index, raw, key, versions) for index, raw, key in _keyed(chosen.layers))
    if profile is not None:
        layers, join_notes = join_profile(layers, profile, _name_of(capture.sources, "profile"))
        notes += [*profile.notes, *join_notes]
    bindings, binding_notes = resolve_bindings(graph, layers, chosen.index)
    notes += [*graph.notes, *chosen.notes, *binding_notes, *_layer_notes(layers, versions.rewritten)]
    if has_graph and graph.names_only:
        notes.append(_names_only_note())
    if profile is None and layers:
        notes.append(_no_profile_note())
    notes += _missing_notes(queries, facts)
    return Engine(
        name=name or capture.name,
        layers=layers,
        bindings=bindings,
        names_only=graph.names_only,
        optimization_profiles=chosen.available,
        optimization_profile=chosen.index,
        profiled_iterations=profile.iterations if profile else None,
        measurement=facts.measurement,
        queries=queries,
        more_runs=tuple(runs[1:]),
        gpu=gpu,
        setup=facts.setup,
        engine_metadata={**graph.metadata, **facts.extra},
        sources=capture.sources,
        notes=tuple(dict.fromkeys(notes)),
    )


class _Reading:
    """Reads the files of one capture by role and collects what was noted."""

    def __init__(self, capture: Capture, stated_roles: set[str]) -> None:
        self._sources = capture.sources
        self._stated = stated_roles
        self.notes: list[InputWarning] = []

    def graph(self) -> LayerGraph | None:
        source = self._source("graph")
        return read_graph(self._text(source), source.name) if source else None

    def profile(self) -> LayerProfile | None:
        profile = self._layer_times("profile", read_profile)
        samples = self._layer_times("samples", read_layer_samples)
        if profile is None or samples is None:
            return profile or samples
        return with_samples(profile, samples, _name_of(self._sources, "samples"))

    def _layer_times(self, role: str, read: Callable[[str, str], LayerProfile]) -> LayerProfile | None:
        source = self._source(role)
        if source is None:
            return None
        try:
            return read(self._text(source), source.name)
        except InputError as error:
            self._leave_out(source, error, ("latency", "layers"))
            return None

    def runs(self) -> list[QueryTimes]:
        """Return each measurement of the queries; those without queries are left out."""
        found = []
        for source in self._sources:
            if source.role in ("timing", "timing-run"):
                try:
                    queries, notes = read_timing(self._text(source), source.name)
                except InputError as error:
                    self._leave_out(source, error, ("timing",))
                    continue
                self.notes += notes
                found.append(queries)
        filled = [queries for queries in found if len(queries)]
        if len(filled) > 1:
            self.notes.append(_runs_note(len(filled)))
        return filled

    def gpu(self) -> GpuSamples | None:
        source = self._source("gpu")
        if source is None:
            return None
        try:
            samples, notes = read_gpu_samples(self._text(source), source.name)
        except InputError as error:
            self._leave_out(source, error, ("timing",))
            return None
        self.notes += notes
        return samples if len(samples) else None

    def setup(self) -> SetupFacts:
        return read_setup(self._sources, self._stated)

    def _source(self, role: str) -> Source | None:
        return next((source for source in self._sources if source.role == role), None)

    def _text(self, source: Source) -> str:
        content, notes = decode_text(source.data, source.name)
        self.notes += notes
        return content

    def _leave_out(self, source: Source, error: InputError, affects: tuple[str, ...]) -> None:
        if source.role in self._stated or not any(other.role == "graph" for other in self._sources):
            raise error
        self.notes.append(InputWarning("degraded", "file-left-out", str(error), source.name, affects))


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


def _layer(index: int, raw: RawLayer, key: str, versions: TensorVersions) -> Layer:
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
        origins=layer_names.origins(text(record.get("Metadata"))),
        operations=layer_names.myelin_operations(raw.name),
        attributes=record,
    )


def _graph_from_profile(profile: LayerProfile | None) -> LayerGraph:
    rows = profile.rows if profile else ()
    return LayerGraph(tuple(RawLayer(row.name, {}) for row in rows), names_only=bool(rows))


def _no_graph_note(profile: LayerProfile | None) -> InputWarning:
    known = (
        "the layers are known by name from the profile alone" if profile else "nothing is known of the layers"
    )
    return InputWarning(
        "degraded",
        "no-graph",
        f"There is no layer information: {known}.",
        affects=("graph", "layers", "memory", "precision"),
        hint="Run trtexec with --exportLayerInfo and --profilingVerbosity=detailed.",
    )


def _no_profile_note() -> InputWarning:
    message = "There is no profile, so no layer has a time."
    return InputWarning(
        "degraded", "no-profile", message, affects=("latency", "layers"), hint=_NO_PROFILE_HINT
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


def _missing_notes(queries: QueryTimes | None, facts: SetupFacts) -> list[InputWarning]:
    """Return notes on what the report lacks because its files are missing."""
    notes = []
    if queries is None:
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


def _names_only_note() -> InputWarning:
    message = "The layers have names and nothing else: the engine was built without detailed verbosity."
    return InputWarning(
        "degraded", "names-only", message, "", ("graph", "memory", "precision"), _NAMES_ONLY_HINT
    )


def _layer_notes(layers: Sequence[Layer], rewritten: set[str]) -> list[InputWarning]:
    notes = []
    doubles = sum(layer.key != layer.name for layer in layers)
    if doubles:
        message = f"Layers with the name of an earlier one, distinguished by their order: {doubles}."
        notes.append(InputWarning("repaired", "duplicate-names", message))
    if rewritten:
        message = f"Tensor names that stand for several values in turn, each counted apart: {len(rewritten)}."
        notes.append(InputWarning("info", "reused-tensor-names", message))
    dynamic = sum(
        any(-1 in tensor.dimensions for tensor in (*layer.inputs, *layer.outputs)) for layer in layers
    )
    if dynamic:
        message = f"Layers with tensors of dynamic shape, whose size is unknown: {dynamic}."
        hint = (
            "Export the layer information in the run that measures, with --shapes; "
            "Myelin kernels keep unknown shapes even then."
        )
        notes.append(InputWarning("degraded", "dynamic-shapes", message, "", ("memory",), hint))
    return [*notes, *_format_notes(layers)]


def _format_notes(layers: Sequence[Layer]) -> list[InputWarning]:
    unknown = {
        tensor.format.text
        for layer in layers
        for tensor in (*layer.inputs, *layer.outputs)
        if tensor.format.bits is None
    }
    if not unknown:
        return []
    shown = ", ".join(repr(each) for each in sorted(unknown)[:3])
    more = f" and {len(unknown) - 3} more" if len(unknown) > 3 else ""
    message = f"Tensor formats that are not known, so that sizes count as unknown: {shown}{more}."
    return [InputWarning("degraded", "unknown-formats", message, "", ("memory", "precision"))]


def _name_of(sources: Sequence[Source], role: str) -> str:
    return next((source.name for source in sources if source.role == role), "the log")
