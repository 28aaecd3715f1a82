"""Read the time of each layer in each profiled iteration (`X.engine.samples.json`).

trexreport's own form: `{"layers": [{"name": "conv1", "samples_ms": [0.101, 0.099]}, …]}`, the layers in the
order in which the profiler reported them. Names may repeat, which is why it is a list.
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import replace
from typing import Any

from trexreport.model import InputWarning
from trexreport.numbers import layer_label
from trexreport.reader.impossible import ImpossibleValues, quoted
from trexreport.reader.json_text import parse_json
from trexreport.reader.layer_profile import LayerProfile, time_of_samples, unmeasured_if_zero
from trexreport.reader.profile_file import read_samples
from trexreport.reader.profile_values import ProfileRow
from trexreport.reader.values import records, text


def is_layer_samples(document: Any) -> bool:
    """Return whether a JSON document has the shape of layer samples."""
    layers = document.get("layers") if isinstance(document, dict) else None
    return isinstance(layers, list) and any("samples_ms" in each for each in records(layers[:50]))


def read_layer_samples(content: str, name: str) -> LayerProfile:
    """Read samples as a profile whose figures are computed from them.

    Raises:
        InputError: The text holds no samples of layers.
    """
    document, notes = parse_json(content, name, is_layer_samples)
    values = ImpossibleValues(name, ("latency", "layers"))
    rows = []
    for record in records(document["layers"]):
        layer = text(record.get("name"))
        samples = read_samples(record.get("samples_ms"), quoted(layer), values)
        rows.append(ProfileRow(layer, time_of_samples(samples) if samples else None))
    notes += values.notes()
    iterations = max((len(row.time.samples_ms) for row in rows if row.time), default=0)
    timed, zero = unmeasured_if_zero(rows, name)
    return LayerProfile(timed, iterations, (*notes, *zero))


def with_samples(profile: LayerProfile, samples: LayerProfile, name: str) -> LayerProfile:
    """Return a profile whose layers have their single times, by name and then by order.

    What the profile itself states is left as it is.
    """
    waiting: dict[str, deque[tuple[float, ...]]] = defaultdict(deque)
    for row in samples.rows:
        waiting[row.name].append(row.time.samples_ms if row.time else ())
    rows = []
    for row in profile.rows:
        queue = waiting.get(row.name)
        found = queue.popleft() if queue else ()
        rows.append(replace(row, time=replace(row.time, samples_ms=found)) if row.time and found else row)
    left = [layer for layer, queue in waiting.items() for _ in queue]
    notes = [*profile.notes, *samples.notes]
    if left:
        such = layer_label(left[0])
        message = f"Layers of {name} that are not in the profile: {len(left)}, such as {such}."
        notes.append(InputWarning("degraded", "samples-without-layer", message, name, ("latency",)))
    return LayerProfile(tuple(rows), profile.iterations, tuple(notes))
