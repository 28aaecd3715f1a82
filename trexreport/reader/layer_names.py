"""Read what layer names and metadata say of where a layer came from; never alters a name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from trexreport.model.fused_names import is_reformat_name, metadata_texts, without_properties
from trexreport.regex import regex

_PROFILE = regex(r" ?\[profile +(\d{1,9})\]", re.ASCII)
_MYELIN_SUFFIX = regex(r"_myl(\d+)(?:_\d+)?$")
_MYELIN_KERNEL = regex(r"^__myl_([A-Za-z0-9]+?)_(?:myl\d+|0x)")
#: Torch-TensorRT has no Metadata: "[CONVOLUTION]-[aten_ops.convolution.default]-[/features/0/convolution]".
_OF_TORCH = regex(r"\[[A-Z_]+\][-_]\[\w+_ops[._][^\[\]]*\][-_]\[([^\[\]]+)\]")
_TOKEN = regex(r"[A-Z][a-z]*\d*")

#: Operations whose names Myelin writes in full or cuts otherwise than to their first letters.
_OPERATIONS = {
    "Arg": "ArgMax",
    "Bmm": "BatchMatMul",
    "Cum": "CumSum",
    "Cums": "CumSum",
    "Deco": "Deconvolution",
    "Eq": "Equal",
    "Expa": "Broadcast",
    "Fc": "FullyConnected",
    "Ge": "GreaterOrEqual",
    "Gemm": "FullyConnected",
    "Gtr": "Greater",
    "Mat": "FullyConnected",
    "Matm": "FullyConnected",
    "Matmul": "FullyConnected",
    "Max0": "MaxReduce",
    "Mha": "MultiHeadAttention",
    "Rsq": "Rsqrt",
    "Rsqr": "Rsqrt",
    "Top": "TopK",
    "Topk": "TopK",
}
#: Those whose first letters it writes: four of them, or three as TensorRT 8.6 and some releases of 10 do.
_CUT = """
Add And Broadcast Cast Ceil Concat Cos Div Equal Erf Exp Floor Gather Gelu GridSample Log Max Mean Min Move
Mul Neg Not Pow Reciprocal Reduce Relu Replicate Reshape Round Scatter Select Sigmoid Silu Sin Slice Softmax
Sqrt Sub Sum Tanh Transpose Unsqueeze Where
"""
_OPERATIONS |= {name[:letters]: name for letters in (3, 4) for name in _CUT.split()}
_OPERATIONS["Resi"] = "Resize"
#: ONNX nodes that show which of two operations with the same three letters a kernel does.
_RESIZES = regex(r"(?:^|/)(?:Resize|Upsample)(?:_\d+)?$", re.ASCII)
_RESHAPES = regex(r"(?:^|/)(?:Reshape|Flatten|Squeeze|Unsqueeze|Expand)(?:_\d+)?$", re.ASCII)

_EXPANDS = regex(r"(?:^|/)Expand(?:_\d+)?$", re.ASCII)
#: Those of which a kernel takes the exponential function.
_EXPONENTIALS = regex(
    r"(?:^|/)(?:Exp|(?:Log)?Softmax|ReduceLogSumExp|Sigmoid|Silu|Swish|Mish|Softplus|Tanh|[SC]?[Ee]lu|Gelu)(?:_\d+)?$",
    re.ASCII,
)


def origins(metadata: str) -> tuple[str, ...]:
    """Return the names of the layers of the original model in a "Metadata" value, in its order, once each."""
    names = metadata_texts(metadata) if metadata else []
    return tuple(dict.fromkeys(map(without_properties, names) if " | " in metadata else names))


def torch_origins(name: str) -> tuple[str, ...]:
    """Return the paths of the PyTorch nodes in a layer's name, as Torch-TensorRT writes them, once each.

    A reformat has the name of the layer that it serves, and no origin of its own.
    Source: get_node_name and set_layer_name in Torch-TensorRT's converter_utils.py.
    """
    if "_ops" not in name or is_reformat_name(name):
        return ()
    return tuple(dict.fromkeys(_OF_TORCH.findall(name)))


def optimization_profile(name: str) -> int | None:
    """Return k if the name carries "[profile k]", else None."""
    found = _PROFILE.search(name) if "[profile " in name else None
    return int(found.group(1)) if found else None


def without_profile(name: str) -> str:
    """Return the name without its "[profile k]" mark."""
    return _PROFILE.sub("", name) if "[profile " in name else name


def myelin_group(name: str) -> str | None:
    """Return the number K of the Myelin subgraph that a kernel named "..._mylK_i" belongs to."""
    found = _MYELIN_SUFFIX.search(name)
    return found.group(1) if found else None


def myelin_operations(name: str, nodes: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the operations in a generated kernel's name: "__myl_CastMulAdd_myl2_14" gives Cast, Mul, Add.

    Names of operations are cut short in the name; those that are known are completed, others are kept as cut.

    Args:
        name: Of a layer, or of its tactic.
        nodes: The ONNX nodes of the layer.
    """
    found = _MYELIN_KERNEL.match(name) if name.startswith("__myl_") else None
    if not found:
        return ()
    operations = _completed(found[1])
    if "Exp" in operations and any(map(_EXPANDS.search, nodes)) and not any(map(_EXPONENTIALS.search, nodes)):
        operations = tuple(map({"Exp": "Broadcast"}.get, operations, operations))
    if "Reshape" not in operations or "Resh" in found[1] or not any(map(_RESIZES.search, nodes)):
        return operations
    reshapes = any(map(_RESHAPES.search, nodes))
    return operations if reshapes else tuple(map({"Reshape": "Resize"}.get, operations, operations))


@lru_cache(maxsize=1024)
def _completed(joined: str) -> tuple[str, ...]:
    """Return the operations whose names are joined to one, as they are in many layers."""
    return tuple(_OPERATIONS.get(token, token) for token in _TOKEN.findall(joined))
