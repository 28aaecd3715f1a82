"""Sending mail to a real server on the loopback: encrypted, refused, broken off, not trusted."""

from __future__ import annotations

import base64
import contextlib
import datetime as dt
import email
import socket
import ssl
import threading
import time
from dataclasses import replace
from email import policy

import pytest
from waiting import HANG_S

from trexreport.errors import ToolFailedError
from trexreport.mail.addresses import parse_mailboxes
from trexreport.mail.delivery import deliver
from trexreport.mail.message import AttachedFile, Envelope, build_message
from trexreport.mail.server import Login, parse_server

NOW = dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc)


def message(**changes):
    people = {
        "sender": parse_mailboxes(["CI <ci@example.com>"], "--from")[0],
        "to": parse_mailboxes(["a@example.com, b@example.com"], "--to"),
        "cc": [],
        "date": NOW,
    }
    reported = {
        "subject": "An engine – fast",
        "html": "<p>×</p>",
        "text": "×",
        "attachments": [AttachedFile("x.report.pdf", "pdf", bytes(range(256)) * 99)],
    }
    envelope = Envelope(**{key: changes.pop(key, value) for key, value in people.items()})
    return build_message(envelope, **{**reported, **changes})


def send(server, ca_file=None, login=None, security=None, mail=None):
    waits = []
    where = parse_server(server.address, security, login, str(ca_file) if ca_file else None)
    try:
        deliver(mail or message(), where, wait=lambda *each: waits.append(each))
    finally:
        server.received.pauses = [pause for pause, _ in waits]
        server.received.reasons = [reason for _, reason in waits]
    return server.received.pauses


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


def test_a_certificate_that_is_not_trusted(serve):
    server = serve("starttls")
    with pytest.raises(ToolFailedError, match=r"certificate of 127\.0\.0\.1:\d+ is not trusted"):
        send(server)
    assert server.received.pauses == []
    assert not server.received.attempts


@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_a_certificate_of_another_server(serve, ca_file, security):
    server = serve(security, name="mail.example.com")
    with pytest.raises(ToolFailedError, match="is not trusted: IP address mismatch"):
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
    with pytest.raises(ToolFailedError, match="did not accept the mail: No suitable authentication method"):
        send(server, ca_file, Login("me", "plain"))


def test_a_busy_server_is_tried_again(serve, ca_file):
    server = serve()
    server.received.answers = ["451 busy", "hang up"]
    assert send(server, ca_file) == [1.0, 4.0]
    first, second = server.received.reasons
    assert first.endswith(" did not accept the mail: 451 busy.")
    assert " did not accept the mail: " in second
    assert server.received.attempts == 3
    assert len(server.received.messages) == 1


def test_a_server_that_stays_busy_or_breaks_off_is_given_up(serve, ca_file):
    server = serve()
    server.received.answers = ["hang up"] * 9
    with pytest.raises(ToolFailedError, match="did not accept the mail"):
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
    with pytest.raises(ToolFailedError, match=r"refused some recipients: b@example\.com: 550 unknown\."):
        send(server, ca_file)
    assert server.received.messages[0][1] == ["a@example.com"]
    assert server.received.pauses == []


def test_all_recipients_refused_for_now(serve, ca_file):
    server = serve()
    server.received.refused = dict.fromkeys(("a@example.com", "b@example.com"), "450 later")
    with pytest.raises(ToolFailedError, match="450 later"):
        send(server, ca_file)
    assert len(server.received.pauses) == 3
    assert all(
        "refused all recipients: a@example.com: 450 later." in each for each in server.received.reasons
    )


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
        big = message(attachments=[AttachedFile("x.html", "html", bytes(8_000_000))])
        with pytest.raises(ToolFailedError, match="did not accept the mail"):
            deliver(big, where, wait=lambda pause, _: pauses.append(pause))
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
            with connection, contextlib.suppress(OSError):
                act(connection)

    threading.Thread(target=run, daemon=True).start()
    return socket_


