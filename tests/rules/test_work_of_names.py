"""Patterns in the names of layers are found with work that grows with the number of layers."""

from __future__ import annotations

from trexreport.analyzer.rules.named_layers import named_batch_norms
from trexreport.analyzer.rules.named_normalizations import _Normalization


class _Layer:
    """A timed layer of unknown type that counts how often its name is read."""

    type, avg_ms, inputs = "", 1.0, ()
    reads = 0

    def __init__(self, name):
        self._name = name

    @property
    def name(self):
        _Layer.reads += 1
        return self._name


def _batch_norms(count):
    for at in range(count):
        norm = f"m{at}.weight + (Unnamed Layer* {3 * at + 2}) [Shuffle] + /m{at}/bn/BatchNormalization"
        yield from (f"(Unnamed Layer* {3 * at + 1}) [ElementWise]", f"/m{at}/conv/Conv")
        yield from (f"Reformatting CopyNode for Input Tensor 0 to {norm}", norm)


def test_twice_as_many_layers_are_twice_the_work():
    reads = []
    for count in (50, 100):
        _Layer.reads = 0
        found = named_batch_norms([_Layer(name) for name in _batch_norms(count)])
        assert [len(each) for each in found] == [3] * count
        reads.append(_Layer.reads)
    assert reads[1] < 2.1 * reads[0]


def test_what_equal_names_share_goes_with_the_first_of_them():
    layers = [_Layer(name) for _ in range(20) for name in _batch_norms(1)]
    found = named_batch_norms(layers)
    assert [len(each) for each in found] == [22, *[2] * 19]


def test_a_normalization_without_an_end_keeps_no_list():
    found = _Normalization("")
    for _ in range(1_000):
        assert found.take(None, [("", "Mul")])
    assert len(found.before) == 1
    assert not found.take(None, [("", "Conv")])
    assert not found.is_whole


def test_a_division_follows_the_root_once():
    found = _Normalization("")
    assert found.take(None, [("", "ReduceMean"), ("", "Pow"), ("", "Sqrt"), ("", "Div"), ("", "Cast")])
    assert not found.take(None, [("", "Div")])
    assert not found.take(None, [("", "Mul"), ("", "Mul")])
    assert found.take(None, [("", "Mul"), ("", "Cast")])
