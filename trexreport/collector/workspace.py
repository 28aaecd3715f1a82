"""Where the files of a capture are made, and how they come to their place, whole or marked as incomplete.

All is made in a folder `X.engine.incomplete` within the capture's, which is also what a killed collector
leaves. The manifest there says "incomplete" from the first moment on. When all is done the capture's own
manifest says so, too, until every file was moved; it is replaced last. A lock that dies with its process
keeps a second collector away.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from trexreport.collector.flags import Stage
from trexreport.collector.jobs import TIMING_CACHE, Job
from trexreport.collector.journal import Journal
from trexreport.errors import OutputError
from trexreport.output import write_output
from trexreport.regex import regex

if sys.platform != "win32":
    import fcntl

#: As much of a file's name as that of its temporary one begins with.
_SHARED_START = 40
#: What follows the engine's name in the names of a capture's files, those of TREx among them.
_OWN_ENDING = regex(
    r"\.(?:graph|gpu|capture|onnx-structure|(?:build\.|profile\.)?metadata|samples|profile|timing(?:\.\d+)?)\.json"
    r"|\.accuracy(?:-reference)?\.(?:json|out)"
    r"|\.(?:build|profile|timing(?:\.\d+)?)\.log|\.nsys\.(?:sqlite|out)|\.ncu\.(?:csv|out)"
)
_OF_THE_BUILD = (".build.log", ".build.metadata.json", ".onnx-structure.json")
_DATA_ENDING = regex(r"(?:\.(?:accuracy|graph|samples|profile|timing(?:\.\d+)?)\.json)?")


class Workspace:
    """The folder of a capture while it is made.

    Attributes:
        folder: Where the capture goes.
        working: The folder within, in which the files are made.
        gpus_of_cache: Names of the GPUs of earlier captures here, and so of the timing cache that a build
            goes on with; empty if there is none.
    """

    def __init__(self, job: Job) -> None:
        self._builds = job.builds
        self._prefix = Path(job.path("")).name
        self._manifest = f"{self._prefix}.capture.json"
        self.folder = Path(job.folder)
        self.working = self.folder / f"{self._prefix}.incomplete"
        self.gpus_of_cache: frozenset[str] = frozenset()

    @contextmanager
    def opened(self, *, force: bool) -> Iterator[None]:
        """Hold the folder for one collector, with an empty folder to work in.

        Args:
            force: Whether an earlier capture may be replaced in the end.

        Raises:
            OutputError: An earlier capture is there, or another collector, or nothing can be written.
        """
        with _explained(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        with _locked(self.folder):
            with _explained(self.folder):
                if not force:
                    self._refuse_earlier()
                self._clear()
                self.working.mkdir()
                cache = self.folder / TIMING_CACHE
                if cache.is_file():
                    shutil.copyfile(cache, self.working / TIMING_CACHE)
                    self.gpus_of_cache = self._gpus()
            yield

    def final(self, path: str) -> str:
        """Return where a file of the folder in work will be in the end; any other path as it is."""
        place = Path(path)
        return str(self.folder / place.name) if place.parent == self.working else path

    def write_manifest(self, content: bytes) -> None:
        """Put the manifest beside the files in work."""
        write_output(self.working / self._manifest, content, force=True)

    def is_of_engine(self, sha256: str) -> bool:
        """Return whether the earlier capture is of an engine with this hash, as its manifest says."""
        return bool(_fact(self.folder / self._manifest, "engine", "sha256") == sha256)

    def publish(
        self, journal: Journal, *, incomplete: bytes, complete: bytes, keeps_build: bool = False
    ) -> None:
        """Move the whole capture to its place; what an earlier one has more is removed.

        Args:
            journal: What was done.
            incomplete: The manifest to stand there meanwhile.
            complete: The one to stand there at the end.
            keeps_build: Whether to keep the earlier build record, because it describes this engine.
        """
        with _explained(self.folder):
            kept = {f"{self._prefix}{ending}" for ending in _OF_THE_BUILD} if keeps_build else set()
            self._move(journal, incomplete, kept)
            write_output(self.folder / self._manifest, complete, force=True)

    def keep(self, journal: Journal, *, incomplete: bytes) -> Path:
        """Keep what was finished, marked as incomplete, and return the folder that it is in.

        That is the capture's own folder, unless data of an earlier capture are there.
        """
        with _explained(self.folder):
            known = {Path(path).name for run in journal.runs if run.finished for path in run.command.writes}
            known |= {Path(run.command.log).name for run in journal.runs}
            for path in self._made():
                # What a failed run left may look whole.
                if path.name not in known:
                    path.unlink()
            self.write_manifest(incomplete)
            if self._has_earlier_data():
                return self.working
            self._move(journal, incomplete, set())
            return self.folder

    def _move(self, journal: Journal, incomplete: bytes, kept: set[str]) -> None:
        """Move everything to the capture's folder, under a manifest that says "incomplete"."""
        earlier = {path.name for path in self._earlier()}
        write_output(self.folder / self._manifest, incomplete, force=True)
        if any(run.finished and run.command.stage is Stage.BUILD for run in journal.runs):
            with contextlib.suppress(FileNotFoundError):
                (self.working / TIMING_CACHE).replace(self.folder / TIMING_CACHE)
        made = self._made()
        for path in made:
            path.replace(self.folder / path.name)
        for name in sorted(earlier - {path.name for path in made} - {self._manifest} - kept):
            (self.folder / name).unlink()
        shutil.rmtree(self.working)

    def _gpus(self) -> frozenset[str]:
        found = (_fact(path, "gpu", "name") for path in self.folder.glob("*.engine.capture.json"))
        return frozenset(name for name in found if isinstance(name, str))

    def _made(self) -> list[Path]:
        """Return the files of the capture in work, without the manifest; what else is there goes with it."""
        made = (path for path in self.working.iterdir() if self._is_own(path))
        return sorted(path for path in made if path.name != self._manifest)

    def _is_own(self, path: Path) -> bool:
        ending = path.name.removeprefix(self._prefix)
        if ending == path.name or not path.is_file():
            return False
        return bool(_OWN_ENDING.fullmatch(ending)) or (self._builds and not ending)

    def _earlier(self) -> list[Path]:
        return sorted(path for path in self.folder.iterdir() if self._is_own(path))

    def _has_earlier_data(self) -> bool:
        return any(_DATA_ENDING.fullmatch(path.name.removeprefix(self._prefix)) for path in self._earlier())

    def _refuse_earlier(self) -> None:
        """Raise if there is more than the logs of a run that came to nothing."""
        if self._has_earlier_data():
            names = ", ".join(path.name for path in self._earlier()[:3])
            raise OutputError(
                f"{self.folder} holds files of an earlier capture: {names}.",
                "Give --force to replace it, or another folder.",
            )

    def _clear(self) -> None:
        """Remove what a killed collector left."""
        if not os.path.lexists(self.working):
            return
        ours = (self._prefix, f".{self._prefix}"[:_SHARED_START], TIMING_CACHE)
        if (
            self.working.is_symlink()
            or not self.working.is_dir()
            or not all(path.name.startswith(ours) for path in self.working.iterdir())
        ):
            raise OutputError(f"{self.working} is in the way; trexreport did not make it.", "Remove it.")
        shutil.rmtree(self.working)


def _fact(manifest: Path, part: str, name: str) -> object:
    """Return what an earlier manifest says, or None if it can't be read or says nothing."""
    try:
        return json.loads(manifest.read_bytes())[part][name]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    """Turn what goes wrong with files into one line."""
    try:
        yield
    except (FileExistsError, NotADirectoryError):
        raise OutputError(f"{folder} can't be made: something that is not a folder is there.") from None
    except OSError as error:
        raise OutputError(f"{folder} can't be written to: {error.strerror or error}.") from None


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold a lock on the folder itself, which ends with this process in any case."""
    with _explained(folder):
        descriptor = os.open(folder, os.O_RDONLY)
    try:
        if sys.platform != "win32":
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                # Network file systems may lock no folders; then other processes are not kept away.
                if error.errno in {errno.EWOULDBLOCK, errno.EACCES}:
                    raise OutputError(
                        f"Another trexreport is collecting into {folder}.",
                        "Wait for it, or give another folder.",
                    ) from None
        yield
    finally:
        os.close(descriptor)
