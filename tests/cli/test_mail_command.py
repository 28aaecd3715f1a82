"""`trexreport mail`: to a file, to a server, and what is left of a mail that was not sent."""

from __future__ import annotations

import email
import socket
from email import policy
from pathlib import Path

import pytest

from trexreport.reader import read_engine
from trexreport.resources import resource_folder

SAMPLE = resource_folder("samples") / "resnet18-int8-before"
ADDRESSED = ("--to", "a@example.com", "--from", "ci@example.com")


@pytest.fixture(autouse=True)
def no_mail_settings(monkeypatch):
    for name in (
        "TREXREPORT_SMTP",
        "TREXREPORT_SMTP_USER",
        "TREXREPORT_SMTP_PASSWORD",
        "TREXREPORT_MAIL_FROM",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")


def parsed(path):
    return email.message_from_bytes(Path(path).read_bytes(), policy=policy.default)


def test_a_mail_as_a_file(run, tmp_path):
    run("mail", SAMPLE, *ADDRESSED, "--cc", "b@example.com", "--attach", "html,md,json", "--eml", "x.eml")
    mail = parsed("x.eml")
    assert mail["Subject"] == "TensorRT engine resnet18-int8-before: 0.798 ms median"
    assert (mail["To"], mail["Cc"], mail["From"]) == ("a@example.com", "b@example.com", "ci@example.com")
    assert mail["Date"] == "Tue, 14 Nov 2023 22:13:20 +0000"
    files = {part.get_filename(): part.get_payload(decode=True) for part in mail.iter_attachments()}
    assert list(files) == [f"resnet18-int8-before.report.{kind}" for kind in ("html", "md", "json")]
    page = tmp_path / "page.html"
    page.write_bytes(files["resnet18-int8-before.report.html"])
    assert read_engine(page).sources == read_engine(SAMPLE).sources
    assert "resnet18-int8-before.report.md" in mail.get_body(("plain",)).get_content().replace("\n", "")
    first = Path("x.eml").read_bytes()
    run("mail", SAMPLE, *ADDRESSED, "--cc", "b@example.com", "--attach", "html,md,json", "--eml", "x.eml")
    assert Path("x.eml").read_bytes() == first


def test_a_redacted_mail(run):
    run("mail", SAMPLE, *ADDRESSED, "--attach", "html", "--eml", "x.eml", "--redact", "names,paths,host")
    mail = parsed("x.eml")
    assert "resnet" not in Path("x.eml").read_text().lower()
    assert "resnet" not in mail.get_body(("html",)).get_content().lower()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--to", "a@example.com"), "one --from and a --to"),
        (("--to", "", "--from", "a@b.c"), "one --from and a --to"),
        (("--to", "a", "--from", "a@b.c"), "--to: 'a' is no mail address"),
        (("--to", "a@b.c\nBcc: x@y.z", "--from", "a@b.c"), "is no mail address"),
        ((*ADDRESSED,), "nowhere to send"),
        ((*ADDRESSED, "--subject", "a\nBcc: x@y.z", "--eml", "x.eml"), "--subject has a line break"),
        ((*ADDRESSED, "--smtp", "a b"), "is no server"),
        ((*ADDRESSED, "--attach", "exe", "--eml", "x.eml"), "--attach has no 'exe'"),
    ],
)
def test_wrong_usage_is_told_before_anything_is_read(run, arguments, message):
    assert message in run("mail", "absent", *arguments, code=2).output


def test_what_was_not_sent_is_kept_and_said_where(run, tmp_path, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _: None)
    monkeypatch.setattr("trexreport.mail.delivery.BACKOFF_S", ())
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    monkeypatch.setenv("TREXREPORT_SMTP_USER", "me")
    monkeypatch.setenv("TREXREPORT_SMTP_PASSWORD", "hunter2")
    result = run("mail", SAMPLE, *ADDRESSED, "--smtp", f"127.0.0.1:{port}", code=5)
    (kept,) = tmp_path.glob("trexreport-unsent-*.eml")
    assert f"The mail is kept as {kept}." in result.output
    assert result.output.count("\n") == 1
    assert parsed(kept)["To"] == "a@example.com"
    assert b"hunter2" not in kept.read_bytes()
    assert "hunter2" not in result.output


def test_an_option_for_the_password_does_not_exist(run):
    output = run("mail", "--help").output
    assert "--smtp-login" in output
    assert "--password" not in output


def test_a_mail_arrives(run, tmp_path):
    pytest.importorskip("aiosmtpd")
    from aiosmtpd.controller import Controller
    from aiosmtpd.handlers import Message

    class Box(Message):
        def handle_message(self, message):
            self.found = message

    box = Box()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    controller = Controller(box, hostname="127.0.0.1", port=port)
    controller.start()
    try:
        server = f"127.0.0.1:{port}"
        result = run(
            "mail", SAMPLE, *ADDRESSED, "--smtp", server, "--smtp-security", "none", "--attach", "html"
        )
    finally:
        controller.stop()
    assert "Sent to a@example.com." in result.output
    data = next(part for part in box.found.walk() if part.get_filename()).get_payload(decode=True)
    (tmp_path / "x.html").write_bytes(data)
    assert "as they were written" in run("verify", "x.html").output
