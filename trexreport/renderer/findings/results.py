"""The findings as results of checks: a check for each rule, a result for each place.

The source lines of a finding as a code host finds them: relative to the folder of the sources.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from trexreport.analyzer.analysis import Analysis, Finding, Place, RuleFacts, as_json
from trexreport.analyzer.analysis.findings import SuppressedPlace
from trexreport.numbers import format_count
from trexreport.regex import regex
from trexreport.renderer.check_results.results import Annotation, Check, CheckResults, Result
from trexreport.renderer.findings.run import LintRun, layer_names, sentence, sum_up
from trexreport.renderer.rule_pages import rule_markdown, rule_text
from trexreport.visible import visible
from trexreport.wording.findings import which_part
from trexreport.wording.json_sentences import members_and_sentences

_DRIVE = regex(r"[A-Za-z]:(?=/)")
#: Parts of folders that hold those of users, of disks and of the system, and no project.
_NO_PROJECT = regex(r"|[A-Za-z]:?|home|users|mnt|media|volumes", re.IGNORECASE)
#: A file that is in no folder below.
_HERE = "/"
_LARGEST_LINE = 2**31 - 1
_MAX_PLACES = 5


class _SourceLine(NamedTuple):
    """A line of a file: its path with slashes, relative to the folder of the sources."""

    path: str
    line: int


class SourcePaths:
    """The source files of an ONNX model, as relative paths.

    A relative path is taken as it is. Of absolute ones, the folder that all have in common is left out: it is
    one of the machine that exported the model, and may name a user. If they share only the root, a drive or
    the folder of all users, it is that of most files, and the others have no path.
    """

    def __init__(self, analysis: Analysis) -> None:
        self._model = analysis.onnx
        files = (node.source.rpartition(":")[0] for node in self._model.nodes) if self._model else ()
        self._paths = _relative(Counter(filter(None, files)))

    def lines(self, place: Place) -> list[_SourceLine]:
        """Return the lines that the layers of a place compute, those of its first layer first."""
        model = self._model
        if model is None or not model.layer_nodes:
            return []
        nodes = dict.fromkeys(node for layer in place.layers for node in model.layer_nodes[layer])
        found = []
        for node in nodes:
            file, _, line = model.nodes[node].source.rpartition(":")
            if file in self._paths and line.isascii() and line.isdecimal():
                found.append(_SourceLine(self._paths[file], min(max(int(line), 1), _LARGEST_LINE)))
        return list(dict.fromkeys(found))


def lint_results(run: LintRun) -> CheckResults:
    """Return the outcome of the rules."""
    lint, paths = run.analysis.lint, SourcePaths(run.analysis)
    broken = (
        Annotation("warning", f"{each.code} is broken", (each.reason,)) for each in run.unchecked("broken")
    )
    return CheckResults(
        tool="trexreport",
        engine=run.analysis.identity,
        summary=sum_up(run),
        sources=run.analysis.sources,
        checks=tuple(_check(run, rule) for rule in run.rules),
        results=(
            *(
                _result(run, paths, each, place, consequences=_consequences(run, each, number))
                for each in lint.findings
                for number, place in enumerate(each.places)
            ),
            *(_result(run, paths, each, each.place, suppression=each.reason) for each in lint.suppressed),
        ),
        annotations=(*(_annotation(run, paths, finding) for finding in lint.findings), *broken),
        remarks=tuple(lint.remarks),
        unchecked=tuple(lint.unchecked),
    )


def _check(run: LintRun, rule: RuleFacts) -> Check:
    lint = run.analysis.lint
    failing = [finding for finding in run.findings_of(rule) if run.fails(finding)]
    output = [line for each in run.findings_of(rule) if each not in failing for line in _lines(run, each)]
    output += [
        f"Explained by {finding.code}: {each.message}"
        for finding in lint.findings
        for each in finding.consequences
        if each.code == rule.code
    ]
    output += [
        f"Suppressed: {each.reason}: {layer_names(run, each.place)}".rstrip(": ")
        for each in lint.suppressed
        if each.code == rule.code
    ]
    reasons = {each.why: each.reason or each.why for each in lint.unchecked if each.code == rule.code}
    return Check(
        id=rule.code,
        name=rule.name,
        title=f"{rule.code} {rule.title}",
        group=rule.family,
        description=rule.cost,
        help_text=rule_text(rule),
        help_markdown=rule_markdown(rule),
        level=rule.severity,
        failure=" ".join(map(sentence, failing)),
        failure_kind=failing[0].severity if failing else "",
        failure_details=tuple(line for finding in failing for line in _lines(run, finding)),
        skipped=reasons.get("skipped", ""),
        error=reasons.get("broken", ""),
        output=() if reasons else tuple(output),
    )


def _lines(run: LintRun, finding: Finding) -> list[str]:
    places = [
        f"- {layer_names(run, place, 3) or 'the whole engine'}{_source(place)}: {sentence(place)}"
        for place in finding.places
    ]
    return [
        f"{finding.severity}: {sentence(finding)}",
        *places,
        *(f"- also resolved: {which_part(each)} {each.message}" for each in finding.consequences),
        *filter(None, finding.recommendation.splitlines()),
    ]


def _source(place: Place) -> str:
    source = place.evidence.get("source")
    return f" ({source})" if source else ""


def _annotation(run: LintRun, paths: SourcePaths, finding: Finding) -> Annotation:
    texts = [sentence(finding)]
    texts += [
        f"- {layer_names(run, place)}{_source(place)}"
        for place in finding.places[:_MAX_PLACES]
        if place.layers
    ]
    if len(finding.places) > _MAX_PLACES:
        texts.append(f"- and {format_count(len(finding.places) - _MAX_PLACES)} more")
    texts += [
        f"Also resolved: {which_part(each)} {each.message}" for each in finding.consequences[:_MAX_PLACES]
    ]
    title = f"{finding.code} {finding.name}"
    first = next((lines for place in finding.places if (lines := paths.lines(place))), None)
    file, line = first[0] if first else ("", 0)
    return Annotation(finding.severity, title, (*texts, *finding.recommendation.split("\n")), file, line)


def _consequences(run: LintRun, finding: Finding, number: int) -> list[dict[str, str]]:
    """Return what the place with this number explains."""
    return [
        {"code": each.code, "message": visible(place.message), "layers": visible(layer_names(run, place))}
        for each in finding.consequences
        for place, cause in zip(each.places, each.causes, strict=True)
        if cause == number
    ]


def _result(
    run: LintRun,
    paths: SourcePaths,
    item: Finding | SuppressedPlace,
    place: Place,
    *,
    suppression: str | None = None,
    consequences: Sequence[Mapping[str, str]] = (),
) -> Result:
    percent = place.gain.ranking_percent if suppression is None and place.gain else None
    names = layer_names(run, place)
    return Result(
        check_id=item.code,
        level=item.severity,
        message=f"{names}: {sentence(place)}" if names else sentence(place),
        lines=tuple(paths.lines(place)),
        layers=tuple((layer.key, layer.name) for layer in run.layers(place)),
        fingerprint=place.fingerprint,
        suppression=suppression,
        rank=None if percent is None else min(100.0, percent),
        properties={
            "gain": as_json(place.gain, members_and_sentences),
            "evidence": {visible(label): visible(text) for label, text in place.evidence.items()},
            **({"consequences": consequences} if consequences else {}),
        },
    )


def _relative(nodes_of: Mapping[str, int]) -> Mapping[str, str]:
    """Return the relative path of each file; a file that is outside of the folder of the sources has none.

    Args:
        nodes_of: By file, how many nodes are from it.
    """
    parts = {file: _parts(file) for file in sorted(nodes_of)}
    folder = _folder([(each[:-1], nodes_of[file]) for file, each in parts.items() if each and not each[0]])
    found = {}
    for file, each in parts.items():
        if each and each[0] not in ("", ".."):
            found[file] = "/".join(each)
        elif each and not each[0] and each[: len(folder)] == folder:
            found[file] = "/".join(each[len(folder) :])
    return found


def _folder(folders: Sequence[tuple[list[str], int]]) -> list[str]:
    """Return the folder that all share; if that holds the folders of users or drives, that of most of them.

    Args:
        folders: The parts of each file's folder, with the number of its nodes.
    """
    shared: list[str] = []
    is_project = False
    while folders:
        sizes: dict[str, tuple[int, int]] = {}
        for parts, nodes in folders:
            part = parts[len(shared)] if len(parts) > len(shared) else _HERE
            files, its_nodes = sizes.get(part, (0, 0))
            sizes[part] = files + 1, its_nodes + nodes
        below = sorted(sizes.keys() - {_HERE})
        if not below or (is_project and len(sizes) > 1):
            break
        part = max(below, key=sizes.__getitem__)
        is_project = is_project or not _NO_PROJECT.fullmatch(part)
        folders = [each for each in folders if each[0][len(shared) : len(shared) + 1] == [part]]
        shared.append(part)
    return shared


def _parts(file: str) -> list[str]:
    """Return the parts of a path of any system, "" first of an absolute one, without "." and inner ".."."""
    text = file.replace("\\", "/")
    drive = _DRIVE.match(text)
    parts = ["", *([drive[0].upper()] if drive else [])] if drive or text.startswith("/") else []
    fixed = len(parts)
    for part in text[drive.end() if drive else 0 :].split("/"):
        if part == ".." and len(parts) > fixed and parts[-1] != "..":
            parts.pop()
        elif part == ".." and fixed:
            continue
        elif part not in ("", "."):
            parts.append(part)
    return parts if len(parts) > fixed else []
