"""Make a site, or what has changed of it since the last time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise

from trexreport import __version__
from trexreport.analyzer.comparison.compare_engines import runs_of
from trexreport.errors import InputError, OutputError, TrexReportError
from trexreport.reader import assemble
from trexreport.reader.containers import is_comparison, is_report
from trexreport.reader.locate import Capture, locate
from trexreport.reader.pdf_file import find_manifest, is_pdf
from trexreport.site.addresses import address_of
from trexreport.site.discovery import MANIFEST_NAME, Found, discover
from trexreport.site.entries import Entry, Failure, Memory, is_manifest, read_memory, write_memory
from trexreport.site.folders import InputFolder, OutputFolder, hash_of
from trexreport.site.history import History, Referee, histories_of
from trexreport.site.jobs import PageOptions, make_comparison, make_page, reason
from trexreport.site.pseudonyms import Teller
from trexreport.site.summary import EngineSummary
from trexreport.site.workers import Workers

#: Which pages of comparisons are made beforehand.
COMPARISONS = ("none", "steps", "previous")
#: Captures come first: a report or archive of one that is there says nothing new.
_KINDS = ("capture", "archive", "report")
#: How many captures' times are kept while the history is judged: those of a level and a few runs.
_TIMES_KEPT = 32
#: Of an engine whose page is still to be made.
_NOTHING = EngineSummary("")
#: Told of what was done: how much of how much, and of what.
Progress = Callable[[int, int, str], None]


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
        if all(suppression.until is None for suppression in settings.suppressions):
            # The day matters only for what expires on one.
            settings = replace(settings, today=None)
        hidden = (*sorted(redaction.kinds), redaction.key.hex()) if redaction else ()
        return hash_of(__version__, repr(replace(self.page, settings=settings, redaction=None)), *hidden)


@dataclass
class Site:
    """What was made.

    Attributes:
        entries: Engines, in the order of their places.
        failures: Captures and comparisons that could not be made.
        histories: Of models and GPUs.
        comparisons: Page to the addresses of the earlier and the later engine.
        made: How many pages of engines and comparisons were made anew.
        removed: How many pages of captures that are gone were removed.
    """

    entries: list[Entry] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    histories: list[History] = field(default_factory=list)
    comparisons: dict[str, tuple[str, str]] = field(default_factory=dict)
    made: int = 0
    removed: int = 0


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
        OutputError: The output is somebody else's, or can't be written.
    """
    teller = Teller(options.page.redaction)
    found = [teller.found(each) for folder in inputs for each in discover(folder)]
    memory = read_site(output, force=options.force)
    builder = _Builder(output, options, workers, progress=progress, memory=memory, teller=teller)
    builder.site.failures += [each for folder in inputs for each in teller.unreadable(folder)]
    try:
        builder.make_engines(found)
        builder.refuse_nothing([folder.label for folder in inputs])
        builder.make_history(found)
        builder.make_own_pages([teller.label(folder) for folder in inputs])
    except BaseException:
        builder.remember(is_complete=False)
        raise
    builder.remember(is_complete=True)
    return builder.site


def read_site(output: OutputFolder, *, force: bool) -> Memory:
    """Return what is known of the site in a folder.

    Raises:
        OutputError: The folder holds something that is no site of trexreport, and `force` is not given.
    """
    written = output.read(MANIFEST_NAME)
    if not (written and is_manifest(written)) and not force and not output.is_empty():
        raise OutputError(
            f"{output.place} is not empty and holds no site of trexreport.",
            "Choose another folder, or use --force to write among what is there.",
        )
    return read_memory(written)


