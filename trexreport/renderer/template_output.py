"""What templates write of a value: with marks for what would not be seen, and escaped."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from trexreport.visible import in_order, visible

if TYPE_CHECKING:
    from jinja2.compiler import CodeGenerator
    from jinja2.runtime import Context

#: Longer texts are rarely written twice.
_LONGEST_REMEMBERED = 100


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
