"""Sum an engine plan up in few lines, as text and as HTML."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from trexreport.trex.layer import Activation

_MIB = 1 << 20


class Summarized(Protocol):
    """What a summary needs of a plan."""

    name: str

    @property
    def layers(self) -> Sequence[object]:
        """The layers that are counted."""

    @property
    def total_runtime(self) -> float:
        """Total layer time in ms, from average times."""

    @property
    def total_weights_size(self) -> int:
        """Bytes of all weights."""

    @property
    def total_act_size(self) -> int:
        """Bytes of all inputs and outputs of all layers."""

    @property
    def device_properties(self) -> Mapping[str, Any]:
        """The GPU."""

    @property
    def performance_summary(self) -> Mapping[str, Any]:
        """The end-to-end measurement."""

    @property
    def builder_cfg(self) -> Mapping[str, Any]:
        """How the engine was built."""

    def get_bindings(self) -> tuple[list[Activation], list[Activation]]:
        """Return inputs and outputs."""


def summary_dict(plan: Summarized) -> dict[str, str]:
    """Return title and text of the lines that sum a plan up; "MB" is 2^20 bytes, as in TREx."""
    inputs, outputs = plan.get_bindings()
    return {
        "Inputs": "\n\t\t".join(_binding(tensor) for tensor in inputs),
        "Outputs": "\n\t\t".join(_binding(tensor) for tensor in outputs),
        "Average time": f"{plan.total_runtime:.3f} ms",
        "Layers": str(len(plan.layers)),
        "Weights": _mebibytes(plan.total_weights_size),
        "Activations": _mebibytes(plan.total_act_size),
    }


def print_summary(plan: Summarized) -> None:
    """Print what is known of the model, the GPU, the build and the measurement."""
    blocks: dict[str, Mapping[str, Any]] = {
        "Model": summary_dict(plan),
        "Device Properties": plan.device_properties,
        "Builder Configuration": plan.builder_cfg,
        "Performance Summary": plan.performance_summary,
    }
    for title, lines in blocks.items():
        print(f"{title}:")
        for key, value in lines.items():
            print(f"\t{key}: {value}")


def summary_html(plan: Summarized) -> str:
    """Return a table for a notebook; every text is escaped."""
    facts = {**summary_dict(plan)}
    device = plan.device_properties.get("Selected Device")
    if device:
        facts["Device"] = str(device)
    rows = "".join(
        f'<tr><th style="text-align:left">{_escaped(title)}</th>'
        f'<td style="text-align:left">{_escaped(text)}</td></tr>'
        for title, text in facts.items()
    )
    return f"<table><caption>{_escaped(plan.name)}</caption><tbody>{rows}</tbody></table>"


def _mebibytes(size_bytes: int) -> str:
    # Damaged shapes give sizes beyond all floats.
    return f"{size_bytes / _MIB:.1f} MB" if size_bytes < 1 << 80 else "> 2^60 MB"


def _binding(tensor: Activation) -> str:
    return f"{tensor.name}: {tensor.shape}x{tensor.format}"


def _escaped(text: str) -> str:
    return "<br>".join(html.escape(line) for line in text.replace("\t", "").split("\n"))
