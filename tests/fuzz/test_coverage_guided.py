"""A short run of the fuzzer that goes by coverage; run_atheris.py runs it for longer."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from targets import TARGETS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris has no wheel here"),
]
RUNS = 150


@pytest.mark.parametrize("target", TARGETS)
def test_nothing_breaks_a_reader(tmp_path, target):
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("run_atheris.py")), target, f"-runs={RUNS}", "-seed=1"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert f"Done {RUNS} runs" in done.stderr
