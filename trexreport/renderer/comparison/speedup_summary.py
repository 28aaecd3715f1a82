"""What a lower precision should save and what it saves, in the summary of a comparison."""

from __future__ import annotations

import math

from trexreport.analyzer.analysis.speedup import ExpectedSpeedup
from trexreport.numbers import middle_ellipsis
from trexreport.renderer.short_document import document as short
from trexreport.wording.comparison import signed_ms
from trexreport.wording.speedup import gap_reasons, gap_title, speedup_sentences, speedup_title


def speedup_blocks(speedup: ExpectedSpeedup | None) -> list[short.Block]:
    """Return what a lower precision should save, what it saves, and what lies between, if there is one."""
    if speedup is None:
        return []
    text = f"{speedup_title(speedup)}. {' '.join(speedup_sentences(speedup))}"
    rows = tuple(
        (
            gap_title(speedup, gap),
            gap.cost_ms,
            short.named(gap.places[0].name) if gap.places else "",
            gap_reasons(speedup, gap),
        )
        for gap in speedup.gaps
    )
    if not rows:
        return [short.Paragraph(text)]
    columns = (
        short.Column("Measured minus expected"),
        short.Column("Time", signed_ms, is_summed=True),
        short.Column("Largest"),
        short.Column("Possible causes", max_chars=short.MAX_MESSAGE, has_sentences=True),
    )
    difference_ms = math.fsum(gap.cost_ms for gap in speedup.gaps)
    total = ("Total", difference_ms, "", "")
    return [short.Paragraph(text), short.Table(columns, rows, total=total, noun="part")]


def speedup_section(speedup: ExpectedSpeedup) -> short.Section:
    """Return the section of a step between two engines, neither of which is the baseline."""
    names = (middle_ellipsis(name, short.MAX_NAME // 2) for name in (speedup.reference, speedup.engine))
    return short.Section(f"Speedup from {' to '.join(names)}", tuple(speedup_blocks(speedup)))
