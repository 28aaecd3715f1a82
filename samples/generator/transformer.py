"""Make a decoder-like transformer as TensorRT 10 compiles it: one Myelin region, two streams.

The tensors that a Myelin region passes between its kernels live in a few buffers, so the same
name is written again and again; the reader has to take the latest writer in running order.
"""

from __future__ import annotations

from dataclasses import dataclass

from .capture import Run, capture_files
from .engine import Engine, Layer, Tensor
from .myelin import MyelinRegion
from .native import closing_parameters, no_op_layer, reformat_layer
from .roofline import H100

REGION_NUMBER = 4
REGION_NAME = "{ForeignNode[/model/embed_tokens/Gather.../lm_head/MatMul]}"
NORM_BUFFER = "__myln_k_arg__bb1_7_myl4"
ACTIVATION_BUFFER = "__myln_k_arg__bb1_9_myl4"
ATTENTION_BUFFER = "__tran2041"
LAYERS_PER_BLOCK = 16

BUILD_OPTIONS = {
    "Memory Pools": "workspace",
    "avgTiming": "8",
    "Precision": "FP32",
    "Strongly Typed": "Enabled",
    "Refit": "Disabled",
    "Strip weights": "Disabled",
    "TensorRT runtime": "full",
    "Sparsity": "Disabled",
    "Profiling verbosity": "2",
    "timingCacheMode": "global",
    "timingCacheFile": "timing.cache",
    "MaxAuxStreams": "-1",
    "BuilderOptimizationLevel": "-1",
    "Runtime Platform": "Same As Build",
}


@dataclass(frozen=True)
class DecoderShape:
    """The sizes of the model, and of the step it runs: new tokens after a cached past."""

    blocks: int
    hidden: int = 2048
    heads: int = 16
    cached_heads: int = 4
    head_size: int = 128
    feed_forward: int = 5632
    vocabulary: int = 32000
    tokens: int = 512
    past: int = 1536

    @property
    def total(self) -> int:
        """Return how many tokens attention looks at."""
        return self.past + self.tokens


