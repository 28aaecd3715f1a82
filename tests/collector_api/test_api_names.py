"""No name is used that a version of TensorRT or cuda-python does not have."""

from __future__ import annotations

import ast
import hashlib
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from doubles.tensorrt_names import VERSIONS, all_names, table

FOLDER = Path(__file__).parent
SHARED = FOLDER.resolve().parents[2] / "shared" / "tensorrt-api"
LISTS = {"8.6.1": "8.6.1", "10.0.1": "10.0.1", "10.16.0": "10.16.0.72", "11.4.0": "11.4.0.106"}
#: Digests of the double's names, numbers and methods as they were when TensorRT's lists had them all.
COMPARED = {
    "8.6.1": "7f83aa64f180916c",
    "10.0.1": "ef2062297e4b3cb1",
    "10.16.0": "373778ede862029a",
    "11.4.0": "64ef2f30097c2029",
}
_PARAMETER = re.compile(r"(?:^|, )(\w+)(?=:|,|$| =)")
#: Methods of the user's own classes: their parameters are named by the bindings, and given by position.
_BASES = {"ILogger", "IProfiler", "IProgressMonitor"}


@pytest.fixture(params=VERSIONS)
def version(request):
    return request.param


@pytest.fixture
def real(version):
    return json.loads((SHARED / f"api-{LISTS[version]}.json").read_text("utf-8"))


def real_members(real, name):
    """Return the members of a class in the list; a nested enumeration is listed in its outer class."""
    return real.get(name.partition(".")[0], {})


@pytest.mark.engines
def test_every_name_of_the_table_is_in_the_versions_list(version, real):
    for kind in ("classes", "enums"):
        names = table(kind, version)
        assert len(names) > 5
        for name, members in names.items():
            missing = set(members) - set(real_members(real, name))
            assert not missing, f"{name} of {version} has no {missing}"


@pytest.mark.engines
def test_what_the_table_denies_a_version_the_version_does_not_have(version, real):
    for kind in ("classes", "enums"):
        own = table(kind, version)
        names = all_names(kind)
        assert len(names) > 5
        for name, members in names.items():
            denied = members - set(own.get(name, {}))
            assert not denied & set(real_members(real, name)), f"{name} of {version}"


@pytest.mark.engines
def test_numbers_that_are_stated_are_the_versions_own(version, real):
    stated = [
        (name, member, number)
        for name, members in table("enums", version).items()
        for member, number in members.items()
        if number is not None
    ]
    assert stated
    assert [(name, member, real[name][member]) for name, member, _ in stated] == stated


def signatures_of_double(version):
    """Return class and method to the names of the parameters, read from a process that is that version."""
    code = """
import inspect, json, tensorrt
found = {}
for name, each in vars(tensorrt).items():
    if isinstance(each, type) and name[0] == "I" or name in ("Builder", "Runtime", "OnnxParser"):
        for key, method in vars(each).items():
            if inspect.isfunction(method) and not key.startswith("_"):
                found[f"{name}.{key}"] = list(inspect.signature(method).parameters)
print(json.dumps(found))
"""
    environment = {"PYTHONPATH": str(FOLDER / "doubles"), "TENSORRT_DOUBLE": version}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True)
    return json.loads(done.stdout)


def test_the_names_are_those_that_were_compared_with_tensorrt(version):
    """Compare with TensorRT's own lists, by the tests that need them, before a digest is changed."""
    names = {
        kind: {name: sorted(members) for name, members in table(kind, version).items()}
        for kind in ("classes", "enums")
    }
    numbers = {
        f"{name}.{member}": number
        for name, members in table("enums", version).items()
        for member, number in members.items()
        if number is not None
    }
    denied = {
        f"{kind}.{name}": sorted(members - set(table(kind, version).get(name, {})))
        for kind in ("classes", "enums")
        for name, members in all_names(kind).items()
    }
    methods = signatures_of_double(version)
    assert min(len(names["classes"]), len(names["enums"]), len(numbers), len(methods)) > 0
    found = json.dumps([names, numbers, denied, methods], sort_keys=True)
    assert hashlib.sha256(found.encode()).hexdigest()[:16] == COMPARED[version]


