"""`trexreport rules`: all that the findings come from."""

from __future__ import annotations

import click

from trexreport.cli.command import Command
from trexreport.cli.messages import say
from trexreport.cli.output_options import format_option


@click.command(cls=Command, short_help="List all rules.")
@format_option(("text", "json", "markdown"), "text", "The output format; Markdown is the page docs/rules.md.")
def rules(format_: str) -> None:
    """List all rules, including those of installed packages."""
    from trexreport.analyzer.rules.description import describe_rules
    from trexreport.analyzer.rules.registry import all_rules
    from trexreport.output import write_output
    from trexreport.renderer.console import open_console
    from trexreport.renderer.rule_pages import print_rules, rules_json, rules_markdown

    registry = all_rules()
    described = describe_rules(registry.rules)
    if format_ == "text":
        print_rules(described, open_console())
    else:
        data = rules_json(described) if format_ == "json" else rules_markdown(described).encode("utf-8")
        write_output("-", data)
    for failure in registry.failures:
        say(f"  warning: {failure}")
