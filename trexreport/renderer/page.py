"""What our pages are made with: templates, style, packed script, and the policy that allows only these."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trexreport import numbers
from trexreport.regex import regex
from trexreport.renderer import template_output
from trexreport.renderer.charts.markup import FONT_FAMILY, coordinate
from trexreport.renderer.kept_files import compiled_templates, pack_once
from trexreport.renderer.links import filter_link, layer_link, row_link
from trexreport.renderer.model_section import share_range
from trexreport.renderer.packing import COMPACT_JSON, is_packed, pack_pieces
from trexreport.renderer.palette import LIGHT, color, style_variables
from trexreport.renderer.scripts import page_script
from trexreport.renderer.template_output import breakable, code_generator, whole_options, written
from trexreport.resources import resource_folder, resource_text
from trexreport.wording.findings import no_top_findings
from trexreport.wording.identity import gpu_name, logged_value
from trexreport.wording.json_sentences import sentence
from trexreport.wording.roofline import bound_sentences, gpu_match

if TYPE_CHECKING:
    from jinja2 import Environment, Template

#: How hard data is packed: level 6 takes twice as long, and makes it 2% smaller.
_DATA_LEVEL = 5

#: A drawing in a page needs no namespace, and no fonts besides `system-ui`; a chart has the page's font.
_SHORTER = (
    (f' class="chart-text" fill="{LIGHT.text}"', ' class="chart-text"'),
    (f' class="chart-text-muted" fill="{LIGHT.muted}"', ' class="chart-text-muted"'),
    (f' font-family="{FONT_FAMILY}" font-size="12" font-variant="tabular-nums"', ' font-size="12"'),
    ('<svg xmlns="http://www.w3.org/2000/svg"', "<svg"),
    (f'font-family="{FONT_FAMILY}"', 'font-family="system-ui, sans-serif"'),
)
#: In characters: most pieces of a page are shorter than any drawing.
_SHORTEST_DRAWING = 128
#: Style of what only the script shows: it is packed with the script, which puts it after the page's own.
_LIVE = "live_"
_INSERT = 'document.head.append(Object.assign(document.createElement("style"), {{ textContent: {} }}));\n'
_PROPERTY = regex(r"^([\w-]+): ", re.MULTILINE)
#: Of fractions.
_ZEROS = regex(r"(?<![\w.-])0\.(?=\d)")
#: Line ends that separate nothing; one within a value does.
_LINE_ENDS = regex(r"(?<=[,:;{}])\n|\n(?=})")


def style_and_script(
    styles: Sequence[str], script: str, *, also: Sequence[str] = (), styles_also: Sequence[str] = ()
) -> dict[str, Any]:
    """Return what a page's head and end need: its style, its starter, its packed script and the policy.

    Args:
        styles: Files in static/css, in order; those whose names begin with `live_` come after all others.
        script: Name of the page's module in static/js/pages.
        also: Further scripts that the policy allows.
        styles_also: Further styles that it allows.
    """
    return dict(_style_and_script(tuple(styles), script, tuple(also), tuple(styles_also)))


@lru_cache(maxsize=16)
def _style_and_script(
    styles: tuple[str, ...], page: str, also: tuple[str, ...], styles_also: tuple[str, ...]
) -> dict[str, Any]:
    """Return the same for all pages of one kind: packing it takes a good part of the time of a small one."""
    shown = [name for name in styles if not name.startswith(_LIVE)]
    style, live = joined_styles(shown), _rules([name for name in styles if name.startswith(_LIVE)])
    script = _INSERT.format(json.dumps(live)) + page_script(page)
    starter = resource_text("static", "js/starter.js")
    return {
        "style": style,
        "starter": starter,
        "script": pack_once(f"{page}.js", script.encode("utf-8")),
        "policy": _content_security_policy([starter, script, *also], [style, live, *styles_also]),
    }


def page_bytes(template: Template, **values: Any) -> bytes:
    """Return a page whose drawings state no more than browsers need; the document stays the same.

    Texts of files stay as they are: their angle brackets and quotation marks are escaped. The page is made in
    pieces, each drawing in one of them, so that it is in memory once.
    """
    written: list[bytes] = []
    short: list[str] = []
    for piece in template.generate(values):
        if len(piece) < _SHORTEST_DRAWING:
            short.append(piece)
            continue
        # Of the thousands of short ones, those in a row are encoded at once.
        written += ("".join(short).encode("utf-8"), _shortened(piece).encode("utf-8"))
        short.clear()
    return b"".join([*written, "".join(short).encode("utf-8")])


def _shortened(piece: str) -> str:
    if "<svg" not in piece:
        return piece
    # A piece may be markup, which would escape what it is given.
    text = str(piece)
    for long, short in _SHORTER:
        text = text.replace(long, short)
    return text


def page_styles(*own: str, live: Sequence[str] = ("page", "table", "charts", "graph")) -> tuple[str, ...]:
    """Return the style sheets of a page in their order: what all pages have, and its own.

    Args:
        own: Between the parts of every page and what adapts them to windows and paper.
        live: Which of the styles that only the script needs, `live_*.css`.
    """
    parts = ("tokens", "layout", "findings", "parts", "cards", *own, "wide", "forced", "print")
    return tuple(f"{name}.css" for name in (*parts, *(f"live_{each}" for each in live)))


def joined_styles(names: Sequence[str]) -> str:
    """Return the palette and files in static/css in order, without comment lines and spaces for readers."""
    return style_variables() + _rules(names)


def _rules(names: Sequence[str]) -> str:
    texts = (resource_text("static", f"css/{name}") for name in names)
    lines = (line.strip() for text in texts for line in text.split("\n"))
    rules = "\n".join(line for line in lines if line and not line.startswith("/*"))
    # Of a line that begins with a property; in selectors a space before a colon has a meaning.
    rules = _PROPERTY.sub(r"\1:", rules).replace(" {\n", "{")
    rules = _ZEROS.sub(".", rules.replace(", ", ",").replace(" > ", ">").replace(" !important", "!important"))
    return _LINE_ENDS.sub("", rules).replace(";}", "}")


def json_text(value: Any) -> str:
    """Return JSON in plain ASCII that cannot end the script element around it."""
    text = COMPACT_JSON.encode(value)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def packed_json(value: Any) -> str:
    """Return a value as the page's script unpacks it.

    Each member of an object is a line of its own, and so is each column of records: the script parses a line
    when it needs it first (`static/js/data/lines.js`). All together is one JSON text.
    """
    return pack_pieces(_json_pieces(value), _DATA_LEVEL)


def _json_pieces(value: Any) -> Iterator[bytes]:
    """Yield JSON in pieces; every other line is what the script parses later."""
    if not isinstance(value, dict) or not value:
        yield json_text(value).encode("ascii")
        return
    opening = "{"
    for key, member in value.items():
        yield f"{opening}{json_text(key)}:".encode("ascii")
        yield from _column_lines(member) if is_packed(member) else [_line(member)]
        opening = ","
    yield b"}"


def _column_lines(packed: dict[str, Any]) -> Iterator[bytes]:
    """Yield records by column, the values of each in one line or two."""
    yield f'{{"count":{packed["count"]},"columns":['.encode("ascii")
    opening = "["
    for key, *values in packed["columns"]:
        yield f"{opening}{json_text(key)},".encode("ascii")
        yield b",".join(map(_line, values))
        opening = "],["
    yield b"]]}" if packed["columns"] else b"]}"


def _line(value: Any) -> bytes:
    return f"\n{json_text(value)}\n".encode("ascii")


def environment() -> Environment:
    """Return the templates with the filters that write numbers, names and links."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined, pass_context
    from markupsafe import Markup

    environment = Environment(
        loader=FunctionLoader(_template),
        # For what joins texts; values are escaped as they are written.
        autoescape=True,
        bytecode_cache=compiled_templates(_own_source()),
        undefined=StrictUndefined,
        # With a context for `finalize`, nothing is computed while a template is compiled, whose code is kept.
        optimized=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=pass_context(written),
    )
    environment.code_generator_class = code_generator()
    environment.globals["icon"] = _icon()
    environment.filters.update(
        layer_link=layer_link,
        row_link=row_link,
        filter_link=filter_link,
        sentence=sentence,
        gpu_match=gpu_match,
        bound_sentences=bound_sentences,
        share_range=share_range,
        ms=numbers.format_ms,
        number=numbers.format_number,
        count=numbers.format_count,
        counted=numbers.counted,
        bytes=numbers.format_bytes,
        percent=numbers.format_percentage,
        middle=numbers.middle_ellipsis,
        breakable=breakable,
        whole_options=whole_options,
        gpu_name=gpu_name,
        no_top_findings=no_top_findings,
        logged_value=logged_value,
        extents=numbers.format_shape,
        color=color,
        pixels=coordinate,
        # Only for texts that this package made: style sheet, script, SVG, base64 and escaped JSON.
        trusted=Markup,
    )
    return environment


