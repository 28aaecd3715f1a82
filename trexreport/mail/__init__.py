"""Make a mail of a report and hand it to a server."""

from trexreport.mail.addresses import Mailbox, parse_mailboxes
from trexreport.mail.delivery import Login, MailServer, deliver, parse_server, read_login
from trexreport.mail.message import Attachment, build_message, check_header

__all__ = [
    "Attachment",
    "Login",
    "MailServer",
    "Mailbox",
    "build_message",
    "check_header",
    "deliver",
    "parse_mailboxes",
    "parse_server",
    "read_login",
]