class DecoderBuilder:
    """Collect the layers of the decoder, in the order they run."""

    def __init__(self, shape: DecoderShape) -> None:
        self.shape = shape
        self.region = MyelinRegion(REGION_NUMBER, "sm90")
        tables = (1, 1, shape.tokens, shape.head_size)
        self.cosine = Tensor(self.region.value_name(), tables, "Half")
        self.sine = Tensor(self.region.value_name(), tables, "Half")
        self.mask = Tensor(self.region.value_name(), (1, 1, shape.tokens, shape.total), "Half")

    def build(self, fillers: int = 0) -> Engine:
        """Return the engine, with `fillers` small kernels before the head to reach a layer count."""
        hidden = self._embedding()
        for block in range(self.shape.blocks):
            hidden = self._block(block, hidden)
        for filler in range(fillers):
            following = self._activations(self.region.value_name())
            self.region.generated("MulAdd", (hidden,), (following,), (f"/model/adapter.{filler}/Add",))
            hidden = following
        logits = self._head(hidden)
        layers = (*self._entry(), *self.region.layers, logits)
        return Engine(layers, {"Bindings": self._bindings()})

    def _activations(self, name: str) -> Tensor:
        """Return a tensor of the model's width under `name`."""
        return Tensor(name, (1, self.shape.tokens, self.shape.hidden), "Half")

    def _entry(self) -> list[Layer]:
        """Return the native layers in front of the region; neither shows up in a profile."""
        identifiers = ((1, self.shape.tokens), "Int64", "Row major linear Int64")
        names = Tensor("input_ids", *identifiers), Tensor("Reformatted input_ids", *identifiers)
        entry = no_op_layer("Reformatting CopyNode for Network Input input_ids", *names, stream=0)
        frequencies = Tensor(
            "(Unnamed Layer* 31) [Constant]_output",
            (1, self.shape.head_size // 2, 1),
            "Float",
            "Row major linear FP32",
        )
        parameters = {
            "ParameterType": "Constant",
            "weights": {"Type": "Float", "Count": self.shape.head_size // 2},
            "dimensions": list(frequencies.dimensions),
            **closing_parameters("0x0000000000000000", stream=0),
        }
        constant = Layer(
            "/model/rotary_emb/inv_freq",
            "Constant",
            outputs=(frequencies,),
            parameters=parameters,
            profiled=False,
        )
        return [entry, constant]

    def _embedding(self) -> Tensor:
        """Add what runs once: embedding, mask and rotary tables, which every block reads."""
        shape, region = self.shape, self.region
        region.shape_call()
        embedded = self._activations("/model/embed_tokens/Gather_output_0")
        identifiers = Tensor("Reformatted input_ids", (1, shape.tokens), "Int64")
        table = Tensor("model.embed_tokens.weight", (shape.vocabulary, shape.hidden), "Half")
        nodes: tuple[str, ...] = ("/model/embed_tokens/Gather",)
        region.generated("Gath", (identifiers,), (embedded,), nodes, constants=(table,))
        positions = Tensor("position_ids", (1, shape.tokens), "Int64")
        casted = Tensor("/model/rotary_emb/Cast_output_0'.1", (1, 1, shape.tokens), "Float")
        region.generated("Cast", (positions,), (casted,), ("/model/rotary_emb/Cast",), profiled=False)
        frequencies = Tensor("(Unnamed Layer* 31) [Constant]_output", (1, shape.head_size // 2, 1), "Float")
        nodes = tuple(f"/model/rotary_emb/{part}" for part in ("MatMul", "Concat", "Cos", "Sin"))
        region.generated("MulConcCosSin", (casted, frequencies), (self.cosine, self.sine), nodes)
        attended = Tensor("attention_mask", (1, shape.total), "Int64")
        nodes = ("/model/Trilu", "/model/Where", "/model/Expand")
        region.generated("CastSubMulWherExpa", (attended,), (self.mask,), nodes)
        return embedded

    def _block(self, block: int, hidden: Tensor) -> Tensor:
        """Add one decoder block; return the hidden state it leaves."""
        path = f"/model/layers.{block}"
        attended = self._attention(block, path, self._norm(f"{path}/input_layernorm", hidden))
        shape = self.shape
        joined = self._activations(f"{path}/Add_output_0'.1")
        weights = Tensor(f"{_dotted(path)}.self_attn.o_proj.weight", (shape.hidden, shape.hidden), "Half")
        nodes = (f"{path}/self_attn/o_proj/MatMul", f"{path}/Add")
        self.region.gemm(nodes, (attended, hidden), joined, weights, fused="__myl_FcAdd", kind="fusion")
        return self._feed_forward(path, joined)

    def _norm(self, path: str, hidden: Tensor) -> Tensor:
        """Add a root-mean-square norm into the buffer that all norms share."""
        normed = self._activations(NORM_BUFFER)
        nodes = tuple(f"{path}/{part}" for part in ("Pow", "ReduceMean", "Add", "Sqrt", "Div", "Mul"))
        weight = Tensor(f"{_dotted(path)}.weight", (self.shape.hidden,), "Half")
        self.region.generated(
            "CastMulMeanAddSqrtDivMulCastMul", (hidden,), (normed,), nodes, constants=(weight,)
        )
        return normed

    def _attention(self, block: int, path: str, normed: Tensor) -> Tensor:
        """Add attention: queries on one stream, the cache on another, then both together."""
        shape, region, node = self.shape, self.region, f"{path}/self_attn"
        cached_width = shape.cached_heads * shape.head_size
        region.hand_over(0, 1)
        queries = self._activations(region.value_name())
        weights = Tensor(f"{_dotted(node)}.q_proj.weight", (shape.hidden, shape.hidden), "Half")
        region.gemm((f"{node}/q_proj/MatMul",), (normed,), queries, weights)
        both = Tensor(region.value_name(), (1, shape.tokens, 2 * cached_width), "Half")
        weights = Tensor(f"{_dotted(node)}.kv_proj.weight", (shape.hidden, 2 * cached_width), "Half")
        nodes: tuple[str, ...] = (f"{node}/k_proj/MatMul", f"{node}/v_proj/MatMul")
        region.gemm(nodes, (normed,), both, weights, stream=1)
        dimensions = (1, shape.heads, shape.tokens, shape.head_size)
        rotated = Tensor(region.value_name(), dimensions, "Half")
        nodes = tuple(f"{node}/{part}" for part in ("Reshape", "Transpose", "Neg", "Concat", "Mul", "Add"))
        operations = "ReshTranSlicNegConcMulMulAdd"
        region.generated(operations, (queries, self.cosine, self.sine), (rotated,), nodes)
        keys = self._cached(block, "key", operations + "Conc", (both, self.cosine, self.sine))
        values = self._cached(block, "value", "SlicReshTranConc", (both,))
        region.hand_over(1, 0)
        attended = self._activations(ATTENTION_BUFFER)
        multiply_adds = 2.0 * shape.heads * shape.tokens * shape.total * shape.head_size
        region.attention((rotated, keys, values, self.mask), attended, node, multiply_adds)
        return attended

    def _cached(self, block: int, part: str, operations: str, inputs: tuple[Tensor, ...]) -> Tensor:
        """Add the kernel that appends new keys or values to the cache; return the grown cache."""
        shape = self.shape
        past = (1, shape.cached_heads, shape.past, shape.head_size)
        grown = (1, shape.cached_heads, shape.total, shape.head_size)
        before = Tensor(f"past_key_values.{block}.{part}", past, "Half")
        after = Tensor(f"present.{block}.{part}", grown, "Half")
        nodes = (f"/model/layers.{block}/self_attn/Concat_{part}",)
        self.region.generated(operations, (*inputs, before), (after,), nodes, stream=1)
        return after

    def _feed_forward(self, path: str, joined: Tensor) -> Tensor:
        """Add the gated feed-forward part of a block."""
        shape, region = self.shape, self.region
        normed = self._norm(f"{path}/post_attention_layernorm", joined)
        wide = Tensor(region.value_name(), (1, shape.tokens, 2 * shape.feed_forward), "Half")
        stem = f"{_dotted(path)}.mlp"
        weights = Tensor(f"{stem}.gate_up_proj.weight", (shape.hidden, 2 * shape.feed_forward), "Half")
        nodes: tuple[str, ...] = (f"{path}/mlp/gate_proj/MatMul", f"{path}/mlp/up_proj/MatMul")
        region.gemm(nodes, (normed,), wide, weights)
        gated = Tensor(ACTIVATION_BUFFER, (1, shape.tokens, shape.feed_forward), "Half")
        nodes = (f"{path}/mlp/act_fn/Sigmoid", f"{path}/mlp/act_fn/Mul", f"{path}/mlp/Mul")
        region.generated("SlicSigmMulMul", (wide,), (gated,), nodes)
        output = self._activations(f"{path}/Add_1_output_0'.1")
        weights = Tensor(f"{stem}.down_proj.weight", (shape.feed_forward, shape.hidden), "Half")
        nodes = (f"{path}/mlp/down_proj/MatMul", f"{path}/Add_1")
        region.gemm(nodes, (gated, joined), output, weights)
        return output

    def _head(self, hidden: Tensor) -> Layer:
        """Add the last norm and the vocabulary; return the reformat that writes the output."""
        shape = self.shape
        normed = self._norm("/model/norm", hidden)
        dimensions = (1, shape.tokens, shape.vocabulary)
        name = f"Reformatted Output Tensor 0 to {REGION_NAME}"
        weights = Tensor("lm_head.weight", (shape.hidden, shape.vocabulary), "Half")
        self.region.gemm(("/lm_head/MatMul",), (normed,), Tensor(name, dimensions, "Half"), weights)
        tensors = (
            Tensor(name, dimensions, "Half", "Row major linear FP16 format"),
            Tensor("logits", dimensions, "Float", "Row major linear FP32"),
        )
        title = f"Reformatting CopyNode for Output Tensor 0 to {REGION_NAME}"
        return reformat_layer(title, tensors, "REFORMAT", stream=0)

    def _bindings(self) -> list[str]:
        """Return the names of the inputs and outputs, the cache among them."""
        caches = [(block, part) for block in range(self.shape.blocks) for part in ("key", "value")]
        return [
            "input_ids",
            "attention_mask",
            "position_ids",
            *(f"past_key_values.{block}.{part}" for block, part in caches),
            "logits",
            *(f"present.{block}.{part}" for block, part in caches),
        ]


def _dotted(path: str) -> str:
    """Return the name of a module as weights carry it."""
    return path[1:].replace("/", ".")


def decoder_run(model: str, seed: int, queries: int) -> Run:
    """Return how a decoder is run: TensorRT 10, no transfers, a captured graph."""
    identity = "GPU-00000000-5a3e-7e57-0000-000000000010"
    return Run(
        device=H100,
        seed=seed,
        queries=queries,
        profile_iterations=300,
        overlap=0.9,
        model=model,
        build_options=BUILD_OPTIONS,
        inference_options={
            "Batch": "Explicit",
            "Input inference shapes": "model",
            "Iterations": str(queries),
            "Duration": "0s (+ 500ms warm up)",
            "Inference Streams": "1",
            "Data transfers": "Disabled",
            "Spin-wait": "Enabled",
            "CUDA Graph": "Enabled",
            "Separate profiling": "Enabled",
            "NVTX verbosity": "2",
            "Optimization Profile Index": "0",
            "Weight Streaming Budget": "100.000000%",
        },
        device_lines={"Selected Device ID": "0", "Selected Device UUID": identity},
        warm_up_ms=500.0,
    )


def transformer() -> dict[str, bytes]:
    """Return the capture of a decoder of six blocks."""
    name = "transformer-trt10-myelin"
    engine = DecoderBuilder(DecoderShape(blocks=6)).build()
    return capture_files(name, engine, decoder_run(f"{name}.onnx", 1003, 217))
