"""What a capture lacks, and what is odd about its layers, as notes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from trexreport.model import Binding, DataFormat, InputWarning, Layer, QueryTimes, Setup, Source
from trexreport.model.commands import builds_detailed, exports_no_layers
from trexreport.model.data_format import BITS
from trexreport.model.execution import Framework
from trexreport.model.unknown_extents import has_dynamic_extent, keeps_unknown_extents
from trexreport.numbers import join_names, layer_label, list_names
from trexreport.reader.bindings import one_sided
from trexreport.reader.data_formats import NOT_RESOLVED
from trexreport.reader.dla_placement import PLACED
from trexreport.reader.graph_file import LayerGraph
from trexreport.reader.impossible import quoted
from trexreport.reader.layer_profile import LayerProfile
from trexreport.reader.setup_facts import SetupFacts
from trexreport.reader.shape_notes import unlike_shapes
from trexreport.reader.values import records
from trexreport.regex import regex

#: Layers that write what they compute.
_COMPUTING = frozenset(
    {"Convolution", "Deconvolution", "ConvActPool", "Pooling", "MatrixMultiply", "FullyConnected", "SoftMax"}
    | {"PointWise", "ElementWise", "Activation", "Scale", "Reformat", "gemm"}
)
#: What follows the name of an option, with or without quotes.
_VALUE = regex(r"""^[= ](?:(["'])([^"']{1,400})\1|([^\s"'`,;()-][^\s"'`,;()]{0,400}))""")
_BUILDS = regex(r"--(?:onnx|uff|model|deploy)\b")
_BUILD_AGAIN = "Build the engine again with --profilingVerbosity=detailed"
#: Where no file says that the TensorRT of a capture has that option.
_FROM_8_2 = f"From TensorRT 8.2 on: {_BUILD_AGAIN[0].lower()}{_BUILD_AGAIN[1:]}"
#: How a framework gives the layers of its engines.
_OF_FRAMEWORK: dict[Framework, str] = {
    "onnx-runtime": (
        "Set trt_dump_subgraphs, which writes each part that TensorRT runs as an ONNX file, and measure the "
        "slowest with trexreport run FILE."
    ),
    "torch-tensorrt": "Give the files *_layer_information.json and *_engine_execution_profile.trace.",
}
_NO_PROFILE_HINT = "Run trtexec with --exportProfile and --separateProfileRun to measure each layer."


def no_graph_note(
    profile: LayerProfile | None, graph: LayerGraph, setup: Setup, framework: Framework | None = None
) -> InputWarning:
    """Return the note that there is no layer information, and what is known of layers without it.

    The verbosity is part of an engine: one that is loaded has to be built again for it.

    Args:
        profile: The times of layers.
        graph: What is known of the layers.
        setup: Of the build and the run.
        framework: What ran the engines, if it was not trtexec.
    """
    source = profile.source if profile else "log"
    known = (
        f"the layers are known by name from the {source} alone"
        if graph.layers
        else "of the layers only the names are known that the log lists"
        if PLACED & setup.build_facts.keys()
        else "nothing is known of the layers"
    )
    is_loaded = any("--loadEngine" in each for each in setup.commands)
    is_built = any(_BUILDS.search(each) for each in setup.commands)
    written = [
        option
        for option in ("--exportLayerInfo", *(() if profile else ("--exportProfile",)))
        if any(option in each for each in setup.commands)
    ]
    is_profiled = profile is not None or "--exportProfile" in written
    times = "" if is_profiled else ", and with --exportProfile and --separateProfileRun for their times"
    if framework is not None and not setup.commands:
        hint = _OF_FRAMEWORK[framework]
    elif exports_no_layers(setup.tensorrt_version, setup.build_options, setup.build_facts):
        apart = " --separateProfileRun" if "Separate profiling" in setup.inference_options else ""
        run = _written_files(["--exportProfile"], setup.commands)
        run = run or f"Run trtexec with --exportProfile{apart}"
        names = f"{run}: it names the layers, with their times."
        hint = "TensorRT exports it from 8.2 on." if profile else names
    elif "--exportLayerInfo" in written:
        hint = f"{_written_files(written, setup.commands)}, too."
    elif written and is_built:
        hint = (
            f"{_written_files(written, setup.commands)}, too. For types and tensors add "
            "--profilingVerbosity=detailed and --exportLayerInfo to the command."
        )
    elif is_loaded and not is_built:
        hint = f"{_BUILD_AGAIN}, and run it with --exportLayerInfo{times}."
    elif source == "profile" and not setup.tensorrt_version and profile and _has_old_format(profile):
        hint = f"{_FROM_8_2}, and run it with --exportLayerInfo."
    elif builds_detailed(setup.commands):
        prints = any("--dumpLayerInfo" in each for each in setup.commands)
        whole = "Give the whole log, in which --dumpLayerInfo lists the layers, or add " if prints else "Add "
        hint = f"{whole}--exportLayerInfo to the command{times}."
    else:
        hint = f"Run trtexec with --profilingVerbosity=detailed and --exportLayerInfo{times}."
    return InputWarning(
        "degraded",
        "no-graph",
        f"There is no layer information: {known}.",
        affects=("graph", "layers", "memory", "precision"),
        hint=hint,
    )


def _written_files(options: Sequence[str], commands: Sequence[str]) -> str:
    """Return the advice to give the files that options of the commands write; empty where none has them."""
    given = [option for option in options if any(option in each for each in commands)]
    values = [_VALUE.match(each.partition(option)[2]) for option in given for each in commands]
    paths = [found[2] or found[3] for found in values if found]
    if not given:
        return ""
    names = [name for path in dict.fromkeys(paths) if (name := re.split(r"[/\\]", path)[-1])]
    what = join_names(names) if names else "what"
    verb = "writes" if len(given) == 1 else "write"
    return f"Give {what}{', which' if names else ''} {join_names(given)} of the command {verb}"


def _has_old_format(profile: LayerProfile) -> bool:
    """Return whether no layer has a median, as trtexec of TensorRT 8.4 and older writes profiles."""
    times = [row.time for row in profile.rows if row.time is not None]
    return bool(times) and all(time.median_ms is None for time in times)


def missing_notes(
    graph: LayerGraph | None,
    layers: Sequence[Layer],
    profile: LayerProfile | None,
    runs: Sequence[QueryTimes],
    facts: SetupFacts,
) -> list[InputWarning]:
    """Return notes on what the report lacks because its files are missing, or hold names only."""
    notes = []
    if graph and graph.names_only:
        message = "The layers have names and nothing else: the engine was built without detailed verbosity."
        affects = ("graph", "memory", "precision")
        version = facts.setup.tensorrt_version
        has_option = version and not exports_no_layers(version, {}, {})
        hint = f"{_BUILD_AGAIN if has_option else _FROM_8_2}."
        notes.append(InputWarning("degraded", "names-only", message, "", affects, hint))
    if profile is None and layers:
        is_cut = any(note.slug == "log-cut-table" for note in facts.notes)
        message = f"There is no {'whole ' if is_cut else ''}profile, so no layer has a time."
        notes.append(
            InputWarning("degraded", "no-profile", message, "", ("latency", "layers"), _NO_PROFILE_HINT)
        )
    if not runs:
        message = "There are no times of single queries, so nothing is known of how stable they were."
        hint = "Run trtexec with --exportTimes."
        notes.append(InputWarning("info", "no-timing", message, "", ("timing",), hint))
    if facts.is_empty:
        message = "No metadata file or log says on which device and how the engine was built and run."
        hint = "Keep trtexec's log beside the graph file."
        notes.append(InputWarning("info", "no-setup", message, "", ("overview", "build"), hint))
    return notes


def _without_results(layers: Sequence[Layer]) -> list[InputWarning]:
    """Return a note if layers that compute state no output, though others do."""
    lacking = [layer.name for layer in layers if layer.type in _COMPUTING and not layer.outputs]
    if not lacking or not any(layer.outputs for layer in layers):
        return []
    message = (
        f"Layers that compute and state no output: {list_names(list(map(layer_label, lacking)), 3)}. What "
        "reads their results seems to read constants, so that connections, weights and memory are wrong."
    )
    hint = "Give the file of trtexec's --exportLayerInfo as it is."
    return [InputWarning("degraded", "layers-without-outputs", message, "", ("graph", "memory"), hint)]


def copied_files(sources: Sequence[Source]) -> list[InputWarning]:
    """Return a note for each file that has the content of one of another kind."""
    notes: list[InputWarning] = []
    first: dict[bytes, Source] = {}
    for source in sources:
        other = first.setdefault(source.data, source)
        if source.data and other.role != source.role:
            message = (
                f"{other.name} and {source.name} have the same content: one of them is a copy of the other, "
                "and what it should hold is missing."
            )
            hint = "Give the file that was written under this name."
            affects = ("build", "timing")
            notes.append(InputWarning("degraded", "copied-file", message, source.name, affects, hint))
    return notes


def layer_notes(
    layers: Sequence[Layer],
    bindings: Sequence[Binding],
    rewritten: set[str],
    name: str,
    commands: Sequence[str] = (),
) -> list[InputWarning]:
    """Return notes on layers and tensors.

    Args:
        layers: All of the engine.
        bindings: Its inputs and outputs.
        rewritten: Names of tensors that are written several times.
        name: That of the file.
        commands: Of the runs.
    """
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
    else:
        notes += _without_results(layers)
    notes += unlike_shapes(layers, bindings, name)
    types = _dynamic_types(layers)
    dynamic = len(types)
    if dynamic and not any(_states_shapes(layer) for layer in layers):
        message = "No tensor states its shape, so no size is known."
        notes.append(InputWarning("degraded", "no-shapes", message, "", ("memory",)))
    elif dynamic:
        is_typed = all(each.text != NOT_RESOLVED for each in _formats(layers))
        of_them = "size is" if is_typed else "size, type and layout are"
        message = f"Layers with tensors of dynamic shape, whose {of_them} unknown: {dynamic}."
        given = any("--shapes=" in each and "--exportLayerInfo" in each for each in commands)
        is_in_any_run = given or all(map(keeps_unknown_extents, types))
        hint = (
            "Myelin kernels keep unknown shapes in any run; build with fixed shapes to see them."
            if is_in_any_run
            else "Export the layer information in the run that measures, with --shapes; "
            "Myelin kernels keep unknown shapes even then."
        )
        notes.append(InputWarning("degraded", "dynamic-shapes", message, "", ("memory",), hint))
    # Of formats that wait for a shape the note on dynamic shapes says all.
    formats = {each for each in _formats(layers) if not (dynamic and each.text == NOT_RESOLVED)}
    notes += _format_notes(layers, formats)
    return [replace(note, source=name) for note in notes]


def _dynamic_types(layers: Sequence[Layer]) -> list[str]:
    """Return the types of the layers with a tensor whose extents are known only at run time."""
    shapes = {tensor.dimensions for layer in layers for tensor in layer.inputs + layer.outputs}
    dynamic = {shape for shape in shapes if -1 in shape}
    if not dynamic:
        return []
    return [
        layer.type
        for layer in layers
        if any(each.dimensions in dynamic for each in layer.inputs + layer.outputs)
        and has_dynamic_extent(layer.attributes, layer.inputs, layer.outputs)
    ]


def _states_shapes(layer: Layer) -> bool:
    tensors = (each for key in ("Inputs", "Outputs") for each in records(layer.attributes.get(key)))
    return any(isinstance(each.get("Dimensions"), list) for each in tensors)


def _lacks_format(layer: Layer) -> bool:
    tensors = (each for key in ("Inputs", "Outputs") for each in records(layer.attributes.get(key)))
    return any("Format/Datatype" not in each and "Format" not in each for each in tensors)


def _formats(layers: Sequence[Layer]) -> set[DataFormat]:
    # Equal ones are one object, and to hash each takes longer.
    return set(
        {id(each.format): each.format for layer in layers for each in layer.inputs + layer.outputs}.values()
    )


def _format_notes(layers: Sequence[Layer], formats: Iterable[DataFormat]) -> list[InputWarning]:
    unknown = {each.text for each in formats if each.data_type not in BITS}
    if "" in unknown and not any(map(_lacks_format, layers)):
        unknown.discard("")  # Of a type that another note calls impossible.
    if not unknown:
        return []
    first: dict[str, str] = {}
    for layer in layers:
        for tensor in (*layer.inputs, *layer.outputs):
            if tensor.format.text in unknown:
                first.setdefault(tensor.format.text, quoted(layer.name))
    texts = [f"{quoted(each) if each else 'no format'} in {first[each]}" for each in sorted(unknown)]
    shown = list_names(texts, 3)
    message = f"Tensor formats that are not known, so that sizes count as unknown: {shown}."
    return [InputWarning("degraded", "unknown-formats", message, "", ("memory", "precision"))]
