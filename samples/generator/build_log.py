"""Write what TensorRT logs of a build: its layers at the end, in each of the forms of its versions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

#: How the three forms of a tensor are written: up to 8.5, from 8.6 on.
_TENSOR_FORMS = {"8.5": "{name}[{type}({extents})]", "8.6": "{name} ({type}[{extents}])"}
#: Data types as the builder writes them, by what the inspector's descriptions contain.
_TYPES = {
    "FP16": "Half",
    "Half": "Half",
    "Int8": "Int8",
    "INT8": "Int8",
    "Int32": "Int32",
    "INT32": "Int32",
    "Int64": "Int64",
    "Bool": "Bool",
    "BF16": "BFloat16",
    "FP8": "FP8",
}


#: The columns of the table of an operation's tactics.
TABLE_HEAD = (
    "tactic_id, cost(in ms), cost/fastest_cost, prediction_correlation, kernel_name, tactic_hash, "
    "tunable_parameter"
)


def one_line_layers(graph: Mapping[str, Any], stamp: str = "[11/20/2026-10:00:09] [I] ") -> list[str]:
    """Return the lines of `LayerInformationFormat.ONELINE`, as trtexec's --dumpLayerInfo prints them."""
    return [
        f"{stamp}Layer Information:",
        f"{stamp}Layers:",
        *(_one_line(layer) for layer in graph["Layers"]),
        "",
        "Bindings:",
        *graph.get("Bindings", ()),
    ]


def verbose_layers(
    graph: Mapping[str, Any], version: str, stamp: str = "[11/20/2026-10:00:08] [V] [TRT] "
) -> list[str]:
    """Return the lines of layers that end a verbose build.

    Args:
        graph: Layer information with records.
        version: "7" (a prefix on each line), "8.5" or "8.6" (the form of 8.6 to 10).
        stamp: What precedes a message.
    """
    form = _TENSOR_FORMS["8.6" if version == "8.6" else "8.5"]
    each = stamp if version == "7" else ""
    return [f"{stamp}Engine Layer Information:", *(each + _verbose(layer, form) for layer in graph["Layers"])]


def _one_line(layer: Mapping[str, Any] | str) -> str:
    if isinstance(layer, str):
        return layer
    return ", ".join(f"{key}: {_one_line_value(value)}" for key, value in layer.items())


def _one_line_value(value: Any) -> str:
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        return "[ " + ", ".join("{ " + _one_line(item) + " }" for item in value) + "]"
    if isinstance(value, str):
        return value
    return json.dumps(value, separators=(",", ":")) if isinstance(value, list) else json.dumps(value)


def _verbose(layer: Mapping[str, Any], form: str) -> str:
    tactic = layer.get("TacticValue", "0x0000000000000000")
    read, written = (_tensors(layer.get(key, ()), form) for key in ("Inputs", "Outputs"))
    return f"Layer({layer['LayerType']}): {layer['Name']}, Tactic: {tactic}, {read} -> {written}"


def _tensors(tensors: Iterable[Mapping[str, Any]], form: str) -> str:
    return ", ".join(
        form.format(
            name=tensor["Name"],
            type=data_type(tensor["Format/Datatype"]),
            extents=extents(tensor["Dimensions"]),
        )
        for tensor in tensors
    )


def data_type(description: str) -> str:
    """Return the data type that the inspector describes, as the builder writes it."""
    return next((name for part, name in _TYPES.items() if part in description), "Float")


def extents(dimensions: Sequence[int]) -> str:
    """Return extents as the builder writes them."""
    return ",".join(map(str, dimensions))


def timed_layer(
    name: str, runner: str, formats: Mapping[str, Sequence[tuple[str, str, float]]], version: str
) -> list[str]:
    """Return the lines of a layer whose tactics are timed for some combinations of formats.

    Args:
        name: Of the layer.
        runner: The kind of implementation.
        formats: "Half(8,1) -> Half(8,1)" to kernel, tactic and time in ms; none where no tactic is valid.
        version: "8.4" (the kernel in a line before), or "10" (with the time that timing took, 0.25 s each).
    """
    stamp = "[11/20/2026-10:00:05] [V] [TRT] "
    lines = [f"{stamp}=============== Computing costs for {name if version == '10' else ''}"]
    for text, tactics in formats.items():
        lines.append(f"{stamp}*************** Autotuning format combination: {text} ***************")
        if not tactics and version == "10":
            lines.append(f"{stamp}Skipping {runner}: No valid tactics for {name}")
            continue
        kind = f"{runner}[0x80000009]" if version == "10" else runner
        lines.append(f"{stamp}--------------- Timing Runner: {name} ({kind})")
        if not tactics:
            lines.append(f"{stamp}{runner} has no valid tactics for this config, skipping")
            continue
        for kernel, tactic, time_ms in tactics:
            if version == "10":
                named = f"Tactic Name: {kernel} " if kernel else ""
                lines.append(f"{stamp}{named}Tactic: {tactic} Time: {time_ms:g}")
            else:
                lines += [f"{stamp}{name} Set Tactic Name: {kernel} Tactic: {tactic}"] if kernel else []
                lines.append(f"{stamp}Tactic: {tactic} Time: {time_ms:g}")
        fastest = min(tactics, key=lambda each: each[2])
        done = f"{name} ({kind}) profiling completed in 0.25 seconds. " if version == "10" else ""
        lines.append(f"{stamp}{done}Fastest Tactic: {fastest[1]} Time: {fastest[2]:g}")
        lines.append(f"{stamp}>>>>>>>>>>>>>>> Chose Runner Type: {runner} Tactic: {fastest[1]}")
    return lines


def timed_operation(name: str, tactics: Sequence[tuple[str, str, float]]) -> list[str]:
    """Return the lines of an operation inside a Myelin region; tactics are kernel, hash and time in ms."""
    stamp = "[11/20/2026-10:00:06] [V] [TRT]  (foreignNode) "
    ordered = sorted(tactics, key=lambda each: each[2])
    return [
        f"{stamp}Autotuning op {name}: [ONNX Layer: {name}]",
        f"{stamp}Sorted table of all evaluated tactics:",
        f"{stamp}{TABLE_HEAD}",
        *(
            f"{stamp}{at:4}, {time_ms:.7f}, {time_ms / ordered[0][2]:.5f}, 0.92564, {kernel}, {tactic},"
            for at, (kernel, tactic, time_ms) in enumerate(ordered)
        ),
    ]
