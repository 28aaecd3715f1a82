"""`trexreport mail`: the summary of an engine or of a comparison as a mail, with reports attached."""

from __future__ import annotations

import os
import shlex
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from trexreport.cli.capture_options import CaptureChoice, capture_options
from trexreport.cli.comparing import ComparisonOptions, comparison_options
from trexreport.cli.finding_options import FindingChoice, finding_options
from trexreport.cli.mailing import Composed, comparison_matter, compose, engine_matter
from trexreport.cli.messages import say, say_written
from trexreport.cli.output_options import force_option, max_size_option
from trexreport.cli.words import words_of
from trexreport.errors import OutputError, ToolFailedError, UsageError

if TYPE_CHECKING:
    from trexreport.mail import MailServer

# The same as `KINDS` of the renderer, which is not loaded for the help.
_KINDS = ("pdf", "html", "md", "json")


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
    from trexreport.mail import check_header
    from trexreport.numbers import format_bytes
    from trexreport.output import check_output, write_output
    from trexreport.reader import is_capture
    from trexreport.renderer.mail import fit_enclosures

    check_header(subject, "--subject")
    people = _people(addressed)
    server = _server(addressed, eml)
    if eml is not None:
        check_output(eml, force=force)
    _check_tools(attach)
    is_of_several = bool(comparing.latencies) or sum(map(is_capture, capture.paths)) > 1
    take = comparison_matter if is_of_several else engine_matter
    matter = take(capture, findings, comparing, dict.fromkeys(attach), eml)
    mail = fit_enclosures(
        matter.enclosures, max_size, partial(compose, matter, subject, {**people, "date": _now()})
    )
    if server is None:
        write_output(eml or "-", mail.data, force=force)
        say_written(eml or "-", len(mail.data))
    else:
        _send(mail, server)
        told = ", ".join(each.address for each in (*people["to"], *people["cc"]))
        say(f"Sent to {told} ({format_bytes(len(mail.data))}).")
    if mail.left_out:
        say(f"  {mail.left_out}")
    matter.say_notes()


def _people(addressed: dict[str, Any]) -> dict[str, Any]:
    """Return who sends the mail and who gets it."""
    from trexreport.mail import parse_mailboxes

    people = {option: parse_mailboxes(addressed[option], f"--{option}") for option in ("to", "cc")}
    senders = parse_mailboxes([addressed["sender"]] if addressed["sender"] else [], "--from")
    if not people["to"]:
        raise UsageError("Nobody is to get the mail.", "Give --to name@example.com.")
    if len(senders) != 1:
        raise UsageError(
            f"The mail has {'several senders' if senders else 'no sender'}.",
            "Give --from name@example.com, or set TREXREPORT_MAIL_FROM.",
        )
    return {"sender": senders[0], **people}


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
        keep = f"chmod 600 {shlex.quote(file)}"
        say(f"  warning: {file} is open to other users of this machine. To keep it to you: {keep}")
    return parse_server(addressed["smtp"], addressed["smtp_security"], login, addressed["smtp_ca"])


def _send(mail: Composed, server: MailServer) -> None:
    """Hand the mail to the server; keep it as a file where that fails."""
    from trexreport.mail import deliver

    try:
        deliver(mail.message, server, wait=partial(_wait, server))
    except ToolFailedError as error:
        where = _kept(mail.message["Message-ID"], mail.data)
        raise ToolFailedError(str(error), where, error.details) from None
    except KeyboardInterrupt:
        say(_kept(mail.message["Message-ID"], mail.data))
        raise


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
