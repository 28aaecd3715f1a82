"""Read the metadata files that TREx's process_engine.py and device_info.py write beside an engine.

Source: parse_trtexec_log.py and device_info.py of NVIDIA's trt-engine-explorer. The first writes what it
finds in trtexec's logs (options, device, performance summary), the second the attributes of each GPU as
pycuda names them. Texts in the files were written by programs of many ages: nothing is taken on trust.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from trexreport.model import InputWarning, Measurement, NoteSeverity, Setup, Statistic
from trexreport.numbers import list_names, middle_ellipsis
from trexreport.reader.impossible import ImpossibleValues, shown
from trexreport.reader.metadata_device import (
    is_cut_device,
    plain_text,
    read_device_attributes,
    read_device_value,
)
from trexreport.reader.setup_facts import SetupFacts
from trexreport.reader.setup_values import check_device, check_measurement
from trexreport.reader.trtexec_lines import decode_version
from trexreport.reader.values import duration, number, version_text

# TREx keeps the figures of trtexec's line without their names; the count implies which percentiles they are.
_PERCENTILES: dict[int, tuple[float, ...]] = {5: (99.0,), 7: (90.0, 95.0, 99.0)}
_TOTALS = {
    "Throughput": "throughput_qps",
    "Total Host Walltime": "walltime_s",
    "Total GPU Compute Time": "gpu_time_s",
}
_VERSION_KEYS = ("TensorRT version", "tensorrt_version")
_SECTIONS = (
    "model_options",
    "build_options",
    "inference_options",
    "device_information",
    "performance_summary",
)
# TREx cuts a value at its second colon; of these values nothing is left that means anything.
_CUT_VALUES = {"Memory Pools": "workspace", "Tempfile Controls": "{ in_memory"}


def read_metadata(document: object, source_name: str) -> SetupFacts:
    """Read a parsed metadata file of any of TREx's kinds; whatever is unusable ends up in a note."""
    findings = _Findings(source_name)
    if isinstance(document, list):
        return _read_device_list(document, findings)
    content: Mapping[str, Any] = document if isinstance(document, dict) else {}
    if not any(key in content for key in (*_SECTIONS, *_VERSION_KEYS)):
        findings.note("degraded", "metadata-unknown", "The file holds nothing that TREx's metadata does.")
    sections = {name: _section(content, name, findings) for name in _SECTIONS}
    device = {key: value for key, value in sections["device_information"].items() if key not in _VERSION_KEYS}
    setup = Setup(
        model_options=_texts(sections["model_options"], "model_options", findings),
        build_options=_texts(sections["build_options"], "build_options", findings),
        inference_options=_texts(sections["inference_options"], "inference_options", findings),
        device={
            key: read_device_value(key, device[key], text)
            for key, text in _texts(device, "device_information", findings).items()
            if not is_cut_device(key, text)
        },
        tensorrt_version=_version(content) or _version(sections["device_information"]),
    )
    measurement = _measurement(sections["performance_summary"], findings)
    values = ImpossibleValues(source_name, ("timing", "build"))
    setup = replace(setup, device=check_device(setup.device, values))
    measurement = check_measurement(measurement, values)
    notes = (*findings.notes(), *values.notes())
    return SetupFacts(setup, measurement, extra=_extra(content), notes=notes)


