# ruff: noqa: N802, N803, N815 - the names are those of cuda-python
"""A double of cuda-python's runtime: the functions that the API backend calls, over the GPU of the double."""

import ctypes
from enum import IntEnum
from types import SimpleNamespace

from gpu_double import FAULT, GPU

_MEMORY_BYTES = 64 * 2**30
_buffers = {}
_filled = set()


class cudaError_t(IntEnum):  # noqa: N801
    cudaSuccess = 0
    cudaErrorMemoryAllocation = 2
    cudaErrorInsufficientDriver = 35
    cudaErrorNoDevice = 100
    cudaErrorStreamCaptureUnsupported = 900


class cudaMemcpyKind(IntEnum):  # noqa: N801
    cudaMemcpyHostToHost = 0
    cudaMemcpyHostToDevice = 1
    cudaMemcpyDeviceToHost = 2


class cudaStreamCaptureMode(IntEnum):  # noqa: N801
    cudaStreamCaptureModeThreadLocal = 1


class cudaDeviceAttr(IntEnum):  # noqa: N801
    cudaDevAttrClockRate = 13
    cudaDevAttrMemoryClockRate = 36


_TEXTS = {
    2: b"out of memory",
    35: b"CUDA driver version is insufficient for CUDA runtime version",
    100: b"no CUDA-capable device is detected",
    900: b"operation not permitted when stream is capturing",
}
_OK = cudaError_t.cudaSuccess


class _Event:
    def __init__(self):
        self.time_ms = None


class _Stream:
    def __int__(self):
        return 0x5EED


def cudaGetErrorString(error):
    return _OK, _TEXTS[int(error)]


def cudaGetLastError():
    return (_OK,)


def cudaGetDeviceCount():
    if FAULT == "no-driver":
        return cudaError_t.cudaErrorInsufficientDriver, None
    if FAULT == "no-gpu":
        return cudaError_t.cudaErrorNoDevice, None
    return _OK, 1


def cudaSetDevice(device):
    return (_OK,)


def cudaGetDeviceProperties(device):
    return _OK, SimpleNamespace(
        name=b"NVIDIA H100 PCIe",
        uuid=SimpleNamespace(bytes=bytes(range(16))),
        ECCEnabled=1,
        major=9,
        minor=0,
        multiProcessorCount=114,
        totalGlobalMem=80 * 2**30,
        sharedMemPerMultiprocessor=228 * 2**10,
        memoryBusWidth=5120,
    )


def cudaDeviceGetAttribute(attr, device):
    return _OK, {13: 1_755_000, 36: 1_593_000}[int(attr)]


def cudaMalloc(size):
    if FAULT == "memory":
        return cudaError_t.cudaErrorMemoryAllocation, None
    return _allocate(size)


def cudaMallocHost(size):
    return _allocate(size)


def _allocate(size):
    # Address space that is not touched costs nothing; what is copied to the device is not kept.
    GPU.allocated_bytes += size
    assert GPU.allocated_bytes <= _MEMORY_BYTES
    address = 0x7F00_0000_0000 + len(_buffers) * 2**36
    _buffers[address] = size
    return _OK, address


def cudaMemcpy(dst, src, count, kind):
    assert kind in {cudaMemcpyKind.cudaMemcpyHostToDevice, cudaMemcpyKind.cudaMemcpyHostToHost}
    assert count <= _buffers[dst]
    ctypes.string_at(src, count)  # the source must be readable
    _filled.add(dst)
    return (_OK,)


def cudaMemcpyAsync(dst, src, count, kind, stream):
    assert isinstance(kind, cudaMemcpyKind)
    assert count <= _buffers[dst]
    assert count <= _buffers[src]
    assert src in _filled or kind is cudaMemcpyKind.cudaMemcpyDeviceToHost, "nothing to transfer"
    GPU.run(0.02)
    return (_OK,)


def cudaStreamCreateWithFlags(flags):
    assert flags == 1
    return _OK, _Stream()


def cudaStreamSynchronize(stream):
    GPU.wait(GPU.done_ms)
    return (_OK,)


def cudaStreamBeginCapture(stream, mode):
    GPU.captured = []
    return (_OK,)


def cudaStreamEndCapture(stream):
    graph, GPU.captured = GPU.captured, None
    if FAULT == "capture":
        return cudaError_t.cudaErrorStreamCaptureUnsupported, None
    return _OK, graph


def cudaGraphInstantiate(graph, flags):
    assert graph
    assert flags == 0
    return _OK, graph


def cudaGraphLaunch(graphExec, stream):
    for launch in graphExec:
        launch()
    return (_OK,)


def cudaEventCreateWithFlags(flags):
    assert flags in {0, 1}
    return _OK, _Event()


def cudaEventRecord(event, stream):
    event.time_ms = GPU.reach()
    return (_OK,)


def cudaEventSynchronize(event):
    GPU.wait(event.time_ms)
    return (_OK,)


def cudaEventElapsedTime(start, end):
    return _OK, end.time_ms - start.time_ms
