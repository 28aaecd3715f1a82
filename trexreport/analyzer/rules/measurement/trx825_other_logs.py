"""TRX825 measurement.other-logs."""

from __future__ import annotations

from trexreport.analyzer.analysis import SEVERITIES
from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.numbers import list_names

_MOST_NAMED = 4
#: What one change resolves together has one recommendation.
_OF_A_CAUSE = "`trexreport lint` with that file alone states what resolves it."


@built_in_rule("info", many="Measurements that are not shown have {count} kinds of findings.", needs=())
def other_logs(context: Context) -> Hits:
    """A log, run or capture that is not shown has a finding that the shown one has not.

    Cost:
        The report shows one measurement of several. What is wrong with another one makes its figures in the
        table of logs doubtful, or is a reason why it is slower or failed.

    Recommendation:
        What the finding of the other one recommends. `trexreport lint` with its files alone states all of it,
        with --log-run N for a run of a log.

    False alarm:
        The other measurements are not of interest. Left out are findings on precisions, which may be those of
        the files beside, and what only informs of a run.

    Est. savings:
        Not estimated: the times are those of the shown measurement.
    """
    for code, found in group_by(context.analysis.log_findings, lambda each: each.code).items():
        files = list_names(list(dict.fromkeys(each.file for each in found)), _MOST_NAMED)
        yield Hit(
            f"{code} in {files}: {found[0].message}",
            evidence={
                **{each.file: each.message for each in found},
                "Recommendation": found[0].recommendation or _OF_A_CAUSE,
            },
            severity=min((each.severity for each in found), key=SEVERITIES.index),
        )