class _Builder:
    """Makes one site."""

    def __init__(
        self,
        output: OutputFolder,
        options: SiteOptions,
        workers: Workers,
        *,
        progress: Progress,
        memory: Memory,
        teller: Teller,
    ) -> None:
        self.output, self.options, self.workers, self.progress = output, options, workers, progress
        self.memory, self.key = memory, options.key()
        self.there = output.names() if memory.pages else set()
        self.site, self.teller = Site(), teller
        self.entries: dict[str, Entry] = {}
        self.considered, self.is_claimed = 0, bool(memory.pages)
        self.pages: set[str] = set()
        self.skipped: dict[str, str] = {}
        self.carried: dict[str, tuple[str, str]] = {}
        self.verdicts: dict[str, str] = {}
        self.made_from: dict[str, str] = {}

    def make_engines(self, found: Sequence[Found]) -> None:
        """Make the pages of engines that are new or have changed."""
        ordered = sorted(found, key=lambda each: (_KINDS.index(each.kind), each.place))
        origins = {each.place: each.origin for each in found}
        for entry, made in self.workers.run(make_page, self._tasks(ordered)):
            self.progress(self.considered, len(ordered), origins[entry.place])
            if isinstance(made, BaseException) or made.summary is None:
                error = reason(made) if isinstance(made, BaseException) else made.error
                self.site.failures.append(Failure(entry.place, error, origins[entry.place]))
                continue
            self._write(entry.page, made.page)
            self._keep(replace(entry, page_bytes=len(made.page), summary=made.summary))
            self.site.made += 1
        self.site.entries = [self.entries[place] for place in sorted(self.entries)]

    def refuse_nothing(self, labels: Sequence[str]) -> None:
        """Raise unless there is something to tell."""
        if not self.entries and not self.site.failures:
            raise InputError(
                f"There is no capture below {', '.join(labels)}.",
                "A capture is what trtexec exports, at least *.graph.json; or a report with its inputs.",
            )

    def _tasks(self, found: Sequence[Found]) -> Iterator[tuple[Entry, tuple[Capture, str, PageOptions]]]:
        """Yield the jobs of captures that have changed, and note the others as they come by."""
        inputs: set[str] = set()
        addresses: set[str] = set()
        for self.considered, each in enumerate(found, 1):
            address = address_of(each.place, addresses)
            addresses.add(address)
            old = self._unchanged(each.place)
            if each.version and each.version == self.memory.skipped.get(each.place):
                self.skipped[each.place] = each.version
                continue
            version, carried = self.memory.carried.get(each.place, ("", ""))
            if each.version and version == each.version and carried in inputs:
                self.carried[each.place] = version, carried
                continue
            is_as_before = old is not None and each.version and each.version == old.version
            if old and is_as_before and (each.kind == "capture" or old.inputs not in inputs):
                self._keep(old)
                inputs.add(old.inputs)
                continue
            capture = self._located(each)
            if capture is None:
                continue
            files = sorted(f"{source.role} {source.sha256}" for source in capture.sources)
            own = hash_of(*self.teller.secret, *files)
            if each.kind != "capture" and own in inputs:
                self.carried[each.place] = each.version, own
                continue
            inputs.add(own)
            fingerprint = hash_of(own, capture.name, str(capture.optimization_profile))
            if old and old.fingerprint == fingerprint:
                self._keep(replace(old, version=each.version))
                continue
            empty = Entry(each.place, address, each.version, fingerprint, own, each.kind, 0, _NOTHING)
            yield empty, (capture, each.place, self.options.page)

    def _unchanged(self, place: str) -> Entry | None:
        """Return what is known of a capture if its page is there and was made as it would be now."""
        old = self.memory.entries.get(place)
        return old if old and self.memory.options == self.key and old.page in self.there else None

    def _keep(self, entry: Entry) -> None:
        self.entries[entry.place] = entry
        self.pages.add(entry.page)

    def _located(self, found: Found) -> Capture | None:
        """Return the files of a capture; None if they can't be read, or are no capture."""
        try:
            return read_capture(found)
        except Exception as error:  # noqa: BLE001 - one capture must not stop the others
            if found.kind == "report" and not _carries_inputs(found):
                self.skipped[found.place] = found.version
            else:
                self.site.failures.append(Failure(found.place, reason(error), found.origin))
            return None

    def make_history(self, found: Sequence[Found]) -> None:
        """Find the steps, and make the pages that compare runs."""
        by_place = {each.place: each for each in found}

        @lru_cache(maxsize=_TIMES_KEPT)
        def times_of(place: str, column: str) -> list[Sequence[float]]:
            return runs_of(assemble(read_capture(by_place[place])), column)

        referee = Referee(lambda entry, column: times_of(entry.place, column), dict(self.memory.verdicts))
        try:
            self.site.histories = histories_of(self.site.entries, referee)
        finally:
            self.verdicts = referee.verdicts
        pairs = {
            f"compare/{before.address}--{after.address}.html": (before, after)
            for history in self.site.histories
            for before, after in _pairs(history, self.options.comparisons)
        }
        done = 0
        for name, made in self.workers.run(make_comparison, self._comparisons(pairs, by_place)):
            done += 1
            self.progress(done, len(pairs), name)
            if isinstance(made, BaseException) or made.error:
                error = reason(made) if isinstance(made, BaseException) else made.error
                self._not_compared(pairs[name], by_place, error)
                continue
            self._write(name, made.page)
            self._compared(name, pairs[name])
            self.site.made += 1

    def _comparisons(
        self, pairs: dict[str, tuple[Entry, Entry]], found: dict[str, Found]
    ) -> Iterator[tuple[str, tuple[Capture, Capture, tuple[str, str], PageOptions]]]:
        """Yield the jobs of comparisons that have changed."""
        for name, pair in sorted(pairs.items()):
            key = hash_of(self.key, *(each.fingerprint for each in pair))
            if self.memory.comparisons.get(name) == key and name in self.there:
                self._compared(name, pair)
                continue
            try:
                before, after = (read_capture(found[each.place]) for each in pair)
            except TrexReportError as error:
                self._not_compared(pair, found, reason(error))
                continue
            yield name, (before, after, _titles(*pair), self.options.page)

    def _not_compared(self, pair: tuple[Entry, Entry], found: dict[str, Found], error: str) -> None:
        before, after = (found[each.place] for each in pair)
        failure = Failure(
            f"{after.place} against {before.place}", error, f"{after.origin} against {before.origin}"
        )
        self.site.failures.append(failure)

    def _compared(self, name: str, pair: tuple[Entry, Entry]) -> None:
        self.pages.add(name)
        self.site.comparisons[name] = pair[0].address, pair[1].address
        self.made_from[name] = hash_of(self.key, *(each.fingerprint for each in pair))

    def make_own_pages(self, labels: Sequence[str]) -> None:
        """Make the index, the page that compares figures, and the histories."""
        from trexreport.site.pages import render_pages

        self.site.failures.sort(key=lambda failure: failure.place)
        told = replace(self.site, failures=self.teller.failures(self.site.failures))
        for name, page in render_pages(told, labels, self.options.title, self.teller.kinds):
            if name not in self.there or self.output.read(name) != page:
                self._write(name, page)
            self.pages.add(name)

    def _write(self, name: str, data: bytes) -> None:
        if not self.is_claimed:
            # Even if the program is killed before its end, the next run knows the folder as its own.
            self.output.write(MANIFEST_NAME, write_memory(Memory()))
            self.is_claimed = True
        self.output.write(name, data)
        self.pages.add(name)

    def remember(self, *, is_complete: bool) -> None:
        """Remove the pages of what is gone, and write down what was made."""
        pages = self.pages
        if is_complete:
            for name in sorted(self.memory.pages & self.there - self.pages):
                self.output.remove(name)
                self.site.removed += 1
            self.output.clear()
        else:
            pages = self.pages | self.memory.pages
        if not pages:
            return
        memory = Memory(
            self.key,
            self.entries,
            self.skipped,
            self.carried,
            self.verdicts,
            self.made_from,
            frozenset(pages),
        )
        data = write_memory(memory)
        if self.output.read(MANIFEST_NAME) != data:
            self.output.write(MANIFEST_NAME, data)


