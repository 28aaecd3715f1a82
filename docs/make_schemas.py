"""Write the JSON Schemas of an analysis, its parts and a comparison from the types that hold them.

Run it with the development environment: `python docs/make_schemas.py`. A test fails if that is due.

The types are dataclasses of numbers, texts, lists, mappings and each other, and nothing else, for which a few
lines do what a library would; the descriptions are those of their docstrings.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import inspect
import json
import re
import textwrap
import types
import typing
from pathlib import Path
from typing import Any

from trexreport.analyzer.analysis import SCHEMA_VERSION, Analysis
from trexreport.analyzer.analysis.comparison import COMPARISON_SCHEMA_VERSION, Comparison
from trexreport.analyzer.analysis.phases import PHASES_SCHEMA_VERSION, PhasesReport
from trexreport.analyzer.analysis.phases_check import PHASES_CHECK_SCHEMA_VERSION, PhasesCheck
from trexreport.analyzer.analysis.phases_comparison import (
    PHASES_COMPARISON_SCHEMA_VERSION,
    PhasesComparison,
)
from trexreport.renderer.export import TABLE_SCHEMA_VERSION
from trexreport.renderer.layer_columns import exported_columns
from trexreport.renderer.phases.findings import SCHEMA
from trexreport.renderer.phases.findings import SCHEMA_VERSION as LINT_SCHEMA_VERSION
from trexreport.wording.json_sentences import SENTENCES

HERE = Path(__file__).resolve().parent
_SCALARS = {str: "string", int: "integer", float: "number", bool: "boolean", types.NoneType: "null"}
#: What `trexreport summary --json` leaves out, as it is as long as the engine.
_DETAILS = ("layers", "tensors", "reformats", "tactics", "kernels", "counters")
#: Shorter objects are on one line.
_WIDTH = 140
_ABOUT = (
    "Version {version}. null is not known or not measured. Names end with their units: _ms, _bytes, _percent "
    "(0 to 100). schema_version rises when a reader would have to change; new members may come without that."
)


def main() -> None:
    """Write the schemas beside this file."""
    for name, text in schemas().items():
        (HERE / name).write_text(text, encoding="utf-8")


def schemas() -> dict[str, str]:
    """Return file name to text of each schema."""
    documents = {
        "analysis": document(Analysis, "What trexreport report -o X.json writes", SCHEMA_VERSION),
        "comparison": document(
            Comparison, "What trexreport compare -o X.json writes", COMPARISON_SCHEMA_VERSION
        ),
    }
    documents["phases"] = document(
        PhasesReport, "What trexreport report --phase … -o X.json writes", PHASES_SCHEMA_VERSION
    )
    documents["phases-comparison"] = document(
        PhasesComparison,
        "What trexreport compare -o X.json writes of folders with phases",
        PHASES_COMPARISON_SCHEMA_VERSION,
    )
    documents["phases-check"] = document(
        PhasesCheck,
        "What trexreport check --format json writes of several phases",
        PHASES_CHECK_SCHEMA_VERSION,
    )
    documents["phases-check"]["properties"]["schema"] = {"const": "trexreport.phases-check"}
    documents["phases-lint"] = _phases_lint()
    documents["summary"] = _summary()
    documents["layers"] = _layers()
    return {f"{name}.schema.json": _text(name, content) for name, content in documents.items()}


def document(kind: type, title: str, version: int) -> dict[str, Any]:
    """Return the schema of a dataclass that is a file's whole content."""
    definitions: dict[str, Any] = {}
    schema = _of_dataclass(kind, definitions)
    members = {
        **schema["properties"],
        "generator": {"const": "trexreport"},
        "version": {"description": "Of trexreport.", "type": "string"},
        "schema_version": {"const": version},
    }
    return {
        "title": title,
        "description": _ABOUT.format(version=version),
        **_object(members),
        "$defs": dict(sorted(definitions.items())),
    }


def _summary() -> dict[str, Any]:
    schema = document(Analysis, "What trexreport summary --json writes", SCHEMA_VERSION)
    for detail in _DETAILS:
        del schema["properties"][detail]
    schema["properties"]["layer_count"] = {"type": "integer"}
    schema["required"] = list(schema["properties"])
    memory = schema["$defs"]["Memory"]
    del memory["properties"]["live_bytes"]
    memory["required"] = list(memory["properties"])
    used = _used(schema["properties"], schema["$defs"])
    schema["$defs"] = {name: each for name, each in schema["$defs"].items() if name in used}
    return schema


def _phases_lint() -> dict[str, Any]:
    of_engine = json.loads((HERE / "lint.schema.json").read_text("utf-8"))
    definitions = {**of_engine.pop("$defs"), "Lint": of_engine}
    for key in ("$schema", "$id"):
        del of_engine[key]
    phase = {"name": {"type": "string"}, "lint": {"$ref": "#/$defs/Lint"}}
    members = {
        "generator": {"const": "trexreport"},
        "version": {"description": "Of trexreport.", "type": "string"},
        "schema": {"const": SCHEMA},
        "schema_version": {"const": LINT_SCHEMA_VERSION},
        "title": {"description": "Of the set.", "type": "string"},
        "fail_on": of_engine["properties"]["fail_on"],
        "failed": {"description": "Whether a finding of any phase fails the run.", "type": "boolean"},
        "counts": of_engine["properties"]["counts"],
        "phases": {"type": "array", "minItems": 1, "items": _object(phase)},
    }
    return {
        "title": "What trexreport lint --format json writes of several phases",
        "description": _ABOUT.format(version=LINT_SCHEMA_VERSION),
        **_object(members),
        "$defs": definitions,
    }


