"""What a collector shows while it works: on a terminal, in a log of CI, with --verbose and --quiet."""

from __future__ import annotations

import io
import sys

import pytest
from rich.console import Console
from rich.progress import Progress, TextColumn

from trexreport.cli.progress import Moving, Plain, open_progress
from trexreport.collector.backend import Progress as Silent


def play(progress):
    progress.begin("build")
    progress.advance("parsing the model")
    progress.line("a line of the log\x1b[31m")
    progress.advance("timing \x1b[31m[red]tactics[/red]", 0.25)
    progress.advance("timing \x1b[31m[red]tactics[/red]", 0.75)
    progress.end("build done")


def test_a_log_of_ci_gets_one_line_a_step(capsys):
    play(Plain(verbose=False))
    *steps, end = capsys.readouterr().err.splitlines()
    assert steps == ["build …", "build: parsing the model", "build: timing ␛[31m[red]tactics[/red]"]
    assert end.startswith("build done after 0.")


def test_verbose_shows_the_log_and_no_steps(capsys):
    play(Plain(verbose=True))
    assert capsys.readouterr().err.splitlines()[:2] == ["build …", "  a line of the log␛[31m"]


def test_quiet_shows_nothing(capsys):
    play(Silent())
    assert capsys.readouterr() == ("", "")


def test_a_terminal_gets_lines_that_move():
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=100, color_system=None)
    columns = (
        TextColumn("{task.description}", markup=False),
        TextColumn("{task.fields[doing]}", markup=False),
    )
    with Progress(*columns, console=console, auto_refresh=False) as bars:
        moving = Moving(bars)
        moving.advance("before anything has begun")
        moving.begin("build")
        moving.advance("[red]tactics[/red]\x1b[31m", 0.25)
        (task,) = bars.tasks
        assert (task.total, task.completed) == (1.0, 0.25)
        bars.refresh()
        moving.advance("of unknown length")
        assert (task.fields["doing"], task.completed) == ("of unknown length", 0.25)
        moving.end("build done")
        assert task.finished
        bars.refresh()
    assert "build [red]tactics[/red]␛[31m" in written.getvalue()
    assert "build done" in written.getvalue()


@pytest.mark.parametrize(
    ("quiet", "verbose", "terminal", "kind"),
    [
        (True, False, True, Silent),
        (False, True, True, Plain),
        (False, False, False, Plain),
        (False, False, True, Moving),
    ],
)
def test_which_of_them_is_chosen(monkeypatch, quiet, verbose, terminal, kind):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    with open_progress(quiet=quiet, verbose=verbose) as progress:
        assert type(progress) is kind
