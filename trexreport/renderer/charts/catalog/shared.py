"""Constants that charts of several sections share."""

from __future__ import annotations

from trexreport.renderer.charts.chart import Axis

#: More bars than this are summed as "others".
MAX_BARS = 15
MS = Axis("Time", "ms")
