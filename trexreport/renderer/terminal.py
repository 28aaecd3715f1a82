"""Print a summary of an analysis as tables in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from trexreport.analyzer import Analysis
from trexreport.analyzer.analysis import Group
from trexreport.numbers import format_count, format_ms, format_number, format_percent
from trexreport.renderer.console import open_console, plain_table, print_table
from trexreport.renderer.findings.text import print_first_findings
from trexreport.visible import one_line
from trexreport.wording.identity import input_shapes
from trexreport.wording.latency import gap_sentence
from trexreport.wording.memory import memory_amounts

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def print_summary(analysis: Analysis, top: int) -> None:
    """Print the engine, its main figures and findings, the time by type and precision, the slowest layers."""
    console = open_console()
    identity = analysis.identity
    console.print(one_line(identity.name), style="bold")
    for line in _figures(analysis):
        console.print(one_line(line))
    console.print()
    print_first_findings(analysis, console)
    if analysis.layers:
        print_table(console, _groups("By type", analysis.by_type))
    if analysis.layers and not identity.names_only:
        print_table(console, _groups("By input precision", analysis.by_precision))
    if top and analysis.latency.layer_sum_ms is not None:
        print_table(console, _slowest(analysis, top))
    _print_notes(console, analysis)


def _figures(analysis: Analysis) -> list[str]:
    identity, latency = analysis.identity, analysis.latency
    about = (
        identity.gpu,
        identity.tensorrt_version and f"TensorRT {identity.tensorrt_version}",
        identity.precisions,
    )
    lines = [" · ".join(part for part in (*about, input_shapes(identity)) if part)]
    whole = latency.end_to_end
    if whole:
        tail = f"at most {format_ms(whole.max_ms)}"
        if whole.p99_ms is not None:
            tail = f"{format_ms(whole.p99_ms)} at 99%"
        lines.append(f"Latency    {format_ms(whole.median_ms)} median, {tail}")
    if latency.throughput_qps is not None:
        lines.append(f"Throughput {format_number(latency.throughput_qps, 4)} queries/s")
    if latency.layer_sum_ms is not None:
        told = (format_ms(latency.layer_sum_ms), gap_sentence(analysis))
        lines.append(f"Layer sum  {'. '.join(filter(None, told))}")
    if analysis.tensors:
        amounts = memory_amounts(analysis.memory)
        lines.append(f"Memory     weights {amounts['weights']}, live tensors {amounts['peak']}")
    if identity.synthetic:
        lines.append("This capture is synthetic: no GPU measured it.")
    return [line for line in lines if line]


def _groups(title: str, groups: Sequence[Group]) -> Table:
    table = plain_table(title, ("", False), ("layers", True), ("ms", True), ("share", True))
    for group in groups[:20]:
        share = None if group.share_percent is None else group.share_percent / 100
        cells = (group.name, format_count(group.count), format_number(group.time_ms), format_percent(share))
        table.add_row(*map(one_line, cells))
    return table


def _slowest(analysis: Analysis, top: int) -> Table:
    table = plain_table(
        "Slowest layers",
        ("layer", False),
        ("type", False),
        ("precision", False),
        ("ms", True),
        ("share", True),
    )
    timed = sorted(analysis.layers, key=lambda layer: (-(layer.avg_ms or 0.0), layer.index))
    for layer in timed[:top]:
        share = None if layer.share_percent is None else layer.share_percent / 100
        figures = (format_number(layer.avg_ms), format_percent(share))
        table.add_row(*map(one_line, (layer.name[:400], layer.type, layer.precision, *figures)))
    return table


def _print_notes(console: Console, analysis: Analysis) -> None:
    for note in analysis.notes:
        if note.severity != "info":
            hint = f" {note.hint}" if note.hint else ""
            console.print(one_line(f"{note.severity}: {note.message}{hint}"))
