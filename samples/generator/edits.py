"""Edit a plan, and say which of its layers the result still has: truth for what compares engines."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from hashlib import sha256
from random import Random
from typing import Any

#: TensorRT's own words in names; the rest is the model's.
_TENSORRT = re.compile(
    r"Reformatting|CopyNode|for|Input|Output|Tensor|to|from|PWN|ONNX|Layer:|Forced|Cast|ITensor|Reformatted"
    r"|ForeignNode|copied|output|Layer\*|Unnamed|__my.*|_myl\d+\S*|[A-Z_0-9]+|aten_ops\..*"
)
_TOKEN = re.compile(
    r"(?<![^\s\[\](){},+|\x1e\x1f.])[A-Za-z_/][^\s\[\](){},+|\x1e\x1f]*?(?=\.\.\.|_myl\d|[\s\[\](){},+|\x1e\x1f]|$)"
)
_SHUFFLED = re.compile(r"^(?:Reformat|NoOp|Constant|signal|wait)", re.IGNORECASE)
_PRODUCTS = re.compile(r"conv|gemm|matrix|matmul|fc|fullyconnected", re.IGNORECASE)

Layer = Any  # a record, or only a name
Rename = Callable[[str], str]


@dataclass
class Edited:
    """Layers of a plan as they were edited.

    Attributes:
        layers: Records, or names in a plan of names only.
        sources: For each layer the positions of the original layers that it does the work of.
        bindings: Names of the engine's inputs and outputs, which no edit renames.
    """

    layers: list[Layer]
    sources: list[frozenset[int]]
    bindings: list[str]

    @classmethod
    def of(cls, text: str) -> Edited:
        """Return a plan that is not edited yet."""
        document = json.loads(text)
        layers = document["Layers"]
        return cls(layers, [frozenset({at}) for at in range(len(layers))], document.get("Bindings") or [])

    def text(self) -> str:
        """Return the plan as a file has it."""
        return json.dumps({"Layers": self.layers, "Bindings": self.bindings})

    def true_pairs(self) -> set[tuple[int, int]]:
        """Return pairs of an original layer and one of this plan that does its work."""
        return {(source, at) for at, sources in enumerate(self.sources) for source in sources}


def name_of(layer: Layer) -> str:
    """Return a layer's name."""
    return layer if isinstance(layer, str) else str(layer.get("Name", ""))


def _uses(layer: Layer, side: str) -> list[dict[str, Any]]:
    return [] if isinstance(layer, str) else layer.get(side) or []


def _reworded(text: str, rename: Rename) -> str:
    """Rename what the model called something; TensorRT's words around it stay."""
    return _TOKEN.sub(lambda found: found[0] if _TENSORRT.fullmatch(found[0]) else rename(found[0]), text)


# --- renames -----------------------------------------------------------------------------------------------


def _hashed(name: str) -> str:
    return "n" + sha256(name.encode()).hexdigest()[:10]


def _shifted(name: str) -> str:
    """Count a block or a serial number on: the new name is often another layer's old one."""
    last = re.search(r"_(\d+)$", name) if "/" not in name and "." not in name else None
    found = last or re.search(r"(?<=[a-z0-9][./])\d+(?=[./])|(?<=block)\d+", name)
    if not found:
        return name
    at = found.end() - len(found[1] if last else found[0])
    return name[:at] + str(int(name[at : found.end()]) + 1) + name[found.end() :]


def _of_other_exporter(name: str) -> str:
    kind = name.rsplit("/", 1)[-1].lower()
    path = re.sub(r"/([^/]+)/\1(?=\.)", r"/\1", name).strip("/").replace(".", "/").lower()
    return f"node_{kind.replace('_', '-')}" if "/" not in path else f"model/{path}"


#: Kinds of new names.
RENAMES: dict[str, Rename] = {
    "stage": lambda name: re.sub(
        r"[A-Za-z]{3,}", lambda word: f"new{word[0][::-1][:3].title()}", name, count=2
    ),
    "prefix": lambda name: f"/backbone{name if name.startswith('/') else f'/{name}'}",
    "hash": _hashed,
    "shift": _shifted,
    "exporter": _of_other_exporter,
}


def rename(plan: Edited, chosen: Iterable[int], new: Rename, *, metadata: bool = True) -> None:
    """Rename layers, the tensors they write, and their ONNX nodes if `metadata`."""
    tensors = {}
    for at in chosen:
        layer = plan.layers[at]
        if isinstance(layer, str):
            plan.layers[at] = _reworded(layer, new)
            continue
        layer["Name"] = _reworded(layer["Name"], new)
        if metadata and layer.get("Metadata"):
            layer["Metadata"] = _reworded(layer["Metadata"], new)
        for use in _uses(layer, "Outputs"):
            if use["Name"] not in plan.bindings:
                tensors[use["Name"]] = _reworded(use["Name"], new)
    _rename_tensors(plan, tensors)


