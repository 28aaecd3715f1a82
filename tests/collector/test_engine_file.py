"""What precedes the plan in an engine's file, and the command that removes it."""

from __future__ import annotations

import subprocess

import pytest
from front_ends import ultralytics_engine

from trexreport.collector.engine_file import how_to_remove, metadata_of


def test_the_command_leaves_the_plan(tmp_path):
    path = tmp_path / "my yolo.engine"
    path.write_bytes(ultralytics_engine(b"ftrt1234"))
    command = how_to_remove(path, metadata_of(path))
    assert command.startswith("tail -c +")
    subprocess.run(["sh", "-c", command], cwd=tmp_path, check=True, timeout=20)
    assert (tmp_path / "plan.engine").read_bytes() == b"ftrt1234"


@pytest.mark.parametrize("name", ["missing.engine", ".", "plain.engine"])
def test_other_files_have_none(tmp_path, name):
    (tmp_path / "plain.engine").write_bytes(b"ftrt" + bytes(99))
    assert metadata_of(tmp_path / name) is None
