"""The precisions that names of files state: "yolo_fp16_bs8.engine"."""

from __future__ import annotations

import re
from collections.abc import Iterable

from trexreport.model.measured_log import TYPES
from trexreport.regex import regex

#: A precision in a name, in which underscores are spaces. "best" is a name of the weights of a training.
TYPE_IN_NAME = regex(
    r"(?<![a-z0-9])(fp32|tf32|fp16|bf16|fp8|int8|int4|fp4|half|qat)(?![a-z0-9])", re.IGNORECASE
)

#: The compute capability from which on GPUs have a type, and later ones that lack it: TX2 has no INT8.
#: Source: the tables of precisions in TensorRT's support matrices.
_SINCE = {"INT8": (6, 1), "TF32": (8, 0), "BF16": (8, 0), "FP8": (8, 9), "FP4": (10, 0)}
_LACKING = {"INT8": ((6, 2),)}


def spaced(name: str) -> str:
    """Return a name with spaces for underscores, which regular expressions count as letters."""
    return name.replace("_", " ")


def types_in_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return the precisions that the first name with any states; empty if none does."""
    return allowed_types(next((each for name in names if (each := TYPE_IN_NAME.findall(spaced(name)))), ()))


def allowed_types(words: Iterable[str]) -> tuple[str, ...]:
    """Return the precisions that options or words of a name allow besides FP32, which is always."""
    upper = {each.upper() for each in words}
    upper |= {"FP16", "INT8"} if "BEST" in upper else set()
    upper |= {"FP16"} if "HALF" in upper else set()
    upper |= {"INT8"} if "QAT" in upper else set()
    allowed = tuple(each for each in TYPES if each in upper)
    return tuple(each for each in allowed if each != "FP32") or allowed


def possible_types(types: Iterable[str], compute_capability: str) -> tuple[str, ...]:
    """Return the types that a GPU can compute in, where it is known: a name may state what is not so.

    Args:
        types: Such as "INT8".
        compute_capability: Of the GPU, such as "5.3"; empty if not known.
    """
    major, dot, minor = compute_capability.strip().partition(".")
    if not dot or not f"{major}{minor}".isdecimal():
        return tuple(types)
    capability = int(major), int(minor)
    return tuple(
        each
        for each in types
        if capability >= _SINCE.get(each, (0, 0)) and capability not in _LACKING.get(each, ())
    )
