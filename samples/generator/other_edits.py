"""Edits and plans of other kinds, which show how well alignment does on what it was not developed on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from random import Random

from . import edits
from .bev import bev_detector
from .driving import driving_network
from .edit_kinds import Edit
from .edits import Edited, Layer, name_of
from .models import Network
from .pairs import make_pair
from .torchtrt import torch_mobilenet
from .transformer import transformer
from .unet import control_network

CAPTURES = (bev_detector, driving_network, torch_mobilenet, transformer, control_network)
#: Types and words of kernels in another version of TensorRT.
_OTHER_TYPES = {"CaskConvolution": "CaskGemmConvolution", "PointWiseV2": "kgen", "ElementWise": "PointWiseV2"}


def experts(blocks: int) -> Network:
    """Return a transformer of blocks of four experts each, which differ in nothing but their names."""
    net = Network((1, 256, 512), myelin=True)
    state = -1
    for block in range(blocks):
        path = f"/decoder/layers.{block}"
        routed = net.add(f"{path}/router/Softmax", net.product(f"{path}/router", state, 4))
        found = []
        for expert in range(4):
            inner = net.product(f"{path}/experts.{expert}/up_proj", state, 1024)
            inner = net.add(f"{path}/experts.{expert}/act/Mul", inner)
            found.append(net.product(f"{path}/experts.{expert}/down_proj", inner, 512))
        mixed = found[0]
        for expert, each in enumerate(found[1:]):
            mixed = net.add(f"{path}/Add_{expert}", mixed, each)
        state = net.add(f"{path}/Mul", mixed, routed)
    net.product("/lm_head", state, 1000)
    return net


def inception(blocks: int) -> Network:
    """Return a convolutional network of blocks of branches with factorized convolutions."""
    net = Network((4, 3, 256, 256), myelin=False)
    state = net.add("/stem/relu/Relu", net.convolution("/stem/conv", -1, 96, 3, 4))
    for block in range(blocks):
        path = f"/mixed/{block}"
        ends = []
        for branch, kernels in (("a", (1,)), ("b", (1, 3)), ("c", (1, 3, 3)), ("d", (1, 5))):
            inner = state
            for number, kernel in enumerate(kernels):
                inner = net.convolution(f"{path}/{branch}{number}", inner, 96, kernel)
                inner = net.add(f"{path}/{branch}{number}/relu/Relu", inner)
            ends.append(inner)
        for number, each in enumerate(ends[1:]):
            ends[0] = net.add(f"{path}/Add_{number}", ends[0], each)
        state = ends[0]
    net.convolution("/head", state, 200, 1)
    return net


def other_plans() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each plan."""
    for make in CAPTURES:
        files = make()
        yield make.__name__, next(data.decode() for data in files.values() if b'"Layers"' in data)
    for name, network in (("experts", experts(5)), ("inception", inception(6))):
        yield name, make_pair(network, "renamed", metadata=True)[0].engine.graph_json()


# --- names -------------------------------------------------------------------------------------------------


def _numbered() -> Callable[[str], str]:
    """Return what names operations by their kind and the order in which they are met."""
    known: dict[str, str] = {}

    def number(name: str) -> str:
        kind = re.sub(r"[\W\d_]+$", "", re.split(r"[/.]", name)[-1]) or "Op"
        return known.setdefault(name, f"{kind}_{3 * len(known) + 7}")

    return number


def _of_torch(name: str) -> str:
    """Return a name as torch.export spells it: "layer1_0_conv1_convolution_default" for a path of ONNX."""
    parts = [part for part in re.split(r"[/.]", name) if part]
    kept = [part for at, part in enumerate(parts) if part not in parts[:at]]
    kinds = {"Conv": "convolution", "MatMul": "linear", "Gemm": "addmm"}
    return "_".join(kinds.get(part, part.lower()) for part in kept) + "_default"


def _all_renamed(plan: Edited, metadata: bool, kind: str) -> None:
    new = _numbered() if kind == "number" else _of_torch
    edits.rename(plan, range(len(plan.layers)), new, metadata=metadata)


def _of_myelin(plan: Edited) -> None:
    """Give layers and tensors the names that Myelin makes up."""
    tensors: dict[str, str] = {name: name for name in plan.bindings}
    for at, layer in enumerate(plan.layers):
        kinds = [re.sub(r"[\W\d_]+", "", re.split(r"[/.]", part)[-1])[:4].title() for part in _parts(layer)]
        made = re.match(r"__my|_gemm|Reformat|NoOp|Constant|shape_call", f"{name_of(layer)}")
        if not made and not re.match(r"Reformat|NoOp|Constant|shape_call", str(layer.get("LayerType"))):
            layer["Name"] = f"__myl_{''.join(kinds)}_myl0_{at}"
        for use in (*(layer.get("Inputs") or []), *(layer.get("Outputs") or [])):
            use["Name"] = tensors.setdefault(use["Name"], f"__mye{len(tensors) + 1000}")


def _parts(layer: Layer) -> list[str]:
    return name_of(layer).replace("PWN(", "").replace(")", "").replace(", ", " + ").split(" + ")


# --- structure ---------------------------------------------------------------------------------------------


