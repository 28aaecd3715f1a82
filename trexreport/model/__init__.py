"""What an engine is, as plain values: no input, no output, no computation of cost."""

from trexreport.model.capture import (
    IMPOSSIBLE,
    PART,
    PROFILE_SUMS,
    TORN,
    UNUSUAL,
    InputWarning,
    NoteSeverity,
    Source,
)
from trexreport.model.contradiction import Contradiction, ContradictionCode, StatedValue
from trexreport.model.data_format import DataFormat
from trexreport.model.engine import Binding, BindingMode, Engine, FileFacts, Layer, LayerTime, Tensor, Weights
from trexreport.model.gpu import CLOCK_EVENT_REASONS, GpuPhase, GpuProcess, GpuSamples
from trexreport.model.measurement import (
    ExternalLatency,
    Measurement,
    QueryTimes,
    Setup,
    Statistic,
    TraceAverages,
)
from trexreport.model.phases import Phase

__all__ = [
    "CLOCK_EVENT_REASONS",
    "IMPOSSIBLE",
    "PART",
    "PROFILE_SUMS",
    "TORN",
    "UNUSUAL",
    "Binding",
    "BindingMode",
    "Contradiction",
    "ContradictionCode",
    "DataFormat",
    "Engine",
    "ExternalLatency",
    "FileFacts",
    "GpuPhase",
    "GpuProcess",
    "GpuSamples",
    "InputWarning",
    "Layer",
    "LayerTime",
    "Measurement",
    "NoteSeverity",
    "Phase",
    "QueryTimes",
    "Setup",
    "Source",
    "StatedValue",
    "Statistic",
    "Tensor",
    "TraceAverages",
    "Weights",
]
