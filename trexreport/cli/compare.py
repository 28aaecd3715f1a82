"""`trexreport compare`: several engines side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trexreport.cli.messages import kind_of, say_notes, say_written
from trexreport.cli.options import (
    CaptureChoice,
    force_option,
    redact_option,
    refuse_input_as_output,
    refuse_to_overwrite,
    refuse_unclear_outputs,
)
from trexreport.errors import UsageError

if TYPE_CHECKING:
    from trexreport.analyzer import Analysis
    from trexreport.analyzer.analysis.comparison import Comparison
    from trexreport.model import Engine, Source
    from trexreport.redaction import Redaction

_FORMATS = ("html", "pdf", "md", "json")


@click.command()
@click.argument("paths", nargs=-1, metavar="A B...")
@click.option(
    "--baseline", metavar="A|N", help="What the others are held against: a path, or its number.  [default: 1]"
)
@click.option(
    "--minimum-effect",
    type=click.FloatRange(0, 1000),
    default=2.0,
    show_default=True,
    metavar="PERCENT",
    help="A smaller difference does not count.",
)
@click.option(
    "--runs",
    multiple=True,
    metavar="A=PATH,...",
    help="Further measurements of one of A B...: captures, or files of times.",
)
@click.option(
    "--baseline-latency",
    "latencies",
    multiple=True,
    metavar="NAME=TIME|FILE",
    help="What is no engine, such as 'PyTorch eager=12.3ms', or a CSV or JSON file of latencies.",
)
@click.option(
    "--focus",
    metavar="B|N",
    help="Whose graph is shown, and with whom it begins.  [default: the first beside the baseline]",
)
@redact_option
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    metavar="FILE",
    help="The comparison, .html, .pdf, .md or .json; - for Markdown on standard output. Repeatable.  "
    "[default: -]",
)
@click.option("--format", "format_", type=click.Choice(_FORMATS), help="Instead of going by the ending.")
@force_option
def compare(
    paths: tuple[str, ...],
    baseline: str | None,
    *,
    minimum_effect: float,
    runs: tuple[str, ...],
    latencies: tuple[str, ...],
    focus: str | None,
    redact: Redaction | None,
    outputs: tuple[str, ...],
    format_: str | None,
    force: bool,
) -> None:
    """Say whether engines are faster than a baseline, whether that is real, and where the difference is.

    Each of A B... is a capture folder, a *.graph.json file, an archive or an earlier report. With
    --baseline-latency one of them is enough.
    """
    from trexreport.analyzer import analyze
    from trexreport.analyzer.analysis.verdict import VerdictSettings
    from trexreport.analyzer.comparison.compare import compare as compare_engines
    from trexreport.output import check_output, write_output
    from trexreport.reader import add_runs
    from trexreport.reader.latency_file import read_latencies
    from trexreport.renderer.pdf import check_pdf_tools

    targets = _targets(outputs or ("-",), format_)
    if "pdf" in targets.values():
        check_pdf_tools()
    if len(paths) < (1 if latencies else 2):
        raise UsageError("There is nothing to compare.", "Give two captures or more.")
    index = _chosen(paths, baseline, "--baseline") or 0
    shown = _chosen(paths, focus, "--focus")
    if shown == index and len(paths) > 1:
        raise UsageError(
            f"--focus: '{focus}' is the baseline.", "Give one of those that are held against it."
        )
    more = _runs(paths, runs)
    for output in targets:
        check_output(output, force=force)
    others = read_latencies(latencies)
    # A report carries the files that it was made from, and a comparison does not: those would be lost.
    carriers = [*paths, *(run for of_path in more.values() for run in of_path)]
    for output in targets:
        refuse_to_overwrite(output, [*carriers, *(file for other in others for file in other.files)])
    engines = [
        add_runs(
            _read(path, targets, redact=redact),
            # A run is called by its path, which is not to be told if anything is to be hidden.
            [_read(run, targets, name=None if redact else run, redact=redact) for run in more.get(at, ())],
        )
        for at, path in enumerate(paths)
    ]
    if shown is None:
        shown = next((at for at in range(len(engines)) if at != index), index)
    # Only documents with pages draw a graph, and that of one engine.
    drawn = shown if {"html", "pdf"} & set(targets.values()) else None
    analyses = [analyze(engine, with_blocks=at == drawn) for at, engine in enumerate(engines)]
    comparison = compare_engines(
        engines,
        baseline=index,
        names=_titles(paths, engines, with_paths=redact is None),
        analyses=analyses,
        settings=VerdictSettings(minimum_effect_percent=minimum_effect),
        others=others,
    )
    sources, notes = [engine.sources for engine in engines], [engine.notes for engine in engines]
    # What was read takes as much memory as the pages that are to be made.
    del engines
    for output, kind in targets.items():
        data = _rendered(kind, comparison, analyses, sources, shown)
        write_output(output, data, force=force)
        say_written(output, len(data))
    for of_engine, compared in zip(notes, comparison.engines, strict=True):
        say_notes(of_engine, of=compared.name)


def _targets(outputs: Sequence[str], format_: str | None) -> dict[str, str]:
    """Return where to write in which format."""
    refuse_unclear_outputs(outputs, format_)
    return {output: format_ or kind_of(output, _FORMATS, for_stdout="md") for output in outputs}


def _rendered(
    kind: str,
    comparison: Comparison,
    analyses: Sequence[Analysis],
    sources: Sequence[Sequence[Source]],
    shown: int,
) -> bytes:
    """Return the document; what draws pages is loaded only for one."""
    if kind == "html":
        from trexreport.renderer.comparison.html import render_comparison_html

        return render_comparison_html(comparison, analyses, shown)
    if kind == "pdf":
        from trexreport.renderer.pdf import render_comparison_pdf

        return render_comparison_pdf(comparison, analyses, sources, shown)
    if kind == "json":
        from trexreport.renderer.json_document import render_comparison_json

        return render_comparison_json(comparison)
    from trexreport.renderer.comparison.markdown import render_comparison_markdown

    return render_comparison_markdown(comparison)


def _read(
    path: str, outputs: Iterable[str], name: str | None = None, redact: Redaction | None = None
) -> Engine:
    capture = CaptureChoice((path,), name=name, redact=redact)
    engine = capture.read()
    for output in outputs:
        refuse_input_as_output(capture, engine, output)
    return engine


def _chosen(paths: Sequence[str], wanted: str | None, option: str) -> int | None:
    """Return the index of the path or number that is meant; None if none was."""
    if wanted is None:
        return None
    found = _index(paths, wanted)
    if found is None:
        raise UsageError(
            f"{option}: '{wanted}' is none of what is compared.",
            f"Give one of the paths, or 1 to {len(paths)}.",
        )
    return found


def _titles(paths: Sequence[str], engines: Sequence[Engine], *, with_paths: bool) -> list[str]:
    """Return the engines' names; with equal ones goes a part of the path, or a number, to tell them apart."""
    parts = [Path(path).resolve().parts for path in paths]
    titles = [engine.name for engine in engines]
    if not with_paths:
        return [f"{name} ({at})" if titles.count(name) > 1 else name for at, name in enumerate(titles, 1)]
    for at, engine in enumerate(engines):
        equals = [each for each, other in zip(parts, engines, strict=True) if other.name == engine.name]
        depths = range(1, min(map(len, equals)) + 1)
        different = {depth: len({each[-depth] for each in equals}) for depth in depths}
        depth = max(depths, key=lambda depth: (different[depth], -depth))
        if different[depth] > 1:
            titles[at] = f"{engine.name} ({parts[at][-depth]})"
    return titles


