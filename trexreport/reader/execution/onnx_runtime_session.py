"""Read from a log of ONNX Runtime what its session states of TensorRT: options, builds and copies.

The options of the provider are one line, "TensorRT provider options: device_id: 0, trt_fp16_enable: 0, …" (of
TensorRT for RTX "nv_…"); programs print them as a dictionary of Python. Each build is a line "TensorRT engine
build for NAME took: 947ms", and what copies tensors is counted: "11 Memcpy nodes are added to the graph".
Source: the providers' files and transformer_memcpy.cc (ONNX Runtime 1.8 to 1.23).
"""

from __future__ import annotations

import re
from itertools import islice
from typing import NamedTuple

from trexreport.regex import regex

_OPTION = regex(
    r"""\b((?:trt|nv)_[a-z0-9_]{1,60})["']?(?::|[ \t]?\|)[ \t]?["']?((?:[^,"'}\s]|,(?=\S)){0,2000})""",
    re.ASCII,
)
_BUILD = regex(r"engine build for (\S{1,400}) took: (\d{1,9}) ?ms", re.ASCII)
_COPIES = regex(r"\b(\d{1,6}) Memcpy nodes? (?:is|are) added to the graph", re.ASCII)
_MOST_OPTIONS = 200


class Session(NamedTuple):
    """Options of the provider, builds as name and ms, and nodes that copy between CPU and GPU."""

    options: dict[str, str]
    builds: tuple[tuple[str, float], ...]
    copies: int

    @property
    def is_empty(self) -> bool:
        """Whether nothing is stated."""
        return not (self.options or self.builds or self.copies)


def read_session(content: str) -> Session:
    """Return what a log states; of an option that is stated several times the first value."""
    options: dict[str, str] = {}
    for found in islice(_OPTION.finditer(content), _MOST_OPTIONS):
        options.setdefault(found[1], found[2])
    builds = tuple((found[1], float(found[2])) for found in _BUILD.finditer(content))
    return Session(options, builds, sum(int(found[1]) for found in _COPIES.finditer(content)))
