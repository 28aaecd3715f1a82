"""TRX907 engine.incomplete-files."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.rule import Hit, rule

#: Notes of the reader that rules of their own tell of.
_NOTED_ELSEWHERE = frozenset({"names-only", "no-profile", "layers-not-profiled", "dynamic-shapes"})


@rule(
    "TRX907",
    "engine.incomplete-files",
    "warning",
    many="{count} things in the files are damaged or not understood.",
    needs=(),
    section="notes",
)
def incomplete_files(context: Context) -> Iterator[Hit]:
    """A file is damaged, cut off or not wholly understood.

    Cost:
        What could not be read is missing from the figures, which the places say. Conclusions from sums and
        shares may be wrong.

    Advice:
        Follow the hint of each place; usually the capture has to be made again, or a run had failed and its
        log says why.

    False alarm:
        A field of a newer TensorRT that is not known yet, beside which all is right.

    Bound:
        None: it concerns the report, not the engine.
    """
    notes = context.analysis.notes
    # Logs have no layers, which is no damage.
    expected = {"no-graph"} if any(note.slug == "logs-alone" for note in notes) else set()
    for note in notes:
        if note.severity == "degraded" and note.slug not in _NOTED_ELSEWHERE | expected:
            shown = {"File": note.source, "What to do": note.hint}
            yield Hit(note.message, (), None, {key: text for key, text in shown.items() if text})
