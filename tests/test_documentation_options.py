"""Every option that a page names exists: ours, trtexec's in the versions spoken of, or another program's."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from trexreport.cli import main
from trexreport.cli.renamed_options import RENAMED
from trexreport.collector.flags import Support, flag_table, rtx_flag_table
from trexreport.collector.versions import Version

ROOT = Path(__file__).parents[1]
PAGES = {
    str(path.relative_to(ROOT)): path.read_text("utf-8")
    for path in (
        *sorted(ROOT.glob("*.md")),
        ROOT / "samples" / "README.md",
        *sorted((ROOT / "docs").rglob("*.md")),
    )
}
#: Options of other programs and of earlier versions, by page.
OTHERS = {
    "CHANGELOG.md": {option for _, option in RENAMED} | {"--type", "--prefix"},  # nsys, kubectl
    "docs/decisions/0008-verdicts.md": {"--seed"},  # benchmarks/verdict_calibration.py
    "docs/decisions/0020-the-script.md": {"--test"},  # node
    "docs/accuracy.md": {"--save-accuracy-results", "--save-outputs", "--compare"},  # polygraphy
    "docs/archiving.md": {"--detach-sign"},  # gpg
    "docs/collecting.md": {"--init", "--runtime", "--gpus", "--user"},  # docker
    "docs/from-trex.md": {  # TREx
        *("--beam", "--print-only", "--compute-clk-freq", "--monitor", "--archive"),
        *("--build-engine", "--profile-engine", "--no_layer_names", "--display_constant"),
        *("--display_regions", "--display_region_names", "--display_metadata"),
    },
    "docs/installing.md": {"--build-arg", "--from"},  # docker, uvx
    "docs/kernels.md": {"--cuda-graph-trace", "--timeunit"},  # nsys
    "docs/inputs.md": {"--lock-gpu-clocks", "--type", "--csv", "--page"},  # nvidia-smi, nsys
    "docs/notebooks.md": {"--execute"},  # nbconvert
    "docs/rules.md": {"--fold-constants", "--markDebug"},  # polygraphy
}
OURS = {name for command in main.commands.values() for each in command.params for name in each.opts}
FENCE = re.compile(r"^ *```.*?^ *```$", re.DOTALL | re.MULTILINE)


def options_of(command):
    return {name for each in main.commands[command].params for name in each.opts} | {"-h", "--help"}


def code(page):
    return re.findall(r"`([^`\n]+)`", FENCE.sub("", PAGES[page]))


@pytest.mark.parametrize("page", PAGES)
def test_options_in_sentences_exist(page):
    known = (
        OURS
        | {f"--{flag}" for flag in {**flag_table().spans, **rtx_flag_table().spans}}
        | OTHERS.get(page, set())
        | {"--help", "--version"}
    )
    # A decision may name an option that was considered and not added.
    known |= {"--streams", "--check", "--strict"} if "decisions" in page else set()
    named = {option for each in code(page) for option in re.findall(r"(?<![\w-])--[a-zA-Z][\w-]*", each)}
    assert named <= known


def test_commands_in_sentences_exist():
    named = [each for page in PAGES for each in code(page) if each.startswith("trexreport ")]
    assert len(named) > 50
    for each in named:
        command, _, rest = each.removeprefix("trexreport ").partition(" ")
        if command in {"COMMAND", "--help", "--version"}:
            continue
        assert command in main.commands, each
        ours = rest.partition(" -- ")[0]
        assert set(re.findall(r"(?<!\S)--?[a-z][\w-]*", ours)) <= options_of(command), each


def test_commands_that_are_only_shown_would_be_taken():
    """What needs a cluster or a URL is parsed, and not run."""
    shown = [
        line
        for page in PAGES
        if page != "docs/commands.md"
        for block in re.findall(r"^```text\n(.*?)^```", PAGES[page], re.DOTALL | re.MULTILINE)
        for line in block.splitlines()
        if line.startswith("trexreport ")
    ]
    assert len(shown) > 1
    for line in shown:
        _, name, *words = shlex.split(line)
        main.commands[name].make_context(name, words, parent=click.Context(main))


def test_the_commands_of_trtexec_fit_the_versions_that_they_are_for():
    sections = re.findall(
        r"^## TensorRT (.*?)\n(.*?)(?=^## )", PAGES["docs/inputs.md"], re.DOTALL | re.MULTILINE
    )
    versions = {
        "8.6 to 10": ["8.6", "9.3", "10.0", "10.16"],
        "8.4 and 8.5": ["8.4", "8.5"],
        "11": ["11.0", "11.1"],
    }
    assert {title for title, _ in sections} == set(versions)
    for title, text in sections:
        (block,) = re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
        flags = re.findall(r"(?<!\S)--(\w+)", block)
        assert {"onnx", "profilingVerbosity"} <= set(flags)
        for version in versions[title]:
            for flag in flags:
                support = flag_table().support(flag, Version.parse(version))
                assert support is Support.TAKEN, (title, version, flag)
