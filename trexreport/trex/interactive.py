"""Drop-down lists that choose what a cell shows; without ipywidgets the cell shows the first choice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from trexreport.trex._libraries import has_library, pass_on
from trexreport.trex.notebook import display

__all__ = ["InteractiveDiagram", "InteractiveDiagram_2", "display"]
__getattr__ = pass_on(__name__, __all__, "IPython List widgets")


class _Chooser:
    """Shows a list of choices, and below it what the chosen one draws."""

    def __init__(self, choices: Mapping[str, Any], description: str) -> None:
        self.choices = dict(choices)
        self.choice_widget: Any = None
        if not self.choices:
            print(f"{description} nothing to show")
            return
        first = next(iter(self.choices))
        if not (has_library("ipywidgets") and has_library("IPython")):
            others = ", ".join(repr(each) for each in list(self.choices)[1:])
            print(f"{description} {first}")
            if others:
                print(f"Install ipywidgets to choose among the others: {others}")
            self.dropdown_state_eventhandler(first)
            return
        from ipywidgets import widgets

        self.choice_widget = widgets.Dropdown(
            options=list(self.choices), value=first, description=description
        )
        shown = widgets.interactive_output(
            self.dropdown_state_eventhandler, {"user_choice": self.choice_widget}
        )
        display(self.choice_widget, shown)

    def dropdown_state_eventhandler(self, user_choice: str) -> None:
        """Draw a choice."""
        raise NotImplementedError


class InteractiveDiagram(_Chooser):
    """A list whose choices are the arguments of one function.

    Args:
        diagram_renderer: Called with the choice and its values.
        choices: Choice to value, or to a list or tuple of values.
        description: Text beside the list.
    """

    def __init__(
        self, diagram_renderer: Callable[..., Any], choices: Mapping[str, Any], description: str
    ) -> None:
        self.diagram_renderer = diagram_renderer
        super().__init__(choices, description)

    def dropdown_state_eventhandler(self, user_choice: str) -> None:
        """Call the function with the values of a choice."""
        values = self.choices[user_choice]
        self.diagram_renderer(user_choice, *(values if isinstance(values, (list, tuple)) else (values,)))


class InteractiveDiagram_2(_Chooser):  # noqa: N801 - TREx's name
    """A list whose choices are functions; each is called with its name as `title`.

    Args:
        choices: Choice to function.
        description: Text beside the list.
    """

    def dropdown_state_eventhandler(self, user_choice: str) -> None:
        """Call the function of a choice."""
        self.choices[user_choice](title=user_choice)
