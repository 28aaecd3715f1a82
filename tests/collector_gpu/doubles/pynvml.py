# ruff: noqa: N802, N803, A002 - the names are those of nvidia-ml-py
"""A double of nvidia-ml-py: the names that the watch uses, over a board that is a JSON file.

The file (named by NVML_DOUBLE) is shared by all processes that use the double, as a real board is. Beside
what the board has set it holds how it behaves, such as "refuses": function to error code.
"""

import fcntl
import json
import os
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

NVML_CLOCK_GRAPHICS = 0
NVML_CLOCK_SM = 1
NVML_CLOCK_MEM = 2
NVML_TEMPERATURE_GPU = 0
NVML_CLOCK_LIMIT_ID_TDP = 0xFFFFFF01

NVML_ERROR_INVALID_ARGUMENT = 2
NVML_ERROR_NOT_SUPPORTED = 3
NVML_ERROR_NO_PERMISSION = 4
NVML_ERROR_NOT_FOUND = 6
NVML_ERROR_TIMEOUT = 10
NVML_ERROR_LIBRARY_NOT_FOUND = 12
NVML_ERROR_FUNCTION_NOT_FOUND = 13
NVML_ERROR_UNKNOWN = 999

_TEXTS = {
    NVML_ERROR_INVALID_ARGUMENT: "Invalid Argument",
    NVML_ERROR_NOT_SUPPORTED: "Not Supported",
    NVML_ERROR_NO_PERMISSION: "Insufficient Permissions",
    NVML_ERROR_NOT_FOUND: "Not Found",
    NVML_ERROR_TIMEOUT: "Timeout",
    NVML_ERROR_LIBRARY_NOT_FOUND: "NVML Shared Library Not Found",
    NVML_ERROR_FUNCTION_NOT_FOUND: "Function Not Found",
    NVML_ERROR_UNKNOWN: "Unknown Error",
}


class NVMLError(Exception):
    def __init__(self, value):
        super().__init__(value)
        self.value = value

    def __str__(self):
        return _TEXTS[self.value]


