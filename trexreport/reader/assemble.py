"""Put the files of a capture together into one engine."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from trexreport.errors import InputError
from trexreport.model import Engine, InputWarning, Layer, Source, application
from trexreport.model.capture import STATES_ERROR
from trexreport.model.fused_names import is_dla_transfer
from trexreport.model.kernel_trace import KernelTrace
from trexreport.reader import graph_file, layer_names
from trexreport.reader.bindings import resolve_bindings
from trexreport.reader.capture import Capture
from trexreport.reader.capture_notes import (
    copied_files,
    layer_notes,
    missing_notes,
    no_graph_note,
)
from trexreport.reader.capture_reading import CaptureReading, name_of
from trexreport.reader.contradictions import with_contradictions
from trexreport.reader.file_groups import captures_in
from trexreport.reader.graph_file import LayerGraph, RawLayer
from trexreport.reader.join import join_profile
from trexreport.reader.layer_profile import LayerProfile
from trexreport.reader.layer_types import layer_type
from trexreport.reader.log_choice import LogChoice
from trexreport.reader.optimization_profiles import choose_profile
from trexreport.reader.setup_facts import SetupFacts
from trexreport.reader.setup_files import describe_setup_files, join_setup, read_setup
from trexreport.reader.values import text
from trexreport.reader.versions import TensorVersions
from trexreport.remembered import RememberedOfObjects

#: The most captures and logs beside the shown one that are read for their findings.
_MOST_OTHERS = 24
#: Of graphs that are remembered, too, as all runs of one model in a site have the same.
_layers: RememberedOfObjects[tuple[tuple[Layer, ...], set[str]]] = RememberedOfObjects(4000)


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
    sources, log_notes, logs, others = _shown_sources(capture.sources)
    reading = CaptureReading(sources, stated)
    graph_in_file, profile_in_file = reading.graph(), reading.profile()
    setup_files = read_setup(sources, stated)
    runs, gpu = reading.runs(setup_files), reading.gpu()
    execution, onnx, tactics = reading.execution(), reading.onnx(), reading.tactics()
    facts = _with_conditions(join_setup(setup_files), reading.conditions())
    # What is noted of these is complete from here on.
    kernels, counters, accuracy = reading.kernels(), reading.counters(), reading.accuracy()
    profile = profile_in_file or facts.profile or (_times_of_trace(kernels) if not graph_in_file else None)
    graph = _with_logs(graph_in_file or _graph_from_profile(profile), list(reading.logs()))
    notes = [*capture.notes, *copied_files(capture.sources), *log_notes, *reading.notes]
    notes += _notes_beside(graph, facts)
    is_failed = any(note.slug == "log-failed" for note in notes)
    has_content = graph_in_file or graph.layers or runs or execution or tactics or is_failed or kernels
    if not has_content and facts.is_empty:
        # Imported late: most captures have something.
        from trexreport.reader.recognized import nothing_usable

        raise nothing_usable(capture.name, facts.errors, sources, (*notes, *facts.notes))
    is_known = graph_in_file is not None or bool(graph.layers and not graph.names_only)
    if not is_known:
        note = no_graph_note(profile, graph, facts.setup, execution.framework if execution else None)
        # Where nothing was built there is nothing to write.
        stopped = any(each.slug == "log-unfinished" and STATES_ERROR in each.message for each in facts.notes)
        notes.append(replace(note, hint="") if is_failed or (stopped and not runs) else note)
    wanted = optimization_profile if optimization_profile is not None else capture.optimization_profile
    chosen = choose_profile(graph, profile, wanted)
    listed, copy_notes = _with_dla_copies(chosen.layers, profile)
    notes += copy_notes
    layers, rewritten = _layers.get(listed, lambda: _read_layers(listed))
    if profile is not None:
        layers, join_notes = join_profile(layers, profile, name_of(sources, "profile"))
        notes += [*profile.notes, *join_notes]
    bindings, binding_notes = resolve_bindings(
        graph, layers, chosen.index, facts.setup, name_of(sources, "graph")
    )
    notes += [*graph.notes, *chosen.notes, *binding_notes]
    notes += layer_notes(layers, bindings, rewritten, name_of(sources, "graph"), facts.setup.commands)
    notes += missing_notes(graph if is_known else None, layers, profile, runs, facts)
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
        counters=counters,
        accuracy=accuracy,
        execution=execution,
        onnx=onnx,
        tactics=tactics,
        setup=facts.setup,
        engine_metadata={**graph.metadata, **facts.extra},
        sources=capture.sources,
        logs=tuple(logs),
        other_logs=tuple(_each_alone(others[:_MOST_OTHERS])),
        notes=tuple(dict.fromkeys(notes)),
        files=(*reading.facts, *describe_setup_files(setup_files, reading.timing_names)),
    )
    return with_contradictions(engine)


def _each_alone(captures: Iterable[Capture]) -> Iterator[Engine]:
    """Yield what each of some captures and logs states by itself."""
    for capture in captures:
        # A log of another program states nothing.
        with contextlib.suppress(InputError):
            yield assemble(capture)


def _shown_sources(sources: Sequence[Source]) -> LogChoice:
    roles = [source.role for source in sources]
    if "log" not in roles and len(set(roles)) == len(roles):
        return LogChoice(sources)
    # Imported late, as below: a capture may have no log, and most are alone.
    if len(captures := captures_in(sources)) > 1:
        from trexreport.reader.several_captures import choose_capture

        return choose_capture(captures)
    from trexreport.reader.log_sources import with_plain_logs

    return with_plain_logs(sources)


def _with_logs(graph: LayerGraph, logs: Sequence[str]) -> LayerGraph:
    if not logs:
        return graph
    from trexreport.reader.logged_layers import with_logged_layers

    return with_logged_layers(graph, logs)


def _with_dla_copies(
    layers: tuple[RawLayer, ...], profile: LayerProfile | None
) -> tuple[tuple[RawLayer, ...], Sequence[InputWarning]]:
    """Return the layers with the copies of a DLA that only the profile has, and the note on them."""
    if profile is None or not any(is_dla_transfer(row.name) for row in profile.rows):
        return layers, ()
    # Imported late: few engines run on a DLA.
    from trexreport.reader.dla_copies import unlisted_dla_copies

    copies = unlisted_dla_copies(layers, profile)
    return (*layers, *copies.layers), copies.notes


def _notes_beside(graph: LayerGraph, facts: SetupFacts) -> list[InputWarning]:
    """Return the notes on logs, where one that lists layers or times of images may be of another program."""
    has_images = not facts.setup.build_facts.keys().isdisjoint(application.KEYS)
    listed = {note.slug for note in graph.notes} & {"layers-from-log", "layers-from-one-line-log"}
    if not (listed or has_images):
        return list(facts.notes)
    return [each for each in facts.notes if each.slug != "log-not-trtexec"]


def _with_conditions(facts: SetupFacts, conditions: Mapping[str, str]) -> SetupFacts:
    if not conditions:
        return facts
    options = {**conditions, **facts.setup.inference_options}
    return replace(facts, setup=replace(facts.setup, inference_options=options))


def _read_layers(raw_layers: Sequence[RawLayer]) -> tuple[tuple[Layer, ...], set[str]]:
    """Return layers without their times, and the names of tensors that are written again after a read."""
    versions = TensorVersions()
    layers = tuple(read_layer(index, raw, key, versions) for index, raw, key in _keyed(raw_layers))
    return layers, versions.rewritten


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
    read_tensors, metadata = graph_file.read_tensors, text(record.get("Metadata"))
    # A kernel that Myelin generated may have the name of its only node.
    tactic = text(record.get("TacticName"))
    nodes = layer_names.origins(metadata) or layer_names.torch_origins(raw.name)
    # By position, as there are tens of thousands.
    return Layer(
        index,
        key,
        raw.name,
        layer_type(record),
        text(record.get("LayerType")),
        read_tensors(record, "Inputs", versions.read),
        read_tensors(record, "Outputs", versions.written),
        read_tensors(record, "Constants"),
        graph_file.read_weights(record),
        tactic,
        graph_file.stream(record),
        nodes,
        layer_names.myelin_operations(raw.name, nodes) or layer_names.myelin_operations(tactic, nodes),
        record,
    )


def _times_of_trace(trace: KernelTrace | None) -> LayerProfile | None:
    if trace is None:
        return None
    # Imported late: few captures have a trace and no layers.
    from trexreport.reader.nsight.layer_times import times_of_trace

    return times_of_trace(trace)


def _listed_ms(layers: Sequence[Layer]) -> float:
    return math.fsum(layer.time.avg_ms for layer in layers if layer.time is not None)


def _graph_from_profile(profile: LayerProfile | None) -> LayerGraph:
    rows = profile.rows if profile else ()
    return LayerGraph(tuple(RawLayer(row.name, {}) for row in rows), names_only=bool(rows))
