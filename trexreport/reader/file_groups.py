"""Separate the files of several captures in one folder.

A log's command names the files that its run wrote; else the words of names show what belongs together:
"profile_net_8.json", "times_net_8.json" and "net_8.log". What is called after none belongs to all.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from trexreport.model import Source
from trexreport.reader.roles import REPEATABLE_ROLES
from trexreport.regex import regex

#: A capture has one file of each, and shows the more of an engine the earlier ones it has.
MAIN_ROLES = ("graph", "profile", "timing")
#: What all captures of one engine have in common.
_OF_ALL = frozenset(
    {"graph", "onnx", "metadata", "build-metadata", "accuracy", "accuracy-reference", "manifest"}
)
#: Words of names that say of what kind a file is.
_OF_KINDS = regex(
    r"raw|logs?|txt|json|csv|trace|prof(?:iles?|iling)?|times?|timings?|latency|layers?|layerinfo|info|graph"
    r"|build|run|infer(?:ence)?|out(?:put)?|results?|metadata|trtexec|trt|engine|plan|onnx|export|perf"
)
_SEPARATORS = regex(r"[^a-z0-9]+")
_MEASURED = regex(rb"=== Performance summary ===|Throughput: |throughput: |GPU latency: |&&&& FAILED")
_SEVERAL = 2
_Key = tuple[str, ...]


def captures_in(sources: Sequence[Source]) -> list[list[Source]]:
    """Return the files of each capture, largely in the order of their names.

    Returns:
        Nothing where it does not show which files belong together.
    """
    counts = {role: sum(each.role == role for each in sources) for role in MAIN_ROLES}
    if max(counts.values()) < _SEVERAL:
        return [list(sources)]
    # Most captures have a file of this kind.
    of_all = max(MAIN_ROLES, key=lambda role: counts[role])
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
    return tuple(word for word in _SEPARATORS.split(name.lower()) if word and not _OF_KINDS.fullmatch(word))


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
    # Imported late: most captures are alone.
    from trexreport.reader.log_runs import find_runs, text_of
    from trexreport.reader.log_text import plain_log

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


def name_of_capture(group: Sequence[Source]) -> str:
    """Return the name of the file that a capture is called by: its log, else its layers or their times."""
    return next(
        (each.name for role in ("log", *MAIN_ROLES) for each in group if each.role == role), group[0].name
    )
