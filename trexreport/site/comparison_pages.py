"""Make the pages that compare two runs of a history."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise

from trexreport.errors import TrexReportError
from trexreport.site.captures import Read, read_found
from trexreport.site.discovery import Found
from trexreport.site.entries import Entry, Failure
from trexreport.site.folders import hash_of
from trexreport.site.history import History
from trexreport.site.jobs import PageOptions, make_comparison, reason, result_of
from trexreport.site.published import Published
from trexreport.site.workers import Progress, Workers

#: Two engines, the earlier one first.
Pair = tuple[Entry, Entry]


class ComparisonPages:
    """The pages of all comparisons.

    Attributes:
        addresses: Page to the addresses of the earlier and the later engine.
        fingerprints: Page to hash of its inputs.
        failures: Comparisons that could not be made.
        made: How many pages were made.
    """

    def __init__(self, published: Published, options: PageOptions, found: Mapping[str, Found]) -> None:
        """Begin.

        Args:
            published: Where the pages go.
            options: What they have in common.
            found: Captures by place.
        """
        self._published, self._options, self._found = published, options, found
        self.addresses: dict[str, tuple[str, str]] = {}
        self.fingerprints: dict[str, str] = {}
        self.failures: list[Failure] = []
        self.made = 0

    def make(self, histories: Sequence[History], which: str, workers: Workers, progress: Progress) -> None:
        """Make the pages of what has changed.

        Args:
            histories: Whose runs are compared.
            which: One of `COMPARISONS`.
            workers: Run the jobs.
            progress: Is called for each.
        """
        pairs = {
            f"compare/{before.address}--{after.address}.html": (before, after)
            for history in histories
            for before, after in _pairs(history, which)
        }
        for done, (name, outcome) in enumerate(workers.run(make_comparison, self._tasks(pairs)), 1):
            progress(done, len(pairs), name)
            made = result_of(outcome)
            if made.error:
                self._failed(pairs[name], made.error)
                continue
            self._published.write(name, made.page)
            self._keep(name, pairs[name])
            self.made += 1

    def _tasks(
        self, pairs: Mapping[str, Pair]
    ) -> Iterator[tuple[str, tuple[Read, Read, tuple[str, str], PageOptions]]]:
        """Yield the jobs of comparisons that have changed, and note the others as they come by."""
        for name, pair in sorted(pairs.items()):
            if self._published.memory.comparisons.get(name) == self._key(pair) and self._published.has(name):
                self._keep(name, pair)
                continue
            try:
                before, after = (
                    read_found(self._found[each.place], self._options.redaction) for each in pair
                )
            except TrexReportError as error:
                self._failed(pair, reason(error))
                continue
            yield name, (before, after, _titles(*pair), self._options)

    def _key(self, pair: Pair) -> str:
        return hash_of(self._published.options, *(each.fingerprint for each in pair))

    def _keep(self, name: str, pair: Pair) -> None:
        self._published.keep(name)
        self.addresses[name] = pair[0].address, pair[1].address
        self.fingerprints[name] = self._key(pair)

    def _failed(self, pair: Pair, error: str) -> None:
        before, after = (self._found[each.place] for each in pair)
        place, origin = f"{after.place} vs. {before.place}", f"{after.origin} vs. {before.origin}"
        self.failures.append(Failure(place, error, origin))


def _pairs(history: History, which: str) -> Iterator[Pair]:
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
    dates = [each.summary.date.replace("T", " ") for each in (before, after)]
    days = [date[:10] for date in dates]
    marks: Collection[str] = days if days[0] != days[1] else dates
    if len({*marks}) < 2 or not all(marks):
        ends = [each.place.rpartition("/")[0].rpartition("/")[2] for each in (before, after)]
        marks = ends if ends[0] != ends[1] else (before.place, after.place)
    one, other = (f"{name} ({mark})" for name, mark in zip(names, marks, strict=True))
    return one, other
