"""Logs as versions of trtexec write them: what is read equals the text."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from stated_logs import (
    slugs,
)

from trexreport.model import LayerTime
from trexreport.reader.profile_file import ProfileRow
from trexreport.reader.trtexec_log import read_trtexec_log

DOUBLE = Path(__file__).resolve().parents[1] / "collector" / "trtexec_double.py"
#: Runs of trtexec: what to call their logs, how they fail, and their words.
RUNS = {
    "01_build": ("", "--onnx=m.onnx --saveEngine=m.plan --skipInference --profilingVerbosity=detailed"),
    "02_profile": ("", "--loadEngine=m.plan --exportProfile=p.json --dumpProfile --separateProfileRun"),
    "03_measure": ("", "--loadEngine=m.plan --exportTimes=t.json --percentile=50,99.9"),
    "05_nasty": ("nasty", "--loadEngine=m.plan --exportProfile=p.json --dumpProfile --separateProfileRun"),
    "06_unknown_option": ("", "--onnx=m.onnx --bogus=1"),
    "07_build_fails": ("build", "--onnx=m.onnx --saveEngine=x.plan"),
    "08_missing_onnx": ("", "--onnx=nope.onnx --saveEngine=x.plan"),
    "09_missing_engine": ("", "--loadEngine=nope.plan"),
    "11_help": ("", "--help"),
    "15_no_gpu": ("no_gpu", "--onnx=m.onnx"),
}
#: What the logs in `../shared` are of; the test double writes all kinds of logs of each of its versions.
REAL = ("8.0.3", "8.2.3", "8.4.1", "8.6.1", "10.0.1", "10.13.3", "10.16.1", "11.1.0")
DOUBLED = ("8.5.3", "8.6.1", "9.3.0", "10.0.1", "10.7.0", "10.13.3", "10.16.1", "11.0.0", "11.1.0")


#: Of both grammars of a log.
FEW = ("8.5.3", "10.7.0", "11.1.0")


@pytest.fixture(
    scope="module",
    params=[
        FEW,
        pytest.param(DOUBLED, marks=pytest.mark.slow),
        pytest.param(REAL, marks=pytest.mark.engines),
    ],
    ids=["few", "doubled", "real"],
)
def log_versions(request) -> tuple[str, ...]:
    return request.param


@pytest.fixture(scope="module")
def trtexec_logs(log_versions, tmp_path_factory) -> list[Path]:
    """Logs of every kind of failure: of trtexec, or of its double."""
    if log_versions == REAL:
        return sorted((Path(__file__).resolve().parents[3] / "shared" / "trtexec").rglob("*.log"))
    folder = tmp_path_factory.mktemp("logs")
    for version in log_versions:
        place = folder / f"writer-{version}"
        place.mkdir()
        (place / "m.onnx").write_text("a model")
        statuses = []
        for name, (failure, line) in RUNS.items():
            words = line
            if version == "8.5.3":
                words = words.replace("--skipInference", "--buildOnly")
            if version.startswith("11."):
                words = words.replace(" --separateProfileRun", "")
            wishes = {"version": version, "fails": failure}
            done = subprocess.run(
                [sys.executable, str(DOUBLE), *words.split()],
                capture_output=True,
                text=True,
                check=False,
                cwd=place,
                env={**os.environ, "TRTEXEC_DOUBLE": json.dumps(wishes)},
            )
            (place / f"{name}.stdout.log").write_text(done.stdout)
            (place / f"{name}.stderr.log").write_text(done.stderr)
            statuses.append(f"{name} rc={done.returncode}")
        (place / "rc.txt").write_text("\n".join(statuses))
    return sorted(folder.rglob("*.log"))


def texts(logs: list[Path]) -> list[tuple[Path, str]]:
    return [(log, log.read_text(encoding="utf-8", errors="replace")) for log in logs]


def test_versions_of_logs(trtexec_logs, log_versions):
    seen = set()
    for log, text in texts(trtexec_logs):
        version = read_trtexec_log(text, log.name).setup.tensorrt_version
        packed = re.search(r"\[TensorRT v(\d+)\]", text)
        if packed:
            major, minor, patch = map(int, version.split("."))
            base = 10000 if major >= 10 else 1000
            assert major * base + minor * 100 + patch == int(packed[1]), log
            seen.add(version)
        if log.parent.name.startswith("writer-") and packed:
            assert version.startswith(log.parent.name.removeprefix("writer-")), log
    assert set(log_versions) <= seen


def test_summaries_of_logs_equal_the_text(trtexec_logs, log_versions):
    figure = r"([\d.e+-]+) ms"
    measured = 0
    for log, text in texts(trtexec_logs):
        measurement = read_trtexec_log(text, log.name).measurement
        lines = re.findall(rf"\[I\] ([\w -]+): min = {figure}, max = {figure}(.*)", text)
        assert [line[0] for line in lines] == list(measurement.summary), log
        for name, least, most, rest in lines:
            statistic = measurement.summary[name]
            mean, median, *ranked = re.findall(rf"= {figure}", rest)
            ranks = re.findall(r"percentile\(([\d.]+)%\)", rest)
            assert (statistic.min_ms, statistic.max_ms) == (float(least), float(most))
            assert (statistic.mean_ms, statistic.median_ms) == (float(mean), float(median))
            assert statistic.percentiles == dict(zip(map(float, ranks), map(float, ranked), strict=True))
            assert ranks
        throughput = re.findall(r"Throughput: (\S+) qps", text)
        assert ([] if measurement.throughput_qps is None else [measurement.throughput_qps]) == [
            float(value) for value in throughput
        ]
        measured += bool(lines)
    assert measured > 2 * len(log_versions)


def test_tables_of_logs_equal_the_text(trtexec_logs, log_versions):
    compared = 0
    for log, text in texts(trtexec_logs):
        facts = read_trtexec_log(text, log.name)
        rows = re.findall(r"\[I\] +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)   (.*)", text)
        assert list(facts.profile.rows if facts.profile else ()) == [
            ProfileRow(name, LayerTime(float(mean), float(median), float(total), float(share)))
            for total, mean, median, share, name in rows[:-1]
        ], log
        compared += bool(rows)
    assert compared >= 2 * len(log_versions)


def test_exit_status_of_logs(trtexec_logs, log_versions):
    """A log says PASSED only if trtexec exits with 0, and FAILED only if it does not."""
    checked = 0
    for table in {log.parent / "rc.txt" for log in trtexec_logs}:
        status = table.read_text().splitlines() if table.exists() else []
        for name, code in (line.split(" rc=") for line in status):
            logs = [table.parent / f"{name}.{stream}.log" for stream in ("stdout", "stderr")]
            facts = read_trtexec_log("".join(log.read_text() for log in logs), name)
            allowed = {True, None} if code == "0" else {False, None}
            assert facts.finished in allowed, (table, name)
            assert bool(facts.errors) == (code != "0"), (table, name)
            if facts.finished is None:
                assert {"log-help", "log-unfinished"} & set(slugs(facts)), (table, name)
            checked += 1
    assert checked >= 10 * len(log_versions)


def test_failed_builds_of_logs_are_noted(trtexec_logs):
    checked = list(texts(trtexec_logs))
    assert checked
    for log, text in checked:
        if log.name == "07_build_fails.stdout.log":
            found = slugs(read_trtexec_log(text, log.name))
            assert ("log-empty-engine" in found) == ("Created engine with size: 0 MiB" in text)
            assert {"log-failed", "log-unfinished"} & set(found)


def section_lines(text: str, heading: str) -> list[str]:
    """Return the lines between a heading and the next, or an empty line; none if neither follows."""
    lines = iter(text.splitlines())
    if not any(line.endswith(f"[I] === {heading} ===") for line in lines):
        return []
    found = []
    for line in lines:
        if "=== " in line or re.fullmatch(r"\S+ \[I\] ?", line):
            return found
        if not re.match(r"\S+ \[I\] +\S", line):
            return []
        found.append(line)
    return []


def test_sections_of_logs_are_whole(trtexec_logs, log_versions):
    """A build's options keep every line that trtexec printed between two headings."""
    compared = 0
    for log, text in texts(trtexec_logs):
        setup = read_trtexec_log(text, log.name).setup
        if "--loadEngine" in text:
            continue
        for heading, found in (("Build Options", setup.build_options), ("Device Information", setup.device)):
            for line in section_lines(text, heading):
                key, value = re.fullmatch(r"\S+ \[I\] +([^:]+):(.*)", line).groups()
                assert key == "Available Devices" or found[key] == value.strip(), (log, line)
                compared += 1
    assert compared > 30 * len(log_versions)
