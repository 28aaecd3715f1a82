"""A test double of trtexec: takes the flags of one version, writes its logs and files, fails on request.

It is steered by the environment: TRTEXEC_DOUBLE holds JSON with "version" (such as "10.16.0"), "in" (the
stage that fails: build, profile or timing; any, if it is left out), "seconds" (how long each run takes),
"calls" (a file to which each command line is added), and "fails":

* build, onnx, memory, no_gpu: it says why and fails, as that version does
* dynamic: it builds, having put 1 for free dimensions
* crash, killed: it dies by SIGSEGV or SIGKILL
* hang, deaf: it never ends; deaf does not listen to SIGTERM
* empty, cut, missing, partial: it writes nothing, half a file, no file; or dies while writing one
* nasty: names of layers hold quotes, which trtexec does not escape

What it measures comes from the samples, so it is synthetic.
"""

from __future__ import annotations

import json
import math
import os
import signal
import sys
import time
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).resolve().parent)]
# It starts hundreds of times, and of these packages needs single modules, not what they import themselves.
for package in ("trexreport", "trexreport.collector", "trexreport.reader") if __name__ == "__main__" else ():
    sys.modules[package] = ModuleType(package)
    sys.modules[package].__path__ = [str(ROOT.joinpath(*package.split(".")))]

from trtexec_forms import (  # noqa: E402
    DEVICE,
    DYNAMIC,
    DYNAMIC_ENGINE,
    ERRORS,
    LIBRARY_BUILDS,
    LIBRARY_LOADS,
    SECTIONS,
    UNPACKED_BUILDS,
    applies,
)

from trexreport.collector.flags import Support, flag_table  # noqa: E402
from trexreport.collector.versions import Version  # noqa: E402

SAMPLES = ROOT / "samples"
TIME = "[11/21/2026-07:39:40]"
QUANTITIES = {
    "Latency": "latencyMs",
    "Enqueue Time": "",
    "H2D Latency": "h2dMs",
    "GPU Compute Time": "computeMs",
    "D2H Latency": "d2hMs",
}


def fmean(figures: Iterable[float]) -> float:
    """Return the mean; the standard library's module of this function takes a tenth of a run to import."""
    listed = [*figures]
    return math.fsum(listed) / len(listed)


class End(Exception):  # noqa: N818 - it may be a good one
    """trtexec ends with this status."""


