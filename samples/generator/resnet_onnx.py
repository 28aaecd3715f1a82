"""Make the ONNX models of the two ResNet18 samples, as PyTorch's exporter writes them, without weights.

Nodes have the names that the layers of the samples state, and the properties that PyTorch's exporter adds:
modules, classes, stack traces. Weights are initializers with external data, in a file that is not there. As
in the export of any model with quantized weights, BatchNormalization is a node of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from math import prod
from typing import Any

from onnx import ModelProto, NodeProto, TensorProto, helper

from .engine import SYNTHETIC_NOTE
from .resnet import BATCH, STAGES

#: What each line of the model's program does: in ResNet.forward and in BasicBlock.forward.
_FILE = "models/resnet.py"
_LINES = {
    "conv1": (112, "x = self.conv1(x)"),
    "bn1": (113, "x = self.bn1(x)"),
    "relu": (114, "x = self.relu(x)"),
    "maxpool": (115, "x = self.maxpool(x)"),
    "layer1": (116, "x = self.layer1(x)"),
    "layer2": (117, "x = self.layer2(x)"),
    "layer3": (118, "x = self.layer3(x)"),
    "layer4": (119, "x = self.layer4(x)"),
    "avgpool": (121, "x = self.avgpool(x)"),
    "": (122, "x = torch.flatten(x, 1)"),
    "fc": (123, "return self.fc(x)"),
}
_BLOCK_LINES = {
    "conv1": (61, "out = self.conv1(x)"),
    "bn1": (62, "out = self.bn1(out)"),
    "relu": (63, "out = self.relu(out)"),
    "conv2": (64, "out = self.conv2(out)"),
    "bn2": (65, "out = self.bn2(out)"),
    "downsample": (67, "identity = self.downsample(x)"),
    "residual_quantizer": (68, "identity = self.residual_quantizer(identity)"),
    "": (69, "out = out + identity"),
    "relu_1": (70, "out = self.relu(out)"),
}
#: Class of a module by its name inside the module around it; of an installed one, its frame.
_MODEL = "models.resnet.ResNet"
_CONTAINER = ("torch.nn.modules.container.Sequential", 250, "input = module(input)")
_QUANTIZER = (
    "pytorch_quantization.nn.modules.tensor_quantizer.TensorQuantizer",
    361,
    "return quantize(inputs)",
)
_CLASSES = {
    r"layer\d|.*\.downsample": _CONTAINER,
    r"layer\d\.\d": ("models.resnet.BasicBlock", 0, ""),
    r".*quantizer": _QUANTIZER,
    r".*conv\d|.*downsample\.0": (
        "pytorch_quantization.nn.modules.quant_conv.QuantConv2d",
        120,
        "return self._conv_forward(x, weight)",
    ),
    r".*bn\d|.*downsample\.1": ("torch.nn.modules.batchnorm.BatchNorm2d", 193, "return F.batch_norm(input)"),
    r".*relu": ("torch.nn.modules.activation.ReLU", 144, "return F.relu(input)"),
    r"maxpool": ("torch.nn.modules.pooling.MaxPool2d", 226, "return F.max_pool2d(input)"),
    r"avgpool": ("torch.nn.modules.pooling.AdaptiveAvgPool2d", 1507, "return F.adaptive_avg_pool2d(input)"),
    r"fc": ("pytorch_quantization.nn.modules.quant_linear.QuantLinear", 74, "return F.linear(input, weight)"),
}
_ATEN = {
    "Conv": "conv2d",
    "Gemm": "linear",
    "BatchNormalization": "batch_norm",
    "Relu": "relu",
    "MaxPool": "max_pool2d",
    "GlobalAveragePool": "adaptive_avg_pool2d",
    "Add": "add",
    "Flatten": "flatten",
}


def resnet_onnx(name: str) -> bytes:
    """Return the model of "resnet18-int8-before" or "resnet18-int8-after"."""
    builder = _ModelBuilder(f"{name}.onnx.data", quantized_residual=name.endswith("after"))
    return builder.build().SerializeToString(deterministic=True)


@dataclass
class _ModelBuilder:
    """Collect nodes and initializers in the order of the forward pass."""

    data_file: str
    quantized_residual: bool
    nodes: list[NodeProto] = field(default_factory=list)
    initializers: list[TensorProto] = field(default_factory=list)
    offset: int = 0

    def build(self) -> ModelProto:
        """Return the whole model."""
        out = self._normalized_convolution("conv1", "bn1", "input", (64, 3, 7, 2))
        out = self._node("relu", "Relu", [out])
        out = self._node("maxpool", "MaxPool", [out], kernel_shape=[3, 3], pads=[1] * 4, strides=[2, 2])
        for stage, maps in STAGES:
            for block in range(2):
                out = self._block(f"layer{stage}.{block}", out, maps, shrinks=stage > 1 and block == 0)
        out = self._node("avgpool", "GlobalAveragePool", [out])
        out = self._node("", "Flatten", [out], axis=1)
        self._weighted("fc", "Gemm", out, (1000, 512), transB=1)
        self.initializers.append(helper.make_tensor("zero_point", TensorProto.INT8, (), b"\0", raw=True))
        graph = helper.make_graph(
            self.nodes,
            "main_graph",
            [helper.make_tensor_value_info("input", TensorProto.FLOAT, (BATCH, 3, 224, 224))],
            [helper.make_tensor_value_info("output", TensorProto.FLOAT, (BATCH, 1000))],
            self.initializers,
        )
        model = helper.make_model(
            graph,
            producer_name="pytorch",
            producer_version="2.9.0",
            ir_version=10,
            opset_imports=[helper.make_opsetid("", 20)],
        )
        helper.set_model_props(model, {"Synthetic": SYNTHETIC_NOTE})
        return model

    def _block(self, path: str, source: str, maps: int, *, shrinks: bool) -> str:
        """Add a basic block; return its output."""
        channels, stride = (maps // 2, 2) if shrinks else (maps, 1)
        out = self._normalized_convolution(
            f"{path}.conv1", f"{path}.bn1", source, (maps, channels, 3, stride)
        )
        out = self._node(f"{path}.relu", "Relu", [out])
        out = self._normalized_convolution(f"{path}.conv2", f"{path}.bn2", out, (maps, maps, 3, 1))
        identity = source
        if shrinks:
            # It reads what the first convolution reads, with the same scale.
            inner = f"{path}.downsample"
            identity = self._normalized_convolution(
                f"{inner}.0",
                f"{inner}.1",
                source,
                (maps, channels, 1, 2),
                f"{_folder(f'{path}.conv1._input_quantizer')}/Constant_output_0",
            )
        if self.quantized_residual:
            identity = self._quantized_value(f"{path}.residual_quantizer", identity)
        out = self._node(path, "Add", [out, identity])
        return self._node(f"{path}.relu", "Relu", [out], call="_1")

    def _normalized_convolution(
        self, path: str, normalization: str, source: str, shape: tuple[int, int, int, int], scale: str = ""
    ) -> str:
        """Add a convolution of `shape` (maps, channels, kernel, stride) and its BatchNormalization."""
        maps, channels, kernel, stride = shape
        out = self._weighted(
            path,
            "Conv",
            source,
            (maps, channels, kernel, kernel),
            scale,
            kernel_shape=[kernel] * 2,
            pads=[kernel // 2] * 4,
            strides=[stride] * 2,
        )
        kinds = ("weight", "bias", "running_mean", "running_var")
        given = [self._weights(f"{normalization}.{kind}", (maps,)) for kind in kinds]
        return self._node(normalization, "BatchNormalization", [out, *given], epsilon=1e-5)

    def _weighted(
        self, path: str, op_type: str, source: str, shape: tuple[int, ...], scale: str = "", **attributes: Any
    ) -> str:
        """Add a convolution or the classifier, with quantized input and weights."""
        read = self._quantized_value(f"{path}._input_quantizer", source, scale)
        inner = f"{path}._weight_quantizer"
        scales = self._weights(f"{inner}.scale", shape[:1])
        zeros = self._weights(f"{inner}.zero_point", shape[:1], TensorProto.INT8)
        weight = self._quantized(inner, self._weights(f"{path}.weight", shape), scales, zeros, axis=0)
        return self._node(path, op_type, [read, weight], **attributes)

    def _quantized_value(self, path: str, source: str, scale: str = "") -> str:
        """Add the Q/DQ pair of an activation; its scale is a constant, or that of another pair."""
        if scale:
            own = self._node(path, "Identity", [scale])
        else:
            own = self._node(path, "Constant", [], value_float=0.03125)
        return self._quantized(path, source, own, "zero_point")

    def _quantized(self, path: str, source: str, scale: str, zero_point: str, **attributes: Any) -> str:
        written = self._node(path, "QuantizeLinear", [source, scale, zero_point], **attributes)
        return self._node(path, "DequantizeLinear", [written, scale, zero_point], **attributes)

    def _weights(self, name: str, shape: tuple[int, ...], data_type: int = TensorProto.FLOAT) -> str:
        """Add an initializer whose values are in another file; return its name."""
        size = prod(shape) * (4 if data_type == TensorProto.FLOAT else 1)
        tensor = TensorProto(name=name, dims=shape, data_type=data_type, data_location=TensorProto.EXTERNAL)
        for key, value in {"location": self.data_file, "offset": self.offset, "length": size}.items():
            tensor.external_data.add(key=key, value=str(value))
        self.offset += size
        self.initializers.append(tensor)
        return name

    def _node(self, path: str, op_type: str, inputs: list[str], *, call: str = "", **attributes: Any) -> str:
        """Add a node of a module; return its output.

        Args:
            path: The module, such as "layer1.0.conv1".
            op_type: Type of the node.
            inputs: Names of tensors.
            call: What the name of the module has behind it when it is called again.
            attributes: Of the node.
        """
        name = f"{_folder(path)}{call}/{op_type}"
        output = "output" if op_type == "Gemm" else f"{name}_output_0"
        node = helper.make_node(op_type, inputs, [output], name=name, **attributes)
        helper.set_metadata_props(node, _properties(path, op_type, call))
        self.nodes.append(node)
        return output


def _folder(path: str) -> str:
    """Return what the names of a module's nodes begin with: "/layer1/layer1.0/conv1" for "layer1.0.conv1"."""
    inner = re.sub(r"^(layer\d)\.(\d)\.?", r"\1/\1.\2/", path).removesuffix("/")
    return f"/{inner.replace('._', '/_')}" if inner else ""


