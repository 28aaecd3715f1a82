"""Options that choose what is compared, and how."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import click

from trexreport.cli.option_groups import option_group
from trexreport.cli.values import NumberRange

#: The defaults of `VerdictSettings`, which is not imported for the help.
_MINIMUM_EFFECT_PERCENT, _RUN_SPREAD_PERCENT = 2.0, 1.0


def _choose_comparison(options: dict[str, Any]) -> None:
    from trexreport.pipeline.comparisons import ComparisonOptions

    options["comparing"] = ComparisonOptions(
        **{each.name: options.pop(each.name) for each in fields(ComparisonOptions)}
    )


#: Add the options of a comparison; the command gets them as `comparing`.
comparison_options = option_group(
    _choose_comparison,
    click.option(
        "--baseline",
        metavar="A|N",
        help="What the others are compared with: a path, or its number.  [default: 1]",
    ),
    click.option(
        "--minimum-effect",
        "minimum_effect_percent",
        type=NumberRange(0, 1000),
        metavar="PERCENT",
        help=f"The smallest difference that counts.  [default: {_MINIMUM_EFFECT_PERCENT}]",
    ),
    click.option(
        "--assumed-run-spread",
        "assumed_run_spread_percent",
        type=NumberRange(0, 100),
        metavar="PERCENT",
        help="The spread between runs that is assumed for an engine with a single run.  "
        f"[default: {_RUN_SPREAD_PERCENT}]",
    ),
    click.option(
        "--runs",
        multiple=True,
        metavar="A=PATH,...",
        help="Further measurements of one of A B...: captures, or files of times.",
    ),
    click.option(
        "--baseline-latency",
        "latencies",
        multiple=True,
        metavar="NAME=TIME|FILE",
        help="A latency from elsewhere, such as 'PyTorch eager=12.3ms', or a CSV or JSON file of latencies.",
    ),
    click.option("--focus", metavar="B|N", help="The candidate whose graph is shown.  [default: the first]"),
)