@pytest.mark.parametrize("says", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\xff\xfe\x00\r\n"])
def test_what_is_no_mail_server(says):
    with listener(lambda connection: connection.sendall(says)) as open_socket:
        where = parse_server(f"127.0.0.1:{open_socket.getsockname()[1]}", None, None, None)
        with pytest.raises(ToolFailedError, match="did not accept the mail") as caught:
            deliver(message(), where, wait=lambda *_: None)
    assert "\n" not in str(caught.value)


def trickle(before):
    """Return what a server does that greets us, then says a little now and then, and never all of it."""

    def act(connection):
        connection.sendall(before)
        while True:
            connection.sendall(b"2")
            time.sleep(0.02)

    return act


@pytest.mark.parametrize("security", ["none", "tls"])
@pytest.mark.parametrize("before", [b"", b"220 test\r\n", b"220 test\r\n250-a\r\n250-"])
def test_a_server_that_says_a_little_now_and_then(authority, ca_file, security, before):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)

    def encrypted(connection):
        with context.wrap_socket(connection, server_side=True) as inner:
            trickle(before)(inner)

    pauses = []
    with listener(encrypted if security == "tls" else trickle(before)) as open_socket:
        address = f"127.0.0.1:{open_socket.getsockname()[1]}"
        where = parse_server(address, security, None, str(ca_file) if security == "tls" else None)
        with pytest.raises(ToolFailedError, match="did not accept the mail: sending takes too long"):
            deliver(message(), where, wait=lambda pause, _: pauses.append(pause), max_total_s=0.3)
    assert pauses == []


def test_a_server_that_takes_a_large_mail_slowly(monkeypatch):
    taken = bytearray()

    def slow(connection):
        connection.sendall(b"220 test\r\n")
        while not connection.recv(4096).upper().startswith(b"DATA"):
            connection.sendall(b"250 ok\r\n")
        connection.sendall(b"354 go on\r\n")
        time.sleep(3.0)
        while not taken.endswith(b"\r\n.\r\n"):
            taken.extend(connection.recv(1024 * 1024))
        connection.sendall(b"250 ok\r\n")

    monkeypatch.setattr("trexreport.mail.delivery._TIMEOUT_S", 2.0)
    large = message()
    large.add_attachment(b"x" * 12_000_000, maintype="application", subtype="octet-stream")
    with listener(slow) as open_socket:
        where = parse_server(f"127.0.0.1:{open_socket.getsockname()[1]}", "none", None, None)
        deliver(large, where, wait=lambda *_: None, max_total_s=HANG_S)
    assert len(taken) > 12_000_000


def test_an_unknown_name_is_not_tried_again(monkeypatch):
    def unknown(*_arguments, **_options):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    pauses = []
    with pytest.raises(ToolFailedError, match="Name or service not known"):
        deliver(
            message(),
            parse_server("mail.example.com", None, None, None),
            wait=lambda pause, _: pauses.append(pause),
        )
    assert not pauses


def test_no_server_there():
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    with pytest.raises(ToolFailedError, match="refused"):
        deliver(message(), parse_server(f"127.0.0.1:{port}", None, None, None), wait=lambda *_: None)


def answering(answers):
    """Return what a server does that gives these answers to commands, and 250 to others; None hangs up."""

    def act(connection):
        lines = connection.makefile("rb")
        connection.sendall(b"220 test\r\n")
        for line in lines:
            answer = answers.get(line[:4].decode("latin-1").upper(), b"250 ok")
            if answer is None:
                break
            connection.sendall(answer.replace(b"{}", line.strip()) + b"\r\n")
        lines.close()

    return act


def refused_by(act, security="none", login=None):
    """Return what is stated of a server that does this, and how often it was asked again."""
    pauses = []
    with listener(act) as open_socket:
        where = parse_server(f"127.0.0.1:{open_socket.getsockname()[1]}", security, None, None)
        with pytest.raises(ToolFailedError) as caught:
            deliver(message(), replace(where, login=login), wait=lambda pause, _: pauses.append(pause))
    return str(caught.value), len(pauses)


