"""Write captures in files of any name: layers with their times, or the names of layers alone."""

from __future__ import annotations

import json
from math import fsum
from random import Random

from .capture import number
from .engine import SYNTHETIC_NOTE, Engine
from .roofline import Device, layer_ms


def plain_capture(
    engine: Engine, device: Device, *, names: tuple[str, str], iterations: int, seed: int
) -> dict[str, bytes]:
    """Return the layer information and the profile as `trtexec` exports them, with nothing else.

    Args:
        engine: The layers.
        device: The GPU that the times are estimated for; no file names it.
        names: Of the two files.
        iterations: How often the engine ran while it was profiled.
        seed: Of the noise.
    """
    profile = profile_json(engine, device, iterations, seed)
    return {names[0]: engine.graph_json().encode(), names[1]: profile.encode()}


def profile_json(engine: Engine, device: Device, iterations: int, seed: int) -> str:
    """Return the profile that goes with an engine, one record a line, as trtexec exports it."""
    rng = Random(seed)
    estimates = [
        layer_ms(layer, device, engine.dynamic_extent) * max(rng.gauss(1.0, 0.03), 0.9)
        for layer in engine.layers
    ]
    total = fsum(estimates) or 1.0
    rows = [f'{{ "count" : {iterations} }}']
    for layer, time in zip(engine.layers, estimates, strict=True):
        # Outliers are slow, so that the median is a little less than the mean.
        rows.append(
            f'{{ "name" : {json.dumps(layer.name, ensure_ascii=False)}, '
            f'"timeMs" : {number(time * iterations)}, "averageMs" : {number(time)}, '
            f'"medianMs" : {number(time * rng.uniform(0.97, 1.0))}, '
            f'"percentage" : {number(100 * time / total)} }}'
        )
    return "[\n  " + "\n, ".join(rows) + "\n]\n"


def names_json(engine: Engine) -> str:
    """Return what the inspector exports of an engine that was built without detailed verbosity."""
    names = [layer.name for layer in engine.layers]
    document = {"Synthetic": SYNTHETIC_NOTE, "Layers": names, **engine.closing}
    return json.dumps(document, indent=1) + "\n"
