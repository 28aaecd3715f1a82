"""Make engines as Torch-TensorRT leaves them: layers named after converters, times as plain lists."""

from __future__ import annotations

import json
from random import Random

from .engine import Engine, Tensor, Work, hexadecimal
from .plan import HALF, HALF_NHWC2, HALF_NHWC4, HALF_NHWC8, Kind, Plan, Shape, gemm_tactic
from .roofline import RTX_3060_LAPTOP, layer_ms

HALF_TACTIC = gemm_tactic("f16f16_f16f16_f16", "64x64x32")
#: Expansion, output maps, repetitions and first stride of MobileNetV2's inverted residuals.
INVERTED = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)
#: Of AlexNet's convolutions: output maps, kernel, stride, extent of the result, whether a pooling follows.
ALEXNET = (
    (64, 11, 4, 55, True),
    (192, 5, 1, 27, True),
    (384, 3, 1, 13, False),
    (256, 3, 1, 13, False),
    (256, 3, 1, 13, True),
)


class _Builder:
    """Count operations as FX does, whose names number what occurs again."""

    def __init__(self) -> None:
        self.plan = Plan()
        self.operations = 0
        self.regions = 0

    def _name(self, path: str, operation: str, scaled: str) -> str:
        """Return the name of a convolution with what is fused into it."""
        number = f"_{self.operations}" if self.operations else ""
        convolution = f"[CONVOLUTION]-[aten_ops.convolution.default]-[{path}/0/convolution{number}]"
        return f"{convolution} + [{operation}]-[aten_ops.{scaled}.default]-[{path}/1/{scaled}{number}]"

    def convolution(
        self, path: str, source: Tensor, extent: int, shape: Shape, operation: str = "SCALE"
    ) -> Tensor:
        """Add a convolution with its normalization, or its activation, inside."""
        scaled = "relu" if operation == "RELU" else "_native_batch_norm_legit_no_training"
        name = self._name(path, operation, scaled)
        self.operations += 1
        source = self._packed(name, source)
        title = "Activation" if operation == "RELU" else "Scale"
        output = Tensor(
            f"(Unnamed Layer* {2 * self.operations}) [{title}]_output",
            (1, shape.maps, extent, extent),
            *HALF_NHWC8,
        )
        kind, tactic, slowdown = "CaskConvolution", HALF_TACTIC, 3.0
        if shape.groups > 1:
            tactic = f"sm50_xmma_convolution_depthwiseHMMA_FP16NHWCx8_TR3_TS3_STRIDEH{shape.stride}"
            slowdown = 6.0
        elif shape.kernel == 1 and extent <= 28:
            kind = "CaskGemmConvolution"
            tactic = gemm_tactic("f16f16_f16f16_f16", "64x32x64", kind="gemm")
        return self.plan.convolution(name, (source,), output, shape, tactic, kind=kind, slowdown=slowdown)

    def _packed(self, name: str, source: Tensor) -> Tensor:
        """Bring a tensor into the format of a convolution; only the image costs time."""
        maps = source.dimensions[1]
        if maps == 3:
            return self.plan.to_input(source, HALF_NHWC4, name, slowdown=4.0)
        wanted: Kind = HALF_NHWC8 if maps % 16 == 0 else HALF_NHWC2
        if source.layout in ("", wanted[1]):
            return Tensor(source.name, source.dimensions, *wanted)
        return self.plan.to_input(source, wanted, name, free=True)

    def clip(self, source: Tensor) -> Tensor:
        """Add the kernel that Myelin generates for a ReLU6."""
        self.operations += 1
        self.regions += 2
        stem = "__myl_MaxMinCas"
        parameters = {"TacticName": f"{stem}_{hexadecimal(str(source.dimensions), 32)}"}
        output = Tensor(
            f"(Unnamed Layer* {2 * self.operations}) [Identity]_output", source.dimensions, "Half"
        )
        plain = Tensor(source.name, source.dimensions, "Half")
        work = Work(datatype="Half", slowdown=1.4)
        self.plan.add(f"{stem}_myl{self.regions}_0", "kgen", (plain,), (output,), parameters, work=work)
        return output

    def add(self, one: Tensor, other: Tensor) -> Tensor:
        """Add a residual sum as a kernel of its own."""
        self.regions += 1
        stem = "__myl_Add"
        parameters = {"TacticName": f"{stem}_{hexadecimal(str(one.dimensions), 32)}"}
        output = Tensor(f"add_{self.regions}_output", one.dimensions, "Half")
        inputs = [Tensor(each.name, each.dimensions, "Half") for each in (one, other)]
        work = Work(datatype="Half", slowdown=1.4)
        self.plan.add(f"{stem}_myl{self.regions}_0", "kgen", inputs, (output,), parameters, work=work)
        return output


