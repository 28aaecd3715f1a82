"""What may lie in folders and happen while a site is made: odd names, loops, kills, others who write."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from site_captures import build, files_of, write_capture
from waiting import wait_until

from trexreport.errors import OutputError
from trexreport.site.entries import PAGE

NAMES = [
    "a\\b",
    "a:b",
    "a?b#c%2F..%2Fd",
    "..x..",
    "x" * 250,
    "é" * 120,
    "\u202eevil\u202c",
    "a\nb\r\x1b[31m",
    "-o",
    "$(id) `id` ${{ x }}",
    " a b ",
    "con",
    b"\xff\xfe".decode("utf-8", "surrogateescape"),
]
_POOL = """
import os, time
from trexreport.site.workers import Processes

def work():
    print(os.getpid(), flush=True)
    time.sleep(600)

if __name__ == "__main__":
    list(Processes(1).run(work, [("", ())]))
"""


@pytest.fixture
def captures(tmp_path):
    return tmp_path / "captures"


@pytest.fixture
def output(tmp_path):
    return tmp_path / "site"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
def test_folders_and_captures_of_any_name_have_pages_of_harmless_names(captures, output):
    kept = []
    for name in NAMES:
        short = name.encode("utf-8", "surrogateescape")[:200].decode("utf-8", "surrogateescape")
        # Some file systems do not allow all names.
        with contextlib.suppress(OSError):
            write_capture(captures / f"_{name}", name=f"_{short}")
            kept.append(name)
    site = build(captures, output)
    assert site.failures == []
    assert len(site.entries) == len(kept) > 8
    for name in files_of(output):
        assert PAGE.fullmatch(name), name
        assert len(name) < 120
    index = (output / "index.html").read_text("utf-8")
    assert "\u202e" not in index
    assert "\x1b" not in index


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
def test_loops_of_links_and_pipes_are_passed_over(captures, output):
    write_capture(captures / "a")
    (captures / "a" / "up").symlink_to("..")
    (captures / "self").symlink_to("self")
    (captures / "x.engine.graph.json").symlink_to("x.engine.graph.json")
    (captures / "gone.html").symlink_to("nowhere")
    for name in ("p.json", "q.html", "r.tea", "s.engine.timing.json"):
        os.mkfifo(captures / "a" / name)
    site = build(captures, output)
    assert [entry.place for entry in site.entries] == ["captures/a/net.engine"]
    assert site.failures == []


@pytest.mark.parametrize("code", [errno.EACCES, errno.ENOSPC, errno.EROFS])
def test_a_disk_that_takes_nothing_is_one_line_and_nothing_is_left(captures, output, monkeypatch, code):
    write_capture(captures)
    write = os.replace

    def refuse(source, target):
        if str(target).endswith("index.html"):
            raise OSError(code, os.strerror(code))
        write(source, target)

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OutputError, match=r"index\.html can't be written: ") as raised:
        build(captures, output)
    assert "\n" not in str(raised.value)
    assert not list(output.rglob(".trexreport-*"))
    monkeypatch.undo()
    # The engine's page was made, and is known.
    assert build(captures, output).made == 0
    assert (output / "index.html").is_file()


def test_two_that_make_one_site_at_once_make_it_whole(captures, output, tmp_path):
    for number in range(4):
        write_capture(captures / str(number), name=f"net{number}", seed=number)
    build(captures, tmp_path / "alone")
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(lambda _: build(captures, output), range(2)))
    assert files_of(output) == files_of(tmp_path / "alone")
    assert build(captures, output).made == 0


def test_what_a_killed_run_left_goes_once_no_one_writes_to_it(captures, output):
    write_capture(captures)
    build(captures, output)
    left = [output / ".trexreport-old", output / "engines" / ".trexreport-old"]
    fresh = output / "engines" / ".trexreport-new"
    for path in (*left, fresh):
        path.write_text("half a page")
    for path in left:
        os.utime(path, (1, 1))
    build(captures, output)
    assert not any(path.exists() for path in left)
    assert fresh.exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signals")
def test_processes_end_with_a_program_that_is_killed(tmp_path):
    program = tmp_path / "pool.py"
    program.write_text(_POOL)
    with subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE, text=True) as parent:
        child = int(parent.stdout.readline())
        os.kill(child, 0)
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        wait_until(lambda: not _runs(child), "the end of the other process")


def _runs(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    # A process that ended and was not waited for is there still, as a name.
    status = Path(f"/proc/{process}/stat")
    return not (status.exists() and ") Z " in status.read_text())
