"""The public functions refuse what is not an engine in one line, not with an error of Python from inside."""

from __future__ import annotations

import pytest

import trexreport
from trexreport.errors import UsageError
from trexreport.resources import resource_folder


@pytest.fixture(scope="module")
def engine():
    return trexreport.load(resource_folder("samples") / "resnet18-int8-before")


@pytest.mark.parametrize("name", ["analyze", "render", "render_pdf", "figures", "summarize"])
def test_a_path_or_a_list_is_no_engine(name, engine):
    for given, kind in (("folder", "str"), ([engine], "list"), (None, "NoneType")):
        with pytest.raises(
            UsageError, match=rf"trexreport\.{name} needs an engine.* type {kind}\. Give what"
        ):
            getattr(trexreport, name)(given)


@pytest.mark.parametrize("name", ["analyze", "render", "render_pdf"])
def test_an_analysis_is_no_engine(name, engine):
    with pytest.raises(UsageError, match=r"type Analysis\. Give what trexreport\.load returns"):
        getattr(trexreport, name)(trexreport.analyze(engine, with_blocks=False))


def test_a_plan_is_made_of_an_engine_alone(engine):
    for given in ("folder", trexreport.analyze(engine, with_blocks=False)):
        with pytest.raises(UsageError, match=r"EnginePlan\.from_engine needs an engine.*trexreport\.load"):
            trexreport.EnginePlan.from_engine(given)


@pytest.mark.parametrize("name", ["compare", "render_comparison", "render_comparison_pdf"])
def test_paths_or_one_engine_can_not_be_compared(name, engine):
    for given, kind in (("folder", "str"), (engine, "Engine"), (["a", "b"], "str"), ([engine, 5], "int")):
        with pytest.raises(UsageError, match=rf"trexreport\.{name} needs .*engines.* type {kind}\. Give"):
            getattr(trexreport, name)(given)


def test_what_can_not_be_shown_in_a_cell_names_what_can(engine):
    with pytest.raises(UsageError, match=r"type Comparison\. .*render_comparison\(engines\)"):
        trexreport.display(trexreport.compare([engine, engine]))
