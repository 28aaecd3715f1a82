"""One color for each role, readable on a white and on a dark page, so that marks need no theme switch.

The hues of layer types and precisions follow TREx, NVIDIA's engine explorer. Their lightness was moved
into the window where a mark has a contrast of 3 with both pages, and they were then spread until types
that appear side by side differ for readers with any of the three common color-vision deficiencies.
The bounds that hold are stated and checked in the tests of this module.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain

from trexreport.lazy_dataclass import dataclass
from trexreport.resources import packaged_table

#: Contrast of a mark with both pages (WCAG 2.1, 1.4.11: graphics).
MARK_CONTRAST = 3.0
#: Contrast of text with its background (WCAG 2.1, 1.4.3).
TEXT_CONTRAST = 4.5


@dataclass(frozen=True)
class Theme:
    """The colors of a page that are not marks; `accent` is that of links and of what is selected."""

    page: str
    raised: str
    text: str
    muted: str
    axis: str
    grid: str
    accent: str


_COLORS = packaged_table("renderer/palette.toml")
LIGHT, DARK = Theme(**_COLORS["light"]), Theme(**_COLORS["dark"])
#: An ordinal scale, the largest first; darker is larger, in any color vision.
SHADES = ("#8f1d14", "#c2452d", "#d97b4f", "#e3a583", "#d9cdbf")
#: What has no place on the scale, as its value is not known.
UNKNOWN = "#b4b8be"
#: The ends of a continuous scale of backgrounds.
GRADIENT = ("#fff4e6", "#e8590c")

#: Types that no file states are not a type of their own.
_NOT_STATED = {"", "not stated"}
ROLES: Mapping[str, str] = _COLORS["roles"]


@dataclass(frozen=True)
class _Family:
    """Layer types of one kind.

    Attributes:
        color: Of its marks.
        pattern: That identifies it without color; empty for a plain fill.
        signs: What a layer type must contain to belong to it.
        words: Layer types that belong to it, too short to be looked for inside other words.
    """

    color: str
    pattern: str = ""
    signs: Sequence[str] = ()
    words: Sequence[str] = ()


FAMILIES = {name: _Family(**each) for name, each in _COLORS["families"].items()}


@dataclass(frozen=True)
class _Precision:
    """How a data type is marked; points are too small for patterns and have shapes instead."""

    color: str
    pattern: str = ""
    shape: str = "circle"


PRECISIONS = {name: _Precision(**each) for name, each in _COLORS["precisions"].items()}
_UNKNOWN_PRECISION = _Precision("#696e74")
#: Other names of data types.
SYNONYMS = {
    "TF32": "FP32",
    "HALF": "FP16",
    "FLOAT": "FP32",
    "BFLOAT16": "BF16",
    "INT16": "INT32",
    "FP64": "FP32",
}
#: For unknown names.
RING: Sequence[str] = _COLORS["ring"]
PATTERNS = ("diagonal", "dots", "horizontal", "vertical", "backslash", "cross")


@lru_cache(maxsize=4096)
def color(role: str) -> str:
    """Return the color of a role as "#rrggbb"; any text at all gives a color, and always the same.

    Roles are "type:<layer type>", "precision:<data type>", "change:<what became of a layer>" or a plain word
    such as "accent" or "warning".
    A number, as in "rank:3", takes its turn around the ring, so that what is counted differs.
    """
    kind, _, name = role.partition(":")
    if kind == "type" and name in _NOT_STATED:
        return ROLES["neutral"]
    if kind == "precision":
        return _precision(name).color
    if kind == "type":
        return FAMILIES[family(name)].color if family(name) else RING[_hash(name) % len(RING)]
    if name.isascii() and name.isdigit():
        return RING[int(name[-6:]) % len(RING)]
    return ROLES.get(role) or RING[_hash(role) % len(RING)]


@lru_cache(maxsize=1024)
def pattern(role: str) -> str:
    """Return the name of the pattern that identifies a role without color; "" for a plain fill.

    Source of the need: two layer types that are hard to distinguish by color have different patterns.
    """
    kind, _, name = role.partition(":")
    if kind == "precision":
        return _precision(name).pattern
    if role in ROLES:
        return ""
    if kind == "type" and family(name):
        return FAMILIES[family(name)].pattern
    # A fraction of the hash that the color does not use, so that equal colors rarely have equal patterns.
    return ("", *PATTERNS)[_hash(name or role) // len(RING) % (len(PATTERNS) + 1)]


@lru_cache(maxsize=1024)
def shape(role: str) -> str:
    """Return Plotly's name of the shape of a point, which shows a precision or an outlier without color."""
    kind, _, name = role.partition(":")
    if kind in ("measured", "outlier"):
        return "diamond"
    return _precision(name).shape if kind == "precision" else "circle"


