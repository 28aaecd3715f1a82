"""What is to be collected, and the commands that do it."""

from __future__ import annotations

import os
from pathlib import PurePath
from typing import Literal

from trexreport.collector.flags import Stage
from trexreport.collector.nsight import NsightTool
from trexreport.collector.polygraphy import Polygraphy
from trexreport.collector.versions import Version
from trexreport.lazy_dataclass import dataclass

#: A model is built first; any other file is taken for an engine.
_MODEL_SUFFIX = ".onnx"
TIMING_CACHE = "timing.cache"


@dataclass(frozen=True)
class Job:
    """What to collect.

    Attributes:
        source: Path of an ONNX model (`*.onnx`) or of an engine.
        folder: Where the capture goes.
        arguments: The user's words for trtexec, with dashes or without.
        program: How trtexec is started: its path, or words such as "ssh", "host", "trtexec".
        runs: Timing runs; with none the profile run gives the times of queries, too.
        measures: Whether the engine is measured, or only built.
        tools: Nsight's tools that run it once more, at the end.
        accuracy: What compares the engine with its model, at the end: Polygraphy, or the debug tensors of
            "trtexec"; None for nothing.
        launcher: The words that start a program where trtexec is; None for those before it.
    """

    source: str
    folder: str
    arguments: tuple[str, ...] = ()
    program: tuple[str, ...] = ("trtexec",)
    runs: int = 3
    measures: bool = True
    tools: tuple[NsightTool, ...] = ()
    accuracy: Polygraphy | Literal["trtexec"] | None = None
    launcher: tuple[str, ...] | None = None

    @property
    def builds(self) -> bool:
        """Whether an engine is to be built from a model."""
        return PurePath(self.source).suffix.lower() == _MODEL_SUFFIX

    @property
    def is_remote(self) -> bool:
        """Whether the program runs on another machine."""
        return PurePath(self.program[0]).name == "ssh"

    @property
    def engine(self) -> str:
        """Path of the engine that is measured."""
        return self.path("") if self.builds else self.source

    @property
    def timing_cache(self) -> str:
        """Path of what builds into the folder learn from one another."""
        return os.path.join(self.folder, TIMING_CACHE)  # noqa: PTH118

    def path(self, ending: str) -> str:
        """Return the path of a file of the capture, such as "out/resnet.engine.graph.json"."""
        return os.path.join(self.folder, f"{PurePath(self.source).stem}.engine{ending}")  # noqa: PTH118


@dataclass(frozen=True)
class Command:
    """One run of trtexec.

    Attributes:
        title: What a person calls it, such as "build" or "timing 2".
        words: The command line, a word each; no shell is needed.
        log: Path that standard output and standard error go to.
        writes: Paths of the files that must be there and not empty afterward; the exit status alone does
            not show it (trtexec 10.13 and later report a failed build as an engine of 0 MiB).
        tool: What is run, or runs trtexec, for something else than times: its times count for nothing.
        compares: Exit status 1 also means that values differ; then its files are there.
    """

    stage: Stage
    title: str
    words: tuple[str, ...]
    log: str
    writes: tuple[str, ...]
    tool: NsightTool | Literal["polygraphy", "trtexec"] | None = None
    compares: bool = False


@dataclass(frozen=True)
class Plan:
    """The commands of a job, in order, and what its user should know about them."""

    job: Job
    version: Version
    commands: tuple[Command, ...]
    notes: tuple[str, ...] = ()
