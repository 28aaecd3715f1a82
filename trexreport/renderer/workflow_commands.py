"""Workflow commands of GitHub Actions, which become annotations of the run.

Source of the format: GitHub's documentation, "Workflow commands for GitHub Actions".
"""

from __future__ import annotations

from trexreport.visible import one_line


def workflow_command(kind: str, title: str, lines: list[str]) -> str:
    """Return one command: "error", "warning" or "notice"; its message may have several lines."""
    message = "\n".join(one_line(line) for line in lines)
    return f"::{kind} title={_property(one_line(title))}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
