"""PNG of drawings: however large a drawing is, the picture has a bounded number of pixels."""

from __future__ import annotations

from pathlib import Path

import pytest

from trexreport.renderer.graph import raster


@pytest.fixture
def drawn(monkeypatch):
    """The sizes that a program was called with; it draws nothing."""
    sizes = []

    def command(_source, result, size, _folder):
        sizes.append(size)
        Path(result).write_bytes(b"\x89PNG\r\n\x1a\n")
        return ["program"]

    monkeypatch.setattr(raster, "_command", command)
    monkeypatch.setattr(raster, "_run", lambda _: None)
    return sizes


def test_a_small_drawing_keeps_its_size(drawn):
    assert raster.to_png(b"<svg/>", 800.0, 600.0).scale == 1.0
    assert drawn == [(800, 600)]


@pytest.mark.parametrize("size", [(20_000.0, 14_000.0), (3e5, 100.0), (100.0, 3e5), (1e6, 1e6)])
def test_a_large_one_is_scaled_down_in_both_directions(drawn, size):
    png = raster.to_png(b"<svg/>", *size)
    ((width, height),) = drawn
    assert max(width, height) <= raster.MAX_PIXELS
    assert width * height <= raster.MAX_AREA * 1.01
    assert width == pytest.approx(size[0] * png.scale, abs=1)
    assert height == pytest.approx(size[1] * png.scale, abs=1)
