"""What kernels' names show, by a table of names written by hand and all names of the real engines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trexreport.analyzer.kernels import Kernel, read_kernel
from trexreport.reader import read_engine

#: Name, then what it says about Tensor Cores, the type multiplied and the accumulator.
NAMES = [
    # cuDNN and cuBLAS, on Tensor Cores
    ("volta_h884cudnn_256x64_ldg8_relu_exp_small_nhwc_tn_v1", True, "FP16", "FP16"),
    ("ampere_h1688cudnn_128x128_ldg8_relu_exp_interior_nhwc_tn_v1", True, "FP16", "FP16"),
    ("ampere_h16816cudnn_128x64_sliced1x2_ldg8_relu_exp_stages_64x3_small_nhwc_tn_v1", True, "FP16", "FP16"),
    ("ampere_h16816gemm_64x64_ldg8_relu_stages_64x5_nn_v1", True, "FP16", "FP16"),
    ("turing_fp16_s1688cudnn_fp16_128x128_ldg8_relu_f2f_exp_small_nhwc_tn_v1", True, "FP16", "FP32"),
    ("ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x3_nn", True, "FP16", "FP32"),
    ("ampere_bf16_s16816gemm_bf16_64x64_ldg8_f2f_tn", True, "BF16", "FP32"),
    ("ampere_s1688gemm_128x128_ldg4_stages_16x4_nn", True, "TF32", "FP32"),
    ("volta_int8_i8816cudnn_int8_256x64_ldg16_relu_singleBuffer_small_nt_v1", True, "INT8", "INT32"),
    ("ampere_int8_i16832gemm_int8_128x64_ldg16_relu_stages_64x4_tn", True, "INT8", "INT32"),
    # and on CUDA cores
    ("ampere_scudnn_128x64_relu_xregs_large_nn_v1", False, "FP32", "FP32"),
    ("volta_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1", False, "FP32", "FP32"),
    ("volta_hcudnn_128x64_relu_small_nn_v1", False, "FP16", "FP16"),
    ("ampere_sgemm_128x64_nn", False, "FP32", "FP32"),
    ("ampere_fp32_icudnn_int8x4_128x64_relu_medium_nn_v1", False, "INT8", "INT32"),
    ("ampere_int8x4_icudnn_int8x4_128x32_relu_interior_c32_nn_v1", False, "INT8", "INT32"),
    (
        "sm50_xmma_cublas_gemvx_f16f16_f32_f32_tn_n_int32_unit_n_launch_param4x32x32_strided",
        False,
        "FP16",
        "FP32",
    ),
    # Winograd's algorithm multiplies transformed tiles in the type itself.
    ("ampere_scudnn_winograd_128x128_ldg1_ldg4_mobile_relu_tile148t_nt_v0", False, "FP32", "FP32"),
    ("turing_fp16x2_hcudnn_winograd_fp16x2_128x128_ldg1_ldg4_relu_tile148m_nt_v1", False, "FP16", "FP16"),
    ("sm80_xmma_fprop_wngd_f32f32_f32_f32_nchwkcrs_nchw", False, "FP32", "FP32"),
    ("wngd_5x5_fp32_nchw", False, "FP32", ""),
    # Tensor Cores multiply no FP32, whatever else the name says.
    ("sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize64x64x8_stage3_warpsize1x4x1", False, "FP32", "FP32"),
    ("sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize64x64x8_stage3_warpsize1x4x1", None, "TF32", "FP32"),
    ("ampere_hfma2_hgemm_64x64_nn", False, "FP16", "FP16"),
    # cuBLAS since Hopper
    ("nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_TNT", True, "", ""),
    ("sm90_xmma_gemm_f16f16_f16f32_f16_tn_n_tilesize64x64x64_wgmma", True, "FP16", "FP32"),
    # xmma
    (
        "sm70_xmma_gemm_as_conv1x1_f16f16_f16_f16_tn_n_simt_small_batch_bias_relu",
        False,
        "FP16",
        "FP16",
    ),
    (
        "sm75_xmma_fprop_implicit_gemm_f16f16_f16f16_f16_nhwckrsc_nhwc_tilesize64x128x32_g1_tensor16x8x8",
        True,
        "FP16",
        "FP16",
    ),
    (
        "sm80_xmma_fprop_implicit_gemm_f32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize64x32x64_g1_tensor16x8x8",
        True,
        "TF32",
        "FP32",
    ),
    (
        "sm80_xmma_fprop_implicit_gemm_f32f32_f32f32_f32_nchwkcrs_nchw_tilesize32x32x8_g1_ffma_t1r5s5",
        False,
        "FP32",
        "FP32",
    ),
    (
        "sm80_xmma_fprop_implicit_gemm_interleaved_i8f32_i8i32_f32_nchw_vect_c_32kcrs_g1_tensor16x8x32_t1r1s1",
        True,
        "INT8",
        "INT32",
    ),
    (
        "sm80_xmma_conv_fprop_smallk_i8i8_i32_f32_nchw_vect_c_32kcrs_vect_c_32_warptilesize16x32_stage4",
        True,
        "INT8",
        "INT32",
    ),
    ("sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize64x32x64_tensor16x8x16_aligna2", True, "FP16", "FP32"),
    ("sm89_xmma_fprop_implicit_gemm_e4m3e4m3_e4m3f32_f32_nhwckrsc_nhwc_tensor16x8x32", True, "FP8", "FP32"),
    # Factors of 8 bits or fewer, and an output of more.
    ("sm89_xmma_gemm_e4m3e4m3_f16f32_f32_tn_n_tilesize128x128x64_tensor16x8x32", True, "FP8", "FP32"),
    ("sm89_xmma_gemm_e5m2e4m3_bf16f32_f32_tn_n_tilesize128x128x64_tensor16x8x32", True, "FP8", "FP32"),
    ("sm80_xmma_gemm_i8i8_f16i32_f32_tn_n_tilesize128x128x64_tensor16x8x32", True, "INT8", "INT32"),
    ("sm100_xmma_gemm_e2m1e2m1_bf16f32_f32_tn_n_tensor16x8x64", True, "FP4", "FP32"),
    ("sm100_xmma_gemm_e2m1e4m3_f16f32_f32_tn_n_tensor16x8x32", True, "FP8", "FP32"),
    # Weights alone in INT4 are converted before they are multiplied, whichever factor they are.
    ("sm80_xmma_gemm_bf16s4_bf16f32_bf16_tn_n_tensor16x8x16", True, "BF16", "FP32"),
    ("cutlass3x_sm90_tensorop_s128x128x16gemm_s4_f16_f32_f16_f16_128x128x64", True, "FP16", "FP32"),
    (
        "sm90_xmma_gemm_f16f16_f16f16_f16_tn_n_tilesize64x64x64_cgasize1x1x1_warpgroupsize1x1x1_beta0",
        True,
        "FP16",
        "FP16",
    ),
    # A kernel for architectures from before Tensor Cores: "HMMA" is the layout that it serves.
    ("sm50_xmma_convolution_depthwiseHMMA_FP16NHWCx8_TR3_TS3_STRIDEH1_STRIDEW1", False, "", ""),
    # Pooling multiplies nothing.
    ("sm50_xmma_pooling_fw_4d_FP16FP32NHWC_Average_FastDiv_CAlign4", False, "", ""),
    ("sm72_xmma_pooling_IMMA_NCxHW32_generic_kMAX", False, "", ""),
    # cutlass
    (
        "cutlass3x_sm100_tensorop_h128x128x16gemm_f16_f16_f16_f16_f16_128x128x64_0_tnn_align8_1sm_bias_f16_relu",
        True,
        "FP16",
        "FP16",
    ),
    (
        "cutlass3x_sm100_tensorop_s128x64x16implicit_gemm_fprop_f16_f16_f32_f16_f16_f32_128x64x64_dyn_cga",
        True,
        "FP16",
        "FP32",
    ),
    (
        "cutlass3x_sm100_tensorop_i64x256x32_conv3d_fprop_weight_stationary_s8_s8_s32_void_s8_f32_t1xr3xs3",
        True,
        "INT8",
        "INT32",
    ),
    (
        "cutlass3x_sm100_bstensorop_s128x128x64gemm_block_scaled_ue4m3xe2m1_ue4m3xe2m1_f32_bf16_bf16_128x128x256",
        True,
        "FP4",
        "FP32",
    ),
    ("cutlass3x_sm100_bstensorop_gemm_ue8m0xe4m3_ue8m0xe4m3_f32_void_bf16_128x128x128", True, "FP8", "FP32"),
    ("cutlass_80_tensorop_i16832gemm_s8_256x128_128x3_tn_align16", True, "INT8", "INT32"),
    ("cutlass_80_simt_sgemm_128x64_8x5_nn_align1", False, "FP32", "FP32"),
    (
        "trt_turing_cutlass_image_network_first_layer_hmma_fprop_f16f16f32_nhwc_nhwc_k64r7s7c4_stride2x2",
        True,
        "FP16",
        "FP32",
    ),
    # The rest
    ("fmha_v2_flash_attention_fp16_128_64_S_40_sm80", True, "FP16", ""),
    ("generatedNativePointwise", False, "", ""),
    ("volta_first_layer_filter7x7_imma_fwd_rowwise", True, "", ""),
    ("sm100_conv_act_pool_v5_s8_8x224x5_ncdhw_s8_NDHWC", None, "INT8", ""),
    ("_gemm_mha_v2_0x0f9cc5454dc7a7d5d62f1c1f117fc060", None, "", ""),
    ("__myl_CastMeanSubMulMeanAddSqrtDivMulCastMulAdd_0x2092a32ce6c8c49049621f229667b3be", None, "", ""),
    ("0x0000000000000001", None, "", ""),
    ("", None, "", ""),
]


@pytest.mark.parametrize(("name", "tensor_cores", "math_type", "accumulator"), NAMES)
def test_arithmetic_by_name(name, tensor_cores, math_type, accumulator):
    kernel = read_kernel(name)
    assert (kernel.tensor_cores, kernel.math_type, kernel.accumulator) == (
        tensor_cores,
        math_type,
        accumulator,
    )


def test_types_read_and_written_stand_in_that_order():
    assert read_kernel("ampere_fp32_icudnn_int8x4_128x64_relu_medium_nn_v1").data_types == ("INT8", "FP32")
    mixed = "sm80_xmma_fprop_implicit_gemm_interleaved_i8f16_i8i32_f32_nchw_vect_c_32kcrs_g1_tensor16x8x32"
    assert read_kernel(mixed).data_types == ("INT8", "FP16")


def test_families_and_kinds():
    families = {
        "ampere_h16816cudnn_128x128_ldg8_relu": "cudnn",
        "ampere_h16816gemm_128x64_ldg8_relu": "cublas",
        "sm50_xmma_cublas_gemvx_f16f16_f32_f32_nn_n": "cublas",
        "sm80_xmma_gemm_f16f16_f16f16_f16_nn_n_tensor16x8x16": "xmma",
        "cutlass3x_sm90_tensorop_s128x128x16gemm_f16_f16_f32_f16_f16": "cutlass",
        "_gemm_mha_v2_0x0f": "myelin",
        "__myl_Add_0x12": "myelin",
        "fmha_v2_fp16_64_64_sm80": "attention",
        "generatedNativePointwise": "pointwise",
        "sm100_conv_act_pool_v5_s8": "tensorrt",
        "a_users_own_kernel": "",
    }
    assert {name: read_kernel(name).family for name in families} == families
    assert read_kernel("sm50_xmma_convolution_depthwiseHMMA_FP16NHWCx8_TR3").is_depthwise
    assert read_kernel("sm50_xmma_cublas_gemvx_f16f16_f32_f32_nn_n").is_matrix_vector
    assert read_kernel("cutlass3x_sm100_tensorop_s128x64x16gemm").architecture == 100
    assert read_kernel("ampere_scudnn_128x64_relu_xregs_large_nn_v1").architecture == 80
    assert read_kernel("trt_turing_cutlass_image_network_first_layer_hmma_fprop").architecture == 75


def test_every_kernel_of_a_real_engine_that_multiplies_is_understood(engines_folder):
    """Only names made of a hash, or without any instruction, leave open where they run."""
    unclear = set()
    for folder in sorted(path for path in engines_folder.iterdir() if path.is_dir()):
        for layer in read_engine(folder).layers:
            kernel = read_kernel(layer.tactic)
            if layer.tactic and kernel.tensor_cores is None and kernel.family != "myelin":
                unclear.add(layer.tactic)
            if "tensor16x8" in layer.tactic or "tensorop" in layer.tactic:
                assert kernel.tensor_cores
                assert kernel.math_type
                assert layer.precision in {*kernel.data_types, ""}
    assert unclear == {"sm100_conv_act_pool_v5_s8_8x224x5_ncdhw_s8_NDHWC"}


@given(st.text(alphabet="abcdefghimnopstuvx_0123456789{}\x00é", max_size=60))
def test_no_name_is_too_odd(name):
    assert isinstance(read_kernel(name), Kernel)
