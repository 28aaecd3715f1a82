"""`trexreport mail`: to a file, to a server, and what is left of a mail that was not sent."""

from __future__ import annotations

import email
import re
import socket
from email import policy
from pathlib import Path

import pytest

from trexreport.reader import read_engine
from trexreport.resources import resource_folder

SAMPLE = resource_folder("samples") / "resnet18-int8-before"
AFTER = SAMPLE.with_name("resnet18-int8-after")
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


def test_of_several_captures_it_is_a_comparison(run, tmp_path):
    run("mail", SAMPLE, AFTER, *ADDRESSED, "--attach", "html,md,json", "--eml", "x.eml")
    mail = parsed("x.eml")
    title = "resnet18-int8-after vs. resnet18-int8-before"
    assert mail["Subject"] == f"{title}: faster (provisional), −27.6% in GPU compute time"
    assert mail.get_body(("plain",)).get_content().startswith(title)
    files = {part.get_filename(): part.get_payload(decode=True) for part in mail.iter_attachments()}
    assert list(files) == [f"resnet18-int8-after.comparison.{kind}" for kind in ("html", "md", "json")]
    for name, content in files.items():
        ending = name.rpartition(".")[2]
        run("compare", SAMPLE, AFTER, "-o", f"c.{ending}")
        assert content == (tmp_path / f"c.{ending}").read_bytes()


def test_the_options_of_a_comparison_hold_for_its_mail(run):
    run("mail", SAMPLE, AFTER, *ADDRESSED, "--baseline", "2", "--eml", "x.eml", "--runs", f"1={SAMPLE}")
    assert parsed("x.eml")["Subject"].startswith("resnet18-int8-before vs. resnet18-int8-after: slower")
    latency = ("--baseline-latency", "PyTorch eager=12.3ms")
    run("mail", SAMPLE, *ADDRESSED, *latency, "--eml", "x.eml")
    mail = parsed("x.eml")
    assert mail["Subject"] == "resnet18-int8-before vs. PyTorch eager: faster (provisional)"
    assert "×15.4" in mail.get_body(("plain",)).get_content()


def test_the_pdf_of_a_comparison_is_given_the_files_of_what_is_no_engine(run, monkeypatch):
    given = []
    monkeypatch.setattr("trexreport.renderer.pdf.check_pdf_tools", lambda: None)
    monkeypatch.setattr(
        "trexreport.renderer.pdf.render_comparison_pdf", lambda *args: given.extend(args[4]) or b"%PDF"
    )
    Path("eager.csv").write_text("latency_ms\n9.0\n")
    options = ("--baseline-latency", "eager=eager.csv", "--attach", "pdf", "--eml", "x.eml")
    run("mail", SAMPLE, *ADDRESSED, *options)
    assert [source.data for other in given for source in other.sources] == [b"latency_ms\n9.0\n"]
    given.clear()
    run("mail", SAMPLE, *ADDRESSED, *options, "--redact", "names", "--force")
    assert [(other.name, other.sources) for other in given] == [("eager", ())]


def test_a_redacted_comparison_says_the_same_verdict(run):
    run("mail", SAMPLE, AFTER, *ADDRESSED, "--eml", "x.eml", "--redact", "names,paths,host")
    mail = parsed("x.eml")
    assert mail["Subject"].endswith("faster (provisional), −27.6% in GPU compute time")
    assert "resnet" not in str(mail).lower() + mail.get_body(("html",)).get_content().lower()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((SAMPLE, AFTER, "--name", "x"), "apply to one engine, and several are compared"),
        ((SAMPLE, AFTER, "--graph", "x"), "apply to one engine, and several are compared"),
        ((SAMPLE, AFTER, "--baseline", "3"), "is not one of the compared captures"),
        ((SAMPLE, "--baseline", AFTER), "--runs and --focus apply to a comparison"),
        ((SAMPLE, "--assumed-run-spread", "5"), "--runs and --focus apply to a comparison"),
    ],
)
def test_options_of_the_other_kind_of_mail(run, arguments, message):
    assert message in run("mail", *arguments, *ADDRESSED, "--eml", "x.eml", code=2).output


def test_files_of_one_capture_are_no_comparison(run):
    graph, profile = (SAMPLE / f"{SAMPLE.name}.engine.{role}.json" for role in ("graph", "profile"))
    run("mail", graph, *ADDRESSED, "--profile", profile, "--eml", "x.eml")
    assert parsed("x.eml")["Subject"].startswith("TensorRT engine")


