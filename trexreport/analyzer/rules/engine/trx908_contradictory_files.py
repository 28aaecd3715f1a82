"""TRX908 engine.contradictory-files."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule


@built_in_rule("error", many="{count} contradictions between the files.", needs=(), section="notes")
def contradictory_files(context: Context) -> Hits:
    """Files of the capture state what cannot both be true.

    Cost:
        Figures that rest on these files are not known: verdicts are inconclusive, and limits of a budget on
        these figures do not hold. Which of the files is wrong cannot be seen from the files.

    Recommendation:
        [unless one-file: Check that all files are of one engine, one GPU and one run with the same shapes,
        for example that no file of an earlier run was left in the folder; then collect the capture again.]
        [if one-file: The file contradicts itself: write it again, and look at what joined or changed it.]

    False alarm:
        Two runs under very different conditions, such as a GPU that slowed down to less than two thirds of
        its clock between them.

    Est. savings:
        Not estimated: it concerns the report, not the engine.
    """
    for each in context.analysis.contradictions:
        yield Hit(each.message, (), None, {value.file: value.value for value in each.values})
