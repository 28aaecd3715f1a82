"""Hand a mail to a server: encrypted, with the server's certificate checked, and again if it was busy."""

from __future__ import annotations

import base64
import os
import re
import smtplib
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.message import EmailMessage
from pathlib import Path

from trexreport.errors import InputError, ToolFailedError, UsageError
from trexreport.visible import one_line

SERVER_VARIABLE = "TREXREPORT_SMTP"
USER_VARIABLE, PASSWORD_VARIABLE = "TREXREPORT_SMTP_USER", "TREXREPORT_SMTP_PASSWORD"
SECURITIES = ("starttls", "tls", "none")
_TLS_PORT, _SUBMISSION_PORT = 465, 587
_TIMEOUT_S = 30.0
#: Before the second, third and fourth attempt.
BACKOFF_S = (1.0, 4.0, 16.0)
_SERVER = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<host>[A-Za-z0-9._-]+))(?::(?P<port>\d{1,5}))?")
_LARGEST_LOGIN_BYTES = 4096
_LOGGED_IN = 235


@dataclass(frozen=True)
class Login:
    """Who sends."""

    user: str
    password: str = field(repr=False)


@dataclass(frozen=True)
class MailServer:
    """Where mail goes.

    Attributes:
        security: "starttls", "tls" (from the first byte) or "none".
        ca_file: Certificates to trust instead of the system's.
    """

    host: str
    port: int
    security: str
    login: Login | None = None
    ca_file: str | None = None

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


def parse_server(text: str, security: str | None, login: Login | None, ca_file: str | None) -> MailServer:
    """Return the server that "host:port" means; port 465 speaks TLS at once, any other after STARTTLS.

    Raises:
        UsageError: It is no server, or a password would go over an open line.
    """
    match = _SERVER.fullmatch(text.strip())
    port = int(match["port"] or _SUBMISSION_PORT) if match else 0
    if not match or not 0 < port < 65536:
        raise UsageError(
            f"--smtp: '{text[:80]}' is no server.", "Write it as host:port, such as mail.example.com:587."
        )
    security = security or ("tls" if port == _TLS_PORT else "starttls")
    if security == "none" and login is not None:
        raise UsageError(
            "A password does not go over a line that is not encrypted.",
            "Leave out --smtp-security none, or the user and password.",
        )
    return MailServer(match["six"] or match["host"], port, security, login, ca_file)


def read_login(file: str | None, environment: Mapping[str, str] | None = None) -> Login | None:
    """Return user and password from a file of two lines, else from the environment; None if neither has them.

    Raises:
        InputError: The file can't be read or is none of two lines.
        UsageError: Only one of the two variables is set.
    """
    if file is not None:
        return _login_of_file(Path(file))
    known = os.environ if environment is None else environment
    user, password = known.get(USER_VARIABLE, ""), known.get(PASSWORD_VARIABLE, "")
    if bool(user) != bool(password):
        raise UsageError(
            f"Only one of {USER_VARIABLE} and {PASSWORD_VARIABLE} is set.", "Set both, or neither."
        )
    return Login(user, password) if user else None


def _login_of_file(path: Path) -> Login:
    try:
        with path.open("rb") as file:
            text = file.read(_LARGEST_LOGIN_BYTES).decode("utf-8")
    except (OSError, ValueError) as error:
        raise InputError(f"{path} can't be read: {getattr(error, 'strerror', None) or 'no text'}.") from None
    lines = text.splitlines()
    if len(lines) != 2 or not all(lines):
        # What the file holds is not shown.
        raise InputError(f"{path} is no login.", "Its first line is the user, its second the password.")
    return Login(lines[0].strip(), lines[1])


def deliver(
    message: EmailMessage, server: MailServer, *, wait: Callable[[float], object] = time.sleep
) -> None:
    """Send a mail; a server that is busy, out of reach or breaks off is tried again, three times at most.

    Raises:
        ToolFailedError: It was not sent, or not to all. A refusal for good, a wrong password or certificate
            are not tried again.
        InputError: The file of certificates can't be used.
    """
    context = _context(server)
    for pause in (*BACKOFF_S, None):
        outcome = _attempt(message, server, context)
        if isinstance(outcome, dict):
            if outcome:
                raise _refusal(outcome, server)
            return
        if pause is None or not _may_pass(outcome):
            raise _failure(outcome, server)
        wait(pause)


