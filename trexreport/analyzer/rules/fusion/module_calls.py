"""Which module of a model a convolution is of, and which of its calls, by the name of the layer."""

from __future__ import annotations

import re
from typing import NamedTuple

from trexreport.regex import regex

#: The node of a convolution in the name of a layer, and the number of a further call of its module.
_CONVOLUTION = regex(
    r"(?P<module>\S*?)(?P<call>_\d+)?/(?P<node>Conv(?:Transpose)?)(?P<again>_\d+)?(?:_myl\d+_\d+)?(?= \+ |$)",
    re.ASCII,
)


class ModuleCall(NamedTuple):
    """A call of a module: the module, its node, and whether no number marks the call as a further one."""

    module: str
    node: str
    is_first: bool


def module_call(name: str) -> ModuleCall | None:
    """Return the call that the convolution in a layer's name belongs to; None if there is none."""
    match = _CONVOLUTION.match(name)
    if match is None:
        return None
    return ModuleCall(match["module"], match["node"], not match["call"] and not match["again"])
