"""Call the CUDA runtime through cuda-python, and describe the GPU as trtexec does."""

from __future__ import annotations

import importlib
from typing import Any

from trexreport.collector.tensorrt_api.bindings import HOW_TO_GET_IT, RunFailedError
from trexreport.errors import MissingToolError

#: Where cuda-python has the runtime: from 12.6 on, and before.
MODULES = ("cuda.bindings.runtime", "cuda.cudart")
#: Flag of cudaStreamCreateWithFlags: not to wait for the default stream. Source: driver_types.h.
_NON_BLOCKING = 1


class Cuda:
    """The CUDA runtime; a call that fails raises.

    Attributes:
        runtime: cuda-python's module, for its constants.
    """

    def __init__(self, runtime: Any) -> None:
        self.runtime = runtime

    def __call__(self, function: str, *arguments: Any) -> Any:
        """Call a function of the runtime and return what it gives.

        Raises:
            RunFailedError: It returned an error, which is named.
        """
        status, *values = getattr(self.runtime, function)(*arguments)
        if int(status):
            _, text = self.runtime.cudaGetErrorString(status)
            message = text.decode() if isinstance(text, bytes) else text
            raise RunFailedError(f"Cuda failure: {message} ({function})")
        return values[0] if values else None

    def copy(self, target: int, source: int, size: int, kind: str) -> None:
        """Copy bytes, such as by "cudaMemcpyHostToDevice", and wait for that."""
        self("cudaMemcpy", target, source, size, getattr(self.runtime.cudaMemcpyKind, kind))

    def new_stream(self) -> Any:
        """Return a stream that does not wait for the default one."""
        return self("cudaStreamCreateWithFlags", _NON_BLOCKING)


def open_cuda(device: int) -> Cuda:
    """Return the CUDA runtime, set to use a device.

    Raises:
        MissingToolError: cuda-python is not installed.
        RunFailedError: There is no such device.
    """
    for name in MODULES:
        try:
            cuda = Cuda(importlib.import_module(name))
            break
        except ImportError:
            continue
    else:
        raise MissingToolError("The Python package cuda-python is not installed.", HOW_TO_GET_IT)
    count = cuda("cudaGetDeviceCount")
    if device >= count:
        raise RunFailedError(f"There is no device {device}; the machine has {count}.")
    cuda("cudaSetDevice", device)
    return cuda


def describe_device(cuda: Cuda, device: int) -> dict[str, object]:
    """Return trtexec's section "Device Information"; source of keys and units: sampleDevice.cpp."""
    properties = cuda("cudaGetDeviceProperties", device)
    name = properties.name.decode() if isinstance(properties.name, bytes) else str(properties.name)
    raw = bytes(properties.uuid.bytes)[:16].hex()
    uuid = f"GPU-{raw[:8]}-{raw[8:12]}-{raw[12:16]}-{raw[16:20]}-{raw[20:]}"
    ecc = "enabled" if properties.ECCEnabled else "disabled"
    return {
        "Selected Device": name,
        "Selected Device ID": device,
        "Selected Device UUID": uuid,
        "Compute Capability": f"{properties.major}.{properties.minor}",
        "SMs": properties.multiProcessorCount,
        "Device Global Memory": f"{properties.totalGlobalMem >> 20} MiB",
        "Shared Memory per SM": f"{properties.sharedMemPerMultiprocessor >> 10} KiB",
        "Memory Bus Width": f"{properties.memoryBusWidth} bits (ECC {ecc})",
        "Application Compute Clock Rate": f"{_clock_ghz(cuda, 'cudaDevAttrClockRate', device):g} GHz",
        "Application Memory Clock Rate": f"{_clock_ghz(cuda, 'cudaDevAttrMemoryClockRate', device):g} GHz",
    }


def _clock_ghz(cuda: Cuda, attribute: str, device: int) -> float:
    """Return a clock; the properties no longer have them from CUDA 13 on, the attributes do."""
    clock_khz = cuda("cudaDeviceGetAttribute", getattr(cuda.runtime.cudaDeviceAttr, attribute), device)
    return float(clock_khz) / 1e6
