"""Whether the layers are those that the options of a build allow: their details, and their streams."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from trexreport.model import Engine, FileFacts
from trexreport.numbers import counted
from trexreport.reader.contradictions.stated import Fact, Stated, graph_file, option_values

#: ProfilingVerbosity as trtexec writes it, where the plan has no details of its layers.
_WITHOUT_DETAILS = {"0": "names of layers only", "1": "no names of layers"}


class _Amount(NamedTuple):
    """How much the layers have of something, or how much of it a build allows."""

    amount: int
    is_limit: bool


def _options(engine: Engine) -> Iterator[Stated]:
    file = graph_file(engine)
    if not file:
        return
    streams = len({layer.stream for layer in engine.layers} - {None})
    if not engine.names_only and any(layer.attributes.get("Inputs") for layer in engine.layers):
        yield Stated(file, _Amount(1, is_limit=False), "details of layers", "profiling verbosity")
    yield Stated(file, _Amount(streams, is_limit=False), counted(streams, "stream"), "MaxAuxStreams")
    for each in filter(_is_of_build, engine.files):
        options = each.setup.build_options
        for verbosity in option_values(options, "Profiling verbosity"):
            if verbosity in _WITHOUT_DETAILS:
                text = _WITHOUT_DETAILS[verbosity]
                yield Stated(each.file, _Amount(0, is_limit=True), text, "profiling verbosity")
        for auxiliary in option_values(options, "MaxAuxStreams"):
            if auxiliary.isdecimal():
                limit = int(auxiliary[:6]) + 1
                text = f"up to {counted(limit, 'stream')}"
                yield Stated(each.file, _Amount(limit, is_limit=True), text, "MaxAuxStreams")


def _is_of_build(file: FileFacts) -> bool:
    """Return whether a file has the options of one build: of runs that load an engine they are not read."""
    return file.role == "build-metadata" or len(file.setup.commands) == 1


def _is_allowed(one: _Amount, other: _Amount) -> bool:
    if one.is_limit == other.is_limit:
        return True
    found, limit = sorted((one, other), key=lambda each: each.is_limit)
    return found.amount <= limit.amount


BUILD_OPTION_FACTS = (Fact("build-options", "value", _options, _is_allowed),)
