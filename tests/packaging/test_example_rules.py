"""The example package of rules installs with pip, and its rules run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOFTMAX = {
    "Name": "probabilities",
    "LayerType": "CudaSoftMax",
    "ParameterType": "SoftMax",
    "Inputs": [{"Name": "logits", "Dimensions": [1, 1000], "Format/Datatype": "Row major linear FP32"}],
    "Outputs": [{"Name": "output", "Dimensions": [1, 1000], "Format/Datatype": "Row major linear FP32"}],
}
LATENCY = {"startComputeMs": 0, "endComputeMs": 30, "computeMs": 30, "latencyMs": 30}


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """Return a folder into which pip has installed the example, without what it depends on."""
    folder = tmp_path_factory.mktemp("packages")
    example = ROOT / "docs" / "example-rules"
    arguments = ["install", "--quiet", "--no-deps", "--target", str(folder), str(example)]
    subprocess.run([sys.executable, "-m", "pip", *arguments], check=True, timeout=300)
    return folder


def lint(packages, capture, *arguments):
    command = [
        sys.executable,
        "-m",
        "trexreport",
        "lint",
        str(capture),
        "--select",
        "deployment",
        "--format",
        "json",
    ]
    environment = {**os.environ, "PYTHONPATH": str(packages)}
    done = subprocess.run(
        [*command, *arguments], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode in {0, 1}, done.stderr
    return {each["code"]: each for each in json.loads(done.stdout)["findings"]}


@pytest.mark.packaging
def test_the_rules_fire(packages, capture):
    graph = {"Layers": [SOFTMAX], "Bindings": ["logits", "output"]}
    profile = [{"count": 10}, {"name": "probabilities", "timeMs": 1.0, "averageMs": 0.1, "percentage": 100}]
    found = lint(packages, capture(graph=graph, profile=profile, timing=[LATENCY] * 20))
    assert set(found) == {"ACME101", "ACME102"}
    assert found["ACME101"]["gain"]["high_ms"] == pytest.approx(0.1)
    assert found["ACME102"]["message"] == "Latency is 30 ms, above the budget of 20 ms."


@pytest.mark.packaging
def test_the_rules_are_silent_otherwise(packages, capture, tmp_path):
    between = {**SOFTMAX["Outputs"][0], "Name": "between"}
    last = {**SOFTMAX, "Name": "top", "LayerType": "TopK", "ParameterType": "TopK", "Inputs": [between]}
    graph = {"Layers": [{**SOFTMAX, "Outputs": [between]}, last], "Bindings": ["logits", "output"]}
    settings = tmp_path / "trexreport.toml"
    settings.write_text("[lint.thresholds.ACME102]\nbudget-ms = 33.3\n")
    folder = capture(graph=graph, timing=[LATENCY] * 20)
    assert lint(packages, folder, "--config", str(settings)) == {}
