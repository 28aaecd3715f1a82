"""Write the sample captures that ship with trexreport; all of them are synthetic.

Run `python samples/make_samples.py` to write them beside this file. The same program
always writes the same bytes, so a difference in the repository is a change of the generator.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from generator.accuracy import accuracy_of
from generator.detector import detector
from generator.field import WALKTHROUGH
from generator.kernels import counters_of, kernels_of
from generator.large import llm_like, unet_like
from generator.resnet import resnet_after, resnet_before, resnet_half
from generator.transformer import transformer
from generator.walkthrough import walkthrough

SAMPLES: dict[str, Callable[[], dict[str, bytes]]] = {
    "resnet18-int8-before": resnet_before,
    "resnet18-int8-after": resnet_after,
    "transformer-trt10-myelin": transformer,
    "detector-trt11": detector,
}

#: Samples that have the kernels of a trace and their counts in `kernels`.
WITH_KERNELS = ("resnet18-int8-before",)
#: The baseline of `resnet18-int8-after` in FP16, which lies with its accuracy in `accuracy`.
BASELINE = "resnet18-fp16"
#: Samples that have their ONNX model in `models`, and their accuracy in `accuracy`.
WITH_MODEL = ("resnet18-int8-before", "resnet18-int8-after")


def model_of(name: str) -> bytes:
    """Return the ONNX model of one of `WITH_MODEL`; this needs the package `onnx`."""
    from generator.resnet_onnx import resnet_onnx  # noqa: PLC0415 - the captures do not need onnx

    return resnet_onnx(name)


def write_files(folder: Path, files: dict[str, bytes]) -> None:
    """Write files into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    print(f"{folder}: {len(files)} files, {sum(map(len, files.values()))} bytes")


def main(arguments: list[str] | None = None) -> None:
    """Write the captures that the command line asks for."""
    parser = argparse.ArgumentParser(description="Write trexreport's synthetic sample captures.")
    parser.add_argument(
        "-o", "--output", type=Path, default=Path(__file__).resolve().parent, help="the folder to write into"
    )
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--only", choices=sorted(SAMPLES), help="write this sample and no other")
    choice.add_argument("--llm", type=int, metavar="LAYERS", help="write a decoder of that many layers")
    choice.add_argument("--unet", type=int, metavar="LAYERS", help="write a U-Net of that many layers")
    choice.add_argument("--walkthrough", action="store_true", help="write one ResNet18 as five engines")
    options = parser.parse_args(arguments)
    try:
        if options.llm is not None:
            write_files(options.output / f"llm-{options.llm}", llm_like(options.llm))
        elif options.unet is not None:
            write_files(options.output / f"unet-{options.unet}", unet_like(options.unet))
        elif options.walkthrough:
            for name in WALKTHROUGH:
                write_files(options.output / f"resnet18-{name}", walkthrough(name))
        else:
            if not options.only:
                files = resnet_half()
                files[f"{BASELINE}.engine.accuracy.json"] = accuracy_of(BASELINE, files)
                write_files(options.output / "accuracy" / BASELINE, files)
            for name in [options.only] if options.only else SAMPLES:
                write_files(options.output / name, SAMPLES[name]())
                if name in WITH_MODEL:
                    write_files(options.output / "models", {f"{name}.onnx": model_of(name)})
                    files = {f"{name}.accuracy.json": accuracy_of(name, SAMPLES[name]())}
                    write_files(options.output / "accuracy", files)
                if name in WITH_KERNELS:
                    files = {f"{name}.kernels.json": kernels_of(name, SAMPLES[name]())}
                    files[f"{name}.counters.json"] = counters_of(name, SAMPLES[name]())
                    write_files(options.output / "kernels", files)
    except ValueError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
