"""Read from names which module of the original model each layer belongs to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain

from trexreport.analyzer.analysis import LayerFacts, TensorFacts
from trexreport.analyzer.operation_names import is_product
from trexreport.regex import regex

#: Parts of a path, outermost first, without the operation at its end.
Path = tuple[str, ...]
#: The path of an operation that a layer names, and whether it multiplies.
Mention = tuple[Path, bool]

#: ONNX: "/model/layers.12/self_attn/q_proj/MatMul"; Torch-TensorRT: "[…]-[/features/1/conv/1/convolution_2]".
_SLASHED = regex(r"(?<![\w./])/?[\w.-]+(?:/[\w.-]+)+")
#: Names of parameters, as exporters before 2022 left them in layer names: "layer1.0.conv2.weight".
_DOTTED = regex(r"(?<![\w./])[A-Za-z_]\w*(?:\.\w+)*\.(?:weight|bias|running_mean|running_var|gamma|beta)\b")
#: What TensorRT puts before the name of the layer that it serves.
_SERVANT = regex(r"\b(?:copied_)?(?:reshape|squeeze|unsqueeze)_(?:node_)?(?:before|after)_")
#: Modules of no interest: quantizers inside of a layer, and the nameless outermost one of Torch-TensorRT.
_NO_MODULE = regex(r"_?(?:input|weight|output)_quantizer|_+")
_NUMBER = regex(r"\d+")
#: Longer names are cut: a path is at the beginning of each of its parts.
_MAX_CHARACTERS = 4000
#: Deeper modules count to the one at this depth: blocks are made by recursion.
MAX_DEPTH = 64
_MAX_NAMES = 64


def stated_paths(layers: Sequence[LayerFacts]) -> list[Path | None]:
    """Return the path that each layer's own names state; () for the outermost module, None for nothing."""
    return [agreed_of_products(mentioned_paths(layer)) for layer in layers]


def module_paths(
    stated: Sequence[Path | None], layers: Sequence[LayerFacts], tensors: Sequence[TensorFacts]
) -> list[Path]:
    """Return the path of each layer; layers whose names state none get that of a neighbor."""
    paths = list(stated)
    # From the end, so that a chain of reformats before a layer is resolved in one pass.
    for layer in reversed(layers):
        if paths[layer.index] is None:
            readers = chain.from_iterable(tensors[use.tensor].consumers for use in layer.outputs)
            paths[layer.index] = _first(paths, readers)
    for layer in layers:
        if paths[layer.index] is None:
            writers = chain.from_iterable(tensors[use.tensor].producers for use in layer.inputs)
            paths[layer.index] = _first(paths, writers)
    for order in (range(len(paths)), reversed(range(len(paths)))):
        nearest: Path | None = None
        for index in order:
            nearest = paths[index] = nearest if paths[index] is None else paths[index]
    return [path or () for path in paths]


def share_with_paths(stated: Sequence[Path | None], layers: Sequence[LayerFacts]) -> float:
    """Return the fraction of the computing layers whose own names state a module."""
    computing = [bool(stated[layer.index]) for layer in layers if not layer.structural]
    return sum(computing) / len(computing) if computing else 0.0


def common_path(paths: Sequence[Path]) -> Path:
    """Return what all paths begin with."""
    if len(paths) < 2:
        return paths[0] if paths else ()
    # All others stand between these two.
    first, last = min(paths), max(paths)
    depth = next((at for at, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), None)
    return first if depth is None else first[:depth]


@lru_cache(maxsize=4096)
def stem(part: str) -> str:
    """Return a part of a path with its last number replaced by a star: "layers.12" gives "layers.*"."""
    numbers = list(_NUMBER.finditer(part))
    if not numbers:
        return part
    return f"{part[: numbers[-1].start()]}*{part[numbers[-1].end() :]}"


def _first(paths: Sequence[Path | None], neighbors: Iterator[int]) -> Path | None:
    return next((path for path in (paths[index] for index in neighbors) if path is not None), None)


def mentioned_paths(layer: LayerFacts) -> Sequence[Mention]:
    """Return the paths that a layer's origins state, else its name; () for one of the outermost module."""
    return _mentioned_paths(layer.name[:_MAX_CHARACTERS], tuple(layer.origins[:_MAX_NAMES]))


# Compared engines have most names in common, and are asked for them again.
@lru_cache(maxsize=32768)
def _mentioned_paths(name: str, origins: Sequence[str]) -> Sequence[Mention]:
    found = tuple([each for each in map(_mention, origins) if each is not None])
    if not any(path for path, _ in found):
        found = tuple(_in_text(name)) or found
    return found


def agreed_of_products(mentioned: Sequence[Mention]) -> Path | None:
    """Return what the paths agree on of the operations that multiply, of all if none does; None without any.

    A multiplication and the addition of a residual that is fused to it belong to its module.
    """
    products = [path for path, is_product in mentioned if is_product and path]
    return agreed_path(products or [path for path, _ in mentioned])


def agreed_path(mentioned: Sequence[Path]) -> Path | None:
    """Return what the paths that a layer mentions agree on; None if it mentions none."""
    if len(set(mentioned)) < 2:
        return mentioned[0] if mentioned else None
    return _agreed(mentioned)


def path_of_name(name: str) -> Path | None:
    """Return the module of one name of the original model, such as "/model/layers.0/mlp/Mul"."""
    found = _mention(name)
    return None if found is None else found[0]


def _mention(name: str) -> Mention | None:
    if not name.startswith("/"):
        return next(_in_text(name[:_MAX_CHARACTERS]), None)
    return _split(name[:_MAX_CHARACTERS])


def _in_text(text: str) -> Iterator[Mention]:
    """Find the modules that a layer's name mentions."""
    # A Myelin subgraph is named by its first and its last operation, with an ellipsis between them.
    is_subgraph = "..." in text
    text = text.replace("...", " ")
    if "_before_" in text or "_after_" in text:
        text = _SERVANT.sub("", text)
    slashed = _SLASHED.findall(text)
    for name in slashed:
        path, is_product = _split(name)
        yield path, is_product and not is_subgraph
    if not slashed and "." in text:
        for match in _DOTTED.finditer(text):
            yield tuple(match.group().split("."))[:-1][:MAX_DEPTH], False


def _split(name: str) -> Mention:
    """Return the module of a name with slashes, and whether the operation at its end multiplies."""
    path, _, operation = name.rstrip("/").rpartition("/")
    return _parts(path), is_product(operation)


@lru_cache(maxsize=65536)
def _parts(path: str) -> Path:
    """Return the modules of a path, which the names of several operations begin with."""
    parts = [part for part in path.split("/") if part]
    return tuple(part for part in parts if not _is_no_module(part))[:MAX_DEPTH]


def _is_no_module(part: str) -> bool:
    # Only what ends so is looked at more closely.
    return part.endswith(("_quantizer", "_")) and bool(_NO_MODULE.fullmatch(part))


def _agreed(paths: Sequence[Path]) -> Path:
    """Go down as long as more names take one way than any other; neighbors in a row share the first's.

    A kernel that ends one decoder layer and begins the next belongs to the one that it names first.
    """
    agreed = list(common_path(paths))
    while True:
        depth = len(agreed)
        names = [path[depth] if len(path) > depth else "" for path in paths]
        votes: dict[str, int] = {}
        for name in names:
            votes[name] = votes.get(name, 0) + 1
        best = max(votes, key=votes.__getitem__)
        if not best or any(stem(name) != stem(best) for name in votes if votes[name] == votes[best]):
            return tuple(agreed)
        agreed.append(best)
        paths = [path for path in paths if len(path) > depth and path[depth] == best]