def _context(server: MailServer) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=server.ca_file)
    except OSError as error:
        raise InputError(
            f"{server.ca_file} can't be used: {error.strerror or error}.",
            "Give a file of certificates in PEM.",
        ) from None


def _attempt(
    message: EmailMessage, server: MailServer, context: ssl.SSLContext
) -> dict[str, tuple[int, bytes]] | Exception:
    """Send once; return who was refused while others were not, or why it was not sent at all."""
    try:
        return _send(message, server, context)
    except (smtplib.SMTPException, OSError) as error:
        return error


def _send(message: EmailMessage, server: MailServer, context: ssl.SSLContext) -> dict[str, tuple[int, bytes]]:
    if server.security == "tls":
        connection: smtplib.SMTP = smtplib.SMTP_SSL(
            server.host, server.port, timeout=_TIMEOUT_S, context=context
        )
    else:
        connection = smtplib.SMTP(server.host, server.port, timeout=_TIMEOUT_S)
    try:
        if server.security == "starttls":
            connection.starttls(context=context)
        if server.login:
            _log_in(connection, server.login)
        refused = connection.send_message(message)
    except BaseException:
        connection.close()
        raise
    # It was accepted: how the conversation ends does not matter.
    _part_from(connection)
    return refused


def _log_in(connection: smtplib.SMTP, login: Login) -> None:
    if (login.user + login.password).isascii():
        connection.login(login.user, login.password)
        return
    # smtplib encodes ASCII only. Source of the form: RFC 4616, which has UTF-8.
    connection.ehlo_or_helo_if_needed()
    secret = base64.b64encode(f"\0{login.user}\0{login.password}".encode("utf-8", "surrogateescape"))
    code, answer = connection.docmd("AUTH", f"PLAIN {secret.decode('ascii')}")
    if code != _LOGGED_IN:
        raise smtplib.SMTPAuthenticationError(code, answer)


def _part_from(connection: smtplib.SMTP) -> None:
    try:
        connection.quit()
    except (smtplib.SMTPException, OSError):
        connection.close()


def _may_pass(error: Exception) -> bool:
    """Tell whether the same attempt may succeed a little later."""
    if isinstance(error, ssl.SSLError):
        return False
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return all(_is_temporary(code) for code, _ in error.recipients.values())
    if isinstance(error, smtplib.SMTPResponseException):
        return _is_temporary(error.smtp_code)
    # What the server can't do, such as STARTTLS, it will not learn.
    return not isinstance(error, smtplib.SMTPNotSupportedError)


def _is_temporary(code: int) -> bool:
    """Source: RFC 5321, 4.2.1. smtplib gives -1 for a connection that broke."""
    return code < 0 or 400 <= code < 500


def _failure(error: Exception, server: MailServer) -> ToolFailedError:
    where = f"{server} did not take the mail"
    if isinstance(error, ssl.SSLCertVerificationError):
        reason = error.verify_message or "it does not fit"
        return ToolFailedError(
            f"The certificate of {server} is not to be trusted: {one_line(str(reason)).rstrip('.')}.",
            "Check the name of the server; --smtp-ca names certificates of your own.",
        )
    if isinstance(error, smtplib.SMTPAuthenticationError):
        return ToolFailedError(f"{server} refused user or password: {_told(error.smtp_error)}")
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return _refusal(error.recipients, server)
    if isinstance(error, smtplib.SMTPResponseException):
        return ToolFailedError(f"{where}: {error.smtp_code} {_told(error.smtp_error)}")
    if isinstance(error, smtplib.SMTPNotSupportedError):
        lacks_tls = "STARTTLS" in str(error)
        hint = "It may speak TLS from the first byte: --smtp-security tls." if lacks_tls else ""
        return ToolFailedError(f"{where}: {one_line(str(error)).rstrip('.')}.", hint)
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return ToolFailedError(f"{where}: {one_line(str(reason)).rstrip('.')}.")


def _refusal(refused: Mapping[str, tuple[int, bytes]], server: MailServer) -> ToolFailedError:
    told = "; ".join(f"{who}: {code} {_told(reason)}" for who, (code, reason) in sorted(refused.items()))
    return ToolFailedError(
        f"{server} refused some of those it was for: {told}", "It was sent to the others, if any."
    )


def _told(reason: bytes | str) -> str:
    text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
    return one_line(" ".join(text.split()))[:300].rstrip(".") + "."
