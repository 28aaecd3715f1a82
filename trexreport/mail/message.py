"""Build a mail: text, HTML and attachments. The same content at the same time gives the same bytes."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Sequence
from email.header import Header
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP, EmailPolicy
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any

from trexreport import __version__
from trexreport.errors import UsageError
from trexreport.lazy_dataclass import dataclass
from trexreport.mail.addresses import Mailbox

if TYPE_CHECKING:
    from datetime import datetime

_TYPES = {
    "html": ("text", "html"),
    "pdf": ("application", "pdf"),
    "md": ("text", "markdown"),
    "json": ("application", "json"),
}
_BOUNDARY_LENGTH = 32
_LONGEST_WORD = 60


class _Policy(EmailPolicy):
    """Folds a subject so that it is read as it was written.

    Python's own way puts a second space before a word beyond ASCII that begins a line.
    """

    def fold(self, name: str, value: Any) -> str:
        return _subject(value, self.linesep) if name.lower() == "subject" else super().fold(name, value)

    def fold_binary(self, name: str, value: Any) -> bytes:
        is_subject = name.lower() == "subject"
        return self.fold(name, value).encode("ascii") if is_subject else super().fold_binary(name, value)


def _subject(text: str, linesep: str) -> str:
    # A line of one word would be empty before it.
    is_plain = text.isascii() and all(len(word) < _LONGEST_WORD for word in text.split(" "))
    header = Header(str(text), "us-ascii" if is_plain else "utf-8", header_name="Subject")
    return f"Subject: {header.encode(linesep=linesep)}{linesep}"


_POLICY = _Policy(linesep=SMTP.linesep)


@dataclass(frozen=True)
class AttachedFile:
    """A file that goes with a mail; its kind is "html", "pdf", "md" or "json"."""

    name: str
    kind: str
    data: bytes


@dataclass(frozen=True)
class Envelope:
    """Who sends a mail to whom, and when."""

    sender: Mailbox
    to: Sequence[Mailbox]
    cc: Sequence[Mailbox]
    date: datetime


def check_header(text: str, option: str) -> str:
    """Return a text for a mail's header, or raise if it could end a line there.

    Raises:
        UsageError: It has control characters.
    """
    # Non-breaking spaces are harmless.
    if not all(each.isprintable() or unicodedata.category(each) == "Zs" for each in text):
        raise UsageError(f"{option} has a line break or another control character.", "Remove it.")
    return text


def build_message(
    envelope: Envelope, subject: str, html: str, text: str, attachments: Sequence[AttachedFile]
) -> EmailMessage:
    """Return the mail, with lines that end as SMTP wants them.

    Its Message-ID is made of its content: a mail that is sent again after a lost answer keeps it, so that
    servers and mail programs can recognize the copies.
    """
    message = EmailMessage(policy=_POLICY)
    message["User-Agent"] = f"trexreport {__version__}"
    message["From"] = _address(envelope.sender)
    message["To"] = [_address(each) for each in envelope.to]
    if envelope.cc:
        message["Cc"] = [_address(each) for each in envelope.cc]
    message["Subject"] = check_header(subject, "The subject")
    message["Date"] = format_datetime(envelope.date)
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(text, cte="quoted-printable")
    message.add_alternative(html, subtype="html", cte="quoted-printable")
    for each in attachments:
        main, sub = _TYPES[each.kind]
        message.add_attachment(each.data, maintype=main, subtype=sub, filename=each.name, cte="base64")
    digest = _digest(message, html, text, attachments)
    message["Message-ID"] = f"<{digest[:_BOUNDARY_LENGTH]}@{envelope.sender.domain}>"
    parts = [part for part in message.walk() if part.is_multipart()]
    for number, part in enumerate(parts):
        part.set_boundary(f"={number}={digest[-_BOUNDARY_LENGTH:]}=")
    return message


def _address(mailbox: Mailbox) -> Address:
    return Address(mailbox.name, mailbox.local, mailbox.domain)


def _digest(message: EmailMessage, html: str, text: str, attachments: Sequence[AttachedFile]) -> str:
    digest = hashlib.sha256()
    heads = [f"{name}: {value}" for name, value in message.items() if name != "Content-Type"]
    for part in (*heads, html, text, *(each.name for each in attachments)):
        digest.update(part.encode("utf-8", "surrogateescape") + b"\0")
    for each in attachments:
        digest.update(hashlib.sha256(each.data).digest())
    return digest.hexdigest()
