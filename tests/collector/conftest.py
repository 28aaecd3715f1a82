"""What trtexec's own option parsers answered, where that table stands beside the checkout."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[3] / "shared" / "trtexec"


@dataclass(frozen=True)
class Answer:
    """What one version's parser said to one command: "ok", "warn" or "REJ", and its words."""

    verdict: str
    words: str


@pytest.fixture(scope="session")
def answers() -> dict[str, dict[str, Answer]]:
    """Command (after "trtexec") to version to answer."""
    table = SHARED / "flags-accepted.txt"
    if not table.is_file():
        pytest.skip("the answers of trtexec's parsers are not beside this checkout")
    return read_answers(table.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def flags_by_version() -> dict[str, dict[str, bool]]:
    """Flag (without dashes) to version to whether the source of trtexec has it."""
    matrix = SHARED / "flags-by-version.txt"
    if not matrix.is_file():
        pytest.skip("the flags in trtexec's sources are not beside this checkout")
    heading, *lines = matrix.read_text(encoding="utf-8").splitlines()
    versions = [word.removeprefix("v") for word in heading.split()]
    rows = (line.split() for line in lines if line.startswith("--"))
    return {
        row[0].removeprefix("--"): {
            version: mark == "Y" for version, mark in zip(versions, row[1:], strict=True)
        }
        for row in rows
    }


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