def _extra(content: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the mark of a file that says that it was made up rather than measured."""
    return {"Synthetic": True} if content.get("synthetic") is True else {}


@dataclass
class _Findings:
    """Collect what could not be used.

    Attributes:
        left_out: Names of values of an unexpected type or length.
        cut: Names of values of which TREx kept too little.
    """

    source_name: str
    left_out: list[str] = field(default_factory=list)
    cut: list[str] = field(default_factory=list)
    collected: list[InputWarning] = field(default_factory=list)

    def note(self, severity: NoteSeverity, slug: str, message: str) -> None:
        """Keep a note about the file."""
        self.collected.append(InputWarning(severity, slug, message, self.source_name))

    def notes(self) -> tuple[InputWarning, ...]:
        """Return the notes, those about values put together."""
        if self.cut:
            message = (
                f"TREx kept only the beginning of these values, so they were left out: {_few(self.cut)}."
            )
            self.note("info", "metadata-cut", message)
        if self.left_out:
            message = f"Values of an unexpected kind or length in {self.source_name} were left out: "
            self.note("degraded", "metadata-values", f"{message}{_few(self.left_out)}.")
        return tuple(self.collected)


def _few(names: Sequence[str]) -> str:
    """Name at most five, and say how many more there are."""
    return list_names([middle_ellipsis(name, 120) for name in names], 5)


def _read_device_list(devices: Sequence[object], findings: _Findings) -> SetupFacts:
    """Read device_info.py's list, one entry for each GPU of the machine, of which the first counts."""
    first = next((device for device in devices if isinstance(device, dict)), {})
    if not any(key in first for key in ("Name", "ComputeCapability", "MULTIPROCESSOR_COUNT")):
        findings.note("degraded", "metadata-unknown", "The list holds no attributes of a GPU.")
    elif len(devices) > 1:
        message = f"The file lists {len(devices)} GPUs; the first one is taken to be the one that ran."
        findings.note("info", "metadata-devices", message)
    values = ImpossibleValues(findings.source_name, ("timing", "build"))
    device = check_device(read_device_attributes(first, findings.left_out), values)
    setup = Setup(device=device, tensorrt_version=_version(first))
    return SetupFacts(setup, extra=_extra(first), notes=(*findings.notes(), *values.notes()))


def _section(content: Mapping[str, Any], name: str, findings: _Findings) -> Mapping[Any, Any]:
    """Return a section, empty if it is missing or no dictionary."""
    section = content.get(name)
    if isinstance(section, dict):
        return section
    if name in content:
        findings.left_out.append(f"{name} = {shown(content[name])}")
    return {}


def _version(content: Mapping[Any, Any]) -> str:
    """Return TensorRT's version, packed ("8601") or dotted, or an empty text."""
    for value in map(content.get, _VERSION_KEYS):
        if isinstance(value, str) or (isinstance(value, int) and 0 < value < 10**6):
            return decode_version(version_text(str(value)))
    return ""


def _texts(section: Mapping[Any, Any], name: str, findings: _Findings) -> dict[str, str]:
    """Return a section of options as texts."""
    options: dict[str, str] = {}
    for key, value in section.items():
        text = plain_text(value)
        if not isinstance(key, str) or text is None:
            findings.left_out.append(f"{name}: {key!s:.80} = {shown(value)}")
        elif text == _CUT_VALUES.get(key):
            findings.cut.append(key)
        else:
            options[key] = text
    return options


def _measurement(section: Mapping[Any, Any], findings: _Findings) -> Measurement:
    """Return the performance summary: totals as numbers, statistics in ms as lists of 5 or 7."""
    totals: dict[str, Any] = {}
    summary: dict[str, Statistic] = {}
    for key, value in section.items():
        total = number(value) if key in _TOTALS else None
        statistic = None if key in _TOTALS else _statistic(value)
        if total is not None:
            totals[_TOTALS[key]] = total
        elif statistic is not None and isinstance(key, str):
            summary[key] = statistic
        else:
            findings.left_out.append(f"performance_summary: {key!s:.80} = {shown(value)}")
    return Measurement(summary=summary, **totals)


def _statistic(value: object) -> Statistic | None:
    """Return the statistic, in ms, of a list of min, max, mean, median and percentiles, or None."""
    if not isinstance(value, list) or len(value) not in _PERCENTILES:
        return None
    figures = [figure for figure in map(duration, value) if figure is not None]
    if len(figures) != len(value):
        return None
    percentiles = dict(zip(_PERCENTILES[len(value)], figures[4:], strict=True))
    return Statistic(figures[0], figures[1], figures[2], figures[3], percentiles)
