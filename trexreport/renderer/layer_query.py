"""The filter language of the page, for layers in Python: "type:Reformat time>1% precision:fp32 -noop".

Its terms are those that the columns declare; `static/js/query/query.js` gives them the same meaning. Blocks
are refused, as they are computed for pages only. Patterns are those of `draw --query`: none takes forever.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable

from trexreport.errors import UsageError
from trexreport.regex import regex
from trexreport.renderer.graph.pattern import compile_pattern
from trexreport.renderer.graph.pattern_syntax import PatternError
from trexreport.renderer.layer_column import LayerColumn, LayerRow
from trexreport.renderer.layer_columns import LAYER_COLUMNS

MAX_QUERY = 500
NOT_STATED = "not stated"
Test = Callable[[LayerRow], bool]
_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
_FACTORS = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_TERM = regex(r'-?/(?:\\.|[^/\\])+/(?=\s|$)|(?:[^\s"]|"(?:[^"]|"")*"?)+')
_COMPARISON = regex(r"(\w+)(<=|>=|<|>)(.*)", re.DOTALL)
_FIELD = regex(r"(\w+):(.+)", re.DOTALL)
_NUMBER = regex(r"(-?[0-9]{1,15}(?:\.[0-9]{0,15})?|-?\.[0-9]{1,15})([kKMGT]?)(%|ms)?")
_TERMS = {column.term_name: column for column in LAYER_COLUMNS if column.term}
_SHARE = next(column for column in LAYER_COLUMNS if column.key == "share_percent")


def compile_query(text: str) -> Test:
    """Return a function that returns whether a layer fits all terms of a query; an empty one fits all.

    Raises:
        UsageError: The query is too long, compares with no number, or has what only a page has.
    """
    if len(text) > MAX_QUERY:
        raise UsageError(f"The query is longer than {MAX_QUERY} characters.", "Give fewer terms.")
    tests = [_compile(term) for term in _TERM.findall(text)]
    return lambda row: all(test(row) for test in tests)


def _compile(term: str) -> Test:
    if term.startswith("-") and len(term) > 1:
        test = _compile(term[1:])
        return lambda row: not test(row)
    if len(term) > 2 and term.startswith("/") and term.endswith("/"):
        return _pattern(term)
    found = _COMPARISON.fullmatch(term)
    if found and (column := _TERMS.get(found[1])) and column.term != column.term_name:
        return _comparison(found, column)
    found = _FIELD.fullmatch(term)
    if found and found[1] == "block":
        raise UsageError("block: is for pages only.", "Use module:, node: or a part of the name.")
    if found and (found[1] in _TERMS or found[1] in _OTHER_TEXTS):
        return _field(found[1], found[2])
    word = _unquoted(term).lower()
    return lambda row: any(word in text.lower() for text in _search_texts(row))


def _pattern(term: str) -> Test:
    try:
        fits = compile_pattern(term[1:-1])
    except PatternError as error:
        raise UsageError(f"{term} can't be used: {error}") from None
    return lambda row: fits(row.layer.name)


def _comparison(found: re.Match[str], column: LayerColumn) -> Test:
    number = _NUMBER.fullmatch(found[3])
    if number is None:
        raise UsageError(f"{found[0]}: a number is missing.", f"Write it as {column.term}.")
    limit = float(number[1]) * _FACTORS[number[2]]
    compares = _COMPARISONS[found[2]]
    measured = _SHARE if number[3] == "%" else column

    def test(row: LayerRow) -> bool:
        value = measured.cell(row)
        return value is not None and compares(value, limit)

    return test


def _field(name: str, text: str) -> Test:
    is_quoted = text.startswith('"')
    wanted = [_unquoted(text).lower()] if is_quoted else [each for each in text.lower().split(",") if each]
    column = _TERMS.get(name)
    is_exact = is_quoted or (column is not None and column.is_exact_term)

    def test(row: LayerRow) -> bool:
        texts = [each.lower() for each in _texts(name, row)]
        if text == "*":
            return any(texts)
        if is_exact:
            return any(each == want for each in texts for want in wanted)
        return any(want in each for each in texts for want in wanted)

    return test


def _texts(name: str, row: LayerRow) -> list[str]:
    if name in _OTHER_TEXTS:
        return _OTHER_TEXTS[name](row)
    value = _TERMS[name].cell(row)
    if isinstance(value, (list, tuple)):
        return list(map(str, value))
    # A text that a file does not state is found as what the page shows in its place.
    unknown = NOT_STATED if _TERMS[name].kind == "text" else ""
    return [str(value) if value not in (None, "") else unknown]


def _tensors(row: LayerRow) -> list[str]:
    uses = (*row.layer.inputs, *row.layer.outputs)
    return [row.analysis.tensors[use.tensor].name for use in uses]


def _findings(row: LayerRow) -> list[str]:
    """Return the codes, names and severities of the rules that found something at a layer."""
    found = [each for each in row.analysis.lint.findings if each.code in row.finding_codes]
    return [text for each in found for text in (each.code, each.name, each.severity)]


#: Terms whose texts are more than those of one column.
_OTHER_TEXTS: dict[str, Callable[[LayerRow], list[str]]] = {
    "type": lambda row: [row.layer.type or NOT_STATED, row.layer.subtype],
    "finding": _findings,
    "op": lambda row: list(row.layer.operations),
    "tensor": _tensors,
}


def _search_texts(row: LayerRow) -> list[str]:
    """Return what a word without a field is looked for in."""
    layer = row.layer
    names = (layer.name, layer.type, layer.subtype, layer.tactic)
    return [*names, *layer.origins, *layer.operations, *_tensors(row)]


def _unquoted(text: str) -> str:
    return re.sub(r'^"|"$', "", text).replace('""', '"')
