"""Separate the files of several captures in one folder.

A log's command names the files that its run wrote; else the words of names show what belongs together:
"profile_net_8.json", "times_net_8.json" and "net_8.log". What is called after none belongs to all.
"""

from __future__ import annotations

from collections import Counter
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
    words = _Words(groups)
    owners = {each.name: key for key, (each,) in groups.items()}
    own: list[list[Source]] = []
    shared: list[Source] = []
    # Logs last: their commands name the others.
    for source in sorted(sources, key=lambda each: each.role == "log"):
        if source.role == of_all:
            continue
        parts = _of_commands(source, owners) if source.role == "log" else {}
        key = words.called_after(source.name)
        if parts:
            for each, part in parts.items():
                groups[each].append(part)
        elif key is not None and _has_room(groups[key], source.role):
            groups[key].append(source)
            owners[source.name] = key
        elif _is_of_all(source, counts):
            shared.append(source)
        else:
            own.append([source])
    for group in groups.values():
        group += [each for each in shared if _has_room(group, each.role)]
    return [*groups.values(), *own]


def _key(name: str) -> _Key:
    return tuple(word for word in _SEPARATORS.split(name.lower()) if word and not _OF_KINDS.fullmatch(word))


class _Words:
    """The words that distinguish captures, and what all of them have in common."""

    def __init__(self, keys: Collection[_Key]) -> None:
        self._common = frozenset.intersection(*map(frozenset, keys))
        self._own = {key: frozenset(key) - self._common for key in keys}
        # One of them may be called by what all have in common.
        self._plain = [key for key, own in self._own.items() if not own]

    def called_after(self, name: str) -> _Key | None:
        """Return the capture whose words a name has, those that distinguish most; None without one."""
        words = _key(name)
        if words in self._own:
            return words
        stated = frozenset(words)
        fitting = {key: len(own) for key, own in self._own.items() if own and own <= stated}
        most = max(fitting.values(), default=0)
        plain = self._plain if stated <= self._common else []
        best = [key for key, count in fitting.items() if count == most] or plain
        return best[0] if len(best) == 1 else None


def _has_room(group: Sequence[Source], role: str) -> bool:
    return role in REPEATABLE_ROLES or all(each.role != role for each in group)


def _of_commands(log: Source, owners: Mapping[str, _Key]) -> dict[_Key, Source]:
    """Return the parts of a log whose commands name files of captures: all of it if they are of one.

    Args:
        log: It.
        owners: Name of a file to the capture that it is of.
    """
    if b"--export" not in log.data:
        return {}
    # Imported late: most captures are alone.
    from trexreport.reader.log_runs import LoggedRun, find_runs, text_of
    from trexreport.reader.log_text import plain_log

    plain = plain_log(log.data, log.name)[0]
    runs = find_runs(plain)
    found: dict[_Key, list[LoggedRun]] = {}
    for run in runs:
        for key in dict.fromkeys(owners[name] for name in run.exports.values() if name in owners):
            found.setdefault(key, []).append(run)
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


def names_of_captures(groups: Sequence[Sequence[Source]]) -> list[str]:
    """Return for each capture the file that it is called by: its own log, else its layers or their times."""
    counts = Counter(name for group in groups for name in {each.name for each in group})
    return [
        next((each.name for each in ordered if counts[each.name] == 1), ordered[0].name)
        for ordered in (sorted(group, key=_place_in_name) for group in groups)
    ]


def _place_in_name(source: Source) -> int:
    roles = ("log", *MAIN_ROLES)
    return roles.index(source.role) if source.role in roles else len(roles)
