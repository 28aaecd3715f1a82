"""Sending mail to a real server on the loopback: encrypted, refused, broken off, not to be trusted."""

from __future__ import annotations

import datetime as dt
import email
import socket
import threading
from email import policy

import pytest

from trexreport.errors import InputError, ToolFailedError, UsageError
from trexreport.mail import (
    Attachment,
    Login,
    build_message,
    deliver,
    parse_mailboxes,
    parse_server,
    read_login,
)

NOW = dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc)


def message(**changes):
    told = {
        "sender": parse_mailboxes(["CI <ci@example.com>"], "--from")[0],
        "to": parse_mailboxes(["a@example.com, b@example.com"], "--to"),
        "subject": "An engine – fast",
        "html": "<p>×</p>",
        "text": "×",
        "attachments": [Attachment("x.report.pdf", "pdf", bytes(range(256)) * 99)],
        "date": NOW,
    }
    return build_message(**{**told, **changes})


def send(server, ca_file=None, login=None, security=None, mail=None):
    pauses = []
    where = parse_server(server.address, security, login, str(ca_file) if ca_file else None)
    try:
        deliver(mail or message(), where, wait=pauses.append)
    finally:
        server.received.pauses = pauses
    return pauses


@pytest.mark.filterwarnings("ignore:Requiring AUTH")
@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_a_mail_arrives_whole(serve, ca_file, security):
    server = serve(security, user="me", password="pass wörd")  # noqa: S106 - made up
    assert send(server, ca_file, Login("me", "pass wörd"), security) == []
    ((sender, to, data),) = server.received.messages
    assert (sender, to) == ("ci@example.com", ["a@example.com", "b@example.com"])
    found = email.message_from_bytes(data, policy=policy.default)
    assert found["Subject"] == "An engine – fast"
    assert found["From"] == "CI <ci@example.com>"
    assert found.get_body(("html",)).get_content().strip() == "<p>×</p>"
    assert found.get_body(("plain",)).get_content().strip() == "×"
    (attachment,) = found.iter_attachments()
    assert attachment.get_filename() == "x.report.pdf"
    assert attachment.get_content() == bytes(range(256)) * 99
    assert not found.defects


def test_without_encryption_only_if_asked(serve):
    server = serve("none")
    with pytest.raises(ToolFailedError, match="STARTTLS extension not supported"):
        send(server)
    assert not server.received.messages
    send(server, security="none")
    assert len(server.received.messages) == 1


def test_a_certificate_that_nobody_vouches_for(serve):
    server = serve("starttls")
    with pytest.raises(ToolFailedError, match=r"certificate of 127\.0\.0\.1:\d+ is not to be trusted"):
        send(server)
    assert server.received.pauses == []
    assert not server.received.attempts


@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_a_certificate_of_another_server(serve, ca_file, security):
    server = serve(security, name="mail.example.com")
    with pytest.raises(ToolFailedError, match="is not to be trusted: IP address mismatch"):
        send(server, ca_file, security=security)
    assert not server.received.attempts


def test_a_wrong_password_is_tried_once_and_never_shown(serve, ca_file):
    server = serve("starttls", user="me", password="right")  # noqa: S106 - made up
    with pytest.raises(ToolFailedError, match="refused user or password") as caught:
        send(server, ca_file, Login("me", "hunter2"))
    assert "hunter2" not in str(caught.value) + repr(Login("me", "hunter2"))
    assert server.received.pauses == []


def test_a_plain_password(serve, ca_file):
    server = serve("starttls", user="me", password="plain")  # noqa: S106 - made up
    send(server, ca_file, Login("me", "plain"))
    with pytest.raises(ToolFailedError, match="refused user or password"):
        send(server, ca_file, Login("me", "plaïn"))
    assert len(server.received.messages) == 1


def test_a_server_that_knows_no_login(serve, ca_file):
    server = serve("starttls", auth_exclude_mechanism=["LOGIN", "PLAIN"])
    with pytest.raises(ToolFailedError, match="did not take the mail: No suitable authentication method"):
        send(server, ca_file, Login("me", "plain"))


def test_a_busy_server_is_tried_again(serve, ca_file):
    server = serve()
    server.received.answers = ["451 busy", "hang up"]
    assert send(server, ca_file) == [1.0, 4.0]
    assert server.received.attempts == 3
    assert len(server.received.messages) == 1


