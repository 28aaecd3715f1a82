"""The program: `trexreport`, and `python -m trexreport`."""

from __future__ import annotations

import os
import signal


def _end(*_arguments: object) -> None:
    # Nothing has begun that must be cleaned up, and an exception would end in a traceback of imports.
    os._exit(130)


def run_program() -> None:
    """Run the command line; Ctrl-C ends it without a traceback, also while it is loaded."""
    # A shell may have started it with signals ignored.
    is_handled = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_handled:
        signal.signal(signal.SIGINT, _end)
    from trexreport import cli

    if is_handled:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    cli.run_program()


if __name__ == "__main__":
    run_program()
