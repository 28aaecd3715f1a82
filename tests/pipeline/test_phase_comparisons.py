"""Check that sets of phases are compared by the names of their phases."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import jsonschema
import pytest

from trexreport.errors import UsageError
from trexreport.pipeline.comparisons import ComparisonOptions
from trexreport.pipeline.phase_comparisons import choose_sets, compare_sets
from trexreport.pipeline.settings import Settings
from trexreport.resources import resource_folder

DOCS = Path(__file__).parents[2] / "docs"
BEFORE, AFTER = "resnet18-int8-before", "resnet18-int8-after"


def options(**changes):
    return ComparisonOptions(
        **{
            **dict.fromkeys(("baseline", "focus", "minimum_effect_percent", "assumed_run_spread_percent")),
            "runs": (),
            "latencies": (),
            **changes,
        }
    )


@pytest.fixture
def make(tmp_path):
    """Return a function that makes a set of phases: name to sample and count."""

    def make(folder, **phases):
        listed = []
        for name, (sample, times) in phases.items():
            (tmp_path / folder / name).mkdir(parents=True)
            for role in ("graph", "profile"):
                file = f"{sample}.engine.{role}.json"
                shutil.copy(resource_folder("samples") / sample / file, tmp_path / folder / name)
            listed.append({"name": name, "path": name, "times": times})
        document = {"schema": "trexreport-phases", "schema_version": 1, "phases": listed}
        (tmp_path / folder / "trexreport-phases.json").write_text(json.dumps(document))
        return str(tmp_path / folder)

    return make


def compared(paths, outputs, counts=(), **changes):
    sets = choose_sets(paths, None)
    return compare_sets(
        sets, options(**changes), counts, Settings(), kinds=list(outputs.values()), outputs=outputs
    )


def test_phases_are_matched_by_name(make, tmp_path):
    old = make("old", prefill=(BEFORE, 1), decode=(BEFORE, 128), gone=(BEFORE, None))
    new = make("new", decode=(AFTER, None), prefill=(BEFORE, None))
    result = compared([old, new], {str(tmp_path / "x.html"): "html", "-": "json"})
    comparison = result.comparison
    assert comparison.sets == ["old", "new"]
    assert [phase.name for phase in comparison.together[0].phases] == ["prefill", "decode"]
    assert [(each.name, each.sets) for each in comparison.missing] == [("gone", [0])]
    before, after = comparison.together
    assert before.measure == after.measure == "layers"
    assert [phase.times for phase in after.phases] == [1, 128]
    assert before.phases[0].run_ms == after.phases[0].run_ms
    assert before.phases[1].run_ms > after.phases[1].run_ms
    assert before.total_ms > after.total_ms
    document = json.loads(result.render("json"))
    jsonschema.validate(document, json.loads((DOCS / "phases-comparison.schema.json").read_text()))
    assert "Not compared" in document["sentence"]
    page = result.render("html")
    assert page.count(b'id="trexreport-phase-') == 2
    assert page.count(b"<style>") == 1
    assert page == result.render("html")
    text = result.render("md").decode()
    assert "## new vs. old" in text
    assert "### decode" in text


def test_options_come_before_the_counts_of_sets(make):
    old, new = make("old", a=(BEFORE, 1)), make("new", a=(AFTER, 2))
    with pytest.raises(UsageError, match="different counts of a: 1 and 2"):
        compared([old, new], {"-": "md"})
    facts = compared([old, new], {"-": "md"}, ("a=3",)).comparison.together
    assert [each.phases[0].times for each in facts] == [3, 3]


def test_equal_names_of_sets_are_made_distinct(make):
    old, new = make("v1/set", a=(BEFORE, None)), make("v2/set", a=(AFTER, None))
    assert compared([old, new], {"-": "md"}).comparison.sets == ["set (v1)", "set (v2)"]
    assert compared([old, old], {"-": "md"}).comparison.sets == ["set (1)", "set (2)"]


def test_what_can_not_be_compared(make, tmp_path):
    old, new = make("old", a=(BEFORE, None)), make("new", b=(AFTER, None))
    with pytest.raises(UsageError, match="no phase of one name"):
        compared([old, new], {"-": "md"})
    with pytest.raises(UsageError, match="one engine"):
        choose_sets([old, str(Path(new) / "b")], None)
    with pytest.raises(UsageError, match="compare single engines"):
        compared([old, old], {"-": "md"}, runs=("1=x",))
    assert choose_sets([str(Path(new) / "b")], None) is None
