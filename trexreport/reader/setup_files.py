"""Gather how the engine was built, on what it ran and how fast, from metadata files and logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from trexreport.errors import InputError
from trexreport.model import FileFacts, InputWarning, Setup, Source
from trexreport.model.commands import profiles_while_timing
from trexreport.reader.file_names import plain_name
from trexreport.reader.foreign_files import explained
from trexreport.reader.json_text import decode_text, parse_json
from trexreport.reader.manifest_file import is_manifest, read_manifest
from trexreport.reader.metadata import read_metadata
from trexreport.reader.roles import run_number
from trexreport.reader.setup_facts import SetupFacts, merge
from trexreport.regex import regex

_EXPORT = regex(r"--exportTimes=(\S+)")
#: In the order in which they are believed: the measurement's own metadata before the build's.
_METADATA_ROLES = ("profile-metadata", "build-metadata", "metadata", "manifest")


def read_setup(sources: Sequence[Source], stated_roles: set[str]) -> list[tuple[Source, SetupFacts]]:
    """Read every metadata file and log among the sources, in the order in which they are believed.

    Raises:
        InputError: A file that the user named himself is damaged.
    """
    # Logs first: TREx's metadata files derive from them and cut values at their second colon.
    logs = [(source, _read_log(source)) for source in sources if source.role == "log"]
    return logs + [
        (source, _read_metadata(source, stated_roles))
        for role in _METADATA_ROLES
        for source in sources
        if source.role == role
    ]


def join_setup(files: Sequence[tuple[Source, SetupFacts]]) -> SetupFacts:
    """Return what all files state together; where several state the same, the one that is believed first.

    Of several logs that measured the queries the one that loaded the engine and profiled no layers counts:
    a build measures once more, often short, and a profile slows the queries down.
    """
    is_log = [source.role == "log" for source, _ in files]
    ordered = sorted(range(len(files)), key=is_log.__getitem__)
    notes = [note for index in ordered for note in files[index][1].notes]
    joined = merge([*(facts for _, facts in files), SetupFacts()])
    device = {**joined.setup.device, **_device_of_runs(files)}
    joined = replace(joined, setup=replace(joined.setup, device=device))
    measured = [(source, facts) for source, facts in files if facts.measurement.summary]
    best = next((pair for pair in measured if _only_measures(pair[1])), None)
    if measured:
        # Warnings of another run are not of these figures.
        of_run = [best or measured[0], *(pair for pair in files if not pair[1].measurement.summary)]
        warnings = merge([facts.measurement for _, facts in of_run]).warnings
        joined = replace(joined, measurement=replace(joined.measurement, warnings=warnings))
    if best is not None and best is not measured[0]:
        _, facts = best
        measurement = merge([facts.measurement, joined.measurement])
        options = {**joined.setup.inference_options, **facts.setup.inference_options}
        joined = replace(
            joined, measurement=measurement, setup=replace(joined.setup, inference_options=options)
        )
    others = [source for source, _ in measured if source.role == "log" and best and source is not best[0]]
    if best is not None and others:
        notes.append(_measured_again(best[0], others[0]))
    return replace(joined, notes=tuple(notes))


def _device_of_runs(files: Sequence[tuple[Source, SetupFacts]]) -> Mapping[str, str]:
    """Return the GPU of the files that are not of a build, which may have had other clocks."""
    of_runs = [facts.setup for source, facts in files if not (_is_build(source, facts) or _lists_gpus(facts))]
    return merge([*of_runs, Setup()]).device


def _only_measures(facts: SetupFacts) -> bool:
    """Return whether a log is of commands that loaded an engine and measured it without a profile."""
    return bool(facts.setup.commands) and all(
        "--loadEngine" in command and not profiles_while_timing(command) for command in facts.setup.commands
    )


def _measured_again(believed: Source, other: Source) -> InputWarning:
    return InputWarning(
        "info",
        "measured-again",
        f"{believed.name} and {other.name} both measured the queries; the figures are those of "
        f"{believed.name}, which loaded the engine and profiled no layers.",
        believed.name,
    )


def describe_setup_files(
    files: Sequence[tuple[Source, SetupFacts]], timings: Sequence[str]
) -> list[FileFacts]:
    """Return what each file states by itself, given the names of the files of query times."""
    exports = [name for _, facts in files for name in _exported_times(facts)]
    builds = [_is_build(source, facts) for source, facts in files]
    found = []
    for (source, facts), is_build in zip(files, builds, strict=True):
        rows = facts.profile.rows if facts.profile else ()
        found.append(
            FileFacts(
                file=source.name,
                role=source.role,
                run=_run(source, facts, exports, timings),
                # Of several GPUs in the machine any may have run the engine.
                setup=replace(facts.setup, device={}) if _lists_gpus(facts) else facts.setup,
                measurement=facts.measurement,
                layer_times=tuple((row.name, row.time) for row in rows),
                paths=facts.paths,
                # What alone was measured is what the report shows.
                is_build=is_build and not all(builds),
            )
        )
    return found


def _is_build(source: Source, facts: SetupFacts) -> bool:
    if source.role == "build-metadata" or source.name.lower().endswith(".build.log"):
        return True
    return any("--saveEngine" in command for command in facts.setup.commands)


def _lists_gpus(facts: SetupFacts) -> bool:
    return any(note.slug == "metadata-devices" for note in facts.notes)


def _run(source: Source, facts: SetupFacts, exports: Sequence[str], timings: Sequence[str]) -> int | None:
    """Return which measurement of the queries a file describes: by its name, else by what it exported.

    Args:
        source: The file.
        facts: What it states.
        exports: The files of times that any log wrote.
        timings: The files of times that there are.
    """
    name = source.name.lower()
    if source.role == "profile-metadata" or name.endswith(".timing.log"):
        return 1
    if run_number(name) > 1:
        return run_number(name)
    written = _exported_times(facts)
    if len(written) != 1:
        return None
    # The file may have another name since, but only one was written.
    return run_number(written[0]) if written[0] in timings or len(exports) == len(timings) == 1 else None


def _exported_times(facts: SetupFacts) -> list[str]:
    found = (_EXPORT.search(command) for command in facts.setup.commands)
    return [plain_name(match[1]) for match in found if match]


def _read_metadata(source: Source, stated_roles: set[str]) -> SetupFacts:
    """Read a metadata file; of a damaged one that was only found there is nothing but a note."""
    try:
        content, notes = decode_text(source.data, source.name)
        with explained(source):
            document, repairs = parse_json(content, source.name, lambda value: type(value) in (dict, list))
    except InputError as error:
        if source.role in stated_roles:
            raise
        affects = ("overview", "build")
        return SetupFacts(
            notes=(InputWarning("degraded", "file-left-out", str(error), source.name, affects),)
        )
    facts = (read_manifest if is_manifest(document) else read_metadata)(document, source.name)
    return replace(facts, notes=(*notes, *repairs, *facts.notes))


def _read_log(source: Source) -> SetupFacts:
    # Imported late: a capture may have no log.
    from trexreport.reader.trtexec_log import read_trtexec_log

    content, notes = decode_text(source.data, source.name)
    facts = read_trtexec_log(content, source.name)
    return replace(facts, notes=(*notes, *facts.notes))
