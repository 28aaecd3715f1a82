"""Take the names of layers and tensors apart into names of the original model."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from trexreport.analyzer.analysis import Analysis, LayerFacts, TensorFacts
from trexreport.regex import regex

#: Between the parts of a fusion: " + ", horizontally " || ", inside of PWN(…) ", ", or a control character.
_BETWEEN = regex(r"\s\+\s|\s\|\|\s|,\s|[\x1e\x1f]")
#: Each match of it has one of these.
_BETWEEN_MARKS = ("+", "||", ",", "\x1e", "\x1f")
_PROFILE = regex(r" ?\[profile +\d{1,9}\]", re.ASCII)
_MYELIN_SUFFIX = regex(r"_myl\d+(?:_\d+)?$", re.ASCII)
#: What Myelin makes up: kernels by their operations, values and events by numbers.
_MYELIN_MADE = ("__mye", "__myl", "_gemm_mha", "entry^bb")
#: Torch-TensorRT: "[CONVOLUTION]-[aten_ops.convolution.default]-[/features/0/convolution]".
_TORCH = regex(r"\[[^\[\]]*\]-\[[^\[\]]*\]-\[([^\[\]]*)\]")
_UNNAMED = regex(r"\(Unnamed Layer\* (\d+)\) \[(\w+)\]", re.ASCII)
_FOREIGN = regex(r"^\{ForeignNode\[(.*)\]\}$", re.DOTALL)
#: A part of the network on a DLA, as TensorRT before 8 writes it: "{conv1,relu1,pool1}".
_LISTED = regex(r"^\{(?!ForeignNode\[)(.*,.*)\}$", re.DOTALL)
_REFORMATTING = regex(
    r"^Reformatting CopyNode for (?:In|Out)put Tensor \d+ to (.*)$|^(.*) (?:in|out)put reformatter \d+$",
    re.DOTALL,
)
#: What TensorRT puts around the name of a layer or tensor that it serves, copies or renames.
_SERVANT = regex(r"^(?:copied_)?(?:reshape|squeeze|unsqueeze)_(?:node_)?(?:before|after)_")
_SUFFIXES = regex(r"(?:_clone_\d+|'\.\d+|_out_(?:region|tensor))$", re.ASCII)
_QUANTIZER = regex(r"(?:^|[/_.])(?:de)?quantize(?:_?linear)?(?:_+\d+)?$", re.IGNORECASE | re.ASCII)
#: Numbers given by an exporter or by TensorRT shift when anything before them changes: "Conv_22", "input.8".
_SERIAL = regex(r"^(?:[^/.]*?_+)?\d+$|^(?:node_|unnamed:)[^/.]*$|^onnx::[^/.]*$|^inputs?\.\d+$", re.ASCII)
_HEAVY = regex(r"(?:conv\w*|gemm|matmul|linear|addmm|bmm|mm|einsum|weight)(?:_+\d+)?$", re.IGNORECASE)
_CONSTANT = regex(r"[Cc]onstant(?:_\d+)?$")
_PARAMETERS = tuple(
    f"{mark}{name}"
    for mark in "._"
    for name in ("weight", "bias", "running_mean", "running_var", "gamma", "beta")
)
_NO_TENSOR = ("Reformatted ", "__my", "__tran", "(Unnamed", "{", "[")
_KIND = regex(r"[A-Za-z]+[0-9]*[A-Za-z]+|[A-Za-z]+")
_MAX_CHARACTERS = 20_000


@dataclass(slots=True, eq=False)
class LayerNames:
    """What the names of one layer state; layers of equal names share it, in all engines.

    What follows only from names can be kept by it, and is computed once. It is not frozen, as `Part`.

    Attributes:
        model: Names of layers and parameters of the original model, quantizers left out, to whether the
            metadata states them.
        serial: Likewise those that are only numbers given in order, which other exports give to other layers.
        operations: How many of both are names of operations and not of parameters.
        quantizers: Whether it names quantizers.
        written: Names of the tensors it writes, with `written_serial` for those that are only numbers.
        partial: Whether they leave out some of what it computes: without metadata, Myelin calls a product
            after itself and not after what is fused behind it, and a subgraph after its ends.
    """

    model: Mapping[str, bool]
    serial: Mapping[str, bool]
    operations: int
    quantizers: bool
    written: Sequence[str]
    written_serial: Sequence[str]
    partial: bool

    @property
    def none(self) -> bool:
        """True if no name of the original model is known."""
        return not (self.model or self.serial)


@dataclass(slots=True, eq=False)
class Part:
    """One name of the original model; all spellings of it are one object.

    It is not frozen: a large engine has 50,000, and creating what is frozen takes three times as long.
    """

    name: str
    quantizer: bool
    serial: bool
    parameter: bool


class KnownParts(dict[str, Part]):
    """Names that were read before: each is in metadata, in a layer's name, and in every engine.

    Attributes:
        layers: What layers state, by their names, origins and tensors: engines have most layers in common.
        looks: Numbers of what layers look like, which are equal where these are.
    """

    def __init__(self) -> None:
        super().__init__()
        self._spelled: dict[str, Part] = {}
        self._of_engines: dict[int, tuple[Analysis, list[LayerNames]]] = {}
        self.layers: dict[tuple[str, tuple[str, ...], tuple[str, ...]], LayerNames] = {}
        self.looks: dict[Hashable, int] = {}

    def number(self, look: Hashable) -> int:
        """Return the number of a look: it is compared many times, and a number faster than all that it is."""
        return self.looks.setdefault(look, len(self.looks))

    def names_of_layers(self, analysis: Analysis) -> list[LayerNames]:
        """Return what each layer of an engine states; it is read once."""
        found = self._of_engines.get(id(analysis))
        if found is None:
            # With the analysis, so that no other gets its number.
            names = [names_of(layer, analysis.tensors, self) for layer in analysis.layers]
            found = self._of_engines[id(analysis)] = analysis, names
        return found[1]

    def __missing__(self, name: str) -> Part:
        """Read a new name; Myelin writes "layers_0" for "layers.0"."""
        # Searching for a plain text is much faster than for an expression, and most names hold none of these.
        text = name
        if "_before_" in text or "_after_" in text:
            text = _SERVANT.sub("", _SERVANT.sub("", text))
        if "_clone_" in text or "_out_" in text or "'." in text:
            text = _SUFFIXES.sub("", text)
        text = text.replace(".", "_") if "/" in text else text
        part = self._spelled.get(text)
        if part is None:
            quantizer = "quantize" in text.lower() and bool(_QUANTIZER.search(text))
            part = Part(text, quantizer, is_serial(text), is_parameter(text))
            self._spelled[text] = part
        self[name] = part
        return part


def names_of(layer: LayerFacts, tensors: Sequence[TensorFacts], known: KnownParts) -> LayerNames:
    """Return what a layer's metadata, name and outputs state about the original model."""
    written = tuple([tensors[use.tensor].name for use in layer.outputs])
    key = (layer.name, tuple(layer.origins), written)
    found = known.layers.get(key)
    if found is None:
        found = known.layers[key] = _read_names(*key, known)
    return found


