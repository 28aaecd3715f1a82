"""What a mail is about, and how it is put together: one engine with its reports, or several."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from trexreport.cli.capture_options import CaptureChoice
from trexreport.cli.comparing import ComparisonOptions
from trexreport.cli.finding_options import FindingChoice
from trexreport.cli.messages import say_notes
from trexreport.cli.output_options import refuse_input_as_output
from trexreport.errors import UsageError

if TYPE_CHECKING:
    from email.message import EmailMessage

    from trexreport.renderer.mail import Enclosed, Enclosure, Letter, MailDocument


@dataclass(frozen=True)
class Matter:
    """What a mail is about.

    Attributes:
        stem: Of the names of attached files.
        letter: Makes the letter, told of `subject`, `attached` and `left_out`.
        enclosures: The reports that are to go with it.
        say_notes: Says what was missing or repaired.
    """

    stem: str
    letter: Callable[..., Letter | MailDocument]
    enclosures: tuple[Enclosure, ...]
    say_notes: Callable[[], None]


@dataclass(frozen=True)
class Composed:
    """A mail, its bytes, and what was left out of it."""

    message: EmailMessage
    data: bytes
    left_out: str


def engine_matter(
    capture: CaptureChoice,
    findings: FindingChoice,
    comparing: ComparisonOptions,
    kinds: dict[str, None],
    eml: str | None,
) -> Matter:
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
    return Matter(
        f"{_plain(engine.name)}.report",
        partial(report_letter, analysis),
        report_enclosures(analysis, engine.sources, tuple(kinds)),
        partial(say_notes, engine.notes),
    )


def comparison_matter(
    capture: CaptureChoice,
    findings: FindingChoice,
    comparing: ComparisonOptions,
    kinds: dict[str, None],
    eml: str | None,
) -> Matter:
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
    return Matter(
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


def compose(matter: Matter, subject: str, headed: dict[str, Any], enclosed: Enclosed) -> tuple[Composed, int]:
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
    return Composed(message, data, enclosed.left_out), len(data)


def _plain(name: str) -> str:
    """Return the name of an engine for a file; those beyond ASCII and long ones are a trial for programs."""
    plain = "".join(each if each.isascii() and (each.isalnum() or each in "._-") else "-" for each in name)
    return plain[:60].strip(".-") or "engine"
