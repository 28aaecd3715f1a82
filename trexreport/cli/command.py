"""The class of all commands."""

from __future__ import annotations

from collections import Counter

import click

from trexreport.errors import UsageError


class Command(click.Command):
    """A command that refuses an option given twice: click would take the last without a word."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse options that are given twice, then parse."""
        if not ctx.resilient_parsing:
            _, _, order = self.make_parser(ctx).parse_args(args=list(args))
            for parameter, count in Counter(order).items():
                is_single = isinstance(parameter, click.Option) and not (
                    parameter.multiple or parameter.is_flag or parameter.count
                )
                if count > 1 and is_single:
                    raise UsageError(f"{parameter.opts[-1]} is given {count} times.", "Give it once.")
        return super().parse_args(ctx, args)
