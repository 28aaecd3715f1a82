"""What templates write of a value: escaped, with marks for what is not seen, and where lines may end."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from trexreport.numbers import middle_ellipsis
from trexreport.regex import regex
from trexreport.visible import in_order, visible

if TYPE_CHECKING:
    from jinja2.compiler import CodeGenerator
    from jinja2.runtime import Context
    from markupsafe import Markup

#: Longer texts are rarely written twice.
_LONGEST_REMEMBERED = 100

#: Shorter names fit in any column.
_SHORTEST = 24
#: Between two parts of a path. A name without slashes, such as that of a kernel, has other joints.
_SLASHES = regex(r"(?<=[^/\s]/)(?=[^/\s])")
_JOINTS = regex(r"(?<=[^_.\s][_.])(?=[^_.\s])")
#: An option without its value. Browsers would break after its two hyphens.
_OPTION = regex(r"(?<![\w-])--[A-Za-z][\w-]*")
#: A range with its unit, after whose dash browsers would break.
_RANGE = regex(r"\(?[\d.,]*\d–\d[\d.,]*(?:%|\u00a0[A-Za-zµ]{1,3}(?![A-Za-z]))?\)?")


@cache
def code_generator() -> type[CodeGenerator]:
    """Return what makes code of templates in which `finalize` alone writes a value, and so has to escape it.

    A page writes two thousand values. Jinja would call `finalize`, then `escape` and then make each a
    `Markup`, which takes longer than to join them. Each include names one template,
    which gets the context.
    """
    from jinja2.compiler import CodeGenerator

    class FinalizedOutput(CodeGenerator):
        """Writes `environment.finalize(context, value)` without `escape`, and an include as one text."""

        def visit_Include(self, node: Any, frame: Any) -> None:  # noqa: N802 - the name is given
            """Join what a template in another one writes, so that its values take a shorter way."""
            self.writeline(
                f"template = environment.get_template({node.template.value!r}, {self.name!r})", node
            )
            context = f"template.new_context(context.get_all(), True, {self.dump_local_context(frame)})"
            self.simple_write(f'"".join(template.root_render_func({context}))', frame)

        def _output_child_pre(self, node: Any, frame: Any, finalize: Any) -> None:
            del node, frame
            self.write(finalize.src)

        def _output_child_post(self, node: Any, frame: Any, finalize: Any) -> None:
            del node, frame, finalize
            self.write(")")

    return FinalizedOutput


def written(_: Context, value: Any) -> str:
    """Return what a template writes of a value: a text of this package as it is, any other one escaped."""
    kind = type(value)
    if kind is str:
        # A page has most numbers and names several times.
        return _short_text(value) if len(value) <= _LONGEST_REMEMBERED else escaped(value)
    if kind is _markup():
        return value  # type: ignore[no-any-return]
    return escaped(value) if isinstance(value, str) and not hasattr(value, "__html__") else _escaped(value)


@lru_cache(maxsize=16384)
def _short_text(value: str) -> str:
    return escaped(value)


def escaped(value: str) -> str:
    """Return a text as markup, with marks for what would not be seen."""
    return _escaped(in_order(visible(value)))


def _escaped(value: Any) -> str:
    from markupsafe import escape

    return escape(value)


@cache
def _markup() -> type[str]:
    from markupsafe import Markup

    return Markup


@lru_cache(maxsize=1024)
def breakable(name: str, width: int = 0) -> str:
    """Return a name that may break between its parts, shortened in its middle to a width if one is given.

    `overflow-wrap: anywhere` alone breaks a long path within a word, and may leave two letters in a line.
    """
    text = escaped(middle_ellipsis(name, width) if width else name)
    if len(name) < _SHORTEST:
        return text
    # The text is escaped: what is added to it is the only markup.
    return type(text)((_SLASHES if "/" in text else _JOINTS).sub("<wbr>", str(text)))


def whole_options(text: str) -> str:
    """Return a text in which options such as `--exportProfile` stay in one line."""
    shown = escaped(text)
    if "--" not in shown:
        return shown
    return type(shown)(_OPTION.sub(r'<span class="option">\g<0></span>', str(shown)))


def whole_in_mail(text: Markup) -> Markup:
    """Return an escaped text in which options and ranges stay in one line, stated without a style sheet."""
    whole = str(text)
    for pattern in (_OPTION, _RANGE):
        whole = pattern.sub(r'<span style="white-space: nowrap;">\g<0></span>', whole)
    return type(text)(whole)
