"""A run that failed is explained: what failed at which node, the error, and a remedy that fits."""

from __future__ import annotations

import time

import pytest

from trexreport.reader.bare_errors import bare_error
from trexreport.reader.failed_run import why_failed
from trexreport.reader.first_cause import first_cause
from trexreport.reader.trtexec_log import read_trtexec_log

TIME = "[11/21/2026-07:39:40]"
REGION = "{ForeignNode[a + (Unnamed Layer* 1) [Shuffle]...If_6_OutputLayer]}"
ASSERTION = 'trtexec: /x/myelin/src/graph.cpp:9: f(): Assertion `0 && "Unsupported type"\' failed.'


def explain(*errors, text="", command="", version="8.6.1"):
    why = why_failed(text, errors, [command], version)
    return why._replace(cause=why.cause.replace("\N{NO-BREAK SPACE}", " "))


def test_an_assertion_of_myelin_names_the_part_that_the_builder_timed():
    text = (
        f"{TIME} [V] [TRT] *************** Autotuning format combination: Half(4,1) -> Half(4,1) ****\n"
        f"{TIME} [V] [TRT] --------------- Timing Runner: {REGION} (Myelin)\n{ASSERTION}\n"
    )
    why = explain(ASSERTION, text=text)
    assert why.cause == f"TensorRT's compiler Myelin stopped at an assertion, at {REGION} with Half inputs"
    assert "FP32" in why.remedy
    # Without a verbose log neither node nor types are known.
    assert explain(ASSERTION).cause == "TensorRT's compiler Myelin stopped at an assertion"
    assert explain(ASSERTION, text="--------------- Timing Runner: odd\n").cause == explain(ASSERTION).cause
    alone = text.partition("\n")[2]
    assert explain(ASSERTION, text=alone).cause.endswith(f", at {REGION}")


@pytest.mark.parametrize(
    ("text", "command", "version", "advised"),
    [
        ("due to insufficient memory on requested size", "--fp16", "8.6.1", "--memPoolSize=workspace:4096"),
        ("due to insuficient memory on requested size", "--fp16", "8.2.1", "--workspace=4096"),
        ("", "--int8", "8.6.1", "add --fp16"),
        ("", "--int8 --fp16", "8.6.1", "compute in FP32"),
        ("", "--fp16", "", "--memPoolSize"),
    ],
)
def test_a_missing_kernel_gets_the_remedy_that_fits(text, command, version, advised):
    error = "Error[10]: Could not find any implementation for node Conv_14 + PWN(PWN(Sigmoid_15), Mul_16).)"
    why = explain(error, "Engine set up failed", text=text, command=command, version=version)
    assert why.cause == "TensorRT found no kernel for Conv_14 + PWN(PWN(Sigmoid_15), Mul_16)"
    assert advised in why.remedy


@pytest.mark.parametrize(
    ("option", "advised"),
    [
        ("--fp16", "the types in the ONNX model decide"),
        ("--workspace 4096", "--memPoolSize=workspace:MIB"),
        ("--fp17", "Is it spelled right"),
    ],
)
def test_an_option_that_a_version_removed_gets_what_takes_its_place(option, advised):
    why = explain(f"Unknown option: {option}", version="11.1.0")
    assert option.split()[0] in why.cause
    assert advised in why.remedy


def test_a_run_without_a_model_is_no_failure_of_one():
    why = explain("Model missing or format not recognized", command="trtexec --version", version="10.3.0")
    assert why.cause == "trtexec was given no model"
    assert "--onnx=FILE" in why.remedy


def test_many_marked_outputs_are_named_where_a_build_fails():
    error = f"10: Could not find any implementation for node {REGION}."
    why = explain(error, text="[V] Marking 2900 tensors as outputs\n")
    assert why.cause.endswith(", with 2,900 tensors marked as outputs")
    assert why.remedy.startswith("Mark only the outputs that are wanted")
    assert "--fold-constants" in why.remedy
    # Few outputs are those of a model.
    assert explain(error, text="[V] Marking 3 tensors as outputs\n") == explain(error)


