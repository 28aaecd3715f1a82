"""Describe what the engine is, on what it ran and how it was built."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath, PureWindowsPath

from trexreport.analyzer.analysis import Identity
from trexreport.analyzer.analysis.engine import BindingFacts, InputShape
from trexreport.model import Binding, BindingMode, DataFormat, Engine, Setup, application
from trexreport.model.commands import BATCH, allowed_precisions, model_of_commands
from trexreport.model.implicit_batch import may_ignore_batch, samples_per_query
from trexreport.model.named_types import possible_types, types_in_names
from trexreport.model.stated_shapes import common_batch, is_shape_of, stated_shapes
from trexreport.regex import regex

_ENGINE = regex(r"--loadEngine=[\"']?([^\s\"']{1,4000})")
#: An image has no more without its batch.
_IMPLICIT_AXES = 3
_SETTINGS = (
    ("Device", "device"),
    ("Model", "model_options"),
    ("Builder", "build_options"),
    ("Build figures", "build_facts"),
    ("Inference", "inference_options"),
)


def identify(engine: Engine) -> Identity:
    """Return the engine's identity; what no file states is an empty text."""
    setup = engine.setup
    bound = [binding for binding in engine.bindings if binding.mode == "input" and binding.tensor]
    bound = [binding for binding in bound if binding.is_listed] or bound
    inputs = _of_layers(bound, setup) if bound else _of_log(setup)
    precisions = allowed_precisions(setup)
    return Identity(
        name=engine.name,
        model=_file_name(setup.model_options.get("Model", "") or model_of_commands(setup.commands)),
        gpu=setup.device.get("Selected Device", ""),
        tensorrt_version=setup.tensorrt_version,
        precisions=precisions,
        inputs=inputs,
        batch=_batch(engine, inputs, is_stated_alone=not bound),
        synthetic="Synthetic" in engine.engine_metadata,
        names_only=engine.names_only,
        optimization_profile=engine.optimization_profile,
        optimization_profiles=list(engine.optimization_profiles),
        named_precisions="" if precisions else _named_precisions(engine),
        board=setup.device.get("Board", ""),
    )


def _named_precisions(engine: Engine) -> str:
    shown = next((log.types for log in engine.logs if log.is_shown), ())
    capability = engine.setup.device.get("Compute Capability", "")
    return "+".join(possible_types(shown or types_in_names(_names(engine)), capability))


def _names(engine: Engine) -> list[str]:
    """Return the names of an engine and of the files that were loaded."""
    files = (_file_name(file) for command in engine.setup.commands for file in _ENGINE.findall(command))
    return [engine.name, *files]


def option_sections(engine: Engine) -> dict[str, dict[str, str]]:
    """Return trtexec's options, build figures and times of an application by title, where there are any."""
    found = {title: dict(getattr(engine.setup, name)) for title, name in _SETTINGS}
    built = found["Build figures"]
    found[application.TITLE] = {key: built.pop(key) for key in application.KEYS if key in built}
    other = {
        str(key): value if isinstance(value, str) else repr(value)
        for key, value in engine.engine_metadata.items()
    }
    return {title: values for title, values in {**found, "Engine": other}.items() if values}


def describe_bindings(engine: Engine) -> list[BindingFacts]:
    """Return the inputs and outputs in the file's order; of a log alone those that trtexec created."""
    if not engine.bindings:
        setup = engine.setup
        of_log: dict[BindingMode, dict[str, tuple[int, ...]]] = {
            "input": setup.inputs(),
            "output": setup.outputs(),
        }
        return [
            BindingFacts(
                name, mode, list(extents), kind := setup.io_types.get(name, ""), _bytes(kind, extents)
            )
            for mode, created in of_log.items()
            for name, extents in created.items()
        ]
    in_run = shapes_in_run(engine)
    return [
        BindingFacts(
            name=each.name,
            mode=each.mode,
            dimensions=list(each.tensor.dimensions) if each.tensor else [],
            format=each.tensor.format.short if each.tensor else "",
            size_bytes=each.tensor.size_bytes if each.tensor else None,
            shape_range=[list(shape) for shape in each.shape_range] if each.shape_range else None,
            run_dimensions=list(extents) if (extents := in_run.get(each.name)) else None,
            run_bytes=each.tensor.format.size_bytes(extents) if each.tensor and extents else None,
        )
        for each in engine.bindings
    ]


