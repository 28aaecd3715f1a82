"""The terms that pages explain where they occur: those of TensorRT, Myelin and this report."""

from __future__ import annotations

#: Term, other spellings under which it occurs, and its meaning.
GLOSSARY: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        "Block",
        (),
        (
            "A part of the engine: a module of the model as the names of layers or the ONNX model "
            "state it, else a part that repeats."
        ),
    ),
    (
        "Bound by",
        ("bound",),
        (
            "What limits a layer: the peak of the multiply units (compute), the memory bandwidth "
            "(memory), or neither (latency): launches, too few thread blocks, dependencies."
        ),
    ),
    (
        "correlation",
        (),
        "A convolution that Myelin runs.",
    ),
    (
        "ForeignNode",
        ("myelin region",),
        ("A part of the network that Myelin compiles. Without detailed layer information it is one layer."),
    ),
    (
        "fusion",
        ("fused layer",),
        ("Several operations that run as one kernel, so that tensors between them stay on chip."),
    ),
    (
        "gemm",
        ("matrixmultiply",),
        "A matrix multiplication. In Myelin's names also with operations fused to it.",
    ),
    (
        "kgen",
        ("myl", "myelin"),
        (
            "A kernel that Myelin, TensorRT's compiler, generated for pointwise and other "
            "operations between matrix multiplications. Its name lists their beginnings: ReshMove "
            "is Reshape and Move."
        ),
    ),
    (
        "Latency-bound",
        ("latency",),
        (
            "A layer whose roofline time is a small part of its time, so that neither operations "
            "nor bytes explain it."
        ),
    ),
    (
        "Linear",
        ("row-major linear", "row major linear", "nchw"),
        "A memory layout without packs: NCHW, one element after the other.",
    ),
    (
        "NC/32HW32",
        ("nc/4hw4", "nc/16hw16", "nhwc", "nhwc8", "nhwc16", "nhwc4", "hwc", "chw4", "chw16", "chw32"),
        (
            "Memory layouts. NC/32HW32 stores channels in packs of 32, NHWC8 stores channels last "
            "in packs of 8; TensorRT names these two kCHW32 and kHWC8. Channels that do not fill a "
            "pack are padded."
        ),
    ),
    (
        "No-op",
        ("noop",),
        "A layer that runs nothing, such as a reshape that only gives memory another name.",
    ),
    (
        "Q/DQ",
        ("qdq", "quantize", "dequantize", "scale"),
        "QuantizeLinear and DequantizeLinear nodes, which state the scales of quantized types.",
    ),
    (
        "Reformat",
        ("reformatter",),
        (
            "A copy of a tensor into another memory layout or data type, because its producer and "
            "consumer use different ones."
        ),
    ),
    (
        "Roofline time",
        ("% of roofline", "roofline"),
        (
            "The time that a layer would take at the peak of the multiply units or of the memory "
            "bandwidth, whichever takes longer."
        ),
    ),
    (
        "Stream",
        (),
        "A queue of the GPU. Layers of several streams may run at the same time.",
    ),
    (
        "Structural",
        ("constant", "signal", "wait"),
        ("A layer without computation of the network: no-op, constant, shape computation, synchronization."),
    ),
    (
        "Tactic",
        ("kernel",),
        "The kernel that the builder chose for a layer after timing several of them.",
    ),
    (
        "Tensor Core",
        (),
        (
            "The unit of a GPU that multiplies small matrices in one instruction, many times "
            "faster than CUDA cores."
        ),
    ),
)