def test_a_region_without_an_implementation_is_of_myelin():
    why = explain(f"10: Could not find any implementation for node {REGION}.")
    assert why.cause == f"TensorRT's compiler Myelin could not build {REGION}"
    assert "--fold-constants" in why.remedy


def test_the_parser_says_why_past_the_logger():
    text = (
        "While parsing node number 2 [Gather]:\nERROR: u.hpp:347 In function convert_axis:\n"
        "[8] Assertion failed: axis >= 0\n"
        f"{TIME} [E] Failed to parse onnx file\n"
    )
    why = explain("Failed to parse onnx file", text=text)
    assert why.cause == "the ONNX parser stopped at node 2, Gather"
    assert why.error == "Assertion failed: axis >= 0"
    assert explain("x", text="While parsing node number 2 [Gather]").error.startswith("While parsing")
    assert explain("x", text="While parsing node number 2 [Gather]:\nno reason").error.startswith("While")


def test_a_shape_that_cannot_be_computed_names_its_node_rather_than_the_last_one():
    error = "Error Code 4: Internal Error (/OneHot: a OneHot cannot be used to compute a shape tensor)"
    why = explain(error, 'While parsing node number 146 [Tile -> "/Tile_output_0"]:', "Engine set up failed")
    assert why.cause.startswith("/OneHot computes a shape")
    assert why.error == error


def test_an_excerpt_of_the_parser_shows_its_reason_and_not_the_end_of_a_node():
    text = (
        "    [E] [TRT] ModelImporter.cpp:776: --- End node ---\n"
        "    [E] [TRT] ModelImporter.cpp:779: ERROR: ModelImporter.cpp:180 In function parseGraph:\n"
        "    [6] Invalid Node - Pad_1\n"
        "    [shuffleNode.cpp::f::392] Error Code 4: Internal Error (Reshape_3: a shape tensor)\n"
        "    [E] Failed to parse onnx file\n"
    )
    errors = [line.partition("[E] ")[2] for line in text.splitlines() if "[E] " in line]
    why = explain(*(each.removeprefix("[TRT] ") for each in errors), text=text)
    assert why.cause.startswith("Reshape_3 computes a shape")
    assert why.error.startswith("Invalid Node - Pad_1")
    assert "Failed to parse" not in why.error


def test_an_operator_without_an_importer_is_no_missing_library():
    asked = "[I] No importer registered for op: {}. Attempting to import as plugin.\n"
    missing = "3: getPluginCreator could not find plugin: SplitToSequence version: 1"
    why = explain(missing, text=asked.format("RoiAlign") + asked.format("SplitToSequence"))
    assert why.cause == "TensorRT knows no operator SplitToSequence, which the model uses"
    assert why.remedy.startswith("Export the model without it")
    # An engine needs the library of its plugin.
    assert "plugin SplitToSequence" in explain(missing).cause


def test_other_errors_are_shown_without_a_cause():
    assert explain("Engine set up failed", "odd") == ("", "odd", "")
    assert explain("Engine set up failed") == ("", "Engine set up failed", "")
    assert explain() == ("", "", "")
    # What only repeats that something failed is not shown.
    assert explain("odd", "Failed to parse onnx file").error == "odd"


def test_errors_of_tensorrt_without_trtexec_are_a_failure():
    facts = read_trtexec_log("[E] 10: Could not find any implementation for node a.\n", "a.log")
    assert [note.slug for note in facts.notes] == ["log-failed"]
    assert "found no kernel for a" in facts.notes[0].message
    assert facts.notes[0].hint
    other = read_trtexec_log("[E] odd\n", "a.log")
    assert [note.slug for note in other.notes] == ["log-no-banner"]


def test_of_very_many_errors_the_first_and_last_say_why():
    known, others = "Error Code 2: OutOfMemory (no further information)", ["strange"] * 1500
    assert first_cause([*others, known, *others]) is None
    assert first_cause([known, *others]).line == 0
    assert first_cause([*others, known]).line == 1500
    assert first_cause(["strange", known]).line == 1


