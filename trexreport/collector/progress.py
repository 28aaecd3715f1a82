"""What the user sees while a capture is made."""

from __future__ import annotations


class Progress:
    """Shows nothing, and is the base of what shows something; a backend calls it in any case."""

    def begin(self, title: str) -> None:
        """Say that a run begins, such as "build"."""

    def advance(self, text: str, fraction: float | None = None) -> None:
        """Say what the run does, and how much of it is done (0 to 1), if that is known."""

    def line(self, text: str) -> None:
        """Show a line of the run's log to those who want to see it all."""

    def end(self, text: str) -> None:
        """Say in a few words how the run ended."""
