"""A real mail server on the loopback, with TLS and authentication as a test wants them."""

from __future__ import annotations

import socket
import ssl
from dataclasses import dataclass, field

import pytest


@dataclass
class Received:
    """What a server was given.

    Attributes:
        answers: What it says to each message in turn; accepted once they are used up.
        attempts: How many messages came to their end.
    """

    messages: list = field(default_factory=list)
    answers: list = field(default_factory=list)
    refused: dict = field(default_factory=dict)
    attempts: int = 0

    async def handle_RCPT(self, server, session, envelope, address, options):  # noqa: ARG002, N802 - aiosmtpd's way
        if address in self.refused:
            return self.refused[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):  # noqa: ARG002, N802 - aiosmtpd's way
        self.attempts += 1
        answer = self.answers.pop(0) if self.answers else "250 OK"
        if answer == "hang up":
            server.transport.abort()
            return "421 gone"
        if answer.startswith("250"):
            self.messages.append((envelope.mail_from, list(envelope.rcpt_tos), envelope.original_content))
        return answer


@dataclass
class Running:
    """A server that runs: where, and what it got."""

    host: str
    port: int
    received: Received

    @property
    def address(self):
        return f"{self.host}:{self.port}"


@pytest.fixture(scope="session")
def authority():
    trustme = pytest.importorskip("trustme")
    return trustme.CA()


@pytest.fixture(scope="session")
def ca_file(authority, tmp_path_factory):
    path = tmp_path_factory.mktemp("ca") / "ca.pem"
    authority.cert_pem.write_to_path(path)
    return path


def server_context(authority, name):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(name).configure_cert(context)
    return context


def run_server(handler, **options):
    """Return a controller whose server runs on a free port."""
    controller_module = pytest.importorskip("aiosmtpd.controller")

    class Controller(controller_module.Controller):
        def _trigger_server(self):
            # Its own way would not trust the certificate; all it needs is a connection.
            with socket.create_connection((self.hostname, self.port), 5) as plain:
                if self.ssl_context:
                    context = ssl.create_default_context()
                    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
                    context.wrap_socket(plain).close()

    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    controller = Controller(handler, hostname="127.0.0.1", port=port, server_hostname="test", **options)
    controller.start()
    return controller


@pytest.fixture
def serve(authority):
    """Return a function that starts a server; "tls" from the first byte, "starttls" required, or "none"."""
    smtp = pytest.importorskip("aiosmtpd.smtp")
    controllers = []

    def start(security="starttls", *, name="127.0.0.1", user=None, password=None, **options):
        received = Received()

        def authenticate(server, session, envelope, mechanism, data):
            right = (data.login, data.password) == (user.encode(), password.encode())
            return smtp.AuthResult(success=right, handled=False)

        context = server_context(authority, name) if security != "none" else None
        if security == "tls":
            options["ssl_context"] = context
        elif security == "starttls":
            options |= {"tls_context": context, "require_starttls": True}
        if user:
            options |= {"authenticator": authenticate, "auth_required": True}
            options["auth_require_tls"] = security != "tls"
        controller = run_server(received, **options)
        controllers.append(controller)
        return Running("127.0.0.1", controller.port, received)

    yield start
    for controller in controllers:
        controller.stop(no_assert=True)
