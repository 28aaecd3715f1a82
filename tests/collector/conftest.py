"""Captures by a double of trtexec, and what trtexec's own option parsers answered."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from collected import UNWATCHED, Progress

from trexreport.collector.collect import collect
from trexreport.collector.jobs import Job
from trexreport.collector.trtexec import TrtexecBackend
from trexreport.collector.versions import Version

SHARED = Path(__file__).resolve().parents[3] / "shared" / "trtexec"
FACTS = Path(__file__).with_name("flag_facts.txt")
#: Releases of trtexec whose parsers were asked.
RELEASES = ("8.4.3", "8.5.3", "8.6.1", "9.3.0", "10.0.1", "10.7.0", "10.13.3", "10.16", "11.0", "11.1")
#: How the parser calls a value that it does not know.
UNKNOWN_VALUES = {
    "tacticSources": "Unknown tactic source",
    "preview": "Unknown preview feature",
    "memPoolSize": "Unknown memory pool",
    "hardwareCompatibilityLevel": "Unknown hardwareCompatibilityLevel",
}


@dataclass(frozen=True)
class Answer:
    """What one version's parser stated to one command: "ok", "warn" or "REJ", and its words."""

    verdict: str
    words: str


@pytest.fixture(scope="session", params=["stated", pytest.param("asked", marks=pytest.mark.engines)])
def parsers(request) -> str:
    """Whether the facts on trtexec's parsers are those stated here, or what the parsers answered."""
    return request.param


@pytest.fixture(scope="session")
def answers(parsers) -> dict[str, dict[str, Answer]]:
    """Command (after "trtexec") to version to answer."""
    if parsers == "stated":
        return stated_answers()
    return read_answers((SHARED / "flags-accepted.txt").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def flags_by_version(parsers) -> dict[str, dict[str, bool]]:
    """Flag (without dashes) to version to whether the source of trtexec has it."""
    if parsers == "stated":
        return {fact.flag: fact.taken for fact in stated_facts() if not fact.value}
    matrix = SHARED / "flags-by-version.txt"
    heading, *lines = matrix.read_text(encoding="utf-8").splitlines()
    versions = [word.removeprefix("v") for word in heading.split()]
    rows = (line.split() for line in lines if line.startswith("--"))
    return {
        row[0].removeprefix("--"): {
            version: mark == "Y" for version, mark in zip(versions, row[1:], strict=True)
        }
        for row in rows
    }


@dataclass(frozen=True)
class FlagFact:
    """What is known of a flag, or of one of its values: version to whether trtexec takes it."""

    flag: str
    value: str
    taken: dict[str, bool]
    deprecated: dict[str, bool]


def stated_facts() -> list[FlagFact]:
    """Return the facts in flag_facts.txt, by release."""
    facts = []
    for line in FACTS.read_text(encoding="utf-8").splitlines()[1:]:
        word, *releases = line.split()
        first, last, deprecated = (RELEASES.index(each) if each != "-" else None for each in releases[:3])
        flag, _, value = word.removeprefix("--").partition("=")
        taken = {
            release: first is not None and first <= at <= last and release not in releases[3:]
            for at, release in enumerate(RELEASES)
        }
        old = {
            release: taken[release] and deprecated is not None and at >= deprecated
            for at, release in enumerate(RELEASES)
        }
        facts.append(FlagFact(flag, value, taken, old))
    return facts


def stated_answers() -> dict[str, dict[str, Answer]]:
    """Return the answers that follow from the facts, to one command for each flag and each value."""
    facts = stated_facts()
    flags = {fact.flag: fact.taken for fact in facts if not fact.value}
    found = {}
    for fact in facts:
        word = f"--{fact.flag}" + (f"=+{fact.value}" if fact.value else "")
        by_version = {}
        for release in RELEASES:
            if not flags[fact.flag][release]:
                answer = Answer("REJ", f"Unknown option: --{fact.flag}")
            elif not fact.taken[release]:
                answer = Answer("REJ", f"{UNKNOWN_VALUES[fact.flag]}: {fact.value}")
            elif fact.deprecated[release]:
                answer = Answer("warn", f"--{fact.flag} has been deprecated")
            else:
                answer = Answer("ok", "")
            by_version[release] = answer
        found[f"--onnx=m.onnx {word}"] = by_version
    return found


def read_answers(text: str) -> dict[str, dict[str, Answer]]:
    rows, _, messages = text.partition("\nMESSAGES\n")
    words: dict[tuple[str, str], str] = {}
    command = ""
    for line in messages.splitlines():
        if not line.startswith("    "):
            command = line.strip()
        elif match := re.match(r"\s+([\d.,]+): (.*)", line):
            words |= {(command, version): match[2] for version in match[1].split(",")}
    heading, *lines = rows.splitlines()
    versions = heading.split(")", 1)[1].split()
    found: dict[str, dict[str, Answer]] = {}
    commands = {command for command, _ in words}
    for line in filter(str.strip, lines):
        shown, *verdicts = re.fullmatch(r"(.*?)" + r"\s+(ok|warn|REJ)" * len(versions), line).groups()
        # A long command is cut in the table and whole among the messages.
        whole = shown if len(shown) < 75 else next(each for each in commands if each.startswith(shown))
        found[whole] = {
            version: Answer(verdict, words.get((whole, version), ""))
            for version, verdict in zip(versions, verdicts, strict=True)
        }
    return found


class Double:
    """The double of trtexec, as a program that can be started.

    Attributes:
        program: The words that start it.
        calls: The file that its command lines are written to.
    """

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.program = (sys.executable, str(Path(__file__).with_name("trtexec_double.py")))
        self.calls = folder / "calls.jsonl"
        self._monkeypatch = monkeypatch
        self.wish()

    def wish(self, version: str = "10.16.0", **wishes: object) -> None:
        """Choose what it does from now on; see trtexec_double.py."""
        content = {"version": version, "calls": str(self.calls), **wishes}
        self._monkeypatch.setenv("TRTEXEC_DOUBLE", json.dumps(content))

    def command_lines(self) -> list[list[str]]:
        """Return the command lines since it was made, those that ask for the version left out."""
        lines = self.calls.read_text(encoding="utf-8").splitlines() if self.calls.exists() else []
        return [words for words in map(json.loads, lines) if words != ["--help"]]


@pytest.fixture
def double(tmp_path, monkeypatch):
    return Double(tmp_path, monkeypatch)


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "m.onnx"
    path.write_text("a model")
    return path


@pytest.fixture
def run(double, model, tmp_path):
    """Return a function that collects into "out" with a version of the double."""

    def run(*arguments, version="10.16.0", source=model, runs=1, options=UNWATCHED, progress=None, **wishes):
        double.wish(version, **wishes)
        job = Job(str(source), str(tmp_path / "out"), arguments, runs=runs)
        backend = TrtexecBackend(double.program, Version.parse(version))
        return collect(job, backend, progress or Progress(), options)

    return run
