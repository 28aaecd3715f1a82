"""The cases of the rules reach every line and every branch of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from trexreport.analyzer.rules.registry import built_in_rules

pytest.importorskip("coverage")

ROOT = Path(__file__).parents[2]
RULES = ROOT / "trexreport" / "analyzer" / "rules"
#: What finds, runs and describes rules; it has tests of its own.
MACHINERY = {
    "__init__",
    "advice",
    "causes",
    "conditions",
    "context",
    "description",
    "findings",
    "gains",
    "lint",
    "ranking",
    "registry",
    "replaced",
    "rest",
    "rule",
    "rule_depths",
    "settings",
    "severity",
}
MEASURED = {
    path.relative_to(RULES).as_posix()
    for path in RULES.rglob("*.py")
    if path.parent != RULES or path.stem not in MACHINERY
}


def find_gaps(folder: Path) -> dict[str, dict[str, list]]:
    """Return for each file the lines that no case runs and the branches that none takes."""
    # A test run that is itself watched must not be mixed with this one.
    hidden = ("COVERAGE_", "COV_", "PYTEST_")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(hidden)}
    environment |= {"COVERAGE_FILE": str(folder / "data"), "PYTHONPATH": str(ROOT)}

    def coverage(*arguments):
        done = subprocess.run(
            [sys.executable, "-m", "coverage", *arguments],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    coverage("run", "--branch", f"--source={RULES}", str(Path(__file__).with_name("run_all_cases.py")))
    coverage("json", "-o", str(folder / "report.json"))
    report = json.loads((folder / "report.json").read_text("utf-8"))
    return {
        (ROOT / name).relative_to(RULES).as_posix(): {
            "lines": each["missing_lines"],
            "branches": [f"{start} -> {end}" for start, end in each["missing_branches"]],
        }
        for name, each in report["files"].items()
    }


# One test for all files, as each process that has a part of it would watch the cases again.
@pytest.mark.coverage
def test_the_cases_reach_every_line_and_branch_of_the_rules(tmp_path):
    gaps = find_gaps(tmp_path)
    assert {f"{rule.family}/__init__.py" for rule in built_in_rules()} <= MEASURED <= gaps.keys()
    assert {name: gaps[name] for name in sorted(MEASURED) if any(gaps[name].values())} == {}
