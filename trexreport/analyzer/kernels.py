"""Read from the name of a kernel (a tactic) which arithmetic it uses.

TensorRT does not document these names. What is read here is what they have in common over TensorRT 8 to 10:

* instructions of Tensor Cores by their shape ("884" of Volta, "1688", "16816", "8816", "16832",
  "tensor16x8x16"), by name ("hmma", "imma", "qmma", "wgmma", "umma", "tensorop"), by Hopper's
  "warpgroupsize", or by "nvjet", cuBLAS's generator for Tensor Cores;
* "simt", "ffma", "scudnn", "hcudnn", "icudnn", "sgemm", "gemvx" and the like for CUDA cores, as do "winograd"
  and "wngd" without an instruction of Tensor Cores, and FP32 factors: Tensor Cores multiply at most TF32;
* "smNN_" the oldest architecture that the kernel was written for, as does "ampere_" and the like; none before
  sm70 has Tensor Cores, so the "HMMA" of "sm50_..._depthwiseHMMA" is the memory layout that it serves;
* xmma: "f32f32_tf32f32_f32" is type of input and output, type multiplied and accumulator, epilogue; two types
  of 8 bits or fewer first are both factors, so that "e4m3e4m3_f16f32_f32" multiplies FP8 and writes FP16;
* cutlass 3: "s128x128x16gemm_f16_f16_f32_f16_f16" is both factors, the accumulator, and the epilogue's two;
* cuDNN and cuBLAS: the letter before the instruction is the accumulator ("h" FP16, "s" FP32, "i" INT32), the
  types around it are those of output and input ("fp32_icudnn_int8x4").
"""

from __future__ import annotations

from functools import lru_cache

from trexreport.lazy_dataclass import dataclass
from trexreport.regex import regex


@dataclass(frozen=True)
class Kernel:
    """What the name of a kernel says.

    Attributes:
        family: Library or generator: "xmma", "cutlass", "cudnn", "cublas", "attention", "myelin",
            "pointwise" or, for names without a library's, "tensorrt"; empty if unknown.
        tensor_cores: None where the name does not say.
        data_types: Canonical types that it reads and writes, in the name's order, each once.
        math_type: Canonical type that is multiplied, such as "TF32" for a kernel that reads FP32; or empty.
        accumulator: Canonical type that products are added in, or empty.
        architecture: The oldest that it was written for, such as 80 for "sm80"; None if unknown.
        is_depthwise: It convolves each channel alone, which leaves Tensor Cores little to do.
        is_matrix_vector: One factor is a vector, so that the matrix is read for one use of each element and
            memory, not arithmetic, sets the speed.
    """

    family: str = ""
    tensor_cores: bool | None = None
    data_types: tuple[str, ...] = ()
    math_type: str = ""
    accumulator: str = ""
    architecture: int | None = None
    is_depthwise: bool = False
    is_matrix_vector: bool = False


#: How names of kernels spell each data type.
_SPELLINGS = {
    "FP64": ("f64",),
    "FP32": ("f32", "fp32"),
    "TF32": ("tf32",),
    "FP16": ("f16", "fp16"),
    "BF16": ("bf16",),
    "FP8": ("e4m3", "e5m2"),
    "FP4": ("e2m1",),
    "INT32": ("i32", "s32", "int32"),
    "INT8": ("i8", "s8", "int8", "int8x4", "int8x32"),
    "UINT8": ("u8",),
    "INT4": ("i4", "s4"),
}
_TYPES = {spelling: name for name, spellings in _SPELLINGS.items() for spelling in spellings}
_LETTERS = {"h": "FP16", "s": "FP32", "i": "INT32", "d": "FP64"}
_OLDEST_WITH_TENSOR_CORES = 70
#: Types of factors of 8 bits or fewer, the narrowest first: of two, the wider one is multiplied.
_NARROW = ("FP4", "INT4", "INT8", "FP8")

_TYPE = "(?:tf32|bf16|f64|f32|f16|e4m3|e5m2|e2m1|i32|s32|i8|s8|u8|i4|s4)"
_ARCHITECTURE = regex(r"(?:^|_)sm(\d{2,3})_")
_GENERATION = regex(r"(?:^|_)(maxwell|volta|turing|ampere|hopper)_")
_GENERATIONS = {"maxwell": 50, "volta": 70, "turing": 75, "ampere": 80, "hopper": 90}
#: Input and output, type multiplied and accumulator: "i8f16_i8i32_", or without the third: "f16f16_f32_".
_XMMA_TYPES = regex(f"_({_TYPE})({_TYPE})_({_TYPE})({_TYPE})?_")
#: The type of the scales of blocks before that of a factor, as in "ue4m3xe2m1".
_SCALES = r"(?:ue\d+m\d+x)?"
#: The factors, accumulator and epilogue: "gemm_f16_f16_f32_f16_f16".
_CUTLASS_TYPES = regex(f"_{_SCALES}({_TYPE})_{_SCALES}({_TYPE})_({_TYPE})_({_TYPE}|void)_({_TYPE})(?:_|$)")
#: The factors and the accumulator: "fprop_f16f16f32_nhwc".
_IMAGE_TYPES = regex(f"_({_TYPE})({_TYPE})({_TYPE})_")
_MATRIX_INSTRUCTION = regex(r"(?:^|_)([hsid])(884|1688|16816|8816|16832|161616|16864)(?=cudnn|gemm|_|$)")
_INSTRUCTION_NAMES = regex(r"tensorop|tensor\d+x\d+x\d+|warpgroupsize|[hiqbdogu]mma|nvjet_")
_ORDINARY = regex(
    r"simt|ffma|gemv|dp4a|hfma2|winograd|wngd|implicit_convolve_[shid]gemm|(?:^|_)[shid]?cudnn|(?:^|_)[shid]gemm"
    r"|(?:^|_)icudnn|(?:^|_)splitkreduce"
)
_ARITHMETIC = regex(r"(?:^|_)([shid])(?:cudnn|gemm)")
_FUSED_ATTENTION = regex(r"(?:^|_)(?:fmha|mha|flash_attention|flash_fwd|fused_multihead)")
_WORDS = regex(r"[a-z0-9]+")
_PLAIN_TYPES = frozenset({"fp32", "fp16", "bf16", "tf32", "int8", "int8x4", "int8x32", "int32", "s8", "e4m3"})


