"""`trexreport demo`: a report of a bundled sample."""

from __future__ import annotations

import click

from trexreport.cli.options import force_option, output_option

_SAMPLE = "resnet18-int8-before"


@click.command()
@output_option("trexreport-demo.html", "The report.")
@click.option("--sample", default=_SAMPLE, show_default=True, help="Which of the bundled samples.")
@force_option
def demo(output: str, sample: str, *, force: bool) -> None:
    """Write a report of a bundled, synthetic sample."""
    from trexreport.cli.report import write_report
    from trexreport.errors import UsageError
    from trexreport.reader import read_engine
    from trexreport.resources import resource_folder

    samples = sorted(
        path.name for path in resource_folder("samples").iterdir() if any(path.glob("*.graph.json"))
    )
    if sample not in samples:
        raise UsageError(f"There is no sample {sample}.", f"Known samples: {', '.join(samples)}.")
    engine = read_engine(resource_folder("samples") / sample)
    write_report(engine, output, "html", interactive=True, quiet=False, force=force)
