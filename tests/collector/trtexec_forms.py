"""What trtexec prints of its options and of the device, line by line, with the releases that print it.

Keys as in logs of trtexec 8.4 to 11.1; between two releases of which there is a log a change may be later.
"""

from __future__ import annotations

#: What some releases print behind their version.
UNPACKED_BUILDS = {
    (10, 7): " [b23]",
    (10, 13): " [b9]",
    (10, 16): " [b72]",
    (11, 0): " [b114]",
    (11, 1): " [b106]",
}


def applies(span: str, release: tuple[int, int]) -> bool:
    """Return whether a release lies in a span such as "8.6-10.16" or "10.0-"."""
    first, _, last = span.partition("-")

    def parsed(text: str) -> tuple[int, ...]:
        return tuple(map(int, text.split(".")))

    return parsed(first) <= release and (not last or release <= parsed(last))


def _lines(table: str) -> list[tuple[str, str]]:
    """Return (span, line) of each row; a line may end in a space, marked by "·"."""
    rows = (row.strip().partition(" ") for row in table.strip().splitlines())
    return [(span, line.strip().replace("·", " ")) for span, _, line in rows]


SECTIONS = {
    "Model Options": _lines("""
        8.4-       Format: {format}
        8.4-       Model: {is_onnx}
        8.4-       Output:
    """),
    "Build Options": _lines("""
        8.4-8.6    Max batch: explicit batch
        8.4-9.3    Memory Pools: workspace: {workspace}, {dla_pools}
        10.0-      Memory Pools: workspace: {workspace}, {dla_pools}, tacticSharedMem: default
        8.4-9.3    minTiming: 1
        8.4-       avgTiming: 8
        8.4-       Precision: {precision}
        8.4-10.16  LayerPrecisions:·
        8.6-       Layer Device Types:·
        10.16-     Decomposable Attentions:·
        8.4-10.16  Calibration:·
        8.4-       Refit: {has_refit}
        10.0-      Strip weights: {has_stripWeights}
        8.6-       Version Compatible: {has_versionCompatible}
        10.0-      ONNX Plugin InstanceNorm: Disabled
        10.13-     ONNX kENABLE_UINT8_AND_ASYMMETRIC_QUANTIZATION_DLA flag: Disabled
        10.16-     ONNX kREPORT_CAPABILITY_DLA flag: Disabled
        10.16-     ONNX kADJUST_FOR_DLA flag: Disabled
        10.16-     ONNX kENABLE_PLUGIN_OVERRIDE flag: Disabled
        8.6-       TensorRT runtime: full
        8.6-       Lean DLL Path:·
        8.6-       Tempfile Controls: {{ in_memory: allow, temporary: allow }}
        8.6-       Exclude Lean Runtime: Disabled
        8.4-       Sparsity: Disabled
        8.4-       Safe mode: Disabled
        8.6-       Build DLA standalone loadable: Disabled
        8.6-       Allow GPU fallback for DLA: {has_allowGPUFallback}
        8.4-       DirectIO mode: Disabled
        8.4-10.16  Restricted mode: Disabled
        8.4-8.5    Build only: {skips}
        8.6-       Skip inference: {skips}
        8.4-       Save engine: {is_saveEngine}
        8.4-       Load engine: {is_loadEngine}
        8.4-       Profiling verbosity: {verbosity}
        8.4-       Tactic sources: Using default tactic sources
        8.4-       timingCacheMode: {cache_mode}
        8.4-       timingCacheFile: {is_timingCacheFile}
        10.0-      Enable Compilation Cache: Enabled
        10.13-     Enable Monitor Memory: Disabled
        10.16-     CPU Only Mode: Disabled
        10.0-      errorOnTimingCacheMiss: Disabled
        8.6-9.3    Heuristic: Disabled
        8.6-       Preview Features: Use default preview flags.
        8.6-       MaxAuxStreams: -1
        8.6-       BuilderOptimizationLevel: -1
        10.13-     MaxTactics: -1
        10.0-10.16 Calibration Profile Index: 0
        10.0-      Weight Streaming: Disabled
        10.13-     Runtime Platform: Same As Build
        10.0-      Debug Tensors:·
        10.13-     Distributive Independence: Disabled
        10.13-     Mark Unfused Tensors As Debug Tensors: Disabled
        8.4-10.16  Input(s)s format: fp32:CHW
        11.0-      Input(s)s format: CHW
        8.4-10.16  Output(s)s format: fp32:CHW
        11.0-      Output(s)s format: CHW
        8.4-       Input build{build_shapes}
        8.4-10.16  Input calibration shapes: model
    """),
    "System Options": _lines("""
        8.4-       Device: 0
        8.4-       DLACore: {is_useDLACore}
        8.4-10.13  Plugins:
        10.16-     Loaded static plugins:
        8.6-       setPluginsToSerialize:
        8.6-       dynamicPlugins:
        8.6-       ignoreParsedPluginLibs: 0
        8.6-       ·
    """),
    "Inference Options": _lines("""
        8.4-       Batch: Explicit
        8.4-       Input inference{shapes}
        8.4-       Iterations: {iterations}
        8.4-       Duration: {duration}s (+ {warm_up}ms warm up)
        8.4-       Sleep time: 0ms
        8.4-       Idle time: 0ms
        8.4-8.5    Streams: {streams}
        8.6-       Inference Streams: {streams}
        8.4-       ExposeDMA: {has_exposeDMA}
        8.4-       Data transfers: {transfers}
        8.4-       Spin-wait: {spin}
        8.4-       Multithreading: {has_threads}
        8.4-       CUDA Graph: {graph}
        8.4-10.16  Separate profiling: {has_separateProfileRun}
        8.4-       Time Deserialize: Disabled
        8.4-       Time Refit: {has_timeRefit}
        8.6-       NVTX verbosity: {verbosity}
        8.6-       Persistent Cache Ratio: 0
        10.0-      Optimization Profile Index: 0
        10.0-      Weight Streaming Budget: 100.000000%
        8.4-       Inputs:
        10.0-      Debug Tensor Save Destinations:
        10.13-     Dump All Debug Tensor in Formats:·
        11.1-      Accuracy Algorithm: L0
        11.1-      Absolute Tolerance (atol): 1e-05
        11.1-      Relative Tolerance (rtol): 1e-05
    """),
    "Reporting Options": _lines("""
        8.4-       Verbose: {has_verbose}
        8.4-       Averages: {averages} inferences
        8.4-8.4    Percentile: {percentiles}
        8.5-       Percentiles: {percentiles}
        8.4-       Dump refittable layers:Disabled
        8.4-       Dump output: {has_dumpOutput}
        8.4-       Profile: {profiles}
        8.4-       Export timing to JSON file: {is_exportTimes}
        8.4-       Export output to JSON file: {is_exportOutput}
        8.4-       Export profile to JSON file: {is_exportProfile}
    """),
}

