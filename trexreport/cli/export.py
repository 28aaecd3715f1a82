"""`trexreport export`: layers, or nodes and modules of the model, as a table; layers also as a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from trexreport.cli.capture_options import capture_options, phase_option
from trexreport.cli.command import Command
from trexreport.cli.messages import say_notes, write_result
from trexreport.cli.output_options import force_option, output_option
from trexreport.cli.settings_options import settings_options

if TYPE_CHECKING:
    from trexreport.pipeline.captures import CaptureInput
    from trexreport.pipeline.settings import Settings


#: As `renderer.tables.TABLES`, which is imported late.
_TABLES = ("layers", "nodes", "modules", "node-types", "classes", "sources")


@click.command(cls=Command, short_help="Write the layers as a table or a trace.")
@capture_options
@phase_option
@output_option(
    "layers.csv",
    "The table: .csv, .json, .parquet or .xlsx; trace.json or .trace.json for Perfetto; .node-data.json for "
    "Model Explorer; - for CSV on standard output.",
)
@click.option(
    "--table",
    type=click.Choice(_TABLES),
    default="layers",
    show_default=True,
    help="What the rows are; all but layers need the ONNX model.",
)
@force_option
@settings_options
def export(
    capture: CaptureInput, settings: Settings, output: str, table: str, *, phase: tuple[str, ...], force: bool
) -> None:
    """Write the layers of an engine as a table or a trace, or the nodes and modules of its ONNX model.

    A table of several phases has a first column "phase".
    """
    from trexreport.output import check_output
    from trexreport.pipeline.phase_reports import export_set
    from trexreport.pipeline.phases import PhasesInput, choose_engine, choose_engines
    from trexreport.pipeline.targets import format_of
    from trexreport.renderer.export import export_table
    from trexreport.renderer.model_explorer import SUFFIX, quantity_of, write_node_data
    from trexreport.renderer.timeline.trace import is_trace, write_trace

    kind = format_of(output, ("csv", "json", "parquet", "xlsx"), for_stdout="csv")
    check_output(output, force=force)
    chosen = choose_engines(capture, phase)
    if isinstance(chosen, PhasesInput) and not (output.lower().endswith(SUFFIX) or is_trace(output)):
        data, notes = export_set(chosen, settings, kind, table, output)
        write_result(output, data, force=force)
        for name, of_phase in notes:
            say_notes(of_phase, of=name)
        return
    engine = choose_engine(capture, phase, "A trace or node data").read([output])
    analysis = settings.analyze(engine)
    if output.lower().endswith(SUFFIX):
        data = write_node_data(analysis, quantity_of(output))
    elif is_trace(output):
        data = write_trace(analysis)
    else:
        data = export_table(analysis, kind, table)
    write_result(output, data, engine.notes, force=force)
