"""TREx's engine archives (.tea): zip files with what was written while an engine was built and profiled.

`trexreport archive` writes archives with hashes, and every command reads both. This is TREx's interface for
programs that build engines. Unlike in TREx an existing archive can be read: it is replaced when it is first
written to, not when it is opened.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO, Any

from trexreport.errors import InputError, MissingToolError, OutputError, explained
from trexreport.input_file import open_input
from trexreport.reader.bounds import LARGEST_FILE_BYTES
from trexreport.reader.zip_file import ARCHIVE_ERRORS
from trexreport.trex._libraries import has_library

__all__ = ["EngineArchive", "get_reader", "get_writer"]

_LEVEL = 9
#: Attributes of an engine that can't be read before it is used.
_UNREADABLE = {"weight_streaming_budget", "minimum_weight_streaming_budget", "streamable_weights_size"}


class RegularFile:
    """A text file for `with`, with the methods of a member of an archive."""

    def __init__(self, fname: str, mode: str) -> None:
        self.fname = fname
        self._mode = mode
        self._file: IO[str] | None = None

    def __enter__(self) -> RegularFile:  # noqa: PYI034 - Python 3.10 has no Self
        self._file = Path(self.fname).open(self._mode, encoding="utf-8")
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    @property
    def _open(self) -> IO[str]:
        if self._file is None:
            raise ValueError(f"{self.fname} is not open: use it in a with block.")
        return self._file

    def write(self, text: str) -> None:
        """Write a text."""
        self._open.write(text)

    def read(self) -> str:
        """Return the rest of the file."""
        return self._open.read()

    def readlines(self) -> list[str]:
        """Return the lines of the rest of the file."""
        return self._open.readlines()


class ArchiveMember:
    """A member of an archive for `with`, by the last part of its name."""

    def __init__(self, archive: EngineArchive, fname: str) -> None:
        self.fname = Path(fname).name
        self._archive = archive

    def __enter__(self) -> ArchiveMember:  # noqa: PYI034 - Python 3.10 has no Self
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def write(self, text: str | bytes) -> None:
        """Write the whole member."""
        self._archive.add(self.fname, text)

    def read(self) -> bytes:
        """Return the member's content."""
        return self._archive.content(self.fname)

    def readlines(self) -> Iterator[str]:
        """Yield the member's lines."""
        yield from self.read().decode("utf-8", "replace").split("\n")


