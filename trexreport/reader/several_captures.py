"""Separate the files of several captures in one folder, and choose the one that is shown.

A log's command names the files that its run wrote; else the words of names show what belongs together:
"profile_net_8.json", "times_net_8.json" and "net_8.log". What is called after none belongs to all.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from trexreport.model import InputWarning, Source
from trexreport.model.capture import NoteSeverity
from trexreport.model.measured_log import MeasuredLog, fastest
from trexreport.numbers import counted, join_names, list_names
from trexreport.reader.log_choice import LogChoice
from trexreport.reader.log_figures import measured_log, measured_queries, with_possible_batches
from trexreport.reader.log_runs import find_runs, text_of
from trexreport.reader.log_sources import with_plain_logs
from trexreport.reader.log_text import plain_log
from trexreport.reader.roles import REPEATABLE_ROLES
from trexreport.reader.timing_file import read_timing
from trexreport.reader.trtexec_log import read_trtexec_log
from trexreport.regex import regex

#: A capture has one file of each, and shows the more of an engine the earlier ones it has.
_MAIN = ("graph", "profile", "timing")
#: What all captures of one engine have in common.
_OF_ALL = frozenset(
    {"graph", "onnx", "metadata", "build-metadata", "accuracy", "accuracy-reference", "manifest"}
)
#: Words of names that say of what kind a file is.
_OF_KINDS = frozenset(
    [
        "raw",
        "log",
        "logs",
        "txt",
        "json",
        "csv",
        "trace",
        "profile",
        "profiles",
        "profiling",
        "prof",
        "time",
        "times",
        "timing",
        "timings",
        "latency",
        "layer",
        "layers",
        "layerinfo",
        "info",
        "graph",
        "build",
        "run",
        "infer",
        "inference",
        "output",
        "out",
        "result",
        "results",
        "metadata",
        "trtexec",
        "trt",
        "engine",
        "plan",
        "onnx",
        "export",
        "perf",
    ]
)
_SEPARATORS = regex(r"[^a-z0-9]+")
_MEASURED = regex(rb"=== Performance summary ===|Throughput: |throughput: |GPU latency: |&&&& FAILED")
_SEVERAL, _MOST_LISTED = 2, 8
_Key = tuple[str, ...]


def captures_in(sources: Sequence[Source]) -> list[list[Source]]:
    """Return the files of each capture, largely in the order of their names.

    Returns:
        Nothing where it does not show which files belong together.
    """
    counts = {role: sum(each.role == role for each in sources) for role in _MAIN}
    if max(counts.values()) < _SEVERAL:
        return [list(sources)]
    # Most captures have a file of this kind.
    of_all = max(_MAIN, key=lambda role: counts[role])
    anchors = [each for each in sources if each.role == of_all]
    groups = {_key(each.name): [each] for each in anchors}
    if len(groups) < len(anchors):
        return []
    own: list[list[Source]] = []
    shared: list[Source] = []
    # Logs last: their commands name the others.
    for source in sorted(sources, key=lambda each: each.role == "log"):
        if source.role == of_all:
            continue
        parts = _of_commands(source, groups) if source.role == "log" else {}
        key = _called_after(source.name, groups)
        if parts:
            for each, part in parts.items():
                groups[each].append(part)
        elif key is not None and _has_room(groups[key], source.role):
            groups[key].append(source)
        elif _is_of_all(source, counts):
            shared.append(source)
        else:
            own.append([source])
    for group in groups.values():
        group += [each for each in shared if _has_room(group, each.role)]
    return [*groups.values(), *own]


def _key(name: str) -> _Key:
    return tuple(word for word in _SEPARATORS.split(name.lower()) if word and word not in _OF_KINDS)


def _called_after(name: str, groups: Collection[_Key]) -> _Key | None:
    """Return the capture whose words a name has, those that distinguish most; None without a single one."""
    words = _key(name)
    if words in groups:
        return words
    common = frozenset.intersection(*map(frozenset, groups))
    fitting = {key: len(own) for key in groups if (own := frozenset(key) - common) and own <= set(words)}
    # One of them may be called by what all have in common.
    plain = [key for key in groups if common.issuperset(key)] if common.issuperset(words) else []
    best = [key for key, count in fitting.items() if count == max(fitting.values())] or plain
    return best[0] if len(best) == 1 else None


def _has_room(group: Sequence[Source], role: str) -> bool:
    return role in REPEATABLE_ROLES or all(each.role != role for each in group)


def _of_commands(log: Source, groups: Mapping[_Key, Sequence[Source]]) -> dict[_Key, Source]:
    """Return the parts of a log whose commands name files of captures: all of it if they are of one."""
    if b"--export" not in log.data:
        return {}
    plain = plain_log(log.data, log.name)[0]
    runs = find_runs(plain)
    found = {
        key: [run for run in runs if any(each.name in run.exports.values() for each in group)]
        for key, group in groups.items()
    }
    found = {key: own for key, own in found.items() if own}
    if len(found) < _SEVERAL:
        return dict.fromkeys(found, log)
    return {
        key: replace(log, data=b"".join(text_of(plain, runs, run) for run in own))
        for key, own in found.items()
    }


def _is_of_all(source: Source, counts: Mapping[str, int]) -> bool:
    """Return whether a file that is called after no capture is of all: an engine's, or a log of its build."""
    if source.role == "log":
        return counts["graph"] < _SEVERAL and not _MEASURED.search(source.data)
    return source.role in _OF_ALL