def read_capture(found: Found) -> Capture:
    """Return the files of a capture.

    Raises:
        InputError: They can't be read, or are no capture.
    """
    with found.folder.on_disk(found.files) as folder:
        return locate([folder / path for path in found.paths])


def _carries_inputs(found: Found) -> bool:
    """Tell whether a page or PDF claims to carry one capture, so that it matters that it can't be read."""
    try:
        with found.folder.on_disk(found.files) as folder:
            data = (folder / found.paths[0]).read_bytes()
    except (TrexReportError, OSError):
        return True
    if is_comparison(data, found.paths[0]):
        return False
    if is_pdf(data):
        return find_manifest(data) is not None
    return is_report(data) and b'id="trexreport-inputs"' in data


def _pairs(history: History, which: str) -> Iterator[tuple[Entry, Entry]]:
    """Yield the runs to compare, the earlier one first."""
    for variant in history.variants:
        if which == "steps":
            yield from ((run.before, run.entry) for run in variant.runs if run.before)
        elif which == "previous":
            yield from ((one.entry, other.entry) for one, other in pairwise(variant.runs))


def _titles(before: Entry, after: Entry) -> tuple[str, str]:
    """Return the names of two engines; equal ones with their dates, or where they were found."""
    names = before.summary.name, after.summary.name
    if names[0] != names[1]:
        return names
    marks: Collection[str] = (before.summary.date, after.summary.date)
    if len({*marks}) < 2 or not all(marks):
        ends = [each.place.rpartition("/")[0].rpartition("/")[2] for each in (before, after)]
        marks = ends if ends[0] != ends[1] else (before.place, after.place)
    one, other = (f"{name} ({mark})" for name, mark in zip(names, marks, strict=True))
    return one, other