DEVICE = _lines("""
    10.0-      Available Devices:·
    10.0-      ··Device 0: "NVIDIA L4" UUID: GPU-00000000-5a3e-7e57-0000-000000000011
    8.4-       Selected Device: NVIDIA L4
    10.0-      Selected Device ID: 0
    10.0-      Selected Device UUID: GPU-00000000-5a3e-7e57-0000-000000000011
    8.4-       Compute Capability: 8.9
    8.4-       SMs: 58
    8.4-8.5    Compute Clock Rate: 2.04 GHz
    8.4-       Device Global Memory: 22565 MiB
    8.4-       Shared Memory per SM: 100 KiB
    8.4-       Memory Bus Width: 192 bits (ECC enabled)
    8.4-8.5    Memory Clock Rate: 6.251 GHz
    8.6-       Application Compute Clock Rate: 2.04 GHz
    8.6-       Application Memory Clock Rate: 6.251 GHz
    8.6-       ·
    8.6-       Note: The application clock rates do not reflect the actual clock rates {of_the_gpu}.
""")

#: What fails at the end of most failures.
_NO_ENGINE = ("Failed to create engine from model or file.", "Engine set up failed")
_NOT_BUILT = ("Engine could not be created from network", "Building engine failed", *_NO_ENGINE)
_NOT_PARSED = ("Failed to parse onnx file", "Parsing model failed", *_NO_ENGINE)
_MEMORY = (
    "[TRT] [virtualMemoryBuffer.cpp::resizePhysical::132] Error Code 2: OutOfMemory "
    "(Requested size was 25769803776 bytes.)"
)
_PLUGIN = (
    "[TRT] In node 7 with name: /head/Foo and operator: Foo (importFallbackPluginImporter): "
    'UNSUPPORTED_NODE: Assertion failed: creator && "Plugin not found, are the plugin name, version, '
    'and namespace correct?"'
)
_NO_PLAN = (
    "[TRT] IRuntime::deserializeCudaEngine: Error Code 1: Serialization (Serialization assertion "
    "plan->header.magicTag == rt::kPLAN_MAGIC_TAG failed.)"
)
_OTHER_VERSION = (
    "[TRT] IRuntime::deserializeCudaEngine: Error Code 6: API Usage Error (The engine plan file is not "
    "compatible with this version of TensorRT, expecting library version {version}.0 got {built}.0, "
    "please rebuild.)"
)
#: Error lines by failure; "[TRT] " marks those of the library.
ERRORS = {
    "build": _NOT_BUILT,
    "memory": (_MEMORY, *_NOT_BUILT),
    "onnx": (_PLUGIN, *_NOT_PARSED),
    "no_model": ("[TRT] ModelImporter.cpp: Could not open file {model}", *_NOT_PARSED),
    "no_engine": ("Error opening engine file: {engine}", *_NO_ENGINE),
    "no_plan": (_NO_PLAN, *_NO_ENGINE),
    "other_version": (_OTHER_VERSION, *_NO_ENGINE),
}
DYNAMIC = (
    "Dynamic dimensions required for input: {name}, but no shapes were provided. "
    "Automatically overriding shape to: {shape}"
)
#: Without a blank, as trtexec writes it.
DYNAMIC_ENGINE = "Shape missing for input with dynamic shape: {name}Automatically setting shape to: {shape}"

#: What TensorRT itself says; from logs of 8.4.1 and 10.16.1.
LIBRARY_BUILDS = _lines("""
    8.4-       [MemUsageChange] Init CUDA: CPU +1, GPU +0, now: CPU 32, GPU 458 (MiB)
    8.4-       Detected 1 inputs and 2 output network tensors.
    8.4-9.3    Total Host Persistent Memory: 18896
    10.0-      Total Host Persistent Memory: 18896 bytes
    8.4-9.3    Total Device Persistent Memory: 0
    10.0-      Total Device Persistent Memory: 0 bytes
    8.4-9.3    Total Scratch Memory: 4608
    10.0-      Max Scratch Memory: 4608 bytes
    8.4-9.3    Total Activation Memory: 34815488
    10.0-      Total Activation Memory: 34815488 bytes
    10.0-      Total Weights Memory: 803209216 bytes
    10.0-      Engine generation completed in 1.23 seconds.
    8.4-       [MemUsageStats] Peak memory usage of TRT CPU/GPU memory allocators: CPU 0 MiB, GPU 13 MiB
""")
LIBRARY_LOADS = _lines("""
    8.4-       Loaded engine size: 0 MiB
    8.4-       [MemUsageChange] Init CUDA: CPU +0, GPU +0, now: CPU 914, GPU 853 (MiB)
""")
