"""What a cause explains disappears in the engine that follows its recommendation, and nothing else does.

The engines are those of NVIDIA's walkthrough: FP32, FP16, quantized, with quantized residual branches, with a
quantized global average pooling. A place disappears if the rule finds nothing at the layers that do its part.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis.findings import with_consequences
from trexreport.analyzer.comparison.align import align
from trexreport.analyzer.rules import LintSettings
from trexreport.reader import read_engine

FOLLOWED = {
    ("fp32", "fp16"): {"TRX405"},
    ("qat", "qat-residual"): {"TRX302"},
    ("qat", "qat-residual-qgap"): {"TRX302", "TRX303"},
    ("qat-residual", "qat-residual-qgap"): {"TRX303"},
}
#: What a step resolves although its cause is another one that stays: the section of the pooling is in FP32
#: after the first step and needs no change of layout.
BESIDE = {("qat", "qat-residual"): {"TRX202"}}


@dataclass
class Step:
    """What an engine's causes were to resolve, and what did, as code and fingerprint.

    Attributes:
        summaries: What was stated of summaries, of which other causes explain a part.
    """

    predicted: set = field(default_factory=set)
    gone: set = field(default_factory=set)
    summaries: list = field(default_factory=list)


def step_of(folder, names):
    before, after = (analyze(read_engine(folder / f"a100-resnet18-{name}")) for name in names)
    counterparts = {
        index: each[1]
        for row in align([before, after]).rows
        for each in (row.layers, row.helpers)
        for index in each[0]
    }
    later = [(each.code, place) for each in with_consequences(after.lint.findings) for place in each.places]

    def working(analysis, place):
        own = {index for index in place.layers if analysis.layers[index].type != "Reformat"}
        return own or set(place.layers)

    step, stated = Step(), {each.code for each in before.lint.findings}
    for finding in before.lint.findings:
        for each in (finding, *finding.consequences):
            for place in each.places:
                entry = each.code, place.fingerprint
                expected = {
                    other for index in working(before, place) for other in counterparts.get(index, ())
                }
                same = [other for code, other in later if code == each.code]
                # Where a rule also has a finding of its own, its other places are resolved whole.
                if getattr(each, "in_part", False) and each.code not in stated:
                    if finding.code in FOLLOWED[names]:
                        step.summaries.append(
                            (len(place.layers), max((len(other.layers) for other in same), default=0))
                        )
                    continue
                if finding.code in FOLLOWED[names]:
                    step.predicted.add(entry)
                if place.layers and not any(expected & working(after, other) for other in same):
                    step.gone.add(entry)
    return step


@pytest.mark.parametrize("names", FOLLOWED, ids=" to ".join)
def test_what_disappears_is_what_was_predicted(engines_folder, names):
    step = step_of(engines_folder, names)
    assert step.predicted
    assert not step.predicted - step.gone
    assert {code for code, _ in step.gone - step.predicted} <= BESIDE.get(names, set())
    assert len(step.gone - step.predicted) <= 1
    for number, left in step.summaries:
        assert left < number


def test_fifteen_findings_are_three_causes(engines_folder, engine_source):
    outcome = analyze(read_engine(engines_folder / "a100-resnet18-qat")).lint
    causes = [each.code for each in outcome.findings if each.severity == "warning" and each.about == "engine"]
    assert causes == ["TRX302", "TRX206"] + ["TRX303"] * (engine_source == "real")
    assert [each.code for each in outcome.findings[:3]] == ["TRX302", "TRX206", "TRX303"]
    consequences = {each.code: len(each.places) for each in outcome.findings[0].consequences}
    assert consequences.items() >= {"TRX102": 11, "TRX301": 8, "TRX303": 1, "TRX101": 1}.items()
    assert {each.code for each in outcome.findings[2].consequences} >= {"TRX102", "TRX301"}


def test_what_is_selected_is_reported_itself(engines_folder):
    engine = read_engine(engines_folder / "a100-resnet18-qat")
    (finding,) = analyze(engine, settings=LintSettings(select=("TRX301",))).lint.findings
    assert (finding.code, len(finding.places), finding.consequences) == ("TRX301", 9, [])
