"""Graphs shaped like TensorRT plans, and odd ones, made without randomness that could change."""

from __future__ import annotations

from random import Random

from trexreport.renderer.graph.layout.interface import Edge, Node

Plan = tuple[list[Node], list[Edge]]


class _Builder:
    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.edges: list[Edge] = []

    def node(self, *sources: str, width: float = 200, height: float = 60) -> str:
        key = f"layer {len(self.nodes)}"
        self.nodes.append(Node(key, width, height))
        for source in sources:
            self.edge(source, key)
        return key

    def edge(self, source: str, target: str, *, back: bool = False) -> None:
        self.edges.append(Edge(f"edge {len(self.edges)}", source, target, back))

    def plan(self) -> Plan:
        return self.nodes, self.edges


def chain(count: int) -> Plan:
    builder = _Builder()
    last = builder.node()
    for index in range(count - 1):
        last = builder.node(last, width=120 + 20 * (index % 5), height=40 + 10 * (index % 3))
    return builder.plan()


def resnet(blocks: int) -> Plan:
    builder = _Builder()
    last = builder.node(builder.node(width=100, height=40))
    for block in range(blocks):
        first = builder.node(last)
        second = builder.node(first, width=240)
        skip = builder.node(last) if block % 4 == 3 else last
        last = builder.node(second, skip, width=160)
    builder.node(builder.node(last))
    return builder.plan()


def inception(blocks: int) -> Plan:
    builder = _Builder()
    last = builder.node()
    for block in range(blocks):
        ends = [builder.node(last)]
        for depth in (1, 2, 3)[: 2 + block % 2]:
            end = builder.node(last)
            for _ in range(depth):
                end = builder.node(end, width=180)
            ends.append(end)
        last = builder.node(*ends, width=260)
    return builder.plan()


def transformer(blocks: int, *, cache: bool = False) -> Plan:
    builder = _Builder()
    last = builder.node()
    for _ in range(blocks):
        norm = builder.node(last)
        query, key, value = (builder.node(norm, width=140) for _ in range(3))
        if cache:
            key, value = (
                builder.node(key, builder.node(width=120)),
                builder.node(value, builder.node(width=120)),
            )
        score = builder.node(builder.node(query), key)
        mixed = builder.node(builder.node(score), value)
        last = builder.node(last, builder.node(mixed))
        norm = builder.node(last)
        gate, up = builder.node(norm), builder.node(norm)
        last = builder.node(last, builder.node(builder.node(builder.node(gate), up)))
    builder.node(last)
    return builder.plan()


def unet(depth: int) -> Plan:
    builder = _Builder()
    last = builder.node()
    skips = []
    for _ in range(depth):
        last = builder.node(builder.node(last))
        skips.append(last)
    for skip in reversed(skips):
        last = builder.node(builder.node(last, skip))
    return builder.plan()


def detector(levels: int) -> Plan:
    """Build a backbone, a feature pyramid and three heads on each level."""
    builder = _Builder()
    last = builder.node()
    features = []
    for _ in range(levels):
        last = builder.node(builder.node(builder.node(last)))
        features.append(last)
    merged = builder.node(features[-1])
    pyramid = [merged]
    for feature in reversed(features[:-1]):
        merged = builder.node(builder.node(feature), builder.node(merged))
        pyramid.append(merged)
    heads = [[builder.node(builder.node(level)) for _ in range(3)] for level in pyramid]
    for branch in zip(*heads, strict=True):
        builder.node(*branch)
    return builder.plan()


def skipping(count: int, share: float, seed: int = 1) -> Plan:
    """Build a chain with some extra edges that skip 2 to 20 layers."""
    builder, random = _Builder(), Random(seed)
    keys = [builder.node()]
    for index in range(1, count):
        keys.append(builder.node(keys[-1]))
        if random.random() < share and index > 25:
            builder.edge(keys[index - random.randint(2, 20)], keys[-1])
    return builder.plan()


def random_plan(count: int, seed: int) -> Plan:
    """Build a graph in which each layer reads one or two of the layers shortly before it."""
    builder, random = _Builder(), Random(seed)
    keys: list[str] = []
    for index in range(count):
        before = keys[-6:]
        sources = random.sample(before, min(len(before), random.choice((1, 1, 1, 2)))) if index else []
        keys.append(
            builder.node(*sources, width=random.choice((100, 160, 220)), height=random.choice((40, 60)))
        )
    return builder.plan()


def star(count: int) -> Plan:
    """Build a chain with one tensor that every layer reads."""
    builder = _Builder()
    source = builder.node()
    last = builder.node(source)
    for _ in range(count):
        last = builder.node(last, source)
    return builder.plan()


def branches(count: int) -> Plan:
    builder = _Builder()
    source = builder.node()
    builder.node(*[builder.node(builder.node(source, width=80)) for _ in range(count)])
    return builder.plan()


def dense(count: int) -> Plan:
    """Build a graph in which each layer reads all layers before it."""
    builder = _Builder()
    keys: list[str] = []
    for _ in range(count):
        keys.append(builder.node(*keys))
    return builder.plan()


def generated_plans() -> dict[str, Plan]:
    """Return the plans that engines are compared on."""
    return {
        "resnet 16": resnet(16),
        "resnet 70": resnet(70),
        "inception 9": inception(9),
        "transformer 6": transformer(6),
        "transformer 20": transformer(20, cache=True),
        "unet 8": unet(8),
        "detector 5": detector(5),
        "skipping 120": skipping(120, 0.1),
        "skipping 300": skipping(300, 0.12, seed=2),
        "random 80": random_plan(80, 3),
    }
