"""Options that belong together, which a command gets as one value."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

Command = Callable[..., Any]


def option_group(
    replace: Callable[[dict[str, Any]], None], *options: Callable[[Command], Command]
) -> Callable[[Command], Command]:
    """Return a decorator that adds options, in the order of the help.

    Args:
        replace: Takes the values of these options out of all values, and puts in what the command gets.
        options: As click makes them.
    """

    def add(command: Command) -> Command:
        @wraps(command)
        def chosen(*args: Any, **values: Any) -> Any:
            replace(values)
            return command(*args, **values)

        decorated: Command = chosen
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return add
