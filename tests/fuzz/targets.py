"""Every reader as something that bytes are fed to, through the commands that a user would give."""

from __future__ import annotations

import contextlib
import json
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path

from commands import FaultError, check_result, run
from front_ends import (
    SPEED,
    STAGES_IN_A_LINE,
    TIMING_REPORT,
    application_log,
    edge_llm_end_to_end,
    edge_llm_layers,
    edge_llm_log,
    model_analyzer,
    nvidia_smi,
    ort_log,
    ort_profile,
    perf_analyzer,
    tegrastats,
    torch_dryrun,
    torch_trace,
    ultralytics_engine,
)
from specimens import (
    CONFIGURATION,
    ENDINGS,
    LATENCIES,
    LOG,
    STEM,
    capture_files,
    make_containers,
    onnx_model,
    write_capture,
)

from samples.generator.build_log import one_line_layers, timed_layer, timed_operation, verbose_layers
from trexreport.errors import TrexReportError
from trexreport.reader.large_log import condense

PEOPLE = ("--to", "a@b.c", "--from", "a@b.c")
#: What is done with a capture in turn; each word in braces is a place.
OF_CAPTURES = (
    ("report", "{it}", "-o", "{out}/r.html", "--charts", "static", "--isolated"),
    ("lint", "{it}", "--isolated", "--fail-on", "never", "--format", "sarif", "-o", "{out}/l.sarif"),
    ("compare", "{it}", "{good}", "-o", "{out}/c.html", "-o", "{out}/c.json"),
    ("report", "{it}", "-o", "{out}/r.json", "--isolated"),
    (
        "check",
        "{it}",
        "--baseline",
        "{good}",
        "--budget",
        "{toml}",
        "-o",
        "{out}/k.json",
        "-o",
        "{out}/k.xml",
    ),
    ("report", "{it}", "-o", "{out}/h.html", "--charts", "static", "--redact", "names,paths,host"),
    ("draw", "{it}", "-o", "{out}/d.svg", "--depth", "1", "--edge-text", "shape,format"),
    ("lint", "{it}", "-v", "--isolated"),
    ("compare", "{good}", "{it}", "-o", "-", "-o", "{out}/c.html"),
    ("export", "{it}", "-o", "{out}/e.csv"),
    ("summary", "{it}", "--isolated"),
    ("mail", "{it}", *PEOPLE, "--eml", "{out}/m.eml", "--attach", "md,json"),
    ("site", "{it}", "{good}", "-o", "{out}/site", "--quiet"),
    ("draw", "{it}", "-o", "{out}/d.dot"),
    ("report", "{it}", "-o", "{out}/r.html", "--isolated"),
    ("report", "{it}", "-o", "{out}/r.md"),
    ("archive", "{it}", "--no-report", "-o", "{out}/a.trexa"),
    ("lint", "{it}", "--fail-on", "never", "--format", "junit", "-o", "{out}/l.xml"),
    ("check", "{it}", "--suggest"),
    ("compare", "{it}", "{good}", "--redact", "names"),
    ("lint", "{it}", "--fail-on", "never", "--format", "markdown", "-o", "{out}/l.md"),
    ("export", "{it}", "-o", "{out}/e.json"),
    ("compare", "{good}", "{good}", "--runs", "1={it}", "-o", "{out}/c.md"),
    ("lint", "{it}", "--fail-on", "never", "--format", "github", "-o", "{out}/l.txt"),
)
#: Ending of the results that are looked at.
_LOOKED_AT = {".html", ".json", ".sarif", ".svg", ".csv", ".md", ".xml", ".dot", ".txt", ".eml"}


