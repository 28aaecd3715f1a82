"""The names that are used of NVML exist in nvidia-ml-py, with the parameters that they are given."""

import ast
import importlib.util
import inspect
import re
from pathlib import Path

import pytest

from trexreport.collector import gpu as package

PACKAGE = Path(package.__file__).parent
DOUBLE = Path(__file__).parent / "doubles" / "pynvml.py"
_NAME = re.compile(r"nvml[A-Z]\w+|NVML_[A-Z]\w+|NVMLError")


@pytest.fixture(scope="module")
def double():
    spec = importlib.util.spec_from_file_location("nvml_double", DOUBLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def names_in_use():
    """Return NVML's names in the code, whether written as attributes or as texts; not those in comments."""
    found = set()
    for path in PACKAGE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            text = getattr(node, "attr", None) or getattr(node, "value", None)
            if isinstance(text, str) and _NAME.fullmatch(text):
                found.add(text)
    return found


def test_the_double_has_every_name_that_is_used(double):
    names = names_in_use()
    assert len(names) > 30
    assert {name for name in names if not hasattr(double, name)} == set()


def test_nvidia_ml_py_has_every_name_of_the_double(double):
    real = pytest.importorskip("pynvml")
    names = [name for name in vars(double) if _NAME.fullmatch(name)]
    assert {name for name in names if not hasattr(real, name)} == set()
    for name in names:
        if name.startswith("nvml"):
            ours, theirs = (inspect.signature(getattr(each, name)) for each in (double, real))
            assert list(ours.parameters) == list(theirs.parameters), name
        elif name != "NVMLError":
            assert getattr(double, name) == getattr(real, name), name
    assert issubclass(real.NVMLError, Exception)
    assert real.NVMLError(double.NVML_ERROR_NO_PERMISSION).value == double.NVML_ERROR_NO_PERMISSION


def test_a_real_gpu_reports_its_clock_and_power():
    pynvml = pytest.importorskip("pynvml")
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        pytest.skip("there is no NVIDIA GPU here")
    from trexreport.collector.gpu import GpuOptions, gpu_session

    with gpu_session(GpuOptions(interval_ms=20)) as session, session.phase("nothing"):
        pass
    document = session.document()
    assert document["gpu"]["name"]
    assert document["samples"]["sm_clock_mhz"][0] is None or document["samples"]["sm_clock_mhz"][0] > 0
