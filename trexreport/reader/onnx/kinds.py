"""What a file is that was given as an ONNX model and is none."""

from __future__ import annotations

import re

from trexreport.regex import regex

#: How much of a file says what it is.
HEAD_BYTES = 2048
_BINARY = "Save the model as a binary .onnx file."
_SOURCE = "Give the .onnx file that the engine was built from."
#: What a file begins with, what that is, and what to do about it.
_KINDS: tuple[tuple[re.Pattern[bytes], str, str], ...] = tuple(
    (regex(pattern, re.DOTALL), kind, hint)
    for pattern, kind, hint in (
        (rb"\Z", "is empty", "Export the model again."),
        (
            rb"version https://git-lfs",
            "is a pointer of Git LFS, not the model itself",
            "Download the model with `git lfs pull`.",
        ),
        (rb".{4}ORTM", "is in the ORT format of ONNX Runtime", _SOURCE),
        (rb"[pf]trt", "is a TensorRT engine, not an ONNX model", _SOURCE),
        (rb"PK\x03\x04|\x1f\x8b\x08", "is compressed, or a checkpoint of PyTorch", _SOURCE),
        (rb"BZh\d|\xfd7zXZ|\x28\xb5\x2f\xfd|7z\xbc\xaf|Rar!", "is compressed", _SOURCE),
        (rb".{257}ustar", "is a tar archive", _SOURCE),
        (rb"(?:\xef\xbb\xbf)?\s*[\[{]", "is JSON, not a binary ONNX file", _BINARY),
        (
            rb"(?:\xef\xbb\xbf)?(?:\s*#[^\n]*\n)*\s*<?\s*[a-z_]{2,40}\s*[:{]",
            "is ONNX as a text, not a binary ONNX file",
            _BINARY,
        ),
        (rb"\s*<[!?A-Za-z]", "is a web page or XML, not an ONNX model", _SOURCE),
    )
)


def other_kind(head: bytes) -> tuple[str, str] | None:
    """Return what a file is, as the end of a sentence, and what to do about it; None if it is not known.

    Args:
        head: Its first bytes, up to `HEAD_BYTES`.
    """
    return next(((kind, hint) for begins, kind, hint in _KINDS if begins.match(head)), None)