class Bench:
    """A folder with good files, into which one bad file at a time is put."""

    def __init__(self, folder: Path, kind: str = "inspector") -> None:
        self.folder = folder
        self.files = capture_files(kind)
        self.good = write_capture(folder / "good", self.files)
        self.bad = write_capture(folder / "bad", self.files)
        self.out = folder / "out"
        self.toml = folder / "trexreport.toml"
        self.toml.write_text(CONFIGURATION)
        self.runs = 0
        self._containers: dict[str, Path] = {}

    @property
    def containers(self) -> dict[str, Path]:
        """Files that carry captures, made when they are asked for: kind to path."""
        if not self._containers:
            place = self.folder / "containers"
            place.mkdir()
            small = {role: self.files[role] for role in ("graph", "profile", "profile-metadata")}
            self._containers = make_containers(write_capture(place / "capture", small), place)
        return self._containers

    def clear(self) -> None:
        """Remove what the last commands wrote."""
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir()

    def do(self, command: tuple[str, ...], it: Path) -> None:
        """Run a command on a capture or another file and look at what it wrote."""
        places = {"it": it, "good": self.good, "out": self.out, "toml": self.toml}
        self.clear()
        outcome = run(*(word.format(**places) if "{" in word else word for word in command))
        self.runs += 1
        if outcome.code in (0, 1):
            for path in sorted(self.out.iterdir()):
                if path.suffix in _LOOKED_AT:
                    check_result(path)

    def feed_capture(self, roles: dict[str, bytes], turn: int, commands: int = 1) -> None:
        """Put files of some roles into the capture, and give it to the next commands in turn."""
        for role, data in {**self.files, **roles}.items():
            (self.bad / f"{STEM}{ENDINGS[role]}").write_bytes(data)
        for number in range(commands):
            self.do(OF_CAPTURES[(turn * commands + number) % len(OF_CAPTURES)], self.bad)

    def file(self, name: str, data: bytes) -> Path:
        """Write a file without others beside it, and return its path."""
        place = self.folder / "alone"
        place.mkdir(exist_ok=True)
        (place / name).write_bytes(data)
        return place / name


def _role(role: str) -> Feed:
    def feed(bench: Bench, data: bytes, turn: int) -> None:
        bench.feed_capture({role: data}, turn)

    return feed


def _alone(name: str) -> Feed:
    """Feed a file whose name does not give its role."""

    def feed(bench: Bench, data: bytes, turn: int) -> None:
        bench.do(OF_CAPTURES[turn % len(OF_CAPTURES)], bench.file(name, data))

    return feed


_OF_CONTAINERS = (
    ("report", "{it}", "-o", "{out}/r.html", "--charts", "static", "--isolated"),
    ("verify", "{it}"),
    ("extract", "{it}", "-o", "{out}/files"),
    ("compare", "{it}", "{good}"),
)


def _container(name: str) -> Feed:
    def feed(bench: Bench, data: bytes, turn: int) -> None:
        path = bench.file(name, data)
        bench.do(_OF_CONTAINERS[turn % len(_OF_CONTAINERS)], path)
        if turn % 8 == 0:
            bench.do(("site", str(path.parent), "-o", "{out}/site", "--quiet"), path)
        path.unlink()

    return feed


def _configuration(bench: Bench, data: bytes, turn: int) -> None:
    path = bench.file("trexreport.toml", data)
    commands = (
        ("lint", str(bench.good), "--config", "{it}"),
        ("check", str(bench.good), "--baseline", str(bench.good), "--budget", "{it}"),
        ("report", str(bench.good), "--config", "{it}", "-o", "{out}/r.html", "--charts", "static"),
    )
    bench.do(commands[turn % len(commands)], path)


def _latencies(name: str) -> Feed:
    def feed(bench: Bench, data: bytes, turn: int) -> None:
        path = bench.file(name, data)
        unit = " ms" if turn % 2 else ""
        bench.do(
            ("compare", str(bench.good), "--baseline-latency", f"other={path}{unit}", "-o", "{out}/c.html"),
            path,
        )

    return feed


def _collected_log(bench: Bench, data: bytes, turn: int) -> None:
    bench.do(("collect", "{it}", "--from-log", "-o", "{out}/capture"), bench.file("a.log", data))


def _build_log(bench: Bench, data: bytes, turn: int) -> None:
    """Feed a verbose log of a build, whole and as one that is too large to be read whole."""
    content = condense(data.splitlines(keepends=True), "build.log")[0] if turn % 2 else data
    bench.do(OF_CAPTURES[turn % len(OF_CAPTURES)], bench.file("build.log", content))


def _saved_log(bench: Bench, data: bytes, turn: int) -> None:
    """Feed a log of two engines that something saved in another form, whole and as one that is large."""
    content = condense(data.splitlines(keepends=True), "saved.log")[0] if turn % 2 else data
    bench.do(OF_CAPTURES[turn % len(OF_CAPTURES)], bench.file("saved.log", content))


