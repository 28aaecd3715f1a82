"""Read what a program that is not trtexec prints of a build beside TensorRT's own messages.

Polygraphy: "    Flags             | [FP16, INT8]", before 0.38 "    Precision | TF32: False, FP16: True".
Ultralytics: "Ultralytics 8.3.0 Python-3.10.12 torch-2.3.0 CUDA:0 (Orin, 15657MiB)", "TensorRT: starting
export with TensorRT 10.3.0..." and "TensorRT: building FP16 engine as yolo11n.engine".
"""

from __future__ import annotations

from collections.abc import Mapping

from trexreport.regex import regex

_FLAGS = regex(r" {2,8}Flags +\| \[([A-Z0-9_, ]{0,400})\]")
_PRECISION = regex(r" {2,8}Precision +\| (TF32: (?:True|False)(?:, [\w ]{1,40}: (?:True|False)){1,9})")
_TYPES = ("FP16", "BF16", "INT8", "FP8")
_DEVICE = regex(r"(?:Ultralytics|YOLOv\d) .{1,200}? CUDA:\d{1,2} \(([^()]{1,80}), (\d{1,7})MiB\)")
_BUILDING = regex(r"TensorRT: building (FP32|FP16|INT8) engine as ")
_VERSION = regex(r"TensorRT: starting export with TensorRT (\d{1,2}(?:\.\d{1,4}){1,3})")
_TENSORRT = "TensorRT: "


def stated_options(line: str) -> tuple[str, Mapping[str, list[str]]] | None:
    """Return the section of trtexec's log that has what a line states, and it by name as there."""
    if precision := _precision(line):
        return "Build Options", {"Precision": [precision]}
    if found := _DEVICE.match(line):
        return "Device Information", {
            "Selected Device": [found[1]],
            "Device Global Memory": [f"{found[2]} MiB"],
        }
    return None


def version_of_export(line: str) -> str:
    """Return the version of TensorRT that builds; empty for other lines."""
    found = _VERSION.match(line) if line.startswith(_TENSORRT) else None
    return found[1] if found else ""


def _precision(line: str) -> str:
    """Return the types that a line allows the builder, as trtexec writes them; empty for other lines.

    A strongly typed network has its types from the model.
    """
    if line.startswith(_TENSORRT):
        found = _BUILDING.match(line)
        return "+".join(dict.fromkeys(("FP32", found[1]))) if found else ""
    flags = _FLAGS.match(line)
    allowed = set(flags[1].split(", ")) if flags else set()
    if stated := _PRECISION.match(line):
        allowed = {each.partition(":")[0] for each in stated[1].split(", ") if each.endswith("True")}
    if not (flags or stated) or "STRONGLY_TYPED" in allowed:
        return ""
    return "+".join(["FP32", *(each for each in _TYPES if each in allowed)])
