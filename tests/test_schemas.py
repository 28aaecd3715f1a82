"""The published JSON Schemas are those of the types, and fit what the commands write."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from trexreport.cli import main

jsonschema = pytest.importorskip("jsonschema")

ROOT = Path(__file__).parents[1]
SAMPLES = sorted(path for path in (ROOT / "samples").iterdir() if list(path.glob("*.graph.json")))
SCHEMAS = sorted(path.name for path in (ROOT / "docs").glob("*.schema.json"))


def closed(part):
    """Return a schema that takes no member that it does not name; ours are open."""
    if isinstance(part, list):
        return [closed(each) for each in part]
    if not isinstance(part, dict):
        return part
    limits = {"additionalProperties": False} if isinstance(part.get("properties"), dict) else {}
    return {key: closed(each) for key, each in part.items()} | limits


def errors(name, document):
    schema = closed(json.loads((ROOT / "docs" / f"{name}.schema.json").read_text("utf-8")))
    found = jsonschema.Draft202012Validator(schema).iter_errors(document)
    return [(list(error.absolute_path), error.message[:200]) for error in found]


def written(tmp_path, *arguments):
    path = tmp_path / "written.json"
    output = [] if arguments[0] == "summary" else ["-o", str(path)]
    result = CliRunner().invoke(main, [*arguments, *output])
    assert result.exit_code == 0, result.output
    return json.loads(path.read_text("utf-8") if output else result.stdout)


@pytest.mark.parametrize("name", SCHEMAS)
def test_each_is_a_schema(name):
    schema = json.loads((ROOT / "docs" / name).read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$id"].startswith(f"urn:trexreport:{name.removesuffix('.schema.json')}:")
    assert schema["title"]
    assert schema["description"]


def test_they_are_current():
    spec = importlib.util.spec_from_file_location("make_schemas", ROOT / "docs" / "make_schemas.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    checked = list(module.schemas().items())
    assert checked
    for name, text in checked:
        assert (ROOT / "docs" / name).read_text("utf-8") == text, "run: python docs/make_schemas.py"


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_analyses_and_summaries_fit(sample, tmp_path):
    analysis = written(tmp_path, "report", str(sample), "--isolated")
    assert errors("analysis", analysis) == []
    assert errors("summary", written(tmp_path, "summary", str(sample), "--isolated", "--json")) == []
    assert errors("layers", written(tmp_path, "export", str(sample))) == []
    del analysis["layers"][0]["name"]
    analysis["latency"]["unheard"] = 1
    assert len(errors("analysis", analysis)) == 2


def test_comparisons_fit(tmp_path):
    before, after = (str(ROOT / "samples" / f"resnet18-int8-{name}") for name in ("before", "after"))
    others = ["--baseline-latency", "PyTorch eager=12.3ms"]
    for arguments in ([before, after, *others], [before, after, before, "--baseline", "2"]):
        assert errors("comparison", written(tmp_path, "compare", *arguments)) == []


@pytest.mark.slow
def test_analyses_and_comparisons_of_real_engines_fit(engines_folder, tmp_path):
    folders = sorted(path for path in engines_folder.iterdir() if path.is_dir() and any(path.glob("*graph*")))
    assert folders
    for folder in folders:
        assert errors("analysis", written(tmp_path, "report", str(folder), "--isolated")) == [], folder
        assert errors("layers", written(tmp_path, "export", str(folder))) == [], folder
        assert errors("comparison", written(tmp_path, "compare", str(folders[0]), str(folder))) == [], folder
