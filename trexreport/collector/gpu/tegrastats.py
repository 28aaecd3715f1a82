"""Watch the GPU of a Jetson by NVIDIA's tegrastats, where NVML is absent.

Without administrator rights some releases leave the clocks out: the GPU's is then read from the kernel.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any

from trexreport.collector.gpu.device import COLUMNS
from trexreport.errors import MissingToolError
from trexreport.reader.tegrastats import read_line
from trexreport.regex import regex

#: Names of the GPU's clock in the kernel, from Nano to Thor.
_CLOCKS = regex(r"(?:gm20b|gp10b|gv11b|ga10b|gb10b|gpu)", re.IGNORECASE)
_DEVFREQ = Path("/sys/class/devfreq")
_FIRST_LINE_S = 5.0
_END_S = 2.0
_LONGEST_LINE = 2**14


class Tegra:
    """The GPU of a Jetson; close it when done. It has the methods of `Gpu`.

    Attributes:
        rail: The power rail that the samples are of; empty if tegrastats states none.
    """

    uuid: str | None = None
    index: int | None = None

    def __init__(self, program: str, interval_ms: float, devfreq: Path = _DEVFREQ) -> None:
        self._clock = _gpu_clock(devfreq)
        self._latest: dict[str, float | int | None] = dict.fromkeys(COLUMNS)
        self.rail = ""
        self._seen = threading.Event()
        try:
            self._process = subprocess.Popen(
                [program, "--interval", str(max(10, round(interval_ms)))],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        except OSError as error:
            raise MissingToolError(f"tegrastats can't be started: {error.strerror}.") from None
        self._reader = threading.Thread(target=self._read, name="tegrastats", daemon=True)
        self._reader.start()
        if not self._seen.wait(_FIRST_LINE_S):
            self.close()
            raise MissingToolError("tegrastats prints nothing about the GPU.")

    def describe(self) -> dict[str, Any]:
        """Return what the GPU is; trtexec names it."""
        highest = _megahertz(self._clock.with_name("max_freq")) if self._clock else None
        return {"name": None, "uuid": None, "max_sm_clock_mhz": highest}

    def sample(self) -> dict[str, float | int | None]:
        """Return the latest quantities of `COLUMNS`."""
        found = dict(self._latest)
        if found["sm_clock_mhz"] is None and self._clock:
            found["sm_clock_mhz"] = _megahertz(self._clock)
        return found

    def processes(self) -> dict[int, int | None]:
        """Return nothing: tegrastats lists no processes."""
        return {}

    def process_name(self, pid: int) -> str | None:  # noqa: ARG002 - the interface of `Gpu`
        """Return None: tegrastats lists no processes."""
        return None

    def close(self) -> None:
        """End tegrastats."""
        self._process.terminate()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(_END_S)

    def _read(self) -> None:
        stream = self._process.stdout
        if stream is None:  # pragma: no cover - it was asked for
            return
        with stream, contextlib.suppress(ValueError):
            for line in iter(lambda: stream.readline(_LONGEST_LINE), b""):
                latest, rail = read_line(line.decode("ascii", "replace"))
                if any(value is not None for value in latest.values()):
                    self._latest = latest
                    self.rail = self.rail or rail
                    self._seen.set()


def open_tegra(interval_ms: float) -> Tegra:
    """Return the GPU of this Jetson.

    Raises:
        MissingToolError: There is no tegrastats, or it states nothing.
    """
    program = shutil.which("tegrastats")
    if program is None:
        raise MissingToolError("There is no tegrastats.")
    return Tegra(program, interval_ms)


def _gpu_clock(devfreq: Path) -> Path | None:
    """Return the file with the clock of the GPU in Hz, or None."""
    try:
        places = sorted(devfreq.iterdir())
    except OSError:
        return None
    return next((place / "cur_freq" for place in places if _CLOCKS.search(place.name)), None)


def _megahertz(path: Path) -> float | None:
    try:
        return int(path.read_text(encoding="ascii")) / 1e6
    except (OSError, ValueError):
        return None