def _verbose_log(version: str) -> bytes:
    """Return a log with layers in two forms, with tactics of layers and of operations inside regions."""
    tensor = {"Dimensions": [1, 8, 8, 8], "Format/Datatype": "Half"}
    layers = [
        {
            "Name": name,
            "LayerType": kind,
            "Inputs": [{"Name": read, **tensor}],
            "Outputs": [{"Name": write, **tensor}],
        }
        | {"TacticValue": "0x0a", "Metadata": f"[ONNX Layer: {name}]"}
        for name, kind, read, write in (
            ("conv, 1", "CaskConvolution", "x", "a"),
            ("fc_myl1_2", "gemm", "a", "y"),
        )
    ]
    tactics = [("sm80_a", "0x0a", 0.02), ("sm80_b", "0x0b", 0.03)]
    formats = {"Half(64,1:8,8,1) -> Half(64,1:8,8,1)": tactics, "Float(512,64,8,1) -> Float(512,64,8,1)": []}
    graph = {"Layers": layers, "Bindings": ["x", "y"]}
    lines = [
        *timed_layer("conv, 1", "CaskConvolution", formats, version),
        *timed_operation("fc", tactics),
        "[11/20/2026-10:00:07] [W] [TRT] Skipping tactic 0x0 due to exception x",
        *verbose_layers(graph, "8.6"),
        *(one_line_layers(graph) if version == "10" else ()),
        "[11/20/2026-10:00:09] [I] Engine built in 2.5 sec.",
    ]
    return "\n".join(lines).encode()


def _saved_logs() -> list[bytes]:
    """Return logs with runs of two engines: UTF-16, records of JSON, doubled lines, of a web page."""
    run = _verbose_log("10").decode()
    banner = "&&&& {} TensorRT.trtexec [TensorRT v101600] # trtexec --onnx={}.onnx\n{}\n"
    text = "".join(
        banner.format(*each) for name in "ab" for each in (("RUNNING", name, run), ("PASSED", name, ""))
    )
    lines = text.splitlines()
    return [
        b"\xff\xfe" + text.encode("utf-16-le"),
        "".join(json.dumps({"log": f"{line}\n"}) + "\n" for line in lines).encode(),
        "".join(f"{line}\n{line}\n" for line in lines).encode(),
        text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").encode(),
    ]


def _context_model() -> bytes:
    """Return an EPContext model of ONNX Runtime."""
    from onnx import TensorProto, helper

    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in "xy"]
    facts = {"embed_mode": 1, "ep_cache_context": b"ftrt" + bytes(99), "hardware_architecture": "80"}
    node = helper.make_node("EPContext", ["x"], ["y"], "e", domain="com.microsoft", **facts)
    return helper.make_model(helper.make_graph([node], "g", ends[:1], ends[1:])).SerializeToString()


def _monitor(name: str) -> Feed:
    """Feed what a monitor of the GPU wrote, beside a capture."""

    def feed(bench: Bench, data: bytes, turn: int) -> None:
        path = bench.bad / name
        path.write_bytes(data)
        bench.feed_capture({}, turn)
        path.unlink()

    return feed


def _site_memory(bench: Bench, data: bytes, turn: int) -> None:
    site = bench.folder / "site"
    site.mkdir(exist_ok=True)
    (site / "trexreport-site.json").write_bytes(data)
    bench.do(("site", str(bench.good), "-o", str(site), "--quiet", "--force"), site)


def _login(bench: Bench, data: bytes, turn: int) -> None:
    from trexreport.mail.server import read_login

    with contextlib.suppress(TrexReportError):
        read_login(str(bench.file("login", data)))


def _onnx(bench: Bench, data: bytes, turn: int) -> None:
    from trexreport.reader.onnx import read_onnx

    with contextlib.suppress(TrexReportError):
        read_onnx(bench.file("m.onnx", data))


def _notebook(bench: Bench, data: bytes, turn: int) -> None:
    """Feed a graph to the class that notebooks use."""
    from trexreport import EnginePlan

    try:
        with warnings.catch_warnings():
            # What it notes while it reads is a warning.
            warnings.simplefilter("ignore")
            plan = EnginePlan(str(bench.file("n.graph.json", data)))
        plan.df  # noqa: B018 - a property that reads
        plan.get_bindings()
        plan.summary_dict()
        plan.performance_summary  # noqa: B018 - likewise
    except TrexReportError:
        pass
    except Exception as error:
        raise FaultError(f"EnginePlan raised {error!r:.300}") from error