def test_a_server_that_stays_busy_or_breaks_off_is_given_up(serve, ca_file):
    server = serve()
    server.received.answers = ["hang up"] * 9
    with pytest.raises(ToolFailedError, match="did not take the mail"):
        send(server, ca_file)
    assert server.received.pauses == [1.0, 4.0, 16.0]
    assert server.received.attempts == 4


def test_a_refusal_for_good_is_not_tried_again(serve, ca_file):
    server = serve()
    server.received.answers = ["554 5.7.1 \x1b[31mNo thanks"]
    with pytest.raises(ToolFailedError, match=r"554 5\.7\.1 ␛\[31mNo thanks\.$"):
        send(server, ca_file)
    assert server.received.attempts == 1


def test_some_recipients_refused(serve, ca_file):
    server = serve()
    server.received.refused = {"b@example.com": "550 unknown"}
    with pytest.raises(
        ToolFailedError, match=r"refused some of those it was for: b@example\.com: 550 unknown\."
    ):
        send(server, ca_file)
    assert server.received.messages[0][1] == ["a@example.com"]
    assert server.received.pauses == []


def test_all_recipients_refused_for_now(serve, ca_file):
    server = serve()
    server.received.refused = dict.fromkeys(("a@example.com", "b@example.com"), "450 later")
    with pytest.raises(ToolFailedError, match="450 later"):
        send(server, ca_file)
    assert len(server.received.pauses) == 3


def break_off_in_the_mail(connection):
    lines = connection.makefile("rb")
    connection.sendall(b"220 test\r\n")
    for line in lines:
        if line.upper().startswith(b"DATA"):
            connection.sendall(b"354 go on\r\n")
            lines.read(5000)
            lines.close()
            return
        connection.sendall(b"250 test\r\n")


def test_a_line_that_breaks_in_the_middle_of_the_mail():
    with listener(break_off_in_the_mail) as open_socket:
        pauses = []
        where = parse_server(f"127.0.0.1:{open_socket.getsockname()[1]}", "none", None, None)
        big = message(attachments=[Attachment("x.html", "html", bytes(20_000_000))])
        with pytest.raises(ToolFailedError, match="did not take the mail"):
            deliver(big, where, wait=pauses.append)
    assert pauses == [1.0, 4.0, 16.0]


def listener(act):
    """Return the port of a server that does one thing with each connection."""
    socket_ = socket.create_server(("127.0.0.1", 0))

    def run():
        while True:
            try:
                connection, _ = socket_.accept()
            except OSError:
                return
            act(connection)
            connection.close()

    threading.Thread(target=run, daemon=True).start()
    return socket_


@pytest.mark.parametrize("says", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\xff\xfe\x00\r\n"])
def test_what_is_no_mail_server(says):
    with listener(lambda connection: connection.sendall(says)) as open_socket:
        where = parse_server(f"127.0.0.1:{open_socket.getsockname()[1]}", None, None, None)
        with pytest.raises(ToolFailedError, match="did not take the mail") as caught:
            deliver(message(), where, wait=lambda _: None)
    assert "\n" not in str(caught.value)


def test_nobody_there():
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    with pytest.raises(ToolFailedError, match="refused"):
        deliver(message(), parse_server(f"127.0.0.1:{port}", None, None, None), wait=lambda _: None)


def test_certificates_that_are_none(serve, tmp_path):
    server = serve("none")
    for path in (tmp_path / "absent.pem", tmp_path):
        with pytest.raises(InputError, match="can't be used"):
            send(server, path)


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
    with pytest.raises(UsageError, match="is no server"):
        parse_server(text, None, None, None)


def test_no_password_over_an_open_line():
    with pytest.raises(UsageError, match="not encrypted"):
        parse_server("x:25", "none", Login("me", "secret"), None)


def test_where_user_and_password_are_from(tmp_path):
    both = {"TREXREPORT_SMTP_USER": "me", "TREXREPORT_SMTP_PASSWORD": "p"}
    assert read_login(None, both) == Login("me", "p")
    assert read_login(None, {}) is None
    with pytest.raises(UsageError, match="Only one of"):
        read_login(None, {"TREXREPORT_SMTP_USER": "me"})
    file = tmp_path / "login"
    file.write_text("you\n pass word\n")
    assert read_login(str(file), both) == Login("you", " pass word")
    for content in (b"", b"you", b"you\n\n", b"a\nb\nsecret", b"\xff\xfe"):
        file.write_bytes(content)
        with pytest.raises(InputError) as caught:
            read_login(str(file))
        assert "secret" not in str(caught.value)
    with pytest.raises(InputError, match="can't be read"):
        read_login(str(tmp_path / "absent"))
