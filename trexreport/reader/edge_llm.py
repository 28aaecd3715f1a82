"""Read the layer and end-to-end CSV files of TensorRT Edge-LLM's `llm_bench` and `visual_bench`.

`layer_MODE….csv` has a row for each layer: `layer_name, onnx_op, input_shapes, output_shapes, tactic_name,
input_data_types, output_data_types, category, time_ms_mean, time_ms_std, time_ms_min, time_ms_max,
batch_size` and what the mode is measured at, such as `input_len` (prefill) or `past_kv_len` (decode).
`onnx_op` is the inspector's Metadata. Tensors have no names. `e2e_MODE….csv` has one row: `mode, batch_size,
osl, e2e_time_ms, per_token_ms, throughput_tps` and the same. Quotes in names are not escaped. Source:
writeLayerInfoCsv and writeE2ECsv in the benchmark utilities of TensorRT Edge-LLM, 2026.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence

from trexreport.errors import InputError
from trexreport.lazy_dataclass import dataclass
from trexreport.model import InputWarning, LayerTime
from trexreport.numbers import format_ms
from trexreport.reader.graph_file import MAX_LAYERS, LayerGraph, RawLayer
from trexreport.reader.impossible import TIME_MS, ImpossibleValues, quoted
from trexreport.reader.layer_profile import LayerProfile
from trexreport.reader.profile_values import ProfileRow
from trexreport.reader.values import duration, number
from trexreport.regex import regex

LAYER_MARK = "layer_name,onnx_op,"
END_TO_END_MARK = "mode,batch_size,osl,e2e_time_ms,"
_LAYER_FILE, _END_TO_END_FILE = "layer_", "e2e_"
#: Column to attribute of a layer, as the inspector names it where it has one.
_ATTRIBUTES = {
    "category": "LayerType",
    "tactic_name": "TacticName",
    "onnx_op": "Metadata",
    "input_shapes": "Input shapes",
    "output_shapes": "Output shapes",
    "input_data_types": "Input data types",
    "output_data_types": "Output data types",
    "time_ms_std": "Standard deviation (ms)",
    "time_ms_min": "Minimum time (ms)",
    "time_ms_max": "Maximum time (ms)",
}
#: Column of what a mode is measured at to its name; the mode itself is in the name of the file.
_CONDITIONS = {
    "mode": "Mode",
    "batch_size": "Batch",
    "input_len": "Input length",
    "past_kv_len": "Past KV length",
    "verify_tree_size": "Verify tree size",
    "draft_tree_size": "Draft tree size",
    "image_height": "Image height",
    "image_width": "Image width",
    "image_tokens": "Image tokens",
    "osl": "Output length",
}
_LONGEST = 200
_MODE = regex(
    r"layer_(prefill|decode|visual|eagle_verify|eagle_draft_prefill|eagle_draft_proposal)", re.ASCII
)


@dataclass(frozen=True)
class LayerTable:
    """What a layer CSV states.

    Attributes:
        graph: The layers, without tensors.
        profile: Their times.
        conditions: Name to text of what it was measured at.
    """

    graph: LayerGraph
    profile: LayerProfile
    conditions: Mapping[str, str]


def read_layer_table(content: str, name: str) -> LayerTable:
    """Return the layers of a phase with their times.

    Raises:
        InputError: It is no such table, or holds no layer or more than an engine can have.
    """
    rows, lost = _rows(content, LAYER_MARK, name)
    if not rows:
        raise InputError(f"{name} holds no layers.", "Run the benchmark with layer profiling.")
    values = ImpossibleValues(name, ("latency", "layers"))
    layers, times = [], []
    for row in rows:
        layer = row["layer_name"]
        attributes = {key: row[column] for column, key in _ATTRIBUTES.items() if row.get(column)}
        layers.append(RawLayer(layer, {"Name": layer, **attributes}))
        stated = number(row.get("time_ms_mean", ""))
        mean = values.number(TIME_MS, stated, f"{quoted(layer)}.time_ms_mean")
        times.append(ProfileRow(layer, None if mean is None else LayerTime(duration(mean) or 0.0)))
    notes = list(values.notes())
    message = "TensorRT Edge-LLM states types and shapes of tensors without their names: no graph follows."
    notes.append(InputWarning("degraded", "no-tensor-names", message, name, ("graph", "memory", "precision")))
    if lost:
        message = (
            f"Lines in {name} that are not a layer's, and so were left out: {lost} of {lost + len(rows)}."
        )
        notes.append(InputWarning("degraded", "profile-records", message, name, ("latency",)))
    found = _MODE.match(name)
    conditions = {"Mode": found[1].replace("_", " ")} if found else {}
    return LayerTable(
        LayerGraph(tuple(layers), binding_names=()),
        LayerProfile(tuple(times), None, tuple(notes)),
        conditions | _conditions(rows[0]),
    )


def read_end_to_end(content: str, name: str) -> tuple[dict[str, str], list[InputWarning]]:
    """Return what the times of a whole run are and were measured at, name to text, and a note of them.

    Raises:
        InputError: It is no such table, or states no time.
    """
    rows, _ = _rows(content, END_TO_END_MARK, name)
    row = rows[0] if rows else {}
    times = {key: duration(row.get(key, "")) for key in ("e2e_time_ms", "per_token_ms")}
    rate = number(row.get("throughput_tps", ""))
    whole, token = times["e2e_time_ms"], times["per_token_ms"]
    if not whole:
        raise InputError(f"{name} states no time of a run.", "Run the benchmark again.")
    conditions = _conditions(row)
    stated = {"End-to-end time": format_ms(whole)}
    if token:
        stated["Time per token"] = format_ms(token)
    if rate is not None and rate > 0:
        stated["Throughput"] = f"{rate:g} tokens/s"
    listed = ", ".join(f"{key}: {value}" for key, value in {**stated, **conditions}.items())
    note = InputWarning("info", "end-to-end-time", f"Measured without profiling. {listed}.", name)
    return {**conditions, **stated}, [note]


def phase_name(name: str) -> str:
    """Return what a layer file is of, such as "decode_pastkvlen768"."""
    return name.removeprefix(_LAYER_FILE).removesuffix(".csv") or name


def companion(name: str) -> str:
    """Return how the end-to-end file beside a layer file is called; "" for files of other names."""
    if not name.startswith(_LAYER_FILE):
        return ""
    return f"{_END_TO_END_FILE}{name.removeprefix(_LAYER_FILE)}"


def _rows(content: str, mark: str, name: str) -> tuple[list[dict[str, str]], int]:
    """Return the rows of a table whose first cells are there, and how many lines are none."""
    lines = [line for line in content.split("\n") if line.strip()]
    begin = next((at for at, line in enumerate(lines[:5]) if line.startswith(mark)), None)
    if begin is None:
        raise InputError(f"{name} is not a table of TensorRT Edge-LLM.", "Give the file of its benchmark.")
    if len(lines) - begin > MAX_LAYERS:
        raise InputError(f"{name} holds more layers than an engine can.", "Is it the right file?")
    head = [cell.strip() for cell in lines[begin].split(",")]
    rows = [dict(zip(head, cells, strict=True)) for cells in _cells(lines[begin + 1 :], len(head), name)]
    return rows, len(lines) - begin - 1 - len(rows)


def _cells(lines: Sequence[str], count: int, name: str) -> Iterator[list[str]]:
    """Yield the cells of each line that has as many as the head."""
    for line in lines:
        try:
            found = next(csv.reader([line.rstrip("\r")]))
        except csv.Error:
            raise InputError(f"{name} is not readable CSV.", "Is it the right file?") from None
        if len(found) == count and found[0]:
            yield found


def _conditions(row: Mapping[str, str]) -> dict[str, str]:
    return {
        title: row[column].strip()[:_LONGEST]
        for column, title in _CONDITIONS.items()
        if row.get(column, "").strip()
    }
