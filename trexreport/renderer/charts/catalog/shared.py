"""What charts of several sections share."""

from __future__ import annotations

from trexreport.renderer.charts.chart import Axis

#: More bars than this are added up as "others".
MOST_BARS = 15
MS = Axis("Time", "ms")
