"""Folders behind URLs: in memory, on a web server, and what can go wrong with them."""

from __future__ import annotations

import functools
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from site_captures import build, capture_files, files_of, write_capture, write_history
from waiting import HANG_S

from trexreport.errors import InputError, MissingToolError, OutputError
from trexreport.site.discovery import MANIFEST_NAME
from trexreport.site.folders import open_inputs
from trexreport.site.urls import RemoteInput

fsspec = pytest.importorskip("fsspec")


@pytest.fixture
def memory():
    system = fsspec.filesystem("memory")
    yield system
    system.store.clear()
    system.pseudo_dirs[:] = [""]


@pytest.fixture
def captures(tmp_path):
    return write_history(tmp_path / "captures", [1.0, 1.0, 1.2, 1.2])


def put(memory, folder, place):
    for path in folder.rglob("*"):
        if path.is_file():
            memory.pipe_file(f"{place}/{path.relative_to(folder).as_posix()}", path.read_bytes())


def test_a_site_behind_a_url_is_the_same(memory, captures, tmp_path):
    put(memory, captures, "/bucket/captures")
    build(captures, tmp_path / "site")
    build("memory://bucket/captures", "memory://bucket/site")
    written = {
        name.removeprefix("/bucket/site/"): data.getvalue()
        for name, data in memory.store.items()
        if name.startswith("/bucket/site/") and MANIFEST_NAME not in name
    }
    assert written == files_of(tmp_path / "site")


def test_behind_a_url_nothing_is_made_twice_either(memory, captures):
    put(memory, captures, "/bucket/captures")
    build("memory://bucket/captures", "memory://bucket/site")
    assert build("memory://bucket/captures", "memory://bucket/site").made == 0
    memory.pipe_file("/bucket/captures/new/net.engine.graph.json", capture_files()["net.engine.graph.json"])
    assert build("memory://bucket/captures", "memory://bucket/site").made == 1
    memory.rm_file("/bucket/captures/new/net.engine.graph.json")
    site = build("memory://bucket/captures", "memory://bucket/site")
    assert (site.made, site.removed) == (0, 1)


def test_files_of_a_url_without_versions_are_read_each_time(memory, captures, monkeypatch):
    put(memory, captures, "/bucket/captures")
    monkeypatch.setattr("trexreport.site.urls._VERSION_KEYS", ())
    build("memory://bucket/captures", "memory://bucket/site")
    assert build("memory://bucket/captures", "memory://bucket/site").made == 0
    files = capture_files(ms=5.0)
    memory.pipe_file("/bucket/captures/run-2/net.engine.timing.json", files["net.engine.timing.json"])
    assert build("memory://bucket/captures", "memory://bucket/site").made >= 1


def test_another_programs_files_behind_a_url_is_left_alone(memory, captures):
    memory.pipe_file("/bucket/site/index.html", b"mine")
    with pytest.raises(Exception, match="not empty"):
        build(captures, "memory://bucket/site")
    assert memory.cat_file("/bucket/site/index.html") == b"mine"


def test_a_url_of_this_machine_is_a_path(captures, tmp_path):
    build(captures.as_uri(), (tmp_path / "site").as_uri())
    assert (tmp_path / "site" / "index.html").is_file()
    assert build(captures, tmp_path / "site").made == 0


@pytest.fixture
def server(captures):
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    handler = functools.partial(Quiet, directory=str(captures.parent))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        running.shutdown()


def test_captures_can_be_read_from_a_web_server(server, captures, tmp_path):
    pytest.importorskip("aiohttp")
    build(captures, tmp_path / "site")
    site = build(f"{server}/captures", tmp_path / "there")
    assert site.failures == []
    assert files_of(tmp_path / "there") == files_of(tmp_path / "site")
    assert build(f"{server}/captures", tmp_path / "there").made == 0


def test_what_is_not_there_is_one_line(memory, server):
    pytest.importorskip("aiohttp")
    for place in ("memory://nothing", f"{server}/nothing", "nosuch://x", "http://127.0.0.1:9/x"):
        with pytest.raises((InputError, MissingToolError)) as raised:
            build(place, "memory://bucket/site")
        assert "\n" not in str(raised.value)


def test_a_page_that_can_not_be_removed_is_reported_and_tried_again(memory, captures, monkeypatch):
    put(memory, captures, "/bucket/captures")
    memory.pipe_file("/bucket/captures/new/net.engine.graph.json", capture_files()["net.engine.graph.json"])
    build("memory://bucket/captures", "memory://bucket/site")
    memory.rm_file("/bucket/captures/new/net.engine.graph.json")
    with monkeypatch.context() as patched:
        patched.setattr(type(memory), "rm_file", lambda *_: (_ for _ in ()).throw(OSError("denied")))
        with pytest.raises(OutputError, match=r"engines/.+\.html can't be removed: denied\."):
            build("memory://bucket/captures", "memory://bucket/site")
    site = build("memory://bucket/captures", "memory://bucket/site")
    assert (site.made, site.removed) == (0, 1)


def test_a_file_that_can_not_be_fetched_fails_alone(memory, captures, monkeypatch):
    put(memory, captures, "/bucket/captures")
    original = type(memory).get_file

    def broken(self, path, *arguments, **options):
        if "run-2/net.engine.graph" in path:
            raise OSError("connection reset\nby peer")
        return original(self, path, *arguments, **options)

    monkeypatch.setattr(type(memory), "get_file", broken)
    site = build("memory://bucket/captures", "memory://bucket/site")
    (failure,) = site.failures
    assert failure.place == "captures/run-2/net.engine"
    assert "connection reset" in failure.error


