"""`python -m trexreport.trex draw` and `summary`: TREx's commands with its options and file names.

`trexreport draw`, `summary` and `collect` do more; these are for scripts that call TREx.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import click

from trexreport.errors import TrexReportError, UsageError
from trexreport.trex import graphing, misc
from trexreport.trex._digraph import Digraph
from trexreport.trex.engine_plan import EnginePlan

_LARGEST_RADIUS = 1_000
#: Ends the name of a kernel; what follows distinguishes its variants.
_HASH = "_0x"


class _Beam(click.ParamType):  # type: ignore[type-arg]
    """A node and a radius: "NODE,RADIUS"."""

    name = "NODE,RADIUS"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int]:
        """Return the name of the node and the radius."""
        node, _, radius = str(value).rpartition(",")
        if not node or not radius.strip().isdecimal() or int(radius) > _LARGEST_RADIUS:
            self.fail(f"{value!r} is not NODE,RADIUS, such as conv1,2.", param, ctx)
        return node, int(radius)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(message="%(version)s", package_name="trexreport")
def trex() -> None:
    """Draw and summarize engines with the commands of TREx."""


_input = click.argument("input", type=click.Path(path_type=Path))
_profile = click.option(
    "--profiling_json", "-pj", type=click.Path(path_type=Path), help="Times of the layers."
)


@trex.command()
@_input
@_profile
@click.option(
    "--output_format", "-of", type=click.Choice(["svg", "png", "dot"]), default="svg", show_default=True
)
@click.option("--display_regions", "-dr", is_flag=True, help="Draw tensors as nodes.")
@click.option("--display_constant", "-dc", is_flag=True, help="Draw constants.")
@click.option("--no_layer_names", "-no_ln", is_flag=True, help="Leave the names of layers out.")
@click.option("--display_metadata", "-dm", is_flag=True, help="Write the layers of the original model.")
@click.option("--display_region_names", "-drn", is_flag=True, help="Write the names of tensors.")
@click.option("--beam", "-b", type=_Beam(), help="Draw what is within a radius of a node.")
@click.option("--query", "-q", help="Draw nodes whose name or attributes match, and their neighbors.")
def draw(
    input: Path,  # noqa: A002 - TREx's name
    profiling_json: Path | None,
    output_format: str,
    beam: tuple[str, int] | None,
    query: str | None,
    *,
    display_regions: bool,
    display_constant: bool,
    no_layer_names: bool,
    display_metadata: bool,
    display_region_names: bool,
) -> None:
    """Draw a graph file into INPUT.svg, .png or .dot; a part of it into INPUT.dot.radius.dot.svg."""
    graph = graphing.to_dot(
        EnginePlan(input, profiling_json),
        graphing.layer_type_formatter,
        display_forking_regions=True,
        display_region_reuse=True,
        display_edge_details=False,
        remove_disconnected_layers=True,
        highlight_layers=[beam[0]] if beam else None,
        display_regions=display_regions or display_region_names,
        display_layer_names=not no_layer_names,
        display_constants=display_constant,
        display_metadata=display_metadata,
        display_region_names=display_region_names,
    )
    name = str(input)
    if beam is not None or query is not None:
        graph, name = _part(graph, beam, query), f"{input}.dot.radius.dot"
    if output_format == "dot":
        print(f"Created file://{Path(graph.save(f'{name}.dot')).absolute()}")
        return
    graphing.render_dot(graph, name, output_format)


def _part(graph: Digraph, beam: tuple[str, int] | None, query: str | None) -> Digraph:
    """Return the nodes around one node, or around those that a regular expression finds."""
    if beam is not None:
        node = graphing.get_dot_id(beam[0])
        if node not in graph.names():
            raise UsageError(f"There is no node {beam[0]!r}.", "Names are those of layers, case counts.")
        return graph.around({node}, beam[1])
    try:
        found = graph.matching(re.compile(query or ""))
    except re.error as error:
        raise UsageError(f"{query!r} is not a regular expression: {error}.") from None
    if not found:
        raise UsageError(f"No node matches {query!r}.")
    print(f"Found {len(found)} matching nodes")
    return graph.around(found, 1)


@trex.command()
@_input
@_profile
@click.option(
    "--sort_key", "-sk", type=click.Choice(["count", "latency", "id"]), default="count", show_default=True
)
@click.option("--group_tactics", "-gt", is_flag=True, help="Join tactics that differ in their hash alone.")
def summary(input: Path, profiling_json: Path | None, sort_key: str, *, group_tactics: bool) -> None:  # noqa: A002
    """Print the tactics: their mean share of time in percent, or grouped their sum and count."""
    frame = EnginePlan(input, profiling_json).df.copy()
    share = "latency.pct_time"
    if group_tactics:
        frame["tactic"] = [name.partition(_HASH)[0] or name for name in frame["tactic"]]
        table = misc.group_sum_attr(frame, "tactic", share)
        table = table.merge(misc.group_count(frame, "tactic"), on="tactic")
        column = share if sort_key == "latency" else "count"
    else:
        table = misc.group_mean_attr(frame, "tactic", share)
        column = "tactic" if sort_key == "id" else share
    table = table.sort_values(column, ascending=column == "tactic", kind="stable")
    print(table.rename(columns={share: "latency %"}).to_string(index=False))


def main() -> None:
    """Run a command; errors are one line, and their exit code is trexreport's."""
    try:
        trex(prog_name="python -m trexreport.trex")
    except TrexReportError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main()
