"""A double of TensorRT's Python bindings to collect with, in separate processes."""

from __future__ import annotations

import json
import os
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

DOUBLES = Path(__file__).with_name("doubles")
sys.path.append(str(Path(__file__).parent))

#: As short as a measurement can be.
QUICK = ("--duration=0.03", "--warmUp=5", "--iterations=12")


class Silent:
    """A progress that shows nothing and keeps its messages."""

    def __init__(self):
        self.messages = []
        self.lines = []

    def begin(self, title):
        self.messages.append(title)

    def advance(self, text, fraction=None):
        self.messages.append((text, fraction))

    def line(self, text):
        self.lines.append(text)

    def end(self, text):
        self.messages.append(text)


class Api:
    """Collects with the double of a version."""

    def __init__(self, folder, monkeypatch):
        self.folder = folder / "capture"
        self.model = folder / "model.onnx"
        self.model.write_bytes(b"a model")
        self.progress = Silent()
        self._environment = monkeypatch

    def be(self, version, fault=""):
        self._environment.setenv("TENSORRT_DOUBLE", version)
        self._environment.setenv("TENSORRT_DOUBLE_FAULT", fault)

    def collect(self, version, *flags, fault="", source=None, timeout_s=None, runs=1, force=False):
        from trexreport.collector.backends import open_api_backend
        from trexreport.collector.collect import Options, collect
        from trexreport.collector.gpu import GpuOptions
        from trexreport.collector.jobs import Job

        self.be(version, fault)
        job = Job(str(source or self.model), str(self.folder), (*QUICK, *flags), runs=runs)
        options = Options(force=force, timeout_s=timeout_s, gpu=GpuOptions(watches=False))
        return collect(job, open_api_backend(), self.progress, options)

    def path(self, ending):
        return self.folder / f"model.engine{ending}"

    def json(self, ending):
        return json.loads(self.path(ending).read_text("utf-8"))

    def text(self, ending):
        return self.path(ending).read_text("utf-8")


@contextmanager
def _api(folder, monkeypatch):
    checkout = str(Path(__file__).resolve().parents[2])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(DOUBLES), checkout]))
    monkeypatch.syspath_prepend(str(DOUBLES))
    yield Api(folder, monkeypatch)
    # A later import of the real modules must not get the doubles.
    for name in [
        name for name in sys.modules if name.partition(".")[0] in ("cuda", "cuda_double", "tensorrt")
    ]:
        del sys.modules[name]


@pytest.fixture
def api(tmp_path, monkeypatch):
    """An empty folder to collect into."""
    with _api(tmp_path, monkeypatch) as made:
        yield made


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """What is collected without flags, for tests that only read it."""
    folder = tmp_path_factory.mktemp("plain")
    with pytest.MonkeyPatch.context() as monkeypatch, _api(folder, monkeypatch) as made:
        made.collect("10.16.0")
    return made
