"""`trexreport demo`: a report of a bundled sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from trexreport.cli.command import Command
from trexreport.cli.output_options import force_option, output_option
from trexreport.cli.report import write_report
from trexreport.cli.settings_options import settings_options
from trexreport.errors import UsageError

if TYPE_CHECKING:
    from trexreport.pipeline.settings import Settings


@click.command(cls=Command)
@output_option("trexreport-demo.html", "The report.")
@click.option("--sample", default="resnet18-int8-before", help="The bundled sample.")
@force_option
@settings_options
def demo(settings: Settings, output: str, sample: str, *, force: bool) -> None:
    """Write a report of a bundled, synthetic sample."""
    from trexreport.output import check_output
    from trexreport.pipeline.reports import ReportFormat
    from trexreport.reader import read_engine
    from trexreport.resources import resource_folder

    check_output(output, force=force)
    folder = resource_folder("samples")
    samples = sorted(path.name for path in folder.iterdir() if any(path.glob("*.graph.json")))
    if sample not in samples:
        raise UsageError(f"There is no sample {sample}.", f"Known samples: {', '.join(samples)}.")
    model = folder / "models" / f"{sample}.onnx"
    engine = read_engine(folder / sample, files={"onnx": model} if model.exists() else None)
    write_report(engine, settings, ReportFormat(), output, force=force)
