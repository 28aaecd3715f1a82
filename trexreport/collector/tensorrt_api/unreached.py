"""Why the program on the Python bindings does not take a flag of trtexec."""

from __future__ import annotations

_REASONS: tuple[tuple[str, str], ...] = (
    (
        "calib calibProfile maxShapesCalib minShapesCalib optShapesCalib",
        "It reads no calibration: INT8 without Q/DQ gets invented ranges. Times hold, results do not.",
    ),
    ("infStreams streams threads", "It measures on one stream."),
    ("exposeDMA idleTime sleepTime", "It launches one query after another."),
    (
        """accuracyAlgorithm accuracyThreshold atol dumpOutput dumpRawBindingsToFile exportOutput
        loadRefOutputs markDebug markUnfusedTensorsAsDebugTensors refPair rtol saveAllDebugTensors
        saveDebugTensors""",
        "It keeps and compares no outputs: --accuracy does, or Polygraphy.",
    ),
    ("dumpLayerInfo dumpProfile", "The files of the capture have what it would print."),
    ("dumpRefit refitFromOnnx timeRefit weightless", "It refits no engine."),
    (
        """saveAllEngines setBuildRoute tuneBuildRouteFile tuneBuildRoutes tuningCacheFile tuningResultFile
        tuningSearch tuningTimeOut""",
        "It builds one engine, and tunes no routes.",
    ),
    (
        "ignoreParsedPluginLibs leanDLLPath setPluginsToSerialize tempdir tempfileControls useRuntime",
        "It loads engines with the full runtime.",
    ),
    (
        "adjustForDLA reportCapabilityDLA uint8AsymmetricQuantizationDLA",
        "Of DLA it takes the core, the fallback and the memory pools.",
    ),
    (
        "allocationStrategy asyncFileReader persistentCacheRatio useManagedMemory",
        "It loads and runs engines with TensorRT's defaults.",
    ),
    ("consistency", "It checks no engine for safety."),
)
_WHY = {flag: why for flags, why in _REASONS for flag in flags.split()}


def why_unreached(flag: str) -> str:
    """Return why a flag is not taken, as a sentence; an empty text where nothing is known of it."""
    return _WHY.get(flag, "")