def test_names_behind_a_url_do_not_lead_elsewhere():
    remote = RemoteInput.__new__(RemoteInput)
    remote.root = "/bucket/captures"
    for path in ("/bucket/captures/../x", "/other/x", "/bucket/captures/a\\..\\x", "/bucket/captures"):
        assert remote._relative(path) == ""
    assert remote._relative("/bucket/captures/a/b.json") == "a/b.json"


def test_without_fsspec_it_is_stated_what_to_install(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "fsspec", None)
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(MissingToolError, match=r"trexreport\[remote\]"):
        open_inputs(["s3://bucket/x"])


def test_captures_without_names_are_called_after_their_folder(memory, tmp_path):
    files = write_capture(tmp_path / "x")
    memory.pipe_file("/bucket/nameless/graph.json", (files / "net.engine.graph.json").read_bytes())
    site = build("memory://bucket/nameless", "memory://bucket/site")
    assert [entry.summary.name for entry in site.entries] == ["nameless"]


@pytest.fixture
def odd_server(captures, monkeypatch, place):
    """A server that hangs, drips, goes round in circles, has folders without end, or sends without end."""
    pytest.importorskip("aiohttp")
    if place in ("hang", "drip", "slow", "trickle"):
        monkeypatch.setattr("trexreport.site.urls._PATIENCE_S", 1.0)
        monkeypatch.setattr("trexreport.site.urls._MAX_TOTAL_S", 1.5)
    monkeypatch.setattr("trexreport.site.urls._MAX_BYTES", 1 << 20)
    stopped = threading.Event()

    class Odd(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def send(self, text, length=None):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            if length:
                self.send_header("Content-Length", str(length))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(text)
                self.wfile.flush()

        def do_HEAD(self):
            self.do_GET()

        def do_GET(self):
            kind = self.path.split("/")[1]
            if "hang" in self.path:
                stopped.wait(HANG_S)
            elif kind == "circle":
                self.send_response(302)
                self.send_header("Location", "/circle/")
                self.end_headers()
            elif kind == "drip" or (kind == "trickle" and self.path.endswith("/x.graph.json")):
                self.send(b"[", 9000)
                for _ in range(600 if self.command == "GET" else 0):
                    stopped.wait(0.1)
                    self.wfile.write(b"[")
            elif kind == "deep":
                self.send(b'<a href="deeper/">x</a>')
            elif self.path.endswith("/x.graph.json"):
                self.send(b"[" * 2_000_000 if kind == "huge" else b"[", None if kind == "huge" else 9)
                if kind == "slow":
                    stopped.wait(HANG_S)
            elif kind == "huge":
                self.send(b'<a href="x.graph.json">x</a>')
            else:
                self.send(b'<a href="x.graph.json">x</a><a href="hanging/">y</a>')

    with ThreadingHTTPServer(("127.0.0.1", 0), Odd) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        stopped.set()
        running.shutdown()


@pytest.mark.parametrize(
    ("place", "reported"),
    [
        ("hang", "does not answer in time"),
        ("drip", "does not answer in time"),
        ("circle", "TooManyRedirects"),
        ("deep", "its folders are nested too deeply"),
    ],
)
def test_a_server_that_lists_nothing_is_one_line(odd_server, tmp_path, place, reported):
    with pytest.raises(InputError, match=rf"can't be listed: .*{reported}") as raised:
        build(f"{odd_server}/{place}", tmp_path / "site")
    assert "\n" not in str(raised.value)
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize(
    ("place", "reported"),
    [("slow", "does not answer"), ("trickle", "does not answer"), ("huge", "larger than 1 MiB")],
)
def test_a_file_without_end_fails_alone_and_so_does_a_folder_that_hangs(
    odd_server, captures, tmp_path, place, reported
):
    site = build([captures, f"{odd_server}/{place}"], tmp_path / "site")
    assert len(site.entries) == 4
    errors = {failure.place: failure.error for failure in site.failures}
    assert reported in errors.pop(f"{place}/x")
    if place != "huge":
        assert "does not answer" in errors.pop(f"{place}/hanging")
    assert errors == {}


@pytest.mark.parametrize("login", ["me:secret@", "me@home:secret@", "secret@"])
def test_a_login_in_a_url_is_neither_reported_nor_published(server, tmp_path, login):
    pytest.importorskip("aiohttp")
    secret = server.replace("://", f"://{login}")
    # Labels that are the ends of URLs show these two by their hosts.
    build([secret, secret.replace("127.0.0.1", "localhost")], tmp_path / "site")
    published = files_of(tmp_path / "site")
    assert "index.html" in published
    for name, data in published.items():
        assert "secret" not in name
        assert b"secret" not in data, name
    for places in (
        f"{secret}/nothing",
        [secret, secret],
        f"http://{login}127.0.0.1:9/x",
        f"nosuch://{login}x",
    ):
        with pytest.raises(InputError) as raised:
            build(places, tmp_path / "other")
        assert "secret" not in str(raised.value)


def test_a_chain_of_urls_is_no_folder_and_shows_no_login(tmp_path):
    with pytest.raises(InputError, match="simplecache::https://host does not exist"):
        build(["simplecache::https://me:secret@host"], tmp_path / "site")
