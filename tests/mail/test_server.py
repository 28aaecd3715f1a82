"""The server that takes a mail, the certificates it is checked by, and who sends."""

from __future__ import annotations

import os

import pytest

from trexreport.errors import InputError, UsageError
from trexreport.mail.server import Login, is_open_to_others, parse_server, read_login


@pytest.mark.parametrize(
    ("text", "host", "port", "security"),
    [
        ("mail.example.com", "mail.example.com", 587, "starttls"),
        ("mail.example.com:465", "mail.example.com", 465, "tls"),
        ("[::1]:25", "::1", 25, "starttls"),
    ],
)
def test_what_a_server_is(text, host, port, security):
    server = parse_server(text, None, None, None)
    assert (server.host, server.port, server.security) == (host, port, security)


@pytest.mark.parametrize("text", ["", ":25", "a b", "x:0", "x:65536", "x:-1", "http://x", "x\n:25"])
def test_what_is_no_server(text):
    with pytest.raises(UsageError, match="is not a server"):
        parse_server(text, None, None, None)


def test_no_password_over_an_open_line():
    with pytest.raises(UsageError, match="unencrypted"):
        parse_server("x:25", "none", Login("me", "secret"), None)


def test_where_user_and_password_are_from(tmp_path, monkeypatch):
    monkeypatch.delenv("TREXREPORT_SMTP_USER", raising=False)
    monkeypatch.delenv("TREXREPORT_SMTP_PASSWORD", raising=False)
    assert read_login(None) is None
    monkeypatch.setenv("TREXREPORT_SMTP_USER", "me")
    with pytest.raises(UsageError, match="Only one of"):
        read_login(None)
    monkeypatch.setenv("TREXREPORT_SMTP_PASSWORD", "p")
    assert read_login(None) == Login("me", "p")
    file = tmp_path / "login"
    file.write_text("you\n pass word\n")
    assert read_login(str(file)) == Login("you", " pass word")
    for content in (b"", b"you", b"you\n\n", b"a\nb\nsecret", b"\xff\xfe"):
        file.write_bytes(content)
        with pytest.raises(InputError) as caught:
            read_login(str(file))
        assert "secret" not in str(caught.value)
    with pytest.raises(InputError, match="can't be read"):
        read_login(str(tmp_path / "absent"))


def test_certificates_that_are_none(tmp_path):
    (tmp_path / "text.pem").write_text("no certificate")
    for path in (tmp_path / "absent.pem", tmp_path, tmp_path / "text.pem"):
        with pytest.raises(InputError, match="can't be used"):
            parse_server("x:25", None, None, str(path))


def test_a_login_as_editors_of_any_system_write_it(tmp_path):
    file = tmp_path / "login"
    file.write_bytes("\ufeffme\r\npass\u2028w\x0cord\r\n".encode())
    assert read_login(str(file)) == Login("me", "pass\u2028w\x0cord")


@pytest.mark.skipif(os.name != "posix", reason="others are reported apart by modes")
@pytest.mark.parametrize(
    ("mode", "is_open"), [(0o600, False), (0o400, False), (0o640, True), (0o604, True), (0o620, True)]
)
def test_a_login_that_others_may_read(tmp_path, mode, is_open):
    file = tmp_path / "login"
    file.write_text("me\nsecret")
    file.chmod(mode)
    assert is_open_to_others(str(file)) is is_open


def test_what_is_no_file_is_open_to_no_one(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe, 0o644)
    for path in (tmp_path / "absent", tmp_path, pipe):
        assert not is_open_to_others(str(path))
