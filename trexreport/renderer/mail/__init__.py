"""What a mail says, as HTML that mail programs show and as plain text.

`report_letter` and `comparison_letter` say it, `render_letter` writes it, and `fit_enclosures` makes the
reports that go with it.
"""

from trexreport.renderer.mail.body import MailBody, render_letter
from trexreport.renderer.mail.comparison import comparison_letter
from trexreport.renderer.mail.document import MailDocument, report_letter
from trexreport.renderer.mail.enclosures import (
    KINDS,
    Enclosed,
    Enclosure,
    comparison_enclosures,
    fit_enclosures,
    report_enclosures,
)
from trexreport.renderer.mail.letter import Letter

__all__ = [
    "KINDS",
    "Enclosed",
    "Enclosure",
    "Letter",
    "MailBody",
    "MailDocument",
    "comparison_enclosures",
    "comparison_letter",
    "fit_enclosures",
    "render_letter",
    "report_enclosures",
    "report_letter",
]
