"""What an engine is called after its files."""

from __future__ import annotations

import re
from pathlib import Path

from trexreport.reader.roles import split_name
from trexreport.regex import regex

_GENERIC_NAME = regex(
    # No word is made of others of them: there must be one way alone to read a name.
    r"^(?:trt_|engine|layers?|info(?:rmation)?|graph|profile|timing|metadata|json|build|run|log|trtexec|output|[_.-])*$",
    re.IGNORECASE,
)
_ENDINGS = regex(r"(?:\.(?:json|log|txt|engine|plan|trt|onnx|tea|html))+$", re.IGNORECASE)
#: What a file holds of an engine, at the end of its name.
_WHAT_IT_HOLDS = regex(
    r"(?<=[^._-])[._-](?:(?:engine[._-])?layer[._-]?info(?:rmation)?|layers|profile|graph|times|timing)$",
    re.IGNORECASE,
)

#: What Torch-TensorRT calls a part of any model.
_PART_OF_GRAPH = regex(r"_run_on_acc_[0-9]+(?:_engine)?$")


def title_of(path: Path) -> str:
    """Return the title of the engine whose capture a file belongs to."""
    prefix, _ = split_name(path.name)
    return title_from(prefix if prefix is not None else path.name, path.absolute().parent)


def title_from(name: str, folder: Path) -> str:
    """Return a title: the name without technical endings, or the folder's where the name says nothing."""
    title = _ENDINGS.sub("", name)
    place = folder.absolute().name
    if not title or _GENERIC_NAME.match(title):
        return place or title or name
    label = re.match(r"(?:layers?|profile)_(.+)", title)
    if label:
        return f"{place} {label.group(1)}".strip()
    title = _ENDINGS.sub("", _WHAT_IT_HOLDS.sub("", title))
    return f"{place} {title}".strip() if _PART_OF_GRAPH.match(title) else title