def _read_names(name: str, origins: Sequence[str], outputs: Sequence[str], known: KnownParts) -> LayerNames:
    parts = dict.fromkeys([known[origin] for origin in origins], True)
    for own in parts_of(name):
        parts.setdefault(known[own], False)
    model: dict[str, bool] = {}
    serial: dict[str, bool] = {}
    operations = 0
    for part, is_stated in parts.items():
        if part.quantizer:
            continue
        (serial if part.serial else model)[part.name] = is_stated
        if not part.parameter:
            operations += 1
    tensors = [known[tensor] for tensor in outputs if tensor and not tensor.startswith(_NO_TENSOR)]
    written = dict.fromkeys(tensors)
    return LayerNames(
        model,
        serial,
        operations,
        len(model) + len(serial) < len(parts),
        [part.name for part in written if not part.serial],
        [part.name for part in written if part.serial],
        not origins and (is_opaque(name) or ("_myl" in name and bool(_MYELIN_SUFFIX.search(name)))),
    )


def parts_of(name: str) -> list[str]:
    """Return the names of the original model in a layer's name: "conv1 + PWN(relu1)" gives conv1 and relu1.

    A Myelin subgraph gives its ends; a kernel that Myelin named after its operations gives nothing.
    """
    text = name[:_MAX_CHARACTERS]
    if text.startswith(_MYELIN_MADE) or _REFORMATTING.match(text):
        return []
    if "[profile " in text:
        text = _PROFILE.sub("", text)
    foreign = _FOREIGN.match(text)
    if foreign:
        text = foreign.group(1).replace("...", " + ")
    elif listed := _LISTED.match(text):
        text = listed.group(1).replace(",", ", ")
    myelin = _MYELIN_SUFFIX.search(text) if "_myl" in text else None
    if myelin:
        text = text[: myelin.start()].replace("+", " + ")
    if "]-[" in text:
        text = _TORCH.sub(r"\1", text)
    if "(Unnamed" in text:
        text = _UNNAMED.sub(r"unnamed:\1:\2", text)
    text = text.replace("PWN(", "")
    # Searching for single characters is much faster than for an expression.
    parts = _BETWEEN.split(text) if any(mark in text for mark in _BETWEEN_MARKS) else [text]
    found = [_closed(part.strip()) for part in parts]
    return list(dict.fromkeys([part for part in found if part and not part.startswith(_MYELIN_MADE)]))


def is_serial(name: str) -> bool:
    """Return whether a name is only a number given in order, perhaps with a type before it."""
    # Most names are paths, which none of these is.
    return "/" not in name and bool(_SERIAL.match(name))


def is_heavy(name: str) -> bool:
    """Return whether a name is that of a convolution, of a matrix multiplication or of weights."""
    return bool(_HEAVY.search(name.rsplit("/", 1)[-1]))


def is_parameter(name: str) -> bool:
    """Return whether a name is that of weights rather than of an operation."""
    if name.startswith("onnx::") or name.endswith(_PARAMETERS):
        return True
    return "onstant" in name and bool(_CONSTANT.search(name))


def reformatted_layer(name: str) -> str | None:
    """Return the name of the layer that a reformat says it was made for, or None."""
    found = _REFORMATTING.match(name)
    return (found[1] or found[2]) if found else None


def is_opaque(name: str) -> bool:
    """Return whether a layer is a whole Myelin subgraph."""
    return name.startswith("{") and bool(_FOREIGN.match(name))


def kinds(names: Iterable[str]) -> tuple[str, ...]:
    """Return the operations that names end with: "/layer1/conv1/Conv_2" gives Conv."""
    return tuple(
        found.group() if (found := _KIND.search(name.rsplit("/", 1)[-1])) else name for name in names
    )


def _closed(part: str) -> str:
    """Return a part without the parentheses that close what was taken off before it."""
    surplus = part.count(")") - part.count("(")
    while surplus > 0 and part.endswith(")"):
        part, surplus = part[:-1], surplus - 1
    return part
