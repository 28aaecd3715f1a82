"""Build pairs of plans of one network, and say which layers of the two do the same part of it."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable
from dataclasses import dataclass, replace
from random import Random

from .engine import FUSION_SEPARATOR, Engine, Layer, Tensor, hexadecimal, onnx_metadata
from .models import Network, Operation
from .native import Convolution, convolution_parameters, reformat_layer

LINEAR = {"Half": "Row major linear FP16 format", "Int8": "Row major Int8 format"}
PACKED = {
    "Half": "Channel major FP16 format where channel % 8 == 0",
    "Int8": "Thirty-two wide channel vectorized row major Int8 format",
}
#: What TensorRT fuses behind a convolution, at most.
EPILOGUE = ("Add", "Relu", "Sigmoid", "Mul")
#: Operations of one kernel that Myelin generates, at most.
MOST_FUSED = 9
#: Layers that share so much of one of them belong together.
SHARED_PART = 0.5
PRODUCT_WORTH = 10
TORCH_KINDS = {"Conv": "CONVOLUTION", "Relu": "RELU", "MaxPool": "MAX", "Add": "ELEMENTWISE"}


@dataclass(frozen=True)
class Build:
    """How a plan is made of a network.

    Attributes:
        fusing: The probability that an operation is fused where it could be.
        names: "paths" of the exporter, "serial" numbers, or "other": those of another exporter.
        metadata: Whether the layers say which ONNX nodes they came from.
        precision: "Half" or "Int8".
        reformats: The probability of a reformat before an input.
        shuffled: Whether independent layers run in another order.
        seed: Of all that is left to chance; `fusing_seed` of what is fused.
    """

    fusing: float = 1.0
    names: str = "paths"
    metadata: bool = True
    precision: str = "Half"
    reformats: float = 0.0
    shuffled: bool = False
    seed: int = 1
    fusing_seed: int = 1


#: What may be different between two plans of one network.
MUTATIONS: dict[str, Build] = {
    "renamed": Build(names="other"),
    "fused": Build(fusing=1.0, fusing_seed=2),
    "split": Build(fusing=0.0),
    "reordered": Build(shuffled=True),
    "precision": Build(precision="Int8"),
    "reformats": Build(reformats=0.4),
    "mixed": Build(fusing=0.7, fusing_seed=3, precision="Int8", reformats=0.2, shuffled=True),
    "all": Build(fusing=0.7, fusing_seed=3, names="other", precision="Int8", reformats=0.2, shuffled=True),
}
#: How the first plan of a pair is fused, where not as a matter of course.
FIRST_FUSING = {"fused": 0.3, "mixed": 0.8, "all": 0.8}


@dataclass(frozen=True)
class Plan:
    """A plan, and for each of its layers the group of the truth that it belongs to."""

    engine: Engine
    groups: tuple[int, ...]


@dataclass(frozen=True)
class Kernel:
    """Operations that run as one layer."""

    members: tuple[int, ...]


def make_pair(
    network: Network,
    mutation: str,
    *,
    metadata: bool,
    names: str = "paths",
    seed: int = 1,
    part: float = SHARED_PART,
) -> tuple[Plan, Plan]:
    """Return two plans of a network; layers of equal groups belong together.

    Layers do the same part of the network if what they share is at least `part` of one of them; a product
    with weights counts as many operations, so that an addition that moved from one convolution to another
    does not make the two the same, and to join such a product it must be more. With `part` 0 any shared
    operation joins them. What only converts belongs to the layer that it serves.
    """
    first = Build(
        fusing=FIRST_FUSING.get(mutation, 1.0), metadata=metadata, names=names, seed=seed, fusing_seed=seed
    )
    change = MUTATIONS[mutation]
    second = replace(
        change,
        metadata=metadata,
        names=names if change.names == "paths" else change.names,
        seed=seed + 1,
        fusing_seed=seed + change.fusing_seed - 1,
    )
    builders = [_Builder(network, build) for build in (first, second)]
    groups = _groups(network, builders[0].kernels, builders[1].kernels, part)
    left, right = (builder.plan(numbers) for builder, numbers in zip(builders, groups, strict=True))
    return left, right


def true_pairs(left: Iterable[int], right: Iterable[int]) -> set[tuple[int, int]]:
    """Return the pairs of positions whose groups are equal."""
    where: dict[int, list[int]] = {}
    for position, group in enumerate(right):
        where.setdefault(group, []).append(position)
    return {(a, b) for a, group in enumerate(left) for b in where.get(group, ())}


def _groups(
    network: Network, left: list[Kernel], right: list[Kernel], part: float
) -> tuple[list[int], list[int]]:
    root = list(range(len(left) + len(right)))

    def find(at: int) -> int:
        while root[at] != at:
            at = root[at]
        return at

    worth = [PRODUCT_WORTH if operation.is_product else 1 for operation in network.operations]
    holder = {member: at for at, kernel in enumerate(right) for member in kernel.members}
    for at, kernel in enumerate(left):
        for other in {holder[member] for member in kernel.members}:
            ours, theirs = set(kernel.members), set(right[other].members)
            weights = [sum(worth[member] for member in each) for each in (ours & theirs, ours, theirs)]
            needed = part * min(weights[1:])
            one_heavy = _has_product(network, kernel) != _has_product(network, right[other])
            if weights[0] > needed or (weights[0] == needed and not one_heavy):
                root[find(len(left) + other)] = find(at)
    numbers = [find(at) for at in range(len(root))]
    return numbers[: len(left)], numbers[len(left) :]


def _has_product(network: Network, kernel: Kernel) -> bool:
    return any(network.operations[member].is_product for member in kernel.members)


class _Builder:
    """Make one plan."""

    def __init__(self, network: Network, build: Build) -> None:
        self.network, self.build = network, build
        self.random = Random(build.seed)
        self.kernels = _fuse(network, build)
        self.layers: list[Layer] = []
        self.groups: list[int] = []
        self.kernel_of = {member: at for at, kernel in enumerate(self.kernels) for member in kernel.members}
        self.readers: dict[int, list[int]] = {}
        for at, operation in enumerate(network.operations):
            for source in operation.inputs:
                self.readers.setdefault(source, []).append(at)

    def plan(self, groups: list[int]) -> Plan:
        """Return the plan; `groups` has a number for each kernel."""
        for at in self._order():
            layer = self._layer(self.kernels[at])
            inputs = tuple(
                self._converted(layer.name, port, tensor, groups[at])
                for port, tensor in enumerate(layer.inputs)
            )
            self.layers.append(replace(layer, inputs=inputs))
            self.groups.append(groups[at])
        readers = {source for operation in self.network.operations for source in operation.inputs}
        ends = [at for at in range(len(self.network.operations)) if at not in readers]
        bindings = ["input", *(self._tensor(at).name for at in ends)]
        return Plan(Engine(tuple(self.layers), {"Bindings": bindings}), tuple(self.groups))

    def _order(self) -> list[int]:
        """Return the kernels in an order in which they can run; by chance if the build is shuffled."""
        waits = [self._sources(kernel) for kernel in self.kernels]
        readers: dict[int, list[int]] = {}
        for at, sources in enumerate(waits):
            for source in sources:
                readers.setdefault(source, []).append(at)
        order: list[int] = []
        ready = [at for at, sources in enumerate(waits) if not sources]
        while ready:
            at = ready.pop(self.random.randrange(len(ready)) if self.build.shuffled else 0)
            order.append(at)
            for reader in readers.get(at, ()):
                waits[reader].discard(at)
                if not waits[reader]:
                    insort(ready, reader)
        return order

    def _sources(self, kernel: Kernel) -> set[int]:
        own = set(kernel.members)
        return {
            self.kernel_of[source]
            for member in kernel.members
            for source in self.network.operations[member].inputs
            if source >= 0 and source not in own
        }

    def _name(self, at: int) -> str:
        """Return what the exporter called an operation."""
        operation = self.network.operations[at]
        if self.build.names == "serial":
            # An export with quantizers numbers these as well.
            number = at * 3 + 2 if self.build.precision == "Int8" else at
            return f"{operation.kind}_{number}"
        if self.build.names == "other":
            path = operation.name.rpartition("/")[0].lower().replace("layer", "block")
            kind = TORCH_KINDS.get(operation.kind, "SHUFFLE")
            return (
                f"[{kind}]-[aten_ops.{operation.kind.lower()}.default]-[{path}/{operation.kind.lower()}_{at}]"
            )
        return operation.name

    def _tensor(self, at: int) -> Tensor:
        """Return an operation's result as its kernel writes it."""
        if at < 0:
            return Tensor("input", self.network.dimensions, "Half", LINEAR["Half"] if self._native else "")
        operation = self.network.operations[at]
        name = {
            "paths": f"{operation.name}_output_0",
            "serial": f"onnx::{operation.kind}_{at + 125}",
            "other": f"(Unnamed Layer* {at}) [{operation.kind}]_output",
        }[self.build.names]
        datatype = self.build.precision if operation.kind != "GlobalAveragePool" else "Half"
        if not self._native:
            # Myelin keeps the names of what leaves the region and makes up all others.
            last = at == len(self.network.operations) - 1
            return Tensor(name if last else f"__mye{1000 + 7 * at}", operation.dimensions, "Half")
        return Tensor(name, operation.dimensions, datatype, PACKED[datatype])

    @property
    def _native(self) -> bool:
        return not self.network.myelin

    def _layer(self, kernel: Kernel) -> Layer:
        own = set(kernel.members)
        sources = dict.fromkeys(
            source
            for member in kernel.members
            for source in self.network.operations[member].inputs
            if source not in own
        )
        inputs = tuple(self._tensor(source) for source in sources)
        results = [
            member
            for member in kernel.members
            if not self._is_read_only_inside(member, own) or member == kernel.members[-1]
        ]
        outputs = tuple(self._tensor(member) for member in results)
        if self._native:
            return self._native_layer(kernel, inputs, outputs)
        return self._myelin_layer(kernel, inputs, outputs)

    def _is_read_only_inside(self, member: int, own: set[int]) -> bool:
        readers = self.readers.get(member)
        return bool(readers) and own.issuperset(readers)

    def _nodes(self, kernel: Kernel) -> tuple[str, ...]:
        """Return the ONNX nodes that the metadata states, with the quantizers around them."""
        if not self.build.metadata:
            return ()
        nodes = []
        for member in kernel.members:
            operation = self.network.operations[member]
            if self.build.precision == "Int8" and operation.weights:
                module = operation.name.rpartition("/")[0]
                nodes += [f"{module}/_{part}_quantizer/QuantizeLinear" for part in ("weight", "input")]
            nodes.append(operation.name)
        return tuple(nodes)

    def _native_layer(self, kernel: Kernel, inputs: tuple[Tensor, ...], outputs: tuple[Tensor, ...]) -> Layer:
        operations = [self.network.operations[member] for member in kernel.members]
        names = [self._name(member) for member in kernel.members]
        main = operations[0]
        if main.kind != "Conv":
            title = names[0]
            for name in names[1:]:
                title = f"PWN({title}), {name}"
            pointwise = main.kind not in {"MaxPool", "GlobalAveragePool"}
            parameters = {
                "ParameterType": "PointWise" if pointwise else "Pooling",
                "TacticValue": hexadecimal(title),
                "Metadata": onnx_metadata(self._nodes(kernel), FUSION_SEPARATOR),
            }
            kind = "PointWiseV2" if pointwise else "CaskPooling"
            return Layer(f"PWN({title})" if pointwise else title, kind, inputs, outputs, (), parameters)
        if self.build.precision == "Int8" and self.build.names != "other":
            module = main.name.rpartition("/")[0]
            quantizer = f"{module}/_weight_quantizer/QuantizeLinear"
            number = kernel.members[0] * 3
            names = [
                "onnx::Conv_193"
                if self.build.names == "serial"
                else f"{module[1:].replace('/', '.')}.weight",
                f"QuantizeLinear_{number}" if self.build.names == "serial" else quantizer,
                *names,
            ]
        maps, size, stride = main.weights
        source = self.network.shape(main.inputs[0])
        tactic = f"sm80_xmma_fprop_implicit_gemm_{self.build.precision.lower()}_{maps}x{size}"
        shape = Convolution(
            maps, size, stride, maps * source[1] * size * size, self.build.precision, "Float", tactic
        )
        parameters = convolution_parameters(shape, self._nodes(kernel) or (operations[-1].kind,))
        parameters["Metadata"] = onnx_metadata(self._nodes(kernel), FUSION_SEPARATOR)
        return Layer(" + ".join(names), "CaskConvolution", inputs, outputs, (), parameters)

    def _myelin_layer(self, kernel: Kernel, inputs: tuple[Tensor, ...], outputs: tuple[Tensor, ...]) -> Layer:
        operations = [self.network.operations[member] for member in kernel.members]
        number = f"_myl3_{len(self.layers)}"
        parameters = {
            "TacticName": f"tactic_{self.build.precision}",
            "StreamId": 0,
            "Metadata": onnx_metadata(self._nodes(kernel), "\x1f"),
        }
        main = operations[0]
        if not main.weights:
            cut = "".join(operation.kind[:4].capitalize() for operation in operations)
            extra = "MulMinMaxRounCast" if self.build.precision == "Int8" else ""
            return Layer(f"__myl_{cut}{extra}{number}", "kgen", inputs, outputs, (), parameters)
        weights = Tensor(f"{main.name}.weight", main.weights, self.build.precision)
        stem = {"paths": main.name.replace(".", "_"), "serial": self._name(kernel.members[0])}.get(
            self.build.names, f"__mye{9000 + kernel.members[0]}"
        )
        return Layer(f"{stem}{number}", "gemm", inputs, outputs, (weights,), parameters)

    def _converted(self, name: str, port: int, tensor: Tensor, group: int) -> Tensor:
        """Put a reformat or a quantizer before an input, by chance; return what the layer then reads."""
        if not self._native or not (tensor.name == "input" or self.random.random() < self.build.reformats):
            return tensor
        wanted = Tensor(
            f"Reformatted Input Tensor {port} to {name}",
            tensor.dimensions,
            self.build.precision,
            PACKED[self.build.precision],
        )
        title = f"Reformatting CopyNode for Input Tensor {port} to {name}"
        origin = "REFORMAT"
        if self.build.precision == "Int8" and self.random.random() < 0.5:
            title = f"QuantizeLinear_{len(self.layers)}_{port}"
            wanted, origin = replace(wanted, name=f"{title}_output"), "QDQ"
        self.layers.append(reformat_layer(title, (tensor, wanted), origin))
        self.groups.append(group)
        return wanted


def _fuse(network: Network, build: Build) -> list[Kernel]:
    """Let operations join the kernel of the operation whose result they read last."""
    chance = Random(build.fusing_seed)
    members: list[list[int]] = []
    kernel_of: dict[int, int] = {}
    for at, operation in enumerate(network.operations):
        sources = [kernel_of[source] for source in operation.inputs if source >= 0]
        joins = chance.random() < build.fusing
        latest = max(sources, default=-1)
        if joins and latest >= 0 and _may_join(network, members[latest], operation):
            members[latest].append(at)
            kernel_of[at] = latest
        else:
            kernel_of[at] = len(members)
            members.append([at])
    return [Kernel(tuple(each)) for each in members]


def _may_join(network: Network, kernel: list[int], operation: Operation) -> bool:
    first = network.operations[kernel[0]]
    if operation.is_product:
        return False
    if network.myelin:
        limit = 2 if first.is_product else MOST_FUSED
        return len(kernel) < limit and operation.kind != "Softmax"
    if first.kind == "Conv":
        return operation.kind in EPILOGUE and len(kernel) < 4
    return first.kind in EPILOGUE and operation.kind in EPILOGUE
