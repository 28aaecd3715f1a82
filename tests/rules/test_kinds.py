"""What rules ask about kinds of layers holds for each layer of the kind."""

import json

import pytest
from case_files import CASES, run_case

from trexreport.analyzer.rules.kinds import LayerKinds
from trexreport.analyzer.rules.registry import built_in_rules

#: Those that ask about kinds, by themselves or through what they share.
CODES = (
    "TRX101",
    "TRX301",
    "TRX303",
    "TRX304",
    "TRX305",
    "TRX306",
    "TRX401",
    "TRX403",
    "TRX405",
    "TRX501",
    "TRX503",
    "TRX505",
    "TRX507",
    "TRX510",
    "TRX512",
    "TRX517",
    "TRX903",
)
RULES = {rule.code: rule for rule in built_in_rules()}


@pytest.mark.parametrize("code", CODES)
def test_each_layer_passes_the_test_of_its_kind(code, monkeypatch, tmp_path_factory):
    of_kinds, by_kind, has_kind = LayerKinds.of_kinds, LayerKinds.by_kind, LayerKinds.has_kind
    asked, differing = [], []

    def checked_of(kinds, test):
        found = of_kinds(kinds, test)
        asked.append(test)
        differing.extend(layer.name for layer in kinds.layers if test(layer) != (layer in found))
        return found

    def checked_by(kinds, fact):
        found = by_kind(kinds, fact)
        asked.append(fact)
        differing.extend(layer.name for layer in kinds.layers if fact(layer) != found[layer.index])
        return found

    def checked_has(kinds, test):
        asked.append(test)
        found = has_kind(kinds, test)
        differing.extend([] if found == any(map(test, kinds.layers)) else [code])
        return found

    monkeypatch.setattr(LayerKinds, "of_kinds", checked_of)
    monkeypatch.setattr(LayerKinds, "by_kind", checked_by)
    monkeypatch.setattr(LayerKinds, "has_kind", checked_has)
    for path in sorted((CASES / code).glob("*.json")):
        run_case(json.loads(path.read_text("utf-8")), RULES[code], tmp_path_factory.mktemp("case"))
    assert asked
    assert not differing
