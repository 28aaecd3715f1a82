"""Check the reader of TREx's metadata files, and of what merely looks like them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trexreport.model.measurement import Measurement, Setup, Statistic
from trexreport.reader.metadata import read_metadata
from trexreport.reader.setup_facts import SetupFacts

BUILD = {
    "model_options": {"Format": "ONNX", "Model": "m.onnx"},
    "build_options": {"Max batch": "explicit batch", "avgTiming": "8", "Precision": "FP16"},
}
PROFILE = {
    "performance_summary": {
        "Throughput": 1155.36,
        "Latency": [1.0, 2.0, 1.5, 1.4, 1.9],
        "GPU Compute Time": [1.0, 2.0, 1.5, 1.4, 1.7, 1.8, 1.9],
        "Total Host Walltime": 3.00166,
        "Total GPU Compute Time": 2.99208,
    },
    "inference_options": {
        "Input inference shape": "input.1=32x3x224x224",
        "Duration": "3s (+ 200ms warm up)",
    },
    "device_information": {
        "Selected Device": "NVIDIA A100 80GB PCIe",
        "Compute Capability": 8.0,
        "SMs": 108.0,
        "Compute Clock Rate": 1.41,
        "Device Global Memory": "80994 MiB",
        "Memory Bus Width": 5120.0,
        "Memory Clock Rate": 1.512,
    },
}
GPU = {
    "Name": "NVIDIA A100 80GB PCIe",
    "ComputeCapability": [8, 0],
    "TotalMemory": 84929216512,
    "CUDA_VERSION": [11, 6, 0],
    "CLOCK_RATE": 1410000,
    "GLOBAL_MEMORY_BUS_WIDTH": 5120,
    "L2_CACHE_SIZE": 41943040,
    "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR": 167936,
    "MEMORY_CLOCK_RATE": 1512000,
    "MULTIPROCESSOR_COUNT": 108,
    "WARP_SIZE": 32,
}


def slugs(facts: SetupFacts) -> list[str]:
    return [note.slug for note in facts.notes]


def device(**values: object) -> SetupFacts:
    return read_metadata({"device_information": values}, "a.json")


def test_build_metadata():
    facts = read_metadata(BUILD, "a.json")
    assert facts == SetupFacts(Setup(BUILD["model_options"], BUILD["build_options"]))


def test_profile_metadata():
    facts = read_metadata(PROFILE, "a.json")
    five = Statistic(1.0, 2.0, 1.5, 1.4, {99.0: 1.9})
    seven = Statistic(1.0, 2.0, 1.5, 1.4, {90.0: 1.7, 95.0: 1.8, 99.0: 1.9})
    summary = {"Latency": five, "GPU Compute Time": seven}
    assert facts.measurement == Measurement(1155.36, summary, 3.00166, 2.99208)
    assert facts.setup.inference_options == PROFILE["inference_options"]
    assert facts.setup.device == {
        "Selected Device": "NVIDIA A100 80GB PCIe",
        "Compute Capability": "8.0",
        "SMs": "108",
        "Compute Clock Rate": "1.41 GHz",
        "Device Global Memory": "80994 MiB",
        "Memory Bus Width": "5120 bits",
        "Memory Clock Rate": "1.512 GHz",
    }
    assert facts.notes == ()


def test_all_in_one_file():
    facts = read_metadata({**BUILD, **PROFILE}, "a.json")
    assert facts.setup.build_options == BUILD["build_options"]
    assert facts.measurement.throughput_qps == 1155.36


def test_device_list_takes_trtexecs_keys():
    facts = read_metadata([GPU], "a.json")
    assert facts.notes == ()
    assert facts.setup.device == {
        "Selected Device": "NVIDIA A100 80GB PCIe",
        "Compute Capability": "8.0",
        "SMs": "108",
        "Compute Clock Rate": "1.41 GHz",
        "Device Global Memory": "80994 MiB",
        "Shared Memory per SM": "164 KiB",
        "Memory Bus Width": "5120 bits",
        "Memory Clock Rate": "1.512 GHz",
        "L2 Cache Size": "40 MiB",
        "CUDA Version": "11.6.0",
    }


def test_of_several_gpus_the_first_counts():
    facts = read_metadata([GPU, {**GPU, "Name": "other"}], "a.json")
    assert facts.setup.device["Selected Device"] == GPU["Name"]
    assert slugs(facts) == ["metadata-devices"]


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("Compute Capability", 9, "9.0"),
        ("Compute Capability", 8.6, "8.6"),
        ("Compute Capability", "8.6", "8.6"),
        ("SMs", "30", "30"),
        ("Memory Bus Width", "192 bits (ECC disabled)", "192 bits (ECC disabled)"),
        ("Memory Bus Width", "384.0", "384 bits"),
        ("Application Compute Clock Rate", "1.425 GHz", "1.425 GHz"),
        ("Application Memory Clock Rate", 7.001, "7.001 GHz"),
        ("Device Global Memory", 24268, "24268 MiB"),
        ("Shared Memory per SM", 100.0, "100 KiB"),
        ("Selected Device UUID", "GPU-2580ec36", "GPU-2580ec36"),
        ("Device 0", '"A" UUID: GPU-2580ec36', '"A" UUID: GPU-2580ec36'),
        ("Something", True, "true"),
    ],
)
def test_units_of_the_device(key, value, text):
    assert device(**{key: value}).setup.device == {key: text}


def test_remains_of_cut_values_are_left_out():
    facts = device(**{"Available Devices": "", "Device 0": '"A" UUID'})
    assert facts.setup.device == {}
    assert facts.notes == ()
    cut = {"Memory Pools": "workspace", "Tempfile Controls": "{ in_memory", "Precision": "FP32"}
    facts = read_metadata({"build_options": cut}, "a.json")
    assert facts.setup.build_options == {"Precision": "FP32"}
    assert slugs(facts) == ["metadata-cut"]
    whole = {"Memory Pools": "workspace: 20 MiB"}
    assert read_metadata({"build_options": whole}, "a.json").setup.build_options == whole


@pytest.mark.parametrize(
    "value",
    [
        [],
        [1.0],
        [1.0] * 4,
        [1.0] * 6,
        [1.0] * 8,
        [1.0, 2.0, None, 1.0, 1.0],
        [1.0, 2.0, "x", 1.0, 1.0],
        [1.0, 2.0, [1.0], 1.0, 1.0],
        [1.0, 2.0, float("nan"), 1.0, 1.0],
        [1.0, 2.0, True, 1.0, 1.0],
        {"min": 1.0},
        "1 2 3",
        None,
        1.0,
    ],
)
def test_statistics_of_other_shapes_are_noted(value):
    facts = read_metadata({"performance_summary": {"Latency": value, "Throughput": 5}}, "a.json")
    assert facts.measurement == Measurement(throughput_qps=5)
    assert slugs(facts) == ["metadata-values"]
    assert facts.notes[0].source == "a.json"
    assert "Latency" in facts.notes[0].message


def test_figures_as_texts_are_figures():
    summary = {"Throughput": "5.5", "Latency": ["1", "2", "1e0", "1", "2"]}
    facts = read_metadata({"performance_summary": summary}, "a.json")
    assert facts.measurement == Measurement(5.5, {"Latency": Statistic(1, 2, 1, 1, {99.0: 2.0})})


def test_values_of_wrong_types_are_noted():
    document = {
        "model_options": ["Format"],
        "build_options": {
            "Precision": None,
            "avgTiming": 8,
            "Refit": False,
            "x": {"y": 1},
            "Y": 0.5,
            "Z": 1e300,
        },
        "inference_options": None,
        "device_information": {"SMs": [1], "Name": float("inf"), "Compute Capability": 10**5000},
        "performance_summary": {"Throughput": [1], "Total Host Walltime": "soon"},
    }
    facts = read_metadata(document, "a.json")
    assert facts.setup == Setup(build_options={"avgTiming": "8", "Refit": "false", "Y": "0.5"})
    assert facts.measurement == Measurement()
    assert slugs(facts) == ["metadata-values"]
    assert facts.notes[0].message.endswith("and 5 more.")


def test_attributes_of_wrong_types_are_noted():
    odd = {"ComputeCapability": "8.0", "TotalMemory": -1, "CLOCK_RATE": None, "CUDA_VERSION": [True]}
    facts = read_metadata([{"Name": 7, "MULTIPROCESSOR_COUNT": 1e300, **odd}], "a.json")
    assert facts.setup.device == {}
    assert slugs(facts) == ["metadata-values"]


@pytest.mark.parametrize("document", [{}, [], None, 3, "x", [[GPU]], [{"a": 1}], {"Layers": []}])
def test_other_documents_are_noted(document):
    facts = read_metadata(document, "a.json")
    assert (facts.setup, facts.measurement) == (Setup(), Measurement())
    assert slugs(facts) == ["metadata-unknown"]


@pytest.mark.parametrize("key", ["TensorRT version", "tensorrt_version"])
@pytest.mark.parametrize(
    ("value", "version"), [("10.16.1", "10.16.1"), ("8601", "8.6.1"), (100101, "10.1.1")]
)
def test_version(key, value, version):
    assert read_metadata({key: value}, "a.json").setup.tensorrt_version == version
    assert device(**{key: value}).setup == Setup(tensorrt_version=version)
    assert read_metadata([{**GPU, key: value}], "a.json").setup.tensorrt_version == version


def test_synthetic():
    assert read_metadata({**PROFILE, "synthetic": True}, "a.json").extra
    assert read_metadata([{**GPU, "synthetic": True}], "a.json").extra
    assert not read_metadata({**PROFILE, "synthetic": "no"}, "a.json").extra
    assert not read_metadata(PROFILE, "a.json").extra


NAMES = st.sampled_from(
    [*BUILD, *PROFILE, *GPU, *PROFILE["performance_summary"], *PROFILE["device_information"], "synthetic"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just(10**400),
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(NAMES | st.text(), inner, max_size=8),
    max_leaves=30,
)


@settings(max_examples=150, deadline=None)
@given(VALUES)
def test_any_document_is_read(document):
    facts = read_metadata(document, "a.json")
    setup = facts.setup
    for section in (setup.model_options, setup.build_options, setup.inference_options, setup.device):
        assert all(isinstance(part, str) for item in section.items() for part in item)


@pytest.fixture(scope="module")
def metadata_files(engines_folder) -> list[Path]:
    files = sorted(engines_folder.rglob("*metadata.json"))
    assert len(files) >= 14
    return files


def test_files_of_engines_are_read_whole(metadata_files, engine_source):
    kinds = set()
    for file in metadata_files:
        document = json.loads(file.read_text())
        facts = read_metadata(document, file.name)
        assert set(slugs(facts)) <= {"metadata-cut"}, file
        if isinstance(document, list):
            kinds.add("devices")
            assert facts.setup.device["Selected Device"] == document[0]["Name"]
            continue
        kinds |= set(document)
        assert facts.setup.inference_options == document.get("inference_options", {})
        performance = document.get("performance_summary", {})
        assert facts.measurement.throughput_qps == performance.get("Throughput")
        lists = {name: value for name, value in performance.items() if isinstance(value, list)}
        assert set(facts.measurement.summary) == set(lists)
        for name, value in lists.items():
            read = facts.measurement.summary[name]
            figures = [read.min_ms, read.max_ms, read.mean_ms, read.median_ms, *read.percentiles.values()]
            assert figures == value
            assert list(read.percentiles) == ([99.0] if len(value) == 5 else [90.0, 95.0, 99.0])
    sections = {"build_options", "performance_summary", "device_information"}
    # The list of devices that TREx writes on its own is in a test by hand.
    assert sections | ({"devices"} if engine_source == "real" else set()) <= kinds


def test_devices_of_engines_have_units(metadata_files):
    assert metadata_files
    for file in metadata_files:
        shown = read_metadata(json.loads(file.read_text()), file.name).setup.device
        for key, text in shown.items():
            if "Clock" in key:
                assert text.endswith(" GHz"), (file, key)
            if key == "Compute Capability":
                assert text in {"8.0", "8.6"}, file
            if key == "SMs":
                assert text.isdigit(), file


def test_a_value_that_is_left_out_is_named_with_its_file():
    summary = {**PROFILE["performance_summary"], "Throughput": "fast"}
    facts = read_metadata({**PROFILE, "performance_summary": summary}, "x.profile.metadata.json")
    (message,) = [note.message for note in facts.notes if note.slug == "metadata-values"]
    assert message.startswith("Values of an unexpected kind or length in x.profile.metadata.json were left")
    assert 'performance_summary: Throughput = "fast"' in message


@pytest.mark.parametrize(("clock", "is_kept"), [("1.41 GHz", True), ("1.41", True), ("1.41 MHz", False)])
def test_a_figure_of_the_gpu_in_another_unit_is_unknown(clock, is_kept):
    device = {**PROFILE["device_information"], "Compute Clock Rate": clock}
    facts = read_metadata({**PROFILE, "device_information": device}, "x")
    assert ("Compute Clock Rate" in facts.setup.device) == is_kept
    assert any("is not in GHz" in note.message for note in facts.notes) != is_kept
