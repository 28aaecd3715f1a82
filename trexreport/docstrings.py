"""Docstrings that users read: the documentation of rules and the help of commands."""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Callable
from typing import Any


def docstring(function: Callable[..., Any]) -> str | None:
    """Return a function's docstring, also where Python was started without them (-OO, PYTHONOPTIMIZE=2).

    There it is read from the source; None where that is missing too.
    """
    if function.__doc__ is not None or sys.flags.optimize < 2:
        return inspect.getdoc(function)
    try:
        (written,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    except (OSError, SyntaxError):
        return None
    return ast.get_docstring(written) if isinstance(written, ast.FunctionDef) else None
