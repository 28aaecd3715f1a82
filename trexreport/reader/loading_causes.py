"""What errors mean that a program states which loads an engine or runs it."""

from __future__ import annotations

from trexreport.reader.error_cause import PLUGIN_LIBRARY, Cause

LOADING_CAUSES = (
    Cause(
        r"incompatible device|different model of device|DeviceCC ==",
        "The engine was built for another kind of GPU.",
        "Build it again on this one; --hardwareCompatibilityLevel makes engines for several.",
    ),
    Cause(
        r"expecting library version (?P<here>[\d.]+\d) got (?P<there>[\d.]+\d)",
        "The engine is of TensorRT {there}, and this trtexec is of {here}.",
        "Build it again with this one, or measure it with that one.",
    ),
    Cause(
        r"IPluginCreator not found in Plugin Registry|IPluginCreator could not be found",
        "The engine has a plugin that this program did not register.",
        f"{PLUGIN_LIBRARY} A program loads it, and calls initLibNvInferPlugins for TensorRT's own plugins, "
        "before it loads the engine.",
    ),
    Cause(
        r"magic ?Tag|Magic tag does not match",
        "The file is not an engine that this TensorRT can read: another kind of file, one that is cut, or an "
        "engine of another release or operating system.",
        "Check that the path is that of the engine and not of the ONNX model, and its size; else build the "
        "engine with the TensorRT that loads it.",
    ),
    Cause(
        r"Version tag does not match",
        "The engine was built by another version of TensorRT.",
        "Build it again with this one. Where both seem to be the same, two versions are installed: "
        "LD_LIBRARY_PATH and the Python package decide which one loads the engine.",
    ),
    Cause(
        r"not compatible with this version of TensorRT|"
        r"(?:stdVersionRead|serializedVersion|safeVersionRead) ==|Serialization assertion",
        "The engine was built by another version of TensorRT, or is damaged.",
        "Build it again with this one.",
    ),
    Cause(
        r"nullBindingOK",
        "An input or an output has no memory: the program set no address for it.",
        "Give each tensor of the engine, all outputs too, the address of its memory on the GPU.",
    ),
    Cause(
        r"Cuda (?:Runtime|Driver) \(initialization error\)",
        "CUDA cannot be used in this process.",
        "A process that was forked after CUDA was in use cannot use it: start worker processes with spawn, "
        "and load the engine in them. Else check the driver with nvidia-smi.",
    ),
)
