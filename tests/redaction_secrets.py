"""A capture with a secret in every text of every file, and functions that unpack outputs."""

from __future__ import annotations

import base64
import binascii
import io
import json
import lzma
import re
import zipfile
import zlib

#: Part of every planted word; trexreport writes no such word.
MARK = "zorblax"
PLANTED = re.compile(rf"{MARK}|zorb.?lax|[a-z]\d?zorb", re.IGNORECASE)
_PACKED = re.compile(r"[A-Za-z0-9+/]{1000,}={0,2}")


class Planter:
    """Makes words that no other file or field has."""

    def __init__(self):
        self.count = 0

    def __call__(self, pattern="{}"):
        self.count += 1
        # In letters, as numbers are not redacted.
        word = MARK + "".join("abcdefghij"[int(digit)] for digit in str(self.count))
        return pattern.replace("{0}", word).replace("{}", word)


def tensor(plant, name, **more):
    return {
        "Name": name,
        "Location": plant("Device {}"),
        "Dimensions": [1, 16, 8, 8],
        "Format/Datatype": "Row major linear FP16 format",
        plant(): plant(),
        **more,
    }


def layer_name(plant, kind):
    return plant("/{}.encoder/layers.0/" + kind) + plant(" + PWN({}_Relu)")


def graph(plant, names):
    inner = plant("{}:hidden_1")
    layers = [
        {
            "Name": names[0],
            "LayerType": plant("CaskConvolution{}"),
            "ParameterType": "Convolution",
            "Inputs": [tensor(plant, names[2])],
            "Outputs": [tensor(plant, inner)],
            "Kernel": [3, 3],
            "Weights": {"Type": "Half", "Count": 2304},
            "TacticName": plant("sm80_xmma_fprop_{}_f16f16"),
            "TacticValue": "0x00000000000003e8",
            "StreamId": 0,
            "Metadata": plant("[ONNX Layer: /{}/Conv]"),
            plant("Plugin{}"): {plant(): [plant(), {plant(): plant("/home/{}/plugin.so")}]},
        },
        {
            "Name": names[1],
            "LayerType": "Reformat",
            "Origin": plant("REFORMAT {}"),
            "Inputs": [tensor(plant, inner)],
            "Outputs": [tensor(plant, names[3], **{"Format/Datatype": plant("{} FP16")})],
            "Constants": [tensor(plant, plant("{}.weight"))],
            "TacticName": plant("__myl_Add{}Mul_0x1f"),
        },
    ]
    return {"Layers": layers, "Bindings": [names[2], names[3]], plant(): plant()}


def manifest(plant, secrets):
    run = {
        "title": plant("build {}"),
        "command": [
            "ssh",
            "-q",
            secrets["host"],
            plant("/opt/{}/trtexec"),
            plant("--onnx=/data/{}/model.onnx"),
        ],
        "log": plant("{}.build.log"),
        "writes": [plant("{}.graph.json")],
        "started": "2026-01-01T00:00:00+00:00",
        "exit_status": 1,
        "finished": False,
        "warnings": [plant("Layer {} was slow on the machine.")],
    }
    return {
        "schema": "trexreport-capture",
        "schema_version": 1,
        "generator": "trexreport",
        "complete": False,
        "failure": plant("Layer {} failed in /home/") + secrets["user"] + "/models.",
        "missing": {plant("{}.timing.json"): plant()},
        "backend": plant("trtexec {}"),
        "versions": {"tensorrt": "10.9.0", "driver": "550.54", plant(): plant()},
        "gpu": {
            "name": "NVIDIA A100-SXM4-80GB",
            "uuid": secrets["uuid"],
            "Board": plant(),
            "Serial Number": int(secrets["serial"]),
        },
        "system": {
            "platform": plant("Linux-5.15-{}"),
            "machine": "x86_64",
            "environment": {"SLURM_JOB_ID": secrets["job"], plant(): secrets["six"]},
        },
        "arguments": [plant("--plugins=/srv/{}/lib.so")],
        "source": {"path": plant("/home/{}/model.onnx"), "size_bytes": 1, "sha256": secrets["hash"]},
        "engine": None,
        "runs": [run],
        "notes": [plant("Run sudo nvidia-smi for {}") + f" on {secrets['host']} as {secrets['user']}."],
    }


def gpu_samples(plant):
    return {
        "schema": "trexreport-gpu-samples",
        "schema_version": 1,
        "gpu": {"name": "NVIDIA A100-SXM4-80GB", plant(): plant()},
        "phases": [{"name": "timing", "begin_s": 0, "end_s": 1}, {"name": plant(), "begin_s": 1, "end_s": 2}],
        "other_processes": [{"pid": 4711, "program": plant("/home/{}/train"), "memory_bytes": 1}],
        "samples": {"time_s": [0, 0.5, 1.0], "power_w": [100, 101, 102], "sm_clock_mhz": [1000, 1000, 1000]},
    }


