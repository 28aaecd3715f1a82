"""Query NVML about one GPU; what it does not report is None.

Source of names, units and error codes: NVML API Reference, "Device Queries" and "Clocks Event Reasons".
"""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from trexreport.errors import MissingToolError

#: Quantity to NVML's function, the constant it is asked with, and the factor to the unit in the name.
_QUANTITIES: dict[str, tuple[str, str, float]] = {
    "sm_clock_mhz": ("nvmlDeviceGetClockInfo", "NVML_CLOCK_SM", 1),
    "memory_clock_mhz": ("nvmlDeviceGetClockInfo", "NVML_CLOCK_MEM", 1),
    "power_w": ("nvmlDeviceGetPowerUsage", "", 1e-3),
    "energy_j": ("nvmlDeviceGetTotalEnergyConsumption", "", 1e-3),
    "temperature_c": ("nvmlDeviceGetTemperature", "NVML_TEMPERATURE_GPU", 1),
}
_LIMITS: dict[str, tuple[str, str, float]] = {
    "max_sm_clock_mhz": ("nvmlDeviceGetMaxClockInfo", "NVML_CLOCK_SM", 1),
    "max_memory_clock_mhz": ("nvmlDeviceGetMaxClockInfo", "NVML_CLOCK_MEM", 1),
    "power_limit_w": ("nvmlDeviceGetEnforcedPowerLimit", "", 1e-3),
    "default_power_limit_w": ("nvmlDeviceGetPowerManagementDefaultLimit", "", 1e-3),
}
#: The newer name, of drivers from 535 on, and the older one.
_REASONS = ("nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons")
_PROCESSES = ("nvmlDeviceGetComputeRunningProcesses", "nvmlDeviceGetGraphicsRunningProcesses")
#: Columns of a sample, in the order of the file.
COLUMNS = (*_QUANTITIES, "gpu_utilization_percent", "memory_utilization_percent", "throttle_reasons")


class Gpu:
    """One GPU; close it when done.

    Attributes:
        uuid: NVML's name for the board, such as "GPU-31e9692b-…".
        index: Its place in PCI order, as nvidia-smi counts, or None.
    """

    def __init__(self, nvml: ModuleType, handle: Any) -> None:
        self._nvml = nvml
        self._handle = handle
        self._in_vain: set[tuple[str, str]] = set()
        self.uuid: str | None = self._text("nvmlDeviceGetUUID")
        self.index: int | None = self._ask("nvmlDeviceGetIndex")

    def describe(self) -> dict[str, Any]:
        """Return what the GPU is and what its limits are."""
        return {
            "name": self._text("nvmlDeviceGetName"),
            "uuid": self.uuid,
            "index": self.index,
            "driver": _decoded(self._ask_nvml("nvmlSystemGetDriverVersion")),
            "cuda": _dotted(self._ask_nvml("nvmlSystemGetCudaDriverVersion_v2")),
            **{name: self._amount(*how) for name, how in _LIMITS.items()},
        }

    def sample(self) -> dict[str, float | int | None]:
        """Return the quantities of `COLUMNS` at this moment."""
        found: dict[str, float | int | None]
        found = {name: self._amount(*how) for name, how in _QUANTITIES.items()}
        rates = self._ask("nvmlDeviceGetUtilizationRates")
        found["gpu_utilization_percent"] = getattr(rates, "gpu", None)
        found["memory_utilization_percent"] = getattr(rates, "memory", None)
        found["throttle_reasons"] = next(
            (mask for mask in map(self._ask, _REASONS) if mask is not None), None
        )
        return found

    def processes(self) -> dict[int, int | None]:
        """Return the processes that have memory on the GPU, with its size in bytes where NVML reports it."""
        listed = [process for name in _PROCESSES for process in self._ask(name) or ()]
        return {process.pid: process.usedGpuMemory for process in listed}

    def process_name(self, pid: int) -> str | None:
        """Return the program that a process runs, or None where this user may not know."""
        return _decoded(self._ask_nvml("nvmlSystemGetProcessName", pid))

    def close(self) -> None:
        """Let go of NVML."""
        self._ask_nvml("nvmlShutdown")

    def _amount(self, function: str, constant: str, factor: float) -> float | int | None:
        value: int | None = self._ask(function, constant)
        return value if value is None or factor == 1 else round(value * factor, 3)

    def _text(self, function: str) -> str | None:
        return _decoded(self._ask(function))

    def _ask(self, function: str, constant: str = "") -> Any:
        """Return what NVML says, or None; what it does not support is not asked for again."""
        question = (function, constant)
        if question in self._in_vain or not hasattr(self._nvml, function):
            return None
        arguments = (getattr(self._nvml, constant),) if constant else ()
        try:
            return getattr(self._nvml, function)(self._handle, *arguments)
        except self._nvml.NVMLError as error:
            transient = (self._nvml.NVML_ERROR_UNKNOWN, self._nvml.NVML_ERROR_TIMEOUT)
            if error.value not in transient:
                self._in_vain.add(question)
            return None

    def _ask_nvml(self, function: str, *arguments: Any) -> Any:
        try:
            return getattr(self._nvml, function)(*arguments)
        except self._nvml.NVMLError:
            return None


