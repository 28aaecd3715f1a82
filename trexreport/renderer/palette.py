"""One colour for each role, readable on a white and on a dark page, so that marks need no theme switch."""

from __future__ import annotations

import re
import zlib

#: The two backgrounds that every mark is seen against.
LIGHT_PAGE = "#ffffff"
DARK_PAGE = "#15181c"
#: Contrast of a mark with both pages (WCAG 2.1, 1.4.11: graphics).
MARK_CONTRAST = 3.0
#: Contrast of text with what it stands on (WCAG 2.1, 1.4.3).
TEXT_CONTRAST = 4.5

_FIXED = {
    "accent": "#3b7dd8",
    "neutral": "#7b8087",
    "muted": "#7b8087",
    "warning": "#b87200",
    "error": "#d9433c",
    "good": "#3f8f3a",
    "other": "#7b8087",
}
_TYPES = {
    "convolution": "#4682b4",
    "deconvolution": "#7b68ee",
    "matrixmultiply": "#1e82ff",
    "reformat": "#0097a0",
    "pooling": "#2f9e62",
    "pointwise": "#6f9a10",
    "myelin": "#a08838",
    "plugin": "#c71585",
    "softmax": "#c760c4",
    "shuffle": "#a87b7b",
    "slice": "#c07a00",
    "scale": "#6d9a6a",
    "quantize": "#6b8e23",
    "noop": "#7b8087",
    "attention": "#8a2be2",
}
_PRECISIONS = {
    "INT8": "#5a9100",
    "FP32": "#e03030",
    "FP16": "#c77700",
    "BF16": "#9c6b3f",
    "FP8": "#0091c8",
    "INT4": "#b45ae0",
    "FP4": "#a08a00",
}
_PATTERNS: dict[str, str] = {}
_RING = (
    "#a11350",
    "#008619",
    "#4064ec",
    "#a97400",
    "#8f1a8e",
    "#808000",
    "#3f86d6",
    "#c85a00",
    "#009484",
    "#d9363a",
)


def colour(role: str) -> str:
    """Return the colour of a role as "#rrggbb"; any text at all gives a colour, and always the same."""
    kind, _, name = role.partition(":")
    if not name:
        return _FIXED.get(role) or _ring(role)
    if kind == "type":
        return _TYPES.get(name.casefold()) or _ring(name)
    if kind == "precision":
        return _PRECISIONS.get(name.upper(), _FIXED["neutral"])
    return _ring(role)


def ink_on(background: str) -> str:
    """Return the colour of text on a mark: black or white, whichever is read better."""
    luminance = relative_luminance(background)
    return "#000000" if (luminance + 0.05) / 0.05 >= 1.05 / (luminance + 0.05) else "#ffffff"


def pattern(role: str) -> str:
    """Return the name of the pattern that tells a role apart without colour; "" for a plain fill."""
    return _PATTERNS.get(role, "")


def slug(role: str) -> str:
    """Return a class name that CSS and HTML take, for any text; different texts get different names."""
    plain = re.sub(r"[^a-z0-9]+", "-", role.lower()).strip("-")[:40]
    if re.fullmatch(r"[a-z0-9]+(?:[-:][a-z0-9]+)*", role) and role.replace(":", "-", 1) == plain:
        return f"role-{plain}"
    return f"role-{plain}-{zlib.crc32(role.encode('utf-8', 'surrogatepass')):08x}".replace("--", "-")


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colours, 1 to 21 (WCAG 2.1)."""
    lighter, darker = sorted((relative_luminance(first), relative_luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def relative_luminance(colour_hex: str) -> float:
    """Return the relative luminance of an sRGB colour, 0 to 1 (WCAG 2.1)."""
    channels = (int(colour_hex[index : index + 2], 16) / 255 for index in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _ring(name: str) -> str:
    return _RING[zlib.crc32(name.encode("utf-8", "surrogatepass")) % len(_RING)]