def log(plant, names, secrets):
    lines = [
        plant("&&&& RUNNING TensorRT.trtexec [TensorRT v100900] # trtexec --onnx=/home/{}/model.onnx --fp16"),
        "[01/01/2026-00:00:00] [I] === Model Options ===",
        plant("[01/01/2026-00:00:00] [I] Model: /home/{0} and {0}/model.onnx"),
        "[01/01/2026-00:00:00] [I] === Build Options ===",
        plant("[01/01/2026-00:00:00] [I] Plugins: C:\\Users\\{}\\lib.dll"),
        plant("[01/01/2026-00:00:00] [I] Save engine: ../{}/m.engine"),
        "[01/01/2026-00:00:00] [I] === Device Information ===",
        "[01/01/2026-00:00:00] [I] Selected Device: NVIDIA A100-SXM4-80GB",
        f"[01/01/2026-00:00:00] [I] Selected Device UUID: {secrets['uuid']}",
        f"[01/01/2026-00:00:00] [W] {secrets['six']}: serial number: {secrets['serial']}",
        f"[01/01/2026-00:00:00] [W] SLURM_JOB_ID={secrets['job']}",
        f"[01/01/2026-00:00:00] [W] In container {secrets['container']}: {secrets['hash']}",
        f"[01/01/2026-00:00:00] [W] {names[0]} fell back on {secrets['host']} at {secrets['address']}",
        plant("[01/01/2026-00:00:00] [W] \x1b[33mSee https://{}.example.com/x?token={}\x1b[0m"),
        "[01/01/2026-00:00:00] [W] * GPU compute time is unstable, with coefficient of variance = 5.2%.",
        plant("{} something else altogether"),
        "&&&& PASSED TensorRT.trtexec [TensorRT v100900]",
    ]
    return "\n".join(lines)


def secret_files():
    """Return the files of a capture by name, and the secrets that are not words."""
    plant = Planter()
    secrets = {
        "host": f"{MARK}-box-7",
        "user": f"{MARK}user",
        "uuid": "GPU-2580ec36-5574-ddc7-4615-63d57b5969e2",
        "address": "192.168.17.4",
        "six": "2001:db8:85a3::8a2e:370:7334",
        "serial": "1322421015234",
        "job": "99120733",
        "container": "3f4e5a6b7c8d",
        "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    }
    names = [layer_name(plant, "Conv"), layer_name(plant, "Add"), plant("{}_in"), plant("{}_out")]
    rows = [{"name": name, "timeMs": 100.0, "averageMs": 1.0, "percentage": 50.0} for name in names[:2]]
    rows.append({"name": plant("{} only this"), "timeMs": 1.0, "averageMs": 0.01, "percentage": 0.5})
    times = {"startComputeMs": 0, "endComputeMs": 1, "computeMs": 1.0, "latencyMs": 1.2, plant(): plant()}
    options = {"Model": plant("/home/{}/model.onnx"), plant(): plant()}
    documents = {
        "graph.json": graph(plant, names),
        "profile.json": [{"count": 100}, *rows],
        "samples.json": {names[0]: [1.0, 1.1], names[1]: [1.0, 1.2], plant(): [1.0, 1.0]},
        "timing.json": [times] * 60,
        "timing.2.json": [times] * 60,
        "metadata.json": [
            {"Name": plant("NVIDIA A100-SXM4-80GB {}"), "ComputeCapability": "8.0", plant(): plant()}
        ],
        "build.metadata.json": {"model_options": options, "build_options": {"Precision": plant("FP16 {}")}},
        "profile.metadata.json": {
            "inference_options": {plant("Streams {}"): plant("1 {}")},
            "device_information": {"Selected Device": "NVIDIA A100-SXM4-80GB", "Host": plant()},
            "performance_summary": {"Throughput": 800.0, plant(): plant()},
        },
        "capture.json": manifest(plant, secrets),
        "gpu.json": gpu_samples(plant),
    }
    prefix = f"{MARK}net.engine"
    files = {f"{prefix}.{ending}": json.dumps(content).encode() for ending, content in documents.items()}
    files[f"{prefix}.build.log"] = log(plant, names, secrets).encode()
    # An escape spells the same word in other bytes.
    files[f"{prefix}.graph.json"] = files[f"{prefix}.graph.json"].replace(b"zorblaxb", b"\\u007aorblaxb")
    return files, secrets


_SCRIPT = re.compile(rb'<script type="application/(gzip|xz);base64"[^>]*>([^<]*)</script>')
_HEXADECIMAL = re.compile(rb"<([0-9A-Fa-f\s]{8,})>")
_STREAM = re.compile(rb"stream\r?\n(.*?)\r?\nendstream", re.DOTALL)


def unpacked(data):
    """Yield bytes and everything packed in them, recursively."""
    yield data
    if data.startswith((b"PK\x03\x04",)):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for info in archive.infolist():
                yield info.filename.encode()
                yield from unpacked(archive.read(info))
    for kind, text in _SCRIPT.findall(data):
        packed = base64.b64decode(text)
        yield from unpacked(zlib.decompress(packed, 31) if kind == b"gzip" else lzma.decompress(packed))
    if data.startswith(b"%PDF-"):
        yield from filter(None, map(inflated, _STREAM.findall(data)))
        for text in _HEXADECIMAL.findall(data):
            yield binascii.unhexlify(b"".join(text.split())[: len(b"".join(text.split())) // 2 * 2])


def inflated(stream):
    """Return what a stream of a PDF holds, or None if it is not packed so."""
    try:
        return zlib.decompress(stream)
    except zlib.error:
        return None


def texts_in(data):
    """Return everything that can be read in an output, spelled in any of the usual ways."""
    parts = []
    for each in unpacked(data):
        # What is packed is looked for in what it unpacks to: in base64 five letters come together by chance.
        text = _PACKED.sub("", each.decode("utf-8", "replace"))
        parts += [text, each.decode("utf-16-be", "replace"), each.decode("utf-16-le", "replace")]
        if "\\u00" in text:
            parts.append(re.sub(r"\\u00([0-9a-f]{2})", lambda found: chr(int(found[1], 16)), text))
    return "\n".join(parts)
