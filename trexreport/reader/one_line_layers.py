"""Read the layers that a log lists in the engine inspector's one-line format.

TensorRT writes it below "Layers:" for `LayerInformationFormat.ONELINE`: trtexec with --dumpLayerInfo (8.4 to
11), a verbose build with detailed verbosity (10.x), and programs that print it. A line is a layer::

    Name: conv1, LayerType: CaskConvolution, Inputs: [ { Name: x, Location: Device, Dimensions: [1,3,8,8],
    Format/Datatype: Half }], Outputs: [ { ... }], Kernel: [3,3], TacticName: sm80_..., Metadata: [ONNX ...]

with the keys of the inspector's JSON and texts without quotes; of an engine without detailed verbosity it is
its name alone. Names of inputs and outputs follow "Bindings:".
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from trexreport.lazy_dataclass import dataclass
from trexreport.reader.graph_file import MAX_LAYERS
from trexreport.reader.trtexec_lines import lines, without_prefix
from trexreport.regex import regex

HEADING = "Layers:"
_BINDINGS = "Bindings:"
_NAME, _TYPE = "Name: ", ", LayerType: "
#: How far from the beginning of a line a layer may begin, after what a CI system or a terminal puts there.
_FURTHEST_START = 120
#: Longest line that is read; that of a kernel with some 1,000 tensors has 200,000 characters.
_LONGEST_LINE = 4_000_000
#: What follows the name of a tensor.
_AFTER_NAME = regex(r", (?=(?:Location|Dimensions|Format/Datatype|Format|Data[tT]ype): )")
_KEY = regex(r", ([A-Za-z][\w/]{0,60}): ?")
_DECODER = json.JSONDecoder()
_JSON_STARTS = frozenset('[{"-0123456789')
#: Values of a line that look like JSON and are not, after which all are texts: the decoder counts the lines
#: up to each error, so that a long line would take quadratic time.
_MOST_REFUSED = 100


@dataclass(frozen=True)
class OneLineLayers:
    """The last list of layers of a log that is not empty.

    Attributes:
        records: Records of the engine inspector; those of an engine of names have the name alone.
        bindings: Names of inputs and outputs; None if the list ends before.
        unread: Lines of layers that can't be read.
        engines: How many engines with other layers the log lists.
    """

    records: tuple[dict[str, Any], ...]
    bindings: tuple[str, ...] | None = None
    unread: int = 0
    engines: int = 1

    @property
    def names_only(self) -> bool:
        """True if nothing but names is known."""
        return all(len(record) == 1 for record in self.records)


def read_one_line_layers(log: str) -> OneLineLayers | None:
    """Return the layers that a log lists in one-line format, those of the last engine; None without any."""
    if _TYPE not in log and HEADING not in log:
        return None
    best = None
    engines: set[tuple[str, ...]] = set()
    for block in _blocks(log):
        found = _read_block(block)
        if found:
            engines.add(tuple(record["Name"] for record in found.records))
        # Nothing more is known of an engine whose layers were listed before with all that they have.
        if found and (best is None or best.names_only or not found.names_only):
            best = found
    return replace(best, engines=len(engines)) if best else None


def _blocks(log: str) -> Iterator[list[str]]:
    """Yield the lines below each heading; a cut list may lack its heading."""
    block: list[str] | None = None
    for line in lines(log):
        text, is_record = without_prefix(line)
        if text.strip() == HEADING:
            if block:
                yield block
            block = []
        elif _starts_layer(line) >= 0:
            if block is None:
                block = []
            if len(block) < 2 * MAX_LAYERS:
                block.append(line[_starts_layer(line) :][:_LONGEST_LINE])
        elif block is not None:
            if is_record or text.startswith("&&&& "):
                yield block
                block = None
            elif len(block) < 2 * MAX_LAYERS:
                block.append(text)
    if block:
        yield block


def _starts_layer(line: str) -> int:
    """Return where the record of a layer begins in a line, else -1."""
    start = line.find(_NAME, 0, _FURTHEST_START)
    if start < 0 or _TYPE not in line or line[:start].rstrip().endswith(("{", "[", ",")):
        return -1
    return start


def _read_block(block: list[str]) -> OneLineLayers | None:
    if block and not block[0].strip():
        block = block[1:]
    if len(block) > 1 and not any(line.strip() for line in block[1::2]):
        # A web page or a mail program doubled the ends of lines.
        block = block[::2]
    names = [line.strip() for line in block]
    bindings: tuple[str, ...] | None = None
    if _BINDINGS in names:
        at = names.index(_BINDINGS)
        block, bindings = block[:at], tuple(dict.fromkeys(_until_empty(names[at + 1 :]))) or None
    found = [_record(line) for line in block if line.startswith(_NAME) and _TYPE in line]
    records = [record for record in found if record][:MAX_LAYERS]
    if records:
        return OneLineLayers(tuple(records), bindings, len(found) - len(records))
    alone = _until_empty([line.strip("\r\n") for line in block])
    # Names follow a heading that other programs write, too; only with "Bindings:" it is TensorRT's.
    if bindings is None or not alone:
        return None
    return OneLineLayers(tuple({"Name": name} for name in alone[:MAX_LAYERS]), bindings)


def _until_empty(names: list[str]) -> list[str]:
    return names[: next((at for at, name in enumerate(names) if not name.strip()), len(names))]


def _record(line: str) -> dict[str, Any] | None:
    """Return the record that a line states; None if it is cut before its tensors."""
    name, _, rest = line.removeprefix(_NAME).partition(_TYPE)
    kind, comma, rest = rest.partition(", ")
    if not comma:
        return None
    record: dict[str, Any] = {"Name": name, "LayerType": kind}
    for key in ("Inputs", "Constants", "Outputs"):
        if rest.startswith(f"{key}: ["):
            tensors, rest = _tensors(rest.removeprefix(f"{key}: ["))
            if tensors is None:
                return None
            record[key] = tensors
    if "Inputs" not in record or "Outputs" not in record:
        return None
    return record | _parameters(f", {rest}" if rest else "")


def _tensors(text: str) -> tuple[list[dict[str, Any]] | None, str]:
    """Return the tensors at the beginning of a text and what follows the list; None if it does not end."""
    if text.startswith("]"):
        return [], text[1:].removeprefix(", ")
    end = text.find(" }]")
    if end < 0:
        return None, ""
    found = [_tensor(part) for part in text[:end].split(" }, { Name: ")]
    rest = text[end + 3 :].removeprefix(", ")
    return [tensor for tensor in found if tensor], rest


def _tensor(text: str) -> dict[str, Any] | None:
    name, *rest = _AFTER_NAME.split(text.strip().removeprefix("{").lstrip().removeprefix(_NAME), maxsplit=1)
    return {"Name": name, **_parameters(f", {rest[0]}")} if rest else None


def _parameters(text: str) -> dict[str, Any]:
    """Return the values after the tensors: numbers, lists and objects as in JSON, and texts."""
    values: dict[str, Any] = {}
    at, refused = 0, 0
    found = _KEY.match(text)
    while found:
        key, at = found[1], found.end()
        value, end = None, at
        if key != "Metadata" and refused < _MOST_REFUSED and text[at : at + 1] in _JSON_STARTS:
            value, end = _value(text, at)
            refused += value is None
        if value is None:
            following = None if key == "Metadata" else _KEY.search(text, at)
            end = following.start() if following else len(text)
            value = text[at:end].rstrip("\r\n")
        values.setdefault(key, value)
        found = _KEY.match(text, end)
    return values


def _value(text: str, at: int) -> tuple[Any, int]:
    """Return a JSON value that begins at a place and ends before a comma, and its end; None for a text."""
    try:
        value, end = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None, at
    return (value, end) if text[end : end + 1] in ("", ",") else (None, at)
