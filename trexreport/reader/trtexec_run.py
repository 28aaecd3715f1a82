"""Collect what one run of trtexec says in its log."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from trexreport.model import Measurement, Setup
from trexreport.model.commands import times_queries
from trexreport.model.measurement import ShapeRange
from trexreport.reader.bare_errors import bare_error
from trexreport.reader.builder_warnings import BuilderWarnings
from trexreport.reader.polygraphy_log import PolygraphyResults
from trexreport.reader.query_counts import QueryCounts
from trexreport.reader.shape_ranges import read_shape_range
from trexreport.reader.stated_builds import stated_options, version_of_export
from trexreport.reader.tactic_limits import TacticLimits
from trexreport.reader.trace_averages import AverageLines
from trexreport.reader.trtexec_facts import ProfileTable, is_table_header, take_build_fact
from trexreport.reader.trtexec_lines import GPU_ERROR, NO_DEVICE, Banner, Record, stated_version
from trexreport.reader.trtexec_summary import Summary, is_figure
from trexreport.reader.typed_command import TypedCommands
from trexreport.regex import regex

_HEADING = regex(r"=== (.+) ===")
#: That of TensorRT Edge-LLM begins with the stage.
_PROFILE_HEADING = regex(r"(?:.{1,80} Layer Performance )?Profile \((\d+) iterations ?\)", re.ASCII)
TRACE, SUMMARY, DEVICE = "Trace details", "Performance summary", "Device Information"
#: Those of which the lines are known by their form, with or without trtexec's prefix.
_PLAIN_HEADINGS = {f"=== {name} ===": name for name in (TRACE, SUMMARY, DEVICE)}
AROUND = " #*`>|"  # What Markdown puts around them.
_DEVICE_LINE = regex(
    r"(?:Selected Device(?: ID| UUID)?|Compute Capability|SMs|Device Global Memory|Shared Memory per SM"
    r"|Memory Bus Width|(?:Application )?(?:Compute|Memory) Clock Rate): \S",
    re.ASCII,
)
_TYPED = ("Strongly Typed", "Enabled")  # The one that holds for a loaded engine, too.
_OPTION_SECTIONS = frozenset({"Model Options", "Build Options", "Inference Options", DEVICE})
#: Source: Bindings::addBinding's caller in sampleInference.cpp of trtexec 8.0 to 11.1.
_IO_TENSOR = regex(
    r"(?:Created )?([Ii]n|[Oo]ut)put binding for (.+) "
    r"with dimensions (\d{1,18}(?:x-?\d{1,18}){0,15})(?: and type (\w{1,9}))?(?: |$)",
    re.ASCII,
)
#: TensorRT Edge-LLM's heading of a table of layers (printLayerProfileTable in its profileFormatter.cpp).
_STAGE = regex(r"=== (.{1,80}) Layer Performance Profile \(\d+ iterations ?\) ===$", re.ASCII)


def heading_of(record: Record) -> str:
    """Return the heading that a record is; empty for others."""
    if not record.severity:
        return _PLAIN_HEADINGS.get(record.text.strip(AROUND), "")
    found = _HEADING.fullmatch(record.text.rstrip())
    return found[1] if found else ""


@dataclass
class Run:
    """What one run of trtexec says, collected record by record."""

    commands: list[str] = field(default_factory=list)
    started: str = ""
    ended: list[str] = field(default_factory=list)
    typed: str = ""
    typed_lines: TypedCommands = field(default_factory=TypedCommands)
    finished: bool | None = None
    version: str = ""
    versions: list[str] = field(default_factory=list)
    section: str = ""
    options: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    build_facts: dict[str, str] = field(default_factory=dict)
    summary: Summary = field(default_factory=Summary)
    warnings: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    io_tensors: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    table: ProfileTable = field(default_factory=ProfileTable)
    bare_table: bool = False
    tactics: TacticLimits = field(default_factory=TacticLimits)
    cautions: BuilderWarnings = field(default_factory=BuilderWarnings)
    polygraphy: PolygraphyResults = field(default_factory=PolygraphyResults)
    iterations: int | None = None
    lines: int = 0
    records: int = 0
    help_headings: int = 0
    stages: list[str] = field(default_factory=list)
    unmeasured_profile: bool = False
    query_counts: QueryCounts = field(default_factory=QueryCounts)
    shape_ranges: dict[tuple[int, str], ShapeRange] = field(default_factory=dict)
    averages: AverageLines = field(default_factory=AverageLines)

    def take_banner(self, banner: Banner) -> None:
        """Read the first or last line of a run."""
        self.lines += 1
        self.commands.append(banner.command)
        if banner.state == "RUNNING":
            self.started = banner.command
        else:
            self.ended.append(banner.command)
            self.finished = banner.state == "PASSED"
        self._take_version(banner.version, is_better=not self.version)
        self.section = ""

    def _take_version(self, version: str, *, is_better: bool) -> None:
        if version and version not in self.versions:
            self.versions.append(version)
        self.version = version if version and is_better else self.version

    def take(self, record: Record) -> None:
        """Read one record of a run."""
        self.lines += 1
        text = record.text.rstrip()
        if not record.severity:
            self._take_bare(text)
            return
        self.records += 1
        self.summary.end_line()
        if (record.library or "Skipping tactic" in text) and self.tactics.take(text):
            return
        self.cautions.take(text, warns=record.severity == "W")
        self.polygraphy.take(text)
        # TensorRT 8's verbose lines count the whole workspace limit as activation memory.
        limit = record.severity == "V" and text.startswith("Total Activation Memory")
        if not limit and take_build_fact(self.build_facts, text):
            return
        if record.severity in "EF" or text.startswith((NO_DEVICE, GPU_ERROR)):
            self.errors.append(text)
        elif not record.library:
            if record.severity == "W":
                self._take_warning(text)
            else:
                self._take_information(text)

    def _take_bare(self, text: str) -> None:
        """Read a line without trtexec's prefix: help, crashes, or another program."""
        if self.summary.continues(text) or self._takes_plain(text):
            return
        if error := bare_error(text):
            self.errors.append(error)
            return
        self._take_version(version_of_export(text), is_better=not self.version)
        if stated := stated_options(text):
            self.options.setdefault(stated[0], {}).update(stated[1])
            return
        if stage := _STAGE.match(text):
            self.stages.append(stage[1])
            if self.table.headed:
                self.bare_table = False
                return
        # A table that was copied without the prefixes of its lines.
        if (self.bare_table or not self.table.headed) and (heading := _HEADING.fullmatch(text)):
            profile = _PROFILE_HEADING.fullmatch(heading[1])
            self.iterations = int(profile[1][:18]) if profile and self.iterations is None else self.iterations
        elif self.bare_table or (not self.table.headed and is_table_header(text)):
            self.bare_table = self.table.take(text)
        self.typed_lines.take(text, has_output=self.has_output)
        self.help_headings += "=== " in text and text.endswith(" ===") and not stage

    def _takes_plain(self, text: str) -> bool:
        """Read a line of the summary or on the GPU that has no prefix; return whether it is one."""
        stripped = text.strip(AROUND)
        if stripped in _PLAIN_HEADINGS:
            self.section = _PLAIN_HEADINGS[stripped]
        elif self.section == DEVICE and _DEVICE_LINE.match(stripped):
            self._take_option(stripped)
        elif not (self.averages.take(stripped, is_late=self.is_measured) or self.summary.take_plain(text)):
            return False
        self.records += 1
        return True

    def _take_warning(self, text: str) -> None:
        """Keep trtexec's own warnings, a continued one as one, without those about old options."""
        if text.startswith("  ") and self.warnings:
            self.warnings[-1] += " " + text.strip()
        elif " is deprecated" not in text:
            self.warnings.append(text.strip().removeprefix("* "))

    def _take_information(self, text: str) -> None:
        """Read a line of a section, or a single line."""
        if heading := _HEADING.fullmatch(text):
            profile = _PROFILE_HEADING.fullmatch(heading[1])
            # Only a first table is read; a later one of the same run would repeat its layers.
            self.section = "Profile" if profile and self.iterations is None else heading[1]
            # What is printed twice counts once, as it is printed last.
            self.options.pop(self.section, None)
            if profile and self.iterations is None:
                self.iterations = int(profile[1][:18])
        elif not text:
            self.section = ""
        elif not self.table.headed and self.section != "Profile" and is_table_header(text):
            self.section = "Profile"
            self.table.take(text)
        elif self.section == "Profile":
            if not self.table.take(text):
                self.section = ""
        elif text.startswith("TensorRT version: "):
            self._take_version(stated_version(text.removeprefix("TensorRT version: ")), is_better=True)
            self.section = ""
        elif "put binding for " in text and (found := _IO_TENSOR.match(text)):
            self.io_tensors.setdefault(found[2], (found[1].lower(), found[3], found[4] or ""))
        elif stated := read_shape_range(text):
            self.shape_ranges.setdefault(*stated)
        elif self.averages.take(text, is_late=self.is_measured) or self.query_counts.take(text):
            pass
        elif text.startswith("The e2e network timing is not reported"):
            self.unmeasured_profile = True
        elif self.section in _OPTION_SECTIONS and not is_figure(text):
            self._take_option(text)
        elif text.startswith("Selected Device: "):
            # The lines before it are missing, with the heading.
            self.section = DEVICE
            self._take_option(text)
        else:
            self.summary.take(text)

    def _take_option(self, text: str) -> None:
        """Read a "key: value" line, whose value may hold colons, or an input's file "name<-file"."""
        options = self.options.setdefault(self.section, {})
        key, colon, value = text.partition(":")
        if "<-" in key and self.section == "Inference Options":
            options.setdefault("Inputs", []).append(text)
        elif colon and key.strip() not in {"Available Devices", "Note"}:
            options.setdefault(key.strip(), []).append(value.strip())

    def loads_engine(self) -> bool:
        """Return whether the run loads a built engine, so that its build options mean nothing."""
        loaded = "".join(self.options.get("Build Options", {}).get("Load engine", []))
        return bool(loaded) or any("--loadEngine" in command for command in (*self.commands, self.typed))

    def skips_inference(self) -> bool:
        """Return whether the run only builds, so that its inference options mean nothing."""
        printed = {**self.options.get("Build Options", {}), **self.options.get("Inference Options", {})}
        states_it = "Enabled" in (*printed.get("Skip inference", []), *printed.get("Build only", []))
        return states_it or {times_queries(each) for each in (*self.commands, self.typed) if each} == {False}

    def setup(self) -> Setup:
        """Return the set-up, without the options that the run does not use."""
        build = _joined(self.options.get("Build Options", {}))
        if self.loads_engine():
            build = dict(each for each in build.items() if each[0] == "Load engine" or each == _TYPED)
        unused = {"Model Options"} if self.loads_engine() else set()
        unused |= {"Inference Options"} if self.skips_inference() else set()
        used = {name: _joined(self.options.get(name, {})) for name in _OPTION_SECTIONS - unused}
        # The last line may be cut.
        stated = [each for each in self.commands if each == self.started or not self.started.startswith(each)]
        parts = (self.tactics, self.cautions, self.polygraphy, self.summary, self.averages)
        return Setup(
            model_options=used.get("Model Options", {}),
            build_options=build,
            inference_options=used.get("Inference Options", {}),
            device=used["Device Information"],
            build_facts=self.build_facts | {k: v for part in parts for k, v in part.facts().items()},
            tensorrt_version=self.version,
            run_versions=tuple(self.versions) if len(self.versions) > 1 else (),
            commands=tuple(dict.fromkeys(filter(None, (*stated, self.typed)))),
            io_shapes={name: extents for name, (_, extents, _) in self.io_tensors.items()},
            io_types={name: kind.upper() for name, (_, _, kind) in self.io_tensors.items() if kind},
            input_names=tuple(name for name, (way, _, _) in self.io_tensors.items() if way == "in"),
            shape_ranges=self.shape_ranges,
            listed_layers=self.cautions.placement.listed(),
        )

    def measurement(self) -> Measurement:
        """Return the performance summary and trtexec's warnings about it."""
        return Measurement(
            summary=self.summary.figures(),
            warnings=tuple(dict.fromkeys(self.warnings)),
            warmup_queries=self.query_counts.warm_up,
            timed_queries=self.query_counts.timed,
            averages=self.averages.averages(),
            timed_s=self.query_counts.timed_s,
            **self.summary.all_totals(),
        )

    @property
    def is_measured(self) -> bool:
        """True if it has a performance summary."""
        return self.summary.is_measured

    @property
    def has_output(self) -> bool:
        """True if trtexec printed something in it."""
        return bool(self.records or self.table.headed)

    @property
    def asks_help(self) -> bool:
        """True if it only prints help."""
        return self.help_headings > 0 and self.records == 0

    @property
    def leaves_out(self) -> bool:
        """True if options were left out because the run does not use them."""
        return (self.loads_engine() and "Build Options" in self.options) or self.skips_inference()


def _joined(options: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Join the values of a key that is printed once for each tensor, such as "Input build shape"."""
    return {key: ", ".join(value for value in values if value) for key, values in options.items()}
