"""`trexreport export`: the layers as a table."""

from __future__ import annotations

from pathlib import Path

import click

from trexreport.cli.options import CaptureChoice, capture_options, force_option, output_option
from trexreport.errors import UsageError

_KINDS = ("csv", "json", "parquet", "xlsx")


@click.command()
@capture_options
@output_option("layers.csv", "The table: .csv, .json, .parquet or .xlsx; - for CSV on standard output.")
@force_option
def export(capture: CaptureChoice, output: str, *, force: bool) -> None:
    """Write the layers of an engine as a table, one row a layer."""
    from trexreport.analyzer import analyze
    from trexreport.cli.report import tell
    from trexreport.output import write_output
    from trexreport.renderer.export import export_layers

    kind = "csv" if output == "-" else Path(output).suffix.lower().lstrip(".")
    if kind not in _KINDS:
        known = ", ".join(f".{each}" for each in _KINDS)
        raise UsageError(f"{output} has no ending that says what to write.", f"Known endings: {known}.")
    engine = capture.read()
    data = export_layers(analyze(engine), kind)
    write_output(output, data, force=force)
    tell(engine, output, len(data))
