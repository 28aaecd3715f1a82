"""`trexreport export`: the layers as a table."""

from __future__ import annotations

import click

from trexreport.cli.capture_options import CaptureChoice, capture_options
from trexreport.cli.messages import kind_of, say_notes, say_written
from trexreport.cli.output_options import force_option, output_option, refuse_input_as_output


@click.command()
@capture_options
@output_option("layers.csv", "The table: .csv, .json, .parquet or .xlsx; - for CSV on standard output.")
@force_option
def export(capture: CaptureChoice, output: str, *, force: bool) -> None:
    """Write the layers of an engine as a table, one row a layer."""
    from trexreport.analyzer import analyze
    from trexreport.output import check_output, write_output
    from trexreport.renderer.export import export_layers

    kind = kind_of(output, ("csv", "json", "parquet", "xlsx"), for_stdout="csv")
    check_output(output, force=force)
    engine = capture.read()
    refuse_input_as_output(capture, engine, output)
    data = export_layers(analyze(engine), kind)
    write_output(output, data, force=force)
    say_written(output, len(data))
    say_notes(engine.notes)
