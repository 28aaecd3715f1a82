"""Every option has an example in docs/commands.md that today's commands accept; the cheap ones run."""

from __future__ import annotations

import importlib.util
import json
import shlex
import shutil
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from trexreport.cli import main

ROOT = Path(__file__).parents[1]
BEFORE = ROOT / "samples" / "resnet18-int8-before"
AFTER = ROOT / "samples" / "resnet18-int8-after"
spec = importlib.util.spec_from_file_location("make_commands", ROOT / "docs" / "make_commands.py")
make_commands = importlib.util.module_from_spec(spec)
spec.loader.exec_module(make_commands)
EXAMPLES = {
    f"{section} {name}": line
    for section, table in make_commands.EXAMPLES.items()
    for name, line in table.items()
}
#: Commands whose examples are parsed only: they need a network, another program or a GPU, or take seconds.
PARSED_ONLY = ("archive", "collect", "demo", "doctor", "mail", "mcp", "report", "run", "site")


def runs(line):
    """Return whether an example needs no other program and takes no seconds."""
    _, command, *words = shlex.split(line)
    if command == "collect":
        return "--for-version" in words
    is_slow = any(word.endswith((".pdf", ".xlsx")) or word == "dot" for word in words)
    return command not in PARSED_ONLY and not is_slow


def parse(line):
    _, command, *words = shlex.split(line)
    return main.commands[command].make_context(command, words, parent=click.Context(main))


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A folder with the files that the examples name."""
    folder = tmp_path_factory.mktemp("examples")
    for name, sample in {
        "capture": BEFORE,
        "again": BEFORE,
        "candidate": AFTER,
        "candidate-2": AFTER,
        "candidate-3": AFTER,
    }.items():
        shutil.copytree(sample, folder / name)
    for name in ("old-phases", "new-phases"):
        shutil.copytree(BEFORE, folder / name / "decode")
        listed = {"phases": [{"name": "decode", "path": "decode"}], "schema_version": 1}
        text = json.dumps({"schema": "trexreport-phases", **listed})
        (folder / name / "trexreport-phases.json").write_text(text)
    (before,) = BEFORE.glob("*.graph.json")
    stem = str(before).removesuffix(".graph.json")
    for name, ending in {
        "engine.graph.json": "graph",
        "layers.json": "graph",
        "times.json": "profile",
        "queries.json": "timing",
        "again.timing.json": "timing",
        "build.json": "build.metadata",
        "run.json": "profile.metadata",
    }.items():
        shutil.copy(f"{stem}.{ending}.json", folder / name)
    (folder / "device.json").write_text(json.dumps({"Name": "NVIDIA A100", "Total memory": 1}))
    for name in ("build.log", "model.engine"):
        (folder / name).write_text("")
    runs = ("&&&& RUNNING TensorRT.trtexec # trtexec --loadEngine=a.plan\n[I] Throughput: 5 qps\n",) * 2
    (folder / "all.log").write_text("\n".join(runs))
    shutil.copy(ROOT / "samples" / "models" / "resnet18-int8-before.onnx", folder / "model.onnx")
    (folder / "accuracy.json").write_text('{"measure": "snr_db", "tensors": {"conv1": 41.5}}')
    for name in ("trt.json", "onnxrt.json"):
        statistics = {"min": 0.0, "max": 1.0, "avg": 0.5}
        tensors = [{"name": "conv1", "shape": [1, 64], "type": "Half", "statistics": statistics}]
        (folder / name).write_text(json.dumps({"metadata": {}, "tensors": tensors}))
    (folder / "ci").mkdir()
    for name in ("trexreport.toml", "ci/trexreport.toml", "ci/budget.toml"):
        (folder / name).write_text("[budget]\nlatency-p99-ms = 10\n")
    report = ["report", str(BEFORE), "-o", str(folder / "report.html"), "--charts", "static", "--isolated"]
    assert CliRunner().invoke(main, report).exit_code == 0
    return folder


def test_every_option_has_an_example():
    sections = make_commands.sections()
    assert len(sections) > len(main.commands)
    assert set(make_commands.EXAMPLES) == set(sections)
    for section, names in sections.items():
        arguments = [name for name in make_commands.EXAMPLES[section] if not name.startswith("-")]
        assert sorted(make_commands.EXAMPLES[section]) == sorted([*names, *arguments]), section
        assert bool(arguments) is not bool(names), section


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_uses_its_option(name):
    section, option = name.split()
    _, command, *_ = shlex.split(EXAMPLES[name])
    assert command == section or section in {"input-files", "rules-and-gpu"}
    context = parse(EXAMPLES[name])
    if option.startswith("-"):
        (parameter,) = (each for each in context.command.params if option in each.opts)
        spellings = {word.partition("=")[0] for word in shlex.split(EXAMPLES[name])}
        assert spellings & set(parameter.opts)


@pytest.mark.parametrize("name", [name for name, line in EXAMPLES.items() if runs(line)])
def test_example_runs(name, prepared, monkeypatch):
    monkeypatch.chdir(prepared)
    before = set(prepared.iterdir())
    _, *words = shlex.split(EXAMPLES[name])
    result = CliRunner().invoke(main, words)
    # `lint` and `check` exit with 1 for what they find.
    allowed = {0, 1} if words[0] in {"lint", "check"} else {0}
    assert result.exit_code in allowed, result.output
    for path in set(prepared.iterdir()) - before:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