@pytest.mark.engines
def test_methods_of_the_double_take_what_the_real_ones_take(version, real):
    compared = 0
    allowed = table("classes", version)
    for key, ours in signatures_of_double(version).items():
        name, method = key.split(".")
        text = real.get(name, {}).get(method, "") if method in allowed.get(name, ()) else ""
        if not text or "*args" in text or text.startswith("property"):
            continue
        # "set_shape(self: tensorrt.X, input: str, ...) -> None", without what brackets hold
        inner = re.sub(r"\[[^][]*\]", "", text[text.index("(") + 1 : text.rindex(")")])
        theirs = _PARAMETER.findall(re.sub(r"<[^>]*>", "", inner))
        assert ours == theirs[: len(ours)], key
        assert len(theirs) - len(ours) <= inner.count(" = "), f"{key} needs more"
        compared += 1
    assert compared > 25


def test_every_name_of_the_table_is_used(api, tmp_path, monkeypatch):
    used = tmp_path / "used"
    monkeypatch.setenv("TENSORRT_DOUBLE_USED", str(used))
    api.collect("8.6.1", "--int8", fault="float")
    api.collect("10.16.0", "--versionCompatible", "--noTF32", *SHAPING, force=True)
    api.collect("10.0.1", "--allowWeightStreaming", "--weightStreamingBudget=50%", force=True)
    api.collect("11.4.0", "--shapes=images:4x3x640x640", "--memPoolSize=workspace:64", force=True)
    with pytest.raises(Exception, match="operator Frobnicate"):
        api.collect("10.0.1", fault="parse", force=True)
    called = set(used.read_text("utf-8").split())
    names = {f"{name}.{member}" for name, members in all_names("classes").items() for member in members}
    # Set by a flag each, or asked of what the model of the double does not have.
    names -= {f"IBuilderConfig.{each}" for each in NUMBERS} | {
        "IPluginRegistry.load_library",
        "IOptimizationProfile.set_shape_input",
        "ICudaEngine.get_tensor_components_per_element",
    }
    assert names - called == set()


#: Flags that call what nothing else calls.
SHAPING = (
    *("--useDLACore=1", "--hardwareCompatibilityLevel=ampere+", "--tilingOptimizationLevel=2"),
    *("--l2LimitForTiling=4096", "--tacticSources=-CUDNN", "--preview=+aliasedPluginIO1003"),
    *("--inputIOFormats=fp16:chw", "--outputIOFormats=fp32:chw", "--precisionConstraints=obey"),
    *("--layerPrecisions=*:fp16", "--layerOutputTypes=*:fp32", "--layerDeviceTypes=*:GPU"),
    *("--allowWeightStreaming", "--weightStreamingBudget=-1"),
)
NUMBERS = ("avg_timing_iterations", "builder_optimization_level", "max_aux_streams", "max_num_tactics")


def test_the_flags_that_set_numbers_set_those():
    from trexreport.collector.tensorrt_api.options import BUILDER_NUMBERS

    assert set(BUILDER_NUMBERS.values()) == set(NUMBERS)


@pytest.fixture(scope="module")
def cuda_double():
    return ast.parse((FOLDER / "doubles" / "cuda_double.py").read_text("utf-8"))


def test_cuda_python_has_every_name_of_the_double(cuda_double):
    runtime = pytest.importorskip("cuda.bindings.runtime", exc_type=ImportError)
    assert cuda_double.body
    for node in cuda_double.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("cuda"):
            # "cudaMemcpy(dst, src, size_t count, kind: cudaMemcpyKind)"
            text = inspect.getdoc(getattr(runtime, node.name)).split("\n")[0]
            inner = text[text.index("(") + 1 : text.rindex(")")]
            theirs = [part.split(":")[0].split()[-1] for part in inner.split(",") if part.strip()]
            assert [argument.arg for argument in node.args.args] == theirs, node.name
        elif isinstance(node, ast.ClassDef) and node.name.startswith("cuda"):
            for each in node.body:
                name, value = each.targets[0].id, each.value.value
                assert int(getattr(getattr(runtime, node.name), name)) == value, name


def test_the_doubles_of_cuda_have_every_function_that_is_called(cuda_double):
    from trexreport.collector import tensorrt_api

    called = set()
    for path in Path(tensorrt_api.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            text = getattr(node, "attr", None) or getattr(node, "value", None)
            if isinstance(text, str) and re.fullmatch(r"cuda[A-Z]\w+", text):
                called.add(text)
    defined = {getattr(node, "name", "") for node in cuda_double.body}
    members = {
        each.targets[0].id
        for node in cuda_double.body
        if isinstance(node, ast.ClassDef) and node.name.startswith("cuda")
        for each in node.body
    }
    assert len(called) > 20
    assert called - defined - members == set()
