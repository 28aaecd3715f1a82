"""Commands that are started without standard streams, without a working folder, or with too few files."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from trexreport.resources import resource_folder

pytestmark = pytest.mark.skipif(os.name != "posix", reason="it takes a shell")

SAMPLE = resource_folder("samples") / "resnet18-int8-before"


@pytest.fixture
def shell(tmp_path):
    """Run a line of a shell in which `trexreport` and `$SAMPLE` are known."""

    def run(line):
        function = f'trexreport() {{ "{sys.executable}" -m trexreport "$@"; }}\n'
        environment = {**os.environ, "SAMPLE": str(SAMPLE)}
        words = ["/bin/sh", "-c", function + line]
        return subprocess.run(
            words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )

    return run


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_file_is_written_whatever_streams_are_closed(shell, tmp_path, closed):
    assert shell(f'trexreport export "$SAMPLE" -o x.csv {closed}').returncode == 0
    assert (tmp_path / "x.csv").read_text().startswith("index,name,")


def test_a_path_that_no_system_takes_is_an_error(shell):
    for command in ("summary", "lint", "report"):
        ended = shell(f"trexreport {command} $(printf 'a/%.0s' $(seq 3000))")
        assert ended.returncode == 3
        assert ended.stderr.startswith("Error: a/a/")
        assert ended.stderr.endswith("is longer than a path can be.\n")
        assert ended.stderr.count("\n") == 1


def test_a_result_that_can_go_nowhere_is_an_error(shell):
    ended = shell('trexreport summary "$SAMPLE" >&-')
    assert (ended.returncode, ended.stdout) == (3, "")
    assert ended.stderr == "Error: Standard output can't be written: Bad file descriptor.\n"


def test_progress_that_is_not_shown(shell, tmp_path):
    (tmp_path / "m.onnx").write_text("a model")
    assert shell("trexreport collect m.onnx -o out --trtexec ./none 2>&-").returncode == 4
    assert shell('trexreport site "$SAMPLE" -o site 2>&-').returncode == 0


def test_a_working_folder_that_is_gone(shell):
    ended = shell('mkdir gone && cd gone && rmdir ../gone && trexreport summary "$SAMPLE"')
    assert ended.returncode == 3
    # What precedes is the shell's own.
    assert ended.stderr.endswith("Error: The working folder is gone. Change to one that exists.\n")


def test_too_few_files_are_no_matter_of_standard_output(shell):
    ended = shell('ulimit -n 9; trexreport site "$SAMPLE" -o site')
    assert "Traceback" not in ended.stderr
    assert (
        ended.returncode == 0 or "Error: The system has no more to give: Too many open files." in ended.stderr
    )