@lru_cache(maxsize=1024)
def family(layer_type: str) -> str:
    """Return the family of a layer type, such as "convolution" for "CaskConvolution"; "" if unknown."""
    plain = re.sub(r"[^a-z0-9]", "", layer_type[:200].lower())
    whole = (name for name, each in FAMILIES.items() if plain in each.words)
    parts = (name for name, each in FAMILIES.items() if any(sign in plain for sign in each.signs))
    return next(chain(whole, parts), "")


def style_variables() -> str:
    """Return the style rules that give every page the colors of the themes, as custom properties."""
    light, dark = (
        "".join(f"--{name}:{value};" for name, value in vars(theme).items()) for theme in (LIGHT, DARK)
    )
    return (
        f":root{{{light}--mark-accent:{ROLES['accent']};}}\n"
        f'@media (prefers-color-scheme:dark){{:root:not([data-theme="light"]){{{dark}}}}}\n'
        f':root[data-theme="dark"]{{{dark}}}\n'
    )


@lru_cache(maxsize=1024)
def ink_on(background: str) -> str:
    """Return the color of text on a mark: black or white, whichever is read better.

    On every color of this module the better of the two has a contrast of at least 4.5.
    """
    return max("#000000", "#ffffff", key=lambda ink: contrast(ink, background))


def slug(role: str) -> str:
    """Return a class name that CSS and HTML take, for any text; it ignores case."""
    if re.fullmatch(r"[A-Za-z0-9]{1,40}(:[A-Za-z0-9]{1,40})?", role):
        return f"role-{role.lower().replace(':', '-')}"
    words = re.sub(r"[^a-z0-9]+", "-", role.lower()[:40]).strip("-")
    return "-".join(part for part in ("role", words, f"{_hash(role):08x}") if part)


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colors, 1 to 21 (WCAG 2.1)."""
    darker, lighter = sorted((relative_luminance(first), relative_luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


@lru_cache(maxsize=1024)
def relative_luminance(hex_color: str) -> float:
    """Return the relative luminance of "#rrggbb", 0 to 1 (WCAG 2.1)."""
    channels = (int(hex_color[start : start + 2], 16) / 255 for start in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _precision(name: str) -> _Precision:
    upper = name.strip().upper()
    return PRECISIONS.get(SYNONYMS.get(upper, upper), _UNKNOWN_PRECISION)


def _hash(text: str) -> int:
    """Hash alike in every process, unlike the hash of Python."""
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


_ORDER = {
    "type": tuple(FAMILIES),
    "precision": tuple(PRECISIONS),
    "bound": ("compute", "memory", "latency"),
}
_NO_CLASS = 1000


def legend_place(role: str) -> tuple[int, str]:
    """Return what legends sort a role by, so that classes have one order in all of them.

    Types are in the order of their families, precisions from wide to narrow, bounds as on the roofline; names
    of no known class follow, then what is not stated. Other roles are last, in the order that they have.
    """
    kind, _, name = role.partition(":")
    if kind not in _ORDER:
        return _NO_CLASS, ""
    if name.endswith("not stated") or name in ("", "None"):
        return len(_ORDER[kind]) + 1, ""
    known = name.strip().upper()
    known = SYNONYMS.get(known, known) if kind == "precision" else family(name) if kind == "type" else name
    order = _ORDER[kind]
    return (order.index(known) if known in order else len(order)), name


def colors_in_order(kind: str, names: Iterable[str | None]) -> dict[str | None, str]:
    """Return the color of each class of a kind, such as "type", in the order of legends."""
    ordered = sorted(names, key=lambda name: legend_place(f"{kind}:{name}"))
    return {name: color(f"{kind}:{name}") for name in ordered}
