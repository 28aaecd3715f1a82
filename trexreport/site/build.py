"""Make a site, or what has changed of it since the last time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from trexreport import __version__
from trexreport.analyzer.comparison.compare_engines import runs_of
from trexreport.errors import InputError
from trexreport.lazy_dataclass import dataclass
from trexreport.reader import assemble
from trexreport.site.captures import read_capture
from trexreport.site.comparison_pages import ComparisonPages
from trexreport.site.contents import Site
from trexreport.site.discovery import Found, discover
from trexreport.site.engine_pages import EnginePages
from trexreport.site.entries import Entry, Failure, Memory
from trexreport.site.folders import InputFolder, OutputFolder, hash_of
from trexreport.site.history import RunComparator, TimesOf, histories_of
from trexreport.site.jobs import PageOptions
from trexreport.site.pages import render_pages
from trexreport.site.published import Published
from trexreport.site.redactor import SiteRedactor
from trexreport.site.workers import Progress, Workers

#: Which pages of comparisons are made beforehand.
COMPARISONS = ("none", "steps", "previous")
#: How many captures' times are kept while the history is judged: those of a level and a few runs.
_TIMES_KEPT = 32


@dataclass(frozen=True)
class SiteOptions:
    """How a site is made.

    Attributes:
        page: Of engines' pages.
        title: Of the index; empty for how many engines there are.
        comparisons: One of `COMPARISONS`: none, each step against the run before it, or each run likewise.
        force: Write into a folder that holds what trexreport did not write.
    """

    page: PageOptions
    title: str = ""
    comparisons: str = "steps"
    force: bool = False

    def key(self) -> str:
        """Return a hash of all that the page of an engine depends on besides its capture."""
        settings, redaction = self.page.settings, self.page.redaction
        if all(suppression.until is None for suppression in settings.lint.suppressions):
            # The day matters only for suppressions that expire.
            settings = replace(settings, lint=replace(settings.lint, today=None))
        hidden = (*sorted(redaction.kinds), redaction.key.hex()) if redaction else ()
        return hash_of(__version__, repr(replace(self.page, settings=settings, redaction=None)), *hidden)


def build_site(
    inputs: Sequence[InputFolder],
    output: OutputFolder,
    options: SiteOptions,
    workers: Workers,
    progress: Progress = lambda *_: None,
) -> Site:
    """Make the site of all captures and reports below folders, or bring it up to date.

    What is made is remembered even if an exception ends it midway, so that nothing is made twice.

    Raises:
        InputError: There is no capture at all, or a folder can't be read.
        OutputError: The output contains other files, or can't be written.
    """
    redactor = SiteRedactor(options.page.redaction)
    found = [redactor.found(each) for folder in inputs for each in discover(folder)]
    by_place = {each.place: each for each in found}
    published = Published(output, options.key(), force=options.force)
    engines = EnginePages(published, options.page, redactor.secret)
    comparisons = ComparisonPages(published, options.page, by_place)
    comparator = RunComparator(
        _times_of(by_place), options.page.settings.verdict, dict(published.memory.verdicts)
    )

    def known() -> Memory:
        return Memory(
            options.key(),
            engines.entries,
            engines.skipped,
            engines.carried,
            comparator.verdicts,
            comparisons.fingerprints,
        )

    try:
        entries = engines.make(found, workers, progress)
        failures = [each for folder in inputs for each in redactor.unreadable(folder)] + engines.failures
        _refuse_nothing(entries, failures, inputs)
        histories = histories_of(entries, comparator)
        comparisons.make(histories, options.comparisons, workers, progress)
        failures = sorted(failures + comparisons.failures, key=lambda failure: failure.place)
        made = engines.made + comparisons.made
        site = Site(entries, failures, histories, comparisons.addresses, made)
        shown = replace(site, failures=redactor.failures(failures))
        labels = [redactor.label(folder) for folder in inputs]
        for name, page in render_pages(shown, labels, options.title, redactor.kinds):
            published.update(name, page)
    except BaseException:
        published.interrupt(known())
        raise
    published.finish(known())
    return replace(site, removed=published.removed)


def _times_of(found: dict[str, Found]) -> TimesOf:
    """Return what reads the times of an engine's runs from its capture."""

    @lru_cache(maxsize=_TIMES_KEPT)
    def times_of(place: str, column: str) -> list[Sequence[float]]:
        return runs_of(assemble(read_capture(found[place])), column)

    return lambda entry, column: times_of(entry.place, column)


def _refuse_nothing(
    entries: Sequence[Entry], failures: Sequence[Failure], inputs: Iterable[InputFolder]
) -> None:
    """Raise if there is nothing to show."""
    if not entries and not failures:
        raise InputError(
            f"There is no capture below {', '.join(folder.label for folder in inputs)}.",
            "A capture is what trtexec exports, at least *.graph.json; or a report with its inputs.",
        )
