"""Regular expressions that are compiled when they are first used.

A command imports about 300 of them and uses a third; compiling one takes 0.1 ms. Python keeps none between
two commands.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

#: What `re.Pattern` offers.
_METHODS = ("findall", "finditer", "fullmatch", "match", "scanner", "search", "split", "sub", "subn")

if TYPE_CHECKING:
    regex = re.compile
else:

    def regex(pattern: str, flags: int = 0) -> Any:
        """Return what can be used as the compiled expression: for constants of modules.

        An error in the expression is raised at its first use.
        """
        return _Waiting(pattern, flags)


class _Waiting:
    """An expression that becomes the compiled one: its methods are found here from then on."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._arguments = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        compiled = re.compile(*self._arguments)
        vars(self).update({each: getattr(compiled, each) for each in _METHODS})
        return getattr(compiled, name)

    def __repr__(self) -> str:
        return repr(re.compile(*self._arguments))
