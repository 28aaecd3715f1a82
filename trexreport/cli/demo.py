"""`trexreport demo`: a report of a bundled sample."""

from __future__ import annotations

import click

from trexreport.cli.messages import say_notes, say_written
from trexreport.cli.output_options import force_option, output_option
from trexreport.errors import UsageError


@click.command()
@output_option("trexreport-demo.html", "The report.")
@click.option(
    "--sample", default="resnet18-int8-before", show_default=True, help="Which of the bundled samples."
)
@force_option
def demo(output: str, sample: str, *, force: bool) -> None:
    """Write a report of a bundled, synthetic sample."""
    from trexreport.api import load, render
    from trexreport.output import check_output, write_output
    from trexreport.resources import resource_folder

    check_output(output, force=force)
    samples = sorted(
        path.name for path in resource_folder("samples").iterdir() if any(path.glob("*.graph.json"))
    )
    if sample not in samples:
        raise UsageError(f"There is no sample {sample}.", f"Known samples: {', '.join(samples)}.")
    engine = load(resource_folder("samples") / sample)
    data = render(engine).html
    write_output(output, data, force=force)
    say_written(output, len(data))
    say_notes(engine.notes)