def _mobilenet() -> Engine:
    builder = _Builder()
    image = Tensor("x", (1, 3, 224, 224), *HALF)
    state = builder.clip(builder.convolution("/features_0", image, 112, Shape(32, 3, 2)))
    number = 0
    for expansion, maps, repetitions, first in INVERTED:
        for repetition in range(repetitions):
            number += 1
            path = f"/features/{number}"
            before, stride = state, first if repetition == 0 else 1
            extent, inner = state.dimensions[2], expansion * state.dimensions[1]
            if expansion > 1:
                expanded = builder.convolution(f"{path}/conv_0", state, extent, Shape(inner))
                state = builder.clip(expanded)
            depthwise = Shape(inner, 3, stride, inner)
            state = builder.clip(builder.convolution(f"{path}/conv_1", state, extent // stride, depthwise))
            state = builder.convolution(f"{path}/conv", state, extent // stride, Shape(maps))
            if repetition:
                state = builder.add(state, before)
    state = builder.clip(builder.convolution("/features_18", state, 7, Shape(1280)))
    _classifier(builder, state, "output0")
    return builder.plan.engine(["x", "output0"])


def _classifier(builder: _Builder, state: Tensor, name: str) -> None:
    """Add the mean, and a product in Myelin."""
    weights = Tensor("__mye_dconst", (state.dimensions[1], 1000), "Half")
    mean = Tensor("__mye3001", (1, state.dimensions[1]), "Half")
    plain = Tensor(state.name, state.dimensions, "Half")
    parameters = {"TacticName": f"__myl_Mean_{hexadecimal(name, 32)}"}
    plan, work = builder.plan, Work(datatype="Half", slowdown=1.5)
    plan.add("__myl_Mean_myl99_0", "kgen", (plain,), (mean,), parameters, work=work)
    parameters = {"TacticName": gemm_tactic("f16f16_f16f16_f16", "32x32x64", kind="gemm")}
    work = Work(1280e3, "Half", 2560e3, 1.5)
    output = Tensor(name, (1, 1000), "Half")
    plan.add("__myl_Fc_myl99_1", "gemm", (mean, weights), (output,), parameters, work=work)


def _alexnet() -> Engine:
    builder = _Builder()
    plan = builder.plan
    state = Tensor("x", (1, 3, 224, 224), *HALF)
    for at, (maps, kernel, stride, extent, pooled) in enumerate(ALEXNET):
        path = f"/features/{2 * at}"
        state = builder.convolution(path, state, extent, Shape(maps, kernel, stride), "RELU")
        if pooled:
            name = f"[MAX]-[aten_ops.max_pool2d.default]-[/features/{2 * at + 1}/max_pool2d_default]"
            dimensions = (1, maps, extent // 2, extent // 2)
            output = Tensor(f"(Unnamed Layer* {90 + at}) [Pooling]_output", dimensions, *HALF_NHWC8)
            tactic = "sm50_xmma_pooling_coalescedC_NHWC_kMAX_3_False"
            state = plan.pooling(name, state, output, 3, 2, tactic=tactic)
    for at, maps in enumerate((4096, 4096, 1000)):
        name = f"[LINEAR]-[aten_ops.linear.default]-[/classifier/{3 * at + 1}/linear_{at}]"
        count = state.dimensions[1] * state.dimensions[2] ** 2
        if state.dimensions[2] > 1:
            flat = plan.to_input(state, HALF, name)
            state = plan.no_op(f"reshape_before_{name}", flat, Tensor(f"flat_{at}", (1, count, 1, 1), *HALF))
        source = plan.to_input(state, HALF_NHWC8, f"{name} 2", free=True)
        output = Tensor(f"linear_{at}_output", (1, maps, 1, 1), *HALF_NHWC8)
        # A product of one row runs without Tensor Cores.
        tactic = "sm70_xmma_gemm_as_conv1x1_f16f16_f16_f16_tn_n_simt_small_batch_bias_relu"
        state = plan.convolution(name, (source,), output, Shape(maps), tactic, kind="CaskGemmConvolution")
    linear = plan.to_input(state, HALF, "reshape_after_linear_2", free=True)
    plan.no_op("reshape_after_linear_2", linear, Tensor("output0", (1, 1000), *HALF))
    return plan.engine(["x", "output0"])


def torch_mobilenet() -> dict[str, bytes]:
    """Return MobileNetV2 with a file of latencies that gives each layer's name a list of milliseconds."""
    engine = _mobilenet()
    rng = Random(22)
    latencies = {}
    for layer in engine.layers:
        estimate = layer_ms(layer, RTX_3060_LAPTOP, 1)
        # The first runs are slower.
        runs = [estimate * max(rng.gauss(1.0, 0.04), 0.9) * (1.5 if at == 0 else 1.0) for at in range(40)]
        latencies[layer.name] = [round(time, 9) for time in runs]
    return {
        "trt_engine_info.json": engine.graph_json().encode(),
        "trt_layer_latency.json": json.dumps(latencies, indent=4).encode(),
    }


def torch_alexnet() -> dict[str, bytes]:
    """Return AlexNet's layers alone, under the name that Torch-TensorRT gives the file."""
    return {"_run_on_acc_0_engine_layer_information.json": _alexnet().graph_json().encode()}
