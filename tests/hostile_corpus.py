"""Hostile texts, and captures and settings with these texts in every field.

The fields are found by walking files of a sample, not by a list: a field that a new version of TensorRT
brings is walked too as soon as a sample has it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from trexreport.reader.onnx import read_onnx
from trexreport.reader.onnx.structure import write_structure

SAMPLES = Path(__file__).resolve().parents[1] / "samples"
BY_KIND: dict[str, list[str]] = json.loads((Path(__file__).parent / "hostile" / "strings.json").read_text())
LONG = [
    "long " + "x" * 20_000,
    "e" + "\u0301" * 3_000,
    "<b class=hx70>" * 2_000,
    "A" * 300 + "<script>hx()</script>",
]
STRINGS: list[str] = [text for texts in BY_KIND.values() for text in texts] + LONG
#: Text that no parser reads as markup, for comparison.
CLEAN = [f"clean {number}" for number in range(len(STRINGS))]

#: Fields whose words are the format's own. As they are, rules find something; replaced, all is unknown.
_WORDS = {"LayerType", "ParameterType", "Format/Datatype", "Format", "Datatype", "Location", "Origin"}
_WORDS |= {"Activation", "Type", "schema", "Selected Device", "Compute Capability", "Precision"}
_METADATA = re.compile(r"(?<=\[ONNX Layer: )[^\]]+")
#: What exporters quote in the metadata of nodes: files of stack traces, modules and classes.
_QUOTED = re.compile(r"""(?<=File ")[^"]+|(?<=')[^',]+(?=')""")
_NODES_OF_LAYER = 7
_MOST_QUERIES = 60
_MANIFEST = {
    "schema": "trexreport-capture",
    "schema_version": 1,
    "generator": "trexreport",
    "complete": False,
    "failure": "It was killed.",
    "missing": {"x.engine.gpu.json": "The GPU was not watched."},
    "backend": "trtexec",
    "versions": {"tensorrt": "10.16.1", "trexreport": "0.1.0", "driver": "550.54"},
    "gpu": {"name": "NVIDIA L4", "driver": "550.54", "uuid": "GPU-1", "power_limit_w": 72.0, "SMs": "58"},
    "source": {"path": "x.onnx", "sha256": "aa"},
    "engine": {"path": "x.engine", "sha256": "bb", "size_bytes": 1_000_000},
    "started": "2026-01-02T03:04:05+00:00",
    "runs": [{"title": "build", "exit_status": 1, "command": ["trtexec", "--onnx=x.onnx"]}],
    "notes": ["Shapes were left out."],
}
_GPU = {
    "schema": "trexreport-gpu-samples",
    "schema_version": 1,
    "gpu": {"name": "NVIDIA L4", "power_limit_w": 72},
    "locked_sm_clock": "sustained",
    "phases": [{"name": "timing", "begin_s": 0, "end_s": 0.3}],
    "other_processes": [{"pid": 12, "program": "python", "memory_bytes": 1024}],
    "samples": {"time_s": [0, 0.1, 0.2], "sm_clock_mhz": [1500, 900, 1400], "throttle_reasons": [0, 4, 0]},
}
_LOG = """&&&& RUNNING TensorRT.trtexec [TensorRT v{0}] # trtexec --onnx={1} --saveEngine={2}
[01/0{day}/2026-03:04:05] [I] === Model Options ===
[01/0{day}/2026-03:04:05] [I] Model: {3}
[01/0{day}/2026-03:04:05] [I] === Device Information ===
[01/0{day}/2026-03:04:05] [I] Selected Device: {4}
"""
_LINES = """[01/02/2026-03:04:05] [I] {0}: {1}
[01/02/2026-03:04:05] [W] {2}
[01/02/2026-03:04:05] [E] {3}
{4}
"""
_LIMITS = """[budget]
latency-ms = 0.0001
reformats = 0
[budget.regression]
time-percent = 1
new-findings = 0
"""


class Names:
    """Gives every text another one, equal ones the same, and keeps different ones different."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._given: dict[str, int] = {}

    def __call__(self, text: str) -> str:
        if not text:
            return text
        turn, index = divmod(self._given.setdefault(text, len(self._given)), len(self._texts))
        return f"{self._texts[index]} {turn}" if turn else self._texts[index]


def replaced(value: Any, names: Callable[[str], str], *, everything: bool, key: str = "") -> Any:
    """Return JSON with other texts, and with a further key in every object.

    Args:
        value: What is walked.
        names: Gives the texts.
        everything: Also the words of the format, and numbers; else the result can be understood as before.
        key: That of the value.
    """
    if isinstance(value, dict):
        found = {k: replaced(each, names, everything=everything, key=k) for k, each in value.items()}
        return {**found, names(f"key {key} {len(value)}"): names(f"value {key} {len(value)}")}
    if isinstance(value, list):
        return [replaced(each, names, everything=everything, key=key) for each in value]
    if isinstance(value, str):
        if everything:
            return names(value)
        if key == "Metadata":
            return _METADATA.sub(lambda found: names(found.group()), value)
        if key == "texts":
            return _QUOTED.sub(lambda found: names(found.group()), value)
        return value if key in _WORDS else names(value)
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return (
        names(f"{key} {value}")
        if everything and is_number and key not in ("Dimensions", "averageMs")
        else value
    )


def write_capture(
    folder: Path,
    texts: Sequence[str],
    *,
    sample: str,
    everything: bool = False,
    stem: str = "x",
    most_layers: int = 40,
    copies: int = 1,
) -> Path:
    """Write the files of a sample with other texts, and a manifest, samples of a GPU and a log besides."""
    folder.mkdir(parents=True, exist_ok=True)
    names = Names(texts)
    # First, so that captures of several samples are of one model and one GPU.
    log = _LOG.format(*(names(f"log {number}") for number in range(5)), day=1 + len(sample) % 9)
    for at in range(90):
        log += _LINES.format(*(names(f"line {at} {number}") for number in range(5)))
    documents = {
        path.name.split(".engine.")[1]: json.loads(path.read_text())
        for path in sorted((SAMPLES / sample).iterdir())
    }
    layers = documents["graph.json"]["Layers"][:most_layers]
    documents["graph.json"]["Layers"] = [_copy(layer, number) for number in range(copies) for layer in layers]
    documents["timing.json"] = documents["timing.json"][:_MOST_QUERIES]
    documents |= {"capture.json": _MANIFEST, "gpu.json": _GPU}
    model = SAMPLES / "models" / f"{sample}.onnx"
    if model.exists():
        structure = json.loads(write_structure(read_onnx(model)))
        # Equal names get equal texts, so that the model stays that of the engine.
        structure["graph"]["nodes"] = structure["graph"]["nodes"][: _NODES_OF_LAYER * most_layers]
        documents["onnx-structure.json"] = structure
    for ending, document in documents.items():
        other = replaced(document, names, everything=everything)
        if "schema" in document:
            other["schema"] = document["schema"]
        (folder / f"{stem}.engine.{ending}").write_text(json.dumps(other), "ascii")
    (folder / f"{stem}.engine.build.log").write_text(log, "utf-8", "replace")
    return folder


def _copy(value: Any, number: int) -> Any:
    """Return a layer, or a part of it, under other names."""
    if isinstance(value, dict):
        return {
            key: f"{each} {number}" if key == "Name" and number else _copy(each, number)
            for key, each in value.items()
        }
    return [_copy(each, number) for each in value] if isinstance(value, list) else value


def as_file_name(text: str) -> str:
    """Return as much of a text as can be the name of a file."""
    name = (
        text.replace("/", "\u2215")
        .replace("\0", "")
        .encode("utf-8", "replace")[:120]
        .decode("utf-8", "ignore")
    )
    return name if name.strip(". ") else f"x{name}"


def as_toml(text: str) -> str:
    """Return a text as TOML writes it, with what that can't hold replaced."""
    clean = text.encode("utf-8", "replace").decode("utf-8")
    return json.dumps(clean, ensure_ascii=False).replace("\x7f", "\\u007f")


def settings(texts: Sequence[str]) -> str:
    """Return a configuration with a budget and suppressions that say these texts."""
    suppressions = [
        f"[[lint.suppress]]\nrule = {rule}\nlayers = {as_toml(layers)}\nreason = {as_toml(text)}\n"
        for rule, layers, text in zip(
            ('"TRX2"', '"TRX1"', '"TRX6"'), ("*", texts[3], "*x*"), texts, strict=False
        )
    ]
    names = [as_toml(text if text.strip() else "x") for text in texts]
    parts = [f'[[budget.part]]\nname = {name}\nlayers = "*"\ntime-ms = 0.0001\n' for name in names]
    parts += [f"[[budget.part]]\nlayers = {name}\ncount = 0\n" for name in names]
    return "\n".join([*suppressions, _LIMITS, *parts])
