"""Hold the files of one capture against each other: what two of them state must be able to be true.

`FACTS` is the table of what is compared. Each entry lists what the files state of a fact, and says whether
two statements agree; docs/inputs.md lists the tolerances with their reasons.

Inputs of a report or an archive that are not those with which it was written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from trexreport.model import Contradiction, Engine, InputWarning, StatedValue
from trexreport.numbers import join_names, middle_ellipsis
from trexreport.reader.capture import EDITED_ARCHIVE, EDITED_REPORT
from trexreport.reader.contradictions.averages import AVERAGE_FACTS
from trexreport.reader.contradictions.build_options import BUILD_OPTION_FACTS
from trexreport.reader.contradictions.counters import COUNTER_FACTS
from trexreport.reader.contradictions.extremes import EXTREME_FACTS
from trexreport.reader.contradictions.gpu import GPU_FACTS
from trexreport.reader.contradictions.layers import LAYER_FACTS
from trexreport.reader.contradictions.names import NAME_FACTS, renamed_files
from trexreport.reader.contradictions.onnx_model import ONNX_FACTS, other_export
from trexreport.reader.contradictions.options import OPTION_FACTS
from trexreport.reader.contradictions.part_of_queries import notes_of_parts
from trexreport.reader.contradictions.precisions import PRECISION_FACTS
from trexreport.reader.contradictions.rates import RATE_FACTS
from trexreport.reader.contradictions.stated import Fact, Stated
from trexreport.reader.contradictions.times import TIME_FACTS
from trexreport.reader.contradictions.trace import TRACE_FACTS

FACTS: tuple[Fact, ...] = (
    *NAME_FACTS,
    *GPU_FACTS,
    *PRECISION_FACTS,
    *BUILD_OPTION_FACTS,
    *LAYER_FACTS,
    *ONNX_FACTS,
    *TRACE_FACTS,
    *COUNTER_FACTS,
    *OPTION_FACTS,
    *TIME_FACTS,
    *RATE_FACTS,
    *AVERAGE_FACTS,
    *EXTREME_FACTS,
)
#: What of an input warning says that it is about files that contradict each other.
SLUG = "files-contradict"
_HINT = "Files of other engines, runs or machines got into this capture. Collect it again."
_HINT_OF_ONE = "The file contradicts itself: write it again, and look at what joined or changed it."
_LONGEST_VALUE, _LONGEST_FILE, _MOST_VALUES = 160, 80, 4


def with_contradictions(engine: Engine) -> Engine:
    """Return an engine with the contradictions between its files, each noted as an input warning."""
    found = tuple(find_contradictions(engine))
    notes = [note for note in engine.notes if note.slug != SLUG]
    notes += [
        InputWarning("degraded", SLUG, each.message, each.values[0].file, (), _hint(each)) for each in found
    ]
    if not found:
        notes += (*renamed_files(engine), *other_export(engine), *notes_of_parts(engine))
    return replace(engine, contradictions=(*_edited_inputs(engine), *found), notes=tuple(notes))


def _hint(contradiction: Contradiction) -> str:
    return _HINT if len({each.file for each in contradiction.values}) > 1 else _HINT_OF_ONE


def find_contradictions(engine: Engine) -> Iterator[Contradiction]:
    """Yield what two files of an engine state that can't both be true, in the order of `FACTS`."""
    groups: set[str] = set()
    # A log of several runs may hold several engines, of which the reader shows the first.
    failed = {note.source for note in engine.notes if note.slug == "log-failed"}
    several = {file.file for file in engine.files if len(file.setup.commands) > 1}
    for fact in FACTS:
        if fact.group in groups:
            continue
        by_subject: dict[str, list[Stated]] = {}
        for each in fact.stated(engine):
            by_subject.setdefault(each.subject, []).append(each)
        for subject, stated in by_subject.items():
            differing = _differing(fact, stated, several, failed)
            if len(differing) > 1:
                groups |= {fact.group} - {""}
                yield _contradiction(fact, subject, differing)


def _differing(fact: Fact, stated: list[Stated], several: set[str], failed: set[str]) -> list[Stated]:
    """Return the first two statements that disagree, and each further one that agrees with none before it.

    Args:
        fact: What they are about.
        stated: The statements.
        several: Files that may state several things without a contradiction.
        failed: Logs of runs that failed: one try may differ from another.
    """
    pairs = (
        pair
        for pair in combinations(stated, 2)
        if pair[0].file != pair[1].file
        or pair[0].file not in several
        or (pair[0].is_of_one_run and pair[1].is_of_one_run)
        if not failed.issuperset((pair[0].file, pair[1].file)) or pair[0].file == pair[1].file
    )
    shown = list(next((pair for pair in pairs if not fact.agree(pair[0].value, pair[1].value)), ()))
    for each in stated if shown else ():
        if len(shown) < _MOST_VALUES and not any(fact.agree(other.value, each.value) for other in shown):
            shown.append(each)
    return shown


def _contradiction(fact: Fact, subject: str, stated: list[Stated]) -> Contradiction:
    values = tuple(StatedValue(each.file, middle_ellipsis(each.text, _LONGEST_VALUE)) for each in stated)
    about = f" of {middle_ellipsis(subject, _LONGEST_FILE)}" if subject else ""
    texts = [f"{middle_ellipsis(each.file, _LONGEST_FILE)} states {each.value}" for each in values]
    return Contradiction(
        fact.code, values, subject, f"Contradictory {fact.noun}{about}: {join_names(texts)}."
    )


__all__ = ["FACTS", "SLUG", "find_contradictions", "with_contradictions"]


def _edited_inputs(engine: Engine) -> Iterator[Contradiction]:
    """Yield what was noted where the capture was read from a report or an archive: it contradicts itself."""
    for note in engine.notes:
        if note.slug in (EDITED_REPORT, EDITED_ARCHIVE):
            values = (
                StatedValue(note.source, "hashes of its inputs"),
                StatedValue(note.source, "inputs with other hashes"),
            )
            yield Contradiction("edited-inputs", values, "", note.message)
