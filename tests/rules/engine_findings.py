"""The findings on whole engines, generated and real, for the tests of the families."""

from __future__ import annotations

import json
from functools import lru_cache

from trexreport.analyzer import GpuChoice, analyze
from trexreport.analyzer.analysis.findings import with_consequences
from trexreport.analyzer.rules.lint import lint
from trexreport.analyzer.rules.registry import Registry, built_in_rules
from trexreport.reader import read_engine


class Findings:
    """What the rules of one family find on one engine."""

    def __init__(self, analysis, outcome):
        self.analysis = analysis
        self.outcome = outcome
        self._everything = list(with_consequences(outcome.findings))

    @property
    def codes(self):
        """Code and severity of each finding and consequence, sorted."""
        return sorted({(each.code, each.severity) for each in self._everything})

    def places(self, code):
        """The places of a rule, the largest first, those that others explain included."""
        found = [place for each in self._everything if each.code == code for place in each.places]
        return sorted(found, key=lambda each: (-each.gain.ranking_ms if each.gain else 0.0, each.layers[:1]))

    def names(self, code):
        """The layers' names of each place of a rule."""
        return [[self.analysis.layers[layer].name for layer in place.layers] for place in self.places(code)]


@lru_cache(maxsize=32)
def _analysis(folder, gpu):
    return analyze(read_engine(folder), registry=Registry(()), gpu=GpuChoice(gpu) if gpu else None)


def raw_layers(folder):
    """Return the layers as their file has them."""
    return next(
        document["Layers"]
        for document in (json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json")))
        if isinstance(document, dict) and "Layers" in document
    )


def raw_times(folder):
    """Return the mean time of each layer by its name, as trtexec's profile has it."""
    (path,) = (each for each in folder.glob("*profile*.json") if "metadata" not in each.name)
    return {entry["name"]: entry["averageMs"] for entry in json.loads(path.read_text("utf-8"))[1:]}


def findings(engines_folder, engine, family, gpu=None):
    """Return what a family finds; rules that break fail the test."""
    analysis = _analysis(engines_folder / engine, gpu)
    rules = tuple(rule for rule in built_in_rules() if rule.family == family)
    outcome = lint(analysis, Registry(rules))
    assert not [each for each in outcome.unchecked if each.why == "broken"]
    return Findings(analysis, outcome)
