"""The findings as a short document, for people: text in a terminal or a file, Markdown in a CI step."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from trexreport.analyzer.analysis import Finding, LayerFacts, Place
from trexreport.numbers import format_count
from trexreport.renderer.check_results.results import engine_title
from trexreport.renderer.findings.run import LintRun, layer_names, sentence, sum_up
from trexreport.renderer.short_document import document as short
from trexreport.renderer.short_document import html, markdown, terminal
from trexreport.renderer.top_findings import is_measurement_first
from trexreport.wording.findings import consequence_lines, on_measurement, rule_texts
from trexreport.wording.gains import savings, savings_basis

if TYPE_CHECKING:
    from rich.console import Console

#: "documented" adds the rules' texts and the evidence, "verbose" also all places and layers.
Detail = Literal["brief", "documented", "verbose"]
_MAX_PLACES: dict[Detail, int | None] = {"brief": 3, "documented": 20, "verbose": None}
_MAX_LAYERS = 3
ALSO_RESOLVES = "Fixing it also resolves:"
FINDING_COLUMNS = (
    short.Column("Finding", max_chars=short.MAX_MESSAGE, has_sentences=True),
    short.Column("Severity"),
    short.Column("Rule"),
    short.Column("Savings", is_number=True),
)


def print_findings(run: LintRun, console: Console, *, verbose: bool = False) -> None:
    """Print the findings; see `lint_document`."""
    terminal.print_document(_text_document(run, verbose=verbose), console)


def render_text(run: LintRun, *, verbose: bool = False) -> bytes:
    """Return what `print_findings` prints, as a file that says whose it is."""
    return terminal.render_text(_text_document(run, verbose=verbose))


def render_markdown(run: LintRun) -> bytes:
    """Return a table of the findings, then each of them with its places and its documentation."""
    return markdown.render_markdown(lint_document(run, "documented"), sys.maxsize)


def render_page(run: LintRun) -> bytes:
    """Return what `render_markdown` does, as HTML."""
    return html.render_html(lint_document(run, "documented"))


def _text_document(run: LintRun, *, verbose: bool) -> short.ShortDocument:
    return lint_document(run, "verbose" if verbose else "brief")


def lint_document(run: LintRun, detail: Detail) -> short.ShortDocument:
    """Return the findings as a document: a table of them unless it is brief, then a section for each."""
    findings = run.analysis.lint.findings
    apart = [each for each in findings if each.is_apart]
    of_engine = [each for each in findings if not each.is_apart]
    table = _table(of_engine)
    is_first = is_measurement_first(findings)
    sections, explained = [], set[str]()
    for finding in (*apart, *of_engine) if is_first else findings:
        if apart and finding is apart[0]:
            shown = _table(apart) if detail == "documented" else ()
            sections.append(short.Section("Measurement", (short.Paragraph(on_measurement(apart)), *shown)))
        if is_first and finding is of_engine[0]:
            sections.append(short.Section("Engine", ()))
        places = tuple(_place(run, place, detail, finding) for place in finding.places)
        blocks: list[short.Block] = [short.Paragraph(sentence(finding))]
        hint = "--verbose lists all" if detail == "brief" else ""
        if finding.gain and (basis := savings_basis(finding.gain)):
            blocks.append(short.Paragraph(basis))
        blocks.append(
            short.Items(tuple(filter(None, places)), noun="place", max_shown=_MAX_PLACES[detail], hint=hint)
        )
        if finding.consequences:
            also = tuple(_consequences(run, finding, detail))
            blocks.append(short.Paragraph(ALSO_RESOLVES))
            blocks.append(short.Items(also, noun="consequence", max_shown=_MAX_PLACES[detail], hint=hint))
        texts = rule_texts(finding)
        # Findings of one rule may advise different things.
        if (key := f"{finding.code} {texts.get('Recommendation')}") not in explained:
            in_full = detail != "brief"
            blocks += [
                short.Explanation(*each) for each in texts.items() if in_full or each[0] == "Recommendation"
            ]
        explained.add(key)
        title = (
            short.severity_mark(finding.severity),
            short.Span(f" {finding.code}", "strong"),
            f" {finding.name}",
        )
        sections.append(short.Section(title, tuple(blocks)))
    return short.ShortDocument(
        title=engine_title(run.analysis.identity),
        summary=sum_up(run),
        blocks=table if detail == "documented" else (),
        sections=(*sections, *_others(run, detail)),
    )


def _table(findings: Sequence[Finding]) -> tuple[short.Table, ...]:
    columns = (*FINDING_COLUMNS, short.Column("Places", is_number=True))
    rows = tuple((*finding_row(each), str(len(each.places))) for each in findings)
    return (short.Table(columns, rows, noun="finding"),) if rows else ()


def _consequences(run: LintRun, finding: Finding, detail: Detail) -> Iterator[short.Item]:
    for text, each in zip(consequence_lines(finding), finding.consequences, strict=True):
        places = each.places if detail == "verbose" else ()
        yield short.Item(
            text, tuple(_names(run.layers(place), _MAX_LAYERS) for place in places if place.layers)
        )


def finding_row(finding: Finding) -> tuple[str | short.Span, ...]:
    """Return the cells of a finding, in the order of `FINDING_COLUMNS`."""
    return finding.message, short.severity_mark(finding.severity), finding.code, savings(finding.gain)


def _place(run: LintRun, place: Place, detail: Detail, finding: Finding) -> short.Item | None:
    layers = run.layers(place)
    if detail == "brief" and not layers and len(finding.places) > 1:
        # The summary of several places only counts those without layers.
        return short.Item((sentence(place),))
    if detail == "brief":
        is_stated = place.gain is None or (len(finding.places) == 1 and place.gain == finding.gain)
        gain = () if is_stated else (f"{savings(place.gain)}  ",)
        source = place.evidence.get("source")
        where = (f" ({source})",) if source else ()
        return short.Item((*gain, *_names(layers, 1), *where)) if layers else None
    evidence = [(f"{label}: ", short.Span(value, "code")) for label, value in place.evidence.items()]
    if detail == "verbose":
        named_layers = [short.named(layer.name) for layer in layers]
        if layers and sentence(place) == sentence(finding):
            # The only place of most findings is the whole of it: its sentence is above already.
            one = named_layers.pop() if len(layers) == 1 else f"{format_count(len(layers))} layers"
            return short.Item(one, (*named_layers, *evidence))
        return short.Item(sentence(place), (*named_layers, *evidence))
    names = _names(layers, _MAX_LAYERS) or ("The whole engine",)
    return short.Item((*names, f": {sentence(place)}"), tuple(evidence))


def _names(layers: list[LayerFacts], max_shown: int) -> tuple[str | short.Span, ...]:
    parts: list[str | short.Span] = []
    for layer in layers[:max_shown]:
        parts += [", ", short.Span(short.named(layer.name), "code")]
    if len(layers) > max_shown:
        parts.append(f" and {format_count(len(layers) - max_shown)} more")
    return tuple(parts[1:])


def _others(run: LintRun, detail: Detail) -> list[short.Section]:
    """Return broken rules and remarks; unless it is brief, also what was skipped and suppressed."""
    lint, in_full = run.analysis.lint, detail != "brief"
    suppressed = [
        f"{each.code} at {layer_names(run, each.place, _MAX_LAYERS) or 'the whole engine'}: {each.reason}"
        for each in lint.suppressed
    ]
    lists = {
        "Broken rules": [f"{each.code} {each.name}: {each.reason}" for each in run.unchecked("broken")],
        "Remarks": lint.remarks,
        "Skipped rules": [f"{each.code} {each.name}: {each.reason}" for each in run.unchecked("skipped")]
        if in_full
        else [],
        "Suppressed": suppressed if in_full else [],
    }
    return [
        short.Section(title, (short.Items(tuple(map(short.Item, lines)), noun="line"),))
        for title, lines in lists.items()
        if lines
    ]
