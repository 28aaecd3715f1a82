"""`trexreport explain`: one rule in full."""

from __future__ import annotations

import click

from trexreport.cli.command import Command


@click.command(cls=Command, short_help="Explain a rule: what it means and how to fix it.")
@click.argument("rule", metavar="RULE")
def explain(rule: str) -> None:
    """Explain what a rule means, its cost, how to fix it, and when it is a false alarm.

    RULE is a code such as TRX102 or a name such as convolution.float-output.
    """
    from trexreport.analyzer.rules.description import describe_rules
    from trexreport.analyzer.rules.registry import all_rules
    from trexreport.analyzer.rules.settings import find_rule
    from trexreport.renderer.console import open_console
    from trexreport.renderer.rule_pages import print_rule

    found = find_rule(rule, "", all_rules().rules)
    print_rule(describe_rules([found])[0], open_console())