def _rename_tensors(plan: Edited, tensors: dict[str, str]) -> None:
    """Give tensors other names, each a name of its own."""
    kept = {use["Name"] for layer in plan.layers for use in _uses(layer, "Outputs")} - tensors.keys()
    for old, name in tensors.items():
        own = name
        while own in kept:
            own += "'"
        kept.add(own)
        tensors[old] = own
    for layer in plan.layers:
        for side in ("Inputs", "Outputs"):
            for use in _uses(layer, side):
                use["Name"] = tensors.get(use["Name"], use["Name"])


def regroup(plan: Edited, random: Random, part: float) -> None:
    """Write the parts of fused names on neighbors: what a kernel ends with is called by its reader."""
    readers = _readers(plan)
    for at, layer in enumerate(plan.layers):
        parts = name_of(layer).split(" + ")
        if len(parts) < 2 or random.random() >= part:
            continue
        after = readers.get(at, [])
        if len(after) == 1 and not _SHUFFLED.match(str(plan.layers[after[0]].get("LayerType", ""))):
            reader = plan.layers[after[0]]
            layer["Name"] = " + ".join(parts[:-1])
            reader["Name"] = f"{parts[-1]} + {reader['Name']}"


# --- other edits -------------------------------------------------------------------------------------------


def split(plan: Edited, random: Random, part: float) -> None:
    """Run what some layers end with as a layer of its own."""
    layers: list[Layer] = []
    sources = []
    for layer, source in zip(plan.layers, plan.sources, strict=True):
        parts = name_of(layer).split(" + ")
        outputs = _uses(layer, "Outputs")
        layers.append(layer)
        sources.append(source)
        if random.random() >= part or len(outputs) != 1 or is_helper(layer):
            continue
        inner = deepcopy(outputs[0]) | {"Name": f"{outputs[0]['Name']}_inner"}
        tail = parts[-1] if len(parts) > 1 else f"{parts[-1]}_tail"
        last = {"Name": f"PWN({tail})", "LayerType": "PointWiseV2", "Inputs": [inner], "Outputs": outputs}
        if layer.get("Metadata"):
            nodes = re.split(r"(?<=\])[\x1e\x1f]", layer["Metadata"])
            last["Metadata"] = nodes[-1]
            layer["Metadata"] = "\x1e".join(nodes[:-1] or nodes)
        layer["Name"] = " + ".join(parts[:-1] or parts)
        layer["Outputs"] = [inner]
        layers.append(last)
        sources.append(source)
    plan.layers, plan.sources = layers, sources


def merge(plan: Edited, random: Random, part: float) -> None:
    """Fuse some layers with their only reader, if not both are products."""
    readers = _readers(plan)
    gone: set[int] = set()
    touched: set[int] = set()
    for at, layer in enumerate(plan.layers):
        after = readers.get(at, [])
        if random.random() >= part or len(after) != 1 or len(_uses(layer, "Outputs")) != 1 or at in touched:
            continue
        reader = plan.layers[after[0]]
        both = (layer, reader)
        if any(map(is_helper, both)) or all(map(_is_product, both)) or after[0] in touched | gone:
            continue
        inner = layer["Outputs"][0]["Name"]
        # What was split off and then fused with another product is no longer the work of one layer.
        if any(plan.sources[at] & each for each in plan.sources[:at]) or inner in plan.bindings:
            continue
        main = reader if _is_product(reader) else layer
        merged = deepcopy(main)
        merged["Name"] = f"{layer['Name']} + {reader['Name']}"
        nodes = [each["Metadata"] for each in both if each.get("Metadata")]
        if nodes:
            merged["Metadata"] = "\x1e".join(nodes)
        merged["Inputs"] = layer["Inputs"] + [use for use in reader["Inputs"] if use["Name"] != inner]
        merged["Outputs"] = reader["Outputs"]
        plan.layers[after[0]] = merged
        plan.sources[after[0]] |= plan.sources[at]
        gone.add(at)
        touched |= {at, after[0]}
    _keep(plan, [at for at in range(len(plan.layers)) if at not in gone])


