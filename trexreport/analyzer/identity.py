"""Describe what the engine is, on what it ran and how it was built."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath, PureWindowsPath

from trexreport.analyzer.analysis import Identity
from trexreport.analyzer.analysis.engine import BindingFacts, InputShape
from trexreport.model import Binding, Engine
from trexreport.model.commands import model_of_commands, precisions_of_commands
from trexreport.model.implicit_batch import samples_per_query

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
    inputs = [binding for binding in engine.bindings if binding.mode == "input" and binding.tensor]
    return Identity(
        name=engine.name,
        model=_file_name(setup.model_options.get("Model", "") or model_of_commands(setup.commands)),
        gpu=setup.device.get("Selected Device", ""),
        tensorrt_version=setup.tensorrt_version,
        precisions=setup.build_options.get("Precision", "")
        or precisions_of_commands(setup.commands, setup.tensorrt_version),
        inputs=[InputShape(each.name, list(each.tensor.dimensions)) for each in inputs if each.tensor],
        batch=_batch(inputs, samples_per_query(engine)) if inputs else _stated_batch(engine),
        synthetic="Synthetic" in engine.engine_metadata,
        names_only=engine.names_only,
        optimization_profile=engine.optimization_profile,
        optimization_profiles=list(engine.optimization_profiles),
    )


def option_sections(engine: Engine) -> dict[str, dict[str, str]]:
    """Return trtexec's option sections and build figures by title, those without content left out."""
    found = {title: dict(getattr(engine.setup, name)) for title, name in _SETTINGS}
    other = {
        str(key): value if isinstance(value, str) else repr(value)
        for key, value in engine.engine_metadata.items()
    }
    return {title: values for title, values in {**found, "Engine": other}.items() if values}


def describe_bindings(bindings: Iterable[Binding]) -> list[BindingFacts]:
    """Return the inputs and outputs in the file's order."""
    return [
        BindingFacts(
            name=each.name,
            mode=each.mode,
            dimensions=list(each.tensor.dimensions) if each.tensor else [],
            format=each.tensor.format.short if each.tensor else "",
            size_bytes=each.tensor.size_bytes if each.tensor else None,
            shape_range=[list(shape) for shape in each.shape_range] if each.shape_range else None,
        )
        for each in bindings
    ]


def _file_name(path: str) -> str:
    return PureWindowsPath(PurePosixPath(path).name).name if path else ""


def _stated_batch(engine: Engine) -> int | None:
    """Return the implicit batch size that trtexec printed; None for an explicit one, which inputs have."""
    stated = engine.setup.inference_options.get("Batch", "").strip()
    samples = samples_per_query(engine)
    return samples if (stated.isascii() and stated.isdecimal()) or samples != 1 else None


def _batch(inputs: list[Binding], samples: int | None) -> int | None:
    """Return the implicit batch size, else the first extent that the inputs of rank 2 and more agree on."""
    if samples != 1:
        return samples
    firsts = {each.tensor.dimensions[0] for each in inputs if each.tensor and len(each.tensor.dimensions) > 1}
    return firsts.pop() if len(firsts) == 1 and min(firsts) > 0 else None
