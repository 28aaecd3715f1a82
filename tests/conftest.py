"""What tests of several parts share."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import settings

# In CI the same cases each time: what fails there fails here too. A busy machine is no failure.
settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("local", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "local")


@pytest.fixture(autouse=True)
def no_step_summary(monkeypatch):
    """Keep what commands say of test engines out of the summary of a CI job that runs the tests."""
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)


@pytest.fixture(scope="session")
def shared_engines():
    """The folder of real engines beside the checkout."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "engines"
    if not folder.is_dir():
        pytest.skip("the real engines are not beside this checkout")
    return folder


@pytest.fixture
def capture(tmp_path):
    """Return a function that writes files of a capture and returns their folder.

    Values are written as JSON, unless they are texts or bytes already.
    """

    def write(**contents):
        for role, content in contents.items():
            name = {"log": "x.build.log"}.get(role, f"x.{role.replace('_', '.')}.json")
            text = content if isinstance(content, (str, bytes)) else json.dumps(content)
            (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return tmp_path

    return write
