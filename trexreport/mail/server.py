"""The mail server, and the login for it."""

from __future__ import annotations

import os
import ssl
import stat
from dataclasses import field
from pathlib import Path

from trexreport.errors import InputError, UsageError
from trexreport.input_file import open_input, read_input
from trexreport.lazy_dataclass import dataclass
from trexreport.regex import regex

USER_VARIABLE, PASSWORD_VARIABLE = "TREXREPORT_SMTP_USER", "TREXREPORT_SMTP_PASSWORD"
_TLS_PORT, _SUBMISSION_PORT = 465, 587
_SERVER = regex(r"(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<host>[A-Za-z0-9._-]+))(?::(?P<port>\d{1,5}))?")
_MAX_LOGIN_BYTES = 4096
_OF_OTHERS = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True)
class Login:
    """User and password."""

    user: str
    password: str = field(repr=False)


@dataclass(frozen=True)
class MailServer:
    """The server that sends the mail.

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
    """Return the server that "host:port" means; port 465 uses TLS from the start, any other STARTTLS.

    Raises:
        UsageError: It is not a server, or a password would be sent without encryption.
        InputError: The file of certificates can't be used.
    """
    match = _SERVER.fullmatch(text.strip())
    port = int(match["port"] or _SUBMISSION_PORT) if match else 0
    if not match or not 0 < port < 65536:
        raise UsageError(
            f"--smtp: '{text[:80]}' is not a server.", "Write it as host:port, such as mail.example.com:587."
        )
    security = security or ("tls" if port == _TLS_PORT else "starttls")
    if security == "none" and login is not None:
        raise UsageError(
            "A password is not sent over an unencrypted connection.",
            "Leave out --smtp-security none, or the user and password.",
        )
    server = MailServer(match["six"] or match["host"], port, security, login, ca_file)
    if ca_file is not None:
        # A mistake in it is reported before a mail is made.
        tls_context(server)
    return server


def read_login(file: str | None) -> Login | None:
    """Return user and password from a file of two lines, else from the environment; None if neither has them.

    Raises:
        InputError: The file can't be read, or does not have two lines.
        UsageError: Only one of the two variables is set.
    """
    if file is not None:
        return _login_of_file(Path(file))
    user, password = os.environ.get(USER_VARIABLE, ""), os.environ.get(PASSWORD_VARIABLE, "")
    if bool(user) != bool(password):
        raise UsageError(
            f"Only one of {USER_VARIABLE} and {PASSWORD_VARIABLE} is set.", "Set both, or neither."
        )
    return Login(user, password) if user else None


def is_open_to_others(file: str) -> bool:
    """Whether other users of this machine can read or change a file; False if that is not known."""
    try:
        found = Path(file).stat()
    except (OSError, ValueError):
        return False
    return os.name == "posix" and stat.S_ISREG(found.st_mode) and bool(found.st_mode & _OF_OTHERS)


def _login_of_file(path: Path) -> Login:
    try:
        text = read_input(path, _MAX_LOGIN_BYTES).decode("utf-8-sig")
    except (OSError, ValueError) as error:
        raise InputError(f"{path} can't be read: {getattr(error, 'strerror', None) or 'no text'}.") from None
    # A password may contain other line separators.
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    if len(lines) != 2 or not all(lines):
        # The content of the file is not shown.
        raise InputError(
            f"{path} is not a login file.", "The first line must be the user, the second the password."
        )
    return Login(lines[0].strip(), lines[1])


def tls_context(server: MailServer) -> ssl.SSLContext:
    """Return how the server's certificate is checked.

    Raises:
        InputError: The file of certificates can't be used.
    """
    try:
        if server.ca_file:
            open_input(server.ca_file).close()
        return ssl.create_default_context(cafile=server.ca_file)
    except OSError as error:
        raise InputError(
            f"{server.ca_file} can't be used: {error.strerror or error}.",
            "Give a file of certificates in PEM format.",
        ) from None
