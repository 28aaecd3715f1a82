"""Python and JavaScript write numbers by one rule: `tests/js/numbers.test.js` runs the same vectors."""

import json
from decimal import ROUND_HALF_UP, Context, Decimal
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trexreport import numbers
from trexreport.regex import regex

ROOT = Path(__file__).resolve().parents[1]
VECTORS = json.loads(Path(__file__).with_name("number_vectors.json").read_text("utf-8"), parse_int=float)
SPECIAL = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
FUNCTIONS = {
    "formatNumber": lambda value, digits=3: numbers.format_number(value, int(digits)),
    "formatFixed": lambda value, decimals: numbers.format_fixed(value, int(decimals)),
    "formatCount": numbers.format_count,
    "formatMs": numbers.format_ms,
    "formatBytes": numbers.format_bytes,
    "formatPercent": numbers.format_percentage,
    "formatSigned": numbers.format_signed,
    "formatSignedMs": lambda value: numbers.format_signed(value, numbers.format_ms),
    "formatSignedPercent": lambda value: numbers.format_signed(value, numbers.format_percentage),
    "formatShape": lambda dimensions: numbers.format_shape([int(each) for each in dimensions]),
    "counted": lambda number, *nouns: numbers.counted(int(number), *nouns),
}


def test_every_function_has_vectors():
    assert set(VECTORS) == set(FUNCTIONS)
    assert all(len(vectors) > 4 for vectors in VECTORS.values())


@pytest.mark.parametrize("vector", [(name, *each) for name in FUNCTIONS for each in VECTORS[name]], ids=str)
def test_a_number_is_written_by_the_rule(vector):
    name, *given, text = vector
    given = [SPECIAL.get(each, each) if isinstance(each, str) else each for each in given]
    assert FUNCTIONS[name](*given) == text


@pytest.mark.parametrize(
    ("fraction", "text"), [(0.242, "24.2%"), (0.00015, "0.01%"), (None, "–"), (1, "100%")]
)
def test_a_fraction_is_written_as_a_percentage(fraction, text):
    assert numbers.format_percent(fraction) == text


@pytest.mark.parametrize(
    "folder", ["analyzer/rules", "wording", "renderer/charts/catalog", "renderer/short_document"]
)
def test_sentences_round_no_number_by_hand(folder):
    modules = sorted((ROOT / "trexreport" / folder).rglob("*.py"))
    assert len(modules) > 5
    by_hand = regex(r"\{[^{}]*:[,]?\.[0-9]+[efg%]?\}")
    found = [f"{path.name}: {each}" for path in modules for each in by_hand.findall(path.read_text("utf-8"))]
    # A percentage that a user chose is written as it was chosen.
    assert found == (["verdict.py: {value:.10g}"] if folder == "wording" else [])


@given(st.floats(1e-5, 1e17), st.integers(1, 17))
@example(0.125, 2)
@example(2.675, 3)
@example(999.5, 3)
@example(9.995, 3)
@example(0.0009996, 3)
@example(123456.7890125, 12)
def test_what_is_written_quickly_is_what_rounding_the_exact_number_gives(value, digits):
    exact = Decimal(value)
    rounded = exact.quantize(
        Decimal(1).scaleb(exact.adjusted() - digits + 1), ROUND_HALF_UP, Context(prec=400)
    )
    if numbers.RESOLUTION <= rounded < numbers.LARGEST:
        decimals = max(0, digits - 1 - rounded.adjusted())
        assert numbers.format_number(value, digits) == f"{rounded:,.{decimals}f}"
        assert numbers.format_number(-value, digits) == f"{numbers.MINUS}{rounded:,.{decimals}f}"
    if value < numbers.LARGEST:
        fixed = exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP, Context(prec=400))
        assert numbers.format_fixed(value, digits) == f"{fixed:,f}"


def test_how_many_more_names_there_are_is_a_count():
    assert numbers.list_names(["a", "b"], 2) == "a, b"
    assert numbers.list_names([f"n{at}" for at in range(1235)], 1) == "n0 and 1,234 more"


def test_a_label_has_no_torn_joint_between_nodes():
    assert numbers.layer_label("Conv_1  + Relu_1") == "Conv_1 + Relu_1"
    name = "Conv_171 + Relu_172 || Conv_178 + Relu_179 || Conv_196 + Relu_197"
    assert numbers.layer_label(name) == "Conv_171 + Relu_172…Conv_196 + Relu_197"
    assert numbers.layer_label("a" * 50) == f"{'a' * 22}…{'a' * 21}"
