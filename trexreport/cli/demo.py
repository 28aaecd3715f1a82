"""`trexreport demo`: a report of a bundled sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from trexreport.cli.command import Command
from trexreport.cli.messages import write_result
from trexreport.cli.output_options import force_option, output_option
from trexreport.cli.report import write_report
from trexreport.cli.settings_options import settings_options
from trexreport.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from trexreport.pipeline.settings import Settings

#: The sample that is a comparison: one network in FP16 and in INT8, with the accuracy of both.
_COMPARISON = "resnet18-fp16-to-int8"


@click.command(cls=Command)
@output_option("trexreport-demo.html", "The report.")
@click.option(
    "--sample",
    default="resnet18-int8-before",
    metavar="NAME",
    help="The bundled sample: detector-trt11, resnet18-int8-after, resnet18-int8-before, "
    f"transformer-trt10-myelin or {_COMPARISON}.",
)
@force_option
@settings_options
def demo(settings: Settings, output: str, sample: str, *, force: bool) -> None:
    """Write a report of a bundled, synthetic sample.

    resnet18-fp16-to-int8 is a comparison: what INT8 saves, and what it costs in accuracy.
    """
    from trexreport.output import check_output
    from trexreport.pipeline.reports import ReportFormat
    from trexreport.reader import read_engine
    from trexreport.resources import resource_folder

    check_output(output, force=force)
    folder = resource_folder("samples")
    samples = sorted(path.name for path in folder.iterdir() if any(path.glob("*.graph.json")))
    if sample == _COMPARISON:
        write_result(output, _comparison(folder, settings), force=force)
        return
    if sample not in samples:
        known = ", ".join([*samples, _COMPARISON])
        raise UsageError(f"There is no sample {sample}.", f"Known samples: {known}.")
    model = folder / "models" / f"{sample}.onnx"
    engine = read_engine(folder / sample, files={"onnx": model} if model.exists() else None)
    write_report(engine, settings, {output: ReportFormat()}, force=force)


def _comparison(folder: Path, settings: Settings) -> bytes:
    """Return the page that compares both engines."""
    from trexreport.pipeline.comparisons import compare_engines
    from trexreport.reader import read_engine

    name = "resnet18-int8-after"
    accuracy = folder / "accuracy"
    engines = [
        read_engine(accuracy / "resnet18-fp16"),
        read_engine(folder / name, files={"accuracy": accuracy / f"{name}.accuracy.json"}),
    ]
    return compare_engines(engines, settings, ("html",)).render("html")
