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
    tera_operations={"Int8": 624, "Half": 312, "BFloat16": 312, "TF32": 156, "Float": 19.5},
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


RTX_3060_LAPTOP = Device(
    name="NVIDIA GeForce RTX 3060 Laptop GPU",
    compute_capability=8.6,
    multiprocessors=30,
    memory_mib=5937,
    shared_memory_kib=100,
    bus_bits=192,
    compute_clock_ghz=1.425,
    memory_clock_ghz=7.001,
    bandwidth_gb_s=336,
    tera_operations={"Int8": 87.5, "Half": 43.8, "BFloat16": 43.8, "Float": 10.9},
    tick_ms=0.001024,
)

RTX_3090 = Device(
    name="NVIDIA GeForce RTX 3090",
    compute_capability=8.6,
    multiprocessors=82,
    memory_mib=24265,
    shared_memory_kib=100,
    bus_bits=384,
    compute_clock_ghz=1.695,
    memory_clock_ghz=9.751,
    bandwidth_gb_s=936,
    tera_operations={"Int8": 284, "Half": 142, "BFloat16": 71, "Float": 35.6},
    tick_ms=0.001024,
)

# The Jetson modules: their inspector's files name no device, so that only times come of these figures.
ORIN = Device(
    name="Orin",
    compute_capability=8.7,
    multiprocessors=16,
    memory_mib=30697,
    shared_memory_kib=164,
    bus_bits=256,
    compute_clock_ghz=1.3,
    memory_clock_ghz=0.612,
    bandwidth_gb_s=204.8,
    tera_operations={"Int8": 85, "Half": 42.5, "Float": 5.3},
    tick_ms=0.000032,
)

THOR = Device(
    name="Thor",
    compute_capability=10.1,
    multiprocessors=20,
    memory_mib=122880,
    shared_memory_kib=228,
    bus_bits=256,
    compute_clock_ghz=1.575,
    memory_clock_ghz=4.266,
    bandwidth_gb_s=273,
    tera_operations={"Int8": 517, "FP8": 517, "Half": 258, "BFloat16": 258, "Float": 8},
    tick_ms=0.000032,
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
