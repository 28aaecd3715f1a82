"""Where in a program a node comes from: module, class, source line."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trexreport.analyzer.module_paths import MAX_DEPTH, path_of_name
from trexreport.regex import regex

#: Properties that PyTorch's exporter writes (torch/onnx/_internal/exporter/_core.py).
_SCOPES = "pkg.torch.onnx.name_scopes"
_CLASSES = "pkg.torch.onnx.class_hierarchy"
_STACK = "pkg.torch.onnx.stack_trace"
_TEXT = regex(r"""'([^']*)'|"([^"]*)\"""")
_FRAME = regex(r'^ *File "(.+)", line (\d{1,9}), in (.+)$', re.MULTILINE)
#: Frames of installed packages and of PyTorch itself.
_INSTALLED = regex(r"(?:^|[/\\])(?:site-packages|dist-packages|torch[/\\](?:nn|_dynamo|fx|export))[/\\]|^<")
_MAX_FRAMES = 64
_MAX_CHARACTERS = 100_000


@dataclass(frozen=True, slots=True)
class NodeOrigin:
    """See `OnnxNodeFacts` for each field."""

    module: tuple[str, ...]
    class_name: str
    source: str
    frames: tuple[str, ...]


def node_origin(name: str, metadata: Mapping[str, str]) -> NodeOrigin:
    """Return the origin of a node: what the exporter wrote of it, else the path in its name."""
    scopes, classes = _texts(metadata.get(_SCOPES, "")), _texts(metadata.get(_CLASSES, ""))
    frames = _FRAME.findall(metadata.get(_STACK, "")[:_MAX_CHARACTERS])[-_MAX_FRAMES:]
    own = [frame for frame in frames if not _INSTALLED.search(frame[0])]
    source = f"{own[-1][0]}:{own[-1][1]}" if own else ""
    # The last of both is the operation, and not a module.
    module = _module(scopes[:-1]) if scopes else (path_of_name(name) or ())
    return NodeOrigin(
        module,
        classes[-2] if len(classes) > 1 else "",
        source,
        tuple(f"{file}:{line} in {function}" for file, line, function in frames),
    )


def _module(scopes: Sequence[str]) -> tuple[str, ...]:
    """Return the path of a module; each scope is a whole name: "layer1", "layer1.0", "layer1.0.conv".

    A number says nothing alone: as in names of nodes, the path is "layer1", "layer1.0", "conv".
    """
    parts: list[str] = []
    outer = ""
    for scope in scopes:
        if scope:
            part = scope.removeprefix(f"{outer}.")
            parts.append(f"{parts[-1]}.{part}" if parts and part.isdecimal() else part)
            outer = scope
    return tuple(parts[:MAX_DEPTH])


def _texts(written: str) -> list[str]:
    """Return the texts of a list as Python writes it."""
    return [one or other for one, other in _TEXT.findall(written[:_MAX_CHARACTERS])]
