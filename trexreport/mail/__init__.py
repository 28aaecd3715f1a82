"""Build a mail and send it."""

from trexreport.mail.addresses import Mailbox, parse_mailboxes
from trexreport.mail.delivery import deliver
from trexreport.mail.message import AttachedFile, build_message, check_header
from trexreport.mail.server import Login, MailServer, is_open_to_others, parse_server, read_login

__all__ = [
    "AttachedFile",
    "Login",
    "MailServer",
    "Mailbox",
    "build_message",
    "check_header",
    "deliver",
    "is_open_to_others",
    "parse_mailboxes",
    "parse_server",
    "read_login",
]
