"""Captures that are valid, made from a seed: what varies between versions, options and GPUs."""

from __future__ import annotations

import json
from random import Random

from trexreport.model import Source

GPUS = (
    (
        "NVIDIA A100-SXM4-80GB",
        ("NVIDIA A100-SXM4-80GB", "A100 SXM", "NVIDIA A100-SXM4-80GB MIG 3g.40gb"), "8.0", 108, 81920,
    ),
    ("NVIDIA GeForce RTX 3090", ("NVIDIA GeForce RTX 3090", "GeForce RTX 3090"), "8.6", 82, 24268),
    ("Tesla T4", ("Tesla T4", "NVIDIA T4"), "7.5", 40, 15109),
    ("Orin", ("Orin", "Orin (nvgpu)", "NVIDIA Jetson AGX Orin"), "8.7", 16, 30697),
)  # fmt: skip
VERSIONS = ("8.4.1", "8.6.1", "10.0.1", "10.16.1", "11.1.0")
FOLDERS = ("", "/models/", "C:\\models\\", "./out dir/")
STEM = "x.engine"


def packed(version):
    major, minor, patch = map(int, version.split("."))
    return major * (10000 if major >= 10 else 1000) + minor * 100 + patch


def statistic(times):
    ordered = sorted(times)
    figures = (ordered[0], ordered[-1], sum(times) / len(times), ordered[len(ordered) // 2])
    return [round(each, 6) for each in (*figures, ordered[int(0.99 * (len(ordered) - 1))])]


class ValidCapture:
    """The files of a capture by role and name, all of one engine, GPU and measurement."""

    def __init__(self, seed):
        self.rng = rng = Random(seed)
        self.version = rng.choice(VERSIONS)
        self.gpu = rng.choice(GPUS)
        self.model = rng.choice(("resnet50", "yolo11s-seg", "vit_b_16", "bert-large"))
        self.shape = (rng.choice((1, 4, 32)), 3, 64, 64)
        self.streams = rng.choice((1, 1, 1, 2))
        self.names = [f"{self.model} layer {index} + relu" for index in range(rng.randint(4, 40))]
        self.scale = rng.choice((0.002, 0.02, 0.2))
        self.layer_ms = [self.scale * rng.uniform(0.5, 2) for _ in self.names]
        overhead = rng.choice((0.0, 0.003, 0.007))
        self.profile_ms = [each + overhead for each in self.layer_ms]
        self.lanes = rng.choice((1, 1, 2))
        self.query_ms = (
            sum(self.layer_ms) / rng.uniform(0.95, self.lanes) if self.lanes > 1 else sum(self.layer_ms)
        )
        self.copy_ms = rng.choice((0.0, 0.05))
        self.rows = self.run_rows(1.0)
        self.files = {}
        self.write()

    def run_rows(self, factor):
        times = [
            factor * self.query_ms * self.rng.uniform(0.99, 1.02) for _ in range(self.rng.choice((120, 300)))
        ]
        return [
            {"latencyMs": each + 2 * self.copy_ms, "computeMs": each, "h2dMs": self.copy_ms,
             "d2hMs": self.copy_ms,
             "startEnqMs": 0.0, "endEnqMs": 0.004}
            for each in times
        ]  # fmt: skip

    def put(self, role, name, content):
        self.files[role, name] = content if isinstance(content, str) else json.dumps(content)

    def write(self):
        rng, with_file = self.rng, lambda: self.rng.random() < 0.6
        self.put("graph", f"{STEM}.graph.json", self.graph())
        if with_file():
            count = rng.choice((1, 500))
            total = sum(self.profile_ms)
            rows = [
                {"name": name, "timeMs": ms * count, "averageMs": ms, "percentage": 100 * ms / total}
                for name, ms in zip(self.names, self.profile_ms, strict=True)
            ]
            self.put("profile", f"{STEM}.profile.json", [{"count": count}, *rows])
        if with_file():
            self.put("timing", f"{STEM}.timing.json", self.rows)
            if with_file():
                self.put("timing-run", f"{STEM}.timing.2.json", self.run_rows(rng.uniform(0.8, 1.25)))
        if with_file():
            self.put("log", f"{STEM}.build.log", self.build_log())
        if with_file():
            self.put("log", rng.choice((f"{STEM}.timing.log", "trtexec.txt")), self.run_log())
        if with_file():
            self.put("profile-metadata", f"{STEM}.profile.metadata.json", self.metadata())
        if with_file():
            self.put("metadata", f"{STEM}.metadata.json", self.devices())
        if with_file():
            self.put("manifest", f"{STEM}.capture.json", self.manifest())

    def tensor(self, name):
        return {
            "Name": name,
            "Dimensions": list(self.shape),
            "Format/Datatype": "Row major linear FP16 format",
        }

    def graph(self):
        names = ["input", *(f"t{index}" for index in range(len(self.names) - 1)), "output"]
        layers = [
            {"Name": name, "LayerType": "Convolution", "ParameterType": "Convolution",
             "StreamId": index % self.lanes,
             "Inputs": [self.tensor(names[index])], "Outputs": [self.tensor(names[index + 1])],
             "TacticName": "sm75_xmma_fprop_implicit_gemm_f16f16_f16f16_f16_nhwckrsc_nhwc"}
            for index, name in enumerate(self.names)
        ]  # fmt: skip
        return {"Layers": layers, "Bindings": ["input", "output"]}

    def path(self, ending):
        return f"{self.rng.choice(FOLDERS)}{self.model}{ending}"

    def extents(self):
        return "x".join(map(str, self.shape))

    def banner(self, options):
        device = self.rng.choice(self.gpu[1])
        # A part of a GPU has fewer multiprocessors and less memory.
        part = 2 if "MIG" in device else 1
        yield f"&&&& RUNNING TensorRT.trtexec [TensorRT v{packed(self.version)}] # trtexec {options}"
        yield "[I] === Device Information ==="
        yield f"[I] Selected Device: {device}"
        yield f"[I] Compute Capability: {self.gpu[2]}"
        yield f"[I] SMs: {self.gpu[3] // part}"
        yield f"[I] Device Global Memory: {self.gpu[4] // part} MiB"
        yield "[I] "

    def build_log(self):
        lines = [
            *self.banner(f"--onnx={self.path('.onnx')} --saveEngine={self.path('.plan')} --fp16"),
            "[I] === Model Options ===", f"[I] Model: {self.path('.onnx')}",
            "[I] === Build Options ===", "[I] Precision: FP32+FP16", "[I] ",
            "[I] Created engine with size: 44.8 MiB", "&&&& PASSED TensorRT.trtexec",
        ]  # fmt: skip
        return "\n".join(lines)

    def summary(self):
        compute = [row["computeMs"] for row in self.rows]
        latency = [row["latencyMs"] for row in self.rows]
        seconds = sum(compute) / 1000 / self.streams
        return compute, latency, len(compute) / seconds, seconds

    def run_log(self):
        compute, latency, rate, seconds = self.summary()
        given = f"--shapes=input:{self.extents()} --infStreams={self.streams}"
        exports = self.rng.choice(("", f" --exportTimes={STEM}.timing.json"))
        lines = [
            *self.banner(f"--loadEngine={self.path('.plan')} {given}{exports}"),
            "[I] === Inference Options ===", f"[I] Input inference shape : input={self.extents()}",
            f"[I] Inference Streams: {self.streams}", "[I] ", "[I] [TRT] Loaded engine size: 44 MiB",
            f"[I] Input binding for input with dimensions {self.extents()} and type fp16 is created.",
            f"[I] Output binding for output with dimensions {self.extents()} and type fp16 is created.",
            f"[I] Throughput: {rate:.6g} qps",
        ]  # fmt: skip
        for name, times in (("Latency", latency), ("GPU Compute Time", compute)):
            least, most, mean, middle, p99 = statistic(times)
            ends = f"min = {least} ms, max = {most} ms, mean = {mean} ms"
            lines.append(f"[I] {name}: {ends}, median = {middle} ms, percentile(99%) = {p99} ms")
        return "\n".join(
            [*lines, f"[I] Total Host Walltime: {seconds:.6g} s", "&&&& PASSED TensorRT.trtexec"]
        )

    def metadata(self):
        compute, latency, rate, seconds = self.summary()
        summary = {"Throughput": rate, "Latency": statistic(latency), "GPU Compute Time": statistic(compute)}
        options = {
            "Input inference shape": f"input={self.extents()}",
            "Streams": str(self.streams),
            "Duration": "3s (+ 200ms warm up)",
        }
        device = {
            "Selected Device": self.gpu[0],
            "Compute Capability": float(self.gpu[2]),
            "SMs": float(self.gpu[3]),
        }
        return {
            "performance_summary": {**summary, "Total Host Walltime": seconds},
            "inference_options": options,
            "device_information": device,
        }

    def devices(self):
        major, minor = map(int, self.gpu[2].split("."))
        one = {"Name": self.gpu[0], "ComputeCapability": [major, minor], "MULTIPROCESSOR_COUNT": self.gpu[3]}
        return [{**one, "TotalMemory": int(self.gpu[4] * 2**20 * self.rng.uniform(1.0, 1.05))}]

    def manifest(self):
        return {
            "schema": "trexreport-capture", "schema_version": 1, "complete": True, "backend": "trtexec",
            "versions": {"tensorrt": self.version}, "gpu": {"name": self.gpu[0]},
            "source": {"path": self.path(".onnx")},
            "engine": {"path": self.path(".plan"), "size_bytes": int(44.8 * 2**20)},
        }  # fmt: skip

    def sources(self):
        return tuple(Source(role, name, content.encode()) for (role, name), content in self.files.items())
