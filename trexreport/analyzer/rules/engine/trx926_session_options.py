"""TRX926 engine.session-options."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.analysis.execution import Execution
from trexreport.analyzer.rules import Context, Hit, Hits, Threshold, built_in_rule
from trexreport.analyzer.rules.engine.build_flags import FIRST_WITHOUT
from trexreport.numbers import counted, format_count, format_number, join_names

_MS_IN_S = 1e3
#: Shorter times have decimals.
_SHORT_S = 10.0
_CACHE, _TIMING_CACHE = "trt_engine_cache_enable", "trt_timing_cache_enable"
#: Options of ONNX Runtime that allow a lower precision than FP32.
_LOWER = ("trt_fp16_enable", "trt_bf16_enable", "trt_int8_enable", "trt_fp8_enable")
_RANGES = ("trt_profile_min_shapes", "trt_profile_opt_shapes", "trt_profile_max_shapes")
_STORE = {
    "onnx-runtime": (
        f"Set {_CACHE} and {_TIMING_CACHE}, with trt_engine_cache_path and trt_timing_cache_path on a disk "
        "that stays, and run the session once before it serves."
    ),
    "torch-tensorrt": (
        "Save the compiled module (torch_tensorrt.save), or compile with cache_built_engines and "
        "reuse_cached_engines, and give timing_cache_path a file that stays."
    ),
}
_GIVE_RANGES = (
    f"Give the ranges of all dynamic inputs with {join_names(_RANGES)}: one engine then serves all sizes in "
    "them. Where parts of the model run elsewhere, those of the tensors between the parts, too."
)
_ALLOW = {
    "onnx-runtime": (
        "Set trt_fp16_enable, or trt_bf16_enable where the version has it, or give a model in FP16. Compare "
        "the outputs with those in FP32."
    ),
    "torch-tensorrt": (
        "Compile with enabled_precisions={torch.float32, torch.float16}, or cast the module and set "
        "use_explicit_typing. Compare the outputs with those in FP32."
    ),
}


@built_in_rule(
    "warning",
    many="The session is slower than it need be, for {count} reasons.",
    needs=(),
    section="execution",
    thresholds=(Threshold("min_seconds", 10, 0.1, 1e6, "Minimum duration of the builds."),),
)
def session_options(context: Context, *, min_seconds: float) -> Hits:
    """ONNX Runtime or Torch-TensorRT builds engines while it serves, or allows TensorRT nothing but FP32.

    Cost:
        A session that builds answers when the build is done, which takes seconds to minutes. In FP32 Tensor
        Cores compute in TF32 at most, at half of the rate of FP16, and tensors take twice the memory.

    Recommendation:
        What each place states: the ranges of sizes, the caches and the types to set.

    False alarm:
        The log is that of a first start whose engines are kept by other means, or accuracy demands FP32.

    Est. savings:
        Not estimated: builds take no time of a query, and no layer is known.
    """
    execution = context.analysis.execution
    if execution is not None:
        yield from _builds(execution, min_seconds)
        if context.version is None or context.version < FIRST_WITHOUT:
            yield from _types(execution)


def _builds(execution: Execution, min_seconds: float) -> Iterator[Hit]:
    """Yield that engines were built in the session, again and again, or for the next start, too."""
    framework, seconds = execution.framework, (execution.build_ms or 0.0) / _MS_IN_S
    stores = execution.states(_CACHE)
    engines, builds = execution.built_engines, execution.builds
    off = ", ".join(f"{key}: 0" for key in (_CACHE, _TIMING_CACHE) if execution.states(key) is False)
    without = f" It stores none of them ({off})." if stores is False else ""
    took = f", in {format_number(seconds, 2) if seconds < _SHORT_S else format_count(round(seconds))} s"
    took = took if seconds else ""
    if engines is not None and builds > engines:
        unset = [key for key in _RANGES if execution.options.get(key) == ""]
        again = f"{counted(engines, 'engine was', 'engines were')} built {builds} times in this session"
        ranges = f", without given ranges ({join_names(unset)} are empty)" if len(unset) > 1 else ""
        remedy = f"{_GIVE_RANGES} {'' if stores else _STORE[framework]}".strip()
        yield Hit(
            f"{again}{took}: sizes of inputs left the range of the last build{ranges}.{without}",
            evidence={"File": execution.file, "Recommendation": remedy},
        )
    elif seconds >= min_seconds and not stores:
        yield Hit(
            f"TensorRT built {counted(builds, 'engine')} in this session{took}, as it does at every start "
            f"unless they are stored.{without}",
            evidence={"File": execution.file, "Recommendation": _STORE[framework]},
            severity="info",
        )
    elif stores is False and not builds:
        yield Hit(
            f"The session stores no engines ({off}), so that each start builds them again.",
            evidence={"File": execution.file, "Recommendation": _STORE[framework]},
            severity="info",
        )


def _types(execution: Execution) -> Iterator[Hit]:
    """Yield that the options allow FP32 alone."""
    options = execution.options
    stated = {key: execution.states(key) for key in _LOWER if key in options}
    allowed = options.get("enabled_precisions", "")
    if stated.get(_LOWER[0]) is False and True not in stated.values():
        which = ", ".join(f"{key}: {options[key]}" for key in stated)
    elif allowed == "f32" and execution.states("use_explicit_typing") is not True:
        which = "enabled_precisions: f32"
    else:
        return
    yield Hit(
        f"TensorRT may compute in FP32 alone ({which}).",
        evidence={"File": execution.file, "Recommendation": _ALLOW[execution.framework]},
    )
