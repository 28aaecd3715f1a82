"""A stage that was renamed is found again beside blocks, layers and borders of fusion that changed."""

from __future__ import annotations

from hashlib import sha256

import pytest
from alignment_plans import analysis_of, convolution, layer

from trexreport.analyzer.comparison.align import align


def digest(*parts):
    """Return a name that says nothing."""
    return f"n{sha256(repr(parts).encode()).hexdigest()[:8]}"


def rows_of(one, other):
    return [tuple(row.layers) for row in align([analysis_of(one), analysis_of(other)]).rows]


def chain(*names, maps=8):
    """Return a plan of layers in a row: products are written "Conv" or "Conv + …", others "PWN(…)"."""
    layers = []
    for at, name in enumerate(names):
        reads, writes = [digest(names[at - 1]) if at else "input"], [digest(name)]
        made = (
            layer(name, reads=reads, writes=writes)
            if name.startswith("PWN")
            else convolution(name, reads, writes)
        )
        layers.append(made)
    for each in layers:
        for use in (*each["Inputs"], *each["Outputs"]):
            use["Dimensions"] = [1, maps, 4, 4]
    return layers


def residual(numbers, renamed=()):
    """Return a plan of equal residual blocks with these numbers in their names; those renamed say nothing."""
    layers, before = [convolution("/stem/Conv", ["input"], ["stem"])], "stem"
    for number in numbers:
        inner, scaled, result = (digest(number, each, number in renamed) for each in "isr")

        def name(kind, number=number):
            return digest(number, kind) if number in renamed else f"/body.{number}/{kind}"

        layers.append(convolution(f"{name('conv1/Conv')} + {name('Relu')}", [before], [inner]))
        layers.append(layer(f"PWN({name('Mul')})", reads=[inner], writes=[scaled]))
        layers.append(convolution(f"{name('conv2/Conv')} + {name('Add')}", [scaled, before], [result]))
        before = result
    layers.append(convolution("/head/Conv", [before], ["head"], maps=5))
    return layers


@pytest.mark.parametrize("gone", [3, 5, 8])
@pytest.mark.parametrize("renamed", [range(12), range(2, 10)])
def test_what_is_missing_of_a_renamed_stage_is_a_whole_block(renamed, gone):
    """Which of equal blocks it was is not known, but not the end of one and the beginning of the next."""
    left = [number for number in range(12) if number != gone]
    found = rows_of(residual(range(12)), residual(left, renamed=renamed))
    (first, *others) = [row[0][0] for row in found if not row[1]]
    assert others == [first + 1, first + 2]
    assert first % 3 == 1
    assert all(row[0] for row in found)


def test_blocks_that_moved_on_leave_the_names_of_the_others_alone():
    """Only names say which of equal blocks was put in; those of other blocks moved on."""
    found = rows_of(residual(range(12)), residual([0, 1, "new", *range(2, 9), *range(10, 13)]))
    assert [row for row in found if not row[0]] == [([], [at]) for at in (7, 8, 9)]
    assert [row for row in found if row[0]] == [([at], [at + 3 * (at > 6)]) for at in range(38)]


def test_names_state_how_many_operations_were_split_off():
    """What is behind a product is not the next layer, though it looks like it."""
    one = chain("/a/Conv", "/b/Conv + /b/Add", "PWN(/c/Erf, /c/Mul)", "/d/Conv + /d/Add", "/e/Conv")
    other = chain("/a/Conv", "n1", "PWN(n2)", "PWN(n3)", "PWN(n4)", "n5", "PWN(n6)", "/e/Conv")
    assert rows_of(one, other) == [([0], [0]), ([1], [1, 2]), ([2], [3, 4]), ([3], [5, 6]), ([4], [7])]


def test_names_state_how_many_operations_were_fused():
    one = chain("/a/Conv", "/b/Conv + /b/Add", "PWN(/c/Erf, /c/Mul)", "/d/Conv + /d/Add", "/e/Conv")
    other = chain("/a/Conv", "n1 + n2 + n3 + n4", "n5 + n6", "/e/Conv")
    assert rows_of(one, other) == [([0], [0]), ([1, 2], [1]), ([3], [2]), ([4], [3])]