def test_a_mail_is_made_to_fit(run):
    attached = (*ADDRESSED, "--attach", "html,md,json", "--eml", "x.eml")
    run("mail", SAMPLE, *attached)
    whole = Path("x.eml").stat().st_size
    result = run("mail", SAMPLE, *attached, "--max-size", f"{whole - 1}")
    (reported,) = re.findall(r"Left out to fit .+: the JSON\.", result.output)
    assert Path("x.eml").stat().st_size < whole
    mail = parsed("x.eml")
    for kind in ("plain", "html"):
        assert reported in " ".join(mail.get_body((kind,)).get_content().split())
    assert [part.get_filename()[-4:] for part in mail.iter_attachments()] == ["html", "t.md"]
    assert "even without any report" in run("mail", SAMPLE, *attached, "--max-size", "9kB", code=2).output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--to", "a@example.com"), "The mail has no sender. Give --from name@example.com, or set"),
        (("--to", "a@example.com", "--from", "a@b.c,d@e.f"), "The mail has several senders."),
        (("--to", "", "--from", "a@b.c"), "The mail has no recipient. Give --to name@example.com."),
        (("--to", "a", "--from", "a@b.c"), "--to: 'a' is not a valid mail address"),
        (("--to", "a@b.c\nBcc: x@y.z", "--from", "a@b.c"), "is not a valid mail address"),
        ((*ADDRESSED,), "There is no mail server"),
        ((*ADDRESSED, "--subject", "a\nBcc: x@y.z", "--eml", "x.eml"), "--subject has a line break"),
        ((*ADDRESSED, "--smtp", "a b"), "is not a server"),
        ((*ADDRESSED, "--attach", "exe", "--eml", "x.eml"), "--attach has no 'exe'"),
    ],
)
def test_wrong_usage_is_reported_before_anything_is_read(run, arguments, message):
    assert message in run("mail", "absent", *arguments, code=2).output


def test_what_was_not_sent_is_kept_and_stated_where(run, tmp_path, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _: None)
    monkeypatch.setattr("trexreport.mail.delivery.BACKOFF_S", ())
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    monkeypatch.setenv("TREXREPORT_SMTP_USER", "me")
    monkeypatch.setenv("TREXREPORT_SMTP_PASSWORD", "hunter2")
    result = run("mail", SAMPLE, *ADDRESSED, "--smtp", f"127.0.0.1:{port}", code=5)
    (kept,) = tmp_path.glob("trexreport-unsent-*.eml")
    assert f"The mail is saved as {kept}." in result.output
    assert result.output.count("\n") == 1
    assert parsed(kept)["To"] == "a@example.com"
    assert b"hunter2" not in kept.read_bytes()
    assert "hunter2" not in result.output


def test_a_file_of_the_password_that_others_can_read_is_stated(run, tmp_path, monkeypatch):
    monkeypatch.setattr("trexreport.mail.delivery.BACKOFF_S", ())
    with socket.create_server(("127.0.0.1", 0)) as unused:
        server = ("--smtp", f"127.0.0.1:{unused.getsockname()[1]}")
    login = tmp_path / "login"
    login.write_text("me\nhunter2\n")
    for mode, is_stated in ((0o644, True), (0o600, False)):
        login.chmod(mode)
        output = run("mail", SAMPLE, *ADDRESSED, *server, "--smtp-login", login, code=5).output
        assert ("To prevent that: chmod 600" in output) is is_stated
        assert "hunter2" not in output


def test_a_mail_is_kept_when_the_user_loses_patience(run, tmp_path, monkeypatch):
    def interrupted(*_arguments, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("trexreport.mail.delivery.deliver", interrupted)
    result = run("mail", SAMPLE, *ADDRESSED, "--smtp", "mail.example.com", code=130)
    (kept,) = tmp_path.glob("trexreport-unsent-*.eml")
    assert f"The mail is saved as {kept}." in result.output


def test_waiting_is_stated(run, monkeypatch):
    monkeypatch.setattr("trexreport.mail.delivery.BACKOFF_S", (0.001,))
    with socket.create_server(("127.0.0.1", 0)) as unused:
        server = f"127.0.0.1:{unused.getsockname()[1]}"
    lines = run("mail", SAMPLE, *ADDRESSED, "--smtp", server, code=5).output.splitlines()
    assert lines[0] == f"  {server} did not accept the mail: Connection refused. Next attempt in 0.001 s."
    assert "Connection refused. The mail is saved as" in lines[1]


def test_what_is_wrong_with_the_server_is_reported_before_anything_is_read(run):
    result = run("mail", "absent", *ADDRESSED, "--smtp", "x:25", "--smtp-ca", "none.pem", code=3)
    assert "none.pem can't be used" in result.output


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
    assert re.search(r"Sent to a@example\.com \(\S+ KiB\)\.", result.output)
    data = next(part for part in box.found.walk() if part.get_filename()).get_payload(decode=True)
    (tmp_path / "x.html").write_bytes(data)
    assert "unchanged" in run("verify", "x.html").output