Feed = Callable[[Bench, bytes, int], None]
TARGETS: dict[str, Feed] = {
    **{role: _role(role) for role in ENDINGS},
    "any.json": _alone("any.json"),
    "any.txt": _alone("any.txt"),
    **{
        name: _container(name)
        for name in ("report.html", "report.pdf", "comparison.html", "capture.trexa", "capture.tea")
    },
    "report.json": _alone("report.json"),
    "comparison.json": _alone("comparison.json"),
    "trexreport.toml": _configuration,
    "latencies.csv": _latencies("latencies.csv"),
    "latencies.json": _latencies("latencies.json"),
    "triton.csv": _latencies("triton.csv"),
    "torch.trace": _alone("torch.trace"),
    "ultralytics.engine": _alone("ultralytics.engine"),
    "onnxruntime.json": _alone("onnxruntime.json"),
    "dryrun.txt": _alone("dryrun.txt"),
    "application.log": _alone("application.log"),
    "smi.csv": _monitor("smi.csv"),
    "tegrastats.log": _monitor("tegrastats.log"),
    "build.log": _build_log,
    "saved.log": _saved_log,
    "edge_llm.log": _alone("edge_llm.log"),
    "model_ctx.onnx": _alone("model_ctx.onnx"),
    "onnxruntime.log": _alone("onnxruntime.log"),
    "layer_decode.csv": _alone("layer_decode.csv"),
    "e2e_decode.csv": _latencies("e2e_decode.csv"),
    "collect --from-log": _collected_log,
    "trexreport-site.json": _site_memory,
    "login": _login,
    "EnginePlan": _notebook,
    "model.onnx": _onnx,
}


def seeds_of(bench: Bench, target: str) -> list[bytes]:
    """Return good files for a target, to be damaged."""
    if target in bench.files:
        return [bench.files[target]]
    if target in bench.containers:
        return [bench.containers[target].read_bytes()]
    if target == "model.onnx":
        return [onnx_model()]
    if target == "trexreport-site.json":
        site = bench.folder / "first-site"
        if not site.exists():
            run("site", bench.good, "-o", site, "--quiet")
        return [(site / target).read_bytes()]
    return {
        "trexreport.toml": [CONFIGURATION.encode()],
        "latencies.csv": [LATENCIES, LATENCIES.replace(b",", b";"), b"1.5\n2.5\n"],
        "latencies.json": [
            b'{"latency_ms": [1.5, 2.5]}',
            b'[{"time_s": 1}]',
            b"[1, 2]",
            bench.files["timing"],
        ],
        "triton.csv": [
            perf_analyzer({1: 1500, 2: 900}, avg_us={1: 1, 2: 2}),
            model_analyzer([("a", 1, 2.5)]),
        ],
        "torch.trace": [torch_trace({"conv1": 12.5, "fc": 3})],
        "ultralytics.engine": [ultralytics_engine()],
        "onnxruntime.json": [ort_profile()],
        "layer_decode.csv": [edge_llm_layers()],
        "e2e_decode.csv": [edge_llm_end_to_end()],
        "saved.log": _saved_logs(),
        "edge_llm.log": [edge_llm_log("Prefill", "Decode")],
        "model_ctx.onnx": [_context_model()],
        "onnxruntime.log": [ort_log({"CPUExecutionProvider": [("Conv", "a")], "": [("Add", "b")]})],
        "dryrun.txt": [torch_dryrun(unsupported={"aten.index": 2})],
        "application.log": [
            application_log(form, [(1.5, 8, 2.5)] * 6) for form in (SPEED, STAGES_IN_A_LINE, TIMING_REPORT)
        ],
        "smi.csv": [nvidia_smi()],
        "tegrastats.log": [tegrastats()],
        "build.log": [_verbose_log(version) for version in ("10", "8.4")],
        "collect --from-log": [LOG.encode()],
        "login": [b"user\npassword\n"],
        "any.txt": [LOG.encode(), b"1.5\n"],
    }.get(target, [bench.files["graph"], bench.files["profile"], bench.files["timing"]])
