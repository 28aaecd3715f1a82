"""A short run of the fuzzer that goes by coverage; run_atheris.py runs it for longer."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest
from targets import TARGETS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris has no wheel here"),
]
RUNS = 60
#: Targets that share a process, as it takes seconds to import and instrument the readers.
AT_ONCE = 21
GROUPS = [list(TARGETS)[start : start + AT_ONCE] for start in range(0, len(TARGETS), AT_ONCE)]


@pytest.mark.parametrize("targets", GROUPS, ids=lambda group: group[0])
def test_nothing_breaks_a_reader(tmp_path, targets):
    program = Path(__file__).with_name("run_atheris.py")
    done = subprocess.run(
        [sys.executable, str(program), ",".join(targets), f"-runs={RUNS}", "-seed=1"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    *_, last = done.stderr.partition("Target: ")
    ends = dict(each.split("\n", 1) for each in last.split("Target: "))
    assert list(ends) == targets
    # The end of what it printed says why it did not run to its end. A slow machine may count some runs more.
    counts = {target: re.search(r"Done (\d+) runs", end) for target, end in ends.items()}
    assert {target: ends[target][-1000:] for target, done in counts.items() if not done} == {}
    assert min(int(done[1]) for done in counts.values()) >= RUNS
