"""The content of mails: a subject and a short document, as HTML that mail programs show and as plain text."""

from trexreport.renderer.mail.body import MailBody, render_mail
from trexreport.renderer.mail.document import MailDocument, comparison_mail, engine_mail

__all__ = ["MailBody", "MailDocument", "comparison_mail", "engine_mail", "render_mail"]
