"""Small captures for sites: a layer or two, queries about a time, and a manifest with the date."""

from __future__ import annotations

import json
from random import Random

from trexreport.analyzer import GpuChoice
from trexreport.analyzer.analysis.verdict import VerdictSettings
from trexreport.pipeline.settings import Settings
from trexreport.site.build import SiteOptions, build_site
from trexreport.site.contents import Site
from trexreport.site.entries import Entry
from trexreport.site.folders import open_inputs, open_output
from trexreport.site.history import RunComparator, histories_of
from trexreport.site.jobs import PageOptions
from trexreport.site.summary import EngineSummary
from trexreport.site.workers import SerialWorkers


def capture_files(
    *, name="net", model="net.onnx", gpu="NVIDIA L4", ms=1.0, seed=0, queries=200, date="", precision="FP16"
):
    """The files of a capture, by name."""
    tensors = [{"Name": each, "Dimensions": [1, 64, 8, 8], "Format/Datatype": "Half"} for each in "xyz"]
    layers = [
        {
            "Name": f"conv{at}",
            "LayerType": "Convolution",
            "Inputs": tensors[at : at + 1],
            "Outputs": tensors[at + 1 :][:1],
        }
        for at in range(2)
    ]
    device = {"Selected Device": gpu} if gpu else {}
    build = {
        "model_options": {"Model": model},
        "build_options": {"Precision": precision},
        "device_information": device,
    }
    rng = Random(seed)
    times = [round(ms * (1 + rng.gauss(0, 0.003)), 6) for _ in range(queries)]
    documents = {
        "graph": {"Layers": layers, "Bindings": ["x", "z"]},
        "profile": [
            {"count": 10},
            *({"name": f"conv{at}", "timeMs": 4.0, "averageMs": 0.4, "percentage": 50} for at in range(2)),
        ],
        "build.metadata": build,
    }
    if queries:
        documents["timing"] = [
            {"computeMs": time, "latencyMs": time + 0.1, "h2dMs": 0.05, "d2hMs": 0.05} for time in times
        ]
    if date:
        documents["capture"] = {
            "schema": "trexreport-capture",
            "schema_version": 1,
            "complete": True,
            "started": date,
        }
    return {f"{name}.engine.{role}.json": json.dumps(each).encode() for role, each in documents.items()}


def write_capture(folder, **facts):
    """Write a capture into a folder, which is made, and return that."""
    folder.mkdir(parents=True, exist_ok=True)
    name = facts.get("name", "net")
    for file, content in capture_files(**facts).items():
        (folder / file).write_bytes(content)
    assert (folder / f"{name}.engine.graph.json").is_file()
    return folder


def write_history(folder, times, **facts):
    """Write a run for each time, one a day, each measured a little differently."""
    for day, ms in enumerate(times, 1):
        write_capture(
            folder / f"run-{day}", ms=ms, seed=day, date=f"2024-05-{day:02}T10:00:00+00:00", **facts
        )
    return folder


def options(*, redaction=None, gpu=GpuChoice(), **chosen):  # noqa: B008 - it is frozen
    """How a site is made for a test."""
    return SiteOptions(PageOptions(False, Settings(gpu=gpu), redaction), **chosen)


def build(folders, output, *, workers=None, progress=lambda *_: None, **chosen):
    """Make a site in this process, unless reported otherwise."""
    folders = [folders] if not isinstance(folders, (list, tuple)) else folders
    return build_site(
        open_inputs([str(each) for each in folders]),
        open_output(str(output)),
        options(**chosen),
        workers or SerialWorkers(),
        progress,
    )


def files_of(folder):
    """The files of a site with their contents, without its manifest, in which times of files are."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "trexreport-site.json"
    }


def site_of(engines):
    """A site of many engines that was not measured: what its index is made of, without captures."""
    entries = [
        Entry(
            f"captures/run-{at}/net-{at % 50}.engine",
            f"net-{at:010x}",
            "1",
            str(at),
            str(at),
            "capture",
            1,
            EngineSummary(
                f"net-{at % 50}",
                model=f"net-{at % 50}.onnx",
                gpu=f"NVIDIA GPU {at % 7}",
                date=f"2024-{1 + at % 12:02}-{1 + at % 28:02}",
                date_from="path",
                precision=("FP16", "INT8")[at % 2],
                latency_ms=1 + at / engines,
                p99_ms=2 + at / engines,
            ),
        )
        for at in range(engines)
    ]
    return Site(entries, [], histories_of(entries, RunComparator(lambda *_: [], VerdictSettings(), {})))
