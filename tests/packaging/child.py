"""Run programs as a user would, outside the checkout's own environment."""

from __future__ import annotations

import os
import subprocess
import sys


def call(*arguments, cwd, timeout_s=600, variables=None, **options):
    """Run a program that must succeed."""
    hidden = ("PYTHONPATH", "VIRTUAL_ENV")
    environment = {key: value for key, value in os.environ.items() if key not in hidden}
    done = subprocess.run(
        [str(each) for each in arguments],
        cwd=cwd,
        env=environment | (variables or {}),
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
        **options,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def pip_of(python):
    """Return the beginning of a command of pip for another environment, which needs none of its own."""
    return sys.executable, "-m", "pip", "--python", python