def test_of_a_very_long_error_its_beginning_says_why():
    assert first_cause(["supplied " * 1000 + " binding dimensions"]) is None
    assert first_cause(["supplied binding dimensions" + " and others" * 100_000]).line == 0


def test_a_node_at_which_the_parser_stopped_without_a_word_gets_the_error_before_it():
    errors = [
        "Error[4]: ITensor::getDimensions: Error Code 4: Shape Error (broadcast dimensions must conform)",
        'ModelImporter.cpp:138: While parsing node number 103 [Where -> "/Where_6_output_0"]:',
        "ModelImporter.cpp:149: ERROR: ModelImporter.cpp:506 In function parseNode:",
        "Failed to parse onnx file",
    ]
    found = why_failed("\n".join(errors), errors, ["trtexec --onnx=m.onnx"], "10.16.1")
    assert found.cause == "the ONNX parser stopped at node 103, Where"
    assert "broadcast dimensions must conform" in found.error


@pytest.mark.parametrize(("flags", "advised"), [("", False), ("--fp16", True)])
def test_only_a_build_that_was_allowed_more_is_to_stay_in_fp32(flags, advised):
    errors = ["Error[10]: Could not find any implementation for node {ForeignNode[a.../MatMul]}."]
    found = why_failed("", errors, [f"trtexec --onnx=m.onnx {flags}"], "8.6.0")
    assert ("FP32" in found.remedy) == advised
    assert "--fold-constants" in found.remedy


NODE = """While parsing node number 146 [Tile -> "/Tile_output_0"]:
--- Begin node ---
input: "/Unsqueeze_3_output_0"
input: "/Reshape_2_output_0"
output: "/Tile_output_0"
name: "{}"
op_type: "Tile"

--- End node ---
"""


def test_a_cause_in_another_node_names_the_node_at_which_the_parser_stopped():
    error = "Error Code 4: Internal Error (/OneHot: a OneHot cannot be used to compute a shape tensor)"
    why = explain(error, text=NODE.format("/Tile"))
    assert why.cause == (
        "/OneHot computes a shape in a way that TensorRT does not support, for /Tile (Tile), which reads "
        "/Unsqueeze_3_output_0 and /Reshape_2_output_0"
    )
    assert "fixed counts" in why.remedy
    assert explain(error, text=NODE.format("/OneHot")).cause.endswith("does not support")
    assert explain(error, text="--- Begin node ---").cause.endswith("does not support")
    colored = "\n".join(f"\x1b[31m{line}\x1b[0m" for line in NODE.format("/Tile").split("\n"))
    assert "/Tile (Tile), which reads" in explain(error, text=colored).cause
    without_inputs = "\n".join(line for line in NODE.format("/Tile").split("\n") if "input" not in line)
    assert explain(error, text=without_inputs).cause.endswith("does not support, for /Tile (Tile)")


def test_a_gpu_that_trtexec_does_not_find_is_why_it_ends():
    banner = "&&&& RUNNING TensorRT.trtexec [TensorRT v100800] # trtexec --device=1"
    facts = read_trtexec_log(f"{banner}\n{TIME} [I] Cannot find device ID 1!\n", "a.log")
    (note,) = (each for each in facts.notes if each.severity == "degraded")
    assert "there is no GPU 1. Its error: Cannot find device ID 1!" in note.message
    assert "nvidia-smi -L" in note.hint


def test_a_parser_that_is_older_than_the_model_is_the_cause():
    text = (
        "While parsing node number 0 [Conv]:\nERROR: a.cpp:296 In function importModel:\n"
        "[5] Assertion failed: tensors.count(input_name)\n"
    )
    why = explain("Failed to parse onnx file", text=text)
    assert "it is older than the model" in why.cause
    assert "keep_initializers_as_inputs=True" in why.remedy


