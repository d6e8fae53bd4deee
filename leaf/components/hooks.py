"""Reflex vars for the React hooks of `assets/client/`, whose values exist only in the browser."""

from typing import Any, TypeAlias

import reflex as rx
from reflex_base.event import passthrough_event_spec
from reflex_base.utils.imports import ImportVar
from reflex_base.vars import VarData
from reflex_base.vars.base import LiteralVar
from reflex_base.vars.function import ArgsFunctionOperation, FunctionVar

from leaf.components.texts import data_of

Shown: TypeAlias = Any
"""A value in the browser. States declare plain types, and Reflex replaces them by vars when it draws a page. A type
checker cannot follow that, but Reflex checks the vars when it compiles the page.
"""


def hook(name: str, function: str, module: str, *arguments: Any) -> Shown:
    """The object that a React hook returns. The hook must be used in a component of its own (`rx.memo`).

    Args:
        name: The JavaScript variable for the object. It must be unique within the component.
        function: The hook.
        module: The file in `assets/client/` that exports the hook, without the extension.
        arguments: Values or vars. They may come from the results of other hooks.
    """
    values = [LiteralVar.create(one) for one in arguments]
    call = VarData(
        imports={f"$/public/client/{module}.js": [ImportVar(tag=function)]},
        hooks={f"const {name} = {function}({', '.join(str(one) for one in values)});": None},
    )
    return rx.Var(_js_expr=name, _var_data=VarData.merge(*map(data_of, values), call)).to(dict[str, Any])


def handler(event: Any, *types: Any) -> Shown:
    """A JavaScript function that raises an event of the page. It is used in the options of a hook.

    Args:
        event: An event handler of a state, or a function that returns one for its arguments.
        types: The types of its arguments.
    """
    spec = passthrough_event_spec(*types) if types else rx.event.no_args_event_spec
    return LiteralVar.create(rx.EventChain.create(event, spec))


def calls(function: Shown, *arguments: Any) -> Shown:
    """An event handler that calls a JavaScript function with the given values and sends nothing to the server."""
    return ArgsFunctionOperation.create((), function.to(FunctionVar).call(*arguments))


def passes(function: Shown) -> Shown:
    """An event handler that calls a JavaScript function with the value of the event."""
    return ArgsFunctionOperation.create(("value",), function.to(FunctionVar).call(rx.Var(_js_expr="value")))


def pretty_json(value: Shown) -> rx.Var[str]:
    """A value as JSON with line breaks."""
    return rx.Var(_js_expr=f"JSON.stringify({value!s}, null, 2)", _var_data=data_of(value)).to(str)