class EngineArchive:
    """An archive of an engine.

    Args:
        archive_filename: Its path.
        override_files: Whether an archive that exists may be replaced.

    Raises:
        FileExistsError: It exists, and may not be replaced.
    """

    def __init__(self, archive_filename: str | Path, override_files: bool = True) -> None:
        if not override_files and Path(archive_filename).exists():
            raise FileExistsError(f"TensorRT engine archive {archive_filename} exists")
        self.archive_filename = str(archive_filename)
        self._is_own = False
        self._depth = 0

    def open(self) -> None:
        """Begin to use the archive."""
        self._depth += 1

    def close(self) -> None:
        """End to use the archive."""
        self._depth -= 1

    def __enter__(self) -> EngineArchive:  # noqa: PYI034 - Python 3.10 has no Self
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, fname: str, content: str | bytes) -> None:
        """Add a member; the first one replaces an archive of earlier."""
        with explained(OutputError, f"{self.archive_filename} can't be written"):
            kind = zipfile.ZIP_DEFLATED
            with zipfile.ZipFile(
                self.archive_filename, "a" if self._is_own else "w", kind, compresslevel=_LEVEL
            ) as archive:
                archive.writestr(fname, content)
            self._is_own = True

    def content(self, fname: str) -> bytes:
        """Return a member's content.

        Raises:
            InputError: The archive or the member is missing or damaged, or larger than a file of a capture.
        """
        try:
            with open_input(self.archive_filename) as file, zipfile.ZipFile(file) as archive:
                if fname not in archive.namelist():
                    raise InputError(f"{self.archive_filename} has no member {fname!r}.")
                with archive.open(fname) as member:
                    content = member.read(LARGEST_FILE_BYTES + 1)
        except ARCHIVE_ERRORS as error:
            raise InputError(f"{self.archive_filename} can't be read: {error}.") from None
        if len(content) > LARGEST_FILE_BYTES:
            raise InputError(f"{fname!r} in {self.archive_filename} is larger than a capture's file can be.")
        return content

    def writef_txt(self, fname: str, text: str) -> None:
        """Add a text file."""
        self.writer(fname).write(text)

    def writef_bin(self, fname: str, content: Any) -> None:
        """Add a file of bytes, such as a serialized engine."""
        self.writer(fname).write(bytes(memoryview(content)))

    def readf(self, fname: str) -> bytes:
        """Return the content of a file."""
        return self.reader(fname).read()

    def writer(self, fname: str) -> ArchiveMember:
        """Return a member to write."""
        return ArchiveMember(self, fname)

    def reader(self, fname: str) -> ArchiveMember:
        """Return a member to read."""
        return ArchiveMember(self, fname)

    def archive_build_config(self, config: Any, build_duration: timedelta) -> None:
        """Add "build_cfg.json": how long the build took in seconds, and the settings of the builder."""
        settings = {"engine_build_duration": build_duration.total_seconds(), **_attributes(config)}
        self.writef_txt("build_cfg.json", json.dumps(settings, ensure_ascii=False, indent=4))

    def archive_timing_cache(self, config: Any) -> None:
        """Add "timing.cache", if the builder has one."""
        cache = config.get_timing_cache()
        if cache is not None:
            self.writef_bin("timing.cache", cache.serialize())

    def archive_plan_info(self, plan: Any) -> None:
        """Add "plan_cfg.json": properties of a serialized engine and of its inputs and outputs."""
        import tensorrt as trt

        runtime = trt.Runtime(trt.Logger(trt.Logger.ERROR))
        engine = runtime.deserialize_cuda_engine(plan)
        properties: dict[str, Any] = dict(_attributes(engine))
        names = [engine.get_tensor_name(index) for index in range(engine.num_io_tensors)]
        properties["io_tensors"] = {
            name: {
                "mode": str(engine.get_tensor_mode(name)),
                "dtype": str(engine.get_tensor_dtype(name)),
                "shape": str(engine.get_tensor_shape(name)),
                "location": str(engine.get_tensor_location(name)),
            }
            for name in names
        }
        self.writef_txt("plan_cfg.json", json.dumps(properties, ensure_ascii=False, indent=4))

    def Builder(self, logger: Any) -> Any:  # noqa: N802 - TREx's name
        """Return a tensorrt.Builder that adds to the archive what it builds, and its log.

        Raises:
            MissingToolError: TensorRT's Python package is not installed.
        """
        if not has_library("tensorrt"):
            raise MissingToolError("TensorRT's Python package is not installed.", "pip install tensorrt")
        return _builder(self, logger)


def _attributes(subject: Any) -> dict[str, str]:
    """Return the values of an object of TensorRT as texts."""
    names = [name for name in dir(subject) if not name.startswith("__") and name not in _UNREADABLE]
    values = {name: getattr(subject, name) for name in names}
    return {name: str(value) for name, value in values.items() if not callable(value)}


def _builder(archive: EngineArchive, logger: Any) -> Any:
    """Return a builder that archives; its classes derive from TensorRT's, which may not be installed."""
    import tensorrt as trt

    class Log(trt.ILogger):  # type: ignore[misc]
        """Keeps every message and passes on those that the user's logger asks for."""

        def __init__(self) -> None:
            trt.ILogger.__init__(self)
            self.text = io.StringIO()

        def log(self, severity: Any, msg: str) -> None:
            if severity <= logger.min_severity:
                logger.log(severity, msg)
            self.text.write(f"{msg}\n")

    class Builder(trt.Builder):  # type: ignore[misc]
        """A builder whose engines are archived."""

        def __init__(self, log: Log) -> None:
            self._log = log
            trt.Builder.__init__(self, log)

        def build_serialized_network(self, network: Any, config: Any) -> Any:
            start = datetime.now().astimezone()
            plan = trt.Builder.build_serialized_network(self, network, config)
            duration = datetime.now().astimezone() - start
            archive.writef_txt("build.txt", self._log.text.getvalue())
            # A failed build has no engine, and its log says why.
            if plan is not None:
                archive.writef_bin("engine.trt", plan)
                archive.archive_build_config(config, duration)
                archive.archive_plan_info(plan)
                archive.archive_timing_cache(config)
            return plan

    return Builder(Log())


def get_writer(tea: EngineArchive | None, fname: str) -> ArchiveMember | RegularFile:
    """Return a file to write: in the archive if there is one, else on disk."""
    return tea.writer(fname) if tea else RegularFile(fname, "w")


def get_reader(tea: EngineArchive | None, fname: str) -> ArchiveMember | RegularFile:
    """Return a file to read: from the archive if there is one, else from disk."""
    return tea.reader(fname) if tea else RegularFile(fname, "r")
