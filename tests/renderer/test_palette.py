"""The palette keeps the bounds that it promises."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
from pathlib import Path

import pytest
from color_vision import VISIONS
from hypothesis import given
from hypothesis import strategies as st

from trexreport.renderer import palette
from trexreport.renderer.page import joined_styles

# Distances are Euclidean in OKLab (B. Ottosson, 2020); 0.02 is about a just noticeable difference.
SIDE_BY_SIDE = 0.065
ANY_TWO_TYPES = 0.035
COMMON_PRECISIONS = 0.06
ANY_TWO_PRECISIONS = 0.035
RING_NEIGHBORS = 0.10

TYPES_SIDE_BY_SIDE = (
    *("Convolution", "MatrixMultiply", "Reformat", "Pooling", "PointWise"),
    *("kgen", "PluginV2", "SoftMax", "NoOp"),
)
TYPES_OF_TRANSFORMERS = ("kgen", "gemm", "correlation", "deconv", "fusion", "PluginV2", "NoOp", "fmha")
PRECISIONS_SIDE_BY_SIDE = ("FP32", "FP16", "BF16", "FP8", "INT8", "INT32")
FAMILIES = sorted(f"type:{name}" for name in palette.FAMILIES)
PRECISIONS = [f"precision:{name}" for name in palette.PRECISIONS]


def linear(hex_color):
    channels = (int(hex_color[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]


def times(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def oklab(rgb):
    lms = times(
        (
            (0.4122214708, 0.5363325363, 0.0514459929),
            (0.2119034982, 0.6806995451, 0.1073969566),
            (0.0883024619, 0.2817188376, 0.6299787005),
        ),
        rgb,
    )
    return times(
        (
            (0.2104542553, 0.7936177850, -0.0040720468),
            (1.9779984951, -2.4285922050, 0.4505937099),
            (0.0259040371, 0.7827717662, -0.8086757660),
        ),
        [value ** (1 / 3) for value in lms],
    )


def distance(first, second, vision):
    seen = [
        oklab([min(1.0, max(0.0, c)) for c in times(VISIONS[vision], linear(hex_color))])
        for hex_color in (first, second)
    ]
    return sum((a - b) ** 2 for a, b in zip(*seen, strict=True)) ** 0.5


def closest(colors, vision):
    return min((distance(a, b, vision), a, b) for a, b in itertools.combinations(dict.fromkeys(colors), 2))


@pytest.mark.parametrize("role", [*palette.ROLES, *FAMILIES, *PRECISIONS])
def test_a_mark_can_be_seen_on_both_pages(role):
    mark = palette.color(role)
    assert palette.contrast(mark, "#ffffff") >= palette.MARK_CONTRAST
    assert palette.contrast(mark, "#15181c") >= palette.MARK_CONTRAST


@pytest.mark.parametrize("mark", palette.RING)
def test_a_fallback_color_can_be_seen_on_both_pages(mark):
    assert palette.contrast(mark, palette.LIGHT.page) >= palette.MARK_CONTRAST
    assert palette.contrast(mark, palette.DARK.page) >= palette.MARK_CONTRAST


@pytest.mark.parametrize("page", [palette.LIGHT, palette.DARK])
def test_text_can_be_read_on_the_page(page):
    assert palette.contrast(page.text, page.page) >= 7
    assert palette.contrast(page.muted, page.page) >= palette.TEXT_CONTRAST


@pytest.mark.parametrize("page", [palette.LIGHT, palette.DARK])
def test_edges_can_be_seen_on_the_page(page):
    assert palette.contrast(page.axis, page.page) >= palette.MARK_CONTRAST


@given(st.text())
def test_any_text_has_a_stable_color_with_readable_ink(name):
    for role in (name, f"type:{name}", f"precision:{name}"):
        mark = palette.color(role)
        assert re.fullmatch(r"#[0-9a-f]{6}", mark)
        assert palette.color(role) == mark
        assert palette.contrast(palette.ink_on(mark), mark) >= palette.TEXT_CONTRAST
        assert palette.pattern(role) in ("", *palette.PATTERNS)


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("types", [TYPES_SIDE_BY_SIDE, TYPES_OF_TRANSFORMERS])
def test_types_that_appear_side_by_side_differ(types, vision):
    bound = SIDE_BY_SIDE if types is TYPES_SIDE_BY_SIDE else SIDE_BY_SIDE * 0.9
    assert closest([palette.color(f"type:{name}") for name in types], vision)[0] >= bound


@pytest.mark.parametrize("vision", VISIONS)
def test_any_two_families_of_types_differ(vision):
    assert closest([palette.color(role) for role in FAMILIES], vision)[0] >= ANY_TWO_TYPES


@pytest.mark.parametrize("vision", VISIONS)
def test_precisions_differ(vision):
    common = [palette.color(f"precision:{name}") for name in PRECISIONS_SIDE_BY_SIDE]
    assert closest(common, vision)[0] >= COMMON_PRECISIONS
    assert closest([palette.color(role) for role in PRECISIONS], vision)[0] >= ANY_TWO_PRECISIONS


@pytest.mark.parametrize("vision", VISIONS)
def test_neighbors_differ(vision):
    ring = [
        distance(a, b, vision)
        for a, b in zip(palette.RING, (*palette.RING[1:], palette.RING[0]), strict=True)
    ]
    assert min(ring) >= RING_NEIGHBORS
    colors = [palette.color(role) for role in FAMILIES]
    by_name = [distance(a, b, vision) for a, b in itertools.pairwise(colors)]
    assert min(by_name) >= ANY_TWO_TYPES


@pytest.mark.parametrize("vision", VISIONS)
def test_the_start_of_a_kernel_is_neither_a_layer_type_nor_another_wait(vision):
    waits = [palette.color(role) for role in palette.ROLES if role.startswith("idle:")]
    assert closest(waits, vision)[0] >= ANY_TWO_TYPES
    if vision == "normal":
        start = palette.color("idle:launch")
        assert min(distance(start, palette.color(role), vision) for role in FAMILIES) >= SIDE_BY_SIDE


def test_points_of_common_precisions_are_distinguishable_without_color():
    shapes = [palette.shape(f"precision:{name}") for name in ("FP32", "FP16", "BF16", "FP8", "FP4", "INT8")]
    assert len(set(shapes)) == len(shapes)
    assert palette.shape("precision:HALF") == palette.shape("precision:FP16")
    assert palette.shape("type:Convolution") == "circle"


@pytest.mark.parametrize("roles", [FAMILIES, PRECISIONS])
def test_similar_colors_have_different_patterns(roles):
    similar = [
        (first, second)
        for first, second in itertools.combinations(roles, 2)
        if any(
            distance(palette.color(first), palette.color(second), vision) < SIDE_BY_SIDE for vision in VISIONS
        )
    ]
    assert len(similar) >= 9
    assert [pair for pair in similar if palette.pattern(pair[0]) == palette.pattern(pair[1])] == []


@pytest.mark.parametrize(
    ("layer_type", "expected"),
    [
        ("CaskConvolution", "convolution"),
        ("CaskGemmConvolution", "convolution"),
        ("CaskConvActPool", "convolution"),
        ("conv_act_pool", "convolution"),
        ("correlation", "convolution"),
        ("CaskDeconvolutionV2", "deconvolution"),
        ("deconv", "deconvolution"),
        ("MatrixMultiply", "matrixmultiply"),
        ("gemm", "matrixmultiply"),
        ("MyelinReformat", "reformat"),
        ("CudnnPooling", "pooling"),
        ("maxpool", "pooling"),
        ("PointWiseV2", "pointwise"),
        ("ElementWise", "pointwise"),
        ("CudaSoftMax", "softmax"),
        ("Myelin", "myelin"),
        ("kgen", "myelin"),
        ("kgen_mha", "attention"),
        ("PluginV2", "plugin"),
        ("Dequantize", "quantize"),
        ("Padding", "slice"),
        ("NoOp", "noop"),
        ("wait", "noop"),
        ("shape_call", "noop"),
        ("Constant", "noop"),
        ("Frobnicate", ""),
        ("", ""),
    ],
)
def test_a_layer_type_belongs_to_its_family(layer_type, expected):
    assert palette.family(layer_type) == expected


def test_a_color_does_not_depend_on_the_hash_seed():
    program = (
        "from trexreport.renderer.palette import color, pattern, slug;"
        "print([(color(r), pattern(r), slug(r)) for r in ('type:Frobnicate', 'x', 'type:<b>')])"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(outputs) == 1


@given(st.text())
def test_a_slug_is_a_safe_class_name(role):
    assert re.fullmatch(r"role(-[a-z0-9]+)+", palette.slug(role))


@given(st.text(), st.text())
def test_slugs_distinguish_texts(first, second):
    if first.lower() != second.lower():
        assert palette.slug(first) != palette.slug(second)


def test_slugs_of_plain_roles_are_plain():
    assert palette.slug("type:Convolution") == "role-type-convolution"
    assert palette.slug("precision:FP16") == "role-precision-fp16"
    assert palette.slug("accent") == "role-accent"


def test_pages_take_their_colors_from_here():
    rules = palette.style_variables()
    assert f"--accent:{palette.LIGHT.accent};" in rules.split("@media")[0]
    assert rules.count(f"--accent:{palette.DARK.accent};") == 2
    styles = sorted((Path(__file__).resolve().parents[2] / "static" / "css").glob("*.css"))
    assert styles
    accents = (palette.LIGHT.accent, palette.DARK.accent, palette.color("accent"))
    assert [path.name for path in styles if any(each in path.read_text("utf-8") for each in accents)] == []
    for name in ("pdf.css", "tokens.css"):
        assert joined_styles((name,)).startswith(rules)


def test_no_other_module_has_a_color_of_its_own():
    root = Path(__file__).resolve().parents[2] / "trexreport"
    # TREx's colors are those of its charts; SVG's default fill is black.
    own = {root / "renderer" / "palette.py", *(root / "trex").glob("*.py")}
    modules = sorted(set(root.rglob("*.py")) - own)
    assert len(modules) > 100
    found = [
        f"{path.relative_to(root)}: {each}"
        for path in modules
        for each in re.findall(r"#[0-9a-f]{6}\b|#[0-9a-f]{3}\b(?=[\"'])", path.read_text("utf-8"))
    ]
    assert found == ["renderer/pdf/painting.py: #000000", "renderer/pdf/text_overlay.py: #000000"]


@pytest.mark.parametrize("theme", [palette.LIGHT, palette.DARK])
def test_links_are_read_on_their_page(theme):
    assert palette.contrast(theme.accent, theme.page) >= palette.TEXT_CONTRAST
