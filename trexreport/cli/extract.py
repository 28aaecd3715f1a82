"""`trexreport extract`: the input files of a report, or the files of an archive."""

from __future__ import annotations

from pathlib import Path

import click

from trexreport.cli.command import Command
from trexreport.cli.messages import say_notes, say_written
from trexreport.cli.output_options import folder_option, force_option


@click.command(cls=Command, short_help="Extract the input files of a report or an archive.")
@click.argument("report", metavar="REPORT|ARCHIVE")
@folder_option("The folder for the files")
@force_option
def extract(report: str, output: str, *, force: bool) -> None:
    """Extract the input files of a report, or the files of an archive, byte for byte.

    The files of several phases go to one folder per phase, with the list that makes them a set, and those of
    a comparison in PDF to one per engine. Nothing is written if a file was changed.
    """
    from trexreport.archive import extract_archive
    from trexreport.output import write_files
    from trexreport.reader.marks import is_archive_file
    from trexreport.reader.phase_list import LIST_NAME
    from trexreport.reader.report_file import extract_report, extracted_list

    if is_archive_file(Path(report)):
        for path, size in extract_archive(Path(report), Path(output), force=force).items():
            say_written(path, size)
        return
    captures = extract_report(Path(report))
    files = {
        f"{folder}/{source.name}" if folder else source.name: source.data
        for folder, capture in captures.items()
        for source in capture.sources
    }
    if (list_ := extracted_list(Path(report), list(captures))) is not None:
        files[LIST_NAME] = list_
    for path, data in zip(write_files(output, files, force=force), files.values(), strict=True):
        say_written(path, len(data))
    for folder, capture in captures.items():
        say_notes(capture.notes, of=folder)
