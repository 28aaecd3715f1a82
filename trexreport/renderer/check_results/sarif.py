"""Write results as SARIF 2.1.0, the format that GitHub's code scanning and many viewers read.

Source: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0 Plus Errata 01, whose section
numbers are given below.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from trexreport import __version__
from trexreport.analyzer.analysis import UncheckedRule
from trexreport.analyzer.analysis.engine import SourceFacts
from trexreport.renderer.check_results.results import Check, CheckResults, Result
from trexreport.visible import visible

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
#: Of a result.
_MAX_LINES = 20
_LEVELS = {"error": "error", "warning": "warning", "info": "note", "none": "note"}


def write_sarif(sets: Sequence[CheckResults]) -> bytes:
    """Return a log with a run for each engine, as JSON in ASCII."""
    document = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "properties": {"generator": "trexreport"},
        "runs": [_run(each) for each in sets],
    }
    return (json.dumps(document, indent=1, allow_nan=False) + "\n").encode("ascii")


def _run(results: CheckResults) -> dict[str, Any]:
    index = {check.id: number for number, check in enumerate(results.checks)}
    location = _file_location(results.sources)
    return {
        "tool": {
            "driver": {
                "name": "trexreport",
                "semanticVersion": __version__,
                "rules": [_rule(check) for check in results.checks],
            }
        },
        "automationDetails": {"id": _identifier(results)},
        "invocations": [_invocation(results, index)],
        "artifacts": _artifacts(results.sources),
        "results": [_result(result, index, location) for result in results.results],
    }


def _identifier(results: CheckResults) -> str:
    """Return the category of a run, and the engine behind its last "/" (3.17.3).

    GitHub keeps one run of each category: those of several phases need one each.
    """
    phase = [visible(results.phase).replace("/", "_")] if results.phase else []
    return "/".join([results.tool, *phase, visible(results.engine.name)])


def _rule(check: Check) -> dict[str, Any]:
    help_texts = _message(check.help_text)
    if check.help_markdown:
        help_texts["markdown"] = check.help_markdown
    return {
        "id": visible(check.id),
        **({"name": check.name} if check.help_markdown else {}),
        "shortDescription": _message(f"{check.title}."),
        "fullDescription": _message(check.description or f"{check.title}."),
        "help": help_texts,
        "defaultConfiguration": {"level": _LEVELS[check.level]},
        "properties": {"tags": check.group.split(".")},
    }


def _invocation(results: CheckResults, index: Mapping[str, int]) -> dict[str, Any]:
    return {
        "executionSuccessful": all(each.why != "broken" for each in results.unchecked),
        "toolExecutionNotifications": [_notification(each, index) for each in results.unchecked],
        "toolConfigurationNotifications": [
            {"level": "warning", "message": _message(remark)} for remark in results.remarks
        ],
    }


def _notification(rule: UncheckedRule, index: Mapping[str, int]) -> dict[str, Any]:
    known = {"index": index[rule.code]} if rule.code in index else {}
    return {
        "level": "error" if rule.why == "broken" else "note",
        "message": _message(f"{rule.code} {rule.name}: {rule.reason}"),
        "descriptor": {"id": f"{rule.why}-rule"},
        "associatedRule": {"id": rule.code, **known},
    }


def _result(result: Result, index: Mapping[str, int], location: dict[str, Any]) -> dict[str, Any]:
    # By their keys, as no two logical locations may be the same.
    layers = {visible(key): visible(name) for key, name in result.layers}
    logical = [{"name": name, "fullyQualifiedName": key, "kind": "layer"} for key, name in layers.items()]
    related = [
        {"id": at, **_line_location(*each)} for at, each in enumerate(result.lines[1:_MAX_LINES], start=1)
    ]
    suppression = {
        "kind": "external",
        "status": "accepted",
        "justification": visible(result.suppression or ""),
    }
    return {
        "ruleId": visible(result.check_id),
        **({"ruleIndex": index[result.check_id]} if result.check_id in index else {}),
        "level": _LEVELS[result.level],
        "message": _message(result.message),
        "locations": _locations(result.lines, location, logical),
        **({"relatedLocations": related} if related else {}),
        # GitHub distinguishes alerts by the second one only.
        "partialFingerprints": {
            "trexreport/v1": result.fingerprint,
            "primaryLocationLineHash": result.fingerprint,
        },
        # An empty list says that nothing suppresses it, a missing one that it is unknown (3.27.23).
        "suppressions": [] if result.suppression is None else [suppression],
        **({} if result.rank is None else {"rank": result.rank}),
        "properties": result.properties,
    }


def _locations(
    lines: Sequence[tuple[str, int]], location: dict[str, Any], logical: list[dict[str, str]]
) -> list[dict[str, Any]]:
    """Return the first source line, if one is known, and the file with the layers; GitHub shows the first."""
    at_layers = {**location, **({"logicalLocations": logical} if logical else {})}
    return [*(_line_location(*each) for each in lines[:1]), at_layers]


def _line_location(path: str, line: int) -> dict[str, Any]:
    uri = "/".join(_file_uri(part) for part in path.split("/"))
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": line}}}


def _message(text: str) -> dict[str, str]:
    """Return a plain message: braces would be placeholders (3.11.5), brackets links (3.11.6)."""
    shown = visible(text).replace("{", "{{").replace("}", "}}")
    return {"text": shown.replace("[", "\\[").replace("]", "\\]")}


def _file_location(sources: Sequence[SourceFacts]) -> dict[str, Any]:
    """Return the location of the file with the layers; without files an empty one.

    GitHub takes no result without a line; JSON of an engine often has only one.
    """
    if not sources:
        return {}
    graph = next((source for source in sources if source.role == "graph"), sources[0])
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": _file_uri(graph.name)},
            "region": {"startLine": 1},
        }
    }


def _artifacts(sources: Sequence[SourceFacts]) -> list[dict[str, Any]]:
    """Return the files that were read; the same file twice is one."""
    files = {(source.name, source.sha256): source for source in sources}
    return [
        {
            "location": {"uri": _file_uri(source.name)},
            "length": source.size_bytes,
            "hashes": {"sha-256": source.sha256},
            "roles": ["analysisTarget"],
        }
        for source in files.values()
    ]


def _file_uri(name: str) -> str:
    """Return a file's name as a relative reference; a lone surrogate can't be in one."""
    return quote(name.encode("utf-8", "replace").decode("utf-8"), safe="") or "unnamed"
