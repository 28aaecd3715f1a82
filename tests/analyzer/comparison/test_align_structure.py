"""Names and structure against each other, in networks whose layers repeat."""

from __future__ import annotations

import pytest
from alignment_plans import analysis_of, convolution, metadata

from trexreport.analyzer.comparison.align import align


def chain(names, tensors):
    """Return equal convolutions in a row; what metadata states is missing where a name has no path."""
    layers = []
    for at, name in enumerate(names):
        stated = metadata(f"{name}/Conv", f"{name}/Relu") if "/" in name else ""
        layers.append(convolution(name, [tensors[at]], [tensors[at + 1]], Metadata=stated))
    return layers


@pytest.mark.parametrize("renamed", [(0, 9), (0,), (3, 4), (11,)])
def test_equal_layers_in_a_row_keep_their_names(renamed):
    """Structure alone may begin at any of them; names say at which."""
    names, tensors = [f"/body.{at}/conv" for at in range(12)], [f"t{at}" for at in range(13)]
    others = [f"n{at}" if at in renamed else name for at, name in enumerate(names)]
    written = [f"x{at}" if at - 1 in renamed else f"t{at}" for at in range(13)]
    rows = align([analysis_of(chain(names, tensors)), analysis_of(chain(others, written))]).rows
    assert [row.layers for row in rows] == [[[at], [at]] for at in range(12)]