def _index(paths: Sequence[str], wanted: str) -> int | None:
    """Return the index of a path or of a number from 1 on; None if it is neither."""
    found = [index for index, path in enumerate(paths) if Path(path) == Path(wanted)]
    if found:
        return found[0]
    if wanted.isascii() and wanted.isdecimal() and len(wanted) < 6 and 0 < int(wanted) <= len(paths):
        return int(wanted) - 1
    return None


def _runs(paths: Sequence[str], options: Sequence[str]) -> dict[int, list[str]]:
    """Return for each index of a path the captures that are further runs of it."""
    found: dict[int, list[str]] = {}
    for option in options:
        # A path may hold "=" and ",".
        places = [at for at, character in enumerate(option) if character == "="]
        of_paths = [(at, index) for at in places if (index := _index(paths, option[:at])) is not None]
        if not of_paths:
            raise UsageError(
                f"--runs: '{option}' does not begin with one of what is compared.",
                f"Give it as A=PATH with one of the paths, or 1 to {len(paths)}, for A.",
            )
        at, index = of_paths[0]
        rest = option[at + 1 :]
        captures = [rest] if rest and Path(rest).exists() else [part for part in rest.split(",") if part]
        if not captures:
            raise UsageError(f"--runs: '{option}' names no further run.", "Give its path behind the '='.")
        found.setdefault(index, []).extend(captures)
    return found
