"""A second computation of an engine's figures, from its files as JSON reads them and without any of our code.

What the files mean is in the descriptions of the engine inspector and of trtexec's exports; what a figure
means is in the docstrings of `trexreport/analyzer`. Slow and plain on purpose.
"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from fractions import Fraction

TYPES = {"FLOAT": "FP32", "HALF": "FP16", "BFLOAT16": "BF16"}
BITS = {
    "FP32": 32,
    "INT32": 32,
    "FP16": 16,
    "BF16": 16,
    "FP8": 8,
    "INT8": 8,
    "UINT8": 8,
    "BOOL": 8,
    "INT64": 64,
    "FP4": 4,
    "INT4": 4,
}
WIDE = {"Two": 2, "Four": 4, "Sixteen": 16, "Thirty-two": 32}
INDICES = {"BOOL", "INT32", "INT64", "UINT8"}
STRUCTURAL = {"NoOp", "Constant", "signal", "wait", "shape_call"}
OWNED = ("Weights", "Bias", "ConvWeights", "ConvBias", "weights")

#: Tokens of the names of Myelin's kernels, which it cuts short.
KEEPS = {"Cast", "Cas", "Move", "Mov", "Resh", "Tran", "Unsq"}
MOVES = KEEPS | {"Broa", "Conc", "Gath", "Repl", "Scat", "Slic"}
FOR_EACH = {
    *("Abs", "Add", "And", "Ceil", "Cos", "Div", "Equa", "Eq", "Erf", "Exp", "Floo", "Gelu", "Gtr", "Ge"),
    *("Log", "Max", "Min", "Mul", "Neg", "Not", "Or", "Pow", "Reci", "Relu", "Roun", "Rsqr", "Sele", "Sigm"),
    *("Sin", "Sqrt", "Sub", "Tanh", "Wher"),
}
REDUCES = {"Arg", "Max0", "Maxr", "Mea", "Mean", "Redu", "Sum"}


def type_of(text):
    """Return the data type that a word, or one of the words of a description, names; None if none does."""
    for word in re.findall("[A-Za-z][A-Za-z0-9]*", text.replace(".", " ")):
        name = TYPES.get(word.upper(), word.upper())
        if name in BITS:
            return name
    return None


def data_type(tensor):
    """Return the data type of a tensor, which TensorRT 11 states apart."""
    return type_of(tensor["Datatype"] if "Datatype" in tensor else tensor.get("Format/Datatype", ""))


def size_of(tensor):
    """Return the bytes of a tensor, channels padded to the vector of its format; None if unknown."""
    text = tensor.get("Format/Datatype") or tensor.get("Format", "")
    kind, extents = data_type(tensor), list(tensor["Dimensions"])
    if kind is None or any(extent < 0 for extent in extents):
        return None
    multiple = WIDE.get(text.split()[0], 1) if text else 1
    if "channel %" in text:
        multiple = int(re.search(r"channel % (\d+)", text).group(1))
    if multiple > 1:
        # Channels come before height and width.
        at = len(extents) - 3 if len(extents) > 2 else min(1, len(extents) - 1)
        extents[at] = math.ceil(Fraction(extents[at], multiple)) * multiple
    return math.ceil(Fraction(math.prod(extents) * BITS[kind], 8))


def elements(tensor):
    extents = tensor["Dimensions"]
    return None if any(extent < 0 for extent in extents) else math.prod(extents)


def total(sizes):
    """Return the sum, or None if one of the parts is unknown."""
    sizes = list(sizes)
    return None if None in sizes else sum(sizes)


class RawLayer:
    """One record of the layer information."""

    def __init__(self, record, index):
        self.record = {"Name": record} if isinstance(record, str) else record
        self.index = index
        self.name = self.record["Name"]
        self.kind = self.record.get("LayerType", "")
        self.type = self.record.get("ParameterType") or self.kind
        if self.kind.startswith("CaskDeconvolution"):
            self.type = "Deconvolution"
        self.inputs = self.record.get("Inputs", [])
        self.outputs = self.record.get("Outputs", [])
        self.constants = self.record.get("Constants", [])
        self.structural = self.type in STRUCTURAL
        self.time = self.median = self.samples = None

    @property
    def counts(self):
        return not self.structural or bool(self.time)

    @staticmethod
    def _precision(tensors):
        found = [data_type(tensor) or "unknown" for tensor in tensors]
        computing = [kind for kind in found if kind not in INDICES]
        return (computing or found or [""])[0]

    @property
    def precision(self):
        return self._precision(self.inputs)

    @property
    def output_precision(self):
        return self._precision(self.outputs)

    def owned(self):
        """Return type and number of elements of each piece of data that the layer states as its own."""
        found = [self.record.get(key) for key in OWNED]
        return [(type_of(each["Type"]), each["Count"]) for each in found if each and each["Count"] > 0]

    def weights_bytes(self):
        return total(math.ceil(Fraction(count * BITS[kind], 8)) for kind, count in self.owned())

    def side_bytes(self, tensors):
        """Return the bytes of inputs or outputs; what is listed twice counts once, by its largest view."""
        views = defaultdict(list)
        for tensor in tensors:
            views[tensor["Name"]].append(size_of(tensor))
        return total(None if None in sizes else max(sizes) for sizes in views.values())

    def moved_bytes(self):
        if self.kind == "NoOp":
            return 0
        if not self.inputs and not self.outputs:
            return None
        read = {tensor["Name"] for tensor in self.inputs}
        beside = {each["Name"]: self._read_of(each) for each in self.constants if each["Name"] not in read}
        sides = [self.side_bytes(self.inputs), self.side_bytes(self.outputs)]
        return total([*sides, self.weights_bytes(), *beside.values()])

    def _read_of(self, constant):
        """Return the bytes of a constant, and of a table as many rows at most as lookups in it write."""
        size, lookups = size_of(constant), self.tokens().count("Gath")
        width = constant["Dimensions"][-1:]
        written = sum(
            math.prod(each["Dimensions"]) for each in self.outputs if each["Dimensions"][-1:] == width != []
        )
        if not lookups or not written or size is None:
            return size
        return min(size, lookups * written * size // math.prod(constant["Dimensions"]))

    def least_bytes(self, hidden_bytes):
        """Return what the layer has to move, with weights that no file states.

        Of what is only gathered or sliced no more than is written, and nothing between the windows of a
        convolution whose steps are longer than its kernel.
        """
        moved, written = self.moved_bytes(), self.side_bytes(self.outputs)
        if (self.type in {"Gather", "Slice"} or {"Gath", "Slic", "Grid"} & set(self.tokens())) and written:
            return min(moved, 2 * written)
        skipped = 0
        if self.type == "Convolution":
            parts = [min(Fraction(1), Fraction(size, step)) for size, step in self._windows()]
            skipped = int(size_of(self.inputs[0]) * (1 - math.prod(parts)))
        return moved + hidden_bytes - skipped

    def _windows(self):
        return zip(self.record["Kernel"], self.record["Stride"], strict=True)

    def origins(self):
        """Return the layers of the model that the metadata names, each once."""
        parts = re.split("[\x1e\x1f]", self.record.get("Metadata", ""))
        named = [re.sub(r"^\[\w+ Layer: (.*)\]$", r"\1", each) for each in parts if each]
        # Torch-TensorRT writes "[TYPE]-[operator]-[module/node]" into names, and no metadata.
        if named or self.name.startswith(("Reformatting CopyNode", "Forced Cast")):
            return list(dict.fromkeys(named))
        return list(dict.fromkeys(re.findall(r"\][-_]\[\w+_ops[^\]]*\][-_]\[([^\]]+)\]", self.name)))

    def tokens(self):
        """Return the operations in the name of a kernel that Myelin wrote."""
        found = re.match(r"__myl_([A-Za-z0-9]+?)_(?:myl\d+|0x)", self.name)
        return re.findall(r"[A-Z][a-z]*\d*", found.group(1)) if found else []

    def convolution_macs(self):
        """Return the multiply-accumulate operations of a convolution, or one with pooling behind it."""
        record = self.record
        fused = self.type == "ConvActPool"
        prefix = "Conv" if fused else ""
        kernel, groups = record[f"{prefix}Kernel"], record.get(f"{prefix}Groups", 1)
        source, result = self.inputs[0]["Dimensions"], list(self.outputs[0]["Dimensions"])
        if fused:
            stated = [record[f"Conv{key}"] for key in ("Stride", "Dilation", "PrePadding", "PostPadding")]
            result = [source[0], record["ConvOutMaps"]]
            for size, window, stride, dilation, before, after in zip(
                source[2:], kernel, *stated, strict=True
            ):
                result.append((size + before + after - dilation * (window - 1) - 1) // stride + 1)
        if self.type == "Deconvolution":
            return math.prod(source) * result[1] // groups * math.prod(kernel)
        return math.prod(result) * source[1] // groups * math.prod(kernel)

    def is_reformat(self):
        """Return whether a layer only converts or copies, by its type or else by its name."""
        return self.type in {"Reformat", "MyelinReformat"} or (
            not self.type
            and bool(re.match(r"Reformatting CopyNode |.* copy$|.*_copy_(?:in|out)put$", self.name))
        )

    def origin(self):
        """Return what a reformat states to have been inserted for."""
        return self.record.get("Origin") or "not stated"

    def flops(self):
        """Return the operations of a layer if its kind determines them, else None."""
        if self.kind in {"NoOp", "Constant", "signal", "wait", "shape_call"} or self.type in {
            "Shuffle",
            "Slice",
        }:
            return 0
        if self.type in {"Reformat", "MyelinReformat"}:
            kinds = {data_type(each) for each in (*self.inputs, *self.outputs)}
            return 0 if len(kinds) == 1 or not kinds & {"INT8", "INT4", "FP8", "FP4"} else None
        if self.type == "kgen":
            return self._generated_flops()
        sizes = [elements(each) for each in self.outputs]
        each = self._operations_for_each()
        return None if each is None or None in sizes or not sizes else each * max(sizes)

    def _operations_for_each(self):
        record = self.record
        if self.type == "Pooling":
            return math.prod(record["WindowSize"])
        if self.type == "PointWise":
            return len(record["Operations"])
        if self.type == "ElementWise":
            return 1 if record.get("Activation", "NONE") == "NONE" else 2
        if self.type == "Scale":
            return sum(record[key]["Count"] > 0 for key in ("Shift", "Scale", "Power"))
        return 5 if self.type == "SoftMax" else None

    def _generated_flops(self):
        tokens = self.tokens()
        if not tokens:
            return None
        if set(tokens) <= MOVES:
            return 0
        sources, results = ([elements(each) for each in side] for side in (self.inputs, self.outputs))
        if None in (*sources, *results) or not sources or not results:
            return None
        counted = [token for token in tokens if token not in KEEPS]
        if set(counted) <= FOR_EACH:
            return len(counted) * results[0] if {max(sources), *results} == {results[0]} else None
        if counted[-1] in REDUCES and set(counted[:-1]) <= FOR_EACH:
            return len(counted) * max(sources)
        return None


class _InFirstProfile:
    """Decides which layers are of the first optimization profile, whose names carry no mark.

    A kernel of Myelin that has no mark belongs where those with the same number of a subgraph belong.
    """

    def __init__(self, records):
        self._others = {self._subgraph(record) for record in records if self._is_marked(record)} - {None}

    def __call__(self, record):
        return not self._is_marked(record) and self._subgraph(record) not in self._others

    @staticmethod
    def _is_marked(record):
        return "[profile " in json.dumps(record)

    @staticmethod
    def _subgraph(record):
        found = re.search(r"_myl(\d+)(_\d+)?$", record if isinstance(record, str) else record["Name"])
        return found and found.group(1)


class RawEngine:
    """The files of one capture."""

    def __init__(self, folder):
        self.timing = self.summary = None
        graph = profile = None
        for path in sorted(folder.glob("*.json")):
            document = json.loads(path.read_text("utf-8"), strict=False)
            if path.name.endswith(".timing.json"):
                self.timing = document
            elif path.name.endswith(".profile.metadata.json"):
                self.summary = document["performance_summary"]
            elif path.name.endswith("metadata.json"):
                pass
            elif isinstance(document, dict) and "Layers" in document:
                graph = document
            else:
                profile = document
        records = list(filter(_InFirstProfile(graph["Layers"]), graph["Layers"]))
        self.layers = [RawLayer(record, index) for index, record in enumerate(records)]
        self.names_only = isinstance(graph["Layers"][0], str)
        self.iterations = None
        self._give_times(profile)
        self._follow_values()
        stated = graph.get("I/O Tensors")
        names = [each["Name"] for each in stated] if stated else graph.get("Bindings", [])
        self.bindings = names
        written = {name for name, version in self.values if version > 0}
        # What is read before any layer writes it comes from outside.
        self.inputs = [name for name in names if name not in written and (name, 0) in self.values]
        self.outputs = [name for name in names if name in written]

    def _give_times(self, profile):
        """Give each layer its time, by name and by order among equal names."""
        found = defaultdict(list)
        if isinstance(profile, dict):
            for name, samples in profile.items():
                found[name].append((math.fsum(samples) / len(samples), None, samples))
                self.iterations = len(samples)
        for record in profile if isinstance(profile, list) else ():
            if "name" in record:
                found[record["name"]].append((record["averageMs"], record.get("medianMs"), None))
            else:
                self.iterations = record["count"]
        for layer in self.layers:
            if found[layer.name]:
                layer.time, layer.median, layer.samples = found[layer.name].pop(0)
        self.unused_times = sum(map(len, found.values()))

    def _follow_values(self):
        """Separate the values that pass through one name: a write behind a read begins a new one."""
        version, was_read = {}, set()
        self.values, self.producers, self.consumers = {}, defaultdict(list), defaultdict(list)
        self.padded, self.aliases = {}, {}
        for layer in self.layers:
            sources = []
            for tensor in layer.inputs:
                key = (tensor["Name"], version.get(tensor["Name"], 0))
                self._see(key, tensor)
                self.consumers[key].append(layer.index)
                sources.append(key)
                was_read.add(tensor["Name"])
            for tensor in layer.outputs:
                name = tensor["Name"]
                if name not in version or name in was_read:
                    version[name] = version.get(name, 0) + 1
                was_read.discard(name)
                self._see((name, version[name]), tensor)
                self.producers[name, version[name]].append(layer.index)
        self.last = version

    def _see(self, key, tensor):
        size = size_of(tensor)
        known = self.values.setdefault(key, size)
        self.padded.setdefault(key, tensor)
        if size is not None and (known is None or size > known):
            self.values[key] = size
            self.padded[key] = tensor

    # Times

    @property
    def timed(self):
        return [layer.time for layer in self.layers if layer.time is not None]

    def sum_ms(self):
        return math.fsum(self.timed) if self.timed else None

    def share(self, time):
        return None if time is None or not self.sum_ms() else 100 * time / self.sum_ms()

    def groups(self, key):
        """Return number and time of the layers by one of their properties, largest time first."""
        found = defaultdict(list)
        for layer in self.layers:
            if layer.counts:
                found[key(layer) or "not stated"].append(layer.time)
        return {
            name: (len(times), None if set(times) == {None} else math.fsum(time or 0 for time in times))
            for name, times in found.items()
        }

    # Memory

    def loops(self):
        """Return what is read before its first write though a layer writes it: carried over by a loop."""
        return {
            (name, 0): (name, self.last[name])
            for name, version in self.values
            if version == 0 and name in self.last and name not in self.inputs
        }

    def owners(self):
        """Return for each value that shares another's memory the value whose memory it is."""
        found = {}
        for layer in self.layers:
            if layer.kind == "NoOp" and len(layer.inputs) == 1:
                at = next(key for key, readers in self.consumers.items() if layer.index in readers)
                for key, writers in self.producers.items():
                    if writers == [layer.index]:
                        found[key] = found.get(at, at)
        for first, last in self.loops().items():
            if first not in found and last not in found and first not in found.values():
                found[first] = last
        return found

    def roles(self):
        """Return what each value is for."""
        loops = self.loops()
        bound = {(name, self.last[name]) for name in self.outputs if name in self.last}
        found = {}
        for name, version in self.values:
            if (name, version) in bound:
                found[name, version] = "output"
            elif version > 0 or (name, version) in loops:
                found[name, version] = "activation"
            else:
                found[name, version] = "input" if name in self.inputs else "constant"
        return found

    def activations(self):
        """Return the values between layers that need memory of their own."""
        owners, roles = self.owners(), self.roles()
        handed_on = {owners[key] for key, role in roles.items() if role == "output" and key in owners}
        return [
            key
            for key, role in roles.items()
            if role == "activation" and key not in owners and key not in handed_on
        ]

    def live_bytes(self):
        """Return the bytes of the values that each layer, or one before and one behind it, needs."""
        owners, flowing, loops = self.owners(), set(self.activations()), self.loops()
        spans = {}
        for key in self.values:
            owner = owners.get(key, key)
            writers = self.producers[loops[key]] if key in loops else self.producers[key]
            touched = [*writers, *self.consumers[key]]
            if owner in flowing and touched:
                spans.setdefault(owner, []).extend(touched)
        return [
            sum(self.values[key] or 0 for key, at in spans.items() if min(at) <= index <= max(at))
            for index in range(len(self.layers))
        ]

    def constants(self):
        """Return type and bytes of the tensors that no layer writes, by name."""
        found = {}
        for layer in self.layers:
            for tensor in layer.constants:
                found[tensor["Name"]] = (data_type(tensor), size_of(tensor))
        for key, role in self.roles().items():
            if role == "constant" and not key[0].startswith("l2_cache_"):
                found[key[0]] = (data_type(self.padded[key]), self.values[key])
        return found

    def edges(self):
        """Return who writes what for whom, as indices of layers and the name of the tensor."""
        loops = self.loops()
        return sorted(
            (writer, key[0], reader)
            for key in self.values
            for writer in (self.producers[loops[key]] if key in loops else self.producers[key])
            for reader in self.consumers[key]
        )

    # Queries

    def column(self, name):
        """Return the values of the queries that were timed: trtexec up to 8.4 also exports those before."""
        timed = len(self.timing)
        if self.summary and "Total Host Walltime" in self.summary:
            timed = round(self.summary["Throughput"] * self.summary["Total Host Walltime"])
        return [record[name] for record in self.timing[-timed:] if name in record]

    @staticmethod
    def percentile(values, percent):
        """Return the value at n - 1 - floor((100 - percent) n / 100) in ascending order, as trtexec does."""
        ordered = sorted(values)
        excluded = math.floor(Fraction(100 - percent) * len(ordered) / 100)
        return ordered[max(0, len(ordered) - 1 - excluded)]
