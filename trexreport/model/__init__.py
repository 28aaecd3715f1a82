"""What an engine is, as plain values: no input, no output, no computation of cost."""

from trexreport.model.capture import ReadNote, Source
from trexreport.model.data_format import DataFormat
from trexreport.model.engine import Binding, Engine, Layer, LayerTime, Tensor, Weights
from trexreport.model.measurement import Measurement, QueryTimes, Setup, Statistic

__all__ = [
    "Binding",
    "DataFormat",
    "Engine",
    "Layer",
    "LayerTime",
    "Measurement",
    "QueryTimes",
    "ReadNote",
    "Setup",
    "Source",
    "Statistic",
    "Tensor",
    "Weights",
]
