"""Operations of a layer, from its shapes."""

from __future__ import annotations

import math
import time

import pytest
from figure_plans import engine, entry, tensor

from trexreport.analyzer import analyze
from trexreport.analyzer.operations import count_operations
from trexreport.model import (
    DataFormat,
    Layer,
    Weights,
)


class TestOperations:
    @staticmethod
    def count(kind, source, result, *more_inputs, **attributes):
        inputs = tuple(tensor("x", *dimensions) for dimensions in (source, *more_inputs))
        return count_operations(
            Layer(0, "a", "a", kind, inputs=inputs, outputs=(tensor("y", *result),), attributes=attributes)
        )

    def test_convolution(self):
        found = self.count("Convolution", (2, 16, 8, 8), (2, 32, 4, 4), Kernel=[3, 3], Groups=4)
        assert (found.m, found.n, found.k) == (2 * 4 * 4, 32, 4 * 9)
        assert found.macs == 2 * 32 * 4 * 4 * 4 * 9

    @pytest.mark.parametrize(("maps", "n"), [(24, 24), (8, 8), (None, 8)])
    def test_merged_convolutions_write_the_channels_of_all_outputs(self, maps, n):
        layer = Layer(
            0,
            "a || b",
            "a || b",
            "Convolution",
            inputs=(tensor("x", 1, 4, 9, 9),),
            outputs=(tensor("y", 1, 8, 9, 9), tensor("z", 1, 16, 9, 9)),
            attributes={"Kernel": [3, 3], "Groups": 1, "OutMaps": maps},
        )
        found = count_operations(layer)
        assert (found.n, found.macs) == (n, 81 * n * 36)

    @pytest.mark.parametrize(
        ("source", "result", "kernel"),
        [((1, 4, 9), (1, 8, 9), [3]), ((1, 4, 5, 5, 5), (1, 8, 5, 5, 5), [3, 3, 3])],
    )
    def test_convolutions_in_one_and_three_dimensions(self, source, result, kernel):
        found = self.count("Convolution", source, result, Kernel=kernel, Groups=1)
        assert found.macs == math.prod(result) * 4 * math.prod(kernel)

    def test_deconvolution_goes_over_the_input(self):
        found = self.count("Deconvolution", (1, 8, 4, 4), (1, 16, 8, 8), Kernel=[2, 2], Groups=1)
        assert found.macs == 8 * 4 * 4 * 16 * 4

    @pytest.mark.parametrize(
        ("read", "result", "macs"),
        [
            ([(8, 1025, 431), (1025, 1, 2048)], (8, 1, 222208), 8 * 431 * 1025 * 2048),
            ([(8, 9, 5), (9, 1, 4), (8, 1, 23)], (8, 1, 23), 8 * 5 * 9 * 4),
            ([(2, 8, 4, 4), (8, 3, 2, 2)], (2, 6, 8, 8), 2 * 4 * 4 * 8 * 3 * 4),
        ],
    )
    def test_deconvolution_in_a_generated_kernel(self, read, result, macs):
        assert self.count_generated(read, result).macs == macs

    @pytest.mark.parametrize(
        ("read", "result"),
        [
            ([(4, 4, 4), (4, 4, 4)], (4, 4, 8)),
            ([(8, 9, 5)], (8, 1, 23)),
            ([(8, -1, 5), (9, 1, 4)], (8, 1, 23)),
            ([(8, 9), (9, 1)], (8, 1)),
            ([(8, 9, 5), (9, 1, 4), (9, 1, 3)], (8, 1, 23)),
        ],
    )
    def test_weights_of_a_generated_kernel_leave_no_doubt(self, read, result):
        assert self.count_generated(read, result) is None

    def test_weights_are_found_among_many_inputs_in_one_pass(self):
        started = time.process_time()
        assert self.count_generated([(1, 8 + at, 4, 4) for at in range(8000)], (1, 8, 8, 8)) is None
        assert time.process_time() - started < 2

    @staticmethod
    def count_generated(read, result):
        inputs = tuple(tensor(f"x{at}", *dimensions) for at, dimensions in enumerate(read))
        results = (tensor("y", *result),)
        return count_operations(
            Layer(0, "a", "a", "kgen", operations=("Deconvolution",), inputs=inputs, outputs=results)
        )

    def test_convolution_with_pooling_counts_before_the_pooling(self):
        found = self.count(
            "ConvActPool",
            (1, 3, 224, 224),
            (1, 64, 56, 56),
            ConvKernel=[7, 7],
            ConvOutMaps=64,
            ConvStride=[2, 2],
            ConvPrePadding=[3, 3],
            ConvPostPadding=[3, 3],
        )
        assert found.macs == 64 * 112 * 112 * 3 * 49

    def test_dilation_widens_the_window_before_the_pooling(self):
        """Of 20 columns with one more on each side, a window of 1 + 2 x 4 = 9 in steps of 2 has 7 places."""
        found = self.count(
            "ConvActPool",
            (1, 3, 20, 20),
            (1, 8, 3, 3),
            ConvKernel=[5, 5],
            ConvOutMaps=8,
            ConvStride=[2, 2],
            ConvDilation=[2, 2],
            ConvPrePadding=[1, 1],
            ConvPostPadding=[1, 1],
        )
        assert found.macs == 8 * 7 * 7 * 3 * 25

    @pytest.mark.parametrize(
        ("source", "others", "result", "macs"),
        [
            ((2, 5, 7), [], (2, 5, 9), 2 * 5 * 9 * 7),
            ((2, 5, 7), [(2, 7, 9)], (2, 5, 9), 2 * 5 * 9 * 7),
            ((2, 5, 7), [(2, 9, 7)], (2, 5, 9), 2 * 5 * 9 * 7),
            ((2, 7, 5), [(2, 7, 9)], (2, 5, 9), 2 * 5 * 9 * 7),
            ((5, 5), [(5, 5)], (5, 5), 125),
        ],
    )
    def test_matrix_multiplication(self, source, others, result, macs):
        assert self.count("gemm", source, result, *others).macs == macs

    @pytest.mark.parametrize(
        ("source", "others", "result", "expected"),
        [
            ((2, 3, 5, 7), [(2, 3, 7, 9)], (2, 3, 5, 9), (6, 5, 9, 7)),
            ((2, 3, 5, 7), [(7, 9)], (2, 3, 5, 9), (1, 30, 9, 7)),
            ((2, 3, 5, 7), [(1, 1, 7, 9)], (2, 3, 5, 9), (1, 30, 9, 7)),
            ((2, 5, 7), [], (2, 5, 9), (1, 10, 9, 7)),
        ],
        ids=["batched", "shared", "broadcast", "hidden"],
    )
    def test_extents_are_those_of_one_product_of_the_batch(self, source, others, result, expected):
        found = self.count("gemm", source, result, *others)
        assert (found.batch, found.m, found.n, found.k) == expected
        assert found.macs == math.prod(expected)

    @pytest.mark.parametrize(
        ("source", "result", "extents"),
        [
            ((1, 2048, 1, 1), (1, 1000, 1, 1), (1, 1000, 2048)),
            ((4, 512, 7, 7), (4, 10, 1, 1), (4, 10, 512 * 49)),
            ((2, 197, 768, 1, 1), (2, 197, 64, 1, 1), (394, 64, 768)),
            ((2048, 1, 1), (1000, 1, 1), (1, 1000, 2048)),
            ((3, 2048), (3, 1000), (3, 1000, 2048)),
        ],
    )
    def test_fully_connected(self, source, result, extents):
        found = self.count("FullyConnected", source, result)
        assert (found.m, found.n, found.k) == extents
        assert found.macs == math.prod(extents)

    @pytest.mark.parametrize(("stated", "macs"), [(2_048_000, 2_048_000), (1_000, None)])
    def test_stated_weights_must_fit_the_shapes(self, stated, macs):
        layer = Layer(
            0,
            "a",
            "a",
            "FullyConnected",
            inputs=(tensor("x", 1, 2048, 1, 1),),
            outputs=(tensor("y", 1, 1000, 1, 1),),
            weights=(Weights("weights", "FP16", stated), Weights("bias", "FP16", 1000)),
        )
        found = count_operations(layer)
        assert (found and found.macs) == macs

    def test_weights_inside_a_kernel_are_estimated(self):
        plan = engine(("gemm", (entry("x", 1, 1, 4096),), (tensor("y", 1, 1, 14336),), 1.0))
        layer = analyze(plan).layers[0]
        hidden = 4096 * 14336 * 2
        stated = 2 * (4096 + 14336)
        assert layer.work.hidden_weights_bytes == hidden
        assert layer.moved_bytes == stated
        assert layer.work.intensity == pytest.approx(2 * 4096 * 14336 / (stated + hidden))
        assert 0.9 < layer.work.intensity < 1
        assert layer.bandwidth_gbs == pytest.approx((stated + hidden) / 1e-3 / 1e9)

    def test_weights_of_half_a_byte_fill_whole_bytes(self):
        inputs = (tensor("x", 5, 7, kind=DataFormat("int4", "INT4")),)
        layer = Layer(0, "a", "a", "gemm", inputs=inputs, outputs=(tensor("y", 5, 9),))
        assert count_operations(layer).hidden_weights_bytes == 32  # 63 of 4 bits

    @pytest.mark.parametrize(
        "more",
        [
            {"weights": (Weights("weights", "FP16", 63),)},
            {"constants": (tensor("w", 7, 9),)},
            {"inputs": (tensor("x", 5, 7), tensor("w", 7, 9))},
            {"inputs": (tensor("x", 5, 7, kind=DataFormat("odd")),)},
        ],
        ids=["weights", "constant", "two-inputs", "unknown-type"],
    )
    def test_nothing_is_estimated_where_weights_are_stated_or_the_type_is_unknown(self, more):
        layer = Layer(
            0, "a", "a", "gemm", **{"inputs": (tensor("x", 5, 7),), "outputs": (tensor("y", 5, 9),), **more}
        )
        found = count_operations(layer)
        assert (found.macs, found.hidden_weights_bytes) == (315, 0)

    @pytest.mark.parametrize(
        ("kind", "source", "result", "more"),
        [
            ("FullyConnected", (1, 16, 8, 8), (1, 32, 8, 8), {}),
            ("FullyConnected", (1, 16, 8, 8), (2, 32, 1, 1), {}),
            ("Convolution", (1, 16, 8, 8), (1, 32, 8, 8), {}),
            ("Convolution", (1, -1, 8, 8), (1, 32, 8, 8), {"Kernel": [3, 3]}),
            ("Convolution", (16, 8, 8), (32, 8, 8), {"Kernel": [3, 3]}),
            ("Convolution", (1, 16, 8, 8), (1, 32, 8, 8), {"Kernel": [3, 3], "Groups": 5}),
            ("Convolution", (1, 2**48, 2**48, 8), (1, 2**48, 8, 8), {"Kernel": [3, 3]}),
            ("ConvActPool", (1, 3, 8, 8), (1, 8, 4, 4), {"ConvKernel": [3, 3], "ConvOutMaps": 8}),
            ("gemm", (5, 7), (9, 9), {}),
            ("gemm", (12, 512, 64), (512, 12, 64), {}),
            ("gemm", (512, 768), (12, 512, 64), {}),
            ("PointWise", (5, 7), (5, 7), {}),
        ],
    )
    def test_what_is_not_certain_is_not_counted(self, kind, source, result, more):
        assert self.count(kind, source, result, **more) is None

    @pytest.mark.parametrize(
        ("source", "result", "extents"),
        [
            ((64, 768), (4, 16, 512), (64, 512, 768)),
            ((64, 768), (4, 16, 3, 12, 64), (64, 2304, 768)),
            ((4, 16, 768), (64, 512), (64, 512, 768)),
            ((4, 16, 768), (4, 16, 12, 64), (64, 768, 768)),
        ],
    )
    def test_rows_in_other_extents_are_the_same_rows(self, source, result, extents):
        layer = Layer(0, "a", "a", "gemm", inputs=(tensor("x", *source),), outputs=(tensor("y", *result),))
        found = count_operations(layer)
        assert (found.m, found.n, found.k, found.batch) == (*extents, 1)

    @pytest.mark.parametrize(
        ("source", "weights", "result", "extents"),
        [
            ((2, 9, 16), (16, 48), (3, 2, 9, 16), (18, 48, 16)),
            ((2, 9, 16), (48, 16), (3, 2, 9, 16), (18, 48, 16)),
            ((2, 9, 4, 8), (32, 24), (2, 9, 24), (18, 24, 32)),
            ((2, 9, 4, 8), (32, 25), (2, 9, 24), None),
            ((2, 9, 4, 8), (0, 24), (2, 9, 24), None),
        ],
    )
    def test_listed_weights_show_the_extents_that_heads_split(self, source, weights, result, extents):
        layer = Layer(
            0,
            "a",
            "a",
            "gemm",
            inputs=(tensor("x", *source),),
            outputs=(tensor("y", *result),),
            constants=(tensor("w", *weights), tensor("bias", result[-1])),
        )
        found = count_operations(layer)
        assert (found and (found.m, found.n, found.k)) == extents
        assert found is None or found.hidden_weights_bytes == 0

    @pytest.mark.parametrize(
        ("weights", "rows", "items"),
        [((8, 64, 96), 16, 8), ((8, 96, 64), 16, 8), ((64, 96), 128, 1), ((4, 64, 96), 128, 1)],
    )
    def test_items_may_have_weights_of_their_own(self, weights, rows, items):
        read, written = (tensor("x", 8, 16, 64),), (tensor("y", 8, 16, 96),)
        constants = (tensor("w", *weights),)
        layer = Layer(0, "a", "a", "gemm", inputs=read, outputs=written, constants=constants)
        found = count_operations(layer)
        assert (found.m, found.batch, found.macs) == (rows, items, 128 * 96 * 64)

    def test_parts_of_one_buffer_do_not_show_the_extent_of_each(self):
        assert self.count("gemm", (1, 512, 2304), (1, 12, 512, 512), (1, 512, 2304)) is None
        assert self.count("gemm", (4, 512, 64), (4, 512, 512), (4, 512, 64)).macs == 4 * 512 * 512 * 64

    @pytest.mark.parametrize(
        ("source", "result"),
        [
            ((1, 512, 192), (1, 1, 512, 512)),
            ((1, 512, 128), (1, 1, 512, 512)),
            ((512, 192), (1, 512, 512)),
            ((1, 512, 192), (1, 512, 512)),
        ],
    )
    def test_rows_of_one_input_may_be_multiplied_with_each_other(self, source, result):
        assert self.count("gemm", source, result) is None
        assert self.count_beside([source], result, (source[-1], 512)).macs == 512 * 512 * source[-1]

    def test_as_many_columns_as_rows_are_those_of_weights(self):
        assert self.count("gemm", (1, 512, 2048), (1, 512, 512)).k == 2048
        assert self.count("gemm", (1, 512, 192), (1, 512, 192)).k == 192

    @pytest.mark.parametrize(
        ("read", "result", "weights", "extents"),
        [
            ([(16, 1, 5632), (16, 1, 2048)], (16, 1, 2048), (5632, 2048), (16, 2048, 5632)),
            ([(16, 1, 5632), (16, 1, 2048)], (16, 1, 2048), (2048, 5632), (16, 2048, 5632)),
            ([(16, 1, 2048), (16, 32, 1, 64)], (16, 1, 2048), (2048, 2048), (16, 2048, 2048)),
            ([(4, 9, 64), (4, 9, 64)], (4, 9, 64), (64, 64), (36, 64, 64)),
        ],
    )
    def test_listed_weights_beside_a_residual(self, read, result, weights, extents):
        found = self.count_beside(read, result, weights)
        assert (found.m, found.n, found.k, found.batch, found.hidden_weights_bytes) == (*extents, 1, 0)

    @pytest.mark.parametrize(
        ("read", "weights"),
        [
            ([(16, 1, 5632), (16, 1, 2048)], (5000, 2048)),
            ([(16, 1, 5632), (16, 1, 2048)], (5632, 1024)),
            ([(16, 1, 5632), (16, 1, 1)], (5632, 2048)),
            ([(16, 1, 5632), (16, 1, 2048)], (5632, -1)),
            ([(16, 1, 5632), (16, 1, 2048)], (2048,)),
        ],
    )
    def test_listed_constants_that_are_not_its_weights(self, read, weights):
        assert self.count_beside(read, (16, 1, 2048), weights) is None

    @staticmethod
    def count_beside(read, result, weights):
        inputs = tuple(tensor(f"x{at}", *dimensions) for at, dimensions in enumerate(read))
        written, constants = (tensor("y", *result),), (tensor("w", *weights),)
        return count_operations(
            Layer(0, "a", "a", "gemm", inputs=inputs, outputs=written, constants=constants)
        )

    def test_operands_that_leave_a_doubt(self):
        assert self.count("gemm", (5, 7), (5, 9), (8, 9)) is None
        assert count_operations(Layer(0, "a", "a", "gemm")) is None


def test_a_fused_product_that_states_no_input_is_not_known():
    result = (tensor("y", 8, 512),)
    layer = Layer(0, "__myl_Fc_myl2_1", "a", "fusion", outputs=result, operations=("FullyConnected",))
    assert count_operations(layer) is None