@pytest.mark.parametrize("place", [2, 3])
def test_what_was_put_beside_a_renamed_layer_is_not_the_layer(place):
    """It names fewer operations."""
    one = chain("/a/Conv", "/b/Conv", "PWN(/c/Sigmoid, /c/Mul)", "/d/Conv", "/e/Conv")
    names = ["/a/Conv", "n1", "PWN(n2, n3)", "n4", "/e/Conv"]
    other = chain(*names[:place], "PWN(/added/Tanh)", *names[place:])
    found = rows_of(one, other)
    assert ([], [place]) in found
    assert ([2], [5 - place]) in found


def test_a_pooling_may_be_fused_with_what_comes_after_it():
    """Names that say nothing still say that there is one more."""

    def plan(*parts):
        made = [convolution("/a/Conv", ["input"], ["a"]), *parts, convolution("/e/Conv", ["c"], ["e"])]
        return [*made, convolution("/f/Conv", ["e"], ["f"])]

    pooling = layer("/b/AveragePool", "CaskPooling", ["a"], ["b"])
    one = plan(pooling, convolution("/c/Conv + /c/Relu", ["b"], ["c"]))
    other = plan(convolution("n1 + n2 + n3", ["a"], ["c"]))
    assert rows_of(one, other) == [([0], [0]), ([1, 2], [1]), ([3], [2]), ([4], [3])]


def test_a_product_is_in_the_kernel_that_ends_with_what_was_behind_it():
    """The kernel changes the shape, which hides the product's."""

    def gemm(name, reads, writes):
        return layer(name, "gemm", [(reads, [1, 16, 32])], [(writes, [1, 16, 64])])

    def transposing(name, kind, reads, columns, writes):
        return layer(name, kind, [(reads, [1, 16, columns])], [(writes, [1, 4, 16, 16])])

    def ending(number):
        back = layer(f"__myl_TranResh_myl0_{number}", "kgen", [("k", [1, 4, 16, 16])], [("o", [1, 16, 32])])
        return [back, gemm(f"/d/MatMul_myl0_{number + 1}", "o", "d")]

    first = gemm("/a/MatMul_myl0_0", "input", "a")
    half = layer("__myl_SplMul_myl0_1", "kgen", [("a", [1, 16, 64])], [("x", [1, 16, 32])])
    one = [first, half, gemm("/k/MatMul_myl0_2", "x", "p")]
    one += [transposing("__myl_AddReshTran_myl0_3", "kgen", "p", 64, "k"), *ending(4)]
    other = [first, half, transposing("__myl_FcAddReshTran_myl0_2", "fusion", "x", 32, "k"), *ending(3)]
    assert rows_of(one, other) == [([0], [0]), ([1], [1]), ([2, 3], [2]), ([4], [3]), ([5], [4])]


def test_products_of_another_stride_are_not_the_same():
    """Of a stage whose names say nothing, the block that is missing is one of the equal ones."""

    def plan(*strides, named):
        layers, extent = [convolution("/a/Conv", ["input"], ["x0"])], 64
        for use in (*layers[0]["Inputs"], *layers[0]["Outputs"]):
            use["Dimensions"] = [1, 8, extent, extent]
        for at, stride in enumerate(strides):
            tensors = [f"{'t' if named and number else 'x'}{number}" for number in (at, at + 1)]
            new = convolution(f"/b.{at}/Conv" if named else digest(at, stride), tensors[:1], tensors[1:])
            new["Stride"] = [stride, stride]
            new["Inputs"][0]["Dimensions"] = [1, 8, extent, extent]
            extent //= stride
            new["Outputs"][0]["Dimensions"] = [1, 8, extent, extent]
            layers.append(new)
        layers.append(convolution("/e/Conv", tensors[1:], ["e"], maps=5))
        layers[-1]["Inputs"][0]["Dimensions"] = [1, 8, extent, extent]
        return layers

    found = rows_of(plan(1, 2, 1, 1, named=True), plan(2, 1, 1, named=False))
    assert found == [([0], [0]), ([1], []), ([2], [1]), ([3], [2]), ([4], [3]), ([5], [4])]
