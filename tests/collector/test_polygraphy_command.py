"""The command of Polygraphy that belongs to trtexec's arguments."""

import shlex

import pytest

from trexreport.collector.commands import plan_commands
from trexreport.collector.jobs import Job
from trexreport.collector.polygraphy import Polygraphy, explain_comparison
from trexreport.collector.versions import Version
from trexreport.errors import UsageError


def planned(*arguments, program=("trtexec",), version="10.3", source="m.onnx", tool=None, folder="out"):
    job = Job(source, folder, arguments, program, accuracy=tool or Polygraphy())
    return plan_commands(job, Version.parse(version))


def words(*arguments, **options):
    return " ".join(planned(*arguments, **options).commands[-1].words)


def test_all_tensors_are_compared_with_onnx_runtime():
    assert words() == (
        "polygraphy run m.onnx --trt --onnxrt --trt-outputs * --onnx-outputs * --tf32 --compare snr "
        "--save-accuracy-results out/m.engine.accuracy.json"
    )


def test_earlier_versions_mark_all_in_two_words():
    assert "--trt-outputs mark all --onnx-outputs mark all" in words(tool=Polygraphy(takes_star=False))


@pytest.mark.parametrize(
    ("argument", "translated"),
    [
        ("fp16", "--tf32 --fp16 --compare"),
        ("best", "--fp16 --int8 --compare"),
        ("noTF32", "* --compare"),
        ("calib=c.cache", "--calibration-cache c.cache --compare"),
        ("sparsity=enable", "--sparse-weights --compare"),
        ("layerPrecisions=a:fp16,'b,c':fp32", "--layer-precisions a:float16 b,c:float32 --compare"),
        ("shapes=x:1x3,'a,b':2", "--input-shapes x:[1,3] a,b:[2] --compare"),
        ("shapes=x:scalar", "--input-shapes x:[] --compare"),
    ],
)
def test_what_is_computed_is_translated(argument, translated):
    assert translated in words(argument)


def test_a_range_of_shapes_is_compared_at_its_optimum():
    found = words("minShapes=x:1x3", "optShapes=x:4x3", "maxShapes=x:8x3")
    assert (
        "--input-shapes x:[4,3] --trt-min-shapes x:[1,3] --trt-opt-shapes x:[4,3] --trt-max-shapes" in found
    )


@pytest.mark.parametrize(
    ("argument", "noted"),
    [
        ("layerOutputTypes=a:fp16", "compares without --layerOutputTypes."),
        ("layerPrecisions=*:fp16", "compares without --layerPrecisions."),
        ("int8", "calibrates INT8 with random inputs"),
        ("builderOptimizationLevel=3", ""),
        ("shapes=x:1", ""),
    ],
)
def test_what_it_leaves_out_is_noted(argument, noted):
    notes = [each for each in planned(argument, version="10.13").notes if "Polygraphy" in each]
    assert len(notes) == bool(noted)
    assert noted in "".join(notes)


def test_it_is_started_where_trtexec_is():
    found = planned(program=("ssh", "-tt", "HOST", "trtexec"), folder="/o", source="/it's.onnx")
    command = found.commands[-1].words
    assert command[:5] == ("ssh", "-tt", "HOST", "polygraphy", "run")
    assert shlex.split(" ".join(command[5:]))[0] == "/it's.onnx"


def test_an_engine_has_no_model_to_compare_with():
    with pytest.raises(UsageError, match="Give the model"):
        planned(source="m.engine")


def test_a_missing_package_is_named():
    failure = explain_comparison("[I] a\n[!] Module: 'tensorrt' is required but could not be imported.\n", 1)
    assert failure.message == "Polygraphy needs the Python package tensorrt."
    assert failure.lines == ("Module: 'tensorrt' is required but could not be imported.",)


def test_trtexec_runs_both_precisions_in_the_folder():
    plan = planned("fp16", tool="trtexec", version="10.13", folder="/o", source="/m.onnx")
    titles = [each.title for each in plan.commands[-2:]]
    assert titles == ["accuracy", "accuracy reference"]
    run, reference = (each.words for each in plan.commands[-2:])
    assert run[:2] == ("sh", "-c")
    assert run[2].startswith("cd /o && trtexec --onnx=/m.onnx --markUnfusedTensorsAsDebugTensors --save")
    assert run[2].endswith("&& mv -- tensor_summary.json m.engine.accuracy.json")
    assert "--fp16" in run[2]
    assert "--fp16" not in reference[2]
    assert "--noTF32 && mv -- tensor_summary.json m.engine.accuracy-reference.json" in reference[2]


def test_without_another_precision_there_is_no_reference():
    plan = planned(tool="trtexec", version="11.0")
    assert [each.title for each in plan.commands][-2:] == ["timing 3", "accuracy"]
    assert "--noCudaGraph" in plan.commands[-1].words[2]
    assert any("no reference" in each for each in plan.notes)


def test_earlier_versions_of_trtexec_write_no_ranges():
    with pytest.raises(UsageError, match="writes no ranges of tensors"):
        planned(tool="trtexec", version="10.7")
