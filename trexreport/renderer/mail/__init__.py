"""What a mail says, as HTML that mail programs show and as plain text.

`report_letter` and `comparison_letter` say it, `render_letter` writes it.
"""

from trexreport.renderer.mail.body import MailBody, render_letter
from trexreport.renderer.mail.comparison import comparison_letter
from trexreport.renderer.mail.document import MailDocument, report_letter
from trexreport.renderer.mail.letter import Letter

__all__ = ["Letter", "MailBody", "MailDocument", "comparison_letter", "render_letter", "report_letter"]