def choose_capture(sources: Sequence[Source]) -> LogChoice:
    """Return the files of the capture that is shown, with plain logs, and what the others are.

    It is the one with layers and their times, else with either; of several such the one with the most items
    per second, or queries.
    """
    groups = captures_in(sources)
    if len(groups) < _SEVERAL:
        return with_plain_logs(sources)
    measured = [_measured(group) for group in groups]
    ranks = [[any(each.role == role for each in group) for role in _MAIN[:2]] for group in groups]
    top = [at for at, rank in enumerate(ranks) if rank == max(ranks)]
    known = [each for at in top if (each := measured[at])]
    shown = measured.index(fastest(known)) if known else top[0]
    choice = with_plain_logs(groups[shown])
    others = [tuple(group) for at, group in enumerate(groups) if at != shown]
    table = [replace(each, is_shown=at == shown) for at, each in enumerate(measured) if each]
    table = with_possible_batches([*table, *(each for each in choice.measured if not each.is_shown)])
    names = [name_of_capture(group) for group in groups]
    notes = [*choice.notes, _note(names, shown, are_listed=None not in measured)]
    return LogChoice(choice.sources, notes, table if len(table) > 1 else [], [*others, *choice.others])


def name_of_capture(group: Sequence[Source]) -> str:
    """Return the name of the file that a capture is called by: its log, else its layers or their times."""
    return next((each.name for role in ("log", *_MAIN) for each in group if each.role == role), group[0].name)


def _measured(group: Sequence[Source]) -> MeasuredLog | None:
    """Return what a capture measured, as its log states it, else its query times; None without either."""
    for log in (each for each in with_plain_logs(group).sources if each.role == "log"):
        facts = read_trtexec_log(log.data.decode(errors="replace"), log.name)
        found = measured_log(log, facts)
        if any(found.figures):
            return found
    timing = next((each for each in group if each.role == "timing"), None)
    queries = read_timing(timing.data.decode(errors="replace"), timing.name)[0] if timing else None
    return measured_queries(name_of_capture(group), queries) if queries else None


def _note(names: Sequence[str], shown: int, *, are_listed: bool) -> InputWarning:
    listed = join_names(names) if len(names) <= _MOST_LISTED else list_names(names, _MOST_LISTED)
    count = counted(len(names), "capture")
    message = f"There are files of {count}: {listed}; that of {names[shown]} is shown."
    hint = f"Compare them: trexreport compare {' '.join(names[:_MOST_LISTED])}. Or give the files of one."
    severity: NoteSeverity = "info" if are_listed else "degraded"
    return InputWarning(severity, "several-captures", message, "", ("overview", "timing"), hint)
