"""Names and structure against each other, in networks whose layers repeat."""

from __future__ import annotations

from functools import partial
from hashlib import sha256
from types import SimpleNamespace

import pytest
from alignment_plans import analysis_of, convolution, layer, metadata
from compared_engines import engine_of

from trexreport.analyzer import analyze
from trexreport.analyzer.comparison.align import align
from trexreport.analyzer.comparison.align_order import are_in_turns
from trexreport.analyzer.comparison.align_structure import alike


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


def residual_blocks(named, parts, extent=32):
    """Return equal residual blocks of two convolutions; of each is given how many layers run it, 1 or 2."""
    layers = []
    for at, count in enumerate(parts):
        reads = [f"t{at}"] if at % 2 == 0 else [f"t{at}", f"t{at - 1}"]
        main, tail, written = named(at, "Conv"), named(at, "Add" if at % 2 else "Relu"), [f"t{at + 1}"]
        if count == 1:
            layers.append(convolution(f"{main} + {tail}", reads, written))
        else:
            layers.append(convolution(main, reads[:1], [f"raw{at}"]))
            layers.append(layer(f"PWN({tail})", reads=[f"raw{at}", *reads[1:]], writes=written))
    for each in layers:
        for use in (*each["Inputs"], *each["Outputs"]):
            use["Dimensions"] = [1, 8, extent, extent]
    return layers


def path(number, kind, *, moved=0):
    """Return a name of the model."""
    return f"/body.{number + moved}/{kind}"


def digest(number, kind):
    """Return a name that says nothing."""
    return f"n{sha256(path(number, kind).encode()).hexdigest()[:8]}"


def check_in_order(named, parts, extent=32):
    """Check that each part of a network of 20 layers is found again."""
    plans = residual_blocks(path, [1] * 20), residual_blocks(named, parts, extent)
    starts = [sum(parts[:at]) for at in range(20)]
    rows = align([analysis_of(plan) for plan in plans]).rows
    assert [row.layers for row in rows] == [
        [[at], [*range(start, start + parts[at])]] for at, start in enumerate(starts)
    ]


SOME_SPLIT = [1, 2, 1, 1, 2, 2, 1, 2, 1, 2, 2, 1, 1, 1, 2, 2, 1, 2, 2, 1]


def test_fusion_of_equal_blocks_may_change_where_names_say_nothing():
    """How many names and inputs a layer has distinguishes equal layers unless fusion changed."""
    check_in_order(digest, SOME_SPLIT)


@pytest.mark.parametrize(("parts", "extent"), [(SOME_SPLIT, 32), ([1] * 20, 48)])
def test_equal_blocks_that_are_numbered_otherwise_keep_their_place(parts, extent):
    """Products show it, also where other layers are fused or all have another resolution."""
    check_in_order(partial(path, moved=1), parts, extent)


def of_equal_looks(*words):
    """Return items that look alike, of one tactic, with names that end with given words."""
    looks = {"exact": 1, "build": 1, "inputs": 1, "operations": ("conv",)}
    return [
        SimpleNamespace(signature=SimpleNamespace(**looks, spelling=(word,), endings=((word,),)))
        for word in words
    ]


def test_last_words_decide_among_equal_layers_of_which_a_few_run_in_another_order():
    """Another order may leave a layer alone; layers of different names are still not the same."""
    lefts, rights = of_equal_looks(*"abcdefgh"), of_equal_looks(*"bacdefgh")
    in_order = [(at, at) for at in range(8)]
    assert alike(lefts, rights) == [(1, 0), *in_order[2:]]
    assert alike(lefts, rights, spelled=False) == in_order
    assert alike(lefts, of_equal_looks(*"stuvwxyz")) == in_order


def test_branches_that_are_exchanged_are_matched_by_their_names():
    """Of equal branches one engine runs the other one first, and most layers of one have new names."""

    def branches(*names):
        records = []
        for branch, parent, renamed in names:
            tensor = "input"
            for at in range(12):
                name = f"/new/n{at}/Conv" if at < renamed else f"/{parent}/b{at}/Conv"
                records.append(convolution(name, [tensor], [f"{branch}{at}"]))
                tensor = f"{branch}{at}"
        return analyze(engine_of(records))

    one = branches(("t", "left", 0), ("u", "right", 0))
    other = branches(("v", "right", 4), ("w", "left", 8))
    rows = align([one, other]).rows
    assert [row.layers for row in rows] == [[[at], [(at + 12) % 24]] for at in range(24)]


def test_exchanged_branches_rise_in_long_parts():
    assert are_in_turns([*range(10, 20), *range(4)])
    for values in (range(20), [*range(10, 20), 0, 1], [1, 0, 3, 2, 5, 4, 7, 6], []):
        assert not are_in_turns(list(values))
