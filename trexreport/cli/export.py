"""`trexreport export`: the layers as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from trexreport.cli.capture_options import capture_options
from trexreport.cli.messages import write_result
from trexreport.cli.output_options import force_option, output_option
from trexreport.cli.settings_options import settings_options

if TYPE_CHECKING:
    from trexreport.pipeline.captures import CaptureInput
    from trexreport.pipeline.settings import Settings


@click.command()
@capture_options
@output_option("layers.csv", "The table: .csv, .json, .parquet or .xlsx; - for CSV on standard output.")
@force_option
@settings_options
def export(capture: CaptureInput, settings: Settings, output: str, *, force: bool) -> None:
    """Write the layers of an engine as a table, one row per layer."""
    from trexreport.output import check_output
    from trexreport.pipeline.targets import format_of
    from trexreport.renderer.export import export_layers

    kind = format_of(output, ("csv", "json", "parquet", "xlsx"), for_stdout="csv")
    check_output(output, force=force)
    engine = capture.read([output])
    write_result(output, export_layers(settings.analyze(engine), kind), engine.notes, force=force)
