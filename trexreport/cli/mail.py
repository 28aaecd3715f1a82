"""`trexreport mail`: the summary of an engine or of a comparison as a mail, with reports attached."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from trexreport.cli.capture_options import CaptureChoice, capture_options
from trexreport.cli.comparing import ComparisonOptions, comparison_options
from trexreport.cli.finding_options import FindingChoice, finding_options
from trexreport.cli.messages import say, say_notes, say_written
from trexreport.cli.output_options import force_option, max_size_option, refuse_input_as_output
from trexreport.cli.words import words_of
from trexreport.errors import OutputError, ToolFailedError, UsageError

if TYPE_CHECKING:
    from email.message import EmailMessage

    from trexreport.mail import MailServer
    from trexreport.renderer.mail import Enclosed, Enclosure, Letter

# The same as `KINDS` of the renderer, which is not loaded for the help.
_KINDS = ("pdf", "html", "md", "json")


@dataclass(frozen=True)
class _Matter:
    """What a mail is about.

    Attributes:
        stem: Of the names of attached files.
        letter: Makes the letter, told of `subject`, `attached` and `left_out`.
        enclosures: The reports that are to go with it.
        say_notes: Says what was missing or repaired.
    """

    stem: str
    letter: Callable[..., Letter]
    enclosures: tuple[Enclosure, ...]
    say_notes: Callable[[], None]


@dataclass(frozen=True)
class _Composed:
    """A mail, its bytes, and what was left out of it."""

    message: EmailMessage
    data: bytes
    left_out: str


@click.command()
@capture_options
@click.option("--to", multiple=True, required=True, metavar="ADDRESS,...", help="Who gets it.")
@click.option("--cc", multiple=True, metavar="ADDRESS,...", help="Who gets a copy.")
@click.option("--from", "sender", envvar="TREXREPORT_MAIL_FROM", metavar="ADDRESS", help="Who sends it.")
@click.option("--subject", default="", metavar="TEXT", help="Instead of the engine's name and latency.")
@click.option(
    "--attach", default="", metavar="KINDS", callback=words_of(_KINDS), help=f"Some of {', '.join(_KINDS)}."
)
@max_size_option
@click.option("--smtp", envvar="TREXREPORT_SMTP", metavar="HOST:PORT", help="The server that takes it.")
@click.option(
    "--smtp-security",
    type=click.Choice(["starttls", "tls", "none"]),
    help="How the line is encrypted.  [default: tls on port 465, else starttls]",
)
@click.option("--smtp-ca", metavar="FILE", help="Certificates to trust, instead of the system's.")
@click.option(
    "--smtp-login", metavar="FILE", help="User and password, a line each; else from the environment."
)
@click.option("--eml", metavar="FILE", help="Write the mail to a file, .eml, instead of sending it.")
@force_option
@comparison_options
@finding_options
def mail(
    capture: CaptureChoice,
    findings: FindingChoice,
    comparing: ComparisonOptions,
    *,
    subject: str,
    attach: tuple[str, ...],
    max_size: int | None,
    eml: str | None,
    force: bool,
    **addressed: Any,
) -> None:
    """Mail the summary of an engine, with its report attached if --attach says so.

    Of several captures, or with --baseline-latency, it is the summary of their comparison.

    User and password are in TREXREPORT_SMTP_USER and TREXREPORT_SMTP_PASSWORD, or in the file that
    --smtp-login names; they are never given on the command line. What could not be sent is kept as a file.
    """
    from trexreport.mail import check_header, deliver, parse_mailboxes
    from trexreport.numbers import format_bytes
    from trexreport.output import check_output, write_output
    from trexreport.reader import is_capture
    from trexreport.renderer.mail import fit_enclosures

    check_header(subject, "--subject")
    people = {option: parse_mailboxes(addressed[option], f"--{option}") for option in ("to", "cc")}
    senders = parse_mailboxes([addressed["sender"]] if addressed["sender"] else [], "--from")
    if not people["to"]:
        raise UsageError("Nobody is to get the mail.", "Give --to name@example.com.")
    if len(senders) != 1:
        raise UsageError(
            f"The mail has {'several senders' if senders else 'no sender'}.",
            "Give --from name@example.com, or set TREXREPORT_MAIL_FROM.",
        )
    server = _server(addressed, eml)
    if eml is not None:
        check_output(eml, force=force)
    _check_tools(attach)
    is_of_several = bool(comparing.latencies) or sum(map(is_capture, capture.paths)) > 1
    take = _comparison if is_of_several else _engine
    matter = take(capture, findings, comparing, dict.fromkeys(attach), eml)
    compose = partial(_composed, matter, subject, {"sender": senders[0], **people, "date": _now()})
    mail = fit_enclosures(matter.enclosures, max_size, compose)
    if server is None:
        write_output(eml or "-", mail.data, force=force)
        say_written(eml or "-", len(mail.data))
    else:
        try:
            deliver(mail.message, server, wait=partial(_wait, server))
        except ToolFailedError as error:
            where = _kept(mail.message["Message-ID"], mail.data)
            raise ToolFailedError(str(error), where, error.details) from None
        except KeyboardInterrupt:
            say(_kept(mail.message["Message-ID"], mail.data))
            raise
        told = ", ".join(each.address for each in (*people["to"], *people["cc"]))
        say(f"Sent to {told} ({format_bytes(len(mail.data))}).")
    if mail.left_out:
        say(f"  {mail.left_out}")
    matter.say_notes()


def _engine(
    capture: CaptureChoice,
    findings: FindingChoice,
    comparing: ComparisonOptions,
    kinds: dict[str, None],
    eml: str | None,
) -> _Matter:
    """Return the mail's matter for one engine."""
    from trexreport.renderer.mail import report_enclosures, report_letter

    if comparing.is_given:
        raise UsageError(
            "--baseline, --minimum-effect, --runs and --focus are of a comparison.",
            "Give two captures or more.",
        )
    engine = capture.read()
    if eml is not None:
        refuse_input_as_output(capture, engine, eml)
    analysis = findings.analyze(engine, with_blocks=bool({"html", "pdf", "json"} & kinds.keys()))
    return _Matter(
        f"{_plain(engine.name)}.report",
        partial(report_letter, analysis),
        report_enclosures(analysis, engine.sources, tuple(kinds)),
        partial(say_notes, engine.notes),
    )