def remove(plan: Edited, random: Random, part: float) -> None:
    """Take out layers that keep the shape of their only input."""
    names: dict[str, str] = {}
    kept = []
    for at, layer in enumerate(plan.layers):
        inputs, outputs = layer.get("Inputs") or [], layer.get("Outputs") or []
        for use in inputs:
            use["Name"] = names.get(use["Name"], use["Name"])
        gone = (
            len(inputs) == len(outputs) == 1
            and inputs[0].get("Dimensions") == outputs[0].get("Dimensions")
            and outputs[0]["Name"] not in plan.bindings
            and random.random() < part
        )
        if gone:
            names[outputs[0]["Name"]] = inputs[0]["Name"]
        else:
            kept.append(at)
    plan.layers, plan.sources = [plan.layers[at] for at in kept], [plan.sources[at] for at in kept]


def add_in_module(plan: Edited, random: Random, part: float) -> None:
    """Put two new layers, called after the module of the layer before them, on some tensors."""
    layers: list[Layer] = []
    sources: list[frozenset[int]] = []
    names: dict[str, str] = {}
    for layer, source in zip(plan.layers, plan.sources, strict=True):
        for use in layer.get("Inputs") or []:
            use["Name"] = names.get(use["Name"], use["Name"])
        layers.append(layer)
        sources.append(source)
        outputs = layer.get("Outputs") or []
        if random.random() >= part or len(outputs) != 1 or outputs[0]["Name"] in plan.bindings:
            continue
        module = _parts(layer)[0].rpartition("/")[0]
        before = outputs[0]
        for kind, word in (("Activation", "gate/Sigmoid"), ("ElementWise", "gate/Mul")):
            name = f"{module}/{word}_{len(layers)}"
            after = before | {"Name": f"{name}_output_0"}
            reads = [before] if kind == "Activation" else [before, outputs[0]]
            new = {"Name": name, "LayerType": kind, "Inputs": deepcopy(reads), "Outputs": [after]}
            if "Metadata" in layer:
                new["Metadata"] = f"[ONNX Layer: {name}]"
            layers.append(new)
            sources.append(frozenset())
            before = after
        names[outputs[0]["Name"]] = before["Name"]
    plan.layers, plan.sources = layers, sources


def join_siblings(plan: Edited, random: Random, part: float) -> None:
    """Run layers that follow each other and read one tensor as one, as TensorRT joins convolutions."""
    at = 0
    while at + 1 < len(plan.layers):
        one, other = plan.layers[at], plan.layers[at + 1]
        reads = [[use["Name"] for use in layer.get("Inputs") or []] for layer in (one, other)]
        same = reads[0] == reads[1] and len(reads[0]) == 1 and one.get("LayerType") == other.get("LayerType")
        if same and not edits.is_helper(one) and random.random() < part:
            one["Name"] = f"{one['Name']} || {other['Name']}"
            if one.get("Metadata"):
                one["Metadata"] += f"\x1e{other.get('Metadata', '')}"
            one["Outputs"] = [*one["Outputs"], *other["Outputs"]]
            plan.sources[at] |= plan.sources[at + 1]
            del plan.layers[at + 1], plan.sources[at + 1]
        at += 1


def shuffle(plan: Edited, random: Random) -> None:
    """Run every layer earlier or later, as far as what it reads and writes allows."""
    edits.reorder(plan, random, 1.0)


def _batched(plan: Edited) -> None:
    """Run four times as large a batch."""
    for layer in plan.layers:
        for use in (*(layer.get("Inputs") or []), *(layer.get("Outputs") or [])):
            extents = use.get("Dimensions")
            if extents and len(extents) > 1:
                use["Dimensions"] = [4 * extents[0], *extents[1:]]


def _of_other_version(plan: Edited) -> None:
    """Call types as another version does, and choose other tactics."""
    for at, layer in enumerate(plan.layers):
        layer["LayerType"] = _OTHER_TYPES.get(layer["LayerType"], layer["LayerType"])
        for key in ("TacticName", "TacticValue"):
            if key in layer:
                layer[key] = f"sm90_kernel_{at % 17}"


def _mixed(plan: Edited, random: Random, part: float) -> None:
    for change in (remove, join_siblings, edits.split, add_in_module):
        change(plan, random, part / 4)


def _all_and_mixed(kind: str) -> Edit:
    def edit(plan: Edited, random: Random, part: float, metadata: bool) -> None:
        _all_renamed(plan, metadata, kind)
        _mixed(plan, random, part)

    return edit


def _of(change: Callable[[Edited, Random, float], None]) -> Edit:
    return lambda plan, random, part, _: change(plan, random, part)


def _myelin_mixed(plan: Edited, random: Random, part: float, _: bool) -> None:
    _mixed(plan, random, part)
    _of_myelin(plan)


def _version_mixed(plan: Edited, random: Random, part: float, _: bool) -> None:
    _of_other_version(plan)
    _mixed(plan, random, part)


def _everything(plan: Edited, random: Random, part: float, metadata: bool) -> None:
    _batched(plan)
    edits.rename(plan, edits.stage(plan, random, part), edits.RENAMES["hash"], metadata=metadata)
    _mixed(plan, random, part)
    shuffle(plan, random)


def _all(kind: str) -> Edit:
    return lambda plan, _random, _part, metadata: _all_renamed(plan, metadata, kind)


OTHER_EDITS: dict[str, Edit] = {
    "numbered, all": _all("number"),
    "torch, all": _all("torch"),
    "remove": _of(remove),
    "add in module": _of(add_in_module),
    "join siblings": _of(join_siblings),
    "shuffle": lambda plan, random, _part, _metadata: shuffle(plan, random),
    "numbered, all, mixed": _all_and_mixed("number"),
    "torch, all, mixed": _all_and_mixed("torch"),
    "made-up names, mixed": _myelin_mixed,
    "other version, mixed": _version_mixed,
    "everything": _everything,
}
