"""What a mail says, as HTML that mail programs show and as plain text: `report_letter`, `render_letter`."""

from trexreport.renderer.mail.body import MailBody, render_letter
from trexreport.renderer.mail.letter import Letter, report_letter

__all__ = ["Letter", "MailBody", "render_letter", "report_letter"]
