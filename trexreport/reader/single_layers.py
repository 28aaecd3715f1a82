"""Read layers that a program wrote one by one, each as a JSON document of its own.

`IEngineInspector.get_layer_information(i, LayerInformationFormat.JSON)` returns one layer as an object, and
programs that loop over the layers write these objects one after the other, with titles such as
"--- Layer 3 ---", commas or nothing between them. Source: IEngineInspector in NvInferRuntime.h.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from trexreport.errors import InputError
from trexreport.model import InputWarning
from trexreport.numbers import counted
from trexreport.reader.json_text import parse_json
from trexreport.regex import regex

#: What begins a layer: a line's first brace, or one after another layer, with a key of the inspector.
_START = regex(r'(?:^|(?<=[}\],;]))[ \t]*(?P<layer>\{\s*"(?:Name|LayerType|Inputs)"\s*:)', re.MULTILINE)
#: What is before the first layer of one document that lists all, which is cut off or damaged.
_LIST = regex(r'"Layers"|\[\s*\Z', re.IGNORECASE)
_FEWEST = 2
_CUT_HINT = "Write the layers again; was the run that writes them interrupted?"


def parse_layers(
    text: str, name: str, accepts: Callable[[Any], bool], most: int
) -> tuple[Any, list[InputWarning]]:
    """Return what `parse_json` does, else the layers that the text lists one by one.

    Args:
        text: Content of the file.
        name: The file's name, for messages.
        accepts: Whether a document is the one to take.
        most: See `single_layers`.

    Raises:
        InputError: See `parse_json`.
    """
    try:
        return parse_json(text, name, accepts)
    except InputError:
        listed = single_layers(text, name, most)
        if listed is None:
            raise
    document, notes = parse_json(listed[0], name, accepts)
    return document, [*listed[1], *notes]


def single_layers(text: str, name: str, most: int) -> tuple[str, list[InputWarning]] | None:
    """Return the layers of a text as one JSON list, with notes; None if it does not list layers so.

    Args:
        text: Content of the file.
        name: The file's name, for messages.
        most: How many layers are read; one more is kept, so that the caller can refuse the file.
    """
    first = _START.search(text)
    if first is None or _LIST.search(text, 0, first.start("layer")):
        return None
    # Names may hold control characters, as TensorRT 8.6 writes them.
    decoder = json.JSONDecoder(strict=False)
    found: list[str] = []
    position, is_cut = 0, False
    while len(found) <= most and (start := _START.search(text, position)):
        try:
            document, position = decoder.raw_decode(text, start.start("layer"))
        except (ValueError, RecursionError):
            # What follows may be inside this layer, and so no layer itself.
            is_cut = True
            break
        if "Name" in document:
            found.append(text[start.start("layer") : position])
    if len(found) < _FEWEST:
        return None
    layers = counted(len(found), "layer")
    message = f"{name} lists its layers one by one; {layers} were read, and other text was left out."
    notes = [InputWarning("repaired", "layers-one-by-one", message, name)]
    if is_cut:
        message = f"{name} is cut off or damaged after {layers}; those behind are missing."
        notes.append(InputWarning("degraded", "layers-cut", message, name, ("layers",), _CUT_HINT))
    return f"[{','.join(found)}]", notes