@pytest.mark.parametrize("command", ["--fp16", ""])
def test_a_region_that_lacks_memory_is_to_get_more(command):
    skipped = "Skipping tactic 0 due to insufficient memory on requested size of 5637144576"
    error = f"10: Could not find any implementation for node {REGION}."
    else_ = explain(error, command=command).remedy
    why = explain(error, text=skipped, command=command)
    assert why.cause.endswith(": tactics asked for up to 5.25 GiB, which the GPU did not have")
    assert why.remedy.startswith("End what else uses the GPU's memory, build for a smaller batch")
    assert why.remedy.endswith(f" Else: {else_}")


NO_KERNEL = "Error[10]: Could not find any implementation for node a.)"
DEVICE = "Tactic Device request: 1231MB Available: 640MB. Device memory is insufficient to use tactic.\n"
SCRATCH = "Tactic 4 scratch requested: 102535168, available: 10485760\n"


@pytest.mark.parametrize(
    ("text", "command", "version", "clause", "advised"),
    [
        (DEVICE, "--fp16", "10.3.0", "up to 1.20 GiB, and 640 MiB were available", "smaller batch"),
        (DEVICE, "--maxShapes=x:4x3x9x9", "10.3.0", "640 MiB were available", "smaller --optShapes"),
        (f"Selected Device: Orin\n{DEVICE}", "", "10.3.0", "640 MiB", "desktop"),
        (SCRATCH, "", "8.2.1", "97.8 MiB of workspace, of 10.0 MiB", "--workspace=256"),
        # No workspace is larger than the GPU's memory.
        (
            "Device Global Memory: 8192 MiB\nscratch requested: 9000000000, available: 10485760",
            "",
            "10.3.0",
            ", of 10.0 MiB on a GPU with 8.00 GiB",
            "Build for a smaller batch",
        ),
        # An option that limits the workspace to less than the request is what lacks.
        (
            "Skipping tactic 0 due to insufficient memory on requested size of 824180736",
            "--memPoolSize=workspace:256",
            "10.7.0",
            "786 MiB of workspace, of 256 MiB",
            "--memPoolSize=workspace:2048",
        ),
        ("due to insuficient memory on requested size of 538", "", "8.2.1", "538 MiB", "gives none"),
    ],
)
def test_what_tactics_asked_for_decides_which_memory_lacks(text, command, version, clause, advised):
    why = explain(NO_KERNEL, text=text, command=command, version=version)
    assert clause in why.cause
    assert advised in why.remedy
    assert ("larger workspace, such as" in why.remedy) == ("of workspace" in clause)


def test_memory_that_could_not_be_allocated_is_stated_beside_that_of_the_gpu():
    text = (
        f"{TIME} [I] Device Global Memory: 22503 MiB\n{TIME} [I] Engine built in 4 sec.\n"
        "Requested amount of GPU memory (28991029248 bytes) could not be allocated.\n--maxShapes=x:4\n"
    )
    why = explain("Error Code 2: OutOfMemory (no further information)", text=text, version="10.3.0")
    assert why.cause == "there was not enough memory: 27.0 GiB were requested of a GPU with 22.0 GiB"
    assert why.remedy.startswith("Build for smaller --optShapes and --maxShapes")
    assert "--allocationStrategy=runtime" in why.remedy
    small = text.replace("28991029248", "1073741824").replace("--maxShapes=x:4", "")
    assert explain("out of memory", text=small).remedy.startswith(
        "End what else uses the GPU's memory, build"
    )
    assert "--memPoolSize=workspace:MIB limits" in explain("out of memory").remedy


def test_a_build_that_allows_no_workspace_needs_one():
    error = f"Error[10]: Could not find any implementation for node {REGION}.)"
    text = "myelinTargetSetPropertyMemorySize called with invalid memory size (0)."
    why = explain(error, text=text)
    assert why.cause.endswith(f"{REGION}, as the build allows no workspace memory")
    assert why.remedy.startswith("Allow a workspace, such as --memPoolSize=workspace:4096. Else: ")