@cache
def page_template(name: str) -> Template:
    """Return a template that needs no filters but those of all; it is loaded once in a process."""
    return _common_environment().get_template(name)


@cache
def _common_environment() -> Environment:
    return environment()


@cache
def _icon() -> str:
    """Return the address of the pages' icon, three bars in the color of the accent."""
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">'
        f'<path fill="{color("accent")}" d="M2 2h12v3H2zM2 6.5h8v3H2zM2 11h4v3H2z"/></svg>'
    )
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"


def _template(name: str) -> tuple[str, str, Callable[[], bool]]:
    """Return the text of a template, its file, and that it is up to date: the program has read it once."""
    return resource_text("templates", name), str(resource_folder("templates") / name), lambda: True


@cache
def _own_source() -> bytes:
    """Return the texts of the modules that set the options of Jinja."""
    return Path(__file__).read_bytes() + Path(template_output.__file__).read_bytes()


def source_hash(text: str) -> str:
    """Return the hash of a script or style as a policy spells it."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def _content_security_policy(scripts: Iterable[str], styles: Iterable[str]) -> str:
    """Return a policy under which nothing but these texts runs, and nothing is fetched from anywhere."""
    script_hashes = " ".join(source_hash(text) for text in scripts) or "'none'"
    style_hashes = " ".join(source_hash(text) for text in styles) or "'none'"
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {script_hashes}",
            f"style-src {style_hashes}",
            "img-src data: blob:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
