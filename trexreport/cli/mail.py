"""`trexreport mail`: the summary of an engine or of a comparison as a mail, with reports attached."""

from __future__ import annotations

import datetime as dt
import os
import shlex
from typing import TYPE_CHECKING, Any

import click

from trexreport.cli.capture_options import capture_options, phase_options
from trexreport.cli.command import Command
from trexreport.cli.comparison_options import comparison_options
from trexreport.cli.messages import say, say_notes, say_written
from trexreport.cli.output_options import force_option, max_size_option
from trexreport.cli.settings_options import settings_options
from trexreport.cli.values import words_of
from trexreport.errors import OutputError, ToolFailedError, UsageError

if TYPE_CHECKING:
    from trexreport.mail.message import Envelope
    from trexreport.mail.server import MailServer
    from trexreport.pipeline.captures import CaptureInput
    from trexreport.pipeline.comparisons import ComparisonOptions
    from trexreport.pipeline.mails import BuiltMail, MailContent
    from trexreport.pipeline.settings import Settings

# The same as `KINDS` of the renderer, which is not imported for the help.
_KINDS = ("pdf", "html", "md", "json")


@click.command(cls=Command, short_help="Mail a summary, with reports attached.")
@capture_options
@phase_options
@click.option("--to", multiple=True, required=True, metavar="ADDRESS,...", help="Recipients.")
@click.option("--cc", multiple=True, metavar="ADDRESS,...", help="Recipients of a copy.")
@click.option("--from", "sender", envvar="TREXREPORT_MAIL_FROM", metavar="ADDRESS", help="The sender.")
@click.option(
    "--subject",
    default="",
    show_default=False,
    metavar="TEXT",
    help="The subject, instead of the engine's name and latency.",
)
@click.option(
    "--attach",
    "kinds",
    default="",
    show_default=False,
    metavar="KINDS",
    callback=words_of(_KINDS),
    help=f"Reports to attach: {', '.join(_KINDS)}.",
)
@max_size_option
@click.option("--smtp", envvar="TREXREPORT_SMTP", metavar="HOST:PORT", help="The mail server.")
@click.option(
    "--smtp-security",
    type=click.Choice(["starttls", "tls", "none"]),
    help="How the connection is encrypted.  [default: tls on port 465, else starttls]",
)
@click.option("--smtp-ca", metavar="FILE", help="Trusted certificates, instead of the system's.")
@click.option(
    "--smtp-login",
    metavar="FILE",
    help="File with user and password on separate lines, instead of the environment.",
)
@click.option("--eml", metavar="FILE", help="Write the mail to a file, .eml, instead of sending it.")
@force_option
@comparison_options
@settings_options
def mail(
    capture: CaptureInput,
    settings: Settings,
    comparing: ComparisonOptions,
    *,
    phase: tuple[str, ...],
    times: tuple[str, ...],
    subject: str,
    kinds: tuple[str, ...],
    max_bytes: int | None,
    eml: str | None,
    force: bool,
    **addressed: Any,
) -> None:
    """Mail the summary of an engine or of several phases, with the report attached if --attach is given.

    For several captures, or with --baseline-latency, the mail summarizes their comparison.

    User and password are in TREXREPORT_SMTP_USER and TREXREPORT_SMTP_PASSWORD, or in the file that
    --smtp-login names; they are never given on the command line. A mail that can't be sent is saved as
    a file.
    """
    from trexreport.mail.message import check_header
    from trexreport.numbers import format_bytes
    from trexreport.output import check_output, write_output
    from trexreport.pipeline.mails import build_mail
    from trexreport.pipeline.reports import check_tools

    check_header(subject, "--subject")
    envelope = _envelope(addressed)
    server = _server(addressed, eml)
    if eml is not None:
        check_output(eml, force=force)
    check_tools(kinds)
    content = _content(
        capture, settings, comparing, tuple(dict.fromkeys(kinds)), eml, phase=phase, times=times
    )
    built = build_mail(content, subject, envelope, max_bytes)
    if server is None:
        write_output(eml or "-", built.data, force=force)
        say_written(eml or "-", len(built.data))
    else:
        _send(built, server)
        addresses = ", ".join(each.address for each in (*envelope.to, *envelope.cc))
        say(f"Sent to {addresses} ({format_bytes(len(built.data))}).")
    if built.left_out:
        say(f"  {built.left_out}")
    for name, notes in content.notes:
        say_notes(notes, of=name)