def _comparison(
    capture: CaptureChoice,
    findings: FindingChoice,
    comparing: ComparisonOptions,
    kinds: dict[str, None],
    eml: str | None,
) -> _Matter:
    """Return the mail's matter for several engines, or for one and what is none."""
    from trexreport.renderer.mail import comparison_enclosures, comparison_letter

    if capture.files or capture.name is not None or capture.optimization_profile is not None:
        raise UsageError(
            "A file's role, --name and --profile are of one engine, and several are compared.",
            "Name the captures only.",
        )
    choice = comparing.choose(capture.paths, capture.redact)
    is_drawn = bool({"html", "pdf"} & kinds.keys())
    compared = choice.read([eml] if eml else [], analyze=findings.analyze, is_drawn=is_drawn)
    names = [engine.name for engine in compared.comparison.engines]
    return _Matter(
        f"{_plain(names[compared.shown])}.comparison",
        partial(comparison_letter, compared.comparison),
        comparison_enclosures(
            compared.comparison,
            compared.analyses,
            compared.sources,
            compared.shown,
            tuple(kinds),
            others=compared.others,
        ),
        compared.say_notes,
    )


def _composed(
    matter: _Matter, subject: str, headed: dict[str, Any], enclosed: Enclosed
) -> tuple[_Composed, int]:
    """Return the mail and its size in bytes."""
    from trexreport.mail import Attachment, build_message
    from trexreport.renderer.mail import render_letter

    attachments = [
        Attachment(f"{matter.stem}.{kind}", kind, content) for kind, content in enclosed.files.items()
    ]
    names = [each.name for each in attachments]
    letter = matter.letter(subject=subject, attached=names, left_out=enclosed.left_out)
    body = render_letter(letter)
    message = build_message(
        subject=letter.subject, html=body.html, text=body.text, attachments=attachments, **headed
    )
    data = message.as_bytes()
    return _Composed(message, data, enclosed.left_out), len(data)


def _plain(name: str) -> str:
    """Return the name of an engine for a file; those beyond ASCII and long ones are a trial for programs."""
    plain = "".join(each if each.isascii() and (each.isalnum() or each in "._-") else "-" for each in name)
    return plain[:60].strip(".-") or "engine"


def _server(addressed: dict[str, Any], eml: str | None) -> MailServer | None:
    """Return where the mail goes, or None if it goes to a file."""
    from trexreport.mail import is_open_to_others, parse_server, read_login

    if eml is not None:
        # The variable may be set all the same.
        return None
    if not addressed["smtp"]:
        raise UsageError("There is nowhere to send the mail.", "Give --smtp HOST:PORT, or --eml FILE.")
    file = addressed["smtp_login"]
    login = read_login(file)
    if file is not None and is_open_to_others(file):
        say(f"  warning: {file} is open to other users of this machine. To keep it to you: chmod 600 {file}")
    return parse_server(addressed["smtp"], addressed["smtp_security"], login, addressed["smtp_ca"])


def _wait(server: MailServer, pause_s: float) -> None:
    import time

    say(f"  {server} could not be given the mail, or not for all; trying again in {pause_s:g} s.")
    time.sleep(pause_s)


def _check_tools(attach: tuple[str, ...]) -> None:
    """Tell what is missing before the capture is read."""
    if "pdf" in attach:
        from trexreport.renderer.pdf import check_pdf_tools

        check_pdf_tools()


def _now() -> Any:
    """Return the time for the mail's head: a mail without one is taken for spam."""
    import datetime as dt

    fixed = os.environ.get("SOURCE_DATE_EPOCH", "")
    if fixed.isdecimal() and len(fixed) < 12:
        return dt.datetime.fromtimestamp(int(fixed), dt.timezone.utc)
    return dt.datetime.now(dt.timezone.utc)


def _kept(identifier: str, data: bytes) -> str:
    """Keep a mail that was not sent; say where."""
    import tempfile
    from pathlib import Path

    from trexreport.output import write_output

    name = f"trexreport-unsent-{identifier.strip('<>')[:12]}.eml"
    for folder in (Path.cwd(), Path(tempfile.gettempdir())):
        try:
            write_output(folder / name, data)
        except OutputError:
            continue
        return f"The mail is kept as {folder / name}."
    return "The mail could not be kept either."
