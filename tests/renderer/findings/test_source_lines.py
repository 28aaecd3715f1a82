"""Findings at source lines: relative paths of any system, in SARIF, annotations and JUnit."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lint_runs import SAMPLE, hostile_texts

from trexreport.analyzer import analyze
from trexreport.analyzer.rules.description import describe_rules
from trexreport.analyzer.rules.registry import all_rules
from trexreport.reader import read_engine
from trexreport.renderer.findings import FORMATS, LintRun
from trexreport.renderer.findings.results import SourcePaths

MODEL = SAMPLE.parent / "models" / "resnet18-int8-before.onnx"
ANALYSIS = analyze(read_engine(SAMPLE, files={"onnx": MODEL}))


def run_of(analysis):
    return LintRun(analysis, describe_rules(all_rules().rules))


def with_files(*files):
    """Return the analysis with the given source files instead of its own, in turn."""
    nodes = [
        replace(node, source=f"{files[at % len(files)]}:{at + 1}")
        for at, node in enumerate(ANALYSIS.onnx.nodes)
    ]
    return replace(ANALYSIS, onnx=replace(ANALYSIS.onnx, nodes=nodes))


def paths_of(analysis):
    paths = SourcePaths(analysis)
    places = [place for finding in analysis.lint.findings for place in finding.places]
    return {line.path for place in places for line in paths.lines(place)}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["models/net.py"], {"models/net.py"}),
        (["./models/../models/net.py", "train.py"], {"models/net.py", "train.py"}),
        (["/home/anna/project/models/net.py"], {"net.py"}),
        (["/home/anna/project/models/net.py", "/home/anna/project/train.py"], {"models/net.py", "train.py"}),
        (["/home/anna/project/net.py", "own.py"], {"net.py", "own.py"}),
        ([r"C:\Users\anna\project\net.py", r"C:\Users\anna\train.py"], {"project/net.py", "train.py"}),
        ([r"models\net.py"], {"models/net.py"}),
        # Outside of the folder that most files share.
        (["/home/anna/repo/a.py", "/home/anna/repo/x/b.py", "/opt/lib/c.py"], {"a.py", "x/b.py"}),
        (["/home/anna/repo/a.py", "/home/anna/repo/x/b.py", "/home/bob/c.py"], {"a.py", "x/b.py"}),
        ([r"C:\Users\anna\a.py", r"c:\Users\anna\b.py", r"D:\lib\c.py"], {"a.py", "b.py"}),
        (["/mnt/c/Users/anna/a.py", "/mnt/c/Users/anna/x/b.py", "/mnt/d/c.py"], {"a.py", "x/b.py"}),
        (["/a.py", "/b.py", "/home/anna/c.py"], {"c.py"}),
        (["/a.py", "/b.py"], {"a.py", "b.py"}),
        (["/workspace/a.py", "/workspace/x/b.py"], {"a.py", "x/b.py"}),
        (["../shared/net.py"], set()),
        (["a/../../net.py", "ok.py"], {"ok.py"}),
        (["/../../net.py"], {"net.py"}),
        (["//box/share/net.py", "//box/share/x/other.py"], {"net.py", "x/other.py"}),
        (["/"], set()),
        ([".."], set()),
        (["models/net:3.py"], {"models/net:3.py"}),
    ],
)
def test_paths_are_relative_to_the_folder_of_the_sources(files, expected):
    assert paths_of(with_files(*files)) == expected


FOLDERS = ("/home/anna/repo", "/home/anna/lib", "/home/bob", "/opt/lib", r"C:\Users\anna", "D:/anna/x")


@given(st.lists(st.sampled_from(FOLDERS), min_size=1, max_size=6))
def test_paths_of_any_folders_name_no_user_and_no_drive(folders):
    paths = paths_of(with_files(*(f"{folder}/{at}.py" for at, folder in enumerate(folders))))
    assert paths
    for path in paths:
        assert not {"home", "anna", "bob", "Users", "C:", "D:"} & set(path.split("/"))


@given(hostile_texts)
def test_no_path_leaves_the_folder(file):
    paths = paths_of(with_files(file, "/home/anna/x.py"))
    assert paths
    for path in paths:
        assert not path.startswith("/")
        assert ".." not in path.split("/")


def test_sarif_is_at_the_line_first_and_at_the_layers_too():
    validate = pytest.importorskip("sarif_kit.validate")
    document = json.loads(FORMATS["sarif"](run_of(ANALYSIS)))
    assert validate.validation_errors(document) == []
    results = document["runs"][0]["results"]
    at_lines = [each for each in results if len(each["locations"]) == 2]
    assert at_lines
    for result in at_lines:
        place, layers = (each["physicalLocation"] for each in result["locations"])
        assert place["artifactLocation"]["uri"] == "models/resnet.py"
        assert place["region"]["startLine"] > 1
        assert layers["artifactLocation"]["uri"].endswith(".json")
        assert result["locations"][1]["logicalLocations"]
    related = [each for result in results for each in result.get("relatedLocations", [])]
    assert related
    assert all(each["physicalLocation"]["region"]["startLine"] > 1 for each in related)


def test_sarif_of_hostile_files_is_valid():
    validate = pytest.importorskip("sarif_kit.validate")
    document = json.loads(FORMATS["sarif"](run_of(with_files("a b/<x>#?%{0}[y]\n\ud800.py", "C:\\x\\y.py"))))
    assert validate.validation_errors(document) == []
    uris = {
        each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for each in document["runs"][0]["results"]
    }
    assert "y.py" in uris
    assert all(not set(uri) & set(' <>"{}|\\^`:?#') for uri in uris)


def test_annotations_and_junit_name_the_line():
    text = FORMATS["github"](run_of(ANALYSIS)).decode()
    assert "::warning file=models/resnet.py,line=" in text
    assert "(models/resnet.py:" in FORMATS["junit"](run_of(ANALYSIS)).decode()


def test_without_a_model_nothing_is_at_a_line():
    without = replace(ANALYSIS, onnx=None)
    document = json.loads(FORMATS["sarif"](run_of(without)))
    assert all(len(each["locations"]) == 1 for each in document["runs"][0]["results"])
    assert "file=" not in FORMATS["github"](run_of(without)).decode()
