"""How far apart two colors are for an eye, also for one that sees fewer colors."""

from __future__ import annotations

import math
import re

#: Full deficiencies: Machado, Oliveira and Fernandes (2009), severity 1.0, on linear RGB.
VISIONS = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
_XYZ = (
    (0.4124564, 0.3575761, 0.1804375),
    (0.2126729, 0.7151522, 0.0721750),
    (0.0193339, 0.1191920, 0.9503041),
)
_WHITE = (0.95047, 1.0, 1.08883)


def difference(one, other, vision):
    """Return the CIEDE2000 of two colors as styles write them, "rgb(1, 2, 3)", for a kind of vision."""
    return ciede2000(*(_lab(color, VISIONS[vision]) for color in (one, other)))


def _times(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def _lab(color, matrix):
    channels = [int(channel) / 255 for channel in re.findall(r"\d+", color)[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    seen = [min(1.0, max(0.0, c)) for c in _times(matrix, linear)]
    shares = [value / white for value, white in zip(_times(_XYZ, seen), _WHITE, strict=True)]
    x, y, z = map(_lightness, shares)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def _lightness(share):
    return share ** (1 / 3) if share > 216 / 24389 else (24389 / 27 * share + 16) / 116


def _lightness(share):
    return share ** (1 / 3) if share > 216 / 24389 else (24389 / 27 * share + 16) / 116


def ciede2000(one, other):
    """Return the difference of two colors in CIELAB (Sharma, Wu and Dalal, 2005)."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    grow = 1 + 0.5 * (1 - math.sqrt(mean**7 / (mean**7 + 25**7)))
    c1, c2 = math.hypot(grow * a1, b1), math.hypot(grow * a2, b2)
    h1, h2 = (math.degrees(math.atan2(b, grow * a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0.0
    lightness, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    hue = (h1 + h2) / 2 if abs(h1 - h2) <= 180 or not c1 * c2 else (h1 + h2 + 360) / 2 % 360
    if not c1 * c2:
        hue = h1 + h2
    weight = (
        1 - 0.17 * _cos(hue - 30) + 0.24 * _cos(2 * hue) + 0.32 * _cos(3 * hue + 6) - 0.2 * _cos(4 * hue - 63)
    )
    s_l = 1 + 0.015 * (lightness - 50) ** 2 / math.sqrt(20 + (lightness - 50) ** 2)
    s_c, s_h = 1 + 0.045 * chroma, 1 + 0.015 * chroma * weight
    bend = -2 * math.sqrt(chroma**7 / (chroma**7 + 25**7))
    bend *= math.sin(math.radians(60 * math.exp(-(((hue - 275) / 25) ** 2))))
    parts = (l2 - l1) / s_l, (c2 - c1) / s_c, 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2)) / s_h
    return math.sqrt(sum(part**2 for part in parts) + bend * parts[1] * parts[2])


def _cos(degrees):
    return math.cos(math.radians(degrees))
