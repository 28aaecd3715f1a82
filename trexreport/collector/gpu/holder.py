"""Hold settings of a GPU until standard input closes, then put back what was there before.

A program of its own, run as a child process by its path: whatever ends the collector, even SIGKILL, closes
the pipe, and this process is still there to undo what it did. It needs only the standard library and NVML.

Each line of input is a request, `{"setting": "clocks" | "power", "value": …}`, and is answered by one line:
`{"ok": true, "value": …}` with what was set, or `{"ok": false, "error": "…", "permission": true | false}`.
Exit status 0: everything is as it was; 1: something could not be put back.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable
from typing import Any

Undo = Callable[[], None]


def hold(nvml: Any, handle: Any) -> int:
    """Serve requests until the input ends, then undo them, the last one first; return the exit status."""
    undo: list[Undo] = []
    try:
        for line in iter(sys.stdin.readline, ""):
            answer = _answer(nvml, handle, json.loads(line), undo)
            print(json.dumps(answer), flush=True)
    except (SystemExit, OSError):
        pass  # asked to end, or no process reads the answers any more
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        done = [_is_undone(nvml, each) for each in reversed(undo)]
    return 0 if all(done) else 1


def _is_undone(nvml: Any, undo: Undo) -> bool:
    try:
        undo()
    except nvml.NVMLError:
        return False
    return True


def _answer(nvml: Any, handle: Any, request: dict[str, Any], undo: list[Undo]) -> dict[str, Any]:
    settings = {"clocks": _lock_clocks, "power": _limit_power}
    before = len(undo)
    try:
        value = settings[request["setting"]](nvml, handle, request["value"], undo)
    except nvml.NVMLError as error:
        del undo[before:]
        permission = error.value == nvml.NVML_ERROR_NO_PERMISSION
        return {"ok": False, "error": str(error), "permission": permission}
    return {"ok": True, "value": value}


def _lock_clocks(nvml: Any, handle: Any, clock_mhz: int | None, undo: list[Undo]) -> int | str:
    """Lock the SM clock to a value, or for None to the highest that the board sustains.

    NVML's symbolic clock "TDP" is that: the clock that the power limit allows for any load. Boards that do
    not know it are locked to their default application clock.
    """
    # Before the deed, for a signal may come between the two.
    undo.append(lambda: nvml.nvmlDeviceResetGpuLockedClocks(handle))
    if clock_mhz is not None:
        nvml.nvmlDeviceSetGpuLockedClocks(handle, clock_mhz, clock_mhz)
        return clock_mhz
    sustained = nvml.NVML_CLOCK_LIMIT_ID_TDP
    try:
        nvml.nvmlDeviceSetGpuLockedClocks(handle, sustained, sustained)
    except nvml.NVMLError as error:
        if error.value != nvml.NVML_ERROR_INVALID_ARGUMENT:
            raise
        default = int(nvml.nvmlDeviceGetDefaultApplicationsClock(handle, nvml.NVML_CLOCK_GRAPHICS))
        nvml.nvmlDeviceSetGpuLockedClocks(handle, default, default)
        return default
    return "sustained"


def _limit_power(nvml: Any, handle: Any, limit_w: float, undo: list[Undo]) -> float:
    before_mw = nvml.nvmlDeviceGetPowerManagementLimit(handle)
    undo.append(lambda: nvml.nvmlDeviceSetPowerManagementLimit(handle, before_mw))
    nvml.nvmlDeviceSetPowerManagementLimit(handle, round(limit_w * 1000))
    return limit_w


def _end(_signal: int, _frame: object) -> None:
    raise SystemExit


def main() -> int:
    """Hold settings of the GPU whose UUID is the only argument."""
    # Ctrl-C is for the collector; it closes the pipe when it is ready.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)
    import pynvml

    pynvml.nvmlInit()
    return hold(pynvml, pynvml.nvmlDeviceGetHandleByUUID(sys.argv[1]))


if __name__ == "__main__":
    sys.exit(main())