def open_gpu(device: str, environment: Mapping[str, str]) -> tuple[Gpu, tuple[str, ...]]:
    """Return the GPU that CUDA would use, and a note if that is not certain.

    Args:
        device: Its number as CUDA counts, its UUID or its PCI address; empty for CUDA's first.
        environment: Where CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER may stand.

    Raises:
        MissingToolError: NVML or its Python package is not there, or it does not know the GPU.
    """
    nvml = _nvml()
    try:
        handle, notes = _find(nvml, device, environment)
        handle = _whole_board(nvml, handle)
    except nvml.NVMLError as error:
        nvml.nvmlShutdown()
        raise MissingToolError(f"NVML does not know GPU {device or '0'}: {error}.") from None
    return Gpu(nvml, handle), notes


def _nvml() -> Any:
    try:
        import pynvml
    except ImportError:
        raise MissingToolError(
            "The Python package nvidia-ml-py is not installed.", "Install trexreport[gpu]."
        ) from None
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        raise MissingToolError(f"NVML can't be used: {error}.") from None
    return pynvml


def _find(nvml: Any, device: str, environment: Mapping[str, str]) -> tuple[Any, tuple[str, ...]]:
    """Return NVML's handle of a GPU that is named in CUDA's way."""
    visible = [each.strip() for each in environment.get("CUDA_VISIBLE_DEVICES", "").split(",")]
    if not device or device.isdecimal():
        number = int(device or "0")
        named = visible[number] if visible != [""] and number < len(visible) else str(number)
    else:
        named = device
    if named.isdecimal():
        handle = nvml.nvmlDeviceGetHandleByIndex(int(named))
        return handle, _order_note(nvml, int(named), environment)
    if ":" in named:
        return nvml.nvmlDeviceGetHandleByPciBusId(named), ()
    return nvml.nvmlDeviceGetHandleByUUID(named), ()


def _order_note(nvml: Any, number: int, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Say so if CUDA, which counts the fastest GPU first, may mean another one than NVML."""
    if environment.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID":
        return ()
    handles = [nvml.nvmlDeviceGetHandleByIndex(each) for each in range(nvml.nvmlDeviceGetCount())]
    if len({_decoded(nvml.nvmlDeviceGetName(each)) for each in handles}) < 2:
        return ()
    note = (
        f"The GPUs are of several kinds, and GPU {number} was watched as nvidia-smi counts; CUDA may count "
        "otherwise. CUDA_DEVICE_ORDER=PCI_BUS_ID makes it certain."
    )
    return (note,)


def _whole_board(nvml: Any, handle: Any) -> Any:
    """Return the board that a MIG slice is of: clocks and power are the board's."""
    try:
        if nvml.nvmlDeviceIsMigDeviceHandle(handle):
            return nvml.nvmlDeviceGetDeviceHandleFromMigDeviceHandle(handle)
    except nvml.NVMLError:
        pass
    return handle


def _decoded(text: Any) -> str | None:
    """Return a text of NVML, which bindings before 11.5 give as bytes."""
    if isinstance(text, bytes):
        return text.decode(errors="replace")
    return text if isinstance(text, str) else None


def _dotted(version: int | None) -> str | None:
    """Return "12.8" for CUDA's 12080: the newest CUDA that the driver can serve."""
    return None if version is None else f"{version // 1000}.{version % 1000 // 10}"
