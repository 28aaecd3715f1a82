"""`trexreport mail`: the summary of an engine as a mail, with the report attached."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from trexreport.cli.drawing_options import words_of
from trexreport.cli.messages import say, say_notes, say_written
from trexreport.cli.options import (
    CaptureChoice,
    FindingChoice,
    capture_options,
    finding_options,
    force_option,
    refuse_input_as_output,
)
from trexreport.errors import OutputError, ToolFailedError, UsageError

if TYPE_CHECKING:
    from trexreport.analyzer import Analysis
    from trexreport.mail import Attachment, MailServer
    from trexreport.model import Engine

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
@finding_options
def mail(
    capture: CaptureChoice,
    findings: FindingChoice,
    *,
    subject: str,
    attach: tuple[str, ...],
    eml: str | None,
    force: bool,
    **addressed: Any,
) -> None:
    """Mail the summary of an engine, with its report attached if --attach says so.

    User and password are in TREXREPORT_SMTP_USER and TREXREPORT_SMTP_PASSWORD, or in the file that
    --smtp-login names; they are never given on the command line. What could not be sent is kept as a file.
    """
    from trexreport.mail import build_message, check_header, deliver, parse_mailboxes
    from trexreport.output import check_output, write_output
    from trexreport.renderer.mail import render_letter, report_letter

    check_header(subject, "--subject")
    people = {option: parse_mailboxes(addressed[option], f"--{option}") for option in ("to", "cc")}
    senders = parse_mailboxes([addressed["sender"]] if addressed["sender"] else [], "--from")
    if len(senders) != 1 or not people["to"]:
        raise UsageError("A mail needs one --from and a --to.", "Give each as name@example.com.")
    server = _server(addressed, eml)
    if eml is not None:
        check_output(eml, force=force)
    _check_tools(attach)
    engine = capture.read()
    if eml is not None:
        refuse_input_as_output(capture, engine, eml)
    analysis = findings.analyze(engine, with_blocks=any(kind in attach for kind in ("html", "pdf", "json")))
    attachments = [_attachment(kind, analysis, engine) for kind in attach]
    letter = report_letter(analysis, subject=subject, attached=[each.name for each in attachments])
    body = render_letter(letter)
    message = build_message(
        sender=senders[0],
        **people,
        subject=letter.subject,
        html=body.html,
        text=body.text,
        attachments=attachments,
        date=_now(),
    )
    data = message.as_bytes()
    if server is None:
        write_output(eml or "-", data, force=force)
        say_written(eml or "-", len(data))
    else:
        try:
            deliver(message, server)
        except ToolFailedError as error:
            raise _kept(error, message["Message-ID"], data) from None
        say(f"Sent to {', '.join(each.address for each in (*people['to'], *people['cc']))}.")
    say_notes(engine.notes)


def _server(addressed: dict[str, Any], eml: str | None) -> MailServer | None:
    """Return where the mail goes, or None if it goes to a file."""
    from trexreport.mail import parse_server, read_login

    if eml is not None:
        # The variable may be set all the same.
        return None
    if not addressed["smtp"]:
        raise UsageError("There is nowhere to send the mail.", "Give --smtp HOST:PORT, or --eml FILE.")
    login = read_login(addressed["smtp_login"])
    return parse_server(addressed["smtp"], addressed["smtp_security"], login, addressed["smtp_ca"])


def _check_tools(attach: tuple[str, ...]) -> None:
    """Tell what is missing before the capture is read."""
    if "pdf" in attach:
        from trexreport.renderer.pdf import check_pdf_tools

        check_pdf_tools()


def _attachment(kind: str, analysis: Analysis, engine: Engine) -> Attachment:
    from trexreport.mail import Attachment

    # Names beyond ASCII and long ones are a trial for mail programs.
    plain = "".join(
        each if each.isascii() and (each.isalnum() or each in "._-") else "-" for each in engine.name
    )
    return Attachment(
        f"{plain[:60].strip('.-') or 'engine'}.report.{kind}", kind, _rendered(kind, analysis, engine)
    )


def _rendered(kind: str, analysis: Analysis, engine: Engine) -> bytes:
    """Return the report in the form of an attachment; its charts are static, as mail is to be small."""
    if kind == "pdf":
        from trexreport.renderer.pdf import render_pdf

        return render_pdf(analysis, engine.sources)
    if kind == "html":
        from trexreport.renderer.html import HtmlOptions, render_html

        return render_html(analysis, engine.sources, HtmlOptions(interactive_charts=False))
    if kind == "md":
        from trexreport.renderer.summary_markdown import render_summary_markdown

        return render_summary_markdown(analysis)
    from trexreport.renderer.json_document import render_json

    return render_json(analysis)


def _now() -> Any:
    """Return the time for the mail's head: a mail without one is taken for spam."""
    import datetime as dt

    fixed = os.environ.get("SOURCE_DATE_EPOCH", "")
    if fixed.isdecimal() and len(fixed) < 12:
        return dt.datetime.fromtimestamp(int(fixed), dt.timezone.utc)
    return dt.datetime.now(dt.timezone.utc)


def _kept(error: ToolFailedError, identifier: str, data: bytes) -> ToolFailedError:
    """Return the error with the place where the mail is kept."""
    import tempfile
    from pathlib import Path

    from trexreport.output import write_output

    name = f"trexreport-unsent-{identifier.strip('<>')[:12]}.eml"
    for folder in (Path.cwd(), Path(tempfile.gettempdir())):
        try:
            write_output(folder / name, data)
        except OutputError:
            continue
        return ToolFailedError(str(error), f"The mail is kept as {folder / name}.", error.details)
    return ToolFailedError(str(error), "The mail could not be kept either.", error.details)
