"""What a user wants to have collected, and collecting it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Literal

from trexreport.collector.arguments import read_arguments
from trexreport.collector.backend import Backend, Progress
from trexreport.collector.backends import choose_backend
from trexreport.collector.collect import Options, check_source, collect
from trexreport.collector.commands import plan_commands
from trexreport.collector.engine_file import how_to_remove, metadata_of
from trexreport.collector.flags import flag_table
from trexreport.collector.gpu import SUSTAINED, GpuOptions
from trexreport.collector.jobs import Job, Plan
from trexreport.collector.journal import Journal
from trexreport.collector.nsight import NsightTool, check_tools
from trexreport.collector.polygraphy import Polygraphy, ask_polygraphy
from trexreport.collector.trtexec import TOOLS, find_trtexec
from trexreport.collector.versions import Version
from trexreport.errors import MissingToolError, UsageError
from trexreport.lazy_dataclass import dataclass
from trexreport.toml_table import quoted

_MAX_CLOCK_DIGITS = 9


@dataclass(frozen=True)
class CollectRequest:
    """How a user wants a capture to be made.

    Attributes:
        arguments: For trtexec.
        backend: One of `collector.backends.NAMES`.
        trtexec: The command that starts it, if stated.
        tool: One of `collector.trtexec.TOOLS`.
        runs: Separate runs that time queries.
        timeout_s: Limit of each run; None for no limit.
        lock_clocks: SM clock in MHz, "sustained", or None to leave the clock alone.
        power_limit_w: Power limit of the GPU; None to leave it alone.
        gpu_interval_ms: Time between two samples of the GPU's state; 0 takes none.
        quiet: Report errors only.
        verbose: Show the log as it is written.
        measures: Measure the engine, instead of building it only.
        nsys: Record its kernels with Nsight Systems.
        ncu: Count in its kernels with Nsight Compute.
        accuracy: Compare the engine with its model.
        accuracy_tool: By which tool: "polygraphy", "trtexec", or "auto" for the one that is there.
    """

    arguments: tuple[str, ...]
    backend: str
    trtexec: str | None
    runs: int
    timeout_s: float | None
    lock_clocks: str | None
    power_limit_w: float | None
    gpu_interval_ms: float
    quiet: bool
    verbose: bool
    measures: bool = True
    nsys: bool = False
    ncu: bool = False
    accuracy: bool = False
    accuracy_tool: str = "auto"
    tool: str = TOOLS[0]

    def job(self, source: str, folder: str) -> Job:
        """Return what to collect."""
        wanted: dict[NsightTool, bool] = {"nsys": self.nsys, "ncu": self.ncu}
        tools = tuple(tool for tool, is_wanted in wanted.items() if is_wanted)
        return Job(source, folder, self.arguments, runs=self.runs, measures=self.measures, tools=tools)

    def plan(self, source: str, folder: str, version: str | None) -> Plan:
        """Return the commands, for a version of trtexec, by default for the installed one.

        Raises:
            UsageError: The text is not a version, or the backend has none.
        """
        job = self.job(source, folder)
        if version is None:
            backend = choose_backend(self.backend, self.trtexec, self.timeout_s, self.tool)[0]
            return _with_note(backend.plan(self._with_accuracy(job, backend)))
        parsed = Version.parse(version)
        if parsed is None:
            raise UsageError(f"--for-version: {quoted(version)} is not a version.", "Write it as 10.3.")
        if self.backend == "api":
            raise UsageError("--for-version writes commands for trtexec.", "Leave --backend out.")
        if self.tool != TOOLS[0] and not parsed.is_rtx:
            raise UsageError(
                f"{self.tool} has no version {parsed}.", "Give one of TensorRT for RTX, such as 1.4."
            )
        program = (parsed.program,) if self.trtexec is None else find_trtexec(self.trtexec)
        # What is installed there is not known.
        tool: Polygraphy | Literal["trtexec"] | None = None
        if self.accuracy:
            tool = "trtexec" if self.accuracy_tool == "trtexec" else Polygraphy()
        return _with_note(plan_commands(replace(job, program=program, accuracy=tool), parsed))

    def collect(
        self,
        source: str,
        folder: str,
        progress: Progress,
        *,
        force: bool,
        announce: Callable[[str], object] = lambda _: None,
    ) -> Journal:
        """Make the capture and return its journal.

        Args:
            source: Path of a model or an engine.
            folder: Where the capture goes.
            progress: What shows how far it is.
            force: Replace an earlier capture.
            announce: Is called with a sentence before the first run.

        Raises:
            UsageError: An option has no usable value.
            TrexReportError: Collecting failed.
        """
        job = self.job(source, folder)
        # Mistakes are reported before a container is started to ask for the version.
        check_source(job)
        gpu = self._gpu_options()
        backend, name = choose_backend(self.backend, self.trtexec, self.timeout_s, self.tool)
        announce(f"Collecting with {name}.")
        job = self._with_accuracy(job, backend)
        planned = backend.plan(job).job
        check_tools(job.tools, planned.program)
        gpu = replace(gpu, is_remote=planned.is_remote)
        return collect(job, backend, progress, Options(force, self.timeout_s, gpu))

    def _with_accuracy(self, job: Job, backend: Backend) -> Job:
        """Return the job with the tool that compares the engine with its model.

        Raises:
            MissingToolError: It is not there.
        """
        if not self.accuracy or not job.builds:
            # Planning refuses an engine.
            return replace(job, accuracy="trtexec" if self.accuracy else None)
        tool = self.accuracy_tool
        if tool == "trtexec":
            return replace(job, accuracy="trtexec")
        program = backend.plan(job).job.program
        launcher = () if backend.name == "api" else program[:-1]
        try:
            return replace(job, accuracy=ask_polygraphy(launcher, self.timeout_s))
        except MissingToolError:
            if tool == "polygraphy":
                raise
            by_trtexec = replace(job, accuracy="trtexec")
            try:
                backend.plan(by_trtexec)
            except UsageError:
                pass
            else:
                return by_trtexec
            raise

    def _gpu_options(self) -> GpuOptions:
        """Return what to do with the GPU that trtexec uses.

        Raises:
            UsageError: The clock is not a number.
        """
        arguments = read_arguments(self.arguments, flag_table())
        device = next((each.value or "" for each in arguments if each.name == "device"), "")
        clock: int | Literal["sustained"] | None = None
        if self.lock_clocks == SUSTAINED:
            clock = SUSTAINED
        elif self.lock_clocks is not None:
            if not self.lock_clocks.isdecimal() or len(self.lock_clocks) > _MAX_CLOCK_DIGITS:
                raise UsageError(
                    f"--lock-clocks: {quoted(self.lock_clocks)} is not a clock.",
                    f"Give it in MHz, or {SUSTAINED}.",
                )
            clock = int(self.lock_clocks)
        return GpuOptions(
            device,
            watches=self.gpu_interval_ms > 0 and self.measures,
            interval_ms=self.gpu_interval_ms or 100,
            lock_clocks=clock,
            power_limit_w=self.power_limit_w,
        )


def _with_note(plan: Plan) -> Plan:
    """Return a plan that says what to remove from the engine's file before trtexec loads it."""
    path = Path(plan.job.source)
    found = None if plan.job.builds else metadata_of(path)
    if found is None:
        return plan
    note = f"{path.name} has metadata before its plan. Give trtexec the plan: {how_to_remove(path, found)}"
    return replace(plan, notes=(*plan.notes, note))
