"""Read the manifest of a capture, which `trexreport collect` writes as X.engine.capture.json.

It says what was run on what, and whether all of it came to an end. Other programs may have written files of
that name: nothing in it is taken on trust.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from trexreport.model import InputWarning, Setup
from trexreport.reader.impossible import MEMORY_CLOCK_MHZ, POWER_W, SM_CLOCK_MHZ, ImpossibleValues, Kind
from trexreport.reader.setup_facts import SetupFacts
from trexreport.reader.setup_values import check_device
from trexreport.reader.values import mapping, records, text, version_text

SCHEMA = "trexreport-capture"
_SCHEMA_VERSION = 1
#: NVML's facts under the names that trtexec gives or would give them.
_DEVICE = {
    "name": "Selected Device",
    "uuid": "Selected Device UUID",
    "driver": "Driver",
    "board": "Board",
    "power_mode": "Power mode",
}
_MEASURED_DEVICE = {
    "power_limit_w": ("Power limit", "W", POWER_W),
    "default_power_limit_w": ("Default power limit", "W", POWER_W),
    "max_sm_clock_mhz": ("Highest SM clock", "MHz", SM_CLOCK_MHZ),
    "max_memory_clock_mhz": ("Highest memory clock", "MHz", MEMORY_CLOCK_MHZ),
}
_SIZE = Kind("the size of an engine in bytes", 1, 2**48, whole=True, may_be_null=True)


def is_manifest(document: object) -> bool:
    """Return whether a JSON document is a manifest of trexreport."""
    return isinstance(document, dict) and document.get("schema") == SCHEMA


def read_manifest(document: Mapping[str, Any], source_name: str) -> SetupFacts:
    """Read a manifest; values of an unexpected type are left out."""
    versions = mapping(document.get("versions"))
    values = ImpossibleValues(source_name, ("build",))
    size = values.of(mapping(document.get("engine")), "size_bytes", _SIZE, "engine")
    setup = Setup(
        device=device_of(mapping(document.get("gpu")), values),
        tensorrt_version=version_text(versions.get("tensorrt")),
        build_facts={"Engine file size": f"{size:.0f} bytes"} if size and size > 0 else {},
    )
    return SetupFacts(
        setup,
        paths=_paths(document),
        extra=_extra(document, versions),
        notes=(*_notes(document, source_name), *values.notes()),
    )


def _paths(document: Mapping[str, Any]) -> dict[str, str]:
    """Return where the engine was, and the model unless only an engine was given."""
    source, engine = (text(mapping(document.get(key)).get("path")) for key in ("source", "engine"))
    found = {"model": source if source != engine else "", "engine": engine}
    return {kind: path for kind, path in found.items() if path}


def device_of(gpu: Mapping[str, Any], values: ImpossibleValues | None = None) -> dict[str, str]:
    """Return NVML's facts of a GPU under the names that trtexec gives or would give them."""
    values = values or ImpossibleValues("")
    found = {label: text(gpu.get(key)) for key, label in _DEVICE.items()}
    for key, (label, unit, kind) in _MEASURED_DEVICE.items():
        amount = values.of(gpu, key, replace(kind, may_be_null=True), "gpu")
        if amount is not None:
            found[label] = f"{amount:g} {unit}"
    # What is not a fact of NVML is in trtexec's words already, such as "SMs".
    rest = {key: text(value) for key, value in gpu.items() if key[:1].isupper()}
    return check_device({label: value for label, value in {**found, **rest}.items() if value}, values)


def _extra(document: Mapping[str, Any], versions: Mapping[str, Any]) -> dict[str, str]:
    by = " ".join(filter(None, ("trexreport", text(versions.get("trexreport")))))
    backend = text(document.get("backend"))
    found = {
        "Collected": text(document.get("started")),
        "Collected by": f"{by} with {backend}" if backend else by,
        "Jetson Linux": text(versions.get("jetson_linux")),
        "Model SHA-256": text(mapping(document.get("source")).get("sha256")),
        "Engine SHA-256": text(mapping(document.get("engine")).get("sha256")),
    }
    if found["Model SHA-256"] == found["Engine SHA-256"]:
        del found["Model SHA-256"]
    return {label: value for label, value in found.items() if value}


def _notes(document: Mapping[str, Any], name: str) -> Iterator[InputWarning]:
    if document.get("schema_version") != _SCHEMA_VERSION:
        message = "The manifest is of another version of trexreport; some of it may not be understood."
        yield InputWarning("info", "manifest-version", message, name)
    failed = [text(run.get("title")) for run in records(document.get("runs")) if run.get("exit_status")]
    if text(document.get("backend")) == "logs":
        yield InputWarning("info", "logs-alone", "This capture was made only from trtexec's logs.", name)
    elif document.get("complete") is not True:
        why = text(document.get("failure")) or "It was interrupted before its end."
        missing = ", ".join(mapping(document.get("missing")))
        message = f"This capture is incomplete. {why}" + (f" Missing: {missing}." if missing else "")
        yield InputWarning(
            "degraded", "capture-incomplete", message, name, ("overview",), "Collect it again."
        )
    elif failed:
        message = f"The manifest calls the capture complete, but these runs failed: {', '.join(failed)}."
        yield InputWarning("degraded", "manifest-contradicts", message, name, ("overview",))
    listed = document.get("notes")
    for note in listed if isinstance(listed, list) else ():
        if isinstance(note, str) and note.strip():
            yield InputWarning("info", "collector-note", note, name)