def shapes_in_run(engine: Engine) -> dict[str, tuple[int, ...]]:
    """Return by name the extents of dynamic inputs and outputs in the measured run, as far as stated."""
    setup = engine.setup
    shapes = {**stated_shapes(setup.commands).run, **setup.inputs(), **setup.outputs()}
    dynamic = (each for each in engine.bindings if each.tensor and min(each.tensor.dimensions, default=0) < 0)
    return {
        each.name: shapes[each.name]
        for each in dynamic
        if each.tensor and each.name in shapes and is_shape_of(shapes[each.name], each.tensor.dimensions)
    }


def _bytes(data_type: str, extents: Sequence[int]) -> int | None:
    """Return the size of a tensor whose type a log states; None without one."""
    return DataFormat(data_type, data_type).size_bytes(extents) if data_type else None


def _file_name(path: str) -> str:
    return PureWindowsPath(PurePosixPath(path).name).name if path else ""


def _of_layers(bound: list[Binding], setup: Setup) -> list[InputShape]:
    """Return the inputs of the layers; where their extents are dynamic, those that a log states."""
    inputs = [InputShape(each.name, list(each.tensor.dimensions)) for each in bound if each.tensor]
    created = {each.name: list(each.dimensions) for each in _of_log(setup)}
    return [
        InputShape(each.name, created[each.name])
        if each.name in created and is_shape_of(created[each.name], each.dimensions)
        else each
        for each in inputs
    ]


def _of_log(setup: Setup) -> list[InputShape]:
    """Return the inputs that trtexec's log created for the measured run, else those of its options."""
    inputs = setup.inputs() if setup.input_names else stated_shapes(setup.commands).run
    return [InputShape(name, list(extents)) for name, extents in inputs.items()]


def _batch(engine: Engine, inputs: Sequence[InputShape], *, is_stated_alone: bool) -> int | None:
    """Return the implicit batch size, else the first extent that inputs of rank 2 and more agree on.

    What a run of a loaded engine states may be ignored by the engine.

    Args:
        engine: Whose files may state an implicit batch size.
        inputs: With the extents of the run.
        is_stated_alone: No layer has the inputs; those of a log lack an implicit batch size, which it prints.
    """
    samples = samples_per_query(engine)
    if samples not in (None, 1) and may_ignore_batch(engine):
        return None
    printed = engine.setup.inference_options.get("Batch", "").strip()
    is_printed = is_stated_alone and printed.isascii() and printed.isdecimal()
    # trtexec up to 8.6 prints 1 for a loaded engine, too: shapes of four axes have the batch of their own.
    has_own = bool(inputs) and all(len(each.dimensions) > _IMPLICIT_AXES for each in inputs)
    has_own = has_own and printed == "1" and not any(map(BATCH.search, engine.setup.commands))
    if samples != 1 or (is_printed and not has_own):
        return samples
    outputs = (each.dimensions for each in describe_bindings(engine) if each.mode == "output")
    batch = common_batch((each.dimensions for each in inputs), outputs)
    return _named_batch(engine) if batch is None and is_stated_alone and not inputs else batch


def _named_batch(engine: Engine) -> int | None:
    """Return the batch size that the heading of a run, or names of its log and engine state.

    Of several logs it is that of the shown one, which the times of the others may contradict.
    """
    if shown := next((log for log in engine.logs if log.is_shown), None):
        return shown.batch
    # Imported late: only a log without inputs asks for it.
    from trexreport.model.named_batch import batch_in_names

    return batch_in_names([engine.setup.heading, *_names(engine)])
