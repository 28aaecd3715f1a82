"""`trexreport site`: one static site of many captures and reports."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from trexreport.cli.capture_options import redact_option
from trexreport.cli.command import Command
from trexreport.cli.messages import say
from trexreport.cli.output_options import charts_option, folder_option, quiet_option
from trexreport.cli.settings_options import settings_options
from trexreport.errors import InputError, UsageError
from trexreport.numbers import counted

if TYPE_CHECKING:
    from trexreport.pipeline.settings import Settings
    from trexreport.redaction.kinds import Redaction
    from trexreport.site.contents import Site
    from trexreport.site.entries import Failure
    from trexreport.site.workers import Progress

#: Failures and regressions that are printed one by one; the index lists all.
_MAX_PRINTED = 20


@click.command(cls=Command, short_help="Make a static site of all captures in folders.")
@click.argument("folders", nargs=-1, metavar="FOLDER...")
@folder_option("The site's folder")
@click.option("--title", default="", show_default=False, help="Title of the index.")
@charts_option("static", "Interactive charts make each engine's page about 2 MB larger.")
@click.option(
    "--compare",
    type=click.Choice(["none", "steps", "previous"]),
    default="steps",
    help="Which runs get a page that compares them with the previous run: none, changes of the time, or all.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Number of parallel processes.  [default: one per core]",
)
@click.option("--dask", metavar="ADDRESS", help="Use a Dask cluster instead, such as tcp://host:8786.")
@redact_option
@click.option("--strict", is_flag=True, help="Exit with 3 if a capture can't be read.")
@quiet_option
@click.option("--force", is_flag=True, help="Write into a folder with other files.")
@settings_options
def site(
    folders: tuple[str, ...],
    settings: Settings,
    *,
    output: str,
    title: str,
    interactive_charts: bool,
    compare: str,
    jobs: int | None,
    dask: str | None,
    redaction: Redaction | None,
    strict: bool,
    quiet: bool,
    force: bool,
) -> None:
    """Make a static site of all captures and reports in FOLDERs and their subfolders.

    It has an index to search and filter, a page for each engine, the history of each model on each GPU with
    its regressions, and comparisons of any two engines. It needs no server. Only pages of new or changed
    captures are made again. FOLDERs and the output may be URLs, such as s3://bucket/captures.
    """
    from trexreport.site.build import SiteOptions, build_site
    from trexreport.site.folders import local_path, open_inputs, open_output
    from trexreport.site.jobs import PageOptions
    from trexreport.site.workers import open_workers, usable_cores

    if not folders:
        raise UsageError("There are no folders to read.", "Give folders with captures or reports.")
    if dask is not None and jobs is not None:
        raise UsageError(
            "--jobs and --dask contradict each other.", "The cluster has its own number of workers."
        )
    _refuse_site_around_inputs([local_path(folder) for folder in folders], local_path(output))
    page = PageOptions(interactive_charts, settings.portable(), redaction)
    options = SiteOptions(page, title, compare, force)
    inputs = open_inputs(folders)
    with open_workers(jobs or usable_cores(), dask) as workers, _progress(quiet=quiet) as progress:
        made = build_site(inputs, open_output(output), options, workers, progress)
    if strict or not quiet:
        _print_failures(made.failures)
    if not quiet:
        _print_result(made, output)
    if strict and made.failures:
        raise InputError(f"{counted(len(made.failures), 'capture')} can't be read.", "See above.")


def _refuse_site_around_inputs(folders: Sequence[str], output: str) -> None:
    """Raise if the captures are inside of the site, where the next run would not look for them."""
    from trexreport.urls import without_secrets

    site_path = os.path.realpath(output)
    for folder in folders:
        if f"{os.path.realpath(folder)}/".startswith(f"{site_path}/"):
            raise UsageError(
                f"{without_secrets(folder)} is inside of {without_secrets(output)}, or the same folder.",
                "Choose another folder for the site.",
            )


def _print_failures(failures: Sequence[Failure]) -> None:
    for failure in failures[:_MAX_PRINTED]:
        say(f"  failed: {failure.origin}: {failure.error}")
    if len(failures) > _MAX_PRINTED:
        say(f"  and {len(failures) - _MAX_PRINTED} more, which the index lists")


def _print_result(made: Site, output: str) -> None:
    from trexreport.site.history import steps_of
    from trexreport.urls import without_secrets
    from trexreport.visible import one_line
    from trexreport.wording.site import step_sentence

    slower = [step for step in steps_of(made.histories) if step.run.mark.direction == "slower"]
    for step in slower[:_MAX_PRINTED]:
        say(f"  {one_line(step_sentence(step))}")
    if len(slower) > _MAX_PRINTED:
        say(f"  and {len(slower) - _MAX_PRINTED} more, which the index lists")
    parts = [counted(len(made.entries), "engine"), f"{counted(made.made, 'page')} made"]
    parts += [f"{made.removed} removed"] if made.removed else []
    parts += [f"{len(made.failures)} failed"] if made.failures else []
    parts += [counted(len(slower), "regression")] if slower else []
    say(f"Wrote {without_secrets(output).rstrip('/')}/index.html ({', '.join(parts)}).")


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Progress]:
    """Yield what shows the progress: a bar on a terminal, a line for each tenth elsewhere."""
    if quiet:
        yield lambda *_: None
    elif not sys.stderr.isatty():
        yield _Tenths().show
    else:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        with Progress(
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.description}", markup=False),
            console=Console(stderr=True),
        ) as bars:
            task = bars.add_task("", total=None)

            def show(done: int, total: int, name: str) -> None:
                from trexreport.visible import one_line

                bars.update(task, completed=done, total=total, description=one_line(name)[-60:])

            yield show


class _Tenths:
    """Prints the progress in logs of CI systems, up to ten times."""

    def __init__(self) -> None:
        self._printed_tenths = 0

    def show(self, done: int, total: int, name: str) -> None:
        """Print how many of how many are done, if that is another tenth of them."""
        del name
        tenth = 10 * done // total
        if tenth > self._printed_tenths and total >= 10:
            say(f"{done} of {total}")
        self._printed_tenths = tenth
