"""Check what the doctor finds, and that what is missing comes with how to get it."""

from __future__ import annotations

import os
import re
import shlex

import pytest

from trexreport.collector import doctor
from trexreport.errors import MissingToolError
from trexreport.renderer.graph.raster import png_program

pytestmark = pytest.mark.skipif(os.name != "posix", reason="trexreport collects on POSIX systems")


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Make the only folder of programs one in which programs can be put."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("TREXREPORT_TRTEXEC", raising=False)

    def put(name, script):
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)

    return put


def found(trtexec=None, *, check_pdf=lambda: None, find_png=lambda: "a program"):
    findings = doctor.examine(trtexec, check_pdf=check_pdf, find_png=find_png)
    return {finding.name: finding for finding in findings}


def test_what_is_missing_comes_with_how_to_get_it(programs, monkeypatch):
    monkeypatch.setattr(doctor, "find_trtexec", lambda stated: real_find(stated, places=()))
    all_found = found()
    for name, state in (("trtexec", "missing"), ("GPU", "missing"), ("Graphviz", "optional")):
        assert all_found[name].state == state
        assert all_found[name].hint
    assert "work without it" in all_found["trtexec"].detail


real_find = doctor.find_trtexec


def test_trtexec_and_its_version(programs, double):
    double.wish("8.6.1")
    assert found(shlex.join(double.program))["trtexec"].detail.startswith("TensorRT 8.6.1, ")


def test_the_gpu_is_what_nvidia_smi_says(programs):
    programs("nvidia-smi", "echo 'NVIDIA L4, 550.54.15, 23034 MiB'")
    gpu = found()["GPU"]
    assert (gpu.state, gpu.detail) == ("ok", "NVIDIA L4, 550.54.15, 23034 MiB")


@pytest.mark.parametrize(
    "script", ["echo 'No devices were found'; exit 6", "exit 0", "echo oops >&2; exit 1"]
)
def test_an_nvidia_smi_without_a_gpu(programs, script):
    programs("nvidia-smi", script)
    gpu = found()["GPU"]
    assert gpu.state == "missing"
    assert gpu.detail.startswith("nvidia-smi finds none: ")


def test_packages_that_are_and_are_not_there(programs, monkeypatch):
    versions = {"pydot": "4.0"}

    def version(name):
        if name not in versions:
            raise doctor.PackageNotFoundError
        return versions[name]

    monkeypatch.setattr(doctor, "version", version)
    monkeypatch.setattr(doctor, "packages_distributions", dict)
    monkeypatch.setattr(doctor, "find_spec", lambda _: None)
    all_found = found()
    assert all_found["pydot"].detail.startswith("4.0")
    assert all_found["weasyprint"].state == "optional"
    assert all_found["weasyprint"].hint == "pip install 'trexreport[pdf]'"
    users = {"graphviz", "excel", "parquet", "pdf", "gpu", "dask", "remote", "mcp", "tensorrt"}
    extras = {
        match[1] for each in all_found.values() if (match := re.search(r"trexreport\[(\w+)\]'", each.hint))
    }
    assert extras == users - {"graphviz"}  # pydot is there


def test_tensorrt_for_a_version_of_cuda(programs, monkeypatch):
    def version(name):
        if name != "tensorrt-cu12":
            raise doctor.PackageNotFoundError
        return "10.13.3"

    monkeypatch.setattr(doctor, "version", version)
    distributions = {"tensorrt": ["tensorrt-cu12"]}
    monkeypatch.setattr(doctor, "packages_distributions", lambda: distributions)
    monkeypatch.setattr(doctor, "find_spec", lambda name: object() if name == "tensorrt" else None)
    assert found()["tensorrt"].detail.startswith("10.13.3 (tensorrt-cu12), ")
    distributions.clear()
    assert found()["tensorrt"].detail.startswith("of unknown version, ")
    assert found()["pydot"].state == "optional"


def test_a_package_that_lacks_a_library_is_not_ok(programs, monkeypatch):
    def refuse():
        raise MissingToolError("PDF needs the libraries of Pango.", "apt install libpango-1.0-0")

    monkeypatch.setattr(doctor, "version", lambda _: "1.0")
    usable = found(check_pdf=lambda: None)["weasyprint"]
    assert usable == doctor.Finding("ok", "weasyprint", "1.0, for reports as PDF")
    unusable = found(check_pdf=refuse)["weasyprint"]
    assert unusable == doctor.Finding(
        "optional", "weasyprint", "PDF needs the libraries of Pango.", "apt install libpango-1.0-0"
    )


def test_what_draws_png(programs, monkeypatch):
    def found_png():
        return found(find_png=png_program)["PNG"]

    monkeypatch.setattr("trexreport.renderer.graph.raster._BROWSERS", ("chromium",))
    assert found_png().state == "optional"
    assert found_png().hint.startswith("Install rsvg-convert (Debian: librsvg2-bin) or Chromium")
    for name in ("chromium", "rsvg-convert"):  # the second comes first
        programs(name, "exit 0")
        assert found_png().detail.endswith(f"/{name}, for drawings as PNG")


def test_the_extras_exist():
    try:
        import tomllib
    except ImportError:
        import tomli as tomllib
    from pathlib import Path

    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    assert doctor._PACKAGES
    for name, _, extra in doctor._PACKAGES:
        assert any(each.startswith(name) for each in extras[extra]), name