def test_onnx_runtime_has_another_option_for_the_workspace():
    error = f"4: Could not find any implementation for node {REGION} due to insufficient workspace."
    text = "[E:onnxruntime:Default, tensorrt_execution_provider.h:75 log]"
    assert (
        "such as trt_max_workspace_size=4294967296 (in bytes)"
        in explain(error, text=f"{text} {error}").remedy
    )
    for other in (error, f"trtexec --onnx=/onnxruntime/m.onnx {error}"):
        assert "--memPoolSize=workspace:4096" in explain(error, text=other).remedy
    # A larger workspace does not help where the GPU has no memory for a tactic.
    short = "Skipping tactic 0x0 due to exception autotuning: CUDA error 2 allocating 6370102777-byte buffer"
    why = explain(error, text=f"{short}: out of memory\n{text} {error}")
    assert why.cause.endswith(": tactics asked for up to 5.93 GiB, which the GPU did not have")
    assert "A larger workspace gives none." in why.remedy


def test_a_library_of_cuda_that_fails_is_named():
    error = "Error[2]: Error Code 2: (Assertion cublasStatus == CUBLAS_STATUS_SUCCESS failed. )"
    why = explain(error)
    assert why.cause == "a call of a library of CUDA failed (cublas)"
    assert "--tacticSources=-CUBLAS" in why.remedy


def test_an_engine_of_another_compute_capability_is_not_one_of_another_version():
    error = "Serialization assertion sourceDeviceCC == currentDeviceCC failed.Version tag does not match."
    assert (
        explain(f"1: [a.cpp::b::54] Error Code 1: {error}").cause
        == "the engine was built for another kind of GPU"
    )


def build_that_dies(error, *last):
    formats = "*************** Autotuning format combination: {0}(4,1) -> {0}(4,1) ****"
    lines = [
        f"{TIME} [V] [TRT] {formats.format('Half')}",
        f"{TIME} [V] [TRT] --------------- Timing Runner: Sampler_7 (PluginV2)",
        f"{TIME} {error}",
        f"{TIME} [V] [TRT] {formats.format('Float')}",
        f"{TIME} [V] [TRT] --------------- Timing Runner: Pool_9 (TiledPooling)",
        f"{TIME} [W] [TRT] GPU error during getBestTactic: Pool_9 : the launch timed out and was terminated",
        *last,
    ]
    return read_trtexec_log("\n".join(lines), "build.log")


@pytest.mark.parametrize(
    "last",
    [
        "terminate called after throwing an instance of 'nvinfer1::plugin::CudnnError'",
        "fish: Job 1, 'trtexec --onnx=m.onnx' terminated by signal SIGABRT (Abort)",
        "Aborted (core dumped)",
        "run.sh: line 12:  4711 Aborted                 (core dumped) trtexec --onnx=m.onnx",
        "Segmentation fault (core dumped)",
        "Killed",
    ],
)
def test_a_build_that_a_kernel_ended_has_failed_where_the_first_one_did(last):
    timed_out = (
        "[W] [TRT] GPU error during getBestTactic: Sampler_7 : the launch timed out and was terminated"
    )
    (note,) = [each for each in build_that_dies(timed_out, last).notes if each.slug == "log-failed"]
    assert "at Sampler_7 with Half inputs" in note.message.replace("\N{NO-BREAK SPACE}", " ")
    assert note.hint.startswith("Build on a GPU without a display")


def test_a_log_without_a_crash_and_words_about_one_have_not_failed():
    skipped = "[W] [TRT] GPU error during getBestTactic: Sampler_7 : invalid argument"
    assert all(note.slug != "log-failed" for note in build_that_dies(skipped, "Done.").notes)
    spoken = read_trtexec_log(f"{TIME} [I] Starting\nAborted runs are counted.\n", "run.log")
    assert all(note.slug != "log-failed" for note in spoken.notes)


def test_very_long_lines_and_very_many_errors_take_no_time():
    """The names of a large network in one line, and a plugin that reports each of its calls."""
    began = time.process_time()
    assert not bare_error("exit: terminate " + "a " * 400_000)
    errors = "".join(f"[11/26/2023-23:04:58] [E] [TRT] error {number}\n" for number in range(30_000))
    assert read_trtexec_log(errors, "a.log").notes
    assert time.process_time() - began < 6
