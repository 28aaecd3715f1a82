"""Send a mail: encrypted, with the server's certificate checked, and again if the server was busy."""

from __future__ import annotations

import base64
import contextlib
import smtplib
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from email.message import EmailMessage
from email.utils import getaddresses
from typing import Any

from trexreport.errors import ToolFailedError
from trexreport.mail.server import Login, MailServer, tls_context
from trexreport.visible import one_line

#: How long the server may send nothing, and how long all attempts together may take: a server that sends a
#: byte now and then could otherwise keep a connection open for ever.
_TIMEOUT_S = 30.0
_MAX_TOTAL_S = 900.0
#: Before the second, third and fourth attempt.
BACKOFF_S = (1.0, 4.0, 16.0)
#: How long the server may take to accept the mail itself. Source: RFC 5321, 4.5.3.2.6.
_DATA_TIMEOUT_S = 600.0
_LOGGED_IN = 235
#: What servers answer if a mail is larger than they accept. Sources: RFC 1870, RFC 5321.
_TOO_LARGE = (523, 552)
_MAX_LISTED = 5
#: The server hung up instead of agreeing on the encryption.
_BROKEN_OFF = (ssl.SSLEOFError, ssl.SSLZeroReturnError, ssl.SSLSyscallError)
#: A code with what the server says to it.
_Answer = tuple[int, bytes]