@contextmanager
def _board(function):
    """Give the board's state, refuse what the state refuses, and write the state back."""
    path = Path(os.environ["NVML_DOUBLE"])
    with path.open("r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        state = json.load(file)
        state["calls"].append(function)
        code = state["refuses"].get(function)
        if code is None:
            yield state
        text = json.dumps(state)
        file.seek(0)
        file.truncate()
        file.write(text)
    if code is not None:
        raise NVMLError(code)


def _state(function):
    path = Path(os.environ["NVML_DOUBLE"])
    with path.open() as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        state = json.load(file)
    if function in state["refuses"]:
        raise NVMLError(state["refuses"][function])
    return state


def _find(function, key, value):
    for number, gpu in enumerate(_state(function)["gpus"]):
        if gpu.get(key) == value:
            return SimpleNamespace(number=number, mig=gpu.get("mig", False))
    raise NVMLError(NVML_ERROR_NOT_FOUND)


def nvmlInit():
    _state("nvmlInit")


def nvmlShutdown():
    _state("nvmlShutdown")


def nvmlDeviceGetCount():
    return len(_state("nvmlDeviceGetCount")["gpus"])


def nvmlDeviceGetHandleByIndex(index):
    if index >= nvmlDeviceGetCount():
        raise NVMLError(NVML_ERROR_INVALID_ARGUMENT)
    return SimpleNamespace(number=index, mig=False)


def nvmlDeviceGetHandleByUUID(uuid):
    return _find("nvmlDeviceGetHandleByUUID", "uuid", uuid)


def nvmlDeviceGetHandleByPciBusId(pciBusId):
    return _find("nvmlDeviceGetHandleByPciBusId", "pci", pciBusId)


def nvmlDeviceIsMigDeviceHandle(device):
    return int(device.mig)


def nvmlDeviceGetDeviceHandleFromMigDeviceHandle(migDevice):
    return SimpleNamespace(number=0, mig=False)


def nvmlDeviceGetName(handle):
    return _state("nvmlDeviceGetName")["gpus"][handle.number]["name"]


def nvmlDeviceGetUUID(handle):
    return _state("nvmlDeviceGetUUID")["gpus"][handle.number]["uuid"]


def nvmlDeviceGetIndex(handle):
    return handle.number


def nvmlSystemGetDriverVersion():
    return "570.86.15"


def nvmlSystemGetCudaDriverVersion_v2():
    return 12080


def nvmlDeviceGetClockInfo(handle, type):
    state = _state("nvmlDeviceGetClockInfo")
    if type == NVML_CLOCK_MEM:
        return 1593
    locked = state["locked"]
    return 1755 if locked is None else 1095 if locked[1] == NVML_CLOCK_LIMIT_ID_TDP else locked[1]


def nvmlDeviceGetMaxClockInfo(handle, type):
    return 1593 if type == NVML_CLOCK_MEM else 1980


def nvmlDeviceGetDefaultApplicationsClock(handle, type):
    _state("nvmlDeviceGetDefaultApplicationsClock")
    return 1065


def nvmlDeviceGetPowerUsage(handle):
    _state("nvmlDeviceGetPowerUsage")
    return 312_456


def nvmlDeviceGetTotalEnergyConsumption(handle):
    _state("nvmlDeviceGetTotalEnergyConsumption")
    return 5_000_123


def nvmlDeviceGetEnforcedPowerLimit(handle):
    return _state("nvmlDeviceGetEnforcedPowerLimit")["power_limit_mw"]


def nvmlDeviceGetPowerManagementLimit(handle):
    return _state("nvmlDeviceGetPowerManagementLimit")["power_limit_mw"]


def nvmlDeviceGetPowerManagementDefaultLimit(handle):
    return 350_000


def nvmlDeviceGetTemperature(handle, sensor):
    _state("nvmlDeviceGetTemperature")
    return 61


def nvmlDeviceGetUtilizationRates(handle):
    _state("nvmlDeviceGetUtilizationRates")
    return SimpleNamespace(gpu=98, memory=41)


def nvmlDeviceGetCurrentClocksEventReasons(handle):
    return _state("nvmlDeviceGetCurrentClocksEventReasons")["reasons"]


def nvmlDeviceGetCurrentClocksThrottleReasons(handle):
    return _state("nvmlDeviceGetCurrentClocksThrottleReasons")["reasons"]


def nvmlDeviceGetComputeRunningProcesses(handle):
    found = _state("nvmlDeviceGetComputeRunningProcesses")["processes"]
    return [SimpleNamespace(pid=int(pid), usedGpuMemory=2**30) for pid in found]


def nvmlDeviceGetGraphicsRunningProcesses(handle):
    return []


def nvmlSystemGetProcessName(pid):
    return _state("nvmlSystemGetProcessName")["processes"][str(pid)]


def nvmlDeviceSetGpuLockedClocks(handle, minGpuClockMHz, maxGpuClockMHz):
    with _board("nvmlDeviceSetGpuLockedClocks") as state:
        if NVML_CLOCK_LIMIT_ID_TDP in {minGpuClockMHz, maxGpuClockMHz} and not state["knows_tdp"]:
            raise NVMLError(NVML_ERROR_INVALID_ARGUMENT)
        state["locked"] = [minGpuClockMHz, maxGpuClockMHz]


def nvmlDeviceResetGpuLockedClocks(handle):
    with _board("nvmlDeviceResetGpuLockedClocks") as state:
        state["locked"] = None


def nvmlDeviceSetPowerManagementLimit(handle, limit):
    with _board("nvmlDeviceSetPowerManagementLimit") as state:
        if not 100_000 <= limit <= 350_000:
            raise NVMLError(NVML_ERROR_INVALID_ARGUMENT)
        state["power_limit_mw"] = limit
