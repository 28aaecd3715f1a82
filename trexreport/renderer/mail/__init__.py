"""What a mail says, as HTML that mail programs show and as plain text.

`report_letter` and `comparison_letter` compose it, and `render_letter` writes it.
"""

from trexreport.renderer.mail.body import MailBody, render_letter
from trexreport.renderer.mail.comparison import comparison_letter
from trexreport.renderer.mail.letter import Letter
from trexreport.renderer.mail.report import report_letter

__all__ = ["Letter", "MailBody", "comparison_letter", "render_letter", "report_letter"]
