"""Watch a GPU and hold its settings for one capture, whatever of that is possible on this machine.

Clocks are locked and the power is limited for as long as a measurement takes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Literal

from trexreport.collector.gpu.device import Gpu, open_gpu
from trexreport.collector.gpu.tegrastats import Tegra, open_tegra
from trexreport.collector.gpu.watch import GpuWatch
from trexreport.collector.interruption import signals_wait
from trexreport.errors import MissingToolError, UsageError
from trexreport.lazy_dataclass import dataclass

#: The value that requests the highest clock that the board sustains under any load.
SUSTAINED: Literal["sustained"] = "sustained"
SCHEMA_VERSION = 1
_MOST_MHZ, _MOST_WATTS = 10_000, 10_000
_LEAST_INTERVAL_MS, _LARGEST_INTERVAL_MS = 1, 60_000

_PROGRAM = Path(__file__).with_name("holder.py")
#: Putting two settings back takes milliseconds; a driver that hangs is not waited for.
_LONGEST_RESET_S = 15.0
#: Setting to its message if it fails, and the flags of nvidia-smi that set it and put it back.
_BY_HAND = {
    "clocks": ("The clocks were not locked", "--lock-gpu-clocks", "--reset-gpu-clocks"),
    "power": ("The power limit was not set", "--power-limit", "--power-limit with its old value"),
}


@dataclass(frozen=True)
class GpuOptions:
    """How to treat the GPU during a capture.

    Attributes:
        device: Number as CUDA counts, UUID or PCI address; empty for CUDA's first.
        watches: Whether to take samples.
        interval_ms: Time between two samples.
        lock_clocks: SM clock in MHz, `SUSTAINED`, or None to leave the clocks alone.
        power_limit_w: Power limit, or None to leave it alone.
        is_remote: Whether the GPU that is measured is in another machine, out of reach.
        own_programs: Names of programs that the collector starts, so that they do not count as others.
    """

    device: str = ""
    watches: bool = True
    interval_ms: float = 100.0
    lock_clocks: int | Literal["sustained"] | None = None
    power_limit_w: float | None = None
    is_remote: bool = False
    own_programs: tuple[str, ...] = ("trtexec",)

    def __post_init__(self) -> None:
        """Raise a UsageError for amounts that no board has: NVML's own numbers would wrap around."""
        if isinstance(self.lock_clocks, int) and not 0 < self.lock_clocks <= _MOST_MHZ:
            raise UsageError(f"{self.lock_clocks} MHz is not a clock of a GPU.")
        if self.power_limit_w is not None and not 0 < self.power_limit_w <= _MOST_WATTS:
            raise UsageError(f"{self.power_limit_w:g} W is not a power limit of a GPU.")
        if not _LEAST_INTERVAL_MS <= self.interval_ms <= _LARGEST_INTERVAL_MS:
            raise UsageError(
                f"{self.interval_ms:g} ms is not an interval to watch a GPU at.",
                f"Give {_LEAST_INTERVAL_MS} to {_LARGEST_INTERVAL_MS}.",
            )

    @property
    def holds(self) -> bool:
        """Whether settings are to be changed."""
        return self.lock_clocks is not None or self.power_limit_w is not None


class GpuSession:
    """What is known of the GPU while a capture is made.

    Attributes:
        notes: What is not certain or could not be done, and what to do about it; complete once the session
            ended.
    """

    def __init__(self, notes: list[str]) -> None:
        self.notes = notes
        self.started = datetime.now(timezone.utc)
        self._gpu: Gpu | Tegra | None = None
        self._watch: GpuWatch | None = None
        self._settings: HeldSettings | None = None
        self._interval_ms = 0.0

    def phase(self, name: str) -> AbstractContextManager[None]:
        """Return a block during which samples are taken; the name is that of the run, such as "profile"."""
        return self._watch.phase(name) if self._watch else nullcontext()

    def document(self) -> dict[str, Any] | None:
        """Return the samples in the form of X.engine.gpu.json, or None if there are none.

        A table in columns, times in seconds since the session began; `throttle_reasons` are NVML's bits.
        """
        if self._watch is None or self._gpu is None or not self._watch.columns["time_s"]:
            return None
        held = self._settings.values if self._settings else {}
        return {
            "schema": "trexreport-gpu-samples",
            "schema_version": SCHEMA_VERSION,
            "started": self.started.isoformat(timespec="seconds"),
            "gpu": self._gpu.describe(),
            "interval_ms": self._interval_ms,
            "locked_sm_clock": held.get("clocks"),
            "set_power_limit_w": held.get("power"),
            "phases": [
                {"name": name, "begin_s": begin, "end_s": end} for name, begin, end in self._watch.phases
            ],
            "other_processes": [
                {"pid": pid, "program": program, "memory_bytes": memory}
                for pid, program, memory in self._watch.other_processes
            ],
            "samples": self._watch.columns,
        }

    def _begin(self, gpu: Gpu | Tegra, settings: HeldSettings, options: GpuOptions) -> None:
        self._gpu, self._settings = gpu, settings
        if options.lock_clocks is not None:
            settings.hold("clocks", None if options.lock_clocks == SUSTAINED else int(options.lock_clocks))
        if options.power_limit_w is not None:
            settings.hold("power", options.power_limit_w)
        if options.watches:
            self._interval_ms = options.interval_ms
            self._watch = GpuWatch(gpu, options.interval_ms, options.own_programs)


