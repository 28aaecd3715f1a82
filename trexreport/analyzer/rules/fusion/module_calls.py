"""Which module of a model a product is of, and which of its calls, by the name of the layer."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from trexreport.regex import regex

#: The node of a product in the name of a layer. Its module is read from slash to slash, as names are long.
_PRODUCT = regex(
    r"(?P<module>[^\s+/]*(?:/[^\s+/]*)*?)/(?P<node>Conv(?:Transpose)?|MatMul|Gemm)(?P<again>_\d+)?"
    r"(?:_myl\d+_\d+)?(?= ?\+|$)",
    re.ASCII,
)
#: The number of a further call of a module.
_CALL = regex(r"_\d+$", re.ASCII)
#: The outermost module with such a number, of whose call the others are a part.
_OUTER = regex(r"_\d+(?=/)", re.ASCII)


class ModuleCall(NamedTuple):
    """A call of a module: the module, its node, and whether no number marks the call as a further one."""

    module: str
    node: str
    is_first: bool


@lru_cache(maxsize=1024)
def module_call(name: str) -> ModuleCall | None:
    """Return the call that the product in a layer's name belongs to; None if there is none.

    A module that multiplies matrices may do so several times in one call, so that only modules have numbers.
    """
    match = _PRODUCT.match(name)
    if match is None:
        return None
    module, node, again = match.group("module", "node", "again")
    if again and not node.startswith("Conv"):
        node, again = node + again, ""
    module, calls = _CALL.subn("", module)
    if calls or again:
        return ModuleCall(module, node, is_first=False)
    outside, numbers = _OUTER.subn("", module, 1)
    return ModuleCall(outside, node, not numbers)