class Double:
    """One run."""

    def __init__(self, words: list[str], wishes: dict[str, object]) -> None:
        self.words = words
        self.version = Version.parse(str(wishes.get("version", "10.16.0")))
        self.fails = str(wishes.get("fails", ""))
        self.fails_in = wishes.get("in")
        self.seconds = float(wishes.get("seconds", 0))
        self.options = dict(word[2:].partition("=")[::2] for word in words if word.startswith("--"))

    # What every run does.

    def run(self) -> int:
        self.banner("RUNNING")
        if not self.words or {"help", "h"} & set(self.options):
            self.print_help()
            return 0
        self.refuse_unknown()
        if self.fails == "hang" and self.is_now:
            time.sleep(3600)
        self.print_options()
        self.say("TensorRT version: " + str(self.version))
        self.say("Loading standard plugins")
        if self.fails == "deaf" and self.is_now:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(3600)
        time.sleep(self.seconds / 2)
        if "onnx" in self.options:
            self.build()
        else:
            self.load()
        if not {"skipInference", "buildOnly"} & set(self.options):
            self.measure()
        else:
            time.sleep(self.seconds / 2)
            if self.at_least(8, 6):
                self.say("Skipped inference phase since --skipInference is added.")
        self.banner("PASSED")
        return 0

    @property
    def stage(self) -> str:
        if "onnx" in self.options:
            return "build"
        return "profile" if "exportProfile" in self.options else "timing"

    @property
    def is_now(self) -> bool:
        return self.fails_in in {None, self.stage}

    def wanted(self, failure: str) -> bool:
        return self.fails == failure and self.is_now

    def at_least(self, *release: int) -> bool:
        return self.version.release >= release

    # Words.

    def say(self, text: str, severity: str = "I", *, library: bool = False) -> None:
        stream = sys.stdout if severity in "VI" else sys.stderr
        for line in text.split("\n") if severity != "raw" else [text]:
            print(f"{TIME} [{severity}] {'[TRT] ' if library else ''}{line}", file=stream, flush=True)

    def say_by_release(self, lines: list[tuple[str, str]]) -> None:
        for span, line in lines:
            if applies(span, self.version.release):
                self.say(line, library=True)

    def banner(self, state: str) -> None:
        number = self.version.major * (10000 if self.version.major >= 10 else 1000)
        number += self.version.minor * 100 + self.version.patch
        build = UNPACKED_BUILDS.get(self.version.release, "")
        command = " ".join(["trtexec", *self.words])
        print(f"&&&& {state} TensorRT.trtexec [TensorRT v{number}]{build} # {command}", flush=True)

    def fail(self, failure: str, **names: object) -> None:
        for error in ERRORS[failure]:
            library = error.startswith("[TRT] ")
            self.say(error.removeprefix("[TRT] ").format(**names), "E", library=library)
        self.banner("FAILED")
        raise End(1)

    def print_help(self) -> None:
        table = flag_table()
        print("=== Model Options ===")
        for flag in sorted(table.spans):
            if table.takes(flag, self.version):
                print(f"  --{flag}{'=<value>' if flag not in table.switches else ''}")

    def refuse_unknown(self) -> None:
        """Refuse as trtexec's parser does; a flag that is given twice is left over, too."""
        table = flag_table()
        seen = set()
        for word in self.words:
            name, _, value = word.removeprefix("--").partition("=")
            known = word.startswith("--") and table.support(name, self.version) is Support.TAKEN
            if not known or (name in seen and name not in table.repeatable):
                self.print_help()
                self.say(f"Unknown option: --{name} {value}".rstrip(), "E")
                if not self.at_least(11, 1):
                    self.banner("FAILED")
                raise End(1)
            seen.add(name)

    def print_options(self) -> None:
        """Print the sections of options, then the device, as far as there is one."""
        if self.wanted("no_gpu") and (10, 7) <= self.version.release <= (10, 16):
            self.fail_no_gpu()
        if (10, 13) <= self.version.release < (11, 0):
            self.say("TF32 is enabled by default. Add --noTF32 flag to further improve accuracy.")
        values = self.values()
        for section, lines in SECTIONS.items():
            if section == "Build Options" and "loadEngine" in self.options and self.at_least(9, 3):
                continue
            self.say(f"=== {section} ===")
            for span, line in lines:
                if applies(span, self.version.release):
                    self.say(line.format_map(values))
        self.say("")
        if not self.at_least(10) and self.wanted("no_gpu"):
            self.fail_no_gpu()
        self.say("=== Device Information ===")
        if self.wanted("no_gpu"):
            self.fail_no_gpu()
        for span, line in DEVICE:
            if applies(span, self.version.release):
                self.say(line.format(of_the_gpu="that the GPU is currently running at"))
        self.say("")

    def values(self) -> dict[str, str]:
        """Return what the lines of options show."""
        has = {flag: "Enabled" if flag in self.options else "Disabled" for flag in flag_table().spans}
        shows = dict.fromkeys(flag_table().spans, "") | self.options
        on_by_default = self.at_least(11)
        shapes = self.options.get("shapes", "").replace(":", "=")
        return {
            **{f"has_{flag}": value for flag, value in has.items()},
            **{f"is_{flag}": value for flag, value in shows.items()},
            "format": "ONNX" if "onnx" in self.options else "*",
            "precision": self.precision(),
            "workspace": self.workspace(),
            "dla_pools": "dlaSRAM: default, dlaLocalDRAM: default, dlaGlobalDRAM: default",
            "skips": "Enabled" if {"skipInference", "buildOnly"} & set(self.options) else "Disabled",
            "verbosity": {"detailed": "2", "none": "1"}.get(self.options.get("profilingVerbosity", ""), "0"),
            "cache_mode": "global" if "timingCacheFile" in self.options else "local",
            "build_shapes": f" shape: {shapes}+{shapes}+{shapes}" if shapes else " shapes: model",
            "shapes": f" shape: {shapes}" if shapes else " shapes: model",
            "iterations": self.options.get("iterations", "10"),
            "duration": self.options.get("duration", "3"),
            "warm_up": self.options.get("warmUp", "200"),
            "streams": self.options.get("infStreams", self.options.get("streams", "1")),
            "averages": self.options.get("avgRuns", "10"),
            "percentiles": self.options.get("percentile", "99" if not self.at_least(8, 5) else "90,95,99"),
            "transfers": self.switched("noDataTransfers", "includeDataTransfers", off=on_by_default),
            "spin": self.switched("noSpinWait", "useSpinWait", off=not on_by_default),
            "graph": self.switched("noCudaGraph", "useCudaGraph", off=not on_by_default),
            "profiles": "Enabled" if "exportProfile" in self.options else "Disabled",
        }

    def switched(self, no: str, yes: str, *, off: bool) -> str:
        if no in self.options:
            return "Disabled"
        return "Enabled" if yes in self.options or not off else "Disabled"

    def precision(self) -> str:
        if self.at_least(11):
            return "Strongly Typed"
        return "+".join(["FP32", *(kind.upper() for kind in ("fp16", "int8") if kind in self.options)])

    def workspace(self) -> str:
        pool = self.options.get("memPoolSize", "")
        return f"{pool.removeprefix('workspace:')} MiB" if pool.startswith("workspace:") else "default"

    # Building and loading.

    @cached_property
    def sample(self) -> dict[str, bytes]:
        """Return the files of the sample that is like this version, by their roles."""
        name = "detector-trt11" if self.at_least(11) else "transformer-trt10-myelin"
        name = name if self.at_least(9) else "resnet18-int8-before"
        return {
            path.name.removeprefix(f"{name}.engine."): path.read_bytes()
            for path in (SAMPLES / name).iterdir()
        }

    def build(self) -> None:
        self.say("Start parsing network model.")
        model = Path(self.options["onnx"])
        if not model.is_file():
            self.say("Finished parsing network model. Parse time: 0.000249315")
            self.fail("no_model", model=model)
        if self.wanted("onnx"):
            self.fail("onnx")
        self.say("Finished parsing network model. Parse time: 0.0170852")
        if self.wanted("dynamic"):
            self.say(DYNAMIC.format(name="x", shape="1x3x224x224"), "W")
        if self.wanted("memory"):
            self.fail("memory")
        self.crash_if_wanted()
        if self.wanted("build"):
            self.fail_build()
        self.say_by_release(LIBRARY_BUILDS)
        self.plan = {
            "version": str(self.version),
            "verbosity": self.verbosity(),
            "is_dynamic": self.wanted("dynamic"),
        }
        content = json.dumps(self.plan).ljust(4096)
        self.write("saveEngine", content.encode())
        if self.at_least(9, 3):
            self.say("Created engine with size: 0.00390625 MiB")
        self.say("Engine built in 1.25 sec.")
        if cache := self.options.get("timingCacheFile"):
            if not Path(cache).is_file():
                self.say(f"Could not read timing cache from: {cache}. A new timing cache will be generated "
                         "and written.", "W", library=self.at_least(10))  # fmt: skip
            Path(cache).write_bytes(b"timing cache")
            Path(f"{cache}.lock").touch()
            self.say(f"Saved 12 bytes of timing cache to {cache}", library=self.at_least(10))
        self.say("Engine deserialized in 2.0981e-05 sec.")

    def verbosity(self) -> str:
        return self.options.get("profilingVerbosity", "layer_names_only")

    def fail_build(self) -> None:
        if self.at_least(10, 13):
            Path(self.options["saveEngine"]).touch()
            self.say("Created engine with size: 0 MiB")
            self.say("Engine built in 9.0405e-05 sec.")
            self.say('Assertion failure: false && "Attempting to access an empty engine!"', "E")
            raise End(1)
        self.fail("build")

    def fail_no_gpu(self) -> None:
        where = " at /src/samples/common/common.h:1011" if self.at_least(10, 7) else ""
        print(
            f"Cuda failure{where}: CUDA driver version is insufficient for CUDA runtime version",
            file=sys.stderr,
            flush=True,
        )
        if not self.at_least(10):
            os.abort()
        raise End(1)

    def load(self) -> None:
        engine = Path(self.options["loadEngine"])
        if not engine.is_file():
            self.fail("no_engine", engine=engine)
        try:
            self.plan = json.loads(engine.read_text("utf-8"))
        except ValueError:
            self.fail("no_plan")
        if self.plan["version"] != str(self.version):
            self.fail("other_version", version=self.version, built=self.plan["version"])
        if not self.at_least(9, 3):
            self.say("Engine loaded in 0.00109713 sec.")
        self.say("Engine deserialized in 0.0226129 sec.")
        self.say_by_release(LIBRARY_LOADS)

    # Measuring.

    def measure(self) -> None:
        if self.plan["is_dynamic"] and "shapes" not in self.options:
            self.say(DYNAMIC_ENGINE.format(name="x", shape="1x3x224x224"), "W")
        self.say("Created execution context with device memory size: 4 MiB")
        names = ["x"] if "shapes" not in self.options else [self.options["shapes"].rpartition(":")[0]]
        for name in names:
            self.say(f"Using random values for input {name}")
        self.crash_if_wanted()
        self.write("exportLayerInfo", self.layer_information())
        self.say("Starting inference")
        time.sleep(self.seconds / 2)
        if self.switched("noCudaGraph", "useCudaGraph", off=not self.at_least(11)) == "Enabled":
            self.say("Capturing CUDA graph for the current execution context")
            self.say("Successfully captured CUDA graph for the current execution context")
        alone = "exportProfile" in self.options and "separateProfileRun" not in self.options
        if alone and not self.at_least(11):
            self.say("The e2e network timing is not reported since it is inaccurate due to the extra "
                     "synchronizations when the profiler is enabled.")  # fmt: skip
        else:
            self.print_summary()
            self.write("exportTimes", self.sample["timing.json"])
        if "dumpProfile" in self.options:
            self.print_profile()
        self.write("exportProfile", self.profile())
        if self.options.get("saveAllDebugTensors") == "summary":
            Path("tensor_summary.json").write_text(self.tensor_summary(), encoding="utf-8")

    def tensor_summary(self) -> str:
        """Return the ranges of one tensor as debugTensorWriter.cpp writes them: names are not escaped."""
        high = '"inf"' if "fp16" in self.options else "70000"
        return (
            '{"metadata": {"engine_name": "m.engine"}, "tensors": [{"name": "t1", "shape": [1, 8], "type": '
            f'"FLOAT", "statistics": {{"min": -1.5, "max": {high}, "avg": {high}, "elements": "1, 2"}}}}]}}'
        )

    def layer_information(self) -> bytes:
        # The GPU of the double is an L4, which runs no kernels for sm90.
        graph = self.sample["graph.json"].replace(b"sm90", b"sm89")
        is_detailed = self.plan["verbosity"] == "detailed"
        # The ONNX nodes of layers came with 8.6.
        if is_detailed and self.at_least(8, 6):
            return graph
        document = json.loads(graph)
        if is_detailed:
            for layer in document["Layers"]:
                layer.pop("Metadata", None)
        else:
            document["Layers"] = [layer["Name"] for layer in document["Layers"]]
        return json.dumps(document).encode()

    def profile(self) -> bytes:
        """Return the layer times; trtexec escapes nothing in names."""
        text = self.sample["profile.json"].decode()
        return (
            text.replace('"name" : "', '"name" : "a"b\\c ', 1) if self.fails == "nasty" else text
        ).encode()

    def print_profile(self) -> None:
        """Print the table of layers, with a row for their sum."""
        count, *rows = json.loads(self.sample["profile.json"])
        self.say("")
        self.say(f"=== Profile ({count['count']} iterations ) ===")
        self.say("   Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer")
        keys = ("timeMs", "averageMs", "medianMs", "percentage")
        rows.append({"name": "Total", **{key: sum(row[key] for row in rows) for key in keys}})
        for row in rows:
            total, mean, middle, share = (row[key] for key in keys)
            self.say(f"{total:>11.2f}{mean:>13.4f}{middle:>13.4f}{share:>10.1f}   {row['name']}")
        self.say("")

    def print_summary(self) -> None:
        rows = json.loads(self.sample["timing.json"])
        walltime_s = (rows[-1]["endD2hMs"] - rows[0]["startH2dMs"]) / 1000
        self.say(f"Warmup completed 60 queries over {self.options.get('warmUp', '200')} ms")
        self.say(f"Timing trace has {len(rows)} queries over {walltime_s:.6g} s")
        self.say("")
        self.say("=== Trace details ===")
        count = int(self.options.get("avgRuns", "10"))
        self.say(f"Trace averages of {count} runs:")
        for start in range(0, len(rows) - count + 1, count):
            part = rows[start : start + count]
            compute, host = (fmean(row[key] for row in part) for key in ("computeMs", "latencyMs"))
            enqueue = fmean(row["endEnqMs"] - row["startEnqMs"] for row in part)
            self.say(
                f"Average on {count} runs - GPU latency: {compute:.6g} ms - Host latency: {host:.6g} ms "
                f"(enqueue {enqueue:.6g} ms)"
            )
        self.say("")
        self.say("=== Performance summary ===")
        self.say(f"Throughput: {len(rows) / walltime_s:.6g} qps")
        for name, key in QUANTITIES.items():
            figures = [row[key] if key else row["endEnqMs"] - row["startEnqMs"] for row in rows]
            self.say(f"{name}: {self.statistics(figures)}")
        self.say(f"Total Host Walltime: {walltime_s:.6g} s")
        self.say(f"Total GPU Compute Time: {sum(row['computeMs'] for row in rows) / 1000:.6g} s")
        self.say("Explanations of the performance metrics are printed in the verbose logs.")
        self.say("")

    def statistics(self, figures: list[float]) -> str:
        ordered = sorted(figures)
        middle = fmean((ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]))
        parts = {"min": ordered[0], "max": ordered[-1], "mean": fmean(figures), "median": middle}
        for rank in self.values()["percentiles"].split(","):
            at = min(len(ordered) - 1, int(len(ordered) * float(rank) / 100))
            parts[f"percentile({rank}%)"] = ordered[at]
        return ", ".join(f"{name} = {value:.6g} ms" for name, value in parts.items())

    # Files.

    def write(self, option: str, content: bytes) -> None:
        """Write a file as asked for; parts of it where that is the failure."""
        if option not in self.options:
            return
        place = Path(self.options[option])
        if self.wanted("empty"):
            content = b""
        elif self.wanted("cut") or self.wanted("partial"):
            content = content[: len(content) // 2]
        elif self.wanted("missing"):
            return
        place.write_bytes(content)
        if self.wanted("partial"):
            os.kill(os.getpid(), signal.SIGSEGV)

    def crash_if_wanted(self) -> None:
        if self.wanted("crash"):
            sys.stdout.flush()
            os.kill(os.getpid(), signal.SIGSEGV)
        if self.wanted("killed"):
            os.kill(os.getpid(), signal.SIGKILL)


def main() -> int:
    wishes = json.loads(os.environ.get("TRTEXEC_DOUBLE", "{}"))
    if calls := wishes.get("calls"):
        with Path(calls).open("a", encoding="utf-8") as file:
            print(json.dumps(sys.argv[1:]), file=file)
    try:
        return Double(sys.argv[1:], wishes).run()
    except End as end:
        return int(end.args[0])


if __name__ == "__main__":
    sys.exit(main())
