"""The data dependencies of a plan as TREx draws them: layers, and the tensors (regions) between them.

A region is what is written and read under one name. Each time that a layer writes it after it was read, a new
generation of it begins.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from trexreport.trex.activations import Activation, readable
from trexreport.trex.engine_plan import EnginePlan
from trexreport.trex.layer import Layer


class PortDesc(NamedTuple):
    """An input or output of a layer, or a region, of which `port` is None or 0."""

    layer_name: str
    port: int | None


class Edge(NamedTuple):
    """An edge of a `PlanGraph`."""

    src: PortDesc
    dst: PortDesc
    tensor: Activation
    region_gen: int


@dataclass
class RegionGeneration:
    """What is in a region between two writes.

    Attributes:
        tensor: The largest view of it.
        id: Counts the generations of a region.
        is_user: Drawn always, as an input or output of the engine.
        is_forked: It has several writers or readers.
    """

    tensor: Activation
    id: int
    is_user: bool = False
    is_forked: bool = False
    writers: list[PortDesc] = field(default_factory=list)
    readers: list[PortDesc] = field(default_factory=list)


class Region:
    """A name under which layers write and read."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.generations: list[RegionGeneration] = []

    def add_generation(self, tensor: Activation) -> None:
        """Begin a generation."""
        self.name = self.name or tensor.name
        self.generations.append(RegionGeneration(tensor, len(self.generations)))

    def nb_generations(self) -> int:
        """Return the number of generations."""
        return len(self.generations)

    def is_placeholder(self) -> bool:
        """Return whether there are several generations."""
        return len(self.generations) > 1

    def add_writer(self, gen_id: int, writer: PortDesc, tensor: Activation) -> None:
        """Note that a layer writes a generation."""
        self.generations[gen_id].writers.append(writer)
        self._update_shape(tensor, gen_id)

    def add_reader(self, gen_id: int, reader: PortDesc, tensor: Activation) -> None:
        """Note that a layer reads a generation."""
        self.generations[gen_id].readers.append(reader)
        self._update_shape(tensor, gen_id)
        if gen_id > 0:
            self._update_shape(tensor, gen_id - 1)

    def _update_shape(self, tensor: Activation, gen_id: int) -> None:
        if tensor.size_bytes > self.generations[gen_id].tensor.size_bytes:
            self.generations[gen_id].tensor = tensor

    def writers(self, gen_id: int | None = None) -> list[PortDesc]:
        """Return who writes one generation, or any."""
        return [port for each in self._chosen(gen_id) for port in each.writers]

    def readers(self, gen_id: int | None = None) -> list[PortDesc]:
        """Return who reads one generation, or any."""
        return [port for each in self._chosen(gen_id) for port in each.readers]

    def _chosen(self, gen_id: int | None) -> list[RegionGeneration]:
        return self.generations if gen_id is None else [self.generations[gen_id]]


def regions_factory(plan: EnginePlan) -> list[Region]:
    """Return the regions of a plan in the order in which layers first touch them."""
    regions: dict[str, Region] = {}
    was_read: dict[str, bool] = {}
    for layer in plan.layers:
        for port, tensor in enumerate(layer.inputs):
            region = regions.setdefault(tensor.name, Region(tensor.name))
            if not region.generations:
                region.add_generation(tensor)
            region.add_reader(len(region.generations) - 1, PortDesc(layer.name, port), tensor)
            was_read[tensor.name] = True
        for port, tensor in enumerate(layer.outputs):
            region = regions.setdefault(tensor.name, Region(tensor.name))
            if not region.generations or was_read.get(tensor.name):
                region.add_generation(tensor)
            region.add_writer(len(region.generations) - 1, PortDesc(layer.name, port), tensor)
            was_read[tensor.name] = False
    bindings = {readable(name) for name in plan.bindings}
    for region in regions.values():
        for generation in region.generations:
            is_last = generation is region.generations[-1]
            has_open_end = not generation.readers or not generation.writers
            generation.is_user = region.name in bindings and (is_last or has_open_end)
            generation.is_forked = len(generation.writers) > 1 or len(generation.readers) > 1
    return list(regions.values())


class LayerNode:
    """A node of a layer."""

    def __init__(self, layer: Layer) -> None:
        self.layer = layer


class MemoryNode(NamedTuple):
    """A node of one generation of a region."""

    name: str
    tensor: Activation
    region_gen: int
    is_user: bool


class PlanGraph:
    """Layers, regions that are shown as nodes, and edges between them.

    Args:
        plan: The engine.
        include_regions: Show all regions as nodes; inputs, outputs and reused regions always are.
        include_constants: Show constants, too.
        include_forking_regions: Show regions with several writers or readers as nodes.

    Attributes:
        regions: All of them, shown or not.
        layer_nodes, memory_nodes, edges_list: The graph.
    """

    def __init__(
        self,
        plan: EnginePlan,
        include_regions: bool = False,
        include_constants: bool = False,
        include_forking_regions: bool = False,
    ) -> None:
        self.include_regions = include_regions
        self.include_constants = include_constants
        self.include_forking_regions = include_forking_regions
        self.regions = regions_factory(plan)
        self.layer_nodes = [LayerNode(layer) for layer in plan.all_layers]
        self.memory_nodes: list[MemoryNode] = []
        self.edges_list: list[Edge] = []
        bindings = {readable(name) for name in plan.bindings}
        constants = {layer.outputs[0].name: layer for layer in plan.constants if layer.outputs}
        for region in self.regions:
            self._add_region(region, constants.get(region.name), is_binding=region.name in bindings)

    def _add_region(self, region: Region, constant: Layer | None, *, is_binding: bool) -> None:
        # Myelin reads constants that no layer writes.
        is_constant = constant is not None or (not region.writers() and not is_binding)
        if is_constant and not self.include_constants:
            return
        previous: str | None = None
        for generation in region.generations:
            writers = list(generation.writers)
            if constant is not None and not writers:
                writers.append(PortDesc(constant.name, 0))
            if not self.should_include_region(region, generation, constant is not None):
                self._connect(writers, generation.readers, generation)
                continue
            name = region.name if generation.is_user else f"{region.name}.{generation.id}"
            self.memory_nodes.append(MemoryNode(name, generation.tensor, generation.id, generation.is_user))
            port = PortDesc(name, None if generation.is_user else 0)
            self._connect(writers, [port], generation)
            self._connect([port], generation.readers, generation)
            if previous is not None:
                self._connect([PortDesc(previous, 0)], [PortDesc(name, 0)], generation)
            previous = name

    def _connect(
        self, sources: Iterable[PortDesc], targets: Iterable[PortDesc], generation: RegionGeneration
    ) -> None:
        targets = list(targets)
        for source in sources:
            self.edges_list += [Edge(source, target, generation.tensor, generation.id) for target in targets]

    def should_include_region(self, region: Region, generation: RegionGeneration, is_constant: bool) -> bool:
        """Return whether a generation of a region is a node; else its writers are joined to its readers."""
        if is_constant:
            return self.include_regions
        is_forked = self.include_forking_regions and generation.is_forked
        return self.include_regions or generation.is_user or region.nb_generations() > 1 or is_forked
