"""What is not a file is an error wherever a file is expected, and never waited for."""

from __future__ import annotations

import os
import signal
import socket
import threading
from pathlib import Path

import pytest

from trexreport import input_file
from trexreport.archive.verify import verify
from trexreport.archive.write import _chunks
from trexreport.collector.from_log import capture_from_logs
from trexreport.configuration import read_configuration
from trexreport.errors import TrexReportError
from trexreport.mail.server import MailServer, read_login, tls_context
from trexreport.reader.locate import is_capture, locate
from trexreport.reader.report_file import extract_report

pytestmark = pytest.mark.skipif(os.name != "posix", reason="special files of POSIX")


def _pipe(path):
    os.mkfifo(path)
    return path


def _socket(path):
    # Its name stays when it is closed; that of the folder may be too long for one.
    here = Path.cwd()
    os.chdir(path.parent)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)
    os.chdir(here)
    return path


def _link(path):
    path.symlink_to("/dev/zero")
    return path


SPECIAL = {
    "pipe": _pipe,
    "socket": _socket,
    "zeros": lambda _: Path("/dev/zero"),
    "link to a device": _link,
    "no content": lambda _: Path("/dev/null"),
    "file of /proc": lambda _: Path("/proc/self/status"),
    "file of /proc that waits": lambda _: Path("/proc/kmsg"),
    "folder": lambda path: path.parent,
}
READERS = {
    "configuration": read_configuration,
    "profile": lambda path: locate([], {"profile": path}),
    "report": extract_report,
    "verify": verify,
    "log": lambda path: capture_from_logs([str(path)], str(path.parent / "out"), force=False),
    "engine": lambda path: list(_chunks(path)),
    "certificates": lambda path: tls_context(MailServer("host", 25, "tls", None, str(path))),
    "login": lambda path: read_login(str(path)),
}


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch):
    """A pipe is silent at once, and what waits nevertheless fails."""
    monkeypatch.setattr(input_file, "PIPE_SECONDS", 0.05)

    def fail(*_):
        raise AssertionError("it waits")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("kind", SPECIAL)
@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_file_is_an_error(tmp_path, kind, reader):
    path = SPECIAL[kind](tmp_path / "x")
    if not path.exists():
        pytest.skip("this system has no such file")
    with pytest.raises(TrexReportError) as error:
        READERS[reader](path)
    assert str(path) in str(error.value)


@pytest.mark.parametrize("kind", [each for each in SPECIAL if each != "folder"])
def test_what_is_no_file_is_no_capture(tmp_path, kind):
    path = SPECIAL[kind](tmp_path / "x")
    assert not is_capture(path)
    with pytest.raises(TrexReportError):
        locate([path])


def test_a_pipe_that_is_written_to_is_read(tmp_path):
    _pipe(tmp_path / "x")
    writer = threading.Thread(target=lambda: (tmp_path / "x").write_bytes(b"[budget]\n"))
    writer.start()
    input_file.PIPE_SECONDS = 10.0
    assert input_file.read_input(tmp_path / "x", 1000) == b"[budget]\n"
    writer.join()


@pytest.mark.parametrize(("size", "most"), [(0, 5), (4, 5), (5, 5), (9, 5), (3 * 2**20, 2**30)])
def test_a_file_is_read_up_to_a_size(tmp_path, size, most):
    data = os.urandom(size)
    (tmp_path / "x").write_bytes(data)
    assert input_file.read_input(tmp_path / "x", most) == data[:most]