@lru_cache(maxsize=65536)
def read_kernel(name: str) -> Kernel:
    """Return what the name of a kernel says; an unknown name gives an empty `Kernel`."""
    text = name.lower()
    family = _family(text)
    if family in ("myelin", "pointwise"):
        return Kernel(family, False if family == "pointwise" else None)
    architecture = _architecture(text)
    data_types, math_type, accumulator = _arithmetic(text, family)
    return Kernel(
        family=family,
        tensor_cores=_on_tensor_cores(text, family, architecture, math_type),
        data_types=data_types,
        math_type=math_type,
        accumulator=accumulator,
        architecture=architecture,
        is_depthwise="depthwise" in text,
        is_matrix_vector="gemv" in text,
    )


def _architecture(text: str) -> int | None:
    if found := _ARCHITECTURE.search(text):
        return int(found.group(1))
    named = _GENERATION.search(text)
    return _GENERATIONS[named.group(1)] if named else None


def _family(text: str) -> str:
    if text.startswith(("__myl", "_gemm_mha")):
        return "myelin"
    if "pointwise" in text:
        return "pointwise"
    if _FUSED_ATTENTION.search(text):
        return "attention"
    if "cublas" in text or "gemv" in text or text.startswith("nvjet_"):
        return "cublas"
    for family in ("cutlass", "xmma", "cudnn"):
        if family in text:
            return family
    if _MATRIX_INSTRUCTION.search(text) or _ARITHMETIC.search(text):
        return "cublas"
    # Kernels of TensorRT's own without a library's name, such as "sm100_conv_act_pool_v5_s8_...".
    return "tensorrt" if _ARCHITECTURE.search(text) or text.startswith("trt_") else ""


def _on_tensor_cores(text: str, family: str, architecture: int | None, math_type: str) -> bool | None:
    if "_pooling_" in text:
        return False  # "IMMA" in such a name is a memory layout: there is nothing to multiply
    if architecture is not None and architecture < _OLDEST_WITH_TENSOR_CORES:
        return False
    if _MATRIX_INSTRUCTION.search(text) or _INSTRUCTION_NAMES.search(text):
        return True
    if _ORDINARY.search(text) or math_type == "FP32":
        return False
    if family == "attention" or "vect_c_32" in text:
        # Fused attention is only written for Tensor Cores, and only they read channels in groups of 32.
        return True
    return None


def _arithmetic(text: str, family: str) -> tuple[tuple[str, ...], str, str]:
    """Return the types read and written, the type multiplied and the accumulator."""
    if family == "cutlass" and (found := _CUTLASS_TYPES.search(text)):
        left, right, total, _, result = (_TYPES.get(each, "") for each in found.groups())
        return _distinct(left, right, result), _wider(left, right), total
    if found := _XMMA_TYPES.search(text):
        source, result, third, fourth = (_TYPES.get(each, "") if each else "" for each in found.groups())
        if fourth and source in _NARROW and result in _NARROW:
            return _distinct(source, result, third), _wider(source, result), fourth
        # A single type in the second group is the accumulator.
        return _distinct(source, result), third if fourth else source, fourth or third
    if found := _IMAGE_TYPES.search(text):
        left, right, total = (_TYPES.get(each, "") for each in found.groups())
        return _distinct(left, right), _wider(left, right), total
    matrix, plain = _MATRIX_INSTRUCTION.search(text), _ARITHMETIC.search(text)
    lettered = matrix or plain
    letter = lettered.group(1) if lettered else ""
    accumulator = _LETTERS.get(letter, "")
    stated = [_TYPES[word] for word in _WORDS.findall(text.replace("_", " ")) if word in _PLAIN_TYPES]
    if stated:
        return _distinct(*reversed(stated)), stated[-1], accumulator
    return _unstated(letter, matrix.group(2) if matrix else "", accumulator)


def _unstated(letter: str, instruction: str, accumulator: str) -> tuple[tuple[str, ...], str, str]:
    """Return the types of a cuDNN or cuBLAS kernel whose name has only its letter and instruction."""
    stored = {"h": "FP16", "i": "INT8", "s": "FP32"}.get(letter, "")
    return _distinct(stored), "TF32" if stored == "FP32" and instruction else stored, accumulator


def _wider(left: str, right: str) -> str:
    """Return the type that two factors are multiplied in; the first where both have as many bits."""
    return right if left in _NARROW and right not in _NARROW[: _NARROW.index(left) + 1] else left


def _distinct(*types: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each for each in types if each))
