"""`trexreport extract`: the files that a report was made from."""

from __future__ import annotations

from pathlib import Path

import click

from trexreport.cli.options import force_option
from trexreport.errors import OutputError


@click.command()
@click.argument("report", metavar="REPORT")
@click.option(
    "-o", "--output", metavar="FOLDER", required=True, help="Where to put the files; made if need be."
)
@force_option
def extract(report: str, output: str, *, force: bool) -> None:
    """Give back the files that a report was made from, byte for byte."""
    from trexreport.numbers import format_bytes
    from trexreport.output import write_output
    from trexreport.reader.locate import extract_report

    capture = extract_report(Path(report))
    folder = Path(output)
    targets = {folder / source.name: source.data for source in capture.sources}
    taken = [path for path, data in targets.items() if path.exists() and path.read_bytes() != data]
    if taken and not force:
        raise OutputError(
            f"{taken[0]} exists with other content.", "Use --force to overwrite, or another folder."
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder} can't be made: {error.strerror}.") from None
    for path, data in targets.items():
        write_output(path, data, force=True)
        click.echo(f"Wrote {path} ({format_bytes(len(data))}).", err=True)
    for note in capture.notes:
        click.echo(f"  {note.severity}: {note.message}", err=True)
