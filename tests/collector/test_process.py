"""Check that a program runs with its output in a log, and that it does not outlive the collector."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest
from waiting import HANG_S, wait_until

from trexreport.collector import process
from trexreport.collector.interruption import Interrupted, signals_raise, signals_wait
from trexreport.collector.process import run_logged
from trexreport.errors import MissingToolError, OutputError, ToolFailedError

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and groups are POSIX's")


@pytest.fixture(autouse=True)
def little_grace(monkeypatch):
    monkeypatch.setattr(process, "GRACE_S", 0.2)


def shell(text):
    return ["sh", "-c", text]


def is_running(pid):
    try:
        os.kill(pid, 0)
        if Path("/proc").exists():
            # A zombie has ended, too: only its parent has not waited for it yet.
            return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (ProcessLookupError, FileNotFoundError):
        return False
    return True


def wait_for_end(pid):
    wait_until(lambda: not is_running(pid), f"the end of process {pid}")


def has_line(path):
    """Return whether a program has written a whole line into a file."""
    return path.exists() and path.read_text().endswith("\n")


@pytest.fixture
def too_long_once(monkeypatch):
    """Return a function that stops the clock of `run_logged` until a condition is true, then lets it jump."""

    def stop_clock(is_so):
        end = time.monotonic() + HANG_S
        # The deadline is set after the start of the program, by which it may already be so.
        first = iter([0.0])

        def monotonic():
            assert time.monotonic() < end, "the condition never became true"
            return next(first, 1e9 if is_so() else 0.0)

        monkeypatch.setattr(process, "time", SimpleNamespace(monotonic=monotonic))

    return stop_clock


def test_the_log_has_both_streams_and_the_lines_come_one_by_one(tmp_path):
    log, lines = tmp_path / "log", []
    assert run_logged(shell("echo a; echo b >&2; printf 'c\\r\\nd'"), log, on_line=lines.append) == 0
    assert log.read_bytes() == b"a\nb\nc\r\nd"
    assert lines == ["a", "b", "c", "d"]


def test_what_is_no_text_is_passed_on_all_the_same(tmp_path):
    lines = []
    run_logged(shell("printf '\\377\\n'"), tmp_path / "log", on_line=lines.append)
    assert lines == ["\ufffd"]


@pytest.mark.parametrize(("text", "status"), [("exit 7", 7), ("kill -SEGV $$", -signal.SIGSEGV)])
def test_the_status_says_how_it_ended(tmp_path, text, status):
    assert run_logged(shell(text), tmp_path / "log") == status


def test_the_program_reads_nothing_and_gets_our_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("SOME_VARIABLE", "some value")
    run_logged(shell('cat; echo "$SOME_VARIABLE"'), tmp_path / "log")
    assert (tmp_path / "log").read_text() == "some value\n"


def test_signals_are_as_a_program_expects_them(tmp_path):
    """An ignored signal would be inherited, and a program could not be ended."""
    run_logged(
        [sys.executable, "-c", "import signal as s; print(s.getsignal(s.SIGTERM) == s.SIG_DFL)"],
        tmp_path / "log",
    )
    assert (tmp_path / "log").read_text() == "True\n"


def test_a_program_that_is_not_there(tmp_path):
    with pytest.raises(MissingToolError, match="was not found"):
        run_logged([str(tmp_path / "nowhere")], tmp_path / "log")


def test_a_file_that_is_no_program(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(MissingToolError, match="may not be executed"):
        run_logged([str(tmp_path / "file")], tmp_path / "log")
    (tmp_path / "file").chmod(0o755)
    with pytest.raises(MissingToolError, match="not a program for this machine"):
        run_logged([str(tmp_path / "file")], tmp_path / "log")


def test_a_log_that_cannot_be_written(tmp_path):
    with pytest.raises(OutputError, match="can't be written"):
        run_logged(["true"], tmp_path / "no" / "log")


def test_a_program_that_takes_too_long_is_ended_with_its_children(tmp_path, too_long_once):
    pids = tmp_path / "pids"
    too_long_once(lambda: has_line(pids))
    with pytest.raises(ToolFailedError, match=r"after 1\.5 s"):
        run_logged(shell(f"sleep 600 & echo $! > {pids}; sleep 600"), tmp_path / "log", timeout_s=1.5)
    wait_for_end(int(pids.read_text()))


def test_a_program_ends_without_help_when_its_time_is_over(tmp_path):
    with pytest.raises(ToolFailedError, match=r"after 0\.1 s"):
        run_logged(shell("sleep 600"), tmp_path / "log", timeout_s=0.1)


def test_a_program_that_does_not_listen_is_killed(tmp_path, too_long_once):
    pids = tmp_path / "pids"
    too_long_once(lambda: has_line(pids))
    with pytest.raises(ToolFailedError, match="took too long"):
        run_logged(
            shell(f"trap '' TERM; echo $$ > {pids}; while :; do sleep 0.1; done"),
            tmp_path / "log",
            timeout_s=1.5,
        )
    assert not is_running(int(pids.read_text()))


def test_a_program_is_asked_before_it_is_killed(tmp_path, monkeypatch, too_long_once):
    monkeypatch.setattr(process, "GRACE_S", HANG_S)
    ready = tmp_path / "ready"
    too_long_once(lambda: has_line(ready))
    trap = f"trap 'echo bye > {tmp_path / 'bye'}; exit 1' TERM"
    politely = f"{trap}; echo ready > {ready}; while :; do sleep 0.05; done"
    with pytest.raises(ToolFailedError, match="took too long"):
        run_logged(shell(politely), tmp_path / "log", timeout_s=1.5)
    assert (tmp_path / "bye").read_text() == "bye\n"


def test_what_a_program_leaves_running_is_ended(tmp_path):
    pids = tmp_path / "pids"
    assert run_logged(shell(f"sleep 600 & echo $! > {pids}"), tmp_path / "log") == 0
    wait_for_end(int(pids.read_text()))


def test_an_exception_on_the_way_ends_the_program(tmp_path):
    pids = tmp_path / "pids"

    def interrupt(_line):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_logged(shell(f"echo $$ > {pids}; echo x; sleep 600"), tmp_path / "log", on_line=interrupt)
    assert not is_running(int(pids.read_text()))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_program_ends_when_we_are_killed(tmp_path, number):
    pids = tmp_path / "pids"
    script = (
        "from trexreport.collector.process import run_logged\n"
        f"run_logged(['sh', '-c', 'sleep 600 & echo $! $$ > {pids}; sleep 600'], {str(tmp_path / 'log')!r})"
    )
    collector = subprocess.Popen([sys.executable, "-c", script])
    wait_until(lambda: has_line(pids), "the start of the program")
    collector.send_signal(number)
    collector.wait(HANG_S)
    child, program = pids.read_text().split()
    wait_for_end(int(child))
    wait_for_end(int(program))


def test_a_signal_just_after_the_start_of_a_program_leaves_nothing_that_runs(tmp_path, monkeypatch):
    class Signaled(subprocess.Popen):
        """A process that has started when the signal arrives, before its parent has recorded it."""

        def __init__(self, *arguments, **keywords):
            super().__init__(*arguments, **keywords)
            started.append(self)
            os.kill(os.getpid(), signal.SIGTERM)

    started = []
    monkeypatch.setattr(process.subprocess, "Popen", Signaled)
    with pytest.raises(Interrupted), signals_raise():
        run_logged(shell("sleep 600"), tmp_path / "log")
    assert [one.returncode for one in started] == [0]


def test_a_signal_waits_for_the_outermost_block_and_whichever_thread_gets_it():
    done = []

    def work():
        with signals_wait():
            with signals_wait(), ThreadPoolExecutor(1) as pool:
                # Any thread may be the one that the system picks.
                pool.submit(signal.raise_signal, signal.SIGTERM).result()
            done.append("within")
        done.append("after")

    with signals_raise(), pytest.raises(Interrupted) as caught:
        work()
    assert done == ["within"]
    assert caught.value.signal == signal.SIGTERM


def test_signals_mean_afterward_what_they_did_before():
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    with signals_raise():
        assert all(signal.getsignal(number) not in before for number in numbers)
    assert [signal.getsignal(number) for number in numbers] == before


def test_a_log_that_grows_faster_than_it_is_read_is_read_without_pauses(tmp_path, monkeypatch):
    monkeypatch.setattr(process, "_PART_BYTES", 2**10)
    log, waits = tmp_path / "log", []
    has_ended = process._Supervised.has_ended

    def noted(self, wait_s):
        if not waits:
            wait_until(lambda: log.stat().st_size == 100_000, "the output of the program")
        waits.append(wait_s)
        return has_ended(self, wait_s)

    monkeypatch.setattr(process._Supervised, "has_ended", noted)
    seen = tmp_path / "seen"
    lines = []

    def keep(line):
        lines.append(line)
        if len(lines) == 50_000:
            seen.touch()

    wait = f"while [ ! -e {seen} ]; do sleep 0.05; done"
    assert run_logged(shell(f"yes | head -c 100000; {wait}"), log, on_line=keep) == 0
    assert len(lines) == 50_000
    assert waits.count(0.0) == 100_000 // 2**10
    assert waits[-1] == process._LOOK_S


def test_a_supervisor_that_is_killed_is_no_success_and_takes_the_program_with_it(tmp_path):
    pids = tmp_path / "pids"
    with pytest.raises(ToolFailedError, match="ended by something else"):
        run_logged(shell(f"echo $$ > {pids}; kill -KILL $PPID; sleep 600"), tmp_path / "log")
    wait_for_end(int(pids.read_text()))


def test_no_process_can_be_made(tmp_path, monkeypatch):
    monkeypatch.setattr(process.sys, "executable", str(tmp_path / "nowhere"))
    with pytest.raises(ToolFailedError, match='No process could be started for "trtexec"'):
        run_logged(["trtexec"], tmp_path / "log")


def test_a_line_without_an_end_is_passed_on_in_parts(tmp_path):
    lines = []
    run_logged(
        shell("head -c 3000000 /dev/zero | tr '\\0' x; echo; echo y"), tmp_path / "log", on_line=lines.append
    )
    assert "".join(lines) == "x" * 3_000_000 + "y"
    assert max(map(len, lines)) <= 2 * process._PART_BYTES


def test_a_program_that_says_more_than_can_be_read_is_ended_in_time(tmp_path, monkeypatch, too_long_once):
    monkeypatch.setattr(process, "_PART_BYTES", 16)
    lines = []
    too_long_once(lambda: len(lines) >= 1000)
    with pytest.raises(ToolFailedError, match="took too long"):
        run_logged(
            shell("yes | head -c 1000000; sleep 600"), tmp_path / "log", timeout_s=1, on_line=lines.append
        )
    assert 1000 <= len(lines) <= 1008
