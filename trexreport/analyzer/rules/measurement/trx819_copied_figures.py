"""TRX819 measurement.copied-figures."""

from __future__ import annotations

from dataclasses import replace

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.logs import copied, shown
from trexreport.numbers import join_names


@built_in_rule(
    "warning", many="{count} times, logs of different names state the same figures.", needs=("logs",)
)
def copied_figures(context: Context) -> Hits:
    """Logs that claim different builds state the same figures to the last digit.

    Cost:
        Two measurements never agree in all digits: one log is a copy of the other, or one engine was measured
        under two names. A comparison of the two says nothing.

    Recommendation:
        Measure again what the copy should show, and check that each command loads the engine that it names.

    False alarm:
        The clock of the measurement is so coarse that figures repeat.

    Est. savings:
        Not estimated: it concerns the measurement, not the engine.
    """
    for logs in context.cached(copied):
        names = join_names([log.file for log in logs])
        yield Hit(
            f"{names} state the same figures to the last digit: they are one measurement, and not compared.",
            evidence={"Logs": names, "Figures": shown(replace(logs[0], types=(), batch=None))},
        )