def _layers() -> dict[str, Any]:
    tensor = {
        "name": {"type": "string"},
        "dimensions": {"type": "array", "items": {"type": "integer"}},
        "format": {"type": "string"},
        "size_bytes": {"type": ["integer", "null"]},
    }
    kinds: dict[str, dict[str, Any]] = {
        "text": {"type": "string"},
        "list": {"type": "array", "items": {"type": "string"}},
        "tensors": {"type": "array", "items": {"$ref": "#/$defs/Tensor"}},
        "number": {"type": ["number", "null"]},
        "count": {"type": ["integer", "null"]},
        "bytes": {"type": ["integer", "null"]},
    }
    row = {
        column.key: {"description": f"{column.description}."} | kinds[column.kind]
        for column in exported_columns()
    }
    members = {
        "generator": {"const": "trexreport"},
        "generator_version": {"type": "string"},
        "schema": {"const": "trexreport.layers"},
        "schema_version": {"const": TABLE_SCHEMA_VERSION},
        "engine": {"type": "string"},
        "note": {"description": "What the columns mean.", "type": "string"},
        "rows": {"type": "array", "items": {"$ref": "#/$defs/Row"}},
    }
    return {
        "title": "What trexreport export -o X.json writes",
        "description": _ABOUT.format(version=TABLE_SCHEMA_VERSION),
        **_object(members),
        "$defs": {"Row": _object(row), "Tensor": _object(tensor)},
    }


def _object(members: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": list(members), "properties": members}


def _used(part: Any, definitions: dict[str, Any]) -> set[str]:
    """Return the names of the definitions that a part of a schema leads to."""
    names = set(re.findall(r'"#/\$defs/(\w+)"', json.dumps(part)))
    rest = {name: each for name, each in definitions.items() if name not in names}
    return names.union(*(_used(definitions[name], rest) for name in names if name in definitions))


def _of_dataclass(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    hints = typing.get_type_hints(kind)
    description, of_members = _described(kind)
    members = {each.name: _of_type(hints[each.name], definitions) for each in dataclasses.fields(kind)}
    for name, text in of_members.items():
        members[name] = {"description": text} | members[name]
    for name, sentence in SENTENCES.get(kind, {}).items():
        returned = _of_type(typing.get_type_hints(sentence)["return"], definitions)
        members[name] = {"description": _first_line(sentence)} | returned
    return {"description": description, **_object(members)}


def _of_type(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a type.

    Raises:
        TypeError: It is of a kind that no type of the analyses had until now.
    """
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return {}
    if origin is typing.Literal:
        return {"enum": list(parts)}
    if hint in _SCALARS:
        return {"type": _SCALARS[hint]}
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        if hint.__name__ not in definitions:
            definitions[hint.__name__] = {}  # it may hold itself
            definitions[hint.__name__] = _of_dataclass(hint, definitions)
        return {"$ref": f"#/$defs/{hint.__name__}"}
    if origin in {types.UnionType, typing.Union}:
        if all(typing.get_origin(part) is typing.Literal for part in parts):
            return {"enum": [value for part in parts for value in typing.get_args(part)]}
        if all(part in _SCALARS for part in parts):
            return {"type": [_SCALARS[part] for part in parts]}
        return {"anyOf": [_of_type(part, definitions) for part in parts]}
    if origin in {dict, collections.abc.Mapping}:
        if parts[0] in (int, float, bool):
            raise TypeError(f"{hint}: names in JSON are texts")
        names = {} if parts[0] is str else {"propertyNames": _of_type(parts[0], definitions)}
        return {"type": "object", **names, "additionalProperties": _of_type(parts[1], definitions)}
    if origin in {list, collections.abc.Sequence} or (origin is tuple and parts[1:] == (...,)):
        return {"type": "array", "items": _of_type(parts[0], definitions)}
    if origin is tuple:
        items = [_of_type(part, definitions) for part in parts]
        return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
    raise TypeError(f"{hint!r} has no schema yet")


def _first_line(function: Any) -> str:
    """Return what a function's docstring says that it returns."""
    line = (inspect.getdoc(function) or "").partition("\n")[0].removeprefix("Return ")
    return line[:1].upper() + line[1:]


def _described(kind: Any) -> tuple[str, dict[str, str]]:
    """Return what a docstring says of a dataclass, and of its members by name."""
    description, _, attributes = inspect.cleandoc(kind.__doc__ or "").partition("\nAttributes:\n")
    members: dict[str, str] = {}
    for entry in re.split(r"\n(?=\S)", textwrap.dedent(attributes)):
        names, _, text = entry.partition(": ")
        for name in re.findall(r"\w+", names.replace("`", "")):
            members[name] = _words(text)
    known = {each.name for each in dataclasses.fields(kind)}
    return _words(description), {name: text for name, text in members.items() if name in known}


def _words(text: str) -> str:
    """Return a text of a docstring in one line, in the words of JSON."""
    return re.sub(r"\bNone\b", "null", " ".join(text.split()))


def _text(name: str, content: dict[str, Any]) -> str:
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:trexreport:{name}:{_version(content)}",
    }
    return f"{_lines(head | content, 0)}\n"


def _version(content: dict[str, Any]) -> int:
    return int(content["properties"]["schema_version"]["const"])


def _lines(value: Any, depth: int) -> str:
    """Return JSON in which only objects that are long take several lines."""
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict) or (depth and len(flat) < _WIDTH):
        return flat
    pad = "  " * (depth + 1)
    members = (f"{pad}{json.dumps(key)}: {_lines(each, depth + 1)}" for key, each in value.items())
    return "{\n" + ",\n".join(members) + "\n" + "  " * depth + "}"


if __name__ == "__main__":
    main()
