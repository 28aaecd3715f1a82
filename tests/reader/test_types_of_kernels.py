"""Types of tensors that the names of kernels doubt, and that another layer states as well."""

from __future__ import annotations

import json

import pytest

from trexreport.reader import layer_agreement, read_engine

KERNEL = (
    "sm80_xmma_fprop_implicit_gemm_interleaved_i8i8_i8i32_f32_nchw_vect_c_32kcrs_vect_c_32_nchw_vect_c_32"
)


def tensor(number):
    return {
        "Name": f"t{number}",
        "Dimensions": [1, 8, 8, 8],
        "Format/Datatype": "Row major linear FP16 format",
    }


@pytest.fixture
def chain(tmp_path):
    layers = [
        {
            "Name": f"conv{at}",
            "LayerType": "Convolution",
            "ParameterType": "Convolution",
            "Inputs": [tensor(at)],
            "Outputs": [tensor(at + 1)],
            "Kernel": [1, 1],
            "OutMaps": 8,
            "Groups": 1,
            "TacticName": KERNEL,
        }
        for at in range(5)
    ]
    path = tmp_path / "x.graph.json"
    path.write_text(json.dumps({"Layers": layers, "Bindings": ["t0", "t5"]}))
    return path


def test_a_type_that_another_layer_states_stays_and_all_layers_are_looked_at_once(chain, monkeypatch):
    looked = []
    look = layer_agreement._stating_layers
    monkeypatch.setattr(layer_agreement, "_stating_layers", lambda of: looked.append(1) or look(of))
    engine = read_engine(chain)
    assert looked == [1]
    types = [[use.format.data_type for use in layer.outputs] for layer in engine.layers]
    assert types[:4] == [["FP16"]] * 4
    assert types[4] != ["FP16"]  # No other layer reads it.