@pytest.mark.parametrize("password", ["hunter2", "hünter2"])
def test_a_password_that_the_server_repeats_is_not_shown(password):
    act = answering({"EHLO": b"250-test\r\n250 AUTH PLAIN", "AUTH": b"500 What is {} hunter2?"})
    reported, _ = refused_by(act, login=Login("me", password))
    assert "500 What is AUTH PLAIN …" in reported.replace("refused user or password: ", "500 ")
    for each in (f"\0me\0{password}", password):
        assert base64.b64encode(each.encode()).decode() not in reported
    assert password not in reported


def test_a_mail_that_is_too_large_for_the_server():
    reported, again = refused_by(answering({"MAIL": b"552 5.3.4 Message too big"}))
    assert reported.endswith(
        "did not accept the mail: 552 5.3.4 Message too big. If the mail is too large, make it "
        "smaller with --max-size."
    )
    assert again == 0


@pytest.mark.parametrize(("security", "other"), [("starttls", "tls"), ("tls", "starttls")])
def test_a_line_that_can_t_be_encrypted(security, other):
    act = answering({"EHLO": b"250-test\r\n250 STARTTLS", "STAR": b"220 go on\r\n250 injected"})
    reported, again = refused_by(act, security)
    assert "can't be encrypted: wrong version number. Try --smtp-security " + other in reported
    assert again == 0


def test_a_server_that_hangs_up_instead_of_encrypting_is_tried_again():
    reported, again = refused_by(lambda _: None, "tls")
    assert "did not accept the mail" in reported
    assert again == 3


def test_encryption_that_is_announced_and_not_to_be_had_now():
    act = answering({"EHLO": b"250-test\r\n250 STARTTLS", "STAR": b"454 later"})
    reported, again = refused_by(act, "starttls", Login("me", "hunter2"))
    assert "454 later" in reported
    assert again == 3


def test_an_answer_that_is_none():
    reported, again = refused_by(answering({"MAIL": b"xyz"}))
    assert reported.endswith("its answers are not those of a mail server.")
    assert again == 3


def test_a_server_that_says_nothing(monkeypatch):
    monkeypatch.setattr("trexreport.mail.delivery._TIMEOUT_S", 0.05)
    monkeypatch.setattr("trexreport.mail.delivery.BACKOFF_S", ())
    refused = threading.Event()
    reported, _ = refused_by(lambda _: refused.wait(HANG_S))
    refused.set()
    assert "timed out" in reported


def test_those_for_whom_it_was_busy_get_it_later(serve, ca_file):
    server = serve()
    server.received.refused = {"b@example.com": "450 later"}
    served = server.received.handle_DATA

    async def free_then(*arguments):
        server.received.refused = {}
        return await served(*arguments)

    server.received.handle_DATA = free_then
    assert send(server, ca_file) == [1.0]
    assert [to for _, to, _ in server.received.messages] == [["a@example.com"], ["b@example.com"]]


def test_a_server_that_breaks_off_after_some_have_it(serve, ca_file):
    server = serve()
    server.received.refused = {"b@example.com": "450 later"}
    served = server.received.handle_DATA

    async def free_then(*arguments):
        server.received.refused = {}
        server.received.answers = ["250 OK"] if not server.received.attempts else ["554 no"]
        return await served(*arguments)

    server.received.handle_DATA = free_then
    with pytest.raises(ToolFailedError, match=r"accepted the mail only for a@example\.com: 554 no"):
        send(server, ca_file)


def test_of_many_that_are_refused_the_first_are_named(serve, ca_file):
    server = serve()
    many = [f"{number}@example.com" for number in range(10, 60)]
    server.received.refused = dict.fromkeys(many, "550 unknown " + "x" * 200)
    with pytest.raises(ToolFailedError, match="refused all recipients") as caught:
        send(server, ca_file, mail=message(to=parse_mailboxes(many, "--to")))
    assert "14@example.com" in str(caught.value)
    assert "15@example.com" not in str(caught.value)
    assert "and 45 more." in str(caught.value)


def test_many_recipients(serve, ca_file):
    server = serve()
    many = [f"{number}@example.com" for number in range(300)]
    send(server, ca_file, mail=message(to=parse_mailboxes(many, "--to"), cc=parse_mailboxes(many, "--cc")))
    ((_, to, data),) = server.received.messages
    assert to == many
    assert max(map(len, data.split(b"\r\n"))) <= 998