def _content(
    capture: CaptureInput,
    settings: Settings,
    comparing: ComparisonOptions,
    kinds: tuple[str, ...],
    eml: str | None,
    *,
    phase: tuple[str, ...],
    times: tuple[str, ...],
) -> MailContent:
    """Return what the mail is about: one engine, several phases, or a comparison of either."""
    from trexreport.pipeline.mails import (
        comparison_content,
        engine_content,
        phases_content,
        refuse_engine_options,
        sets_content,
    )
    from trexreport.pipeline.phase_comparisons import choose_sets, compare_sets
    from trexreport.pipeline.phases import PhasesInput, choose_engines
    from trexreport.reader import is_capture

    outputs = [] if eml is None else [eml]
    sets = choose_sets(capture.paths, capture.redaction) if len(capture.paths) > 1 else None
    if sets is not None:
        refuse_engine_options(capture)
        if phase:
            raise UsageError("--phase chooses of one set, and several are compared.", "Leave it out.")
        return sets_content(
            compare_sets(sets, comparing, times, settings, kinds=kinds, outputs=outputs), kinds
        )
    if comparing.latencies or sum(map(is_capture, capture.paths)) > 1:
        refuse_engine_options(capture)
        compared = comparing.choose(capture.paths, capture.redaction)
        return comparison_content(compared, settings, kinds, outputs)
    if comparing.is_given:
        raise UsageError(
            "--baseline, --minimum-effect, --assumed-run-spread, --runs and --focus apply to a comparison.",
            "Give two captures or more.",
        )
    chosen = choose_engines(capture, phase, times)
    if isinstance(chosen, PhasesInput):
        return phases_content(chosen, settings, kinds, outputs)
    return engine_content(chosen, settings, kinds, outputs)


def _envelope(addressed: dict[str, Any]) -> Envelope:
    """Return who sends the mail to whom, and when."""
    from trexreport.mail.addresses import parse_mailboxes
    from trexreport.mail.message import Envelope

    people = {option: parse_mailboxes(addressed[option], f"--{option}") for option in ("to", "cc")}
    senders = parse_mailboxes([addressed["sender"]] if addressed["sender"] else [], "--from")
    if not people["to"]:
        raise UsageError("The mail has no recipient.", "Give --to name@example.com.")
    if len(senders) != 1:
        raise UsageError(
            f"The mail has {'several senders' if senders else 'no sender'}.",
            "Give --from name@example.com, or set TREXREPORT_MAIL_FROM.",
        )
    return Envelope(senders[0], people["to"], people["cc"], _now())


def _server(addressed: dict[str, Any], eml: str | None) -> MailServer | None:
    """Return where the mail goes, or None if it goes to a file."""
    from trexreport.mail.server import is_open_to_others, parse_server, read_login

    if eml is not None:
        # The variable may be set all the same.
        return None
    if not addressed["smtp"]:
        raise UsageError("There is no mail server.", "Give --smtp HOST:PORT, or --eml FILE.")
    file = addressed["smtp_login"]
    login = read_login(file)
    if file is not None and is_open_to_others(file):
        keep = f"chmod 600 {shlex.quote(file)}"
        say(f"  warning: Other users of this machine can read or change {file}. To prevent that: {keep}")
    return parse_server(addressed["smtp"], addressed["smtp_security"], login, addressed["smtp_ca"])


def _send(mail: BuiltMail, server: MailServer) -> None:
    """Send the mail; save it as a file if that fails."""
    from trexreport.mail.delivery import deliver

    try:
        deliver(mail.message, server, wait=_wait)
    except ToolFailedError as error:
        where = _kept(mail.message["Message-ID"], mail.data)
        raise ToolFailedError(str(error), where, error.details) from None
    except KeyboardInterrupt:
        say(_kept(mail.message["Message-ID"], mail.data))
        raise


def _wait(pause_s: float, reason: str) -> None:
    import time

    say(f"  {reason} Next attempt in {pause_s:g} s.")
    time.sleep(pause_s)


def _now() -> dt.datetime:
    """Return the time for the mail's header: a mail without one is taken for spam."""
    fixed = os.environ.get("SOURCE_DATE_EPOCH", "")
    if fixed.isdecimal() and len(fixed) < 12:
        return dt.datetime.fromtimestamp(int(fixed), dt.timezone.utc)
    return dt.datetime.now(dt.timezone.utc)


def _kept(identifier: str, data: bytes) -> str:
    """Save a mail that was not sent, and return a sentence that says where."""
    import tempfile
    from pathlib import Path

    from trexreport.output import write_output

    name = f"trexreport-unsent-{identifier.strip('<>')[:12]}.eml"
    for folder in (Path.cwd(), Path(tempfile.gettempdir())):
        try:
            write_output(folder / name, data)
        except OutputError:
            continue
        return f"The mail is saved as {folder / name}."
    return "The mail could not be saved either."
