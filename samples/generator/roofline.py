"""Estimate how long a layer takes on a device, from its bytes and its arithmetic."""

from __future__ import annotations

from dataclasses import dataclass

from .engine import Layer

# The share of the datasheet's figures that well-written kernels reach.
MEMORY_EFFICIENCY = 0.78
MATH_EFFICIENCY = 0.55
LAUNCH_MS = 0.0018


@dataclass(frozen=True)
class Device:
    """The figures of a GPU: trtexec's device block, and peaks for the estimate."""

    name: str
    compute_capability: float
    multiprocessors: int
    memory_mib: int
    shared_memory_kib: int
    bus_bits: int
    compute_clock_ghz: float
    memory_clock_ghz: float
    bandwidth_gb_s: float
    tera_operations: dict[str, float]  # dense; two operations per multiply-add
    tick_ms: float  # resolution of the event timer


A100 = Device(
    name="NVIDIA A100 80GB PCIe",
    compute_capability=8.0,
    multiprocessors=108,
    memory_mib=81050,
    shared_memory_kib=164,
    bus_bits=5120,
    compute_clock_ghz=1.41,
    memory_clock_ghz=1.512,
    bandwidth_gb_s=1935,
    tera_operations={"Int8": 624, "Half": 312, "BFloat16": 312, "Float": 19.5},
    tick_ms=0.001024,
)

L4 = Device(
    name="NVIDIA L4",
    compute_capability=8.9,
    multiprocessors=58,
    memory_mib=22565,
    shared_memory_kib=100,
    bus_bits=192,
    compute_clock_ghz=2.04,
    memory_clock_ghz=6.251,
    bandwidth_gb_s=300,
    tera_operations={"Int8": 242, "FP8": 242, "Half": 121, "BFloat16": 121, "Float": 30.3},
    tick_ms=0.000512,
)

H100 = Device(
    name="NVIDIA H100 PCIe",
    compute_capability=9.0,
    multiprocessors=114,
    memory_mib=81079,
    shared_memory_kib=228,
    bus_bits=5120,
    compute_clock_ghz=1.755,
    memory_clock_ghz=1.593,
    bandwidth_gb_s=2000,
    tera_operations={"Int8": 1513, "FP8": 1513, "Half": 756, "BFloat16": 756, "Float": 51},
    tick_ms=0.000512,
)


def layer_ms(layer: Layer, device: Device, dynamic_extent: int) -> float:
    """Return the time that the slower of memory and arithmetic asks for."""
    if layer.work is None:
        return 0.0
    tensors = (*layer.inputs, *layer.outputs)
    moved = sum(tensor.size_bytes(dynamic_extent) for tensor in tensors) + layer.work.weight_bytes
    memory_ms = moved / (device.bandwidth_gb_s * 1e6 * MEMORY_EFFICIENCY)
    peak = device.tera_operations.get(layer.work.datatype, device.tera_operations["Float"]) / 2
    math_ms = layer.work.multiply_adds / (peak * 1e9 * MATH_EFFICIENCY)
    return LAUNCH_MS + max(memory_ms, math_ms) * layer.work.slowdown