class _Timed(smtplib.SMTP):
    """A connection that ends when its time is up, however slowly the server sends."""

    def __init__(self, *arguments: Any, deadline: float, **options: Any) -> None:
        self._timer = threading.Timer(max(0.0, deadline - time.monotonic()), self._break_off)
        self._timer.daemon = True
        self._timer.start()
        try:
            super().__init__(*arguments, **options)
        except BaseException:
            self.close()
            raise

    def data(self, msg: Any) -> tuple[int, bytes]:
        """Send the mail itself, for all of which a socket has one time-out; servers also look at it first."""
        if self.sock is not None:
            self.sock.settimeout(_DATA_TIMEOUT_S)
        answer = super().data(msg)
        if self.sock is not None:
            self.sock.settimeout(_TIMEOUT_S)
        return answer

    def _break_off(self) -> None:
        # To close it would not wake the thread that reads, and TLS would want to say goodbye.
        if self.sock is not None:
            with contextlib.suppress(OSError):
                socket.socket.shutdown(self.sock, socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the connection."""
        self._timer.cancel()
        super().close()


class _TimedTls(_Timed, smtplib.SMTP_SSL):
    """The same, encrypted from the first byte."""


def deliver(
    message: EmailMessage,
    server: MailServer,
    *,
    wait: Callable[[float, str], object],
    max_total_s: float = _MAX_TOTAL_S,
) -> None:
    """Send a mail; a server that is busy, unreachable or breaks off is tried again, up to three times.

    If it accepts the mail for some recipients, it is sent again only to those for whom the server was busy.

    Args:
        message: The mail.
        server: Where it goes.
        wait: Called before another attempt with the seconds to wait, and with what went wrong, in a sentence.
        max_total_s: How long all attempts may take together.

    Raises:
        ToolFailedError: It was not sent, or not to all. A permanent refusal, a wrong password or certificate
            are not tried again.
        InputError: The file of certificates can't be used.
    """
    context = tls_context(server)
    deadline = time.monotonic() + max_total_s
    recipients = waiting = _recipients(message)
    refused: dict[str, _Answer] = {}
    for pause in (*BACKOFF_S, None):
        outcome = _attempt(message, waiting, server, context, deadline)
        if isinstance(outcome, Exception):
            failure = _failure(outcome, server, [each for each in recipients if each not in waiting])
            if pause is None or not _may_pass(outcome) or time.monotonic() + pause >= deadline:
                raise failure
        else:
            refused = {who: answer for who, answer in refused.items() if who not in waiting} | outcome
            waiting = [who for who, (code, _) in outcome.items() if _is_temporary(code)]
            if pause is None or not waiting:
                break
            failure = _refusal(refused, server, is_sent_to_others=len(refused) < len(recipients))
        wait(pause, str(failure))
    if refused:
        raise _refusal(refused, server, is_sent_to_others=len(refused) < len(recipients))


def _recipients(message: EmailMessage) -> list[str]:
    """Return the addresses of all recipients, each once."""
    fields = [str(value) for name in ("To", "Cc") for value in message.get_all(name, [])]
    return list(dict.fromkeys(address for _, address in getaddresses(fields)))


def _attempt(
    message: EmailMessage, to: Sequence[str], server: MailServer, context: ssl.SSLContext, deadline: float
) -> dict[str, _Answer] | Exception:
    """Send once; return who was refused, or why the server could not be asked."""
    try:
        return _send(message, to, server, context, deadline)
    except smtplib.SMTPRecipientsRefused as error:
        return error.recipients
    except (smtplib.SMTPException, OSError) as error:
        return error if time.monotonic() < deadline else TimeoutError("sending takes too long")


def _send(
    message: EmailMessage, to: Sequence[str], server: MailServer, context: ssl.SSLContext, deadline: float
) -> dict[str, _Answer]:
    kind = _TimedTls if server.security == "tls" else _Timed
    options = {"context": context} if server.security == "tls" else {}
    connection = kind(server.host, server.port, timeout=_TIMEOUT_S, deadline=deadline, **options)
    try:
        if server.security == "starttls":
            connection.starttls(context=context)
        if server.login:
            _log_in(connection, server.login)
        refused = connection.send_message(message, to_addrs=to)
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
    """Whether the same attempt may succeed a little later."""
    if isinstance(error, ssl.SSLError):
        return isinstance(error, _BROKEN_OFF)
    if isinstance(error, smtplib.SMTPResponseException):
        return _is_temporary(error.smtp_code)
    if isinstance(error, socket.gaierror):
        return error.errno != socket.EAI_NONAME
    # What the server does not support, such as STARTTLS, it will not support later.
    return not isinstance(error, smtplib.SMTPNotSupportedError)


def _is_temporary(code: int) -> bool:
    """Source: RFC 5321, 4.2.1. smtplib gives -1 for a connection that broke."""
    return code < 0 or 400 <= code < 500


def _failure(error: Exception, server: MailServer, sent_to: Sequence[str]) -> ToolFailedError:
    """Return why the mail was not sent; some recipients may have got it before the server broke off."""
    where = f"{server} did not accept the mail"
    if sent_to:
        where = f"{server} accepted the mail only for {_few(sent_to)}"
    if isinstance(error, ssl.SSLCertVerificationError):
        reason = error.verify_message or "it is not valid"
        return ToolFailedError(
            f"The certificate of {server} is not trusted: {one_line(str(reason)).rstrip('.')}.",
            "Check the name of the server; --smtp-ca names additional trusted certificates.",
        )
    if isinstance(error, ssl.SSLError) and not isinstance(error, _BROKEN_OFF):
        other = "starttls" if server.security == "tls" else "tls"
        reason = (error.reason or str(error)).replace("_", " ").lower()
        return ToolFailedError(
            f"The connection to {server} can't be encrypted: {one_line(reason).rstrip('.')}.",
            f"Try --smtp-security {other}.",
        )
    if isinstance(error, smtplib.SMTPAuthenticationError):
        return ToolFailedError(f"{server} refused user or password: {_answer_text(error.smtp_error, server)}")
    if isinstance(error, smtplib.SMTPResponseException):
        if error.smtp_code < 0:
            return ToolFailedError(f"{where}: its answers are not those of a mail server.")
        is_too_large = error.smtp_code in _TOO_LARGE
        hint = "If the mail is too large, make it smaller with --max-size." if is_too_large else ""
        return ToolFailedError(f"{where}: {error.smtp_code} {_answer_text(error.smtp_error, server)}", hint)
    if isinstance(error, smtplib.SMTPNotSupportedError):
        lacks_tls = "STARTTLS" in str(error)
        hint = "It may use TLS from the start: try --smtp-security tls." if lacks_tls else ""
        return ToolFailedError(f"{where}: {one_line(str(error)).rstrip('.')}.", hint)
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return ToolFailedError(f"{where}: {one_line(str(reason)).rstrip('.')}.")


def _refusal(
    refused: Mapping[str, _Answer], server: MailServer, *, is_sent_to_others: bool
) -> ToolFailedError:
    refusals = [
        f"{who}: {code} {_answer_text(reason, server)}" for who, (code, reason) in sorted(refused.items())
    ]
    if is_sent_to_others:
        return ToolFailedError(
            f"{server} refused some recipients: {_few(refusals, '; ')} The mail was sent to the others."
        )
    return ToolFailedError(f"{server} refused all recipients: {_few(refusals, '; ')}")


def _few(items: Sequence[str], between: str = ", ") -> str:
    more = len(items) - _MAX_LISTED
    return between.join(items[:_MAX_LISTED]) + (f"{between}and {more} more." if more > 0 else "")


def _answer_text(reason: bytes | str, server: MailServer) -> str:
    """Return a server's answer without the password, which some servers repeat in error messages."""
    text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
    if server.login is not None:
        for secret in _spellings(server.login):
            text = text.replace(secret, "…")
    return one_line(" ".join(text.split()))[:300].rstrip(".") + "."


def _spellings(login: Login) -> list[str]:
    """Return the password as it is sent; the longest first, as one may contain another."""
    secret = login.password.encode("utf-8", "surrogateescape")
    both = f"\0{login.user}\0".encode("utf-8", "surrogateescape") + secret
    packed = [base64.b64encode(each).decode("ascii") for each in (both, secret)]
    return [*packed, login.password]