def _properties(path: str, op_type: str, call: str) -> dict[str, str]:
    """Return the properties of a node; to stay small, those without a layer of their own have few."""
    operation = _ATEN.get(op_type, op_type.lower()) + call
    parts = path.split(".") if path else []
    scopes = [".".join(parts[: end + 1]) for end in range(len(parts))]
    named = ["", *scopes, operation]
    properties = {"pkg.torch.onnx.name_scopes": repr(named)}
    if op_type in ("Constant", "Identity", "DequantizeLinear"):
        return properties
    classes = [_class_of(scope) for scope in scopes]
    target = f"{'aten' if op_type in _ATEN else 'quantization'}.{_ATEN.get(op_type, op_type.lower())}.default"
    hierarchy = [_MODEL, *(class_name for class_name, _, _ in classes), target]
    properties["pkg.torch.onnx.class_hierarchy"] = repr(hierarchy)
    properties["pkg.torch.onnx.stack_trace"] = _stack_trace(parts, classes, call)
    if op_type in _ATEN:
        pairs = zip(named, hierarchy, strict=True)
        properties["namespace"] = "/".join(f"{name}: {class_name}" for name, class_name in pairs)
        properties["pkg.torch.onnx.fx_node"] = (
            f"%{operation} : [num_users=1] = call_function[target=torch.ops.{target}]"
        )
    return properties


def _class_of(scope: str) -> tuple[str, int, str]:
    """Return the class of a module, and line and text of its frame."""
    return next(found for pattern, found in _CLASSES.items() if re.fullmatch(pattern, scope))


def _stack_trace(parts: list[str], classes: list[tuple[str, int, str]], call: str) -> str:
    """Return the frames from the model's forward to the operation, as Python prints them."""
    frames = [(_FILE, *_LINES[parts[0] if parts else ""])]
    for depth, (class_name, line, text) in enumerate(classes):
        if line:
            file = class_name.rpartition(".")[0].replace(".", "/")
            frames.append((f"site-packages/{file}.py", line, text))
        else:
            called = parts[depth + 1] + call if depth + 1 < len(parts) else ""
            frames.append((_FILE, *_BLOCK_LINES[called]))
    return "\n  ".join(f'File "{file}", line {line}, in forward\n    {text}' for file, line, text in frames)
