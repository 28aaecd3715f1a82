"""Tables that are files of the package fit the types that the code states, which mypy cannot check."""

from __future__ import annotations

import ast
import importlib
import json
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest

from trexreport.renderer import layer_columns, palette
from trexreport.renderer.comparison import row_columns
from trexreport.wording.texts import TEXTS

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "trexreport"


def misfits(value, hint, place="") -> list[str]:
    """Return where a value is not of its type."""
    kind, inner = get_origin(hint) or hint, get_args(hint)
    if hint is Any:
        return []
    if kind is Literal:
        return [] if value in inner else [f"{place}: {value!r}"]
    if kind in (Union, types.UnionType):
        return [] if any(not misfits(value, each) for each in inner) else [f"{place}: {value!r}"]
    if is_dataclass(hint):
        stated = get_type_hints(hint)
        parts = [(getattr(value, each.name), stated[each.name], each.name) for each in fields(hint)]
    elif kind in (dict, Mapping) and isinstance(value, dict):
        parts = [
            part for key, each in value.items() for part in ((key, inner[0], key), (each, inner[1], key))
        ]
    elif kind is Sequence and inner and isinstance(value, (list, tuple)):
        parts = [(each, inner[0], at) for at, each in enumerate(value)]
    elif kind is tuple and isinstance(value, tuple) and len(value) == len(inner):
        parts = [(each, of, at) for at, (each, of) in enumerate(zip(value, inner, strict=True))]
    elif kind is Callable:
        return [] if callable(value) else [f"{place}: {value!r}"]
    else:
        # A bool is an int for Python, and a whole number is a float.
        return (
            [] if type(value) is kind or (kind is float and type(value) is int) else [f"{place}: {value!r}"]
        )
    return [found for part in parts for found in misfits(part[0], part[1], f"{place}/{part[2]}")]


def stated_tables() -> Iterable[tuple[str, str]]:
    """Yield module and name of each annotated table that is read from a file of the package."""
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text("utf-8")
        if "TEXTS[" not in text and "packaged_table(" not in text:
            continue
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for node in ast.parse(text).body:
            source = ast.unparse(node.value) if isinstance(node, ast.AnnAssign) and node.value else ""
            if any(mark in source for mark in ("TEXTS[", "packaged_table(", "_COLORS[")):
                yield module, node.target.id


@pytest.mark.parametrize(("module", "name"), list(stated_tables()))
def test_a_table_fits_the_type_of_its_name(module, name):
    found = importlib.import_module(module)
    assert misfits(getattr(found, name), get_type_hints(found)[name]) == []


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (layer_columns.LayerColumn, layer_columns.LAYER_COLUMNS),
        (row_columns.RowColumn, row_columns.ROW_COLUMNS),
        (palette.Theme, (palette.LIGHT, palette.DARK)),
        (palette._Family, palette.FAMILIES.values()),
        (palette._Precision, palette.PRECISIONS.values()),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_entries_fit_their_type(kind, values):
    assert [found for at, value in enumerate(values) for found in misfits(value, kind, f"{at}")] == []


def test_each_function_of_a_column_is_of_a_column():
    for functions, columns in (
        (layer_columns._VALUES, layer_columns.LAYER_COLUMNS),
        (row_columns._WRITERS, row_columns.ROW_COLUMNS),
    ):
        assert set(functions) <= {each.key for each in columns}


def test_each_table_of_texts_is_used():
    code = "\n".join(path.read_text("utf-8") for path in (PACKAGE / "wording").glob("*.py"))
    unused = [
        f"{module}/{name}"
        for module, tables in TEXTS.items()
        for name in tables
        if f'TEXTS["{module}"]["{name}"]' not in code
    ]
    assert unused == []


def test_no_key_is_stated_twice():
    def keys(pairs):
        assert len(dict(pairs)) == len(pairs), [key for key, _ in pairs]
        return dict(pairs)

    for path in PACKAGE.rglob("*.json"):
        json.loads(path.read_text("utf-8"), object_pairs_hook=keys)


def test_a_wrong_table_does_not_fit():
    assert misfits({"wider": "a"}, Mapping[Literal["wide"], str]) == ["/wider: 'wider'"]
    assert misfits({"wide": ["a", "b"]}, Mapping[Literal["wide"], tuple[str, str]]) == ["/wide: ['a', 'b']"]
    assert misfits((True,), Sequence[int]) == ["/0: True"]
