"""The table of GPUs, how a capture's GPU is found in it, and what a user may add."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from gpu_tables import with_gpu_tables
from hypothesis import given
from hypothesis import strategies as st

from trexreport.analyzer import GpuChoice
from trexreport.analyzer.analysis import Gpu, RooflineObstacle
from trexreport.analyzer.roofline.matching import choose_gpu
from trexreport.analyzer.roofline.table import built_in_table
from trexreport.errors import UsageError
from trexreport.wording.roofline import gpu_match, roofline_obstacle_sentence

DOCUMENT = Path(__file__).parents[3] / "docs" / "gpus.md"


def device(name, sms=None, memory_mib=None, bus=None, clock=None, **more):
    stated = {
        "Selected Device": name,
        "SMs": sms,
        "Device Global Memory": memory_mib and f"{memory_mib} MiB",
        "Memory Bus Width": bus and f"{bus} bits (ECC enabled)",
        "Application Compute Clock Rate": clock and f"{clock} GHz",
    }
    return {key: str(value) for key, value in {**stated, **more}.items() if value is not None}


FOUND = [
    # as drivers write the names, with what trexec states beside them
    (device("NVIDIA A100 80GB PCIe", 108, 80994, 5120), "A100 80GB PCIe"),
    (device("NVIDIA A100-SXM4-80GB", 108, 81251, 5120), "A100 80GB SXM"),
    (device("NVIDIA A100-SXM4-40GB", 108, 40536, 5120), "A100 40GB"),
    (device("A100-PCIE-40GB"), "A100 40GB"),
    (device("NVIDIA A100-SXM4-80GB"), "A100 80GB SXM"),
    (device("NVIDIA H100 PCIe", 114, 81081, 5120), "H100 PCIe"),
    (device("NVIDIA H100 80GB HBM3", 132, 81116, 5120), "H100 SXM"),
    (device("NVIDIA H100 NVL", 132, 95830, 6144), "H100 NVL"),
    (device("NVIDIA H200", 132, 143771, 6144), "H200 SXM"),
    (device("NVIDIA B200", 148, 182642, 8192), "B200"),
    (device("NVIDIA B300 SXM6 AC", 148, 274000), "B300"),
    (device("NVIDIA GB200", 152, 189471, 8192), "GB200 (one GPU)"),
    (device("NVIDIA GB300", 152, 284208, 8192), "GB300 (one GPU)"),
    (device("NVIDIA GB10", 48, 122502), "GB10"),
    (device("NVIDIA A10G", 80, 22731, 384), "A10G"),
    (device("NVIDIA A10", 72, 22731, 384), "A10"),
    (device("NVIDIA H20", 78, 97871), "H20"),
    (device("NVIDIA H20-3e", 78, 143771), "H20-3e"),
    (device("NVIDIA H800", 132, 81559, 5120), "H800 SXM"),
    (device("NVIDIA H800 PCIe", 114, 81559, 5120), "H800 PCIe"),
    (device("NVIDIA H200 NVL", 132, 143771, 6144), "H200 NVL"),
    (device("NVIDIA GH200 480GB", 132, 97871, 6144), "GH200 96GB"),
    (device("NVIDIA GH200 144G HBM3e", 132, 147456, 6144), "GH200 144GB"),
    (device("NVIDIA L20", 92, 45589, 384), "L20"),
    (
        device("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", 188, 97250, 512),
        "RTX PRO 6000 Blackwell Workstation",
    ),
    (
        device("NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", 188, 97250, 512),
        "RTX PRO 6000 Blackwell Max-Q",
    ),
    (
        device("NVIDIA RTX PRO 6000 Blackwell Server Edition", 188, 97250, 512),
        "RTX PRO 6000 Blackwell Server",
    ),
    (device("NVIDIA RTX PRO 5000 Blackwell", 110, 48935, 384), "RTX PRO 5000 Blackwell"),
    (device("NVIDIA RTX PRO 4500 Blackwell", 82, 32607, 256), "RTX PRO 4500 Blackwell"),
    (device("NVIDIA GeForce RTX 5070 Ti", 70, 16303, 256), "GeForce RTX 5070 Ti"),
    (device("NVIDIA GeForce RTX 4060 Ti", 34, 16380, 128), "GeForce RTX 4060 Ti"),
    (device("NVIDIA GeForce RTX 3080", 70, 12045, 384), "GeForce RTX 3080 12GB"),
    (device("NVIDIA GeForce RTX 2080 SUPER", 48, 7982, 256), "GeForce RTX 2080 SUPER"),
    (device("NVIDIA Thor", 20, 125771, 256), "Jetson Thor T5000"),
    (device("NVIDIA Thor", 12, 62800, 256), "Jetson Thor T4000"),
    (device("Orin", 14, 30536, 256), "Jetson AGX Orin 32GB"),
    (device("Orin", 8, 7620, 128, 0.624), "Jetson Orin Nano 8GB"),
    (device("Orin", 8, 7620, 128, 1.02), "Jetson Orin Nano 8GB Super"),
    (device("Orin", 8, 7620, 128, 0.765), "Jetson Orin NX 8GB"),
    (device("Orin", 4, 3400, 64), "Jetson Orin Nano 4GB"),
    (device("Tesla T4", 40, 15109, 256), "T4"),
    (device("Tesla V100-SXM2-16GB", 80, 16160, 4096), "V100 SXM2"),
    (device("Tesla V100-PCIE-32GB", 80, 32510, 4096), "V100 PCIe"),
    (device("NVIDIA L4", 58, 22565, 192), "L4"),
    (device("NVIDIA L40", 142, 45488, 384), "L40"),
    (device("NVIDIA L40S", 142, 45488, 384), "L40S"),
    (device("NVIDIA GeForce RTX 3090", 82, 24268, 384), "GeForce RTX 3090"),
    (device("NVIDIA GeForce RTX 3080", 68, 10010, 320), "GeForce RTX 3080 10GB"),
    (device("NVIDIA GeForce RTX 3080 Ti", 80, 12045, 384), "GeForce RTX 3080 Ti"),
    (device("NVIDIA GeForce RTX 3060 Laptop GPU", 30, 5937, 192), "GeForce RTX 3060 Laptop"),
    (device("NVIDIA GeForce RTX 3060", 28, 12053, 192), "GeForce RTX 3060"),
    (device("NVIDIA RTX 6000 Ada Generation", 142, 48632, 384), "RTX 6000 Ada"),
    (device("NVIDIA RTX A6000", 84, 48682, 384), "RTX A6000"),
    (device("Orin", 16, 62800, 256), "Jetson AGX Orin 64GB"),
    (device("Orin", 8, 15656, 128), "Jetson Orin NX 16GB"),
    (device("Orin", 8, 7620, 128), "Jetson Orin Nano 8GB"),
    # as published outputs of drivers have them: other widths of the bus, and less memory than is sold
    (device("NVIDIA B200", 148, 182631, 7680), "B200"),
    (device("NVIDIA B300 SXM6 AC", 148, 275040, 7680), "B300"),
    (device("NVIDIA H100 NVL", 132, 94849, 6016), "H100 NVL"),
    (device("NVIDIA GH200 120GB", 132, 96768, 6144), "GH200 96GB (120GB module)"),
    (device("NVIDIA Thor", 20, 125772, 0), "Jetson Thor T5000"),
    (device("Orin", 16, 30623, 128, 1.3), "Jetson AGX Orin 64GB"),
    (device("Orin", 8, 15388, 64, 0.918), "Jetson Orin NX 16GB"),
    (device("Orin", 8, 7620, 128, 1.173), "Jetson Orin NX 8GB Super"),
    (device("Orin", 4, 3311, 64, 0.624), "Jetson Orin Nano 4GB"),
]


@pytest.mark.parametrize(("stated", "name"), FOUND, ids=lambda value: value if isinstance(value, str) else "")
def test_boards_are_found_by_what_captures_state(stated, name):
    gpu = choose_gpu(stated)
    assert isinstance(gpu, Gpu), gpu
    assert gpu.name == name
    assert (gpu.chosen_by, gpu.device) == ("name", stated["Selected Device"])


NOT_FOUND = [
    device("NVIDIA A100"),  # which of three?
    device("NVIDIA GeForce RTX 3080", 72, 12045, 384),
    device("NVIDIA GeForce RTX 3080 Laptop GPU", 48, 16108, 256),
    device("NVIDIA GeForce RTX 3060 Ti Super"),
    device("NVIDIA A100-SXM4-80GB MIG 3g.40gb", 42, 40192),
    device("NVIDIA A1000"),
    device("T400"),
    device("A100", 54),
    device(""),
    {},
]


@pytest.mark.parametrize("stated", NOT_FOUND, ids=lambda stated: stated.get("Selected Device", "nothing"))
def test_others_are_not_taken_for_them(stated):
    reason = choose_gpu(stated)
    assert isinstance(reason, RooflineObstacle)
    assert "--gpu" in roofline_obstacle_sentence(reason)


def test_what_could_be_several_is_stated():
    found = choose_gpu(device("NVIDIA A100"))
    assert found.code == "gpu-ambiguous"
    assert roofline_obstacle_sentence(found) == (
        '"NVIDIA A100" matches A100 40GB, A100 80GB PCIe, A100 80GB SXM. Select one with --gpu.'
    )


def test_what_could_be_several_is_derived_where_that_is_possible():
    stated = {**device("NVIDIA A100", 108, 81000, 5120, 1.41), **OF_HBM}
    gpu = choose_gpu({**stated, "Application Memory Clock Rate": "1.593 GHz"})
    assert gpu.chosen_by == "derived"
    assert gpu.bandwidth_gbs == pytest.approx(2039, rel=0.001)


def test_the_clock_scales_the_peaks_and_not_the_memory():
    gpu = choose_gpu(device("NVIDIA A100 80GB PCIe", 108, clock=0.705))
    assert gpu.clock_scale == pytest.approx(0.5)
    assert gpu.tensor_tflops["INT8"] == pytest.approx(312)
    assert gpu.vector_tflops["FP32"] == pytest.approx(9.75)
    assert gpu.bandwidth_gbs == 1935


@pytest.mark.parametrize(
    ("name", "bus", "clock", "gbs"),
    [
        ("NVIDIA L4", 192, "6.251 GHz", 300),
        ("NVIDIA L4", 192, "5.001 GHz", 240),
        ("NVIDIA L4", 192, "0.405 GHz", 300),
        ("NVIDIA L4", None, "5.001 GHz", 300),
        ("NVIDIA L4", 192, None, 300),
        ("NVIDIA GB10", 256, "4.0 GHz", 273),
    ],
)
def test_a_lower_memory_clock_lowers_the_bandwidth(name, bus, clock, gbs):
    """One of a twentieth is that of an idle GPU, and drivers misstate those of memory that the CPU shares."""
    stated = device(name, bus=bus, **{"Application Memory Clock Rate": clock, "Compute Capability": ""})
    gpu = choose_gpu(stated)
    assert gpu.bandwidth_gbs == pytest.approx(gbs, rel=0.001)


@pytest.mark.parametrize(
    ("clock", "scale"),
    [(0.071, 0.071 / 1.41), (0.07, 1.0), (2.11, 2.11 / 1.41), (2.12, 1.0), (1410, 1.0)],
)
def test_a_clock_of_no_such_gpu_scales_nothing(clock, scale):
    """The boost clock is 1.41 GHz; from a twentieth of it to one and a half times are believed."""
    assert choose_gpu(device("NVIDIA A100 80GB PCIe", clock=clock)).clock_scale == pytest.approx(scale)


@pytest.mark.parametrize(
    ("memory_mib", "fits"), [(68_000, True), (66_000, False), (85_000, True), (86_000, False)]
)
def test_memory_may_be_an_eighth_less_or_more(memory_mib, fits):
    """80 GB are 76,294 MiB."""
    assert isinstance(choose_gpu(device("NVIDIA A100 80GB PCIe", memory_mib=memory_mib)), Gpu) == fits


def test_a_stated_cache_is_taken():
    stated = {**device("NVIDIA A100 80GB PCIe"), "L2 Cache Size": "20 MiB"}
    assert choose_gpu(stated).l2_bytes == 20 * 2**20
    assert choose_gpu(device("NVIDIA A100 80GB PCIe")).l2_bytes == 40 * 2**20


COMPLETE = {"Compute Capability": "8.6", "Application Memory Clock Rate": "7.001 GHz"}
#: With the memory clock of an A100, which an H100 exceeds.
OF_HBM = {"Compute Capability": "8.0", "Application Memory Clock Rate": "1.512 GHz"}


def test_an_unknown_board_is_derived():
    gpu = choose_gpu({**device("NVIDIA GeForce RTX 3040", 20, 8192, 128, 1.777), **COMPLETE})
    assert gpu.name == "NVIDIA GeForce RTX 3040"
    assert gpu.chosen_by == "derived"
    assert gpu.source == "what the capture states"
    assert gpu.derived == ("operations of one SM of compute capability 8.6 in one clock × 20 SMs × 1.777 GHz")
    # 512 operations of one SM in one clock, and 1024 where products are added in FP16
    assert gpu.tensor_tflops["FP16"] == pytest.approx(20 * 1.777e9 * 512 / 1e12)
    assert gpu.tensor_tflops["FP16/FP16"] == pytest.approx(20 * 1.777e9 * 1024 / 1e12)
    assert gpu.vector_tflops == {"FP32": pytest.approx(20 * 1.777e9 * 256 / 1e12)}
    assert gpu.bandwidth_gbs == pytest.approx(128 / 8 * 7.001 * 2)
    assert gpu.l2_bytes is None
    workstation = choose_gpu({**device("NVIDIA RTX A1900", 26, 6138, 192, 1.2), **COMPLETE})
    assert workstation.tensor_tflops["FP16"] == pytest.approx(26 * 1.2e9 * 1024 / 1e12)


def test_turing_without_tensor_cores():
    stated = device("NVIDIA GeForce GTX 1660", 22, 5942, 192, 1.785)
    gpu = choose_gpu({**stated, **COMPLETE, "Compute Capability": "7.5"})
    assert gpu.tensor_tflops == {}
    assert gpu.vector_tflops["FP32"] == pytest.approx(22 * 1.785e9 * 128 / 1e12)


@pytest.mark.parametrize("key", ["SMs", "Memory Bus Width", "Application Compute Clock Rate"])
def test_what_is_lacking_for_that_is_stated(key):
    stated = {**device("NVIDIA GeForce RTX 3040", 20, 8192, 128, 1.777), **COMPLETE}
    del stated[key]
    lacking = {"SMs": "SMs", "Memory Bus Width": "memory bus width"}.get(key, "compute clock")
    found = choose_gpu(stated)
    assert (found.code, found.names) == ("gpu-incomplete", [lacking])
    assert f"does not state its {lacking}." in roofline_obstacle_sentence(found)


@pytest.mark.parametrize(
    ("sms", "bits", "is_possible"), [(108, 640, False), (108, 3840, True), (54, 640, True)]
)
def test_a_whole_gpu_has_the_whole_memory_bus(sms, bits, is_possible):
    stated = {**OF_HBM}
    found = choose_gpu({**stated, **device("NVIDIA A100 80GB PCIe", sms, 80994, bits, 1.41)})
    assert (getattr(found, "code", "") != "gpu-contradicted") is is_possible
    if not is_possible:
        assert "a memory bus of 640 bits, which no GPU" in roofline_obstacle_sentence(found)


@pytest.mark.parametrize(
    ("name", "sms", "capability", "expected"),
    [
        ("Tesla T4", 108, "8.0", ["compute capability 8.0"]),
        ("NVIDIA A100 80GB PCIe", 108, "9.0", ["compute capability 9.0"]),
        ("NVIDIA A100 80GB PCIe", 108, "10.3", ["compute capability 10.3"]),
        ("NVIDIA GeForce RTX 4090", 108, "8.0", ["compute capability 8.0"]),
        ("NVIDIA H100 80GB HBM3", 200, "9.0", ["200 SMs"]),
        # A part of a GPU, another GPU with a word more, and a number that CUDA changed.
        ("NVIDIA H100 80GB HBM3", 60, "9.0", None),
        ("Tesla T4 Next", 108, "8.0", None),
        ("NVIDIA Thor", 20, "10.1", None),
    ],
)
def test_figures_that_no_gpu_of_the_name_has_are_stated(name, sms, capability, expected):
    found = choose_gpu({**device(name, sms, 81079, 5120, 1.98), **OF_HBM, "Compute Capability": capability})
    contradicted = found.names if getattr(found, "code", "") == "gpu-contradicted" else None
    assert contradicted == expected
    if expected:
        assert f'{expected[0]}, which no GPU "{name}" has.' in roofline_obstacle_sentence(found)


@pytest.mark.parametrize("compute_capability", ["7.2", "8.7", "11.0", "12.1"])
def test_the_bandwidth_of_integrated_gpus_is_not_derived(compute_capability):
    stated = {**device("Orin (nvgpu)", 3, 7000, 64, 0.3), **COMPLETE}
    found = choose_gpu({**stated, "Compute Capability": compute_capability})
    assert (found.code, found.names) == ("gpu-incomplete", ["memory bandwidth"])


def test_the_match_is_worded():
    by_name = choose_gpu(device("NVIDIA A100 80GB PCIe", 108))
    assert gpu_match(by_name) == 'matched by the name "NVIDIA A100 80GB PCIe" and SMs'
    assert gpu_match(choose_gpu({}, GpuChoice("T4"))) == "selected by the user"
    stated = {**device("NVIDIA A100", 108, 81000, 5120, 1.41), **OF_HBM}
    assert gpu_match(choose_gpu(stated)).startswith("not in the table; derived from")


def test_choice_by_name():
    for name in (
        "A100 80GB PCIe",
        "a100-80gb-pcie",
        "NVIDIA A100 80GB PCIe",
        "GeForce RTX 3060",
        "RTX 3060",
        "4090",
    ):
        gpu = choose_gpu({}, GpuChoice(name))
        assert gpu.chosen_by == "user"
        assert set(name.lower().replace("-", " ").split()) - {"nvidia"} <= set(gpu.name.lower().split()) | {
            "nvidia"
        }
    assert choose_gpu({}, GpuChoice("RTX 3060")).name == "GeForce RTX 3060"
    # The clock of the capture is another GPU's unless its SMs agree.
    stated = device("NVIDIA A100 80GB PCIe", 108, clock=0.705)
    assert choose_gpu(stated, GpuChoice("T4")).clock_scale == 1.0
    assert choose_gpu(stated, GpuChoice("A100 80GB SXM")).clock_scale == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("A100", 'More than one GPU fits "A100": A100 40GB, A100 80GB PCIe, A100 80GB SXM.'),
        ("RTX 3900", 'No GPU of the table is called "RTX 3900". Did you mean GeForce RTX 3090, '),
        ("", 'No GPU of the table is called "".'),
        ("abacus", '[gpus."NAME"] with bandwidth_gbs and peaks'),
    ],
)
def test_a_name_that_is_none(name, message):
    with pytest.raises(UsageError) as raised:
        choose_gpu({}, GpuChoice(name))
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


OWN = {"name": "Board X", "bandwidth_gbs": 100, "peaks": {"fp32": 1, "fp16": 8}}


def own(*entries, **more):
    return GpuChoice(None, {"gpu": list(entries), **more}, "mine.toml")


def test_a_table_of_the_users_own():
    gpu = choose_gpu(device("NVIDIA Board X"), own(OWN))
    assert (gpu.name, gpu.tensor_tflops, gpu.vector_tflops) == ("Board X", {"FP16": 8.0}, {"FP32": 1.0})
    assert gpu.source == "mine.toml"
    mine = choose_gpu(device("Tesla T4"), own({**OWN, "name": "T4"}))
    assert mine.bandwidth_gbs == 100
    # The user's own goes before others that fit.
    assert choose_gpu(device("Tesla T4"), own({**OWN, "words": ["T4"]})).name == "Board X"
    derived = {"name": "Y", "compute_capability": "9.0", "sms": 10, "boost_ghz": 1.0, "bandwidth_gbs": 5}
    assert choose_gpu(device("Y"), own(derived)).tensor_tflops["FP8"] == pytest.approx(81.92)
    rates = {"compute_capability": "99.0", "rates": {"fp32": 100}}
    of_own_architecture = {**derived, "compute_capability": "99.0"}
    gpu = choose_gpu(device("Y"), own(of_own_architecture, architecture=[rates]))
    assert gpu.vector_tflops == {"FP32": 1.0}


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({**OWN, "bandwith_gbs": 3}, 'mine.toml: gpu "Board X": bandwith_gbs is not a known key.'),
        ({**OWN, "bandwidth_gbs": "fast"}, 'bandwidth_gbs must be a number, not "fast".'),
        (
            {**OWN, "bandwidth_gbs": 5e-324},
            "bandwidth_gbs must be 1e-06 to 1e+12, not 5e-324.",
        ),
        ({**OWN, "bandwidth_gbs": 10**5000}, "bandwidth_gbs must be 1e-06 to 1e+12, not that."),
        (
            {**OWN, "sms": 10**400},
            "sms must be a whole number from 1 to 1000000, not that.",
        ),
        ({**OWN, "bandwidth_gbs": float("nan")}, "bandwidth_gbs must be a number, not nan."),
        ({**OWN, "bandwidth_gbs": True}, "bandwidth_gbs must be a number, not true."),
        ({**OWN, "sms": 1.5}, "sms must be a whole number from 1 to 1000000, not 1.5."),
        ({**OWN, "certain": "no"}, 'certain must be true or false, not "no".'),
        ({**OWN, "words": "x"}, 'words must be a list of texts, not "x".'),
        ({**OWN, "peaks": 3}, "peaks must be a table, not 3."),
        ({**OWN, "peaks": {"fp17": 3}}, "peaks.fp17 is not a known key. Did you mean fp1"),
        ({**OWN, "peaks": {"fp16": -3}}, "peaks.fp16 must be 1e-06 to 1e+12, not -3."),
        (
            {"name": "Board X", "bandwidth_gbs": 1},
            "peaks is missing. Give peaks, or a known compute_capability",
        ),
        ({"name": "Board X", "peaks": {"fp32": 1}}, "bandwidth_gbs is missing."),
        ({**OWN, "memory_gb": [8, "x"]}, 'memory_gb must be a number, not "x".'),
        ({**OWN, "segment": 3}, "segment must be a text that is not empty, not 3."),
        ({"bandwidth_gbs": 1}, "mine.toml: gpu 1: name is missing."),
    ],
)
def test_mistakes_in_it_are_named(entry, message):
    with pytest.raises(UsageError) as raised:
        choose_gpu({}, own(entry))
    text = str(raised.value)
    assert message in text
    assert text.startswith("mine.toml: gpu ")
    assert "\n" not in text


def test_mistakes_around_it_are_named():
    for table, message in (
        ({"gpus": []}, "gpus is not a known key. Did you mean gpu?"),
        ({"gpu": {}}, "gpu must be a list of tables"),
    ):
        with pytest.raises(UsageError, match=message):
            choose_gpu({}, GpuChoice(None, table, "mine.toml"))


def test_every_entry_can_be_chosen_and_is_plausible():
    checked = list(built_in_table().boards)
    assert checked
    for board in checked:
        gpu = choose_gpu({}, GpuChoice(board.name))
        assert gpu.name == board.name
        assert 30 < gpu.bandwidth_gbs < 10_000
        assert board.source
        # Wider types are never faster.
        tensor = gpu.tensor_tflops
        assert tensor["FP16"] <= tensor.get("FP8", 1e9) <= tensor.get("FP4", 1e9)
        assert tensor.get("TF32", 0) <= tensor["FP16"] <= tensor.get("FP16/FP16", 1e9)


#: Dense operations of one SM in one clock, as NVIDIA's documents of each architecture state them: FP32 cores
#: times two, and four (Turing, Volta: eight) Tensor Cores times their operations. GeForce boards do half as
#: many of those that they add in FP32 (`HALVED`).
PER_SM = {
    "7.0": {"fp32": 2 * 64, "fp16": 8 * 128, "dp4a_int8": 4 * 2 * 64},
    "7.2": {"fp32": 2 * 64, "fp16": 8 * 128, "int8": 8 * 256},
    "7.5": {"fp32": 2 * 64, "fp16": 8 * 128, "int8": 8 * 256},
    "8.0": {"fp32": 2 * 64, "tf32": 4 * 256, "fp16": 4 * 512, "int8": 4 * 1024},
    "8.6": {"fp32": 2 * 128, "tf32": 4 * 128, "fp16": 4 * 256, "int8": 4 * 512},
    "8.7": {"fp32": 2 * 128, "fp16": 4 * 512, "int8": 4 * 1024},
    "8.9": {"fp32": 2 * 128, "tf32": 4 * 128, "fp16": 4 * 256, "fp8": 4 * 512, "int8": 4 * 512},
    "9.0": {"fp32": 2 * 128, "tf32": 4 * 512, "fp16": 4 * 1024, "fp8": 4 * 2048, "int8": 4 * 2048},
    "10.0": {
        "fp32": 2 * 128,
        "tf32": 4 * 1024,
        "fp16": 4 * 2048,
        "fp8": 4 * 4096,
        "int8": 4 * 4096,
        "fp4": 4 * 8192,
    },
    "10.3": {"fp32": 2 * 128, "tf32": 4 * 1024, "fp16": 4 * 2048, "fp8": 4 * 4096, "fp4": 4 * 12288},
    "11.0": {
        "fp32": 2 * 128,
        "tf32": 4 * 1024,
        "fp16": 4 * 2048,
        "fp8": 4 * 4096,
        "int8": 4 * 4096,
        "fp4": 4 * 8192,
    },
    "12.0": {
        "fp32": 2 * 128,
        "tf32": 4 * 128,
        "fp16": 4 * 256,
        "fp8": 4 * 512,
        "int8": 4 * 512,
        "fp4": 4 * 1024,
    },
    "12.1": {
        "fp32": 2 * 128,
        "tf32": 4 * 128,
        "fp16": 4 * 256,
        "fp8": 4 * 512,
        "int8": 4 * 512,
        "fp4": 4 * 1024,
    },
}
HALVED = {
    "7.5": ("fp16",),
    "8.6": ("tf32", "fp16"),
    "8.9": ("tf32", "fp16", "fp8"),
    "12.0": ("tf32", "fp16", "fp8"),
}
BOARDS = built_in_table().boards


def expected_peaks(board):
    rates = dict(PER_SM[board.compute_capability])
    if board.segment == "geforce":
        for key in HALVED[board.compute_capability]:
            if key in rates:
                rates[key] /= 2
        rates |= {f"{key}_fp16": 2 * rates[key] for key in ("fp16", "fp8") if key in rates}
    if "bf16" in board.peaks:
        rates["bf16"] = rates["fp16"]
    return {key: rate * board.sms * board.boost_ghz / 1e3 for key, rate in rates.items()}


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_peaks_are_operations_times_sms_times_clock_or_say_why_not(board):
    assert board.source
    assert board.url.startswith("https://") or not board.certain or "driver" in board.source
    if board.sms is None:
        assert not board.certain
        return
    expected = expected_peaks(board)
    far = {
        key: (peak, expected[key]) for key, peak in board.peaks.items() if abs(peak / expected[key] - 1) > 0.1
    }
    assert bool(far) == bool(board.differs), far
    # Far higher ones are impossible.
    assert all(peak < 1.15 * limit for peak, limit in far.values())
    missing = expected.keys() - board.peaks.keys()
    assert not missing or not board.certain


@pytest.mark.parametrize(
    ("name", "key", "dense"),
    [
        # as published, all dense
        ("H20", "fp16", 148),
        ("H20", "int8", 296),
        ("GH200 96GB", "fp16", 990),
        ("H800 SXM", "fp16", 989),
        ("A10G", "fp16", 70),
        ("A10G", "int8", 140),
        ("A10", "fp16", 125),
        ("L4", "int8", 242.5),
        ("A100 80GB SXM", "tf32", 156),
        ("GB10", "fp4", 500),
        ("B300", "fp4", 13500),
        ("GeForce RTX 4090", "tf32", 82.6),
        ("GeForce RTX 5070", "fp4", 494),
        ("RTX PRO 6000 Blackwell Workstation", "fp4", 2015),
        ("Jetson AGX Orin 64GB", "int8", 85),
        ("Jetson Thor T4000", "fp4", 600),
    ],
)
def test_published_dense_figures(name, key, dense):
    (board,) = (each for each in BOARDS if each.name == name)
    assert board.peaks[key] == pytest.approx(dense, rel=0.005)


def test_on_geforce_boards_tf32_is_no_faster_than_fp32():
    boards = [board for board in BOARDS if board.segment == "geforce" and "tf32" in board.peaks]
    assert len(boards) > 20
    for board in boards:
        assert board.peaks["tf32"] == pytest.approx(board.peaks["fp32"]), board.name


def test_derived_peaks_say_so():
    derived = {board.name: board.derived for board in BOARDS if board.derived}
    assert derived["GeForce RTX 3070"].endswith("46 SMs \u00d7 1.725 GHz")
    assert "sparse FP4 halved" in derived["GB10"]
    assert not {"H100 SXM", "H20", "A10G"} & derived.keys()


def test_the_document_is_current():
    page = DOCUMENT.read_text(encoding="utf-8")
    current = with_gpu_tables(page)
    if os.environ.get("UPDATE_GOLDEN"):
        DOCUMENT.write_text(current, encoding="utf-8")
    else:
        assert page == current, "UPDATE_GOLDEN=1 writes the tables again"


KEYS = (
    "Selected Device",
    "SMs",
    "Device Global Memory",
    "Memory Bus Width",
    "Application Compute Clock Rate",
)
TEXTS = st.one_of(
    st.text(max_size=20), st.sampled_from(["A100", "108", "1e999 GHz", "-5", "0", "9" * 400, "RTX"])
)


@given(
    st.sampled_from([{}, {**device("NVIDIA GeForce RTX 3050", 20, 8192, 128, 1.777), **COMPLETE}]),
    st.dictionaries(st.sampled_from([*KEYS, *COMPLETE]), TEXTS, max_size=2),
)
def test_any_device_gives_a_gpu_or_a_reason(stated, changes):
    found = choose_gpu(stated | changes)
    if isinstance(found, Gpu):
        assert found.bandwidth_gbs > 0
        assert all(peak > 0 for peak in found.tensor_tflops.values())
    else:
        assert "--gpu" in roofline_obstacle_sentence(found)


@pytest.mark.parametrize(
    ("key", "value", "stated"),
    [
        ("Application Memory Clock Rate", "1.512 GHz", ""),
        ("Application Memory Clock Rate", "1.8 GHz", ""),
        ("Application Memory Clock Rate", "0.8 GHz", ""),
        ("Application Memory Clock Rate", "3.2 GHz", "a memory clock of 3.2 GHz"),
        ("Application Compute Clock Rate", "1.6 GHz", ""),
        ("Application Compute Clock Rate", "3.5 GHz", "a clock of 3.5 GHz"),
        ("Device Global Memory", "40000 MiB", ""),
        ("Device Global Memory", "162000 MiB", "169.9 GB of memory"),
    ],
)
def test_no_gpu_has_more_memory_and_higher_clocks_than_its_board(key, value, stated):
    named = device("NVIDIA A100 80GB PCIe", 108, 81050, 5120, 1.41)
    found = choose_gpu({**named, **OF_HBM, key: value})
    contradicted = found.names if getattr(found, "code", "") == "gpu-contradicted" else []
    assert contradicted == [stated] * bool(stated)
