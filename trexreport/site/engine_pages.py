"""Make the pages of engines that are new or have changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from trexreport.reader.capture import Capture
from trexreport.site.captures import Read, carries_inputs, read_found
from trexreport.site.discovery import Found
from trexreport.site.entries import Entry, Failure, address_of
from trexreport.site.folders import hash_of
from trexreport.site.jobs import PageOptions, make_page, reason, result_of
from trexreport.site.published import Published
from trexreport.site.summary import EngineSummary
from trexreport.site.workers import Progress, Workers

#: Captures come first: a report or archive of one that is there says nothing new.
_KINDS = ("capture", "set", "archive", "report")
_OWN = ("capture", "set")
#: Of an engine whose page is still to be made.
_NOTHING = EngineSummary("")


class EnginePages:
    """The pages of all engines.

    Attributes:
        entries: By place, what is in the site.
        skipped: Place to version of pages that are not reports.
        carried: Place of a report to its version and the hash of the files in it, which are there already.
        failures: Captures that could not be read or rendered.
        made: How many pages were made.
    """

    def __init__(self, published: Published, options: PageOptions, secret: Sequence[str]) -> None:
        """Begin.

        Args:
            published: Where the pages go.
            options: What they have in common.
            secret: What goes into the hashes of files.
        """
        self._published, self._options, self._secret = published, options, secret
        self.entries: dict[str, Entry] = {}
        self.skipped: dict[str, str] = {}
        self.carried: dict[str, tuple[str, str]] = {}
        self.failures: list[Failure] = []
        self.made = 0
        self._considered = 0
        self._inputs: set[str] = set()

    def make(self, found: Sequence[Found], workers: Workers, progress: Progress) -> list[Entry]:
        """Make the pages of what has changed, and return all engines in the order of their places."""
        ordered = sorted(found, key=_turn)
        origins = {each.place: each.origin for each in found}
        for entry, outcome in workers.run(make_page, self._tasks(ordered)):
            progress(self._considered, len(ordered), origins[entry.place])
            made = result_of(outcome)
            if made.summary is None:
                self.failures.append(Failure(entry.place, made.error, origins[entry.place]))
                continue
            self._published.write(entry.page, made.page)
            self._keep(replace(entry, page_bytes=len(made.page), summary=made.summary))
            self.made += 1
        return [self.entries[place] for place in sorted(self.entries)]

    def _tasks(self, found: Sequence[Found]) -> Iterator[tuple[Entry, tuple[Read, str, PageOptions]]]:
        """Yield the jobs of captures that have changed, and note the others as they come by."""
        addresses: set[str] = set()
        for self._considered, each in enumerate(found, 1):
            address = address_of(each.place, addresses)
            addresses.add(address)
            if self._is_as_before(each):
                continue
            capture = self._located(each)
            if capture is None:
                continue
            own = hash_of(*self._secret, *_files_of(capture))
            if each.kind not in _OWN and own in self._inputs:
                self.carried[each.place] = each.version, own
                continue
            self._inputs.add(own)
            fingerprint = hash_of(own, *_names_of(capture))
            old = self._made_before(each.place)
            if old and old.fingerprint == fingerprint:
                self._keep(replace(old, version=each.version))
                continue
            empty = Entry(each.place, address, each.version, fingerprint, own, each.kind, 0, _NOTHING)
            yield empty, (capture, each.place, self._options)

    def _is_as_before(self, found: Found) -> bool:
        """Whether the version of its files says that all is as it was, and note what that is."""
        if not found.version:
            return False
        memory = self._published.memory
        if found.version == memory.skipped.get(found.place):
            self.skipped[found.place] = found.version
            return True
        version, inputs = memory.carried.get(found.place, ("", ""))
        if version == found.version and inputs in self._inputs:
            self.carried[found.place] = version, inputs
            return True
        old = self._made_before(found.place)
        if old is None or old.version != found.version:
            return False
        if found.kind not in _OWN and old.inputs in self._inputs:
            return False
        self._keep(old)
        self._inputs.add(old.inputs)
        return True

    def _made_before(self, place: str) -> Entry | None:
        """Return what is known of a capture if its page is there and was made as it would be now."""
        memory = self._published.memory
        old = memory.entries.get(place)
        is_usable = old and memory.options == self._published.options and self._published.has(old.page)
        return old if is_usable else None

    def _keep(self, entry: Entry) -> None:
        self.entries[entry.place] = entry
        self._published.keep(entry.page)

    def _located(self, found: Found) -> Read | None:
        """Return the files of a capture or of phases; None if they can't be read, or are not a capture."""
        try:
            return read_found(found, self._options.redaction)
        except Exception as error:  # noqa: BLE001 - one capture must not stop the others
            if found.kind == "report" and not carries_inputs(found):
                self.skipped[found.place] = found.version
            else:
                self.failures.append(Failure(found.place, reason(error), found.origin))
            return None


def _turn(found: Found) -> tuple[int, str, str]:
    """Return what orders captures: those of one name together, as a worker remembers much of one graph."""
    return _KINDS.index(found.kind), found.place.rpartition("/")[2], found.place


def _files_of(found: Read) -> list[str]:
    """Return what is equal for a capture and a report of it: role and hash of each file, and the counts."""
    if isinstance(found, Capture):
        return sorted(f"{source.role} {source.sha256}" for source in found.sources)
    return [
        text
        for phase in found.phases
        if phase.capture is not None
        for text in (f"{phase.name} {found.times.get(phase.name)}", *_files_of(phase.capture))
    ]


def _names_of(found: Read) -> list[str]:
    if isinstance(found, Capture):
        return [found.name, str(found.optimization_profile)]
    captures = [phase.capture for phase in found.phases if phase.capture is not None]
    return [found.title, *(name for each in captures for name in _names_of(each))]
