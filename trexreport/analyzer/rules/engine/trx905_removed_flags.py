"""TRX905 engine.removed-flags."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.engine.build_flags import FIRST_WITHOUT, FLAG, FLAG_OF_TYPE, is_strongly_typed
from trexreport.regex import regex

_TYPED = "types in the ONNX file, which AutoCast of TensorRT Model Optimizer sets"
_QUANTIZED = "Q/DQ nodes in the ONNX file, which TensorRT Model Optimizer adds"
#: Flag to its replacement in TensorRT 11.
_REMOVED = {
    **dict.fromkeys(("--fp16", "--bf16", "--best", "--layerPrecisions", "--layerOutputTypes"), _TYPED),
    "--precisionConstraints": _TYPED,
    **dict.fromkeys(("--int8", "--fp8", "--int4", "--calib"), _QUANTIZED),
    "--workspace": "--memPoolSize=workspace:N",
    "--buildOnly": "--skipInference",
    "--nvtxMode": "--profilingVerbosity",
    "--minTiming": "--avgTiming",
    "--heuristic": "--builderOptimizationLevel=2",
    "--explicitBatch": "no option: the batch is always explicit",
}
#: The major version before the one that removed them.
_BEFORE = (10, 0)
_IO_TYPE = regex(r"--(?:input|output)IOFormats=\S*:")


@built_in_rule("info", needs=("build-options",), section="build", on_request=True)
def removed_flags(context: Context) -> Hits:
    """The engine was built with options that TensorRT 11 removed.

    Cost:
        trtexec refuses a command line with a flag that it no longer has. [if type-flags: From TensorRT 11
        on the types in the network decide the precision: flags of types, and calibration, are removed;
        10.16 warns about them.]

    Recommendation:
        [if asks-dla: Stay on TensorRT 10: 11.0 to 11.3 do not support a DLA.] Use what each place names
        instead of the flag. [if type-flags, 9.3..: Move to a strongly typed network while both ways work:
        --stronglyTyped takes the types from the ONNX file. Cast it to FP16 or BF16 where accuracy allows, and
        add Q/DQ nodes for INT8 or FP8. Then compare accuracy and times with this engine.]

    False alarm:
        The engine stays on TensorRT 10. Nothing is reported of older versions, whose next one takes the
        flags. It runs on request alone, as it changes nothing of this engine: select it before an upgrade.

    Est. savings:
        Not estimated: it concerns the next upgrade, not the time.
    """
    if context.version is None or not (_BEFORE <= context.version < FIRST_WITHOUT):
        return
    used: list[str] = []
    if not is_strongly_typed(context):
        used += [FLAG_OF_TYPE[name] for name in FLAG_OF_TYPE if name in context.requested_precisions]
    words = [word for command in context.analysis.commands for word in command.split()]
    used += [found.group() for word in words if (found := FLAG.match(word)) and found.group() in _REMOVED]
    replaced = {flag: _REMOVED[flag] for flag in dict.fromkeys(used)}
    for key, flag in (("Calibration", "--calib"), ("LayerPrecisions", "--layerPrecisions")):
        if context.build_option(key):
            replaced[flag] = _REMOVED[flag]
    if any(_IO_TYPE.match(word) for word in words):
        replaced["types in --inputIOFormats and --outputIOFormats"] = "layouts only, such as chw"
    if replaced:
        flags = ", ".join(replaced)
        labels = {flag[:1].upper() + flag[1:]: instead for flag, instead in replaced.items()}
        yield Hit(f"TensorRT 11 removed {flags}.", (), None, labels)
