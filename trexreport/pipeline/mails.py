"""The mail about an engine or a comparison: from what it is about to the message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from email.message import EmailMessage
from functools import partial

from trexreport.errors import UsageError
from trexreport.lazy_dataclass import dataclass
from trexreport.mail.message import AttachedFile, Envelope, build_message
from trexreport.model import InputWarning
from trexreport.pipeline.captures import CaptureInput
from trexreport.pipeline.comparisons import ComparisonInput
from trexreport.pipeline.phase_comparisons import ComparedSets
from trexreport.pipeline.phase_reports import analyze_phases
from trexreport.pipeline.phases import PhasesInput
from trexreport.pipeline.settings import Settings
from trexreport.renderer.attachments import Attachment, AttachmentSet, fit_attachments
from trexreport.renderer.html_options import HtmlOptions
from trexreport.renderer.mail import document as mails
from trexreport.renderer.variants import phases_variants, report_variants


@dataclass(frozen=True)
class MailContent:
    """What a mail is about.

    Attributes:
        stem: Of the names of attached files.
        document: Makes the text, given `subject`, `attached` and `left_out`.
        attachments: The reports to attach.
        notes: Name of each engine to what was missing or repaired in it; no name for a single engine.
    """

    stem: str
    document: Callable[..., mails.MailDocument]
    attachments: tuple[Attachment, ...]
    notes: tuple[tuple[str, tuple[InputWarning, ...]], ...]


@dataclass(frozen=True)
class BuiltMail:
    """A mail, its bytes, and what was left out of it."""

    message: EmailMessage
    data: bytes
    left_out: str


def engine_content(
    capture: CaptureInput, settings: Settings, kinds: Sequence[str], outputs: Sequence[str]
) -> MailContent:
    """Return the content of a mail about one engine.

    Args:
        capture: Of the engine.
        settings: Of its analysis.
        kinds: Of the reports to attach.
        outputs: Files that are written, which must not be inputs.
    """
    engine = capture.read(outputs)
    analysis = settings.analyze(engine)
    # Static charts, as a mail must be small.
    page = HtmlOptions(interactive_charts=False)
    return MailContent(
        f"{_file_name(engine.name)}.report",
        partial(mails.engine_mail, analysis),
        tuple(Attachment(kind, report_variants(kind, analysis, engine.sources, page)) for kind in kinds),
        (("", engine.notes),),
    )


def comparison_content(
    compared: ComparisonInput, settings: Settings, kinds: Sequence[str], outputs: Sequence[str]
) -> MailContent:
    """Return the content of a mail about several engines, or about one and what is not an engine.

    Args:
        compared: What is compared.
        settings: Of the analyses and verdicts.
        kinds: Of the documents to attach.
        outputs: Files that are written, which must not be inputs.
    """
    result = compared.compare(settings, kinds, outputs)
    names = [engine.name for engine in result.comparison.engines]
    return MailContent(
        f"{_file_name(names[result.shown])}.comparison",
        partial(mails.comparison_mail, result.comparison),
        tuple(Attachment(kind, result.variants(kind)) for kind in kinds),
        tuple(zip(names, result.notes, strict=True)),
    )


def phases_content(
    phases: PhasesInput, settings: Settings, kinds: Sequence[str], outputs: Sequence[str]
) -> MailContent:
    """Return the content of a mail about several phases.

    Args:
        phases: What they are read from.
        settings: Of their analyses.
        kinds: Of the reports to attach.
        outputs: Files that are written, which must not be inputs.
    """
    read = phases.read(outputs)
    report = analyze_phases(phases.title, read, settings)
    sources = [phase.engine.sources for phase in read]
    page = HtmlOptions(interactive_charts=False)
    return MailContent(
        f"{_file_name(phases.title)}.report",
        partial(mails.phases_mail, report),
        tuple(Attachment(kind, phases_variants(kind, report, sources, page)) for kind in kinds),
        tuple((phase.name, phase.engine.notes) for phase in read),
    )


def sets_content(compared: ComparedSets, kinds: Sequence[str]) -> MailContent:
    """Return the content of a mail about compared sets of phases."""
    names = compared.comparison.sets
    return MailContent(
        f"{_file_name(names[compared.shown])}.comparison",
        partial(mails.phase_comparison_mail, compared.comparison),
        tuple(Attachment(kind, compared.variants(kind)) for kind in kinds),
        (),
    )


def refuse_engine_options(capture: CaptureInput) -> None:
    """Raise if an option of a single engine is given where several are compared.

    Raises:
        UsageError: It is.
    """
    one = (capture.name, capture.optimization_profile, capture.log_run)
    if capture.files or any(each is not None for each in one):
        raise UsageError(
            "A file's role, --name, --profile and --log-run apply to one engine, and several are compared.",
            "Give the captures only.",
        )


def build_mail(content: MailContent, subject: str, envelope: Envelope, max_bytes: int | None) -> BuiltMail:
    """Return the mail with as much attached as fits.

    Args:
        content: What it is about.
        subject: Instead of the usual one; empty for that.
        envelope: Who sends it to whom.
        max_bytes: How large it may be; None for any size.

    Raises:
        UsageError: It does not fit even without any report.
    """

    def build(attached: AttachmentSet) -> tuple[BuiltMail, int]:
        files = [AttachedFile(f"{content.stem}.{kind}", kind, data) for kind, data in attached.files.items()]
        mail = content.document(
            subject=subject, attached=[each.name for each in files], left_out=attached.left_out
        )
        body = mails.render_mail(mail)
        message = build_message(envelope, mail.subject, body.html, body.text, files)
        data = message.as_bytes()
        return BuiltMail(message, data, attached.left_out), len(data)

    return fit_attachments(content.attachments, max_bytes, build)


def _file_name(name: str) -> str:
    """Return an engine's name for a file: mail programs handle long names and those beyond ASCII badly."""
    plain = "".join(each if each.isascii() and (each.isalnum() or each in "._-") else "-" for each in name)
    return plain[:60].strip(".-") or "engine"