@contextmanager
def gpu_session(
    options: GpuOptions | None = None, environment: Mapping[str, str] | None = None
) -> Iterator[GpuSession]:
    """Watch the GPU and hold its settings while the block runs; what can't be done becomes a note.

    The settings are put back in every case: a child process does that as soon as this one leaves the block
    or ends, however it ends.
    """
    options = options or GpuOptions()
    session = GpuSession([])
    if not (options.watches or options.holds):
        yield session
        return
    untouched = f"The GPU was not {'watched or held' if options.holds else 'watched'}:"
    gpu: Gpu | Tegra
    try:
        gpu, notes = _open(options, os.environ if environment is None else environment)
    except MissingToolError as error:
        tegra = _open_tegra(options)
        if tegra is None:
            session.notes.append(f"{untouched} {error}")
            yield session
            return
        gpu, notes = tegra, _tegra_notes(tegra, options)
        options = replace(options, lock_clocks=None, power_limit_w=None)
    session.notes += notes
    settings = HeldSettings(gpu.uuid or "", session.notes)
    try:
        session._begin(gpu, settings, options)  # noqa: SLF001 - its other half
        yield session
    finally:
        settings.put_back()
        gpu.close()


def _open_tegra(options: GpuOptions) -> Tegra | None:
    """Return the GPU of a Jetson, or None on other machines and for other ones."""
    if options.is_remote or not options.watches:
        return None
    try:
        return open_tegra(options.interval_ms)
    except MissingToolError:
        return None


def _tegra_notes(tegra: Tegra, options: GpuOptions) -> tuple[str, ...]:
    rail = f" Its power is that of the rail {tegra.rail}." if tegra.rail else ""
    notes = [f"The GPU was watched with tegrastats, as there is no NVML.{rail}"]
    if options.holds:
        notes.append(
            "Clocks and power limit were left as they are: on a Jetson set them with sudo nvpmodel and "
            "sudo jetson_clocks."
        )
    return tuple(notes)


def _open(options: GpuOptions, environment: Mapping[str, str]) -> tuple[Gpu, tuple[str, ...]]:
    """Return the GPU that is measured; see `open_gpu`."""
    if options.is_remote:
        raise MissingToolError("It is in another machine.")
    return open_gpu(options.device, environment)


class HeldSettings:
    """Settings of one GPU, which a child process puts back on request, and when this process ends.

    Attributes:
        values: What was set, under "clocks" (MHz or "sustained") and "power" (W).
        notes: Gets what could not be set or put back, and what to do about it.
    """

    def __init__(self, uuid: str, notes: list[str]) -> None:
        self.values: dict[str, float | int | str] = {}
        self.notes = notes
        self._uuid = uuid
        self._holder: subprocess.Popen[str] | None = None

    def hold(self, setting: str, value: float | None) -> None:
        """Change a setting: "clocks" (MHz; None for the highest sustained) or "power" (W)."""
        answer = self._ask({"setting": setting, "value": value})
        if answer.get("ok"):
            self.values[setting] = answer["value"]
            return
        failed, flag, undo = _BY_HAND[setting]
        hint = ""
        if answer.get("permission"):
            by_hand = f"{flag}={'MHZ' if value is None else f'{value:g}'}"
            hint = (
                f" Only root may: run this with sudo, or before it sudo nvidia-smi -i {self._uuid} {by_hand} "
                f"and after it {undo}."
            )
        self.notes.append(f"{failed}: {answer.get('error', 'no answer')}.{hint}")

    def put_back(self) -> None:
        """End the holder, which puts everything back, and say so if it did not."""
        with signals_wait():
            self._end_holder()

    def _end_holder(self) -> None:
        holder, self._holder = self._holder, None
        if holder is None:
            return
        try:
            # Closes its input, which is the sign to end.
            holder.communicate(timeout=_LONGEST_RESET_S)
            status = holder.returncode
        except (OSError, subprocess.TimeoutExpired):
            status = 1
        if status and self.values:
            commands = {"clocks": "--reset-gpu-clocks", "power": "--power-limit=WATTS"}
            undo = " ".join(commands[setting] for setting in self.values)
            self.notes.append(
                "The GPU's settings may not have been put back. "
                f"Do it by hand: sudo nvidia-smi -i {self._uuid} {undo}"
            )

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send a request to the holder and return its answer."""
        try:
            with signals_wait():
                holder = self._holder = self._holder or self._start()
            if holder.stdin is None or holder.stdout is None:
                return {}
            holder.stdin.write(json.dumps(request) + "\n")
            holder.stdin.flush()
            answer = json.loads(holder.stdout.readline())
        except (OSError, ValueError):
            return {"error": "the process that is to put them back afterward does not run"}
        return answer if isinstance(answer, dict) else {}

    def _start(self) -> subprocess.Popen[str]:
        # In a session of its own, so that Ctrl-C and a hang-up of the terminal do not reach it.
        return subprocess.Popen(
            [sys.executable, str(_PROGRAM), self._uuid],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
