"""The folder of a site: its earlier pages, what is written this time, and what is remembered."""

from __future__ import annotations

from dataclasses import replace

from trexreport.errors import OutputError
from trexreport.site.discovery import MANIFEST_NAME
from trexreport.site.entries import Memory, is_manifest, read_memory, write_memory
from trexreport.site.folders import OutputFolder


class Published:
    """The folder of one site, while that is made.

    Attributes:
        options: Hash of all that pages depend on besides captures.
        memory: What was known when the site was last made.
        removed: How many pages of what is gone were removed.
    """

    def __init__(self, output: OutputFolder, options: str, *, force: bool) -> None:
        """Read what is known of the site.

        Raises:
            OutputError: The folder contains something other than a site, and `force` is not given.
        """
        self.options, self.memory, self.removed = options, _read(output, force=force), 0
        self._output = output
        self._there = output.names() if self.memory.pages else set()
        self._is_claimed = bool(self.memory.pages)
        self._pages: set[str] = set()

    def has(self, name: str) -> bool:
        """Whether a page was in the folder at the start."""
        return name in self._there

    def keep(self, name: str) -> None:
        """Note that a page is still one of the site."""
        self._pages.add(name)

    def write(self, name: str, data: bytes) -> None:
        """Write a page."""
        if not self._is_claimed:
            # Even if the program is killed before its end, the next run knows the folder as its own.
            self._output.write(MANIFEST_NAME, write_memory(Memory()))
            self._is_claimed = True
        self._output.write(name, data)
        self.keep(name)

    def update(self, name: str, data: bytes) -> None:
        """Write a page unless it is there already."""
        if self.has(name) and self._output.read(name) == data:
            self.keep(name)
        else:
            self.write(name, data)

    def finish(self, known: Memory) -> None:
        """Remove the pages of captures that are gone, and write down what is known.

        Raises:
            OutputError: A page can't be removed; the next run tries again.
        """
        stuck: dict[str, OutputError] = {}
        for name in sorted(self.memory.pages & self._there - self._pages):
            try:
                self._output.remove(name)
                self.removed += 1
            except OutputError as error:  # noqa: PERF203 - the other pages are removed all the same
                stuck[name] = error
        self._output.clear()
        self._remember(replace(known, pages=frozenset(self._pages | stuck.keys())))
        if stuck:
            raise next(iter(stuck.values()))

    def interrupt(self, known: Memory) -> None:
        """Write down what is known, and what was known of all that was not come to."""
        before = self.memory
        # Pages that were made with other options are none that the next run could keep.
        entries = before.entries if before.options == self.options else {}
        self._remember(
            Memory(
                self.options,
                {**entries, **known.entries},
                {**before.skipped, **known.skipped},
                {**before.carried, **known.carried},
                {**before.verdicts, **known.verdicts},
                {**before.comparisons, **known.comparisons},
                before.pages | self._pages,
            )
        )

    def _remember(self, memory: Memory) -> None:
        if not memory.pages:
            return
        data = write_memory(memory)
        if self._output.read(MANIFEST_NAME) != data:
            self._output.write(MANIFEST_NAME, data)


def _read(output: OutputFolder, *, force: bool) -> Memory:
    written = output.read(MANIFEST_NAME)
    if not (written and is_manifest(written)) and not force and not output.is_empty():
        raise OutputError(
            f"{output.place} is not empty and contains no site of trexreport.",
            "Choose another folder, or use --force to keep the other files beside the site.",
        )
    return read_memory(written)
