"""What the types that a file states say a layer computes."""

from __future__ import annotations

import pytest

from trexreport.reader.layer_types import layer_type


@pytest.mark.parametrize(
    ("stated", "parameters", "expected"),
    [
        ("gemm", "Gemm", "gemm"),
        ("gemm", "", "gemm"),
        ("CaskGemmConvolution", "Convolution", "Convolution"),
        ("CaskDeconvolutionV2", "Convolution", "Deconvolution"),
        ("CaskSoftMaxV2", "", "SoftMax"),
        ("", "", ""),
    ],
)
def test_a_layer_is_of_the_type_that_its_parameters_or_its_implementation_state(stated, parameters, expected):
    assert layer_type({"LayerType": stated, "ParameterType": parameters}) == expected
