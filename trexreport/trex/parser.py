"""Read the files of TREx and trtexec as Python values, under TREx's names.

Every function reads through trexreport's readers, with their bounds and repairs, and warns of what they note.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

from trexreport.errors import InputError
from trexreport.model import Engine, InputWarning
from trexreport.reader import read_engine
from trexreport.reader.bounds import LARGEST_FILE_BYTES
from trexreport.reader.files import read_bytes
from trexreport.reader.json_text import decode_text, parse_json
from trexreport.reader.timing_file import read_timing
from trexreport.reader.values import mapping, records
from trexreport.trex._folding import file_layers
from trexreport.trex._libraries import pass_on

if TYPE_CHECKING:
    from trexreport.trex.archiving import EngineArchive

__all__ = [
    "get_builder_config",
    "get_device_properties",
    "get_performance_summary",
    "import_graph_file",
    "parse_build_log",
    "parse_profiling_log",
    "read_graph_file",
    "read_json",
    "read_metadata_file",
    "read_perf_metadata_file",
    "read_profiling_file",
    "read_timing_file",
]
__getattr__ = pass_on(__name__, __all__, "BinaryIO Dict List Tuple json re")

_Read = TypeVar("_Read")
FilePath = str | os.PathLike[str]


def read_json(json_file: IO[str]) -> Any:
    """Return the JSON document in an open file.

    Raises:
        InputError: It is not JSON, or larger than any file of an engine.
    """
    name = str(getattr(json_file, "name", "the file"))
    return _warned(*parse_json(json_file.read(LARGEST_FILE_BYTES), name, lambda _: True))


def read_graph_file(graph_file: FilePath) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the records of all layers as the file has them, and the names of the I/O tensors.

    Raises:
        InputError: The file is missing, damaged, or holds no layer information.
    """
    from trexreport.reader.graph_file import read_graph

    graph = read_graph(*_text(graph_file))
    warn_of(graph.notes)
    names = graph.binding_names or tuple(str(item["Name"]) for item in graph.io_tensors)
    return [layer.record or {"Name": layer.name} for layer in graph.layers], list(names)


def read_profiling_file(profiling_file: FilePath) -> list[dict[str, Any]]:
    """Return the records of a profile with figures: name, times in ms and share in percent of each layer.

    Raises:
        InputError: The file is missing or no profile.
    """
    from trexreport.reader.profile_file import read_profile

    rows = []
    profile = read_profile(*_text(profiling_file))
    warn_of(profile.notes)
    for row in profile.rows:
        if (time := row.time) is None:
            continue
        figures = {
            "timeMs": time.total_ms,
            "averageMs": time.avg_ms,
            "medianMs": time.median_ms,
            "percentage": time.share_percent,
        }
        rows.append({"name": row.name, **{key: value for key, value in figures.items() if value is not None}})
    return rows


def read_metadata_file(metadata_file: FilePath, device: int = 0) -> dict[str, Any]:
    """Return the attributes of one GPU from the list that TREx's device_info.py writes.

    Raises:
        InputError: The file is missing or no such list, or has no GPU of this number.
    """
    devices = records(_document(metadata_file))
    if not -len(devices) <= device < len(devices):
        raise InputError(f"{metadata_file} lists {len(devices)} GPUs, none with the number {device}.")
    return devices[device]


def read_timing_file(timing_json_file: FilePath) -> list[float]:
    """Return the latency of each query in ms, from trtexec's --exportTimes.

    Raises:
        InputError: The file is missing or no list of query times.
    """
    return list(_warned(*read_timing(*_text(timing_json_file))).latency_ms)


def read_perf_metadata_file(metadata_file: FilePath, section: str) -> dict[str, Any]:
    """Return one section of TREx's metadata, such as "performance_summary".

    Raises:
        KeyError: The file has no such section.
        InputError: The file is missing or damaged.
    """
    found: dict[str, Any] = mapping(_document(metadata_file))[section]
    return found


def get_device_properties(metadata_file: FilePath | None) -> dict[str, Any]:
    """Return the GPU's properties of TREx's metadata; nothing without the file or the section."""
    return _section(metadata_file, "device_information")


def get_performance_summary(metadata_file: FilePath | None) -> dict[str, Any]:
    """Return trtexec's measurement of TREx's metadata; nothing without the file or the section."""
    return _section(metadata_file, "performance_summary")


def get_builder_config(metadata_file: FilePath | None) -> dict[str, Any]:
    """Return the options of model and build of TREx's metadata; nothing without the file or the sections."""
    return {**_section(metadata_file, "model_options"), **_section(metadata_file, "build_options")}


def parse_build_log(file_name: FilePath, tea: EngineArchive | None = None) -> dict[str, Any]:
    """Return what trtexec's log of a build says: the sections of TREx's metadata of the build.

    Args:
        file_name: Of the log.
        tea: An archive that the log is in.

    Raises:
        InputError: The log is missing.
    """
    from trexreport.collector.metadata import build_metadata

    return mapping(json.loads(build_metadata(_log(file_name, tea))))


def parse_profiling_log(file_name: FilePath, tea: EngineArchive | None = None) -> dict[str, Any]:
    """Return what trtexec's log of a measurement says: the sections of TREx's metadata of the measurement.

    Args:
        file_name: Of the log.
        tea: An archive that the log is in.

    Raises:
        InputError: The log is missing.
    """
    from trexreport.collector.metadata import profile_metadata

    return mapping(json.loads(profile_metadata(_log(file_name, tea))))


def import_graph_file(
    graph_file: FilePath, profile_id: int | None = None
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the layers' records of one optimization profile with unique names, and the I/O tensors' names.

    Synchronization is left out; deconvolutions have the ParameterType "Deconvolution".

    Raises:
        InputError: The file is missing or damaged, or has no such optimization profile.
    """
    engine = read_engine(files={"graph": Path(graph_file)}, optimization_profile=profile_id)
    warn_of(note for note in engine.notes if note.source == Path(graph_file).name)
    return raw_layers(engine), [binding.name for binding in engine.bindings]


def raw_layers(engine: Engine) -> list[dict[str, Any]]:
    """Return the record of each layer of the file, with unique, readable names."""
    return [layer.raw_dict for layer in file_layers(engine)]


def _section(metadata_file: FilePath | None, name: str) -> dict[str, Any]:
    if not metadata_file or not Path(metadata_file).exists():
        return {}
    return mapping(mapping(_document(metadata_file)).get(name))


def _log(file_name: FilePath, tea: EngineArchive | None) -> str:
    name = str(file_name)
    return decode_text(tea.content(name), name)[0] if tea else _text(file_name)[0]


def _document(path: FilePath) -> Any:
    return _warned(*parse_json(*_text(path), lambda _: True))


def _warned(found: _Read, notes: Iterable[InputWarning]) -> _Read:
    warn_of(notes)
    return found


def warn_of(notes: Iterable[InputWarning]) -> None:
    """Warn of what is noted of files and changes figures."""
    for note in notes:
        if note.severity == "degraded":
            warnings.warn(f"{note.message} {note.hint}".rstrip(), stacklevel=3)


def _text(path: FilePath) -> tuple[str, str]:
    """Return the text of a file, and its name for messages."""
    file = Path(path)
    return decode_text(read_bytes(file), file.name)[0], file.name
