"""Write a mail as HTML that mail programs show, and as plain text."""

from __future__ import annotations

from trexreport.lazy_dataclass import dataclass
from trexreport.renderer.mail.document import MailDocument
from trexreport.renderer.short_document.fitting import fit
from trexreport.renderer.short_document.html import write_html
from trexreport.renderer.short_document.plain_text import write_plain_text

#: Gmail cuts a message at 102 kB.
MAX_HTML_BYTES = 100_000


@dataclass(frozen=True)
class MailBody:
    """The two forms of a mail's text."""

    html: str
    text: str


def render_mail(mail: MailDocument, max_bytes: int = MAX_HTML_BYTES) -> MailBody:
    """Return the mail in both forms, shortened until the HTML fits; it says how much is not shown."""
    document, page = fit(mail.document, lambda each: write_html(each, mail.subject), max_bytes)
    return MailBody(page, write_plain_text(document))
