"""The recipe, the image, the hooks and the workflows fit the package: most of them can't run in a test."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from packaging.requirements import Requirement

from trexreport.cli import main

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
SAMPLE = ROOT / "samples" / "resnet18-int8-before"


def bounds(texts):
    """Return the version range of each library by its name."""
    return {each.name: str(each.specifier) for each in map(Requirement, texts)}


def test_the_recipe_of_conda_has_the_dependencies_of_the_package():
    recipe = yaml.safe_load((ROOT / "ci" / "conda" / "recipe.yaml").read_text("utf-8"))
    wanted = bounds(PROJECT["project"]["dependencies"]) | {"python": PROJECT["project"]["requires-python"]}
    assert bounds(recipe["requirements"]["run"]) == wanted
    assert bounds(recipe["requirements"]["host"])["hatchling"] == ">=1.26"
    assert PROJECT["build-system"]["requires"] == ["hatchling>=1.26"]
    (entry,) = recipe["build"]["python"]["entry_points"]
    assert entry.split(" = ") == ["trexreport", PROJECT["project"]["scripts"]["trexreport"]]
    extras = PROJECT["project"]["optional-dependencies"]
    optional = bounds(extras["pdf"] + extras["graphviz"] + extras["excel"] + extras["parquet"])
    assert bounds(recipe["requirements"]["run_constraints"]) == optional


def test_the_recipe_and_the_hooks_have_the_version_of_the_package():
    from trexreport import __version__

    recipe = yaml.safe_load((ROOT / "ci" / "conda" / "recipe.yaml").read_text("utf-8"))
    assert recipe["context"]["version"] == __version__
    text = (ROOT / "docs" / "installing.md").read_text("utf-8")
    assert set(re.findall(r"rev: v([\d.]+)|trexreport-([\d.]+)-py3", text)) == {
        (__version__, ""),
        ("", __version__),
    }


def test_the_image_gets_what_the_wheel_is_built_from():
    lines = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    kept = {line[1:] for line in lines if line.startswith("!")}
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert "*" in lines
    assert kept == {"hatch_build.py", "pyproject.toml", "README.md", *PROJECT["project"]["license-files"]} | {
        *wheel["packages"],
        *wheel["force-include"],
    }


def test_the_image_installs_extras_that_exist_and_runs_without_rights():
    text = (ROOT / "Dockerfile").read_text("utf-8")
    (extras,) = re.findall(r"^ARG EXTRAS=(.+)$", text, re.MULTILINE)
    assert set(extras.split(",")) < set(PROJECT["project"]["optional-dependencies"])
    system = (ROOT / "tests" / "install-system-packages.sh").read_text("utf-8")
    (pango,) = re.findall(r'missing="\$missing (libpango.*)"', system)
    assert set(pango.split()) < set(text.split())
    # What draws PNGs; see trexreport/renderer/graph/raster.py.
    assert "librsvg2-bin" in text.split()
    assert re.findall(r"^USER (.+)$", text, re.MULTILINE) == ["10001"]
    assert re.findall(r"^FROM (\S+)", text, re.MULTILINE) == ["${PYTHON_IMAGE}"] * 2


@pytest.fixture
def hooks():
    found = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    return {each["id"]: each for each in found}


def test_the_hooks_fail_for_a_limit_and_for_a_finding(hooks, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = {"trexreport-check": [], "trexreport-lint": ["--fail-on", "warning"]}
    assert set(hooks) == set(arguments)
    for limit_ms, codes in ((0.001, [1, 1]), (100, [0, 1])):
        Path("trexreport.toml").write_text(f"[budget]\nlatency-ms = {limit_ms}\n")
        found = [
            CliRunner()
            .invoke(main, [*shlex.split(hook["entry"])[1:], str(SAMPLE), *arguments[name]])
            .exit_code
            for name, hook in sorted(hooks.items())
        ]
        assert found == codes


@pytest.mark.parametrize(
    ("path", "concerns"),
    [
        ("captures/x/x.engine.graph.json", True),
        ("x.profile.json.gz", True),
        ("old.trexa", True),
        ("trexreport.toml", True),
        ("src/main.py", False),
        ("notes.jsonl", False),
    ],
)
def test_the_hooks_run_for_files_of_captures(hooks, path, concerns):
    assert [bool(re.search(hook["files"], path)) for hook in hooks.values()] == [concerns, concerns]
    assert [hook["pass_filenames"] for hook in hooks.values()] == [False, False]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_the_workflows_pin_actions_and_rights(path):
    text = path.read_text("utf-8")
    used = re.findall(r"uses: (\S+)(?:  # (\S+))?", text)
    assert used
    assert [each for each in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", each[0]) or not each[1]] == []
    workflow = yaml.safe_load(text)
    assert set((workflow["permissions"] or {}).values()) <= {"read"}
    assert [name for name, job in workflow["jobs"].items() if "timeout-minutes" not in job] == []


def test_the_workflows_call_what_is_there():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    commands = "\n".join(path.read_text("utf-8") for path in WORKFLOWS)
    targets = re.findall(r"\bmake (\w+)", commands)
    assert targets
    assert [each for each in targets if not re.search(rf"^{each}:", makefile, re.MULTILINE)] == []
    assert "bash .ci/run" in commands
    assert (ROOT / ".ci" / "run").exists()


def test_a_release_is_installed_on_every_version_of_python():
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8"))
    prefix = "Programming Language :: Python :: 3."
    versions = [
        f"3.{each.removeprefix(prefix)}" for each in PROJECT["project"]["classifiers"] if prefix in each
    ]
    assert workflow["jobs"]["install"]["strategy"]["matrix"]["python"] == versions
    assert set(workflow["jobs"]["publish"]["needs"]) == {"build", "test", "install"}
    rights = {name: job.get("permissions", {}) for name, job in workflow["jobs"].items()}
    assert [name for name, each in rights.items() if "id-token" in each] == ["publish"]
    assert [name for name, each in rights.items() if each.get("contents") == "write"] == ["attach"]