def reorder(plan: Edited, random: Random, part: float) -> None:
    """Run some layers earlier or later, as far as what they read and write allows."""
    for original in [at for at in range(len(plan.layers)) if random.random() < part]:
        at = next((at for at, found in enumerate(plan.sources) if original in found), None)
        if at is None:
            continue
        layer = plan.layers[at]
        reads, writes = ({use["Name"] for use in _uses(layer, side)} for side in ("Inputs", "Outputs"))
        low = high = at
        while low and not _touches(plan.layers[low - 1], reads, writes):
            low -= 1
        while high + 1 < len(plan.layers) and not _touches(plan.layers[high + 1], reads, writes):
            high += 1
        to = random.randint(low, high)
        plan.layers.insert(to, plan.layers.pop(at))
        plan.sources.insert(to, plan.sources.pop(at))


def insert(plan: Edited, random: Random, part: float) -> None:
    """Put new layers on some tensors: pointwise ones, and copies of layers that keep the shape."""
    layers: list[Layer] = []
    sources: list[frozenset[int]] = []
    names: dict[str, str] = {}
    for layer, source in zip(plan.layers, plan.sources, strict=True):
        for use in _uses(layer, "Inputs"):
            use["Name"] = names.get(use["Name"], use["Name"])
        layers.append(layer)
        sources.append(source)
        if random.random() >= part or is_helper(layer):
            continue
        sources.append(frozenset())
        if isinstance(layer, str):
            layers.append(f"/added/{len(layers)}/Mul")
            continue
        outputs = _uses(layer, "Outputs")
        if len(outputs) != 1 or outputs[0]["Name"] in plan.bindings:
            sources.pop()
            continue
        number = len(layers)
        keeps = [use.get("Dimensions") for use in _uses(layer, "Inputs")[:1]] == [
            outputs[0].get("Dimensions")
        ]
        new = deepcopy(layer) if keeps and random.random() < 0.3 else {"LayerType": "PointWiseV2"}
        new |= {
            "Name": f"/added/{number}/Mul",
            "Inputs": deepcopy(outputs),
            "Outputs": [outputs[0] | {"Name": f"/added/{number}/Mul_output_0"}],
        }
        if "Metadata" in layer:
            new["Metadata"] = f"[ONNX Layer: /added/{number}/Mul]"
        names[outputs[0]["Name"]] = new["Outputs"][0]["Name"]
        layers.append(new)
    plan.layers, plan.sources = layers, sources


def drop_metadata(plan: Edited) -> None:
    """Remove what layers state about their ONNX nodes."""
    for layer in plan.layers:
        if isinstance(layer, dict):
            layer.pop("Metadata", None)


def stage(plan: Edited, random: Random, part: float) -> range:
    """Return the positions of one run of layers, a part of all of them."""
    length = max(1, round(part * len(plan.layers)))
    start = random.randint(0, len(plan.layers) - length)
    return range(start, start + length)


def some(plan: Edited, random: Random, part: float) -> list[int]:
    """Return positions of layers, each with a probability."""
    return [at for at in range(len(plan.layers)) if random.random() < part]


def _keep(plan: Edited, positions: Sequence[int]) -> None:
    plan.layers = [plan.layers[at] for at in positions]
    plan.sources = [plan.sources[at] for at in positions]


def _touches(layer: Layer, reads: set[str], writes: set[str]) -> bool:
    """Return whether a layer must stay on its side of one that reads and writes these tensors."""
    before, after = ({use["Name"] for use in _uses(layer, side)} for side in ("Inputs", "Outputs"))
    return bool((before | after) & writes or after & reads)


def _readers(plan: Edited) -> dict[int, list[int]]:
    """Return for each layer that alone writes a tensor the layers that read it."""
    writers: dict[str, list[int]] = {}
    for at, layer in enumerate(plan.layers):
        for use in _uses(layer, "Outputs"):
            writers.setdefault(use["Name"], []).append(at)
    found: dict[int, list[int]] = {}
    for at, layer in enumerate(plan.layers):
        for use in _uses(layer, "Inputs"):
            for writer in writers.get(use["Name"], []):
                found.setdefault(writer, []).append(at)
    return found


def is_helper(layer: Layer) -> bool:
    """Return whether a layer only moves data for others, by its type or name."""
    kind = "" if isinstance(layer, str) else str(layer.get("LayerType", ""))
    return bool(_SHUFFLED.match(kind)) or name_of(layer).startswith(("Reformatting", "Forced", "__my"))


def _is_product(layer: Layer) -> bool:
    return not isinstance(layer, str) and bool(_PRODUCTS.search(str(layer.get("LayerType", ""))))
