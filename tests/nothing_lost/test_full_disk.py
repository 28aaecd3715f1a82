"""Every command that writes, on a disk that is full, read only or not a disk at all."""

from __future__ import annotations

import contextlib
import os
import resource
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest
from writers import OLD, WRITERS, command, contents, in_child, is_whole, put_old

CANNOT_WRITE = 3


def check_refused(ended, out, before, new):
    """A command stated in one line that it can't write, and left what there was or a whole new file."""
    assert ended.code == CANNOT_WRITE, ended
    assert len([line for line in ended.stated.splitlines() if line.startswith("Error: ")]) == 1, ended.stated
    assert "Traceback" not in ended.stated
    for path, data in contents(out).items():
        assert data == before.get(path) or is_whole(path, data, new), (path, data[:80])


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("part", [0.0, 0.6])
def test_no_file_may_grow(tmp_path, places, whole, name, part):
    """Each write beyond a size fails, as it does on a full disk."""
    new, out = whole(name), tmp_path / "out"
    limit = int(part * max(map(len, new.values())))
    put_old(name, out)
    before = contents(out)
    ended = in_child(
        command(name, out, **places),
        lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY)),
    )
    check_refused(ended, out, before, new)


def fill(path):
    """Write a file until nothing more fits on its disk."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT)
    with contextlib.suppress(OSError):
        while os.write(descriptor, b"x" * 4096):
            pass
    os.close(descriptor)


@contextmanager
def mounted(folder, options):
    folder.mkdir(exist_ok=True)
    mount = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mount.returncode:
        pytest.skip("no file system may be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.skipif(sys.platform != "linux", reason="it mounts a tmpfs")
@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk(tmp_path, places, whole, name):
    new = whole(name)
    with mounted(tmp_path / "disk", "size=256k") as out:
        put_old(name, out)
        before = contents(out)
        fill(out / "filler")
        before["filler"] = (out / "filler").read_bytes()
        ended = in_child(command(name, out, **places), lambda: None)
        check_refused(ended, out, before, {"filler": b"", **new})
        assert "No space left on device" in ended.stated


@pytest.mark.skipif(sys.platform != "linux", reason="it mounts a tmpfs")
@pytest.mark.parametrize("name", WRITERS)
def test_a_disk_that_may_not_be_written(tmp_path, places, whole, name):
    with mounted(tmp_path / "disk", "size=256k") as out:
        put_old(name, out)
        before = contents(out)
        subprocess.run(["mount", "-o", "remount,ro", str(out)], check=True)
        ended = in_child(command(name, out, **places), lambda: None)
        check_refused(ended, out, before, whole(name))
        assert "Read-only file system" in ended.stated


OF_ANY_PLACE = {
    "report": ("report", "{it}", "--format", "html", "--charts", "static", "-q", "-o"),
    "compare": ("compare", "{it}", "{it}", "--format", "json", "-o"),
    "lint": ("lint", "{it}", "--fail-on", "never", "--format", "sarif", "-o"),
    "check": ("check", "{it}", "--budget", "{toml}", "--format", "json", "-o"),
    "mail": ("mail", "{it}", "--to", "a@b.c", "--from", "a@b.c", "--eml"),
}


def at(name, place, places):
    return [*(word.format(**places) for word in OF_ANY_PLACE[name]), str(place)]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")  # noqa: PTH110
@pytest.mark.parametrize("name", OF_ANY_PLACE)
def test_a_device_that_is_full(tmp_path, places, name):
    ended = in_child(at(name, "/dev/full", places), lambda: None)
    check_refused(ended, tmp_path, {}, {})
    assert "No space left on device" in ended.stated


@pytest.mark.parametrize("name", OF_ANY_PLACE)
def test_a_folder(tmp_path, places, name):
    ended = in_child(at(name, tmp_path, places), lambda: None)
    check_refused(ended, tmp_path, {}, {})
    assert "is a folder" in ended.stated


@pytest.mark.parametrize("name", OF_ANY_PLACE)
def test_a_pipe_and_a_link(tmp_path, places, name):
    pipe, link, real = tmp_path / "pipe", tmp_path / "link", tmp_path / "real"
    os.mkfifo(pipe)
    received = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()
    assert in_child(at(name, pipe, places), lambda: None).code in (0, 1)
    reader.join(timeout=60)
    link.symlink_to(real)
    assert in_child(at(name, link, places), lambda: None).code in (0, 1)
    assert link.is_symlink()
    assert len(received[0]) > 100
    assert name == "mail" or received == [real.read_bytes()]


@pytest.mark.parametrize("name", OF_ANY_PLACE)
def test_a_file_that_is_read_is_never_written(tmp_path, places, name):
    before = contents(places["it"])
    for place in (places["it"] / "m.graph.json", places["it"] / "m.profile.json"):
        ended = in_child([*at(name, place, places), "--force"], lambda: None)
        assert ended.code == 2, ended
        assert "is one of the input files" in ended.stated
    assert contents(places["it"]) == before


def test_two_at_once(tmp_path, places, whole):
    """Two processes that write one file: afterward it is that of one of them, and nothing else is there."""
    out = tmp_path / "out"
    put_old("report", out)
    words = command("report", out, **places)
    others = [*words, "--name", "another title"]
    started = [
        subprocess.Popen([sys.executable, "-m", "trexreport", *each], stderr=subprocess.PIPE)
        for each in (words, others)
    ]
    stated = [process.communicate(timeout=300)[1] for process in started]
    assert [process.returncode for process in started] == [0, 0], stated
    found = contents(out)
    assert set(found) == {"r.html"}
    assert found["r.html"] == whole("report")["r.html"] or b"another title" in found["r.html"]
    assert found["r.html"].rstrip().endswith(b"</html>")
    assert OLD not in found["r.html"]
