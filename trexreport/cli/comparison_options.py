"""Options that choose what is compared, and how."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import click

from trexreport.cli.option_groups import option_group
from trexreport.cli.values import NumberRange

if TYPE_CHECKING:
    from trexreport.pipeline.comparisons import ComparisonInput
    from trexreport.redaction import Redaction

#: The default of `VerdictSettings`, which is not imported for the help.
_MINIMUM_EFFECT_PERCENT = 2.0


@dataclass(frozen=True)
class ComparisonOptions:
    """The options of a comparison as they were given."""

    baseline: str | None
    focus: str | None
    minimum_effect_percent: float | None
    runs: tuple[str, ...]
    latencies: tuple[str, ...]

    @property
    def is_given(self) -> bool:
        """Whether the user gave any of them."""
        single = (self.baseline, self.focus, self.minimum_effect_percent)
        return bool(self.runs or self.latencies) or any(each is not None for each in single)

    def choose(self, paths: tuple[str, ...], redaction: Redaction | None) -> ComparisonInput:
        """Return what they mean for these captures.

        Raises:
            UsageError: There is nothing to compare, or an option names something else.
        """
        from trexreport.pipeline.comparisons import choose_inputs

        return choose_inputs(
            paths,
            baseline=self.baseline,
            focus=self.focus,
            runs=self.runs,
            latencies=self.latencies,
            redaction=redaction,
        )


def _choose_comparison(options: dict[str, Any]) -> None:
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
