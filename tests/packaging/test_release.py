"""The files of a release, and the ways to install its wheel into nothing."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import sys
import venv
from pathlib import Path

import pytest
from child import call, pip_of

ROOT = Path(__file__).parents[2]
CHANGELOG = "# Changelog\n\n## 0.3.0 (2030-01-02)\n\n### Added\n\n- New.\n\n## 0.2.0 (unreleased)\n\n- Old.\n"


@pytest.fixture(scope="module")
def make_release():
    spec = importlib.util.spec_from_file_location("make_release", ROOT / "ci" / "make_release.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("version", "tag", "notes"),
    [
        ("0.3.0", "v0.3.0", "### Added\n\n- New.\n"),
        ("0.3.0", None, "### Added\n\n- New.\n"),
        ("0.2.0", None, "- Old.\n"),
    ],
)
def test_the_notes_are_the_section_of_the_version(make_release, version, tag, notes):
    assert make_release.notes_of(CHANGELOG, version, tag=tag) == notes


@pytest.mark.parametrize(
    ("version", "tag", "message"),
    [
        ("0.3.0", "v0.3.1", "The tag is v0.3.1, but the version is 0.3.0: expected v0.3.0."),
        ("0.3.0", "", "The tag is , but the version is 0.3.0: expected v0.3.0."),
        ("0.4.0", None, "CHANGELOG.md has no section '## 0.4.0 (date)'."),
        ("0.2.0", "v0.2.0", "CHANGELOG.md gives 0.2.0 the date 'unreleased': write the day of the release."),
    ],
)
def test_a_tag_that_does_not_fit_is_refused(make_release, version, tag, message):
    with pytest.raises(SystemExit) as raised:
        make_release.notes_of(CHANGELOG, version, tag=tag)
    assert str(raised.value) == message


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    folder = tmp_path_factory.mktemp("release")
    call(sys.executable, ROOT / "ci" / "make_release.py", folder / "made", cwd=folder)
    return folder / "made"


@pytest.mark.packaging
@pytest.mark.slow
def test_the_files_of_a_release(release):
    from trexreport import __version__

    packages = {path.name: path for path in (release / "packages").iterdir()}
    assert set(packages) == {f"trexreport-{__version__}-py3-none-any.whl", f"trexreport-{__version__}.tar.gz"}
    lines = (release / "SHA256SUMS").read_text().splitlines()
    files = {**packages, **{name: release / name for name in ("demo.html", "sbom.cdx.json")}}
    found = dict(reversed(line.split("  ")) for line in lines)
    assert found == {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()}
    bill = json.loads((release / "sbom.cdx.json").read_text())
    names = {each["name"].lower() for each in bill["components"]}
    assert {"click", "jinja2", "numpy", "pandas", "plotly", "rich"} <= names
    assert names & {"pip", "cyclonedx-bom", "twine", "pytest"} == set()
    assert str(release) not in (release / "sbom.cdx.json").read_text()
    assert (release / "notes.md").read_text().startswith("### ")


@pytest.mark.packaging
@pytest.mark.slow
@pytest.mark.parametrize("tool", ["pipx", "uv"])
def test_the_wheel_is_installed_as_a_command(release, tool, tmp_path):
    venv.create(tmp_path / "tools")
    python = tmp_path / "tools" / "bin" / "python"
    call(*pip_of(python), "install", "--quiet", tool, cwd=tmp_path)
    folders = {"PIPX_HOME": "home", "PIPX_BIN_DIR": "bin", "UV_TOOL_DIR": "home", "UV_TOOL_BIN_DIR": "bin"}
    variables = {name: str(tmp_path / folder) for name, folder in folders.items()}
    wheel = next((release / "packages").glob("*.whl"))
    command = ["pipx", "install"] if tool == "pipx" else ["uv", "tool", "install"]
    call(python.parent / command[0], *command[1:], wheel, cwd=tmp_path, variables=variables)
    sample = ROOT / "samples" / "resnet18-int8-before"
    shown = call(tmp_path / "bin" / "trexreport", "summary", sample, cwd=tmp_path)
    assert shown.stdout.startswith("resnet18-int8-before\n")
