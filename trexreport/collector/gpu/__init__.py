"""Watch the GPU while it is measured, and hold its clocks and power limit steady meanwhile.

A collector wraps its work in `gpu_session(options)` and each measurement in `session.phase("profile")`;
afterward `session.document()` is what belongs into X.engine.gpu.json, and `session.notes` has what the user
should know.
"""

from __future__ import annotations

from trexreport.collector.gpu.session import SUSTAINED, GpuOptions, GpuSession, gpu_session

__all__ = ["SUSTAINED", "GpuOptions", "GpuSession", "gpu_session"]
