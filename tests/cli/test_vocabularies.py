"""What options can be given is what the package knows: for the help it is written down a second time."""

from __future__ import annotations

import click
import pytest

from trexreport.analyzer.rules.settings import FAIL_ON
from trexreport.cli import main
from trexreport.collector import backends
from trexreport.renderer import findings
from trexreport.renderer.budget import BUDGET_FORMATS
from trexreport.renderer.graph.layout import ENGINES
from trexreport.renderer.graph.options import COLORINGS, EDGE_TEXTS, NODE_TEXTS
from trexreport.renderer.graph.picture import FOLDABLE
from trexreport.site.build import COMPARISONS


@pytest.mark.parametrize(
    ("command", "option", "known"),
    [
        ("draw", "--color-by", COLORINGS),
        ("draw", "--layout", ENGINES),
        ("lint", "--fail-on", FAIL_ON),
        ("lint", "--format", ("text", *findings.FORMATS)),
        ("check", "--format", BUDGET_FORMATS),
        ("collect", "--backend", backends.NAMES),
        ("site", "--compare", COMPARISONS),
    ],
)
def test_choices(command, option, known):
    (found,) = (each for each in main.commands[command].params if option in each.opts)
    assert isinstance(found.type, click.Choice)
    assert set(found.type.choices) == set(known)


@pytest.mark.parametrize(
    ("option", "known"), [("--node-text", NODE_TEXTS), ("--edge-text", EDGE_TEXTS), ("--show", FOLDABLE)]
)
def test_lists_of_words(option, known):
    (found,) = (each for each in main.commands["draw"].params if option in each.opts)
    with click.Context(main.commands["draw"]) as context:
        assert set(found.callback(context, found, ",".join(known))) == set(known)
    for word in known:
        assert word in found.help
